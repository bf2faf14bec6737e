"""export-tar and import-tar, side by side with Borg 2, GNU tar and Python's tarfile (docs/format/archive.md, section 15)."""
import decimal
import io
import os
import shutil
import stat
import subprocess
import tarfile
import unittest

import program
import trees
from program import BORG, CAIRN, Place

FORMATS = ("GNU", "PAX", "BORG")


def gnu_tar(*words, cwd):
    return subprocess.run(["tar", *words], cwd=cwd, env={**os.environ, "LC_ALL": "C.UTF-8"}, capture_output=True, check=True)


class TarCase(unittest.TestCase):
    """One repository with one archive of a tree of everything, made by Cairn."""

    @classmethod
    def setUpClass(cls):
        if not program.is_root():
            raise unittest.SkipTest(program.NO_ROOT)
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        trees.build_tree(os.path.join(cls.place.path, "tree"), big=30_000_000)
        cls.tree = trees.as_archived(trees.read_tree(os.path.join(cls.place.path, "tree")))
        cls.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")
        cls.place.cairn("create", "all", "tree")

    def same_tree(self, folder, lost=(), slack=0, links=True):
        """`lost`: beginnings of facts that the way through tar does not keep; `slack`: nanoseconds that times may differ."""
        def kept(tree):
            kept = {}
            for path, facts in tree.items():
                kept[path] = {name: value for name, value in facts.items() if not name.startswith(tuple(lost))}
                if not links or (lost and not stat.S_ISREG(facts["type"])):
                    kept[path].pop("hard links", None)
            return kept
        want, found = kept(self.tree), kept(trees.read_tree(folder))
        for path, facts in want.items():
            if path in found and abs(found[path]["mtime"] - facts["mtime"]) < slack:
                found[path]["mtime"] = facts["mtime"]
        lines = trees.differences(want, found)
        self.assertEqual(lines, [], trees.show(lines))

    def extracted(self, name, who=CAIRN):
        out = self.place.folder(f"out-{name}-{os.path.basename(who)}")
        self.addCleanup(subprocess.run, ["chattr", "-R", "-i", "-a", out], stderr=subprocess.DEVNULL, check=False)
        self.place.run(who, "extract", name, cwd=out)
        return os.path.join(out, "tree")


def members(archive):
    """Name, header without time, content and extended header of each member."""
    found = []
    with tarfile.open(fileobj=io.BytesIO(archive), errors="surrogateescape") as tar:
        for member in tar:
            header = {name: value for name, value in member.get_info().items() if name != "mtime"}
            content = tar.extractfile(member).read() if member.isreg() else b""
            found.append((member.name, header, content, member.pax_headers))
    return found


