"""extract into a target: what may be written where, what is left alone, exact mirrors, interruptions and full disks."""
import errno
import os
import shutil
import signal
import stat
import subprocess
import threading
import time
import unittest

import program
import trees
from program import CAIRN, IN_MEMORY, NO_ROOT, Place

WARNINGS = (1, *range(100, 114))
OLD = 10 ** 18  # a time in 2001
NOBODY = 65534


def write(path, data=b"x", when=OLD):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    trees.write(path, data)
    os.utime(path, ns=(when, when), follow_symlinks=False)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def identities(root):
    """{path: (inode, ctime)}: what was left alone keeps both."""
    found = {}
    for folder, _, files in os.walk(root):
        for name in files:
            st = os.lstat(os.path.join(folder, name))
            found[os.path.relpath(os.path.join(folder, name), root)] = (st.st_ino, st.st_ctime_ns)
    return found


class ExtractCase(unittest.TestCase):
    maxDiff = 4000

    def setUp(self):
        self.place = Place(IN_MEMORY)
        self.addCleanup(self.place.remove)
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")

    def at(self, *names):
        return os.path.join(self.place.path, *names)

    def create(self, name, root, *words):
        """Archives what is in the folder `root`, under names relative to it."""
        self.place.cairn("create", "--chunker-params", "fastcdc,10,14,12,2", name, *(words or (".",)), cwd=root)
        return trees.as_archived(trees.read_tree(root))

    def mirror(self, name, *words, target="mirror", expect=(0,), **keywords):
        return self.place.cairn("extract", "--target", self.at(target), "--overwrite", "--delete", name, *words, expect=expect, **keywords)

    def assertTree(self, want, root, **keywords):
        found = trees.differences(want, trees.read_tree(root), **keywords)
        self.assertEqual(found, [], trees.show(found))

    def lines(self, done):
        return sorted(done.err.decode().splitlines())


class Target(ExtractCase):
    def setUp(self):
        super().setUp()
        write(self.at("src/dir/file"), b"content")
        os.chmod(self.at("src/dir"), 0o750)
        self.tree = self.create("a", self.at("src"))

    def test_is_made_with_its_parents(self):
        self.place.cairn("extract", "--target", self.at("new/deep/er"), "a")
        self.assertTree(self.tree, self.at("new/deep/er"))

    def test_empty_one_is_taken(self):
        os.mkdir(self.at("empty"))
        self.place.cairn("extract", "--target", "empty", "a")
        self.assertTree(self.tree, self.at("empty"))

    def test_link_to_a_directory_is_the_directory(self):
        os.mkdir(self.at("real"))
        os.symlink("real", self.at("link"))
        self.place.cairn("extract", "--target", "link", "a")
        self.assertTree(self.tree, self.at("real"))

    def test_not_empty(self):
        write(self.at("full/other"), b"mine")
        for words in ([], ["--delete"], ["--delete", "--continue"], ["--dry-run"]):
            done = self.place.cairn("extract", "--target", "full", *words, "a", expect=(2,))
            self.assertIn("The target directory full is not empty.", done.err.decode())
            self.assertIn("--overwrite", done.err.decode())
            self.assertEqual(os.listdir(self.at("full")), ["other"])

    def test_no_directory(self):
        write(self.at("file"))
        for words in ([], ["--overwrite"], ["--overwrite", "--delete"]):
            done = self.place.cairn("extract", "--target", "file", *words, "a", expect=(2,))
            self.assertIn("Not a directory: 'file'", done.err.decode())
        self.assertEqual(read(self.at("file")), b"x")

    def test_nothing_is_made_for_what_fails(self):
        self.place.cairn("extract", "--target", "new", "no-such-archive", expect=(4,))
        self.place.cairn("extract", "--target", "new", "a", expect=(52,), BORG_PASSPHRASE="wrong")
        self.place.cairn("extract", "--target", "new", "--dry-run", "--list", "a")
        self.assertFalse(os.path.exists(self.at("new")))

    def test_words_that_do_not_go_together(self):
        for words in (["--delete"], ["--delete", "--overwrite"], ["--target", "new", "--stdout"], ["--target", ""], ["--check-content"],
                      ["--target", "new", "--delete", "--exclude", "x"], ["--target", "new", "--delete", "--pattern", "- x"],
                      ["--overwrite", "--stdout"]):
            done = self.place.cairn("extract", *words, "a", expect=(2,))
            self.assertIn("error: ", done.err.decode())
        done = self.place.cairn("extract", "--target", "new", "--overwrite", "--delete", "a", "dir", expect=(2,))
        self.assertIn("--delete takes the whole archive", done.err.decode())
        self.assertFalse(os.path.exists(self.at("new")))

    def test_continue_and_overwrite_keep_what_is_not_archived(self):
        for word in ("--continue", "--overwrite"):
            write(self.at(word, "other"), b"mine")
            write(self.at(word, "dir/file"), b"older")
            self.place.cairn("extract", "--target", self.at(word), word, "a")
            self.assertEqual(read(self.at(word, "other")), b"mine")
            self.assertEqual(read(self.at(word, "dir/file")), b"content")


