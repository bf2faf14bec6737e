"""--progress of commands on a terminal of 80 columns."""
import fcntl
import os
import pty
import struct
import subprocess
import termios
import unittest

import trees
from program import CAIRN, Place


class Progress(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        tree = cls.place.folder("tree")
        trees.write(os.path.join(tree, "one"), b"1")
        cls.place.cairn("repo-create", "--encryption", "authenticated-sha256")
        cls.place.cairn("create", "first", "tree")
        trees.write(os.path.join(tree, "two"), b"2")
        cls.place.cairn("create", "second", "tree")

    def on_terminal(self, *words):
        """What the program writes to a terminal that is its standard error alone, and its standard output."""
        terminal, other = pty.openpty()
        fcntl.ioctl(other, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 80, 0, 0))
        try:
            done = subprocess.run([CAIRN, *words], cwd=self.place.path, env=self.place.environment(), stdout=subprocess.PIPE, stderr=other,
                                  timeout=60, check=True)
            os.write(other, b"END")
            text = b""
            while not text.endswith(b"END"):
                text += os.read(terminal, 65536)
        finally:
            os.close(terminal)
            os.close(other)
        return text[:-len(b"END")].decode(), done.stdout.decode()

    def test_find_says_which_archive(self):
        shown, found = self.on_terminal("find", "--progress", "--format", "{archivename} {path}{NL}", "tree/one")
        self.assertRegex(shown, r"Searching \w+ [^\r]*\(1/2\): 0 items.*\r\x1b\[KSearching \w+ [^\r]*\(2/2\): 0 items\r\x1b\[K$")
        self.assertEqual(sorted(found.splitlines()), ["first tree/one", "second tree/one"])

    def test_diff_says_what_is_compared(self):
        shown, found = self.on_terminal("diff", "--progress", "--format", "{path}{NL}", "first", "second", "tree/two")
        self.assertRegex(shown, r"^Comparing first and second: 0 items.*\r\x1b\[K$")
        self.assertEqual(found, "tree/two\n")

    def test_nothing_unless_asked_for(self):
        for words in (("find", "tree/one"), ("diff", "first", "second")):
            self.assertEqual(self.on_terminal(*words)[0], "")


if __name__ == "__main__":
    unittest.main()
