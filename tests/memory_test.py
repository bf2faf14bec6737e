"""Commands that read archives need no more memory for many files than for a few.

Memory is the peak of the resident set; what is compared is its growth between archives of 20,000 and of 200,000 files,
which as items would be at least 30 MiB more.
"""
import os
import subprocess
import sys
import unittest

import program
from program import CAIRN, IN_MEMORY, Place

FEW, MANY = 20_000, 200_000
MIB = 1 << 20
VARIANTS = ("plain", "many", "reversed")

# What may wait for its partner, or for being sorted, has a limit of its own (32 MiB), which the larger ones reach.
BOUNDED = ["list plain", "list --json-lines plain", "list --short --depth 1 plain", "find sh:**/*00?.txt", "info plain", "diff plain many",
           "diff --json-lines plain many", "diff --content-only plain many", "extract --dry-run plain", "export-tar plain -",
           "recreate --dry-run --exclude sh:**/*00?.txt -a plain", "repo-list"]
# A table of chunks is made for these; there are few in the archives.
WITH_TABLES = ["check --archives-only", "check --verify-data", "analyze", "compact --dry-run"]
LIMITED = ["list --sort-by path plain", "list --sort-by >size,<path --json-lines plain", "diff --sort-by path plain many", "diff plain reversed"]


def many_files():
    """The module of bench/, of which no compiled copy is to be left there."""
    folder = os.path.join(program.ROOT, "bench")
    sys.path.insert(0, folder)
    kept, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        import many_files as module
    finally:
        sys.path.remove(folder)
        sys.dont_write_bytecode = kept
    return module


def is_instrumented():
    """A sanitizer's own memory is far larger than what is looked for."""
    with open(CAIRN, "rb") as file:
        text = file.read()
    return b"__asan_init" in text or b"__tsan_init" in text


@unittest.skipIf(is_instrumented(), "a sanitizer keeps memory of its own")
class Growth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.places = {}
        generator = many_files()
        for count in (FEW, MANY):
            place = cls.places[count] = Place(parent=IN_MEMORY)
            place.cairn("repo-create", "--encryption", "authenticated-blake3", "--id-hash", "blake3")
            for variant in VARIANTS:
                writer = subprocess.Popen([sys.executable, "-B", "-c", GENERATE, generator.__file__, str(count), variant], stdout=subprocess.PIPE)
                cls.peak(place, ["import-tar", variant, "-"], stdin=writer.stdout)
                writer.stdout.close()
                if writer.wait() != 0:
                    raise program.Failed("the tar stream was not made")

    @classmethod
    def tearDownClass(cls):
        for place in cls.places.values():
            place.remove()

    @staticmethod
    def peak(place, words, stdin=subprocess.DEVNULL):
        os.makedirs(os.path.join(place.home, "cairn"), exist_ok=True)
        process = subprocess.Popen([CAIRN, *words], cwd=place.path, env=place.environment(TMPDIR=place.path), stdin=stdin,
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            raise program.Failed(f"{' '.join(words)}: exit status {process.returncode}")
        return usage.ru_maxrss * 1024

    def growth(self, words):
        few, many = (self.peak(self.places[count], words.split()) for count in (FEW, MANY))
        return many - few

    def test_streams(self):
        for words in BOUNDED:
            with self.subTest(words):
                self.assertLess(self.growth(words), 8 * MIB)

    def test_tables_of_chunks(self):
        # 2,000 and 20,000 chunks
        for words in WITH_TABLES:
            with self.subTest(words):
                self.assertLess(self.growth(words), 16 * MIB)

    def test_what_waits_or_is_sorted(self):
        for words in LIMITED:
            with self.subTest(words):
                self.assertLess(self.peak(self.places[MANY], words.split()), 100 * MIB)


GENERATE = """
import os, sys
sys.path.insert(0, os.path.dirname(sys.argv[1]))
import many_files
many_files.write_tar(sys.stdout.buffer, int(sys.argv[2]), sys.argv[3])
"""
