"""What is said at the end of a run about files that were not stored or restored as they are."""
import io
import json
import os
import random
import tarfile
import unittest

from program import Place


class Problems(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.tree = self.place.folder("tree")
        for name in ("one", "two", "three"):
            with open(os.path.join(self.tree, name), "wb") as file:
                file.write(random.Random(name).randbytes(300_000))
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")

    def lose_content(self):
        """The second archive has packs of its own for all but the content."""
        for name in ("content", "lost"):
            self.place.cairn("create", name, "tree")
            os.utime(os.path.join(self.tree, "one"), (1, 1))
        packs = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(self.place.repository, "packs")) for name in names]
        os.unlink(max(packs, key=os.path.getsize))

    def test_create_groups_them_at_the_end(self):
        done = self.place.cairn("create", "--json", "new", "nosuch", "tree", "neither", expect=(107,))
        self.assertEqual(done.err.decode().splitlines(), [
            "nosuch: stat: [Errno 2] No such file or directory: 'nosuch'",
            "neither: stat: [Errno 2] No such file or directory: 'neither'",
            "In all 2 problems with single files:",
            "       2 no such file or directory: nosuch, neither"])
        self.assertEqual(done.json()["problems"], [{"count": 2, "first_paths": ["nosuch", "neither"], "reason": "no such file or directory"}])

    def test_one_problem_is_not_said_twice(self):
        done = self.place.cairn("create", "new", "nosuch", "tree", expect=(107,))
        self.assertEqual(done.err.decode(), "nosuch: stat: [Errno 2] No such file or directory: 'nosuch'\n")
        done = self.place.cairn("create", "--json", "fine", "tree")
        self.assertNotIn("problems", done.json())

    def test_with_log_json_it_is_a_record(self):
        done = self.place.cairn("create", "--log-json", "new", "nosuch", "tree", expect=(107,))
        warning, summary = map(json.loads, done.err.decode().splitlines())
        self.assertEqual((warning["type"], warning["msgid"]), ("log_message", "BackupFileNotFoundError"))
        self.assertEqual(summary, {"type": "problem_summary", "problems": [
            {"count": 1, "first_paths": ["nosuch"], "reason": "no such file or directory"}]})

    def test_nothing_is_said_where_warnings_are_not(self):
        done = self.place.cairn("create", "--error", "new", "nosuch", "neither", expect=(107,))
        self.assertEqual(done.err, b"")

    def test_extract_and_export_tar_have_it_too(self):
        self.lose_content()
        for words in (["extract", "lost"], ["extract", "--dry-run", "lost"], ["export-tar", "lost", os.path.join(self.place.path, "out.tar")]):
            with self.subTest(words[0]):
                done = self.place.cairn(*words, cwd=self.place.folder("out" + "".join(words[:2])), expect=(113,))
                last = done.err.decode().splitlines()[-2:]
                self.assertEqual(last[0], "In all 3 problems with single files:")
                self.assertRegex(last[1], "^       3 content is missing or damaged in the repository: tree/.*, tree/.*, tree/.*$")

    def test_import_tar_has_it_too(self):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as tar:
            for name, kind, target in (("volume", b"V", ""), ("label", b"V", ""), ("dangling", tarfile.LNKTYPE, "nothing")):
                member = tarfile.TarInfo(name)
                member.type, member.linkname = kind, target
                tar.addfile(member)
        done = self.place.cairn("import-tar", "tar", "-", stdin=stream.getvalue(), expect=(1,))
        self.assertEqual(done.err.decode().splitlines()[3:], [
            "In all 3 problems with single files:",
            "       2 a kind of member that is not known: volume, label",
            "       1 a link to what the tar archive does not have before it: dangling"])

    def test_transfer_counts_files_not_chunks(self):
        self.lose_content()
        other = {"BORG_OTHER_PASSPHRASE": "a passphrase for tests"}
        with Place() as target:
            target.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256", "--other-repo", self.place.repository, **other)
            done = target.cairn("transfer", "--other-repo", self.place.repository, "--chunker-params", "fixed,4096", expect=None, **other)
            self.assertNotIn(b"In all", done.err)  # cutting again needs every chunk
            done = target.cairn("transfer", "--other-repo", self.place.repository, "-a", "lost", expect=(113,), **other)
            last = done.err.decode().splitlines()[-2:]
            self.assertEqual(last[0], "In all 3 problems with single files:")
            self.assertRegex(last[1], "^       3 content is missing or damaged in the repository: tree/.*, tree/.*, tree/.*$")
