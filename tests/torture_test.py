"""Situations that broke real backup tools: a clear warning or error that names the path, the rest of the run unharmed,
nothing lost, nothing silently altered. The number in a test's name groups siblings.

Hostile archives are written by Borg 2's own code with the item stream exchanged, so these tests need it.
"""
import base64
import contextlib
import errno
import glob
import json
import os
import pty
import random
import resource
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import tempfile
import threading
import time
import unittest

import program
import trees
from program import BORG, CAIRN, NO_BORG, NO_ROOT, Place

CREATE = ["create", "--chunker-params", "fastcdc,10,14,12,2"]
# What a run may end with when some files could not be handled: a warning.
WARNINGS = (1, *range(100, 114))
NOBODY = 65534
FAKETIME = next(iter(glob.glob("/usr/lib/*/faketime/libfaketime.so.1")), None)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def settle(path):
    """Files that changed within 20 ms count as changing; old ones do not."""
    for folder, folders, files in os.walk(os.fsencode(path)):
        for name in folders + files:
            with contextlib.suppress(OSError):
                os.utime(os.path.join(folder, name), ns=(10 ** 18, 10 ** 18), follow_symlinks=False)


def can(action, *words):
    try:
        action(*words)
        return True
    except OSError:
        return False


class TortureCase(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")

    def at(self, *names):
        return os.path.join(self.place.path, *names)

    def tree(self, name="tree", **files):
        """A folder with these files; sub-folders are written a__b."""
        folder = self.at(name)
        os.makedirs(folder, exist_ok=True)
        for path, data in files.items():
            path = os.path.join(folder, path.replace("__", "/"))
            os.makedirs(os.path.dirname(path), exist_ok=True)
            trees.write(path, data)
        settle(folder)
        return folder

    def create(self, name, *words, expect=(0,), **keywords):
        return self.place.cairn(*CREATE, name, *words, expect=expect, **keywords)

    def extract(self, name, *words, expect=(0,), into="out", **keywords):
        out = self.at(into)
        if os.path.isdir(out) and "--continue" not in words:
            shutil.rmtree(out)
        os.makedirs(out, exist_ok=True)
        done = self.place.cairn("extract", name, *words, cwd=out, expect=expect, **keywords)
        return out, done

    def items(self, name, **keywords):
        done = self.place.cairn("list", "--json-lines", name, **keywords)
        return [json.loads(line) for line in done.text.splitlines()]

    def check(self):
        return self.place.cairn("check", "--verify-data")

    def assertNoCrash(self, done):
        self.assertGreaterEqual(done.status, 0, str(done))
        text = done.err.decode("utf-8", "replace")
        for word in ("Traceback", "terminate called", "AddressSanitizer", "runtime error", "check failed"):
            self.assertNotIn(word, text, str(done))

    def assertSaid(self, done, *words):
        text = done.err.decode("utf-8", "surrogateescape")
        for word in words:
            self.assertIn(word, text, str(done))

    def assertSame(self, one, two, **keywords):
        found = trees.differences(trees.as_archived(trees.read_tree(one)), trees.read_tree(two), **keywords)
        self.assertEqual(found, [], trees.show(found))

    def packs(self):
        found = []
        for folder, _, files in os.walk(os.path.join(self.place.repository, "packs")):
            found += [os.path.join(folder, name) for name in files]
        return sorted(found)

    def objects(self, namespace):
        found = []
        for folder, _, files in os.walk(os.path.join(self.place.repository, namespace)):
            found += [os.path.join(folder, name) for name in files]
        return sorted(found)

    @contextlib.contextmanager
    def small_disk(self, size, name="disk"):
        if not program.is_root():
            self.skipTest("needs root: mounts a small file system")
        path = self.at(name)
        os.makedirs(path, exist_ok=True)
        if subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "none", path], capture_output=True, check=False).returncode != 0:
            self.skipTest("cannot mount a tmpfs")
        try:
            yield path
        finally:
            subprocess.run(["umount", "-l", path], check=False)


def flip(path, offset):
    with open(path, "r+b") as file:
        file.seek(offset)
        byte = file.read(1)
        file.seek(offset)
        file.write(bytes([byte[0] ^ 1]))


