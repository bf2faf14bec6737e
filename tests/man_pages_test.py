"""The manual pages under docs/man are those that the program's own option tables give."""
import os
import subprocess
import tempfile
import unittest

from program import CAIRN, ROOT

PAGES = os.path.join(ROOT, "docs", "man")


class ManPages(unittest.TestCase):
    def test_pages_are_up_to_date(self):
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run([CAIRN, "help", "--man", folder], check=True)
            self.assertEqual(sorted(os.listdir(folder)), sorted(os.listdir(PAGES)),
                             "make them again: build/dev/bin/cairn help --man docs/man")
            for name in sorted(os.listdir(folder)):
                with open(os.path.join(folder, name), encoding="utf-8") as made, \
                        open(os.path.join(PAGES, name), encoding="utf-8") as kept:
                    self.assertEqual(made.read(), kept.read(), name)


if __name__ == "__main__":
    unittest.main()
