"""How the folders that a user names are called in lists and patterns: as Borg calls them."""
import os
import unittest

import program
from program import BORG, CAIRN, Place

# Words behind "create -n --list", run in the folder that holds "tree"; and the lines, whatever their order.
CASES = [
    (["name", "."], ["+ .", "+ tree", "+ tree/one", "+ tree/sub", "+ tree/sub/two"]),
    (["-e", "pp:tree/sub", "name", "."], ["+ .", "+ tree", "+ tree/one", "- tree/sub"]),
    (["-e", "tree", "name", "."], ["+ .", "- tree"]),
    (["-e", "*/two", "name", "tree/"], ["+ tree", "+ tree/one", "+ tree/sub", "- tree/sub/two"]),
    (["-e", "pf:tree/sub/two", "name", "./tree"], ["+ tree", "+ tree/one", "+ tree/sub", "- tree/sub/two"]),
    (["name", "tree/./sub"], ["+ tree/sub", "+ tree/sub/two"]),
    (["name", "tree/../tree/sub/"], ["+ tree/sub", "+ tree/sub/two"]),
    (["name", "tree/one", "tree/sub/two"], ["+ tree/one", "+ tree/sub/two"]),
]


class Roots(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        cls.work = cls.place.folder("work")
        os.makedirs(os.path.join(cls.work, "tree", "sub"))
        for name in ("one", "sub/two"):
            with open(os.path.join(cls.work, "tree", name), "w", encoding="ascii") as file:
                file.write(name)
        cls.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")

    def lists(self, who):
        for words, lines in CASES:
            with self.subTest(words=words):
                done = self.place.run(who, "create", "-n", "--list", *words, cwd=self.work)
                self.assertEqual(sorted(done.err.decode().splitlines()), lines)

    def test_cairn(self):
        self.lists(CAIRN)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_the_expected_lines_are_those_of_borg(self):
        self.lists(BORG)
