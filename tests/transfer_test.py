"""transfer, recreate and repo-compress, side by side with Borg 2 (docs/format/archive.md, sections 13 and 14; repository.md, section 14)."""
import json
import os
import re
import shutil
import signal
import subprocess
import time
import unittest

import program
import trees
from program import BORG, CAIRN, Place

OTHER = {"BORG_OTHER_PASSPHRASE": "a passphrase for tests"}


def packs(repository):
    return [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(repository, "packs")) for name in names]


def without(lines, *patterns):
    for pattern in patterns:
        lines = re.sub(pattern, "<X>", lines)
    return lines


def unmoved(text):
    """A copy of a repository lies elsewhere than the repository did, and only the program that comes first says so."""
    return re.sub(r"(?m)^(Warning: The repository at location .*|Do you want to continue\? .*)\n", "", text)


class CopyCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not program.is_root():
            raise unittest.SkipTest(program.NO_ROOT)
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        trees.build_tree(os.path.join(cls.place.path, "tree"), big=30_000_000)
        trees.build_small_tree(os.path.join(cls.place.path, "small"))
        cls.tree = trees.as_archived(trees.read_tree(os.path.join(cls.place.path, "tree")))

    def repository(self, name, *words, encryption="aes256-ocb", id_hash="sha256", who=CAIRN, **more):
        path = os.path.join(self.place.path, name)
        self.place.run(who, "repo-create", "-r", path, "-e", encryption, "-i", id_hash, *words, **more)
        return path

    def same_tree(self, repository, name, who):
        out = self.place.folder(f"out-{os.path.basename(repository)}-{name}-{os.path.basename(who)}")
        self.addCleanup(subprocess.run, ["rm", "-rf", out], check=False)
        self.addCleanup(subprocess.run, ["chattr", "-R", "-i", "-a", out], stderr=subprocess.DEVNULL, check=False)
        self.place.run(who, "extract", "-r", repository, name, cwd=out)
        lines = trees.differences(self.tree, trees.read_tree(os.path.join(out, "tree")))
        self.assertEqual(lines, [], trees.show(lines))

    def items(self, repository, name):
        keys = "{size}{num_chunks}{mtime}{ctime}{sha256}"
        return self.place.cairn("list", "-r", repository, "--json-lines", "--format", keys, name).out