class T01Laundered(TortureCase):
    """A damaged object must not get a valid name by being copied."""

    def setUp(self):
        super().setUp()
        self.place.variables["BORG_PACK_MAX_SIZE"] = "400000"
        self.keep = random.Random(1).randbytes(60_000)
        self.drop = random.Random(2).randbytes(200_000)
        self.tree("both", keep=self.keep, drop=self.drop)
        self.tree("one", keep=self.keep)
        self.create("both", "both")
        self.create("one", "one")
        self.place.cairn("delete", "both")

    def damage(self, part):
        """Flips a byte in the middle of the stored object of that file."""
        # Random data is stored as it is apart from encryption: only its length tells, so try all places of a pack.
        pack = max(self.packs(), key=os.path.getsize)
        size = os.path.getsize(pack)
        flip(pack, size - 2000 if part == "end" else 2000 if part == "start" else size // 2)
        return pack

    def after(self):
        """Whatever compact did, the damage must still be known."""
        compact = self.place.cairn("compact", "--threshold", "0", expect=None)
        self.assertNoCrash(compact)
        check = self.place.cairn("check", expect=None)
        deep = self.place.cairn("check", "--verify-data", expect=None)
        out, extract = self.extract("one", expect=None)
        good = extract.status == 0 and read(os.path.join(out, "one", "keep")) == self.keep
        return compact, check, deep, extract, good

    def test_t01_at_each_place(self):
        before = self.at("saved")
        shutil.copytree(self.place.repository, before)
        seen = set()
        for step in range(24):
            shutil.rmtree(self.place.repository)
            shutil.copytree(before, self.place.repository)
            pack = max(self.packs(), key=os.path.getsize)
            flip(pack, (os.path.getsize(pack) - 1) * step // 23)
            with self.subTest(step=step):
                compact, check, deep, extract, good = self.after()
                seen.add(good)
                if good:
                    self.assertIn(extract.status, (0,))
                else:
                    self.assertNotEqual(extract.status, 0, "damaged content was extracted without a word")
                    self.assertNotEqual(check.status, 0, f"laundered: {compact}")
                    self.assertNotEqual(deep.status, 0)
        self.assertEqual(seen, {True, False}, "the places do not cover both kinds of data")


class T02LongPaths(TortureCase):
    def long_path(self, depth, name):
        trees.build_long_path(self.at("long"), depth=depth, name=name)
        self.create("long", "long")
        out, done = self.extract("long")
        fd = os.open(os.path.join(out, "long"), os.O_RDONLY)
        for _ in range(depth):
            inner = os.open(name, os.O_RDONLY | os.O_NOFOLLOW, dir_fd=fd)
            os.close(fd)
            fd = inner
        leaf = os.open("leaf", os.O_RDONLY, dir_fd=fd)
        self.assertEqual(os.read(leaf, 100), b"at the end\n")
        os.close(leaf)
        os.close(fd)
        listed = self.place.cairn("list", "--short", "long").text.splitlines()
        self.assertEqual(len(listed), depth + 2)
        self.assertTrue(listed[-1].endswith(name + "/leaf"))
        # A folder without rights does not come from here; rm -r copes with the depth, Python's rmtree does not.
        subprocess.run(["rm", "-rf", out, self.at("long")], check=True)

    def test_t02_longer_than_path_max(self):
        self.long_path(45, "n" * 100)

    def test_t02_names_of_255(self):
        self.long_path(40, "m" * 255)

    def test_t02_300_levels(self):
        self.long_path(300, "k" * 100)

    def test_t02_3000_levels(self):
        self.long_path(3000, "d")

    def test_t02_few_descriptors(self):
        """Every open level takes a descriptor, so a deep tree needs more than this; what is said is what is missing."""
        depth = 200
        trees.build_long_path(self.at("long"), depth=depth, name="f" * 50)
        limited = ["sh", "-c", 'ulimit -n 32; exec "$0" "$@"', CAIRN]
        done = self.place.run(*limited, *CREATE, "few", "long", expect=(104,))
        self.assertSaid(done, "Too many open files")
        self.create("long", "long")
        out = self.place.folder("out")
        self.place.run(*limited, "extract", "long", cwd=out)
        self.assertEqual(subprocess.run("find . | wc -l", shell=True, cwd=out, capture_output=True, check=True).stdout.strip(), str(depth + 3).encode())
        subprocess.run(["rm", "-rf", out, self.at("long")], check=True)


class T03Times(TortureCase):
    WANTED = {"before": -1, "epoch": 0, "nano": 1_700_000_000_123_456_789, "y2039": 2_177_452_800 * 10 ** 9 + 1,
              "y2200": 7_258_118_400 * 10 ** 9 + 999_999_999, "y2300": 10_413_792_000 * 10 ** 9 + 5, "long-before": -(10 ** 18)}

    def test_t03_out_of_range(self):
        folder = self.tree(**{name: b"x" for name in self.WANTED})
        kept = {}
        for name, when in self.WANTED.items():
            os.utime(os.path.join(folder, name), ns=(when, when))
            kept[name] = os.stat(os.path.join(folder, name)).st_mtime_ns  # the file system may have cut it
        self.create("times", "tree", "--atime")
        out, _ = self.extract("times")
        most = ((2 ** 63 - 1 - 48 * 3600 * 10 ** 9) // 10 ** 9) * 10 ** 9
        for name, when in kept.items():
            self.assertEqual(os.stat(os.path.join(out, "tree", name)).st_mtime_ns, min(max(when, 0), most), name)
        items = {item["path"]: item for item in self.items("times")}
        self.assertEqual(len(items), len(self.WANTED) + 1)
        self.assertIn("1970", items["tree/before"]["mtime"])
        self.assertIn("2200", items["tree/y2200"]["mtime"])
        done = self.place.cairn("list", "times", "--format", "{path} {mtime} {isomtime} {atime}{NL}")
        self.assertEqual(len(done.text.splitlines()), len(self.WANTED) + 1)
        self.check()

    def test_t03_second_backup_of_clamped_times(self):
        folder = self.tree(odd=b"content")
        os.utime(os.path.join(folder, "odd"), ns=(-5, -5))
        self.create("same", "tree")
        trees.write(os.path.join(folder, "odd"), b"CONTENT")
        os.utime(os.path.join(folder, "odd"), ns=(-9, -9))  # both are kept as 0
        self.create("same2", "tree", "--files-cache", "mtime,size")
        out, _ = self.extract("same2")
        self.assertEqual(read(os.path.join(out, "tree", "odd")), b"CONTENT")


class T04Names(TortureCase):
    NAMES = [b"new\nline", b"car\rriage", b"esc\x1b[31mred", b"\xff\xfe", b"\xed\xa0\x80", b"bell\x07", b"\xc2\x9b31m", b"tab\t", b" ", b"\x7f",
             b"a\\x41", b"\xe2\x80\xae reversed", b"-n", b"{path}", b"%s"]

    def setUp(self):
        super().setUp()
        folder = os.fsencode(self.place.folder("tree"))
        for name in self.NAMES:
            trees.write(os.path.join(folder, name), name)
            os.symlink(b"to " + name, os.path.join(folder, b"link " + name))
        settle(os.path.join(self.place.path, "tree"))

    def test_t04_round_trip(self):
        self.create("odd", "tree")
        out, _ = self.extract("odd")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t04_json_keeps_bytes(self):
        self.create("odd", "tree")
        found, targets = set(), set()
        for item in self.items("odd"):
            if item["path"] == "tree" and "path_b64" not in item:
                continue
            raw = base64.b64decode(item["path_b64"]) if "path_b64" in item else item["path"].encode()
            found.add(raw)
            if item["type"] == "l":
                raw = base64.b64decode(item["target_b64"]) if "target_b64" in item else item["target"].encode()
                targets.add(raw)
        self.assertEqual(found, {b"tree/" + prefix + name for name in self.NAMES for prefix in (b"", b"link ")})
        self.assertEqual(targets, {b"to " + name for name in self.NAMES})

    def on_terminal(self, *words, cwd=None):
        """What the program writes to a terminal, both streams."""
        mine, theirs = pty.openpty()
        process = subprocess.Popen([CAIRN, *words], cwd=cwd or self.place.path, env=self.place.environment(), stdin=theirs, stdout=theirs, stderr=theirs)
        os.close(theirs)
        data = b""
        while True:
            try:
                some = os.read(mine, 65536)
            except OSError:
                break
            if not some:
                break
            data += some
        os.close(mine)
        return process.wait(), data

    def assertHarmless(self, data):
        data = data.replace(b"\r\n", b"\n")
        for bad in (b"\x1b", b"\r", b"\x07", b"\x7f", b"\xff", b"\xc2\x9b"):
            self.assertNotIn(bad, data, data)

    def test_t04_list_on_a_terminal(self):
        self.create("odd", "tree")
        for words in (["list", "odd"], ["list", "--short", "odd"], ["create", "--list", "again", "tree"]):
            with self.subTest(words=words):
                status, data = self.on_terminal(*words)
                self.assertEqual(status, 0, data)
                self.assertHarmless(data)

    def test_t04_extract_list_on_a_terminal(self):
        self.create("odd", "tree")
        status, data = self.on_terminal("extract", "--list", "odd", cwd=self.place.folder("out"))
        self.assertEqual(status, 0)
        self.assertHarmless(data)

    def test_tips_on_a_terminal_only(self):
        words = ("extract", "nosuch")
        out = self.place.folder("empty")
        _, shown = self.on_terminal(*words, cwd=out)
        self.assertIn(b"tip: \"cairn repo-list\"", shown)
        self.assertNotIn(b"tip:", self.place.cairn(*words, cwd=out, expect=None).err)
        _, shown = self.on_terminal("--log-json", *words, cwd=out)
        self.assertNotIn(b"tip:", shown)
        self.place.cairn("create", "--tag", "@PROT", "kept", "tree")
        _, shown = self.on_terminal("delete", "kept")
        self.assertIn(b"kept is protected", shown)

    def test_t04_warnings_on_a_terminal(self):
        status, data = self.on_terminal("create", "x", "missing\x1b[31m\n\r")
        self.assertEqual(status, 107)
        self.assertHarmless(data)

    def test_t04_log_json(self):
        done = self.create("odd", "--list", "--log-json", "tree", os.fsdecode(b"tree/no\xff\n"), expect=(107,))
        for line in done.text.splitlines() + done.err.decode("utf-8").splitlines():
            json.loads(line)

    def test_t04_restoring_one_by_its_bytes(self):
        self.create("odd", "tree")
        for name in self.NAMES:
            path = os.fsdecode(b"tree/" + name)
            with self.subTest(name=name):
                out, _ = self.extract("odd", "pf:" + path)
                self.assertEqual(os.listdir(os.fsencode(os.path.join(out, "tree"))), [name])

    @unittest.skipUnless(program.is_root(), NO_ROOT)
    def test_t04_unknown_owner(self):
        os.chown(self.at("tree", "-n"), 3_000_000_000, 3_000_000_001)
        self.create("odd", "tree")
        out, _ = self.extract("odd")
        st = os.stat(os.path.join(out, "tree", "-n"))
        self.assertEqual((st.st_uid, st.st_gid), (3_000_000_000, 3_000_000_001))


class T05Xattrs(TortureCase):
    def test_t05_too_big_for_the_target(self):
        value = bytes(range(256)) * 240
        with self.small_disk("20m", "source") as source:
            path = os.path.join(source, "big")
            trees.write(path, b"content")
            trees.write(os.path.join(source, "other"), b"other")
            if not trees.possible(os.setxattr, path, b"trusted.big", value):
                self.skipTest("no big extended attributes here")
            os.setxattr(path, b"trusted.small", b"v")
            settle(source)
            self.create("big", "source")
        out, done = self.extract("big", expect=(0, 1))
        self.assertEqual(read(os.path.join(out, "source", "big")), b"content")
        self.assertEqual(read(os.path.join(out, "source", "other")), b"other")
        self.assertEqual(os.getxattr(os.path.join(out, "source", "big"), b"trusted.small"), b"v")
        there = b"trusted.big" in map(os.fsencode, os.listxattr(os.path.join(out, "source", "big")))
        if not there:
            self.assertEqual(done.status, 1)
            self.assertSaid(done, "trusted.big")

    def test_t05_target_without_xattrs(self):
        folder = self.tree(one=b"content")
        if not trees.possible(os.setxattr, os.path.join(folder, "one"), b"user.test", b"v"):
            self.skipTest("no extended attributes on this file system")
        settle(folder)
        self.create("x", "tree")
        with self.small_disk("10m") as disk:  # tmpfs of older kernels takes no user attributes
            target = os.path.join(disk, "out")
            os.mkdir(target)
            done = self.place.cairn("extract", "x", cwd=target, expect=(0, 1))
            self.assertEqual(read(os.path.join(target, "tree", "one")), b"content")
            if not os.listxattr(os.path.join(target, "tree", "one")):
                self.assertEqual(done.status, 1)
                self.assertSaid(done, "user.test")


class T07HardLinks(TortureCase):
    def setUp(self):
        super().setUp()
        folder = self.tree(a__first=b"linked" * 50, b__other=b"o", c__x=b"x")
        os.link(os.path.join(folder, "a/first"), os.path.join(folder, "b/second"))
        os.link(os.path.join(folder, "a/first"), os.path.join(folder, "c/third"))
        os.symlink("first", os.path.join(folder, "a/symlink"))
        os.link(os.path.join(folder, "a/symlink"), os.path.join(folder, "b/symlink"), follow_symlinks=False)
        os.mkfifo(os.path.join(folder, "a/fifo"))
        os.link(os.path.join(folder, "a/fifo"), os.path.join(folder, "b/fifo"))
        if trees.possible(os.mknod, os.path.join(folder, "a/null"), stat.S_IFCHR | 0o666, os.makedev(1, 3)):
            os.link(os.path.join(folder, "a/null"), os.path.join(folder, "b/null"))
        settle(folder)
        self.create("links", "tree")

    def inode(self, *names):
        return os.lstat(os.path.join(self.at("out"), "tree", *names)).st_ino

    def test_t07_all(self):
        out, _ = self.extract("links")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t07_first_left_out(self):
        for left_out in ("a", "b", "c"):
            with self.subTest(left_out=left_out):
                out, _ = self.extract("links", "-e", f"tree/{left_out}")
                names = {"a": "first", "b": "second", "c": "third"}
                del names[left_out]
                inodes = set()
                for folder, name in names.items():
                    self.assertEqual(read(os.path.join(out, "tree", folder, name)), b"linked" * 50)
                    inodes.add(self.inode(folder, name))
                self.assertEqual(len(inodes), 1)

    def test_t07_only_special_of_the_second(self):
        out, _ = self.extract("links", "tree/b")
        st = os.lstat(os.path.join(out, "tree/b/fifo"))
        self.assertTrue(stat.S_ISFIFO(st.st_mode))
        self.assertEqual(os.readlink(os.path.join(out, "tree/b/symlink")), "first")

    def test_t07_strip_components(self):
        for count in (1, 2):
            with self.subTest(count=count):
                out, _ = self.extract("links", "--strip-components", str(count))
                second = os.path.join(out, "b/second" if count == 1 else "second")
                self.assertEqual(read(second), b"linked" * 50)
                self.assertEqual(os.stat(second).st_nlink, 3)

    def test_t07_first_stripped_away(self):
        os.link(self.at("tree/a/first"), self.at("tree/0"))
        self.create("upper", "tree")
        out, _ = self.extract("upper", "--strip-components", "2")
        self.assertEqual(read(os.path.join(out, "second")), b"linked" * 50)
        self.assertEqual(os.stat(os.path.join(out, "second")).st_nlink, 3)

    def test_t07_continue(self):
        for gone in ("a/first", "b/second", "c/third"):
            for how in ("removed", "cut", "own copy"):
                with self.subTest(gone=gone, how=how):
                    out, _ = self.extract("links")
                    path = os.path.join(out, "tree", gone)
                    os.unlink(path)
                    if how == "cut":
                        trees.write(path, b"link")
                    elif how == "own copy":
                        shutil.copy2(os.path.join(self.at("tree"), gone), path)
                    self.extract("links", "--continue")
                    self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t07_continue_after_truncated_inode(self):
        out, _ = self.extract("links")
        with open(os.path.join(out, "tree/a/first"), "r+b") as file:
            file.truncate(3)  # all three
        self.extract("links", "--continue")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t07_one_path_from_two_roots(self):
        """x/f and x/g are one file; y/f takes the place of x/f; g must still have x's content."""
        self.tree("x", f=b"content of x")
        os.link(self.at("x/f"), self.at("x/g"))
        self.tree("y", f=b"CONTENT OF Y")
        self.create("two", "x/./f", "y/./f", "x/./g")
        out, _ = self.extract("two", expect=None)
        self.assertEqual(read(os.path.join(out, "f")), b"CONTENT OF Y")
        self.assertEqual(read(os.path.join(out, "g")), b"content of x")

    def test_t07_links_to_roots(self):
        """Each name of a root is stored, whatever was stored before."""
        self.tree("x", f=b"content")
        os.link(self.at("x/f"), self.at("x/g"))
        os.symlink("real", self.at("x/latest"))
        trees.write(self.at("x/real"), b"behind the link")
        for roots, want in ((["x/f", "x/g"], ["x/f", "x/g"]), (["x/f", "x"], ["x", "x/f", "x/g", "x/latest", "x/real"]), (["x/f", "x/f"], ["x/f"]),
                            (["x", "x/g"], ["x", "x/f", "x/g", "x/latest", "x/real"]), (["x/latest", "x/real"], ["x/latest", "x/real"])):
            with self.subTest(roots=roots):
                self.create("roots", *roots)
                self.assertEqual(sorted(set(self.place.cairn("list", "--short", "roots").text.splitlines())), want)
                out, _ = self.extract("roots")
                self.assertEqual(sorted(os.listdir(os.path.join(out, "x"))), sorted(name[2:] for name in want if name != "x"))
                self.place.cairn("delete", "roots")

    def test_t07_a_folder_behind_a_root(self):
        """A folder that a symbolic link among the roots leads to is stored once; the link is not stored for it."""
        self.tree("behind/folder", f=b"content")
        os.symlink("folder", self.at("behind/link"))
        for roots, want in ((["behind/link", "behind/folder"], ["behind/link", "behind/link/f"]),
                            (["behind/folder", "behind/link"], ["behind/folder", "behind/folder/f", "behind/link", "behind/link/f"])):
            with self.subTest(roots=roots):
                self.create("behind", *roots)
                self.assertEqual(sorted(self.place.cairn("list", "--short", "behind").text.splitlines()), want)
                self.place.cairn("delete", "behind")

    def test_t07_first_cannot_be_made(self):
        """The place of the first link is taken by a directory with content: the others are extracted all the same."""
        out = self.at("out")
        os.makedirs(os.path.join(out, "tree/a/first/taken"))
        done = self.place.cairn("extract", "links", "--continue", cwd=out, expect=WARNINGS)
        self.assertSaid(done, "tree/a/first")
        self.assertEqual(read(os.path.join(out, "tree/b/second")), b"linked" * 50)
        self.assertEqual(read(os.path.join(out, "tree/c/third")), b"linked" * 50)

    def test_t07_many(self):
        folder = self.tree("many", first=b"content")
        for number in range(3000):
            os.link(os.path.join(folder, "first"), os.path.join(folder, f"link{number:04}"))
        settle(folder)
        self.create("many", "many")
        out, _ = self.extract("many")
        self.assertEqual(os.stat(os.path.join(out, "many/first")).st_nlink, 3001)


HOSTILE = r'''
import sys, hashlib
import borg.archive as A
from borg.helpers import msgpack
from borg.helpers.msgpack import Timestamp
source, chunks = sys.stdin_source, {}
def add(self, item):
    if "chunks" in item:
        chunks[item.path] = [(bytes(c.id), c.size) for c in item.chunks]
old = A.Archive.save
def save(self, *a, **k):
    scope = dict(chunks=chunks, T=lambda ns: Timestamp.from_unix_nano(ns), hlid=lambda t: hashlib.sha256(t.encode()).digest())
    exec(source, scope)
    for item in scope["items"]:
        self.items_buffer.buffer.write(item if isinstance(item, bytes) else self.items_buffer.packer.pack(item))
    return old(self, *a, **k)
A.ChunkBuffer.add = add
A.Archive.save = save
from borg.archiver import main
'''
# Helpers for the item lists below.
COMMON = r'''
NOW = T(10**18)
def item(path, mode, **more):
    return {"gid": 0, "mode": mode, "mtime": NOW, "path": path, "uid": 0, **more}
def file(path, content="content/a", **more):
    return item(path, 0o100644, chunks=chunks[content], size=sum(s for _, s in chunks[content]), **more)
def link(path, target, **more):
    return item(path, 0o120777, target=target, **more)
def folder(path, mode=0o40755, **more):
    return item(path, mode, **more)
'''


@unittest.skipUnless(BORG, NO_BORG)
class T08Hostile(TortureCase):
    def setUp(self):
        super().setUp()
        self.tree("content", a=b"evil content", b=b"B" * 100)
        self.outside = self.tree("outside", victim=b"victim", d__inner=b"inner")
        os.chmod(self.outside, 0o751)
        os.chmod(self.at("outside/d"), 0o751)
        self.before = trees.read_tree(self.outside)

    def hostile(self, items, name="evil"):
        source = HOSTILE.replace("sys.stdin_source", repr(COMMON + items)) + (
            f"sys.argv = ['borg', '-r', {self.place.repository!r}, 'create', '--files-cache', 'disabled', {name!r}, 'content']\n"
            "sys.exit(main())\n")
        os.makedirs(os.path.join(self.place.home, "borg"), exist_ok=True)
        process = subprocess.run([os.path.join(program.BORG_BIN, "borg2-python"), "-"], cwd=self.place.path, env=self.place.environment("borg"),
                                 input=source.encode(), capture_output=True, check=False)
        if process.returncode != 0:
            raise program.Failed(process.stderr.decode()[-2000:])

    def try_all(self, expect=None, *words):
        """Everything that reads the archive survives; extraction stays inside."""
        for command in (["list", "evil"], ["list", "--json-lines", "evil"], ["check", "--verify-data"], ["extract", "--dry-run", "evil"],
                        ["extract", "--stdout", "evil"], ["info", "evil"]):
            done = self.place.cairn(*command, expect=None)
            self.assertNoCrash(done)
        out, done = self.extract("evil", *words, expect=None)
        self.assertNoCrash(done)
        found = trees.differences(self.before, trees.read_tree(self.outside))
        self.assertEqual(found, [], trees.show(found))
        if expect is not None:
            self.assertIn(done.status, expect, str(done))
        return out, done

    def test_t08_dot_dot(self):
        self.hostile("items = [file('../outside/new'), file('a/../../outside/victim'), file('..'), file('x/..'), file('good')]")
        out, done = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertIn(done.status, (*WARNINGS,), str(done))

    def test_t08_absolute(self):
        self.hostile(f"items = [file({self.at('outside/victim')!r}), file('//etc/cairn-evil'), file('/'), file(''), file('good')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertFalse(os.path.exists("/etc/cairn-evil"))

    def test_t08_symlink_parent(self):
        self.hostile("items = [link('s', '../outside'), file('s/victim'), folder('s/d', 0o40700), file('s/new'), link('t', 's'), file('t/victim'), file('good')]")
        out, done = self.try_all(WARNINGS)
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertSaid(done, "s/victim")

    def test_t08_directory_becomes_symlink(self):
        """The directory's attributes come last: not onto what the link points to."""
        self.hostile("items = [folder('d', 0o40700, xattrs={b'user.evil': b'1'}, acl_access=b'user::rwx\\nuser:daemon:rwx:1\\ngroup::r-x\\nmask::rwx\\nother::r-x'),"
                     " link('d', '../outside'), file('good')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")

    def test_t08_parent_replaced(self):
        self.hostile("items = [folder('d'), file('d/x'), link('e', '../outside'), folder('e'), file('e/victim'), link('e/victim', '/etc/passwd'), file('e/victim', 'content/b')]")
        out, _ = self.try_all()
        self.assertTrue(os.path.isdir(os.path.join(out, "e")) or os.path.islink(os.path.join(out, "e")))

    def test_t08_hard_link_to_outside(self):
        self.hostile("items = [link('s', '../outside'), file('s/victim', hlid=hlid('1')), file('mine', 'content/b', hlid=hlid('1')), file('good')]")
        out, _ = self.try_all()
        if os.path.exists(os.path.join(out, "mine")):
            self.assertEqual(read(os.path.join(out, "mine")), b"B" * 100)
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")

    def test_t08_hard_link_of_a_symlink(self):
        self.hostile("items = [link('s', '../outside/victim', hlid=hlid('1')), file('mine', 'content/b', hlid=hlid('1')), file('s', 'content/a')]")
        self.try_all()

    def test_t08_duplicate_paths(self):
        self.hostile("items = [file('a'), file('a', 'content/b'), folder('a'), file('a/in'), file('a'), folder('b'), link('b', 'x'), file('b', 'content/b')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "b")), b"B" * 100)

    def test_t08_missing_keys(self):
        self.hostile("items = [{'path': 'nomtime', 'mode': 0o100644, 'chunks': [], 'size': 0}, {'mode': 0o100644, 'mtime': NOW}, {'path': 'nomode', 'mtime': NOW}, file('good')]")
        self.try_all()

    def test_t08_huge_numbers(self):
        self.hostile("items = [item('size', 0o100644, chunks=[], size=2**63-1), item('chunk', 0o100644, chunks=[(b'1'*32, 2**26)], size=2**26),"
                     " item('inode', 0o100644, chunks=[], size=0, inode=2**64-1), item('flags', 0o100644, chunks=[], size=0, bsdflags=2**64-1),"
                     " item('rdev', 0o20666, rdev=2**64-1), file('good')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")

    def test_t08_negative_ids(self):
        self.hostile("items = [{**file('n'), 'uid': -1, 'gid': -1}, {**file('m'), 'uid': -2**63, 'gid': 2**62}, {**file('s'), 'mode': 0o104755, 'uid': -5, 'gid': -5}, file('good')]")
        out, _ = self.try_all()
        self.assertEqual(os.stat(os.path.join(out, "n")).st_uid, os.geteuid())
        self.assertEqual(os.stat(os.path.join(out, "s")).st_mode & 0o6000, 0, "set-user-ID of nobody became ours")

    def test_t08_unknown_type(self):
        self.hostile("items = [item('socket', 0o140755), item('none', 0o644, chunks=[], size=0), item('door', 0o150644), item('all', 0xffffffff), file('good')]")
        out, done = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertIn(done.status, WARNINGS)

    def test_t08_nul_in_names(self):
        self.hostile("items = [file('a\\0b'), link('l', 'x\\0y'), link('empty', ''), item('nolink', 0o120777), {**file('u'), 'user': 'a\\0b', 'group': ''},"
                     " {**file('x'), 'xattrs': {b'user.a\\0b': b'1', b'': b'2', b'user.ok': b'3'}}, file('good')]")
        out, done = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertFalse(os.path.exists(os.path.join(out, "a")))

    def test_t08_bad_acl(self):
        self.hostile("items = [{**file('a'), 'acl_access': b'nonsense'}, {**file('b'), 'acl_access': b'user::rwx\\nuser:nobody-knows:rwx:99999999999999999999\\ngroup::r-x\\nmask::rwx\\nother::r-x'},"
                     " {**folder('d'), 'acl_default': b':::::\\n\\n\\n'}, {**file('e'), 'acl_access': b'\\xff' * 70000}, file('good')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")

    def test_t08_size_lies(self):
        self.hostile("items = [{**file('long'), 'size': 5}, {**file('short'), 'size': 5000}, {**file('chunk'), 'chunks': [(chunks['content/a'][0][0], 4)]}, file('good')]")
        out, done = self.try_all(WARNINGS)
        self.assertEqual(read(os.path.join(out, "good")), b"evil content")
        self.assertSaid(done, "long", "short")

    def test_t08_chunk_is_not_content(self):
        """A metadata object where content is expected."""
        self.hostile("import os; items = [item('f', 0o100644, chunks=[(b'\\0'*32, 10), (b'\\xff'*32, 0)], size=10), file('good')]")
        out, done = self.try_all((113,))
        self.assertEqual(read(os.path.join(out, "f")), bytes(10))
        self.assertSaid(done, "f: ")

    def test_t08_wrong_types_of_values(self):
        self.hostile("items = [{**file('a'), 'mode': 'text'}, {**file('b'), 'chunks': 5}, {**file('c'), 'xattrs': [1, 2]}, {**file('d'), 'hlid': b'short'}, {**file('e'), 'mtime': 'never'}, file('good')]")
        self.try_all()

    def test_t08_garbage_in_the_stream(self):
        for garbage in ("b'\\xc1' * 100", "b'\\xdf\\xff\\xff\\xff\\xff'", "b'\\xdd\\xff\\xff\\xff\\xff' * 40", "b'\\x81' * 100000", "b'\\x91' * 100000"):
            with self.subTest(garbage=garbage):
                self.hostile(f"items = [file('before'), {garbage}, file('good')]", name="evil")
                self.try_all()
                self.place.cairn("delete", "evil")

    def test_t08_strange_times(self):
        self.hostile("from borg.helpers.msgpack import Timestamp\n"
                     "items = [{**file('far'), 'mtime': Timestamp(2**62, 999999999)}, {**file('neg'), 'mtime': Timestamp(-2**62, 5), 'atime': Timestamp(-1, 0)}, {**file('max'), 'mtime': Timestamp(9223372036, 0)}, file('good')]")
        out, _ = self.try_all()
        if os.path.exists(os.path.join(out, "far")):
            self.assertEqual(read(os.path.join(out, "good")), b"evil content")

    def test_t08_no_parents_and_dots(self):
        self.hostile("items = [file('./a'), file('b//c'), file('d/./e'), folder('.', 0o40700), folder('./', 0o40711), file('deep/er/est'), file('good')]")
        out, _ = self.try_all()
        self.assertEqual(read(os.path.join(out, "deep/er/est")), b"evil content")

    def test_t08_link_swapped_in_during_extract(self):
        """Someone swaps a directory for a link while files are written into it."""
        self.hostile("items = [folder('d')] + [file(f'd/{n}') for n in range(3000)]")
        out = self.place.folder("out")
        process = self.place.start(CAIRN, "extract", "evil", cwd=out)
        target = os.path.join(out, "d")
        while process.poll() is None:
            with contextlib.suppress(OSError):
                os.rename(target, os.path.join(out, "moved"))
                os.symlink("../outside", target)
                os.unlink(target)
                os.rename(os.path.join(out, "moved"), target)
        process.communicate()
        self.assertGreaterEqual(process.returncode, 0)
        found = trees.differences(self.before, trees.read_tree(self.outside))
        self.assertEqual(found, [], trees.show(found))


class T09SpecialFiles(TortureCase):
    def test_t09_fifo_without_writer(self):
        folder = self.tree(good=b"g")
        os.mkfifo(os.path.join(folder, "fifo"))
        self.create("plain", "tree", timeout=60)
        out, _ = self.extract("plain")
        self.assertTrue(stat.S_ISFIFO(os.lstat(os.path.join(out, "tree/fifo")).st_mode))

    def test_t09_read_special_gives_up(self):
        folder = self.tree(good=b"g")
        os.mkfifo(os.path.join(folder, "fifo"))
        done = self.create("special", "--read-special", "--read-special-timeout", "1", "tree", expect=(111,), timeout=60)
        self.assertSaid(done, "tree/fifo", "no data received")
        out, _ = self.extract("special")
        self.assertEqual(os.listdir(os.path.join(out, "tree")), ["good"])
        self.check()

    def test_t09_read_special_reads_a_fifo(self):
        folder = self.tree(good=b"g")
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        data = random.Random(9).randbytes(300_000)

        def feed():
            with open(fifo, "wb") as file:
                for start in range(0, len(data), 70_000):
                    file.write(data[start:start + 70_000])
        feeder = threading.Thread(target=feed)
        feeder.start()
        self.create("special", "--read-special", "tree", timeout=60)
        feeder.join()
        out, _ = self.extract("special")
        self.assertEqual(read(os.path.join(out, "tree/fifo")), data)

    def test_t09_writer_that_stalls(self):
        folder = self.tree(good=b"g")
        fifo = os.path.join(folder, "fifo")
        os.mkfifo(fifo)
        stop = threading.Event()

        def feed():
            with open(fifo, "wb") as file:
                file.write(b"some")
                file.flush()
                stop.wait(60)
        feeder = threading.Thread(target=feed)
        feeder.start()
        try:
            done = self.create("special", "--read-special", "--read-special-timeout", "1", "tree", expect=(111,), timeout=60)
        finally:
            stop.set()
            feeder.join()
        self.assertSaid(done, "tree/fifo")

    def test_t09_symlink_to_fifo(self):
        folder = self.tree(good=b"g")
        os.mkfifo(os.path.join(folder, "fifo"))
        os.symlink("fifo", os.path.join(folder, "link"))
        self.create("special", "--read-special", "--read-special-timeout", "1", "tree", expect=(111,), timeout=60)

    def test_t09_socket_and_devices(self):
        folder = self.tree(good=b"g")
        here = socket.socket(socket.AF_UNIX)
        self.addCleanup(here.close)
        os.chdir(folder)
        here.bind("socket")
        os.chdir("/")
        if not trees.possible(os.mknod, os.path.join(folder, "null"), stat.S_IFCHR | 0o666, os.makedev(1, 3)):
            self.skipTest(NO_ROOT)
        trees.possible(os.mknod, os.path.join(folder, "nodevice"), stat.S_IFBLK | 0o600, os.makedev(240, 999_999))
        self.create("plain", "tree")
        out, _ = self.extract("plain")
        self.assertEqual(sorted(os.listdir(os.path.join(out, "tree"))), ["good", "nodevice", "null"])
        self.assertEqual(os.lstat(os.path.join(out, "tree/nodevice")).st_rdev, os.makedev(240, 999_999))

    def test_t09_read_special_devices(self):
        folder = self.tree(good=b"g")
        if not trees.possible(os.mknod, os.path.join(folder, "null"), stat.S_IFCHR | 0o666, os.makedev(1, 3)):
            self.skipTest(NO_ROOT)
        os.mknod(os.path.join(folder, "nodevice"), stat.S_IFBLK | 0o600, os.makedev(240, 999_999))
        done = self.create("special", "--read-special", "--read-special-timeout", "1", "tree", expect=WARNINGS, timeout=60)
        self.assertSaid(done, "tree/nodevice")
        out, _ = self.extract("special")
        self.assertEqual(read(os.path.join(out, "tree/good")), b"g")

    def test_t09_extract_over_a_fifo(self):
        """--continue where a FIFO stands: it is replaced, not opened."""
        self.tree(file=b"content")
        self.create("plain", "tree")
        out = self.place.folder("out")
        os.mkdir(os.path.join(out, "tree"))
        os.mkfifo(os.path.join(out, "tree/file"))
        self.place.cairn("extract", "plain", "--continue", cwd=out, timeout=60)
        self.assertEqual(read(os.path.join(out, "tree/file")), b"content")


class T10Changing(TortureCase):
    def mutate(self, change, seconds=1.0, tree="tree", words=()):
        """Runs change(n) again and again beside one create."""
        stop = threading.Event()

        def loop():
            number = 0
            while not stop.is_set():
                with contextlib.suppress(OSError):
                    change(number)
                number += 1
        changer = threading.Thread(target=loop)
        changer.start()
        process = self.place.start(CAIRN, *CREATE, "-C", "none", *words, "moving", tree)
        timer = threading.Timer(seconds, stop.set)
        timer.start()
        _, err = process.communicate(timeout=120)
        stop.set()
        changer.join()
        timer.cancel()
        self.assertIn(process.returncode, (0, *WARNINGS), err[-1500:])
        self.assertNotIn(b"terminate", err)
        self.check()
        return self.extract("moving")[0], err, process.returncode

    def test_t10_appended(self):
        folder = self.tree(log=b"line\n" * 1000, other=b"o")
        path = os.path.join(folder, "log")

        def change(_):
            with open(path, "ab") as file:
                file.write(b"line\n" * 50)
        out, err, status = self.mutate(change)
        data = read(os.path.join(out, "tree/log"))
        self.assertEqual(data, b"line\n" * (len(data) // 5))
        self.assertEqual(read(os.path.join(out, "tree/other")), b"o")
        if status:
            self.assertIn(b"tree/log", err)

    def test_t10_truncated(self):
        folder = self.tree(data=b"d" * 5_000_000, other=b"o")
        path = os.path.join(folder, "data")
        out, _, _ = self.mutate(lambda n: os.truncate(path, (n * 7919) % 5_000_000))
        self.assertEqual(set(read(os.path.join(out, "tree/data"))) - {0, ord("d")}, set())

    def test_t10_replaced(self):
        folder = self.tree(data=b"0" * 100_000)

        def change(number):
            trees.write(os.path.join(folder, "new"), str(number % 10).encode() * 100_000)
            os.rename(os.path.join(folder, "new"), os.path.join(folder, "data"))
        out, _, _ = self.mutate(change)
        data = read(os.path.join(out, "tree/data")) if os.path.exists(os.path.join(out, "tree/data")) else b"1"
        self.assertEqual(len(set(data)), 1, "content of two files in one")

    def test_t10_mtime_set_back(self):
        """Same size, mtime set back: the default mode sees it by ctime."""
        folder = self.tree(**{f"f{n}": b"a" * 1000 for n in range(20)})
        self.create("one", "tree")
        time.sleep(0.05)
        trees.write(os.path.join(folder, "f7"), b"b" * 1000)
        settle(folder)
        self.create("two", "tree")
        out, _ = self.extract("two")
        self.assertEqual(read(os.path.join(out, "tree/f7")), b"b" * 1000)

    def test_t10_same_tick(self):
        """Changed right after the backup read it: never taken for unchanged."""
        folder = self.tree(f=b"0" * 500)
        for number in range(1, 30):
            self.create(f"a{number}", "tree", expect=(0, 100))
            trees.write(os.path.join(folder, "f"), str(number % 10).encode() * 500)
            if number % 10 == 0:
                self.create(f"b{number}", "tree", expect=(0, 100))
                out, _ = self.extract(f"b{number}")
                self.assertEqual(read(os.path.join(out, "tree/f")), read(os.path.join(folder, "f")))

    def test_t10_changes_under_another_mode(self):
        folder = self.tree(f=b"0" * 500)
        self.create("one", "tree", "--files-cache", "mtime,size")
        time.sleep(0.05)
        trees.write(os.path.join(folder, "f"), b"1" * 501)
        self.create("two", "tree", "--files-cache", "mtime,size", expect=(0, 100))
        out, _ = self.extract("two")
        self.assertEqual(read(os.path.join(out, "tree/f")), b"1" * 501)


class T11Vanishing(T10Changing):
    def test_t11_files_come_and_go(self):
        folder = self.tree(**{f"d{d}__f{n}": b"x" * 500 for d in range(10) for n in range(60)})

        def change(number):
            path = os.path.join(folder, f"d{number % 10}", f"f{number * 13 % 60}")
            if number % 2:
                os.unlink(path)
            else:
                trees.write(path, b"y" * 500)
        out, _, _ = self.mutate(change)
        self.assertEqual(len(os.listdir(os.path.join(out, "tree"))), 10)

    def test_t11_directory_becomes_file(self):
        folder = self.tree(**{f"d{d}__f": b"x" * 500 for d in range(200)})

        def change(number):
            path = os.path.join(folder, f"d{number % 200}")
            if os.path.isdir(path):
                shutil.rmtree(path)
                trees.write(path, b"now a file")
            else:
                os.unlink(path)
                os.mkdir(path)
        self.mutate(change)

    def test_t11_file_becomes_link_or_fifo(self):
        folder = self.tree(**{f"f{n}": b"x" * 500 for n in range(200)})
        trees.write(self.at("secret"), b"must not be read")

        def change(number):
            path = os.path.join(folder, f"f{number * 31 % 200}")
            os.unlink(path)
            if number % 3 == 0:
                os.symlink("../secret", path)
            elif number % 3 == 1:
                os.mkfifo(path)
            else:
                trees.write(path, b"x" * 500)
        out, _, _ = self.mutate(change)
        for name in os.listdir(os.path.join(out, "tree")):
            path = os.path.join(out, "tree", name)
            if stat.S_ISREG(os.lstat(path).st_mode):
                self.assertNotIn(b"must not", read(path))

    def test_t11_whole_tree_goes(self):
        folder = self.tree(**{f"d{d}__e__f{n}": b"x" * 500 for d in range(30) for n in range(10)})
        self.mutate(lambda number: os.rename(folder, folder + "2") if number % 2 == 0 else os.rename(folder + "2", folder))

    def test_t11_root_is_missing(self):
        self.tree(good=b"g")
        done = self.create("some", "nothere", "tree", "nothere/below", expect=(107,))
        self.assertSaid(done, "nothere: stat")
        out, _ = self.extract("some")
        self.assertEqual(os.listdir(os.path.join(out, "tree")), ["good"])

    @unittest.skipUnless(program.is_root() and shutil.which("setpriv"), NO_ROOT)
    def test_t11_unreadable(self):
        folder = self.tree(good=b"g", bad=b"b", dir__inner=b"i")
        os.chmod(os.path.join(folder, "bad"), 0)
        os.chmod(os.path.join(folder, "dir"), 0)
        for path in (self.place.path, self.place.home):
            os.chmod(path, 0o755)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.place.repository, self.place.home], check=True)
        done = self.place.run("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", CAIRN, *CREATE, "u", "tree", expect=(105,))
        self.assertSaid(done, "tree/bad", "tree/dir", "Permission denied")
        out, _ = self.extract("u")
        self.assertEqual(read(os.path.join(out, "tree/good")), b"g")


class StrangeCase(TortureCase):
    """On a file system that behaves as tests/strange_fs.c tells."""

    @classmethod
    def setUpClass(cls):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if not compiler:
            raise unittest.SkipTest("no C compiler: the strange file system is a library that is made here")
        folder = tempfile.mkdtemp(prefix="cairn-strange-")
        cls.addClassCleanup(shutil.rmtree, folder)
        cls.library = os.path.join(folder, "strange_fs.so")
        subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", cls.library, os.path.join(program.ROOT, "tests", "strange_fs.c"), "-ldl"],
                       check=True)

    def strange(self, **variables):
        return {"LD_PRELOAD": self.library, **variables}


@unittest.skipUnless(FAKETIME, "libfaketime is not installed")
class T13Inodes(StrangeCase):
    """Inode numbers and devices that do not stay the same."""

    def setUp(self):
        super().setUp()
        self.folder = self.tree(plain=b"p" * 100, strange=b"s" * 4321, dir__strange=b"t" * 4321)
        self.add_newest(self.folder)

    @staticmethod
    def add_newest(folder):
        """The newest of all files is never taken for unchanged: this one, so that the others may be."""
        newest, older = os.path.join(folder, "newest"), os.path.join(folder, "strange")
        trees.write(newest, b"n")
        while os.lstat(newest).st_ctime_ns <= os.lstat(older).st_ctime_ns:
            os.utime(newest)
        os.utime(newest, (time.time() + 10_000,) * 2)

    def strange(self, **variables):
        """Later: what has changed within seconds before a backup is never taken for unchanged."""
        return super().strange(**variables) | {"LD_PRELOAD": f"{self.library}:{FAKETIME}", "FAKETIME": "+100s", "NO_FAKE_STAT": "1"}

    def last(self):
        """What is remembered of files belongs to a series of archives of one name."""
        return "aid:" + list(self.place.archives())[-1]

    def files_read(self, done):
        return sorted(line[2:] for line in done.err.decode().splitlines() if line[:2] in ("A ", "M ") and "newest" not in line)

    def test_t13_another_number_each_time(self):
        """The number changes between looking at a file and opening it: still the file is backed up, at once."""
        begin = time.monotonic()
        self.create("series", "tree", **self.strange(STRANGE_INODES="4321"))
        self.assertLess(time.monotonic() - begin, 10, "it waited for the number to settle")
        out, _ = self.extract(self.last())
        self.assertSame(self.folder, os.path.join(out, "tree"))
        # By its number every such file looks new, without it none does.
        again = self.create("series", "tree", "--list", **self.strange(STRANGE_INODES="4321"))
        self.assertEqual(self.files_read(again), ["tree/dir/strange", "tree/strange"])
        self.create("series", "tree", "--files-cache", "ctime,size", **self.strange(STRANGE_INODES="4321"))
        last = self.create("series", "tree", "--list", "--files-cache", "ctime,size", **self.strange(STRANGE_INODES="4321"))
        self.assertEqual(self.files_read(last), [])
        out, _ = self.extract(self.last())
        self.assertSame(self.folder, os.path.join(out, "tree"))

    def test_t13_hard_links_are_not_mixed_up(self):
        os.link(os.path.join(self.folder, "plain"), os.path.join(self.folder, "link"))
        os.link(os.path.join(self.folder, "strange"), os.path.join(self.folder, "strange link"))
        settle(self.folder)
        done = self.create("series", "tree", expect=(0, *WARNINGS), timeout=120, **self.strange(STRANGE_INODES="4321"))
        self.assertNoCrash(done)
        out, _ = self.extract(self.last())
        for name in os.listdir(os.path.join(out, "tree")):
            path = os.path.join(self.folder, name)
            if os.path.isfile(path):
                self.assertEqual(read(os.path.join(out, "tree", name)), read(path), name)
            self.assertTrue(done.status == 0 or os.path.exists(os.path.join(out, "tree", name)) or name.encode() in done.err, name)

    def test_t13_files_moved_to_another_file_system(self):
        """A snapshot that is mounted anew has new devices and inode numbers, and the old times."""
        with self.small_disk("40m") as disk:
            where = os.path.join(disk, "tree")
            shutil.copytree(self.folder, where)
            self.create("series", "tree", "--files-cache", "mtime,size", cwd=disk, **self.strange())
            with self.small_disk("40m"):
                shutil.copytree(self.folder, where)
                trees.write(os.path.join(where, "other"), b"o" * 100)
                os.utime(os.path.join(where, "other"), ns=(10 ** 18,) * 2)
                done = self.create("series", "tree", "--list", "--files-cache", "mtime,size", cwd=disk, **self.strange())
                self.assertEqual(self.files_read(done), ["tree/other"])
                out, _ = self.extract(self.last())
                self.assertSame(where, os.path.join(out, "tree"))

    def test_t13_nanoseconds_are_cut_off(self):
        """A file server that rounds times makes every file look changed once, and never hides a change."""
        for name in ("plain", "strange"):
            os.utime(os.path.join(self.folder, name), ns=(10 ** 18 + 123_456_789,) * 2)
        self.create("series", "tree", "--files-cache", "mtime,size", **self.strange())
        for name in ("plain", "strange"):
            os.utime(os.path.join(self.folder, name), ns=(10 ** 18,) * 2)
        done = self.create("series", "tree", "--list", "--files-cache", "mtime,size", **self.strange())
        self.assertEqual(self.files_read(done), ["tree/plain", "tree/strange"])


class T14FullDisk(TortureCase):
    def test_t14_repository(self):
        self.tree(big=random.Random(14).randbytes(6_000_000), small=b"small")
        with self.small_disk("3m") as disk:
            repository = os.path.join(disk, "repository")
            self.place.cairn("-r", repository, "repo-create", "-e", "aes256-ocb", "-i", "blake3")
            self.tree("little", a=b"a" * 1000)
            self.place.cairn("-r", repository, "create", "first", "little")
            done = self.place.cairn("-r", repository, "create", "full", "tree", expect=None)
            self.assertIn(done.status, range(2, 100), str(done))
            self.assertSaid(done, "No space left")
            self.assertEqual(os.listdir(os.path.join(repository, "locks")), [])
            self.place.cairn("-r", repository, "check", "--verify-data")
            listed = self.place.cairn("-r", repository, "repo-list", "--json").json()["archives"]
            self.assertEqual([one["name"] for one in listed], ["first"])
            # A way out without more space.
            self.place.cairn("-r", repository, "compact", "--threshold", "0")
            self.place.cairn("-r", repository, "create", "second", "little")
            self.place.cairn("-r", repository, "check", "--verify-data")

    def test_t14_nothing_left_at_all(self):
        self.tree(a=b"a" * 1000)
        with self.small_disk("3m") as disk:
            repository = os.path.join(disk, "repository")
            self.place.cairn("-r", repository, "repo-create", "-e", "aes256-ocb", "-i", "blake3")
            self.place.cairn("-r", repository, "create", "first", "tree")
            with contextlib.suppress(OSError), open(os.path.join(disk, "fill"), "wb", buffering=0) as file:
                while True:
                    file.write(bytes(4096))
            for words in (["create", "x", "tree"], ["delete", "first"], ["compact"], ["check"]):
                done = self.place.cairn("-r", repository, *words, expect=None)
                self.assertNoCrash(done)
                if done.status:
                    self.assertTrue(done.err.strip(), words)
            # Who only reads needs no room.
            self.assertReads(repository, "No space left on device")
            os.unlink(os.path.join(disk, "fill"))
            self.place.cairn("-r", repository, "check", "--verify-data")
            self.place.cairn("-r", repository, "create", "y", "tree")

    def assertReads(self, repository, reason):
        out = os.path.join(self.place.path, "read")
        os.makedirs(out)
        for words in (["repo-list"], ["list", "first"], ["info", "first"], ["repo-info"], ["find", "tree/a"], ["diff", "first", "first"],
                      ["export-tar", "first", "-"], ["extract", "first"]):
            done = self.place.cairn("-r", repository, *words, cwd=out)
            self.assertSaid(done, "reading it without a lock")
            self.assertSaid(done, reason)
        self.assertEqual(trees.differences(trees.read_tree(self.at("tree")), trees.read_tree(os.path.join(out, "tree"))), [])

    def test_t14_repair(self):
        """There is no room for the good part of a damaged pack: nothing is lost; a little room is enough to go on."""
        self.place.variables["BORG_PACK_MAX_SIZE"] = "400000"
        self.tree(**{f"f{n}": random.Random(n).randbytes(90_000) for n in range(16)})
        with self.small_disk("3m") as disk:
            self.place.variables["BORG_REPO"] = self.place.repository = os.path.join(disk, "repository")
            self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")
            self.create("one", "tree")
            packs = sorted(self.packs(), key=os.path.getsize)[-3:]
            for pack in packs:
                os.chmod(pack, 0o600)
                flip(pack, os.path.getsize(pack) // 2)
            before, _ = self.extract("one", into="before", expect=WARNINGS)
            kept = {name: read(os.path.join(before, "tree", name)) for name in os.listdir(os.path.join(before, "tree"))}
            filler = os.path.join(disk, "filler")
            with contextlib.suppress(OSError), open(filler, "wb", buffering=0) as file:
                while True:
                    file.write(bytes(10_000))
            done = self.place.cairn("check", "--repair", expect=range(2, 100))
            self.assertIn(b"space", done.err.lower())
            self.assertTrue(all(map(os.path.exists, packs)), "a damaged pack is gone though nothing of it was saved")
            os.truncate(filler, os.path.getsize(filler) - 500_000)
            done = self.place.cairn("check", "--repair", expect=(1,))
            self.assertEqual([pack for pack in packs if os.path.exists(pack)], [], str(done))
            done = self.place.cairn("check", "--verify-data", expect=(1,))
            self.assertNotIn(b"corrupt", done.err)
            after, _ = self.extract("one", into="after", expect=WARNINGS)
            for name, content in kept.items():
                self.assertEqual(read(os.path.join(after, "tree", name)), content, name)

    def test_t14_restore(self):
        self.tree(big=random.Random(15).randbytes(6_000_000), zlast=b"small", **{f"f{n}": b"x" * 3000 for n in range(20)})
        self.create("a", "tree")
        with self.small_disk("2m") as disk:
            done = self.place.cairn("extract", "a", cwd=disk, expect=None)
            self.assertIn(done.status, (*WARNINGS, *range(2, 100)), str(done))
            self.assertSaid(done, "tree/big", "No space left")

    def test_t14_restore_without_inodes(self):
        self.tree(**{f"f{n}": b"x" for n in range(50)})
        self.create("a", "tree")
        with self.small_disk("2m,nr_inodes=20") as disk:
            done = self.place.cairn("extract", "a", cwd=disk, expect=WARNINGS)
            self.assertSaid(done, "No space left")
            self.assertGreater(len(os.listdir(os.path.join(disk, "tree"))), 10)

    def full_local(self, variable):
        self.tree(**{f"f{n}": b"x" * 100 for n in range(3000)})
        with self.small_disk("16k") as disk:
            with contextlib.suppress(OSError), open(os.path.join(disk, "fill"), "wb", buffering=0) as file:
                while True:
                    file.write(bytes(512))
            done = self.create("a", "tree", expect=None, **{variable: disk})
            self.assertNoCrash(done)
            if done.status != 0:
                self.assertTrue(done.err.strip())
            for words in (["list", "--short", "a"], ["check"]) if done.status in (0, *WARNINGS) else ():
                self.assertNoCrash(self.place.cairn(*words, expect=None, **{variable: disk}))
        return done

    def test_t14_cache_directory(self):
        done = self.full_local("BORG_CACHE_DIR")
        self.assertIn(done.status, (0, *WARNINGS), "a cache that cannot be written must not cost the backup: " + str(done))
        out, _ = self.extract("a")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t14_security_directory(self):
        self.full_local("BORG_SECURITY_DIR")


class T15BrokenFiles(TortureCase):
    def setUp(self):
        super().setUp()
        self.tree(a=b"a" * 3000, b=random.Random(3).randbytes(30_000))
        self.create("one", "tree")
        self.tree(c=b"c" * 3000)
        self.create("two", "tree")
        self.saved = self.at("saved")
        shutil.copytree(self.place.repository, self.saved)

    def restore(self):
        shutil.rmtree(self.place.repository)
        shutil.copytree(self.saved, self.place.repository)

    @staticmethod
    def breakages(size):
        yield "empty", lambda path: os.truncate(path, 0)
        for length in sorted({1, size // 2, max(0, size - 1)}):
            if length < size:
                yield f"cut to {length}", lambda path, length=length: os.truncate(path, length)
        yield "NUL", lambda path: trees.write(path, bytes(os.path.getsize(path)))

    def try_all(self, path, what):
        """Nothing crashes; whatever is extracted with success is right."""
        for words in (["repo-list"], ["list", "one"], ["check"], ["repo-info"]):
            done = self.place.cairn(*words, expect=None, timeout=60)
            self.assertNoCrash(done)
            if done.status:
                self.assertTrue(done.err.strip(), f"{words} {what}: no message")
        out, done = self.extract("two", expect=None)
        self.assertNoCrash(done)
        if done.status == 0:
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        return done

    def each(self, namespace, must_extract=False):
        files = [os.path.relpath(path, self.place.repository) for path in self.objects(namespace)]
        self.assertTrue(files)
        for name in files:
            size = os.path.getsize(os.path.join(self.saved, name))
            for what, broken in self.breakages(size):
                with self.subTest(file=name, what=what):
                    self.restore()
                    path = os.path.join(self.place.repository, name)
                    broken(path)
                    done = self.try_all(path, what)
                    if must_extract:
                        self.assertEqual(done.status, 0, str(done))
                        self.assertNotEqual(self.place.cairn("check", expect=None).status, 0, "check did not notice")
                    again = self.create("three", "tree", expect=None)
                    self.assertNoCrash(again)
                    if again.status == 0:
                        # Damaged data that no check has found yet may be used again: extraction must not hide it.
                        out, done = self.extract("three", expect=None if namespace == "packs" else (0,))
                    if again.status == 0 and done.status == 0:
                        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t15_index(self):
        self.each("index")

    def test_t15_index_reads_go_on(self):
        """Pack headers hold the same facts as a bad index fragment."""
        for name in [os.path.relpath(path, self.place.repository) for path in self.objects("index")]:
            self.restore()
            os.truncate(os.path.join(self.place.repository, name), 0)
            out, _ = self.extract("two")
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t15_config(self):
        self.each("config")

    def test_t15_keys(self):
        self.each("keys")

    def test_t15_packs(self):
        self.each("packs")

    def test_t15_locks(self):
        for content in (b"", bytes(200), b"{}", b"x" * 5000):
            with self.subTest(content=content[:10]):
                self.restore()
                lock = os.path.join(self.place.repository, "locks", "0" * 64)
                trees.write(lock, content)
                done = self.place.cairn("--lock-wait", "0", "repo-list", expect=(73,))
                self.assertSaid(done, "lock")
                self.place.cairn("break-lock")
                self.place.cairn("repo-list")

    def test_t15_local_files(self):
        """Caches and security data of this machine: never more than a warning, never wrong content."""
        self.extract("two")
        files = []
        for folder, _, names in os.walk(self.place.home):
            files += [os.path.join(folder, name) for name in names]
        self.assertTrue(files)
        saved = self.at("saved home")
        shutil.copytree(self.place.home, saved)
        for path in files:
            for what, broken in self.breakages(os.path.getsize(path)):
                with self.subTest(file=os.path.relpath(path, self.place.home), what=what):
                    shutil.rmtree(self.place.home)
                    shutil.copytree(saved, self.place.home)
                    self.restore()
                    broken(path)
                    done = self.create("two", "tree", expect=None)
                    self.assertNoCrash(done)
                    if "security" not in path:
                        self.assertIn(done.status, (0, 1), str(done))
                    if done.status == 0:
                        newest = self.place.cairn("repo-list", "--last", "1", "--format", "{id}").text
                        out, _ = self.extract("aid:" + newest[:12])
                        self.assertSame(self.at("tree"), os.path.join(out, "tree"))


class T17Killed(TortureCase):
    def setUp(self):
        super().setUp()
        rng = random.Random(17)
        self.tree(**{f"d{n % 7}__f{n}": rng.randbytes(200_000) for n in range(60)})
        self.place.variables["BORG_PACK_MAX_SIZE"] = "500000"

    def stop_after(self, how, delay, *words, cwd=None):
        process = self.place.start(CAIRN, *words, cwd=cwd)
        try:
            process.wait(delay)
        except subprocess.TimeoutExpired:
            process.send_signal(how)
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    def rounds(self, how, statuses, lock_stays):
        rng = random.Random(int(how))
        for number in range(10):
            status, err = self.stop_after(how, rng.uniform(0.01, 0.35), *CREATE, f"a{number}", "tree")
            self.assertIn(status, (0, *statuses, -how), err[-1000:])
            if not lock_stays:
                self.assertEqual(self.objects("locks"), [], "a lock was left")
            if status > 0 and not lock_stays:
                self.assertTrue(err.strip())
        self.check()
        for name in self.place.archives().values():
            out, _ = self.extract(name)
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.create("last", "tree")
        out, _ = self.extract("last")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.check()

    def test_t17_sigkill(self):
        self.rounds(signal.SIGKILL, (-signal.SIGKILL,), True)

    def test_t17_sigint(self):
        self.rounds(signal.SIGINT, (2, 130), False)

    def test_t17_sigterm(self):
        self.rounds(signal.SIGTERM, (143,), False)

    def test_t17_sighup(self):
        self.rounds(signal.SIGHUP, (129,), False)

    def test_t17_chunks_are_used_again(self):
        """What an interrupted run has stored the next one finds."""
        for _ in range(8):
            before = sum(map(os.path.getsize, self.packs()))
            status, _ = self.stop_after(signal.SIGINT, 0.4, *CREATE, "-C", "lzma,6", "a", "tree")
            if status == 0:
                self.skipTest("too fast to be interrupted")
            if sum(map(os.path.getsize, self.packs())) > before:
                break
        stored = sum(map(os.path.getsize, self.packs()))
        self.create("b", "tree")
        after = sum(map(os.path.getsize, self.packs()))
        self.assertLess(after, 12_000_000 * 1.2, f"{stored} were stored before")

    def test_t17_what_nobody_needs_is_freed(self):
        """Packs of a backup that was killed: no index speaks of them, compact frees them all the same."""
        self.create("kept", "tree")
        size = sum(map(os.path.getsize, self.packs()))
        rng = random.Random(3)
        self.tree("more", **{f"f{n}": rng.randbytes(200_000) for n in range(60)})
        for delay in (0.3, 0.6, 1.2, 2.4):
            status, _ = self.stop_after(signal.SIGKILL, delay, *CREATE, "-C", "lzma,6", "gone", "more")
            if status == 0 or sum(map(os.path.getsize, self.packs())) > size:
                break
        if status == 0:
            self.place.cairn("delete", "gone")
        self.assertGreater(sum(map(os.path.getsize, self.packs())), size)
        done = self.place.cairn("compact", "-v", "--threshold", "0")
        if status != 0:
            self.assertIn(b"objects that were not indexed", done.err)
        self.assertLessEqual(sum(map(os.path.getsize, self.packs())), size)
        self.check()
        out, _ = self.extract("kept")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t17_extract(self):
        self.create("a", "tree")
        for how in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
            out = self.place.folder(f"out{int(how)}")
            status, err = self.stop_after(how, 0.03, "extract", "a", cwd=out)
            self.assertIn(status, (0, 2, 143, -how), err[-1000:])
            if how != signal.SIGKILL:
                self.assertEqual(self.objects("locks"), [])
            self.place.cairn("extract", "a", "--continue", cwd=out)
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t17_compact(self):
        self.create("a", "tree")
        self.tree(**{f"d1__f{n}": random.Random(n).randbytes(200_000) for n in range(20)})
        self.create("b", "tree")
        self.place.cairn("delete", "a")
        rng = random.Random(5)
        for _ in range(8):
            for how in (signal.SIGKILL, signal.SIGINT, signal.SIGTERM):
                status, err = self.stop_after(how, rng.uniform(0.005, 0.1), "compact", "--threshold", "0")
                # The signal may come before the program has its handlers.
                self.assertIn(status, (0, 2, 130, 143, -how), err[-1000:])
            out, _ = self.extract("b")
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.check()


class T18Locks(TortureCase):
    HOLD = ["with-lock", "sh", "-c", "exec sleep 30 >/dev/null 2>&1"]

    def setUp(self):
        super().setUp()
        self.tree(a=b"a")
        self.create("one", "tree")

    def left_lock(self, **variables):
        """A lock whose owner was killed; its path."""
        process = self.place.start(CAIRN, *self.HOLD, **variables)
        while not (locks := self.objects("locks")):
            time.sleep(0.01)
            self.assertIsNone(process.poll(), "with-lock ended")
        time.sleep(0.2)
        locks = self.objects("locks")
        process.kill()
        process.communicate()
        self.assertEqual(len(locks), 1)
        return locks[0]

    def test_t18_dead_owner_on_this_host(self):
        self.left_lock()
        self.create("two", "tree")
        self.assertEqual(self.objects("locks"), [])

    def test_t18_dead_owner_elsewhere(self):
        """A foreign lock that is fresh is respected."""
        self.left_lock(BORG_HOST_ID="other@2")
        done = self.place.cairn("--lock-wait", "0", *CREATE, "two", "tree", expect=(73,))
        self.assertSaid(done, "other@2")

    def test_t18_foreign_lock_with_an_old_file_only(self):
        """Old by the storage's clock but young by its own time: not stale."""
        lock = self.left_lock(BORG_HOST_ID="other@2")
        os.utime(lock, (time.time() - 7200,) * 2)
        self.place.cairn("--lock-wait", "0", *CREATE, "two", "tree", expect=(73,))

    def old_lock(self, hours):
        """A foreign lock whose content is that old."""
        if not FAKETIME:
            self.skipTest("no libfaketime")
        # The faketime program would stay between us and Cairn.
        process = self.place.start(CAIRN, *self.HOLD, BORG_HOST_ID="other@2", LD_PRELOAD=FAKETIME, FAKETIME=f"-{hours}h", DONT_FAKE_MONOTONIC="1")
        deadline = time.monotonic() + 20
        while not self.objects("locks"):
            time.sleep(0.01)
            self.assertLess(time.monotonic(), deadline, "no lock")
            self.assertIsNone(process.poll(), "with-lock ended")
        time.sleep(0.2)
        [lock] = self.objects("locks")
        process.kill()
        process.communicate()
        return lock

    def test_t18_foreign_lock_old_by_both_clocks(self):
        lock = self.old_lock(3)
        os.utime(lock, (time.time() - 10800,) * 2)
        self.create("two", "tree")
        self.assertEqual(self.objects("locks"), [])

    def test_t18_foreign_lock_old_by_its_own_clock_only(self):
        """Its owner's clock is wrong: the storage says that it is fresh."""
        lock = self.old_lock(3)
        os.utime(lock)
        self.place.cairn("--lock-wait", "0", *CREATE, "two", "tree", expect=(73,))

    def test_t18_unreadable_lock(self):
        lock = os.path.join(self.place.repository, "locks", "1" * 64)
        trees.write(lock, b"not a lock")
        self.place.cairn("--lock-wait", "0", *CREATE, "two", "tree", expect=(73,))
        os.utime(lock, (time.time() - 7200,) * 2)
        self.create("three", "tree")
        self.assertEqual(self.objects("locks"), [])

    def test_t18_recycled_pid(self):
        """The dead owner's number belongs to another process now: waiting, not sweeping."""
        self.left_lock()  # its owner is dead: swept; a recycled number looks like a live owner
        process = self.place.start(CAIRN, *self.HOLD)
        while not self.objects("locks"):
            time.sleep(0.01)
        time.sleep(0.2)
        self.place.cairn("--lock-wait", "0", *CREATE, "two", "tree", expect=(73,))
        process.terminate()
        process.communicate()
        self.create("three", "tree")

    def asleep(self, lock_goes):
        """A backup whose machine sleeps for three hours while it waits for input."""
        if not FAKETIME:
            self.skipTest("no libfaketime")
        clock, fifo = self.at("clock"), self.at("fifo")
        trees.write(clock, b"+0\n")
        os.mkfifo(fifo)
        process = self.place.start(CAIRN, "create", "--content-from-command", "slept", "--", "cat", fifo, LD_PRELOAD=FAKETIME, DONT_FAKE_MONOTONIC="1",
                                   FAKETIME_TIMESTAMP_FILE=clock, FAKETIME_NO_CACHE="1")
        with open(fifo, "wb") as file:
            file.write(b"before")
            file.flush()
            while not self.objects("locks"):
                time.sleep(0.01)
            time.sleep(0.3)
            trees.write(clock, b"+3h\n")
            if lock_goes:
                for lock in self.objects("locks"):
                    os.unlink(lock)  # as another client does with a stale one
            file.write(b"after")
        _, err = process.communicate(timeout=60)
        return process.returncode, err

    def test_t18_asleep_and_lock_swept(self):
        """Others may have removed what the new archive needs: it must not be committed."""
        status, err = self.asleep(True)
        self.assertEqual(status, 73, err)
        self.assertNotIn("slept", self.place.archives().values())
        self.assertEqual(self.objects("locks"), [])

    def test_t18_asleep_and_lock_still_there(self):
        status, err = self.asleep(False)
        self.assertEqual(status, 0, err)
        self.assertEqual(self.place.cairn("extract", "--stdout", "slept").out, b"beforeafter")
        self.assertEqual(self.objects("locks"), [])

    def test_t18_broken_lock_is_seen_at_the_next_pack(self):
        """Somebody breaks the lock of a running backup: it does not go on writing until it wants to commit."""
        rng = random.Random(18)
        self.tree("large", **{f"f{n}": rng.randbytes(100_000) for n in range(60)})
        self.place.variables["BORG_PACK_MAX_SIZE"] = "200000"
        packs = len(self.packs())
        process = self.place.start(CAIRN, *CREATE, "-C", "lzma,6", "large", "large")
        while len(self.packs()) < packs + 2 and process.poll() is None:
            time.sleep(0.005)
        self.place.cairn("break-lock")
        seen = len(self.packs())
        _, err = process.communicate(timeout=60)
        if process.returncode == 0:
            self.skipTest("too fast to be disturbed")
        self.assertEqual(process.returncode, 73, err)
        # Those that were on their way, one for each thread.
        self.assertLessEqual(len(self.packs()), seen + (os.cpu_count() or 1) + 2)
        self.assertNotIn("large", self.place.archives().values())
        self.check()

    def test_t18_two_writers(self):
        self.tree("left", **{f"l{n}": os.urandom(20_000) for n in range(50)}, both=b"b" * 100_000)
        self.tree("right", **{f"r{n}": os.urandom(20_000) for n in range(50)}, both=b"b" * 100_000)
        writers = [self.place.start(CAIRN, *CREATE, name, name) for name in ("left", "right", "left", "right")]
        for writer in writers:
            _, err = writer.communicate(timeout=120)
            self.assertEqual(writer.returncode, 0, err[-1000:])
        self.check()
        for name in ("left", "right"):
            for one in [id for id, archive in self.place.archives().items() if archive == name]:
                out, _ = self.extract("aid:" + one[:16])
                self.assertSame(self.at(name), os.path.join(out, name))
        self.place.cairn("compact", "--threshold", "0")
        self.check()

    def test_t18_compact_and_create(self):
        self.tree("left", **{f"l{n}": os.urandom(20_000) for n in range(100)})
        self.place.cairn("delete", "one")
        workers = [self.place.start(CAIRN, "--lock-wait", "60", *words) for words in ([*CREATE, "x", "left"], ["compact"], [*CREATE, "y", "left"], ["compact"])]
        for worker in workers:
            _, err = worker.communicate(timeout=120)
            self.assertEqual(worker.returncode, 0, err[-1000:])
        self.check()
        for name in ("x", "y"):
            out, _ = self.extract(name)
            self.assertSame(self.at("left"), os.path.join(out, "left"))


@unittest.skipUnless(FAKETIME, "no libfaketime")
class T19Clock(TortureCase):
    def at_time(self, offset, *words, **keywords):
        return self.place.cairn(*words, LD_PRELOAD=FAKETIME, FAKETIME=offset, DONT_FAKE_MONOTONIC="1", **keywords)

    def test_t19_jumps(self):
        folder = self.tree(a=b"a" * 1000)
        for number, offset in enumerate(("+0", "-1d", "+3650d", "-20000d", "+7m", "+0")):
            trees.write(os.path.join(folder, "a"), str(number).encode() * 1000)
            done = self.at_time(offset, *CREATE, f"t{number}", "tree", expect=(0, 1, 100))
            out, _ = self.extract(f"t{number}")
            self.assertEqual(read(os.path.join(out, "tree/a")), read(os.path.join(folder, "a")), str(done))
        self.check()
        self.at_time("-1d", "compact")
        self.at_time("+3650d", "check")
        self.assertEqual(len(self.place.archives()), 6)

    def test_t19_files_cache_from_the_future(self):
        folder = self.tree(a=b"a" * 1000)
        self.at_time("+3650d", *CREATE, "one", "tree")
        trees.write(os.path.join(folder, "a"), b"b" * 1000)
        settle(folder)
        self.at_time("-10d", *CREATE, "one", "tree", expect=(0, 100))
        for one in self.place.archives():
            self.extract("aid:" + one[:12])
        self.create("now", "tree")
        out, _ = self.extract("now")
        self.assertEqual(read(os.path.join(out, "tree/a")), b"b" * 1000)


@unittest.skipUnless(program.is_root() and shutil.which("setfacl"), NO_ROOT)
class T21Acls(TortureCase):
    def setUp(self):
        super().setUp()
        self.folder = self.tree(file=b"x", dir__inner=b"y")
        if subprocess.run(["setfacl", "-m", "u:54321:rwx,u:1:r--,g:54322:r-x,g:2:rw-", os.path.join(self.folder, "file")], capture_output=True, check=False).returncode:
            self.skipTest("no ACLs on this file system")
        subprocess.run(["setfacl", "-m", "d:u:54321:rwx,d:u:1:r-x,d:g:54322:---,u:7:--x", os.path.join(self.folder, "dir")], check=True)
        settle(self.folder)

    def test_t21_users_without_account(self):
        for store in ([], ["--numeric-ids"]):
            for restore in ([], ["--numeric-ids"]):
                with self.subTest(store=store, restore=restore):
                    self.create("acl", "tree", *store)
                    out, _ = self.extract("acl", *restore)
                    self.assertSame(self.folder, os.path.join(out, "tree"))
                    self.place.cairn("delete", "acl")

    def test_t21_default_acl_of_the_target(self):
        """Everything gets exactly the ACLs that it had, whatever the target's default ACL adds."""
        self.create("acl", "tree")
        out = self.place.folder("out")
        subprocess.run(["setfacl", "-m", "d:u:9:rwx,d:o::rwx", out], check=True)
        self.place.cairn("extract", "acl", cwd=out)
        want, got = trees.read_tree(self.folder), trees.read_tree(os.path.join(out, "tree"))
        for path in want:
            self.assertEqual(got[path], want[path])
        for path in want:
            self.assertEqual(got[path]["mode"], want[path]["mode"], path)

    def test_t21_default_acl_only(self):
        only = os.path.join(self.folder, "only")
        os.mkdir(only)
        subprocess.run(["setfacl", "-d", "-m", "u::rwx,g::r-x,o::---", only], check=True)
        settle(self.folder)
        self.create("acl", "tree")
        out, _ = self.extract("acl")
        self.assertSame(self.folder, os.path.join(out, "tree"))

    def test_t21_no_acls_wanted(self):
        self.create("acl", "tree", "--noacls")
        out, _ = self.extract("acl")
        self.assertEqual([name for name in os.listxattr(os.path.join(out, "tree/file")) if "acl" in name], [])
        self.create("with", "tree")
        out, _ = self.extract("with", "--noacls")
        self.assertEqual([name for name in os.listxattr(os.path.join(out, "tree/file")) if "acl" in name], [])


@unittest.skipUnless(program.is_root() and shutil.which("setpriv"), NO_ROOT)
class T22NotRoot(TortureCase):
    def as_nobody(self, *words, **keywords):
        return self.place.run("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", CAIRN, *words, **keywords)

    def give(self):
        os.chmod(self.place.path, 0o755)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.place.repository, self.place.home], check=True)
        out = self.place.folder("out")
        os.chown(out, NOBODY, NOBODY)
        return out

    def test_t22_extract(self):
        folder = self.tree(suid=b"s", sgid=b"g", plain=b"p", readonly__inner=b"i", readonly__deep__er=b"d", secret=b"x")
        os.chown(os.path.join(folder, "sgid"), 0, 12)
        os.chmod(os.path.join(folder, "suid"), 0o4755)
        os.chmod(os.path.join(folder, "sgid"), 0o2755)
        os.chmod(os.path.join(folder, "secret"), 0o000)
        os.mknod(os.path.join(folder, "null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
        trees.possible(os.setxattr, os.path.join(folder, "plain"), b"trusted.secret", b"1")
        for path in ("readonly/deep", "readonly", "."):
            os.chmod(os.path.join(folder, path), 0o555)
        self.create("a", "tree")
        out = self.give()
        done = self.as_nobody("extract", "a", cwd=out, expect=WARNINGS)
        tree = os.path.join(out, "tree")
        self.assertEqual(os.stat(os.path.join(tree, "suid")).st_mode & 0o7777, 0o755)
        self.assertEqual(os.stat(os.path.join(tree, "sgid")).st_mode & 0o7777, 0o755)
        self.assertEqual(os.stat(os.path.join(tree, "suid")).st_uid, NOBODY)
        self.assertEqual(read(os.path.join(tree, "readonly/inner")), b"i")
        self.assertEqual(read(os.path.join(tree, "readonly/deep/er")), b"d")
        self.assertEqual(os.stat(os.path.join(tree, "readonly")).st_mode & 0o7777, 0o555)
        self.assertEqual(os.stat(os.path.join(tree, "readonly/inner")).st_mtime_ns, 10 ** 18)
        self.assertEqual(os.stat(os.path.join(tree, "secret")).st_mode & 0o7777, 0)
        self.assertFalse(os.path.exists(os.path.join(tree, "null")))
        self.assertSaid(done, "tree/null", "tree/suid")

    def test_t22_own_setuid_stays(self):
        folder = self.tree(mine=b"m")
        os.chown(os.path.join(folder, "mine"), NOBODY, NOBODY)
        os.chmod(os.path.join(folder, "mine"), 0o6755)
        self.create("a", "tree")
        out = self.give()
        self.as_nobody("extract", "a", cwd=out, expect=(0,))
        self.assertEqual(os.stat(os.path.join(out, "tree/mine")).st_mode & 0o7777, 0o6755)

    def test_t22_target_is_not_writable(self):
        self.tree(a=b"a")
        self.create("a", "tree")
        out = self.give()
        os.chown(out, 0, 0)
        done = self.as_nobody("extract", "a", cwd=out, expect=WARNINGS)
        self.assertSaid(done, "Permission denied")

    def test_t22_continue_into_read_only(self):
        self.tree(dir__a=b"a", dir__b=b"b")
        os.chmod(self.at("tree/dir"), 0o555)
        self.create("a", "tree")
        out = self.give()
        self.as_nobody("extract", "a", cwd=out)
        os.chmod(os.path.join(out, "tree/dir"), 0o755)
        os.unlink(os.path.join(out, "tree/dir/b"))
        os.chmod(os.path.join(out, "tree/dir"), 0o555)
        done = self.as_nobody("extract", "a", "--continue", cwd=out, expect=None)
        if not os.path.exists(os.path.join(out, "tree/dir/b")):
            self.assertIn(done.status, WARNINGS, str(done))
            self.assertSaid(done, "tree/dir/b")

    def test_t22_parents_not_selected(self):
        folder = self.tree(a__b__c=b"c")
        os.chmod(os.path.join(folder, "a"), 0o751)
        self.create("a", "tree")
        out, _ = self.extract("a", "tree/a/b/c")
        self.assertEqual(read(os.path.join(out, "tree/a/b/c")), b"c")
        self.assertEqual(os.stat(os.path.join(out, "tree/a")).st_mode & 0o7777, 0o751)

    def test_t22_repository_is_read_only(self):
        self.tree(a=b"a")
        self.create("a", "tree")
        out = self.give()
        subprocess.run(["chmod", "-R", "a-w", self.place.repository], check=True)
        for words in (["list", "a"], ["extract", "a"], [*CREATE, "b", "tree"]):
            done = self.as_nobody("--lock-wait", "0", *words, cwd=out if words[0] == "extract" else self.place.path, expect=None)
            self.assertNoCrash(done)
            if done.status:
                self.assertSaid(done, "Permission denied")


class T23OneName(StrangeCase):
    """A target that takes names for the same that differ in their letters only."""

    def test_t23_two_names_are_one(self):
        self.tree(Case_DSCP=b"the first", case_dscp=b"the second", CASE=b"alone", Other=b"o", other=b"p")
        self.create("one", "tree")
        for threads in ("1", "4"):
            out, done = self.extract("one", f"--threads={threads}", expect=WARNINGS, **self.strange(STRANGE_CASE="1"))
            self.assertNoCrash(done)
            self.assertTrue(b"tree/Case_DSCP" in done.err or b"tree/case_dscp" in done.err, str(done))
            self.assertIn(b"exists", done.err)
            names = sorted(os.listdir(os.path.join(out, "tree")))
            self.assertEqual(len(names), 4, names)
            kept = read(os.path.join(out, "tree", next(name for name in names if name.lower() == "case_dscp")))
            self.assertEqual(kept, b"the first" if "Case_DSCP" in names else b"the second")
            self.assertEqual(read(os.path.join(out, "tree", "CASE")), b"alone")
            self.assertEqual((read(os.path.join(out, "tree", "Other")), read(os.path.join(out, "tree", "other"))), (b"o", b"p"))

    def test_t23_links_and_folders(self):
        folder = self.tree(CaseDir__a=b"a", casedir__b=b"b", casedir__A=b"big a")
        os.symlink("a", os.path.join(folder, "Case_link"))
        os.symlink("b", os.path.join(folder, "case_LINK"))
        self.create("one", "tree")
        out, done = self.extract("one", expect=WARNINGS, **self.strange(STRANGE_CASE="1"))
        self.assertNoCrash(done)
        self.assertSaid(done, "exists")
        # Folders become one, with what both hold.
        names = {name.lower(): name for name in os.listdir(os.path.join(out, "tree"))}
        self.assertEqual(sorted(names), ["case_link", "casedir"])
        self.assertEqual(sorted(os.listdir(os.path.join(out, "tree", names["casedir"]))), ["A", "a", "b"])
        self.assertEqual(os.readlink(os.path.join(out, "tree", names["case_link"])), "a" if names["case_link"] == "Case_link" else "b")

    def test_t23_same_name_twice_is_no_collision(self):
        """On a file system that is particular about letters nothing changes: later items replace earlier ones."""
        self.tree(a=b"1", A=b"2", b=b"3")
        self.create("one", "tree")
        out, done = self.extract("one")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        for name in "aAb":
            trees.write(os.path.join(out, "tree", name), b"old")
        done = self.place.cairn("extract", "one", "--continue", cwd=out)
        self.assertEqual(done.err, b"")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))


class T24Sparse(TortureCase):
    def monster(self, size, *places):
        folder = self.place.folder("tree")
        path = os.path.join(folder, "monster")
        with open(path, "wb") as file:
            for place in places:
                file.seek(place)
                file.write(random.Random(place).randbytes(5000))
            try:
                file.truncate(size)
            except OSError as error:
                if error.errno == errno.EFBIG:
                    self.skipTest("files cannot be that large here")
                raise
        settle(folder)
        return path

    def usage(self):
        return sum(map(os.path.getsize, self.packs()))

    def test_t24_terabyte(self):
        self.monster(1 << 40, 0, 1 << 35, (1 << 39) + 12345)
        for name, chunker in (("fastcdc", "fastcdc,19,23,21,2"), ("fixed", "fixed,8388608")):
            with self.subTest(chunker=chunker):
                process = self.place.start(CAIRN, "create", "--sparse", "--chunker-params", chunker, name, "tree")
                _, status, use = os.wait4(process.pid, 0)
                process.stdout.close()
                process.stderr.close()
                self.assertEqual(os.waitstatus_to_exitcode(status), 0)
                self.assertLess(use.ru_maxrss, 600_000)
        self.assertLess(self.usage(), 60_000_000)
        item = [one for one in self.items("fixed") if one["path"].endswith("monster")][0]
        self.assertEqual(item["size"], 1 << 40)

    def test_t24_holes_come_back(self):
        path = self.monster(3_000_000_000, 0, 1_000_000_000, 2_999_990_000)
        for chunker in ("fastcdc,19,23,21,2", "fixed,1048576", "fixed,65536,512", "buzhash,19,23,21,4095"):
            with self.subTest(chunker=chunker):
                self.place.cairn("create", "--sparse", "--chunker-params", chunker, "sparse", "tree")
                out, _ = self.extract("sparse", "--sparse")
                got = os.path.join(out, "tree/monster")
                self.assertEqual(os.path.getsize(got), os.path.getsize(path))
                self.assertLess(os.stat(got).st_blocks * 512, 120_000_000)
                for start in (0, 999_990_000, 1_000_000_000, 2_999_980_000):
                    with open(path, "rb") as one, open(got, "rb") as two:
                        one.seek(start)
                        two.seek(start)
                        self.assertEqual(one.read(30_000), two.read(30_000))
                self.place.cairn("delete", "sparse")

    def test_t24_ends_in_a_hole(self):
        for size, places in ((100_000, (0,)), (5_000_000, ()), (10_000_000, (4096,)), (1, ()), (70_000, (65_000,))):
            path = self.monster(size, *places)
            self.create("s", "--sparse", "tree")
            self.create("d", "tree")
            for name in ("s", "d"):
                for words in ([], ["--sparse"]):
                    out, _ = self.extract(name, *words)
                    self.assertEqual(read(os.path.join(out, "tree/monster")), read(path), (size, name, words))
            self.place.cairn("delete", "s")
            self.place.cairn("delete", "d")
            shutil.rmtree(self.at("tree"))

    def test_t24_both_ways_store_the_same(self):
        self.monster(30_000_000, 0, 20_000_000)
        self.create("sparse", "--sparse", "tree")
        before = self.usage()
        self.create("dense", "tree", "--files-cache", "disabled")
        self.assertLess(self.usage() - before, 200_000)

    def test_t24_continue_over_old_content(self):
        """--sparse must not leave an old file's bytes where zeros belong."""
        path = self.monster(1_000_000, 0)
        self.create("s", "tree")
        out = self.place.folder("out")
        os.mkdir(os.path.join(out, "tree"))
        trees.write(os.path.join(out, "tree/monster"), b"\xaa" * 2_000_000)
        self.place.cairn("extract", "--continue", "--sparse", "s", cwd=out)
        self.assertEqual(read(os.path.join(out, "tree/monster")), read(path))


class T26Duplicates(TortureCase):
    def test_t26_same_chunks_in_two_packs(self):
        """Two writers store the same new chunks; compact and check cope, nothing is lost."""
        self.tree("same", **{f"f{n}": random.Random(n).randbytes(30_000) for n in range(40)})
        writers = [self.place.start(CAIRN, *CREATE, f"w{n}", "same", CAIRN_FILES_CACHE_SUFFIX=str(n)) for n in range(3)]
        for writer in writers:
            _, err = writer.communicate(timeout=120)
            self.assertEqual(writer.returncode, 0, err[-1000:])
        self.check()
        self.place.cairn("delete", "w0")
        self.place.cairn("compact", "--threshold", "0")
        self.check()
        for name in ("w1", "w2"):
            out, _ = self.extract(name)
            self.assertSame(self.at("same"), os.path.join(out, "same"))

    def test_t26_pack_without_index(self):
        self.tree(a=b"a" * 5000)
        before = set(self.objects("index"))
        self.create("one", "tree")
        for path in set(self.objects("index")) - before:
            os.unlink(path)
        shutil.rmtree(os.path.join(self.place.home, "cairn", ".cache"), ignore_errors=True)
        done = self.place.cairn("check", expect=None)
        self.assertNoCrash(done)
        out, done = self.extract("one", expect=None)
        if done.status == 0:
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.create("two", "tree", "--files-cache", "disabled")
        out, _ = self.extract("two")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_t26_compact_before_anybody_repairs(self):
        """A fragment is lost: what it named is found in the packs, not thrown away."""
        self.tree(a=b"a" * 5000, b=random.Random(3).randbytes(20_000))
        self.create("zero", "tree", "--files-cache", "disabled")
        before = set(self.objects("index"))
        self.tree("new", c=random.Random(4).randbytes(20_000))
        self.create("one", "new")
        for path in set(self.objects("index")) - before:
            os.unlink(path)
        self.place.cairn("compact", "--threshold", "0")
        self.check()
        for name, source in (("zero", "tree"), ("one", "new")):
            out, _ = self.extract(name)
            self.assertSame(self.at(source), os.path.join(out, source))

    def test_t26_index_names_a_missing_pack(self):
        self.tree(a=random.Random(1).randbytes(5000))
        self.create("one", "tree")
        for path in self.packs():
            os.unlink(path)
        for words in (["check"], ["list", "one"], ["compact"]):
            done = self.place.cairn(*words, expect=None)
            self.assertNoCrash(done)
            self.assertNotEqual(done.status, 0, words)
            self.assertTrue(done.err.strip())
        done = self.create("two", "tree", expect=None)
        self.assertNoCrash(done)

    def test_t26_pack_gone_then_backup(self):
        """A backup after a pack was lost does not take what lay there for known: it is stored again."""
        self.tree(a=random.Random(1).randbytes(50_000))
        self.create("one", "tree")
        os.unlink(max(self.packs(), key=os.path.getsize))
        done = self.create("two", "tree", expect=None)
        self.assertEqual(done.status, 0, done.err)
        self.assertIn(b"are missing from repository", done.err)
        out, _ = self.extract("two")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        # The first archive shares the content: it is whole again too, but for its own metadata if that was in the pack.
        done = self.create("three", "tree")
        self.assertNotIn(b"missing", done.err)


class T27Compressors(TortureCase):
    def test_t27_every_level_comes_back(self):
        rng = random.Random(27)
        self.tree(text=trees.content(27, 400_000), noise=rng.randbytes(100_000), zeros=bytes(300_000), empty=b"", one=b"x",
                  pattern=bytes(range(256)) * 1000)
        for spec in ("none", "lz4", "zstd,1", "zstd,22", "zstd,-5", "zlib,0", "zlib,9", "lzma,0", "lzma,9", "auto,zstd,19", "auto,lzma,6", "obfuscate,110,zstd,3",
                     "obfuscate,250,lz4"):
            with self.subTest(compression=spec):
                done = self.place.cairn("create", "-C", spec, "--chunker-params", "fixed,100000", spec.replace(",", "-"), "tree", "--files-cache", "disabled", expect=(0, 2))
                if done.status == 2:
                    self.assertSaid(done, "ompression")
                    continue
                out, _ = self.extract(spec.replace(",", "-"))
                self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.check()


class T30Excludes(TortureCase):
    def setUp(self):
        super().setUp()
        self.tree("pt", a__x=b"x", a__sub__y=b"y", b__z=b"z", **{"lib.o": b"o", "a__dir.o__in": b"i"})

    def paths(self, *words, roots=("pt",)):
        self.place.cairn(*CREATE, "e", *roots, *words)
        found = self.place.cairn("list", "--short", "e").text.splitlines()
        self.place.cairn("delete", "e")
        return sorted(found)

    ALL = ["pt", "pt/a", "pt/a/dir.o", "pt/a/dir.o/in", "pt/a/sub", "pt/a/sub/y", "pt/a/x", "pt/b", "pt/b/z", "pt/lib.o"]
    WITHOUT_A = ["pt", "pt/b", "pt/b/z", "pt/lib.o"]

    def test_t30_examples(self):
        cases = [
            ([], self.ALL),
            (["-e", "pt/a"], self.WITHOUT_A),
            (["-e", "/pt/a"], self.WITHOUT_A),
            (["-e", "pt/a/"], ["pt", "pt/a", "pt/b", "pt/b/z", "pt/lib.o"]),
            (["-e", "sh:pt/a/**"], self.WITHOUT_A),
            (["-e", "*.o"], ["pt", "pt/a", "pt/a/sub", "pt/a/sub/y", "pt/a/x", "pt/b", "pt/b/z"]),
            (["-e", "pp:pt/a"], self.WITHOUT_A),
            (["-e", "pf:pt/a/x"], [one for one in self.ALL if one != "pt/a/x"]),
            (["-e", "re:/[xyz]$"], [one for one in self.ALL if one[-2:] not in ("/x", "/y", "/z")]),
            (["--pattern", "- pt/a", "--pattern", "+ pt/a/x"], self.WITHOUT_A),
            (["--pattern", "+ pt/a/x", "--pattern", "- pt/a"], ["pt", "pt/a/x", "pt/b", "pt/b/z", "pt/lib.o"]),
            (["--pattern", "+ pt/a/x", "--pattern", "! pt/a"], self.WITHOUT_A),
            (["--pattern", "+ pt/a/x", "--pattern", "- pt/a/**"], ["pt", "pt/a/x", "pt/b", "pt/b/z", "pt/lib.o"]),
            (["--pattern", "! pt/a", "--pattern", "+ pt/a/x"], None),
            (["-e", "pt"], []),
            (["-e", "sh:**/{x,y}"], [one for one in self.ALL if one[-2:] not in ("/x", "/y")]),
        ]
        for words, want in cases:
            with self.subTest(words=words):
                found = self.paths(*words)
                if want is not None:
                    self.assertEqual(found, want)

    @unittest.skipUnless(BORG, NO_BORG)
    def test_t30_as_borg_does(self):
        for words in (["-e", "pt/a"], ["-e", "pt/a/"], ["-e", "sh:pt/a/**"], ["-e", "*.o"], ["--pattern", "- pt/a", "--pattern", "+ pt/a/x"],
                      ["--pattern", "+ pt/a/x", "--pattern", "- pt/a/**"], ["--pattern", "! pt/a", "--pattern", "+ pt/a/x"], ["--pattern", "- sh:pt/a/*"], ["-e", "./pt/a"],
                      ["-e", "pt//a"], ["-e", "pt/./a"], ["-e", "pt/b/../a"], ["-e", "**/x"], ["-e", "?t/a"], ["-e", "pt/[ab]"], ["-e", "pt/[!b]"], ["-e", "sh:pt/[!b]"], ["-e", ""]):
            with self.subTest(words=words):
                borg = self.place.borg("create", "b", "pt", *words, expect=None)
                cairn = self.place.cairn("create", "c", "pt", *words, expect=None)
                self.assertEqual(cairn.status == 0, borg.status == 0, f"{cairn}\n{borg}")
                if borg.status == 0:
                    self.assertEqual(self.place.cairn("list", "--short", "c").text, self.place.cairn("list", "--short", "b").text)
                    self.place.cairn("delete", "c")
                    self.place.cairn("delete", "b")

    def test_t30_relative_roots(self):
        here = self.place.folder("here")
        for words, want in ((["-e", "../pt/a"], ["pt", "pt/b", "pt/b/z", "pt/lib.o"]), (["-e", "pt/a"], self.ALL)):
            self.place.cairn(*CREATE, "e", "../pt", *words, cwd=here)
            self.assertEqual(sorted(self.place.cairn("list", "--short", "e").text.splitlines()), want)
            self.place.cairn("delete", "e")

    @unittest.skipUnless(program.is_root() and shutil.which("setpriv"), NO_ROOT)
    def test_t30_excluded_directory_is_not_opened(self):
        os.chmod(self.at("pt/a"), 0)
        os.chmod(self.place.path, 0o755)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.place.repository, self.place.home], check=True)
        done = self.place.run("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", CAIRN, *CREATE, "e", "pt", "-e", "pt/a")
        self.assertEqual(done.err.strip(), b"")


class T32Huge(TortureCase):
    def test_t32_hundred_thousand_in_one_directory(self):
        folder = self.place.folder("tree")
        fd = os.open(folder, os.O_RDONLY)
        for number in range(100_000):
            os.close(os.open(f"f{number}", os.O_CREAT | os.O_WRONLY, 0o644, dir_fd=fd))
        os.close(fd)
        for words in (["create", "huge", "tree"], ["create", "huge", "tree"], ["check"]):
            process = self.place.start(CAIRN, *words)
            process.stdout.close()
            process.stderr.close()
            _, status, use = os.wait4(process.pid, 0)
            self.assertIn(os.waitstatus_to_exitcode(status), (0, 100))
            self.assertLess(use.ru_maxrss, 400_000, words)
        names = list(self.place.archives())
        done = self.place.cairn("list", "--short", "aid:" + names[0][:16])
        self.assertEqual(len(done.text.splitlines()), 100_001)
        out, _ = self.extract("aid:" + names[1][:16])
        self.assertEqual(len(os.listdir(os.path.join(out, "tree"))), 100_000)


class Surroundings(TortureCase):
    def test_repository_and_cache_inside_the_tree(self):
        self.tree(a=b"a")
        for _ in range(2):
            self.create("all", ".", expect=(0, 100))
        newest = list(self.place.archives())[-1]
        paths = self.place.cairn("list", "--short", "aid:" + newest[:16]).text.splitlines()
        self.assertIn("tree/a", paths)
        self.assertEqual([path for path in paths if "/packs/" in path or path.startswith("repository/")], [])
        self.check()

    def test_read_only_mount(self):
        if not program.is_root():
            self.skipTest("needs root: mounts")
        self.tree(a=b"a")
        self.create("a", "tree")
        if subprocess.run(["mount", "--bind", self.place.repository, self.place.repository], capture_output=True, check=False).returncode:
            self.skipTest("cannot mount")
        try:
            subprocess.run(["mount", "-o", "remount,bind,ro", self.place.repository], check=True)
            done = self.create("b", "tree", expect=None)
            self.assertNoCrash(done)
            self.assertIn(done.status, range(2, 100), str(done))
            self.assertSaid(done, "Read-only file system")
            out = self.at("out")
            os.makedirs(out)
            for words in (["list", "a"], ["extract", "a"], ["repo-list"]):
                self.assertSaid(self.place.cairn(*words, cwd=out), "reading it without a lock")
            self.assertEqual(trees.differences(trees.read_tree(self.at("tree")), trees.read_tree(self.at("out/tree"))), [])
        finally:
            subprocess.run(["umount", self.place.repository], check=True)

    def shell(self, script, expect=None, **keywords):
        done = self.place.run("bash", "-c", script, "sh", CAIRN, expect=expect, **keywords)
        self.assertNoCrash(done)
        return done

    def test_deleted_working_directory(self):
        self.tree(a=b"a")
        self.create("a", "tree")
        for words in ("create b .", f"create c {self.at('tree')}", "list a", "extract a", "extract --dry-run a", "check", "repo-list"):
            with self.subTest(words=words):
                done = self.shell(f'mkdir gone; cd gone; rmdir ../gone; "$1" {words}')
                if done.status:
                    self.assertTrue(done.err.strip())
                if words == "extract a":
                    self.assertIn(done.status, (*WARNINGS, 2))

    def test_closed_streams(self):
        self.tree(a=b"a")
        self.create("a", "tree")
        for words in ("list a", "repo-list", "check", "create b tree", "create --json c tree", "create --list d tree", "extract --stdout a", "list missing"):
            for redirect in ("<&-", ">&-", "2>&-", "<&- >&- 2>&-"):
                with self.subTest(words=words, redirect=redirect):
                    self.shell(f'"$1" {words} {redirect}')
        # Descriptors 0 to 2 are free then: no file of ours may get one and be written to.
        self.check()
        for name in ("a", "b"):
            for one in [key for key, value in self.place.archives().items() if value == name]:
                out, _ = self.extract("aid:" + one[:16])
                self.assertEqual(read(os.path.join(out, "tree/a")), b"a")

    def test_closed_streams_do_not_reach_the_content(self):
        """A file opened as descriptor 2 would take our messages."""
        self.tree(a=b"a" * 100, b=b"b" * 100)
        self.create("a", "tree")
        out = self.place.folder("out")
        self.place.run("bash", "-c", '"$1" extract --list -v --debug a <&- >&- 2>&-', "sh", CAIRN, cwd=out)
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.place.run("bash", "-c", '"$1" create --list -v --debug b tree <&- >&- 2>&-', "sh", CAIRN)
        self.check()
        self.assertSame(self.at("tree"), os.path.join(self.extract("b")[0], "tree"))

    def test_reader_goes_away(self):
        self.tree(**{f"f{n}": b"" for n in range(5000)})
        self.create("a", "tree")
        for words in ("list a", "list --json-lines a", "list --format '{path}{size}{NL}' a", "extract --stdout a", "create --list --json b tree"):
            done = self.shell(f'"$1" {words} | head -1; exit ${{PIPESTATUS[0]}}')
            self.assertIn(done.status, (0, 2, 100), str(done))
        self.assertEqual(self.objects("locks"), [])

    def test_children_end_at_a_closed_pipe(self):
        """What Cairn ignores for itself its children do not."""
        loop = "yes | head -1"
        for words in (["with-lock", "sh", "-c", loop], ["create", "--content-from-command", "a", "--", "sh", "-c", loop]):
            done = self.place.cairn(*words)
            self.assertEqual(done.err.strip(), b"", str(done))

    def test_full_standard_output(self):
        self.tree(**{f"f{n}": b"x" * 3000 for n in range(50)})
        self.create("a", "tree")
        for words in ("list a", "repo-list", "extract --stdout a", "list --json-lines a"):
            done = self.shell(f'"$1" {words} > /dev/full')
            self.assertNotEqual(done.status, 0, words)
            self.assertSaid(done, "No space left")

    def test_no_home(self):
        self.tree(a=b"a")
        for variables in ({"HOME": "", "BORG_BASE_DIR": ""}, {"HOME": "/nonexistent/home", "BORG_BASE_DIR": ""}):
            done = self.place.run("env", "-u", "BORG_BASE_DIR", f"HOME={variables['HOME']}", CAIRN, *CREATE, "a", "tree", expect=None)
            self.assertNoCrash(done)

    def test_names(self):
        self.tree(a=b"a")
        self.create("n" * 200, "tree")
        for bad in ("n" * 201, "n" * 100_000, "", " x", "x ", "a/b", "a\nb", "a\x1bb", os.fsdecode(b"a\xff"), "a*", "{nope}", "{", "{now"):
            with self.subTest(name=bad[:20]):
                done = self.create(bad, "tree", expect=None)
                self.assertNoCrash(done)
                self.assertIn(done.status, range(2, 100))
        self.assertEqual(len(self.place.archives()), 1)

    def test_only_empty_files(self):
        self.tree(**{f"f{n}": b"" for n in range(100)})
        self.create("a", "tree")
        out, _ = self.extract("a")
        self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_archive_without_items(self):
        self.place.folder("tree")
        self.create("a", "tree", "-e", "*")
        self.place.cairn("create", "--paths-from-stdin", "b", stdin=b"")
        for name in ("a", "b"):
            for words in (["list", name], ["info", name], ["extract", "--dry-run", name]):
                self.assertEqual(self.place.cairn(*words).status, 0)
            out, _ = self.extract(name)
            self.assertEqual(os.listdir(out), [])
        self.check()
        self.place.cairn("compact")

    def test_whole_machine_dry_run(self):
        done = self.place.cairn("create", "--dry-run", "x", "/etc", "/dev", "-e", "/proc", "-e", "/sys", expect=(0, *WARNINGS), timeout=300)
        self.assertNoCrash(done)
        self.assertEqual(self.place.archives(), {})

    def test_threads(self):
        self.tree(**{f"d{n % 5}__f{n}": random.Random(n).randbytes(20_000) for n in range(80)})
        for threads in ("1", "2", "33", "1000"):
            with self.subTest(threads=threads):
                done = self.create("t" + threads, "--threads", threads, "tree", CAIRN_TEST_DELAY="500", expect=None)
                self.assertNoCrash(done)
                if done.status != 0:
                    self.assertIn(done.status, (2,))
                    continue
                out, _ = self.extract("t" + threads, "--threads", threads, CAIRN_TEST_DELAY="500")
                self.assertSame(self.at("tree"), os.path.join(out, "tree"))
        self.check()

    def limited(self, limit, *words, **keywords):
        return self.place.run("bash", "-c", f'{limit}; exec "$0" "$@"', CAIRN, *words, expect=None, **keywords)

    def test_few_descriptors(self):
        self.tree(**{f"d{n % 5}__f{n}": random.Random(n).randbytes(20_000) for n in range(300)})
        for count in (256, 64, 32, 20, 12, 8):
            with self.subTest(descriptors=count):
                done = self.limited(f"ulimit -n {count}", *CREATE, f"n{count}", "tree")
                self.assertNoCrash(done)
                if count >= 32:
                    self.assertEqual(done.status, 0, str(done))
                if done.status == 0:
                    out, _ = self.extract(f"n{count}")
                    self.assertSame(self.at("tree"), os.path.join(out, "tree"))
                    shutil.rmtree(out)
                    os.mkdir(out)
                    done = self.limited(f"ulimit -n {count}", "extract", f"n{count}", cwd=out)
                    self.assertNoCrash(done)
                    if done.status == 0:
                        self.assertSame(self.at("tree"), os.path.join(out, "tree"))
                    self.assertTrue(done.status == 0 or count < 32, str(done))
        self.check()

    def test_little_memory(self):
        """Running out of memory ends with a message or is survived; it never damages the repository."""
        self.tree(**{f"f{n}": random.Random(n).randbytes(300_000) for n in range(30)})
        for kib in (2_000_000, 500_000, 200_000, 100_000, 60_000, 40_000):
            with self.subTest(kib=kib):
                done = self.limited(f"ulimit -v {kib}", *CREATE, f"m{kib}", "tree")
                if done.status < 0:
                    self.assertIn(-done.status, (signal.SIGABRT,), str(done))
                if done.status != 0:
                    self.assertTrue(done.err.strip(), "no message")
                    self.place.cairn("break-lock")
        self.check()
        for name in self.place.archives().values():
            out, _ = self.extract(name)
            self.assertSame(self.at("tree"), os.path.join(out, "tree"))

    def test_file_size_limit(self):
        self.tree(big=random.Random(1).randbytes(3_000_000), small=b"s")
        done = self.limited("ulimit -f 1000", *CREATE, "a", "tree")
        self.assertNoCrash(done)
        self.assertNotEqual(done.status, 0)
        self.create("b", "tree")
        out = self.place.folder("out")
        done = self.limited("ulimit -f 1000", "extract", "b", cwd=out)
        self.assertNoCrash(done)
        self.assertIn(done.status, WARNINGS)
        self.assertEqual(read(os.path.join(out, "tree/small")), b"s")
        self.check()

    def test_option_combinations(self):
        self.tree(a=b"a", b__c=b"c")
        self.create("a", "tree")
        for words in (["create", "x"], ["create", "x", "-"], ["create", "x", "tree", "-"], ["create", "--stdin-name", "../x", "x", "-"], ["create", "--dry-run", "--stats", "x", "tree"],
                      ["create", "--dry-run", "--json", "x", "tree"], ["create", "--list", "--json", "x", "tree"], ["create", "--progress", "--list", "x", "tree"],
                      ["create", "--paths-from-stdin", "--content-from-command", "x", "true"], ["create", "--content-from-command", "x", "false"],
                      ["create", "--content-from-command", "x", "/nonexistent"], ["create", "--paths-from-command", "x", "false"], ["create", "--chunker-params", "fixed,0", "x", "tree"],
                      ["create", "--chunker-params", "fastcdc,1,2,3,4", "x", "tree"], ["create", "--chunker-params", "fixed,99999999999999", "x", "tree"], ["create", "--chunker-params", "", "x", "tree"],
                      ["create", "-C", "zstd,99", "x", "tree"], ["create", "-C", "lz4,5", "x", "tree"], ["create", "--timestamp", "never", "x", "tree"], ["create", "--timestamp", "9999-12-31T23:59:59", "x9999", "tree"],
                      ["create", "--timestamp", "0001-01-01T00:00:00", "x0001", "tree"], ["create", "--digests", "md6", "x", "tree"], ["create", "--files-cache", "size", "x", "tree"],
                      ["create", "--comment", "c" * 20_000, "x", "tree"], ["create", "--tag", "@PROT", "x", "tree"], ["create", "--tag", "a b", "x", "tree"], ["extract", "--stdout", "--continue", "a"],
                      ["extract", "--dry-run", "--stdout", "a"], ["extract", "--strip-components", "-1", "a"], ["extract", "--strip-components", "99999999999", "a"],
                      ["extract", "--strip-components", "5", "--stdout", "a"], ["list", "--depth", "-1", "a"], ["list", "--format", "{nope}", "a"], ["list", "--format", "{path:>999999999}", "a"],
                      ["list", "--format", "{", "a"], ["list", "--sort-by", "nope", "a"], ["list", "a", ""], ["list", ""], ["check", "--max-duration", "1", "--repair"],
                      ["check", "--repository-only", "--archives-only"], ["check", "--max-age", "x"], ["compact", "--threshold", "101"], ["compact", "--threshold", "-1"], ["delete"],
                      ["delete", "a", "-a", "b"], ["--threads", "0", "list", "a"], ["--threads", "-1", "list", "a"], ["--umask", "9", "list", "a"], ["--lock-wait", "-5", "list", "a"], ["--lock-wait", "x", "list", "a"],
                      ["create", "--read-special-timeout", "-1", "x", "tree"], ["extract", "a", "re:("], ["create", "-e", "re:(", "x", "tree"], ["create", "-e", "zz:x", "x", "tree"], ["create", "--patterns-from", "/", "x", "tree"],
                      ["create", "--exclude-from", "/dev/null", "xn", "tree"], ["create", "--map", "/dev/null", "x", "tree"], ["list", "aid:"], ["list", "aid:zz"], ["list", "tags:"], ["info", "date:x"]):
            with self.subTest(words=" ".join(words)[:80]):
                out = self.at("out")
                shutil.rmtree(out, ignore_errors=True)
                os.mkdir(out)
                done = self.place.cairn(*words, cwd=out if words[0] == "extract" else None, expect=None, timeout=60)
                self.assertNoCrash(done)
                if done.status:
                    self.assertTrue(done.err.strip(), "no message")
        self.check()

    def test_database_like_file(self):
        """A file that is written in place all the time still gives an archive, with a warning for it."""
        folder = self.tree(db=random.Random(1).randbytes(4_000_000), other=b"o")
        stop = threading.Event()

        def write():
            rng = random.Random(2)
            with open(os.path.join(folder, "db"), "r+b") as file:
                while not stop.is_set():
                    file.seek(rng.randrange(4_000_000 - 4096))
                    file.write(rng.randbytes(4096))
                    file.flush()
        writer = threading.Thread(target=write)
        writer.start()
        try:
            done = self.create("db", "--list", "tree", expect=(0, 100), timeout=120)
        finally:
            stop.set()
            writer.join()
        self.assertSaid(done, "tree/db")
        out, _ = self.extract("db")
        self.assertEqual(os.path.getsize(os.path.join(out, "tree/db")), 4_000_000)
        self.assertEqual(read(os.path.join(out, "tree/other")), b"o")


class T15Keys(TortureCase):
    def test_t15_wrong_passphrase(self):
        self.tree(a=b"a")
        self.create("a", "tree")
        for words in (["list", "a"], ["create", "b", "tree"], ["check"], ["compact"], ["delete", "a"]):
            done = self.place.cairn(*words, expect=(52, 53), BORG_PASSPHRASE="wrong")
            self.assertNoCrash(done)
            self.assertNotIn(b"wrong", done.err)
        self.assertEqual(self.objects("locks"), [])

    def test_t15_odd_passphrases(self):
        for passphrase in ("", " ", "ü", "x" * 10_000, "new\nline"):
            with self.subTest(passphrase=passphrase[:5]), Place(BORG_PASSPHRASE=passphrase) as place:
                done = place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256", expect=None)
                self.assertNoCrash(done)
                if done.status == 0:
                    place.cairn("repo-list")
                    place.cairn("repo-list", expect=(52, 53), BORG_PASSPHRASE=passphrase + "x")

    def test_t15_repository_swapped(self):
        """Another repository at the known place is noticed before anything is written."""
        self.tree(a=b"a")
        self.create("a", "tree")
        shutil.rmtree(self.place.repository)
        self.place.cairn("repo-create", "-e", "authenticated-sha256", "-i", "sha256", expect=None, BORG_BASE_DIR=self.at("elsewhere"))
        done = self.create("b", "tree", expect=None, BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK="no", BORG_RELOCATED_REPO_ACCESS_IS_OK="no")
        self.assertNoCrash(done)


@unittest.skipUnless(BORG, NO_BORG)
class SharedObjects(TortureCase):
    """A file whose content equals a piece of an archive's item stream shares that object, whichever came first."""

    def setUp(self):
        super().setUp()
        self.tree("small", x=b"content of x")
        self.create("small", "small")
        dump = self.place.folder("dump")
        self.place.borg("debug", "dump-archive-items", "small", cwd=dump)
        [self.piece] = os.listdir(dump)
        settle(dump)

    def test_stream_first(self):
        self.place.cairn("create", "copy", "dump")
        out, _ = self.extract("copy")
        self.assertSame(self.at("dump"), os.path.join(out, "dump"))
        self.assertEqual(self.place.cairn("extract", "--stdout", "copy").out, read(self.at("dump", self.piece)))
        self.check()

    def test_content_first(self):
        self.place.cairn("delete", "small")
        self.place.cairn("compact", "--threshold", "0")
        self.place.cairn("create", "copy", "dump")
        self.create("again", "small", "--files-cache", "disabled")
        out, _ = self.extract("again")
        self.assertSame(self.at("small"), os.path.join(out, "small"))
        self.check()
        self.place.cairn("compact", "--threshold", "0")
        self.assertEqual(len(self.items("again")), 2)