class Export(TarCase):
    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_the_same_members_as_borg(self):
        # Borg takes 1700000000.999999999 for the next second in GNU, and rounds times to what a floating-point number holds elsewhere.
        for words in (["GNU", "-e", "tree/times/almost"], ["PAX"], ["BORG"], ["PAX", "--sparse"], ["BORG", "--sparse"]):
            for more in ([], ["--strip-components", "1", "-e", "tree/sizes"]):
                with self.subTest(words=words + more):
                    ours, theirs = (self.place.run(who, "export-tar", "--tar-format", *words, *more, "all", "-").out
                                    for who in (CAIRN, BORG))
                    if "GNU" in words:
                        self.assertEqual(ours, theirs)
                        continue
                    ours, theirs = members(ours), members(theirs)
                    self.assertEqual([one[0] for one in ours], [one[0] for one in theirs])
                    for one, other in zip(ours, theirs):
                        self.assertEqual(one[1:3], other[1:3], one[0])
                        self.assertEqual(list(one[3]), list(other[3]), one[0])
                        for name, value in other[3].items():
                            if name.endswith("time"):
                                self.assertLess(abs(decimal.Decimal(one[3][name]) - decimal.Decimal(value)), decimal.Decimal("0.000001"), one[0])
                            else:
                                self.assertEqual(one[3][name], value, one[0])

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_messages_and_codes_are_those_of_borg(self):
        for words in (["--list", "all", "-", "tree/plain"], ["all", "-", "nothing/there"], ["--sparse", "--tar-format", "GNU", "all", "-"],
                      ["no-archive", "-"], ["all"], ["--progress", "--list", "all", "-"], ["--tar-format", "X", "all", "-"]):
            with self.subTest(words=words):
                ours, theirs = (self.place.run(who, "export-tar", *words, expect=None) for who in (CAIRN, BORG))
                self.assertEqual(ours.status, theirs.status)
                if ours.status < 2 and "GNU" not in words:  # times: see test_the_same_members_as_borg
                    self.assertEqual(*([member[:3] for member in members(done.out)] for done in (ours, theirs)))
                else:
                    self.assertEqual(ours.out, theirs.out)
                if ours.status != 2 or b"usage:" not in theirs.err:
                    self.assertEqual(ours.err, theirs.err)

    def test_gnu_tar_restores_the_tree(self):
        for kind, words in (("pax", ["PAX"]), ("sparse", ["PAX", "--sparse"]), ("gnu", ["GNU"])):
            with self.subTest(kind=kind):
                file = os.path.join(self.place.path, f"{kind}.tar")
                self.place.cairn("export-tar", "--tar-format", *words, "all", file)
                out = self.place.folder(f"out-{kind}")
                gnu_tar("-xpf", file, "--xattrs", "--xattrs-include=*", "--acls", "--numeric-owner", "--warning=no-unknown-keyword", cwd=out)
                lost = ("flags", "xattr system.posix_acl") if kind != "gnu" else ("flags", "xattr")
                self.same_tree(os.path.join(out, "tree"), lost, slack=10**9 if kind == "gnu" else 0)
                shutil.rmtree(out)

    def test_any_number_of_threads_writes_the_same(self):
        archives = [self.place.cairn("export-tar", "--threads", str(threads), "all", "-").out for threads in (1, 2, 7)]
        self.assertTrue(archives[0] == archives[1] == archives[2])

    def test_filters(self):
        plain = self.place.cairn("export-tar", "all", "-", "tree/plain").out
        for ending, undo in ((".tar.gz", ["gzip", "-d"]), (".tgz", ["gzip", "-d"]), (".tar.zst", ["zstd", "-d"]), (".tar.xz", ["xz", "-d"]),
                             (".tar.bz2", ["bzip2", "-d"]), (".tar", ["cat"])):
            if not shutil.which(undo[0]):
                continue
            with self.subTest(ending=ending):
                file = os.path.join(self.place.path, "filtered" + ending)
                self.place.cairn("export-tar", "all", file, "tree/plain")
                with open(file, "rb") as stream:
                    self.assertEqual(subprocess.run([*undo], stdin=stream, capture_output=True, check=True).stdout, plain)
                self.place.cairn("import-tar", "filtered", file)
        file = os.path.join(self.place.path, "filtered")
        self.place.cairn("export-tar", "--tar-filter", "sh -c 'cat; echo end'", "all", file, "tree/plain")
        with open(file, "rb") as stream:
            self.assertEqual(stream.read(), plain + b"end\n")
        done = self.place.cairn("export-tar", "--tar-filter", "sh -c 'cat >/dev/null; exit 3'", "all", file, expect=(2,))
        self.assertIn(b"failed, rc=3", done.err)
        self.place.cairn("export-tar", "--tar-filter", "/nowhere/filter -x", "all", file, expect=(2,))
        self.place.cairn("export-tar", "all", "/nowhere/out.tar", expect=(2,))

    def test_a_reader_that_goes_away_is_no_error(self):
        process = self.place.start(CAIRN, "export-tar", "all", "-")
        process.stdout.read(1000)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertEqual(process.wait(), 0)


