"""Which files the next backup of a series need not read, by the times that --files-cache looks at (docs/format/archive.md, section 5)."""
import os
import unittest

from program import CAIRN, Place

BY_MTIME = ["--files-cache", "mtime,size,inode"]
YEAR = 31_536_000


class FilesCache(unittest.TestCase):
    """Files that were copied here with their times: every ctime is of now, every mtime is old."""

    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.tree = self.place.folder("tree")
        for year in range(6):
            path = os.path.join(self.tree, str(year))
            with open(path, "w", encoding="ascii") as file:
                file.write(str(year))
            os.utime(path, (1_500_000_000, 1_500_000_000 + year * YEAR))
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")

    def letters(self, *words):
        done = self.place.run(CAIRN, "create", *words, "--files-changed", "disabled", "--json", "series", "tree")
        return {letter: count for letter, count in done.json()["archive"]["stats"]["files_stats"].items() if letter != "d" and count}

    def test_only_the_newest_mtime_is_in_doubt(self):
        self.assertEqual(self.letters(*BY_MTIME), {"A": 6})
        self.assertEqual(self.letters(*BY_MTIME), {"A": 1, "U": 5})
        self.assertEqual(self.letters(*BY_MTIME), {"A": 1, "U": 5})

    def test_what_was_not_read_stays_known(self):
        self.letters(*BY_MTIME)
        os.unlink(os.path.join(self.tree, "5"))
        for _ in range(3):
            self.assertEqual(self.letters(*BY_MTIME), {"U": 5})

    def test_the_other_mode_does_not_rely_on_what_was_too_new(self):
        self.letters(*BY_MTIME)
        self.assertEqual(self.letters("--files-cache", "ctime,size,inode"), {"A": 1, "M": 5})

    def test_old_files_that_are_read_do_not_take_newer_ones_with_them(self):
        without_oldest = [*BY_MTIME, "--exclude", "tree/0"]
        self.letters(*without_oldest)
        os.unlink(os.path.join(self.tree, "5"))
        self.assertEqual(self.letters(*without_oldest), {"U": 4})
        self.assertEqual(self.letters(*BY_MTIME), {"A": 1, "U": 4})
        self.assertEqual(self.letters(*BY_MTIME)["U"], 4)
