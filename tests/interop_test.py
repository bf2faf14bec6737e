"""Cairn and the real Borg 2 on the same repositories, in all six suites and both ways (docs/format/repository.md, section 20)."""
import json
import os
import re
import shutil
import unittest

import program
import trees
from program import BORG, CAIRN, Place


class InteropCase(unittest.TestCase):
    """One tree for all tests of a class."""

    @classmethod
    def setUpClass(cls):
        if not BORG:
            raise unittest.SkipTest(program.NO_BORG)
        if not program.is_root():
            raise unittest.SkipTest(program.NO_ROOT)
        cls.source = Place()
        cls.addClassCleanup(cls.source.remove)
        trees.build_tree(os.path.join(cls.source.path, "tree"))
        trees.build_small_tree(os.path.join(cls.source.path, "small"), files=40, size=60_000)
        cls.tree = trees.as_archived(trees.read_tree(os.path.join(cls.source.path, "tree")))
        cls.small = trees.as_archived(trees.read_tree(os.path.join(cls.source.path, "small")))

    def create(self, place, who, name, what, *options, **more):
        return place.run(who, "create", *options, name, what, cwd=self.source.path, **more)

    def extract_and_compare(self, place, who, name, what="tree", *options):
        out = place.folder(f"out-{name}-{os.path.basename(who)}")
        place.run(who, "extract", *options, name, cwd=out)
        want = self.tree if what == "tree" else self.small
        found = trees.differences(want, trees.read_tree(os.path.join(out, what)))
        self.assertEqual(found, [], f"{os.path.basename(who)} extract {name}:\n{trees.show(found)}")
        return os.path.join(out, what)

    def count_chunks(self, place):
        """How many ids the repository has, after reading every one of them."""
        log = place.borg("check", "--verify-data", "-v").err.decode()
        match = re.search(r"verified (\d+) chunks with 0 integrity errors", log)
        self.assertTrue(match, log)
        return int(match[1])

    def archive_metadata(self, place, name):
        return json.loads(place.borg("debug", "dump-archive", name, "-").out)["_meta"]


class BothWaysCase(InteropCase):
    """One program makes the repository, the other works in it, the first goes on."""

    def both_ways(self, first, second, encryption, id_hash):
        with Place() as place:
            place.run(first, "repo-create", "-e", encryption, "-i", id_hash)
            self.create(place, first, "one", "tree")
            self.create(place, first, "gone", "small")

            place.run(second, "check", "--verify-data")
            self.assertEqual(sorted(place.archives(second).values()), ["gone", "one"])
            self.extract_and_compare(place, second, "one")
            sparse = self.extract_and_compare(place, second, "gone", "small", "--sparse")
            shutil.rmtree(sparse)
            self.create(place, second, "two", "tree")
            place.run(second, "delete", "gone")
            place.run(second, "compact")

            place.run(first, "check", "--verify-data")
            self.assertEqual(sorted(place.archives(first).values()), ["one", "two"])
            self.extract_and_compare(place, first, "one")
            out = self.extract_and_compare(place, first, "two", "tree", "--sparse")
            for name in ("holes/only-a-hole", "sizes/zeros"):
                allocated = os.lstat(os.path.join(out, name)).st_blocks * 512
                self.assertLess(allocated, 100_000, f"{name} was restored without holes")
            self.create(place, first, "three", "small")
            place.run(second, "check", "--verify-data")


def add_suites(case, first, second):
    for name, encryption, id_hash in program.SUITES:
        setattr(case, "test_" + name.replace("-", "_"),
                lambda self, encryption=encryption, id_hash=id_hash: self.both_ways(first, second, encryption, id_hash))


class CairnThenBorg(BothWaysCase):
    pass


class BorgThenCairn(BothWaysCase):
    pass


add_suites(CairnThenBorg, CAIRN, BORG)
add_suites(BorgThenCairn, BORG, CAIRN)


class SameIds(InteropCase):
    """The same tree gives the same ids: the second backup adds its archive object and nothing else."""

    def second_adds_one(self, first, second, encryption, id_hash, *options):
        with Place() as place:
            place.run(first, "repo-create", "-e", encryption, "-i", id_hash)
            self.create(place, first, "one", "tree", "--files-cache=disabled", *options)
            before = self.count_chunks(place)
            self.create(place, second, "two", "tree", "--files-cache=disabled", *options)
            self.assertEqual(self.count_chunks(place), before + 1)
            one, two = self.archive_metadata(place, "one"), self.archive_metadata(place, "two")
            for fact in ("item_ptrs", "size", "nfiles", "chunker_params", "cwd"):
                self.assertEqual(one[fact], two[fact], fact)

    def test_cairn_then_borg(self):
        self.second_adds_one(CAIRN, BORG, "aes256-ocb", "blake3")

    def test_borg_then_cairn(self):
        self.second_adds_one(BORG, CAIRN, "chacha20-poly1305", "sha256")

    def test_authenticated(self):
        self.second_adds_one(BORG, CAIRN, "authenticated-blake3", "blake3")

    def test_chunkers(self):
        for params in ("fastcdc,10,16,13,2", "buzhash,10,16,13,4095", "buzhash64,10,16,13,4095,2", "fixed,4096,512"):
            with self.subTest(chunker=params):
                self.second_adds_one(CAIRN, BORG, "aes256-ocb", "sha256", "--chunker-params", params)

    def test_times_and_identities_left_out(self):
        self.second_adds_one(BORG, CAIRN, "aes256-ocb", "sha256", "--atime", "--noctime", "--numeric-ids", "--noflags", "--noxattrs", "--noacls")