class Transfer(CopyCase):
    def source(self, **more):
        source = self.repository(f"source-{self.id().rsplit('.')[-1]}", **more)
        self.place.cairn("create", "-r", source, "--comment", "from here", "--timestamp", "2024-05-06T07:08:09", "one", "tree")
        self.place.cairn("create", "-r", source, "--timestamp", "2024-05-07T07:08:09", "-C", "zstd,5", "two", "small", "tree/plain")
        return source

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_the_same_as_borg(self):
        source = self.source()
        for step, words in enumerate(([], ["--recompress", "-C", "zstd,1"], ["--chunker-params", "fastcdc,10,16,13,2", "-a", "two"])):
            with self.subTest(words=words):
                out, lists = [], []
                for who in (CAIRN, BORG):
                    target = self.repository(f"same{step}-{os.path.basename(who)}", "--other-repo", source, who=who, **OTHER)
                    run = lambda *more: out.append(without(  # noqa: E731
                        self.place.run(who, "transfer", "-r", target, "--other-repo", source, *more, **OTHER).text, r"size: [0-9.]+ k?M?B"
                        if step == 2 else r"nothing"))
                    run("-n", *(words if step == 2 else []))
                    run(*words)
                    run(*words)
                    self.place.borg("check", "-r", target, "--verify-data")
                    lists.append(([one["name"] for one in self.place.cairn("repo-list", "-r", target, "--json").json()["archives"]],
                                  self.items(target, "two")))
                    metadata = json.loads(self.place.borg("debug", "dump-archive", "-r", target, "two", "-").out)["_meta"]
                    lists.append({key: value for key, value in metadata.items() if step != 2 or key != "item_ptrs"})
                self.assertEqual(out[:3], out[3:])
                self.assertEqual(lists[:2], lists[2:])

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_borg_restores_what_was_copied(self):
        for encryption, id_hash in (("chacha20-poly1305", "sha256"), ("authenticated-sha256", "sha256")):
            source = self.source() if encryption.startswith("chacha") else source
            target = self.repository(f"restore-{encryption}", "--other-repo", source, encryption=encryption, id_hash=id_hash, **OTHER)
            self.place.cairn("transfer", "-r", target, "--other-repo", source, **OTHER)
            self.place.borg("check", "-r", target, "--verify-data")
            self.same_tree(target, "one", BORG)
            self.same_tree(target, "one", CAIRN)

    def test_what_is_not_related_is_refused(self):
        source = self.source()
        for words in (["aes256-ocb", "sha256"], ["aes256-ocb", "blake3"]):
            target = self.repository("unrelated-" + words[1], encryption=words[0], id_hash=words[1])
            done = self.place.cairn("transfer", "-r", target, "--other-repo", source, expect=(2,), **OTHER)
            self.assertTrue(done.err.startswith(b"Error: You must "), done.err)
            self.assertEqual(self.place.cairn("repo-list", "-r", target).out, b"")
            self.place.cairn("transfer", "-r", target, "--other-repo", source, "--chunker-params", "default", **OTHER)
            self.same_tree(target, "one", CAIRN)
            self.place.cairn("check", "-r", target, "--verify-data")
        self.place.cairn("transfer", "-r", target, expect=(4,))
        self.place.cairn("transfer", "-r", target, "--other-repo", target, "--lock-wait", "1", expect=(73,), **OTHER)
        self.place.cairn("transfer", "-r", target, "--other-repo", "/nowhere/at/all", expect=(13,), **OTHER)

    def test_any_number_of_threads_copies_the_same(self):
        source = self.source()
        seen = []
        for threads in ("1", "2", "7"):
            target = self.repository(f"threads{threads}", "--other-repo", source, **OTHER)
            out = self.place.cairn("transfer", "-r", target, "--other-repo", source, "--threads", threads, **OTHER).out
            cut = self.repository(f"cut{threads}", "--other-repo", source, **OTHER)
            self.place.cairn("transfer", "-r", cut, "--other-repo", source, "--threads", threads, "--chunker-params", "fastcdc,12,18,15,2", **OTHER)
            seen.append((out, self.items(target, "one"), self.items(cut, "one")))
        self.assertTrue(seen[0] == seen[1] == seen[2])

    def test_lost_chunks_stay_lost_and_are_told(self):
        source = self.repository("lossy")
        trees.write(os.path.join(self.place.path, "first"), trees.content("first", 3_000_000, compressible=False))
        trees.write(os.path.join(self.place.path, "second"), b"second")
        self.place.cairn("create", "-r", source, "gone", "first", BORG_PACK_MAX_SIZE="500000")  # content and items in packs of their own
        large = max(packs(source), key=os.path.getsize)
        self.place.cairn("create", "-r", source, "kept", "second")
        with open(large, "r+b") as file:
            file.seek(1_000_000)
            file.write(b"damage")
        for kind in ("damaged", "missing"):
            target = self.repository(f"lossy-{kind}", "--other-repo", source, **OTHER)
            done = self.place.cairn("transfer", "-r", target, "--other-repo", source, expect=(113,), **OTHER)
            self.assertIn(b"first: chunk ", done.err)
            self.assertEqual(sorted(one["name"] for one in self.place.cairn("repo-list", "-r", target, "--json").json()["archives"]), ["gone", "kept"])
            self.place.cairn("check", "-r", target, expect=(1,))
            cut = self.repository(f"lossy-cut-{kind}", "--other-repo", source, **OTHER)
            self.place.cairn("transfer", "-r", cut, "--other-repo", source, "--chunker-params", "fastcdc,10,16,13,2", "-a", "gone",
                             expect=(17, 23, 90), **OTHER)
            self.assertEqual(self.place.cairn("repo-list", "-r", cut).out, b"")
            self.place.cairn("check", "-r", cut, "--verify-data")
            if os.path.exists(large):
                os.remove(large)


