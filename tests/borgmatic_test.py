"""borgmatic, where it is installed, drives Cairn with the configuration (and the wrapper, if it is old) of docs/frontends.md."""
import json
import os
import re
import shutil
import subprocess
import unittest

import program
import trees
from program import CAIRN, ROOT, Place

BORGMATIC = shutil.which("borgmatic")


def blocks():
    """The indented texts of docs/frontends.md."""
    with open(os.path.join(ROOT, "docs", "frontends.md"), encoding="utf-8") as file:
        found = re.findall(r"(?:^ {4}.*\n|^\n(?= {4}))+", file.read(), re.MULTILINE)
    return [re.sub(r"^ {4}", "", text, flags=re.MULTILINE).lstrip("\n") for text in found]


def block(start):
    return next(text for text in blocks() if text.startswith(start))


@unittest.skipUnless(BORGMATIC, "borgmatic is not installed")
@unittest.skipUnless(program.is_root(), program.NO_ROOT)
class Borgmatic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        cls.programs = cls.place.folder("programs")
        cls.source = os.path.join(cls.place.path, "source")
        trees.build_small_tree(cls.source)
        os.symlink(os.path.abspath(CAIRN), os.path.join(cls.programs, "cairn"))
        cls.environment = cls.place.environment()
        cls.environment["PATH"] = cls.programs + ":" + cls.environment["PATH"]
        for name in ("BORG_REPO", "BORG_PASSPHRASE"):
            del cls.environment[name]
        os.makedirs(cls.environment["HOME"])
        version = subprocess.run([BORGMATIC, "--version"], env=cls.environment, capture_output=True, check=True, text=True).stdout
        cls.is_old = tuple(map(int, re.findall(r"\d+", version)[:2])) < (1, 9)
        borg = os.path.join(cls.programs, "borg")
        if cls.is_old:
            trees.write(borg, block("#!/bin/bash").encode())
            os.chmod(borg, 0o755)
        else:
            os.symlink("cairn", borg)
        text = block("location:" if cls.is_old else "source_directories:")
        for what, by in (("- /home", f"- {cls.source}"), ("/backup/repository", cls.place.repository), ("/usr/local/lib/cairn/borg", borg),
                         ('"..."', '"a passphrase"')):
            assert what in text, what
            text = text.replace(what, by)
        trees.write(os.path.join(cls.place.path, "config.yaml"), text.encode())

    def borgmatic(self, *words):
        words = [BORGMATIC, "--config", "config.yaml", "--log-file", os.path.join(self.place.path, "log"), *words]
        done = subprocess.run(words, cwd=self.place.path, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True, check=False)
        self.assertEqual(done.returncode, 0, f"{words}\n{done.stdout.decode()}{done.stderr.decode()}")
        return done.stdout.decode()

    def repository_action(self, name):
        return ("r" if self.is_old else "repo-") + name

    def archives(self):
        return json.loads(self.borgmatic(self.repository_action("list"), "--json"))[0]["archives"]

    def test_a_day_with_borgmatic(self):
        self.borgmatic(self.repository_action("create"), "--encryption", "aes256-ocb")
        if self.is_old:  # newer ones look for a key "mode", which Borg 2 does not print
            self.borgmatic("rcreate", "--encryption", "aes256-ocb")  # is there already: no error
        information = json.loads(self.borgmatic(self.repository_action("info"), "--json"))[0]
        self.assertEqual(information["encryption"]["encryption"], "aes256-ocb")
        path = self.source[1:]

        listed = self.borgmatic("create", "--stats", "--list")
        self.assertRegex(listed, f"A .*{path}/empty\n")
        created = json.loads(self.borgmatic("create", "--json"))[0]["archive"]
        self.borgmatic("create")
        archives = self.archives()
        self.assertEqual(len(archives), 3)
        self.assertEqual(archives[1]["id"], created["id"])
        self.assertEqual({one["name"] for one in archives}, {created["name"]})

        self.assertIn(f"{path}/folder/file1\n", self.borgmatic("list", "--archive", "latest"))
        self.assertEqual(self.borgmatic("list", "--find", "folder/hard").count(f"{path}/folder/hard"), 3)
        latest = json.loads(self.borgmatic("info", "--archive", "latest", "--json"))[0]["archives"]
        self.assertEqual([one["id"] for one in latest], [archives[2]["id"]])

        self.borgmatic("check", "--force")
        self.borgmatic("check", "--force", "--only", "data")
        pruned = self.borgmatic("prune", "--list")
        self.assertEqual(pruned.count("Keeping archive") + pruned.count("Pruning archive"), 3)
        self.assertEqual(len(self.archives()), pruned.count("Keeping archive"))
        self.borgmatic("compact")

        target = self.place.folder("target")
        self.borgmatic("extract", "--archive", "latest", "--destination", target, "--path", path)
        differences = trees.differences(trees.read_tree(self.source), trees.read_tree(os.path.join(target, path)))
        self.assertEqual(differences, [], trees.show(differences))
        self.borgmatic("export-tar", "--archive", "latest", "--destination", os.path.join(self.place.path, "all.tar"))
        names = subprocess.run(["tar", "tf", "all.tar"], cwd=self.place.path, capture_output=True, check=True, text=True).stdout
        self.assertIn(f"{path}/empty\n", names)
        self.borgmatic("break-lock")

        count = len(self.archives())
        self.borgmatic("--verbosity", "1")
        self.assertGreater(len(self.archives()), count - 1)
        self.place.cairn("check", "--verify-data", BORG_PASSPHRASE="a passphrase")


if __name__ == "__main__":
    unittest.main()