class SeveralWriters(InteropCase):
    def test_two_of_cairn_and_one_of_borg_at_once(self):
        with Place(BORG_LOCK_WAIT="60") as place:
            place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")
            writers = []
            for number, who in enumerate((CAIRN, CAIRN, BORG)):
                base = place.folder("home", f"writer{number}")
                writers.append(place.start(who, "create", f"archive{number}", "tree", cwd=self.source.path, BORG_BASE_DIR=base))
            for writer in writers:
                _, err = writer.communicate(timeout=300)
                self.assertEqual(writer.returncode, 0, err.decode(errors="replace"))
            place.cairn("check", "--verify-data")
            place.borg("check", "--verify-data")
            for number, who in enumerate((BORG, CAIRN, CAIRN)):
                self.extract_and_compare(place, who, f"archive{number}")
            place.cairn("compact")
            place.borg("check", "--verify-data")
            place.cairn("check", "--verify-data")

    def test_changes_by_the_other_are_seen(self):
        with Place() as place:
            place.borg("repo-create", "-e", "aes256-ocb", "-i", "blake3")
            for number in range(4):
                self.create(place, (CAIRN, BORG)[number % 2], f"archive{number}", "small")
                place.run((BORG, CAIRN)[number % 2], "delete", f"archive{number}")
                place.run((CAIRN, BORG)[number % 2], "compact")
            self.assertEqual(place.archives(), {})
            self.create(place, CAIRN, "last", "small")
            self.extract_and_compare(place, BORG, "last", "small")
            place.borg("check", "--verify-data")


class Threads(InteropCase):
    """The number of threads and their timing change nothing that is stored."""

    def test_any_number_of_threads_gives_the_same_ids(self):
        with Place() as place:
            place.cairn("repo-create", "-e", "authenticated-sha256", "-i", "sha256")
            pristine = os.path.join(place.path, "pristine")
            shutil.copytree(place.repository, pristine)
            seen = {}
            for seed, threads in enumerate((1, 2, 3, 8, 33)):
                shutil.rmtree(place.repository)
                shutil.copytree(pristine, place.repository)
                self.create(place, CAIRN, "one", "tree", "--chunker-params", "fastcdc,10,16,13,2", f"--threads={threads}",
                            BORG_BASE_DIR=place.folder("home", f"threads{threads}"), CAIRN_TEST_DELAY=str(seed))
                meta = self.archive_metadata(place, "one")
                seen[threads] = (meta["item_ptrs"], meta["size"], meta["nfiles"], self.count_chunks(place))
                self.extract_and_compare_with_threads(place, threads)
            self.assertEqual(len({json.dumps(facts) for facts in seen.values()}), 1, seen)

    def extract_and_compare_with_threads(self, place, threads):
        out = place.folder(f"out{threads}")
        place.cairn("extract", f"--threads={threads}", "one", cwd=out, CAIRN_TEST_DELAY=str(threads))
        found = trees.differences(self.tree, trees.read_tree(os.path.join(out, "tree")))
        self.assertEqual(found, [], trees.show(found))


class CairnAlone(unittest.TestCase):
    def test_paths_longer_than_the_kernel_takes(self):
        with Place() as place:
            length = trees.build_long_path(os.path.join(place.path, "long"))
            self.assertGreater(length, 4096)
            place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")
            place.cairn("create", "one", "long")
            listed = place.cairn("list", "--short", "one").out.splitlines()
            self.assertEqual(len(listed), 47)
            self.assertGreater(len(listed[-1]), 4096)
            out = place.folder("out")
            place.cairn("extract", "one", cwd=out)
            fd = os.open(os.path.join(out, "long"), os.O_RDONLY)
            for _ in range(45):
                inner = os.open("n" * 100, os.O_RDONLY, dir_fd=fd)
                os.close(fd)
                fd = inner
            leaf = os.open("leaf", os.O_RDONLY, dir_fd=fd)
            self.assertEqual(os.read(leaf, 100), b"at the end\n")
            os.close(leaf)
            os.close(fd)