class Recreate(CopyCase):
    def archives(self, name):
        repository = self.repository(name)
        self.place.cairn("create", "-r", repository, "--comment", "old", "--tag", "kept", "--timestamp", "2024-05-06T07:08:09", "one", "tree")
        self.place.cairn("create", "-r", repository, "--timestamp", "2024-05-07T07:08:09", "two", "small")
        return repository

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_the_same_as_borg(self):
        for step, words in enumerate((["-e", "tree/plain", "--comment", "new"], ["tree/links", "-a", "one"], ["-n", "-e", "small/folder"],
                                      ["--target", "three", "-a", "one", "--pattern", "- tree/*/f*"], ["--timestamp", "2023-01-01T00:00:00", "-a", "two"],
                                      ["--chunker-params", "fastcdc,10,16,13,2", "-a", "one"], ["--target", "four", "-a", "two"], ["-a", "nothing"],
                                      ["--filter", "d-", "-e", "sh:**/file*"])):
            with self.subTest(words=words):
                seen = []
                first = self.archives(f"same{step}")  # the same keys cut the same chunks
                for who in (CAIRN, BORG):
                    repository = f"{first}-{os.path.basename(who)}"
                    shutil.copytree(first, repository)
                    done = self.place.run(who, "recreate", "-r", repository, "--list", *words)
                    self.place.borg("check", "-r", repository, "--verify-data")
                    # Archives of one time are listed by their ids, which differ.
                    found = sorted(self.place.cairn("repo-list", "-r", repository, "--format", "{name} {comment} {time}{NL}").text.splitlines())
                    contents = {one["name"]: self.items(repository, one["name"])
                                for one in self.place.cairn("repo-list", "-r", repository, "--json").json()["archives"]}
                    deleted = sorted(self.place.cairn("repo-list", "-r", repository, "--deleted", "--format", "{name}{NL}").text.splitlines())
                    seen.append((without(done.text, "[0-9a-f]{64}"), unmoved(done.err.decode()), found, contents, deleted))
                for ours, theirs in zip(*seen):
                    self.assertEqual(ours, theirs)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_tag_files_as_borg_takes_them(self):
        for path, data in (("cache/CACHEDIR.TAG", b"Signature: 8a477f597d28d172789f06886806bc55 and more"), ("cache/file", b"x"), ("cache/deep/file", b"x"),
                           ("false/CACHEDIR.TAG", b"Signature: none"), ("false/file", b"x"), ("marked/.nobackup", b""), ("marked/file", b"x"), ("file", b"y")):
            full = os.path.join(self.place.path, "tagged", path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            trees.write(full, data)
        for words in (["--exclude-caches"], ["--exclude-caches", "--keep-exclude-tags"], ["--exclude-if-present", ".nobackup"],
                      ["--exclude-if-present", ".nobackup", "--keep-exclude-tags", "--exclude-caches"]):
            lists = []
            for who in (CAIRN, BORG):
                repository = self.repository(f"tags-{len(str(words))}-{os.path.basename(who)}")
                self.place.cairn("create", "-r", repository, "one", "tagged")
                lists.append(self.place.run(who, "recreate", "-r", repository, "--list", *words).err)
            self.assertEqual(*lists)

    def test_origin_and_tags_are_kept(self):
        repository = self.archives("origin")
        before = self.place.cairn("info", "-r", repository, "--json", "one").json()["archives"][0]
        self.place.cairn("recreate", "-r", repository, "-a", "one", "-e", "tree/plain", BORG_HOSTNAME="elsewhere")
        after = self.place.cairn("info", "-r", repository, "--json", "one").json()["archives"][0]
        for key in ("hostname", "username", "tags", "comment", "command_line", "cwd", "chunker_params"):
            self.assertEqual(after[key], before[key])
        self.place.cairn("undelete", "-r", repository, "-a", f"aid:{before['id']}")

    def test_any_number_of_threads_cuts_the_same(self):
        seen = []
        first = self.archives("threads")
        for threads in ("1", "2", "7"):
            repository = f"{first}{threads}"
            shutil.copytree(first, repository)
            self.place.cairn("recreate", "-r", repository, "--threads", threads, "--chunker-params", "buzhash,10,16,13,4095")
            self.place.cairn("check", "-r", repository, "--verify-data")
            self.same_tree(repository, "one", CAIRN)
            seen.append(self.items(repository, "one"))
        self.assertTrue(seen[0] == seen[1] == seen[2])

    def test_damage_ends_cutting_again_and_keeps_the_archive(self):
        repository = self.repository("damaged")
        trees.write(os.path.join(self.place.path, "noise"), trees.content("noise", 3_000_000, compressible=False))
        self.place.cairn("create", "-r", repository, "one", "noise")
        ids = self.place.cairn("repo-list", "-r", repository, "--short").out
        with open(max(packs(repository), key=os.path.getsize), "r+b") as file:
            file.seek(1_000_000)
            file.write(b"damage")
        self.place.cairn("recreate", "-r", repository, "--chunker-params", "fastcdc,10,16,13,2", expect=(90,))
        self.assertEqual(self.place.cairn("repo-list", "-r", repository, "--short").out, ids)


class RepoCompress(CopyCase):
    def filled(self, name, *words):
        repository = self.repository(name, *words)
        self.place.cairn("create", "-r", repository, "-C", "zstd,3", "one", "tree")
        self.place.cairn("create", "-r", repository, "-C", "lz4", "two", "small")
        return repository

    def test_every_compression_and_back(self):
        repository = self.filled("compress")
        for spec in ("none", "lz4", "zstd,1", "zlib,6", "auto,zstd,3", "obfuscate,2,zstd,3", "lzma,0", "lz4"):
            with self.subTest(spec=spec):
                done = self.place.cairn("repo-compress", "-r", repository, "-C", spec, "--stats")
                numbers = [int(number) for number in re.findall(r"(\d+) (?:total|recompressed|already|kept)", done.err.decode())]
                self.assertEqual(numbers[1], sum(numbers[2:]), done.err)
                again = self.place.cairn("repo-compress", "-r", repository, "-C", spec, "--stats").err.decode()
                self.assertIn(" 0 rewritten", again)
                self.place.cairn("check", "-r", repository, "--verify-data")
        self.same_tree(repository, "one", CAIRN)
        if BORG:
            self.place.borg("check", "-r", repository, "--verify-data")
            self.same_tree(repository, "one", BORG)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_the_same_statistics_as_borg(self):
        for step, spec in enumerate(("none", "zstd,1")):
            seen = []
            first = self.filled(f"statistics{step}")
            for who in (CAIRN, BORG):
                repository = f"{first}-{os.path.basename(who)}"
                shutil.copytree(first, repository)
                texts = [self.place.run(who, "repo-compress", "-r", repository, "-C", spec, "--stats", "-v").err.decode() for _ in range(2)]
                seen.append([without(unmoved(text), r"\d[0-9.]* k?M?B", r"Packs: \d+ total") for text in texts])
            self.assertEqual(*seen)

    def test_many_packs_and_threads(self):
        for threads in ("1", "2", "7"):
            repository = self.repository(f"many{threads}")
            self.place.cairn("create", "-r", repository, "-C", "none", "one", "tree", BORG_PACK_MAX_SIZE="300000")
            self.place.cairn("repo-compress", "-r", repository, "-C", "zstd,1", "--threads", threads)
            self.place.cairn("check", "-r", repository, "--verify-data")
            self.same_tree(repository, "one", CAIRN)

    def test_damage_stays_where_it_is(self):
        repository = self.filled("harmed")
        large = max(packs(repository), key=os.path.getsize)
        with open(large, "r+b") as file:
            file.seek(os.path.getsize(large) // 2)
            file.write(b"damage")
        done = self.place.cairn("repo-compress", "-r", repository, "-C", "none", expect=(1,))
        self.assertIn(os.path.basename(large).encode(), done.err)
        self.assertTrue(os.path.exists(large))
        self.place.cairn("extract", "-r", repository, "-n", "two")
        self.place.cairn("check", "-r", repository, expect=(1,))

    def test_killed_at_any_time_nothing_is_lost(self):
        for delay in (0.02, 0.05, 0.1, 0.2, 0.4):
            with self.subTest(delay=delay):
                repository = self.repository(f"killed{delay}")
                self.place.cairn("create", "-r", repository, "-C", "none", "one", "tree", BORG_PACK_MAX_SIZE="1000000")
                process = self.place.start(CAIRN, "repo-compress", "-r", repository, "-C", "zlib,9")
                try:
                    process.wait(delay)
                except subprocess.TimeoutExpired:
                    process.send_signal(signal.SIGKILL)
                process.communicate()
                self.place.cairn("break-lock", "-r", repository)
                self.place.cairn("check", "-r", repository, "--verify-data")
                self.place.cairn("repo-compress", "-r", repository, "-C", "zlib,9")
                self.place.cairn("check", "-r", repository, "--verify-data")
                self.same_tree(repository, "one", CAIRN)

    def test_ctrl_c_ends_between_packs(self):
        repository = self.repository("interrupted")
        self.place.cairn("create", "-r", repository, "-C", "none", "one", "tree", BORG_PACK_MAX_SIZE="500000")
        process = self.place.start(CAIRN, "repo-compress", "-r", repository, "-C", "lzma,6")
        deadline = time.monotonic() + 30
        before = set(packs(repository))
        while process.poll() is None and set(packs(repository)) == before and time.monotonic() < deadline:
            os.sched_yield()
        process.send_signal(signal.SIGINT)
        _, err = process.communicate()
        self.assertIn(process.returncode, (0, 2), err)
        self.place.cairn("check", "-r", repository, "--verify-data")

    def test_permissions(self):
        repository = self.filled("permissions")
        done = self.place.cairn("repo-compress", "-r", repository, "-C", "none", expect=(24,), BORG_REPO_PERMISSIONS="no-delete")
        self.assertIn(b"Repository permission denied", done.err)


if __name__ == "__main__":
    unittest.main()