class Parents(ExtractCase):
    """What is selected lies in directories that are not."""

    def setUp(self):
        super().setUp()
        for path in ("top/a/b/file", "top/a/c/other", "top/z/last"):
            write(self.at("src", path), path.encode())
        for path, mode in (("top/a/b", 0o551), ("top/a", 0o2751), ("top/z", 0o700), ("top", 0o755)):
            if program.is_root():
                os.chown(self.at("src", path), 12, 34)
            os.chmod(self.at("src", path), mode)
            trees.possible(os.setxattr, self.at("src", path), b"user.of", path.encode())
            os.utime(self.at("src", path), ns=(OLD, OLD))
        self.tree = self.create("all", self.at("src"), "top")

    def part(self, *paths):
        return {os.fsencode(path): self.tree[os.fsencode(path)] for path in paths}

    def assertPart(self, want, root):
        found = trees.read_tree(root)
        found.pop(b"")
        self.assertEqual(trees.differences(want, found), [])

    def test_get_what_the_archive_knows(self):
        self.place.cairn("extract", "--target", "out", "all", "top/a/b/file")
        self.assertPart(self.part("top", "top/a", "top/a/b", "top/a/b/file"), self.at("out"))

    def test_with_patterns(self):
        self.place.cairn("extract", "--target", "out", "all", "--pattern", "+ re:file$", "--pattern", "- **")
        self.assertPart(self.part("top", "top/a", "top/a/b", "top/a/b/file"), self.at("out"))

    def test_in_the_working_directory(self):
        os.mkdir(self.at("out"))
        self.place.cairn("extract", "all", "top/z/last", cwd=self.at("out"))
        self.assertPart(self.part("top", "top/z", "top/z/last"), self.at("out"))

    def test_with_components_stripped(self):
        self.place.cairn("extract", "--target", "out", "--strip-components", "1", "all", "top/a/c/other")
        want = self.part("top/a", "top/a/c", "top/a/c/other")
        self.assertPart({path.removeprefix(b"top/"): facts for path, facts in want.items()}, self.at("out"))

    def test_that_were_there_and_are_others_stay_as_they_are(self):
        for word in ("--continue", "--overwrite"):
            out = self.at("out" + word)
            os.makedirs(os.path.join(out, "top/a"))
            os.chmod(os.path.join(out, "top"), 0o700)
            self.place.cairn("extract", "--target", out, word, "all", "top/a/b/file")
            self.assertEqual(stat.S_IMODE(os.stat(os.path.join(out, "top")).st_mode), 0o700)
            self.assertEqual(trees.read_tree(os.path.join(out, "top/a/b")), trees.read_tree(self.at("src/top/a/b")))

    def test_whose_items_come_after_their_children(self):
        tar = self.at("late.tar")
        subprocess.run(["tar", "--no-recursion", "--numeric-owner", "-cf", tar, "top/a/b/file", "top/z", "top/a/b", "top/a", "top"],
                       cwd=self.at("src"), check=True)
        self.place.cairn("import-tar", "late", tar)
        self.place.cairn("extract", "--target", "out", "late", "top/a/b/file")
        for path in ("top", "top/a", "top/a/b"):
            for fact in ("mode", "uid", "gid", "mtime"):
                self.assertEqual(trees.describe(self.at("out", path))[fact], self.tree[path.encode()][fact], (path, fact))

    @unittest.skipUnless(IN_MEMORY and shutil.which("strace"), "needs strace")
    def test_of_an_interrupted_run_are_finished(self):
        for call, number in (("openat", 1), ("fsetxattr", 1), ("futimens", 1), ("utimensat", 1), ("utimensat", 2), ("fchmod", 2)):
            shutil.rmtree(self.at("out"), ignore_errors=True)
            self.place.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"inject={call}:signal=KILL:when={number}", "-P", self.at("out/top/a/b/file"),
                           CAIRN, "extract", "--target", self.at("out"), "all", "top/a/b/file", expect=None)
            self.place.cairn("break-lock")
            self.place.cairn("extract", "--target", "out", "--continue", "all", "top/a/b/file")
            self.assertPart(self.part("top", "top/a", "top/a/b", "top/a/b/file"), self.at("out"))


