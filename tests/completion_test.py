"""The scripts of `completion`: bash completes what it should; the other shells, where they are, take the script."""
import os
import re
import shutil
import subprocess
import unittest

from program import CAIRN, Place

# Sets up what bash gives a completion function, and prints what it offers.
COMPLETE = r"""
source script
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_cairn
printf '%s\n' "${COMPREPLY[@]}"
"""


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        os.symlink(os.path.abspath(CAIRN), os.path.join(cls.place.path, "cairn"))
        for shell in ("bash", "zsh", "fish", "tcsh", "powershell"):
            with open(os.path.join(cls.place.path, f"script.{shell}"), "wb") as file:
                file.write(cls.place.run(os.path.join(cls.place.path, "cairn"), "completion", shell).out)
        os.rename(os.path.join(cls.place.path, "script.bash"), os.path.join(cls.place.path, "script"))

    def script(self, shell):
        name = "script" if shell == "bash" else f"script.{shell}"
        with open(os.path.join(self.place.path, name), encoding="utf-8") as file:
            return file.read()

    def offered(self, *words):
        environment = self.place.environment()
        environment["PATH"] = self.place.path + ":" + environment["PATH"]
        done = subprocess.run(["bash", "-c", COMPLETE, "bash", "cairn", *words], cwd=self.place.path, env=environment, capture_output=True,
                              check=True)
        self.assertEqual(done.stderr, b"")
        return done.stdout.decode().split()

    def test_bash_offers_commands_and_their_second_words(self):
        self.assertEqual(self.offered("pru"), ["prune"])
        self.assertEqual(self.offered("key", "ex"), ["export"])
        self.assertIn("create", self.offered(""))

    def test_bash_offers_options_of_the_command(self):
        self.assertEqual(self.offered("create", "--exclude-c"), ["--exclude-caches"])
        self.assertEqual(self.offered("--log-json", "key", "export", "--pap"), ["--paper"])
        self.assertEqual(self.offered("prune", "--exclude-c"), [])

    def test_bash_offers_values(self):
        self.assertEqual(self.offered("create", "--files-changed", ""), ["ctime", "mtime", "disabled"])
        self.assertEqual(self.offered("create", "--files-changed", "=", "m"), ["mtime"])
        self.assertEqual(self.offered("completion", "z"), ["zsh"])
        self.assertEqual(self.offered("create", "--exclude-from", "scrip"), [name for name in self.offered("list", "x", "scrip")])

    def test_bash_offers_archives_of_the_repository(self):
        self.place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
        self.place.cairn("create", "monday", "script")
        self.place.cairn("create", "sunday", "script")
        self.assertEqual(self.offered("info", "m"), ["monday"])
        self.assertEqual(self.offered("-r", self.place.repository, "diff", "monday", "s"), ["sunday"])
        self.assertEqual(self.offered("create", "m"), [])

    def test_every_option_is_in_every_script(self):
        helped = self.place.cairn("help").text
        commands = re.findall(r"^  ([a-z-]+) ", helped[helped.index("commands:"):helped.index("topics")], re.MULTILINE)
        self.assertIn("prune", commands)
        options = set()
        for command in commands:
            options |= set(re.findall(r"^  (?:-\w, )?(--[a-z0-9-]+)", self.place.cairn("help", "--usage-only", command).text, re.MULTILINE))
        for shell in ("bash", "zsh", "fish", "tcsh", "powershell"):
            script = self.script(shell)
            missing = [name for name in sorted(options) if not re.search(rf"(?:--|-l |[( ]){name[2:]}(?![\w-])", script)]
            self.assertEqual(missing, [], shell)

    def test_the_shells_take_their_scripts(self):
        checks = {"bash": ["bash", "-n", "script"], "zsh": ["zsh", "-n", "script.zsh"], "fish": ["fish", "--no-execute", "script.fish"],
                  "tcsh": ["tcsh", "-f", "script.tcsh"]}
        for shell, words in checks.items():
            if shutil.which(shell):
                done = subprocess.run(words, cwd=self.place.path, capture_output=True, check=False)
                self.assertEqual((done.returncode, done.stderr), (0, b""), shell)


if __name__ == "__main__":
    unittest.main()