class Import(TarCase):
    def test_everything_comes_back_from_borgs_format(self):
        for words in (["BORG"], ["BORG", "--sparse"]):
            with self.subTest(words=words):
                tar = self.place.cairn("export-tar", "--tar-format", *words, "all", "-").out
                name = "back" + "".join(words)
                self.place.cairn("import-tar", name, "-", stdin=tar)
                self.same_tree(self.extracted(name))

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_both_ways_with_borg(self):
        for kind in FORMATS:
            with self.subTest(kind=kind):
                tar = self.place.cairn("export-tar", "--tar-format", kind, "all", "-").out
                names = {who: f"{kind}-{os.path.basename(who)}" for who in (CAIRN, BORG)}
                for who, name in names.items():
                    self.place.run(who, "import-tar", "--timestamp", "2025-01-02T03:04:05", name, "-", stdin=tar)
                for reader in (CAIRN, BORG):
                    dumps = []
                    for name in names.values():
                        # Borg reads times as floating-point numbers, which are some hundred nanoseconds off.
                        keys = "{size}{num_chunks}{target}" + ("{mtime}{ctime}" if kind == "BORG" else "")
                        dumps.append(self.place.run(reader, "list", "--json-lines", "--format", keys, name).out.decode().splitlines())
                    self.assertEqual(*dumps)
                facts = [{key: value for key, value in one.items() if key not in ("id", "name", "start", "end", "duration", "command_line")}
                         for one in self.place.cairn("info", "--json", "-a", f"sh:{kind}-*").json()["archives"]]
                self.assertEqual(*facts)
                if kind == "BORG":
                    self.same_tree(self.extracted(names[CAIRN], BORG))
        self.place.borg("check", "--verify-data")

    def test_what_gnu_tar_writes(self):
        for kind, words in (("gnu", ["--format=gnu"]), ("oldgnu", ["--format=oldgnu", "--sparse"]), ("pax", ["--format=pax", "--xattrs", "--acls"]),
                            ("pax00", ["--format=pax", "--sparse", "--sparse-version=0.0"]),
                            ("pax01", ["--format=pax", "--sparse", "--sparse-version=0.1"]),
                            ("pax10", ["--format=pax", "--sparse", "--sparse-version=1.0"])):
            with self.subTest(kind=kind):
                file = os.path.join(self.place.path, f"from-{kind}.tar")
                gnu_tar("-cf", file, *words, "tree", cwd=self.place.path)
                self.place.cairn("import-tar", kind, file)
                lost = ("flags", "xattr system.posix_acl") if kind == "pax" else ("flags", "xattr")
                self.same_tree(self.extracted(kind), lost, slack=0 if kind.startswith("pax") else 10**9, links=False)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_odd_members_as_borg_has_them(self):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w", format=tarfile.PAX_FORMAT) as tar:
            def add(name, kind=tarfile.REGTYPE, data=b"", **more):
                member = tarfile.TarInfo(name)
                member.type, member.size, member.mtime = kind, len(data), 1796049618.5
                for key, value in more.items():
                    setattr(member, key, value)
                tar.addfile(member, io.BytesIO(data))
            add("./dot/file", data=b"abc")
            add("/abs/file", data=b"abc", uname="somebody")
            add("a//b/./c", data=b"x")
            add("link", tarfile.LNKTYPE, linkname="./dot/file")
            add("symlink", tarfile.SYMTYPE, linkname="../x")
            add("contiguous", tarfile.CONTTYPE, data=b"contig")
            add("folder/", tarfile.DIRTYPE)
            add("empty")
            add("large", data=bytes(5_000_000) + b"x" * 5_000_000)
            add("volume", b"V")
            add("äöü" + "n" * 150, data=b"long")
        data = stream.getvalue()
        for number, words in enumerate(([], ["--strip-components", "1"], ["--filter", "As"], ["--digests", "sha256,md5"],
                                        ["--comment", "{borgversion}"])):
            with self.subTest(words=words):
                done = [self.place.run(who, "import-tar", "--list", *words, f"odd-{os.path.basename(who)}-{number}", "-", stdin=data, expect=(0, 1))
                        for who in (CAIRN, BORG)]
                self.assertEqual(done[0].err, done[1].err)
                self.assertEqual(done[0].status, done[1].status)
                lists = [self.place.borg("list", "--json-lines", "--format", "{size}{mtime}{sha256}", f"odd-{os.path.basename(who)}-{number}").out
                         for who in (CAIRN, BORG)]
                self.assertEqual(*lists)
        two = data + data
        for words in ([], ["--ignore-zeros"]):
            lists = []
            for who in (CAIRN, BORG):
                name = f"two-{os.path.basename(who)}-{len(words)}"
                self.place.run(who, "import-tar", *words, name, "-", stdin=two, expect=(1,))
                lists.append(self.place.cairn("list", "--short", name).out)
            self.assertEqual(*lists)

    def test_any_number_of_threads_makes_the_same_items(self):
        tar = self.place.cairn("export-tar", "all", "-").out
        lists = []
        for threads in (1, 2, 7):
            name = f"threads{threads}"
            self.place.cairn("import-tar", "--threads", str(threads), "--digests", "blake3", name, "-", stdin=tar)
            lists.append(self.place.cairn("list", "--json-lines", "--format", "{path}{num_chunks}{blake3}{mtime}", name).out)
        self.assertTrue(lists[0] == lists[1] == lists[2])

    def test_damaged_archives_make_no_archive(self):
        tar = self.place.cairn("export-tar", "all", "-", "tree/plain").out
        broken = {"cut": tar[:len(tar) // 2 - 100], "empty": b"", "noise": b"noise" * 1000,
                  "header": bytes([tar[0] ^ 1]) + tar[1:]}
        for name, data in broken.items():
            with self.subTest(name=name):
                done = self.place.cairn("import-tar", name, "-", stdin=data, expect=(2,))
                self.assertTrue(done.err.startswith(b"Error: "), done.err)
                self.assertNotIn(name, self.place.archives().values())
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as file:
            file.addfile(tarfile.TarInfo("x/../../etc/passwd"))
        done = self.place.cairn("import-tar", "climbs", "-", stdin=stream.getvalue(), expect=(2,))
        self.assertEqual(done.err, b"Error: unexpected '..' element in path '../etc/passwd'\n")

    def test_links_without_a_target_are_told(self):
        stream = io.BytesIO()
        with tarfile.open(fileobj=stream, mode="w") as file:
            member = tarfile.TarInfo("link")
            member.type, member.linkname = tarfile.LNKTYPE, "nothing"
            file.addfile(member)
        done = self.place.cairn("import-tar", "dangling", "-", stdin=stream.getvalue(), expect=(1,))
        self.assertIn(b"link: stored without content", done.err)


class Damage(unittest.TestCase):
    def test_lost_content_becomes_zeros_and_a_warning(self):
        with Place() as place:
            os.makedirs(os.path.join(place.path, "tree"))
            for name, size in (("tree/first", 3_000_000), ("tree/second", 1000)):
                trees.write(os.path.join(place.path, name), trees.content(name, size, compressible=False))
            place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")
            place.cairn("create", "one", "tree/second")
            packs = set(self.packs(place))
            place.cairn("create", "two", "tree/first")
            place.cairn("create", "both", "tree/first", "tree/second")
            large = max(set(self.packs(place)) - packs, key=os.path.getsize)
            with open(large, "r+b") as file:
                file.seek(1_000_000)
                file.write(b"damage")
            for expected in (b"corrupted", b"missing"):
                done = place.cairn("export-tar", "both", "-", expect=(113,))
                self.assertIn(expected, done.err)
                self.assertIn(b"tree/first: ", done.err)
                with tarfile.open(fileobj=io.BytesIO(done.out)) as tar:
                    self.assertEqual(tar.extractfile("tree/second").read(), trees.content("tree/second", 1000, compressible=False))
                    self.assertEqual(len(tar.extractfile("tree/first").read()), 3_000_000)
                if os.path.exists(large):
                    os.remove(large)

    def packs(self, place):
        return [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(place.repository, "packs")) for name in names]


if __name__ == "__main__":
    unittest.main()