class LeftAlone(ExtractCase):
    """What is equal is not written; what is not equal is."""

    def setUp(self):
        super().setUp()
        trees.build_tree(self.at("src"), big=300_000)
        os.utime(self.at("src/sizes/random4096"), ns=(OLD, OLD))
        self.tree = self.create("a", self.at("src"))
        self.place.cairn("extract", "--target", "mirror", "a")
        self.before = identities(self.at("mirror"))

    def changed(self):
        after = identities(self.at("mirror"))
        return sorted(path for path in self.before.keys() | after.keys() if self.before.get(path) != after.get(path))

    def listed(self, done):
        """Without the rest of names with line feeds in them."""
        return [line for line in done.err.decode("utf-8", "replace").split("\n") if line[1:2] == " " and line[0] in "+-=mMD"]

    # Times near now and in the future do not count as equal unread, but are not written.
    def test_everything(self):
        for words in ([], ["--check-content"]):
            self.mirror("a", *words)
            self.assertTree(self.tree, self.at("mirror"))
            self.assertEqual(self.changed(), [])
        self.place.cairn("extract", "--continue", "a", cwd=self.at("mirror"))
        self.assertEqual(self.changed(), [])

    def test_dry_run_says_so(self):
        done = self.mirror("a", "--dry-run", "--list")
        self.assertEqual({line[:2] for line in self.listed(done)}, {"= "})
        self.assertEqual(self.changed(), [])

    def test_only_attributes(self):
        changes = {
            "sizes/random1": lambda path: os.chmod(path, 0o600),
            "sizes/random2": lambda path: os.utime(path, ns=(5, 5)),
            "plain/file01": lambda path: os.setxattr(path, "user.more", b"1"),
            "xattrs/one": lambda path: os.removexattr(path, "user.text"),
        }
        if program.is_root():
            changes["plain/file02"] = lambda path: os.chown(path, 77, 78)
            changes["acls/file"] = lambda path: subprocess.run(["setfacl", "-b", path], check=True)
            changes["plain/file04"] = lambda path: subprocess.run(["setfacl", "-m", "u:9:r", path], check=True)
        for path, change in changes.items():
            try:
                change(self.at("mirror", path))
            except OSError as error:
                if error.errno not in (errno.ENOTSUP, errno.ENODATA):
                    raise
        done = self.mirror("a", "--dry-run", "--list")
        marked = {line for line in self.listed(done) if line[0] != "="}
        self.assertLessEqual(marked, {f"m {path}" for path in changes})
        self.assertIn("m sizes/random1", marked)
        self.mirror("a")
        self.assertTree(self.tree, self.at("mirror"))
        after = identities(self.at("mirror"))
        for path in changes:
            self.assertEqual(after[path][0], self.before[path][0], f"{path} was written")

    def test_content(self):
        """Same size, same time: only reading can tell."""
        path = self.at("mirror/sizes/random4096")
        st = os.stat(path)
        data = bytearray(read(path))
        data[2000] ^= 1
        trees.write(path, bytes(data))
        os.utime(path, ns=(st.st_atime_ns, st.st_mtime_ns))
        self.mirror("a")
        self.assertEqual(read(path), data)
        self.mirror("a", "--check-content")
        self.assertTree(self.tree, self.at("mirror"))

    def test_content_of_another_time(self):
        for change in (lambda data: data[:-1] + b"!", lambda data: data + b"!", lambda data: data[:-1], lambda data: b""):
            path = self.at("mirror/sizes/random65536")
            trees.write(path, change(read(self.at("src/sizes/random65536"))))
            self.mirror("a")
            self.assertTree(self.tree, self.at("mirror"))

    def test_other_links(self):
        os.unlink(self.at("mirror/links/second"))
        shutil.copy2(self.at("mirror/links/first"), self.at("mirror/links/second"))
        os.unlink(self.at("mirror/plain/file03"))
        os.link(self.at("mirror/plain/file05"), self.at("mirror/plain/file03"))
        outside = self.at("outside")
        trees.write(outside, b"")
        os.link(self.at("mirror/plain/file06"), self.at("outside-link"))
        os.chmod(self.at("outside-link"), 0o600)
        before = trees.describe(self.at("outside-link"))
        self.mirror("a")
        self.assertTree(self.tree, self.at("mirror"))
        self.assertEqual(trees.describe(self.at("outside-link")), before)

    def test_other_types(self):
        def replace(path, make):
            path = self.at("mirror", path)
            if os.path.isdir(path) and not os.path.islink(path):
                shutil.rmtree(path)
            elif os.path.lexists(path):
                os.unlink(path)
            make(path)

        replace("sizes/random1", os.mkdir)
        replace("sizes/random2", lambda path: os.symlink("/etc/passwd", path))
        replace("links/symlink", lambda path: os.symlink("elsewhere", path))
        replace("links/dangling", lambda path: trees.write(path, b"f"))
        replace("special/fifo", lambda path: trees.write(path, b"f"))
        replace("plain/deep", lambda path: os.symlink(self.at("src"), path))
        replace("empty", lambda path: trees.write(path, b"f"))
        replace("plain/file07", lambda path: write(os.path.join(path, "in/the/way")))
        replace("names", lambda path: os.mkfifo(path))
        self.mirror("a")
        self.assertTree(self.tree, self.at("mirror"))
        self.assertEqual(trees.differences(self.tree, trees.as_archived(trees.read_tree(self.at("src")))), [])


