"""The scripts of `completion` in the shells that are there: they take the script, and complete what they should."""
import os
import pty
import re
import select
import shutil
import subprocess
import time
import unittest

import trees
from program import CAIRN, Place

# Sets up what bash gives a completion function, and prints what it offers.
COMPLETE = r"""
source script
compopt() { :; }
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
_shtab_cairn
printf '%s\n' "${COMPREPLY[@]}"
"""


# zsh and tcsh complete only on a terminal. What the program is called with then is printed by one that stands in for it.
STAND_IN = """#!/bin/bash
case " $* " in
  *"{tags}"*) echo red,green; exit ;;
  *"aid:{id}"*) echo aid:12ab; exit ;;
  *" repo-list "*) echo monday; [[ " $* " = *" --repo /other "* ]] && echo sunday; exit ;;
  *" list "*" monday "*) printf 'detc\\n-etc/hosts\\n'; exit ;;
esac
echo "<$*>"
"""
ZSHRC = """
unset zle_bracketed_paste
fpath=($HOME $fpath)
autoload -Uz compinit && compinit -u -D
PS1='READ''Y'
"""
TCSHRC = """
source ~/script.tcsh
set prompt = "READ""Y"
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
        cls.stand_in = cls.place.folder("stand-in")
        for name, text in (("stand-in/cairn", STAND_IN), (".zshrc", ZSHRC), (".tcshrc", TCSHRC)):
            trees.write(os.path.join(cls.place.path, name), text.encode())
        os.chmod(os.path.join(cls.stand_in, "cairn"), 0o755)
        shutil.copy(os.path.join(cls.place.path, "script.zsh"), os.path.join(cls.place.path, "_cairn"))

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
        return [line for line in done.stdout.decode().splitlines() if line]

    def typed(self, shell, text):
        """What the program gets when the text, a tab and the return key are typed."""
        environment = {"PATH": self.stand_in + ":" + os.environ["PATH"], "HOME": self.place.path, "TERM": "xterm", "LC_ALL": "C.UTF-8"}
        child, terminal = pty.fork()
        if child == 0:
            os.chdir(self.place.path)
            os.execvpe(shell, [shell, "-i"], environment)
        output, keys, limit = b"", text.encode() + b"\t\r", time.monotonic() + 60
        try:
            while not (found := re.search(rb"<(.*)>", output)) and time.monotonic() < limit:
                if select.select([terminal], [], [], 1)[0]:
                    output += os.read(terminal, 65536)
                if keys and b"READY" in output:
                    os.write(terminal, keys)
                    keys = b""
        finally:
            os.close(terminal)  # ends the shell
            os.waitpid(child, 0)
        self.assertTrue(found, output)
        return found[1].decode()

    @unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
    def test_zsh_completes(self):
        for text, completed in (("pru", "prune"), ("key ex", "key export"), ("create --exclude-c", "create --exclude-caches"),
                                ("--log-json key export --pap", "--log-json key export --paper"),
                                ("create --files-changed m", "create --files-changed mtime"), ("completion z", "completion zsh"),
                                ("prune --exclude-c", "prune --exclude-c"), ("info mon", "info monday"),
                                ("-r /other diff monday s", "-r /other diff monday sunday"), ("info -r /other s", "info -r /other sunday"),
                                ("info aid:", "info aid:12ab"), ("list --sort-by size,gr", "list --sort-by size,group"),
                                ("diff --sort-by=path,size_r", "diff --sort-by=path,size_removed"),
                                ("delete --sort-by ta", "delete --sort-by tags"),
                                ("create --files-cache ctime,i", "create --files-cache ctime,inode"),
                                ("create --files-cache ctime,m", "create --files-cache ctime,m"),
                                ("repo-create -e chac", "repo-create -e chacha20-poly1305"), ("tag --add gre", "tag --add green"),
                                ("extract monday etc/h", "extract monday etc/hosts"), ("info -r stan", "info -r stand-in")):
            with self.subTest(text):
                self.assertEqual(self.typed("zsh", f"cairn {text}"), completed)

    @unittest.skipUnless(shutil.which("tcsh"), "tcsh is not installed")
    def test_tcsh_completes(self):
        for text, completed in (("pru", "prune"), ("key ex", "key export"), ("create --exclude-ca", "create --exclude-caches"),
                                ("completion z", "completion zsh"), ("diff mon", "diff monday"), ("diff monday mon", "diff monday monday"),
                                ("info aid:", "info aid:12ab"), ("info -r /other s", "info -r /other s"),
                                ("list --sort-by size_a", "list --sort-by size_added"), ("tag --add gre", "tag --add green"),
                                ("repo-create --encryption chac", "repo-create --encryption chacha20-poly1305"),
                                ("key export script.z", "key export script.zsh")):
            with self.subTest(text):
                self.assertEqual(self.typed("tcsh", f"cairn {text}"), completed)

    @unittest.skipUnless(shutil.which("fish"), "fish is not installed")
    def test_fish_offers(self):
        environment = {"PATH": self.stand_in + ":" + os.environ["PATH"], "HOME": self.place.path, "LC_ALL": "C.UTF-8"}
        for text, offered in (("pru", ["prune"]), ("key ex", ["export"]), ("create --exclude-c", ["--exclude-caches"]),
                              ("--log-json key export --pap", ["--paper"]), ("create --files-changed ", ["ctime", "disabled", "mtime"]),
                              ("completion z", ["zsh"]), ("prune --exclude-c", []), ("info m", ["monday"]),
                              ("-r /other info s", ["sunday"]), ("info --repo /other ", ["monday", "sunday"]),
                              ("info aid:", ["aid:12ab"]), ("list --sort-by size,g", ["size,gid", "size,group"]),
                              ("diff --sort-by=size_", ["--sort-by=size_added", "--sort-by=size_diff", "--sort-by=size_removed"]),
                              ("repo-list --sort-by archive,t", ["archive,tags", "archive,timestamp"]),
                              ("create --files-cache ctime,", ["ctime,inode", "ctime,rechunk", "ctime,size"]),
                              ("create --files-cache disabled,", []), ("create --files-cache mtime,size,", ["mtime,size,inode"]),
                              ("repo-create -e c", ["chacha20-poly1305"]), ("tag --add ", ["green", "red"]),
                              ("extract monday etc", ["etc/", "etc/hosts"]), ("info -r s", ["stand-in/"]), ("diff monday ", ["monday"]),
                              ("create list --json-l", []), ("list create --json-l", ["--json-lines"]), ("create mon", [])):
            with self.subTest(text):
                done = subprocess.run(["fish", "--no-config", "-c", f"source script.fish; complete -C 'cairn {text}'"], cwd=self.place.path,
                                      env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=True)
                self.assertEqual((sorted(line.split("\t")[0] for line in done.stdout.decode().splitlines()), done.stderr), (offered, b""))

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
        self.assertIn("script.zsh", self.offered("create", "--exclude-from", "scrip"))
        self.assertEqual(self.offered("create", "monday", "script.z"), ["script.zsh"])
        self.assertEqual(self.offered("info", "-r", "s"), ["stand-in"])
        self.assertEqual(self.offered("repo-create", "--other-repo", "=", "s"), ["stand-in"])
        self.assertEqual(self.offered("repo-create", "-e", ""), ["aes256-ocb", "chacha20-poly1305", "authenticated-sha256", "authenticated-blake3"])

    def test_bash_offers_more_of_a_list(self):
        self.assertEqual(self.offered("repo-list", "--sort-by", "timestamp,t"), ["timestamp,tags"])
        self.assertEqual(self.offered("list", "--sort-by", "size,path,m"), ["size,path,mode", "size,path,mtime"])
        self.assertEqual(self.offered("list", "--sort-by", "=", "size,s"), [])
        self.assertEqual(self.offered("diff", "--sort-by", "size_"), ["size_added", "size_removed", "size_diff"])
        self.assertEqual(self.offered("create", "--files-cache", "d"), ["disabled"])
        self.assertEqual(self.offered("create", "--files-cache", "ctime,"), ["ctime,size", "ctime,inode", "ctime,rechunk"])
        self.assertEqual(self.offered("create", "--files-cache", "rechunk,"), ["rechunk,ctime", "rechunk,mtime"])
        self.assertEqual(self.offered("create", "--files-cache", "disabled,"), [])

    def test_bash_offers_archives_of_the_repository(self):
        self.place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
        self.place.cairn("create", "monday", "script")
        self.place.cairn("create", "sunday", "script")
        self.assertEqual(self.offered("info", "m"), ["monday"])
        self.assertEqual(self.offered("-r", self.place.repository, "diff", "monday", "s"), ["sunday"])
        self.assertEqual(self.offered("create", "m"), [])
        named, split = self.offered("info", "aid:"), self.offered("info", "aid", ":", "")
        self.assertRegex(" ".join(named), r"^aid:[0-9a-f]{64} aid:[0-9a-f]{64}$")
        self.assertEqual([f"aid:{rest}" for rest in split], named)
        self.assertEqual(self.offered("extract", "monday", ""), ["script"])
        self.assertEqual(self.offered("debug", "dump-archive", "monday", "script.z"), ["script.zsh"])
        trees.write(os.path.join(self.place.folder("a b"), "c"), b"")
        self.place.cairn("create", "week end", "a b")
        self.assertEqual(self.offered("info", "we"), [r"week\ end"])
        self.assertEqual(self.offered("list", r"week\ end", ""), [r"a\ b/"])
        self.assertEqual(self.offered("list", r"week\ end", r"a\ b/"), [r"a\ b/", r"a\ b/c"])
        self.place.cairn("tag", "monday", "--add", "red")
        self.assertEqual(self.offered("tag", "--remove", "r"), ["red"])

    def test_the_name_that_was_called_is_completed(self):
        for name, completed in (("borg", "borg"), ("borg2", "borg2"), ("borg.exe", "borg"), ("backup", "cairn")):
            link = os.path.join(self.place.path, name)
            os.symlink(os.path.abspath(CAIRN), link)
            self.addCleanup(os.remove, link)
            self.assertIn(f"\ncomplete -c {completed} -f\n", self.place.run(link, "completion", "fish").text, name)
            self.assertTrue(self.place.run(link, "completion", "bash").text.endswith(f"\ncomplete -F _shtab_{completed} {completed}\n"), name)

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