class Mirror(ExtractCase):
    def setUp(self):
        super().setUp()
        trees.build_tree(self.at("one"), seed=1, big=200_000)
        trees.build_tree(self.at("two"), seed=2, big=200_000)
        for path in ("two/plain/deep", "two/xattrs"):
            shutil.rmtree(self.at(path))
        write(self.at("two/plain/deep"), b"now a file")
        write(self.at("two/new/er/file"))
        os.unlink(self.at("one/special/fifo"))
        os.mkdir(self.at("one/special/fifo"))
        self.trees = {name: self.create(name, self.at(name)) for name in ("one", "two")}

    def test_from_one_state_to_the_other_and_back(self):
        if program.is_root():
            # What may not be changed or removed is another test's matter.
            for path in ("special/immutable", "special/append-only"):
                for name in ("one", "two"):
                    subprocess.run(["chattr", "-ia", self.at(name, path)], stderr=subprocess.DEVNULL, check=False)
            self.trees = {name: self.create(name + " plain", self.at(name)) for name in ("one", "two")}
        for name in ("one", "two", "one", "one", "two"):
            self.mirror(name + (" plain" if program.is_root() else ""))
            self.assertTree(self.trees[name], self.at("mirror"))

    def test_dry_run_lists_and_keeps(self):
        self.place.cairn("extract", "--target", "mirror", "two")
        write(self.at("mirror/more/of/it"))
        before = trees.read_tree(self.at("mirror"))
        done = self.mirror("two", "--dry-run")
        self.assertEqual(self.lines(done), ["D more", "D more/of", "D more/of/it"])
        done = self.mirror("two", "--dry-run", "--list")
        self.assertLessEqual({"D more", "D more/of", "D more/of/it", "= plain/deep"}, set(done.err.decode("utf-8", "replace").splitlines()))
        self.assertEqual(trees.read_tree(self.at("mirror")), before)
        done = self.mirror("two", "--list")
        self.assertEqual([line for line in self.lines(done) if line.startswith("D")], ["D more", "D more/of", "D more/of/it"])
        self.assertTree(self.trees["two"], self.at("mirror"))

    def test_deep_and_strange_names(self):
        self.mirror("two")
        trees.build_long_path(self.at("mirror/long"))
        os.mkdir(os.path.join(os.fsencode(self.at("mirror")), b"\xff\n"))
        write(os.path.join(os.fsencode(self.at("mirror")), b"\xff\n", b"\xfe").decode("utf-8", "surrogateescape"))
        self.mirror("two")
        self.assertTree(self.trees["two"], self.at("mirror"))

    def test_links_are_removed_not_followed(self):
        self.mirror("two")
        write(self.at("outside/precious"), b"p")
        before = trees.read_tree(self.at("outside"))
        os.symlink(self.at("outside"), self.at("mirror/link"))
        os.makedirs(self.at("mirror/more"))
        os.symlink(self.at("outside"), self.at("mirror/more/link"))
        os.symlink(self.at("outside/precious"), self.at("mirror/plain/more"))
        shutil.rmtree(self.at("mirror/new"))
        os.symlink(self.at("outside"), self.at("mirror/new"))
        self.mirror("two")
        self.assertTree(self.trees["two"], self.at("mirror"))
        self.assertEqual(trees.read_tree(self.at("outside")), before)

    def test_directories_exchanged_for_links_meanwhile(self):
        write(self.at("outside/plain/precious"), b"p")
        write(self.at("outside/more/precious"), b"p")
        before = trees.read_tree(self.at("outside"))
        stop = threading.Event()

        def exchange():
            while not stop.is_set():
                for name in ("plain", "more"):
                    try:
                        os.rename(self.at("mirror", name), self.at("aside"))
                        os.symlink(self.at("outside", name), self.at("mirror", name))
                        os.unlink(self.at("mirror", name))
                        os.rename(self.at("aside"), self.at("mirror", name))
                    except OSError:
                        shutil.rmtree(self.at("aside"), ignore_errors=True)

        for _ in range(5):
            for number in range(40):
                write(self.at(f"mirror/more/{number}/x"))
            thread = threading.Thread(target=exchange)
            thread.start()
            self.mirror("two", expect=None)
            stop.set()
            thread.join()
            stop.clear()
            self.assertEqual(trees.read_tree(self.at("outside")), before)

    @unittest.skipUnless(program.is_root(), "needs root: mounts")
    def test_mount_points(self):
        self.mirror("two")
        for path in ("extra/mounted", "new/er"):
            os.makedirs(self.at("mirror", path), exist_ok=True)
            if subprocess.run(["mount", "-t", "tmpfs", "none", self.at("mirror", path)], capture_output=True, check=False).returncode:
                self.skipTest("cannot mount a tmpfs")
            self.addCleanup(subprocess.run, ["umount", "-l", self.at("mirror", path)], check=False)
            write(self.at("mirror", path, "precious"), b"p")
        os.mkdir(self.at("mirror/bound"))
        write(self.at("outside/precious"), b"p")
        subprocess.run(["mount", "--bind", self.at("outside"), self.at("mirror/bound")], check=True)
        self.addCleanup(subprocess.run, ["umount", "-l", self.at("mirror/bound")], check=False)
        write(self.at("mirror/extra/gone"))
        done = self.mirror("two", expect=WARNINGS)
        for path in ("extra/mounted", "new/er", "bound"):
            self.assertIn(f"{path}: is a mount point", done.err.decode())
            self.assertEqual(read(self.at("mirror", path, "precious")), b"p")
        self.assertFalse(os.path.exists(self.at("mirror/extra/gone")))
        self.assertEqual(read(self.at("mirror/new/er/file")), b"x")

    @unittest.skipUnless(program.is_root() and shutil.which("setpriv"), NO_ROOT)
    def test_read_only_directories_of_a_user(self):
        write(self.at("three/shut/in/file"), b"1")
        write(self.at("three/kept/file"), b"2")
        for path in ("three/shut/in", "three/shut", "three/kept", "three"):
            os.chmod(self.at(path), 0o555)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.at("three")], check=True)
        tree = self.create("three", self.at("three"))
        os.chmod(self.place.path, 0o755)
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.place.repository, self.place.home], check=True)
        os.mkdir(self.at("base"))
        os.chown(self.at("base"), NOBODY, NOBODY)

        def mirror(expect=(0,)):
            return self.place.run("setpriv", "--reuid", str(NOBODY), "--regid", str(NOBODY), "--clear-groups", CAIRN, "extract", "--target",
                                  self.at("base/mirror"), "--overwrite", "--delete", "three", expect=expect)

        mirror()
        self.assertTree(tree, self.at("base/mirror"))
        os.chmod(self.at("base/mirror/kept/file"), 0o644)
        trees.write(self.at("base/mirror/kept/file"), b"changed")
        trees.write(self.at("base/mirror/shut/more"), b"more")
        os.makedirs(self.at("base/mirror/shut/in/gone/deep"))
        trees.write(self.at("base/mirror/shut/in/gone/deep/x"), b"x")
        subprocess.run(["chown", "-R", f"{NOBODY}:{NOBODY}", self.at("base")], check=True)
        for path, mode in (("shut/in/gone/deep", 0), ("shut/in/gone", 0o555), ("shut/in", 0o555), ("shut", 0o555)):
            os.chmod(self.at("base/mirror", path), mode)
        mirror()
        self.assertTree(tree, self.at("base/mirror"))
        # What is another user's cannot go, and is told.
        write(self.at("base/mirror/theirs/file"))
        done = mirror(expect=WARNINGS)
        self.assertIn("theirs/file: delete: ", done.err.decode())
        self.assertEqual(read(self.at("base/mirror/theirs/file")), b"x")

    def test_immutable_files_are_told(self):
        self.mirror("two")
        write(self.at("mirror/more/locked"))
        if not trees.possible(trees.set_flags, self.at("mirror/more/locked"), 0x10) or not trees.get_flags(self.at("mirror/more/locked")) & 0x10:
            self.skipTest("no flags here")
        write(self.at("mirror/more/other"))
        done = self.mirror("two", expect=WARNINGS)
        self.assertIn("more/locked: delete: ", done.err.decode())
        self.assertEqual(os.listdir(self.at("mirror/more")), ["locked"])

    def test_repository_inside_is_safe(self):
        os.mkdir(self.at("store"))
        os.rename(self.place.repository, self.at("store/repository"))
        for target, repository in (("store", "store/repository"), ("store/repository/packs", "store/repository"), ("link", "store/repository"),
                                   ("store/../store", "store/repository"), ("store/repository", "store/repository")):
            if not os.path.lexists(self.at("link")):
                os.symlink("store", self.at("link"))
            done = self.mirror("two", target=target, BORG_REPO=self.at(repository), expect=(2,))
            self.assertIn("--delete is refused", done.err.decode())
        self.place.cairn("check", BORG_REPO=self.at("store/repository"))

    def test_nothing_of_the_archive(self):
        write(self.at("mirror/mine"), b"mine")
        done = self.mirror("two", "--strip-components", "99", expect=(2,))
        self.assertIn("nothing is deleted", done.err.decode())
        self.assertEqual(read(self.at("mirror/mine")), b"mine")

    def test_archive_that_cannot_be_read_deletes_nothing(self):
        write(self.at("mirror/mine"), b"mine")
        packs = [os.path.join(folder, name) for folder, _, files in os.walk(os.path.join(self.place.repository, "packs")) for name in files]
        for pack in packs:
            size = os.path.getsize(pack)
            data = bytearray(read(pack))
            for at in range(200, size, 97):
                data[at] ^= 0x55
            trees.write(pack, bytes(data))
        done = self.mirror("two", expect=None)
        self.assertNotEqual(done.status, 0)
        self.assertEqual(read(self.at("mirror/mine")), b"mine")

    def test_strip_components(self):
        write(self.at("deep/a/b/file"), b"f")
        write(self.at("deep/top"), b"t")
        tree = self.create("deep", self.at("deep"), "a", "top")
        write(self.at("mirror/b/more"))
        write(self.at("mirror/top"))
        self.mirror("deep", "--strip-components", "1")
        found = trees.read_tree(self.at("mirror"))
        self.assertEqual(sorted(found), [b"", b"b", b"b/file"])
        self.assertEqual(found[b"b/file"], tree[b"a/b/file"])


class Interrupted(ExtractCase):
    """Whatever happened to an extraction, --continue and --overwrite make it what the archive says."""

    def setUp(self):
        super().setUp()
        trees.build_small_tree(self.at("src"), files=10)
        write(self.at("src/large"), trees.content("large", 400_000, compressible=False))
        write(self.at("src/sparse"), bytes(200_000) + b"end" + bytes(100_000))
        for folder, folders, files in os.walk(self.at("src"), topdown=False):
            for name in folders + files:
                os.utime(os.path.join(folder, name), ns=(OLD, OLD), follow_symlinks=False)
        os.utime(self.at("src"), ns=(OLD, OLD))
        os.chmod(self.at("src/folder"), 0o555)
        self.tree = self.create("a", self.at("src"))

    def finish(self, word, *words, what=""):
        self.place.cairn("extract", "--target", "out", word, *words, "a")
        found = trees.differences(self.tree, trees.read_tree(self.at("out")))
        self.assertEqual(found, [], f"{what}\n{trees.show(found)}")

    def kill_at(self, call, number, *words):
        done = self.place.run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={call}", "-e", f"inject={call}:signal=KILL:when={number}",
                              CAIRN, "extract", "--target", self.at("out"), *words, "a", expect=None)
        return done.status != 0

    @unittest.skipUnless(shutil.which("strace"), "needs strace")
    def test_killed_at_many_points(self):
        for words in ([], ["--sparse"]):
            for call in ("pwrite64", "utimensat", "fchownat", "linkat", "mkdirat", "unlinkat", "ioctl"):
                for number in (1, 2, 3, 5, 8, 13):
                    shutil.rmtree(self.at("out"), ignore_errors=True)
                    more = words + (["--overwrite"] if call == "unlinkat" else [])
                    if call == "unlinkat":
                        self.place.cairn("extract", "--target", "out", "a")
                        for name in ("large", "file0", "empty", "sparse"):
                            trees.write(self.at("out", name), b"changed")
                    if not self.kill_at(call, number, *more):
                        break
                    self.place.cairn("break-lock")
                    self.finish("--continue" if number % 2 else "--overwrite", what=f"killed at {call} {number}")

    def test_changed_in_between(self):
        changes = {
            "shorter": lambda path: os.truncate(path, 100),
            "longer": lambda path: os.truncate(path, 500_000),
            "empty": lambda path: os.truncate(path, 0),
            "zeros of the same size": lambda path: trees.write(path, bytes(400_000)),
            "a directory": lambda path: (os.unlink(path), os.mkdir(path)),
            "a link": lambda path: (os.unlink(path), os.symlink("file0", path)),
            "a fifo": lambda path: (os.unlink(path), os.mkfifo(path)),
            "gone": os.unlink,
            "a name of another": lambda path: (os.unlink(path), os.link(self.at("out/sparse"), path)),
        }
        for word in ("--continue", "--overwrite"):
            for what, change in changes.items():
                shutil.rmtree(self.at("out"), ignore_errors=True)
                self.place.cairn("extract", "--target", "out", "a")
                change(self.at("out/large"))
                self.finish(word, what=f"{word}: {what}")

    @unittest.skipUnless(program.is_root(), "needs root: mounts a small file system")
    def test_disk_full(self):
        for words in ([], ["--sparse"]):
            os.makedirs(self.at("out"), exist_ok=True)
            if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=300k", "none", self.at("out")], capture_output=True, check=False).returncode:
                self.skipTest("cannot mount a tmpfs")
            try:
                done = self.place.cairn("extract", "--target", "out", *words, "a", expect=WARNINGS)
                self.assertIn("No space left on device", done.err.decode())
                subprocess.run(["mount", "-o", "remount,size=4m", self.at("out")], check=True)
                # Nothing that is not complete has the archived time.
                for path, facts in trees.read_tree(self.at("out")).items():
                    if facts["type"] == stat.S_IFREG and facts["mtime"] == self.tree[path]["mtime"]:
                        self.assertEqual(facts["sha256"], self.tree[path]["sha256"], path)
                self.finish("--continue")
                # An exact mirror needs no room for what it deletes.
                with open(self.at("out/filler"), "wb") as filler:
                    try:
                        while True:
                            filler.write(bytes(65536))
                            filler.flush()
                    except OSError:
                        pass
                os.unlink(self.at("out/large"))
                self.mirror("a", target="out")
                self.assertTree(self.tree, self.at("out"))
            finally:
                subprocess.run(["umount", "-l", self.at("out")], check=False)

    def test_damaged_files_are_not_taken_for_complete(self):
        good = self.at("good")
        shutil.copytree(self.place.repository, good)
        chunks = self.place.cairn("list", "a", "--format", "{path} {size}{NL}").text
        self.assertIn("large", chunks)
        packs = sorted((os.path.getsize(path), path) for path in
                       (os.path.join(folder, name) for folder, _, files in os.walk(os.path.join(self.place.repository, "packs")) for name in files))
        size, pack = packs[-1]
        data = bytearray(read(pack))
        for at in range(size // 2, size // 2 + 60_000, 3000):
            data[at] ^= 1
        trees.write(pack, bytes(data))
        self.place.cairn("extract", "--target", "out", "a", expect=(113,))
        shutil.rmtree(self.place.repository)
        shutil.copytree(good, self.place.repository)
        self.finish("--continue")


if __name__ == "__main__":
    unittest.main()
