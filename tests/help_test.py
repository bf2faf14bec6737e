"""The examples of `cairn help TOPIC` and `cairn help COMMAND` are run as they stand, but for the place of /home and the id of an archive.

An example that has no expectation here fails: so none goes untried.
"""
import os
import re
import shlex
import socket
import subprocess
import textwrap
import unittest

import trees
from program import CAIRN, ROOT, Place

TOPICS = ("patterns", "match-archives", "placeholders", "compression", "environment", "config", "exit-codes")
FILES = ("home/lab/a.o", "home/lab/keep.o", "home/lab/a.c", "home/lab/node_modules/m/x", "home/lab/.cache/deep/x",
         "home/lab/.config", "home/lab/.profile", "home/ann/pic.jpg", "home/ann/pic.png.txt")
ALL = set(FILES)

# What the newest archive holds after a create; what a folder holds after an extract; what is listed or left.
CREATED = {
    "create -e '*.o' -e 'sh:home/*/.cache/**' work /home": ALL - {"home/lab/a.o", "home/lab/keep.o", "home/lab/.cache/deep/x"},
    "create -e 'sh:**/node_modules' work /home": ALL - {"home/lab/node_modules/m/x"},
    "create --pattern '+ **/keep.o' -e '*.o' work /home": ALL - {"home/lab/a.o"},
    "create --pattern '+ home/lab/.config' --pattern '- home/*/.*' work /home": ALL - {"home/lab/.cache/deep/x", "home/lab/.profile"},
    "create '{hostname}-home' /home": ALL,
    "create -C zstd,8 work /home": ALL,
    "create -C auto,lzma,6 work /home": ALL,
    "create -C obfuscate,110,auto,zstd,3 work /home": ALL,
}
EXTRACTED = {
    r"extract work re:'\.(jpg|png)$'": {"home/ann/pic.jpg"},
    "extract aid:17585e64": ALL,
    "extract aid:$(cairn repo-list -a home --last 1 --short)": ALL,
}
LISTED = {
    "repo-list -a 'sh:home-*' -a host:lab": {"home-1"},
    "repo-list -a 'sh:{{home,work}}'": {"work"},
}
LEFT = {"delete -a date:2025-03": {"work", "home-2"}}
# What is printed, on either stream.
SHOWN = {
    "find 'sh:**/pic*'": {"home/ann/pic.jpg", "home/ann/pic.png.txt"},
    "create -n --list -e 'sh:**/.cache' work /home": {"- home/lab/.cache"},
}
# With the file of the topic config: what is printed, and what is not.
CONFIGURED = {
    "--config backup.yaml --print_config= create work /home": ({'files-cache: "ctime,size,inode"', 'compression: "zstd,3"'}, ()),
    "--config backup.yaml --print_config=skip_default prune": ({'keep-daily: "7"', 'lock-wait: "600"'}, {"group-by"}),
    "--config backup.yaml create work /home": ({"Number of files: 6"}, ()),
}
# The examples of commands in the order in which they are run: what is told, on either stream.
IN_COMMANDS = {
    "create --stats '{hostname}-home' /home": "Number of files: 9",
    "create --content-from-command --stdin-name db.sql db -- pg_dump mydb": "",
    "extract --stdout db db.sql": "the tables of mydb",
    "find 'sh:**/report*'": "home/lab/report.txt",
    "extract aid:7cb4141d home/lab/report.txt": "",
    "extract --target / --overwrite --check-content --dry-run --list home": "M home/lab/a.o",
    "check --repository-only --max-duration 600": "",
    "prune --list -d 7 -w 4 -m 12 home": "Keeping archive",
    "prune --list -d 7 -w 4 -a 'sh:home-2*' --group-by host": "Pruning archive (3/3)",
}
# Run as one script.
TRANSFER = ("repo-create -e aes256-ocb -i blake3    # once; both need the same -i", "transfer                               # as often as you like")
# Of three archives of one name on three days, with -d 7 -w 4.
PRUNED = ("prune -n --list -d 7 -w 4 '{hostname}-home'",)


def topic_text(topic):
    return subprocess.run([CAIRN, "help", *topic.split()], stdout=subprocess.PIPE, check=True, text=True).stdout


def examples(pages=TOPICS):
    return [line for topic in pages for line in re.findall(r"^  cairn (.*)$", topic_text(topic), re.MULTILINE)]


class HelpExamples(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.root = self.place.folder("root")
        for name in FILES:
            path = os.path.join(self.root, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            trees.write(path, name.encode() * 100)
        self.place.cairn("repo-create", "-e", "authenticated-blake3")

    def run_example(self, line, cwd=None, first="", **more):
        script = f'{first}cairn() {{ {shlex.quote(CAIRN)} "$@"; }}\ncairn {line.replace("/home", "home")}'
        return self.place.run("/bin/sh", "-c", script, cwd=cwd or self.root, **more)

    def archives(self):
        return self.place.cairn("repo-list", "--json").json()["archives"]

    def test_each_is_tried(self):
        # One stands in the middle of a sentence.
        known = {*CREATED, *EXTRACTED, *LISTED, *LEFT, *SHOWN, *CONFIGURED, *PRUNED} - {"repo-list -a 'sh:{{home,work}}'"}
        self.assertEqual(set(examples()), known)

    def test_each_of_the_commands_is_tried(self):
        listed = re.search(r"^commands:\n(.*?)\n\n", topic_text(""), re.MULTILINE | re.DOTALL).group(1)
        # Those of tune measure for half a minute.
        names = [name for name in re.findall(r"^  (\S+)", listed, re.MULTILINE) if name != "tune"]
        self.assertIn("create", names)
        self.assertEqual(set(examples(names)), {*IN_COMMANDS, *TRANSFER})

    def test_commands(self):
        tools, out = self.place.folder("tools"), self.place.folder("out")
        trees.write(os.path.join(tools, "pg_dump"), b'#!/bin/sh\necho "the tables of $1"\n')
        os.chmod(os.path.join(tools, "pg_dump"), 0o755)
        trees.write(os.path.join(self.root, "home/lab/report.txt"), b"report")
        for day in range(20, 32):
            self.place.cairn("create", "--timestamp", f"2025-03-{day}T10:00:00", f"home-2025-03-{day}", "home", cwd=self.root)
        self.place.cairn("create", "home", "home", cwd=self.root)
        prefix = self.archives()[-1]["id"][:8]
        os.remove(os.path.join(self.root, "home/lab/report.txt"))
        trees.write(os.path.join(self.root, "home/lab/a.o"), b"other content")
        for line, told in IN_COMMANDS.items():
            with self.subTest(line):
                real = line.replace("7cb4141d", prefix).replace("--target /", "--target " + self.root)
                done = self.run_example(real, cwd=out if "aid:" in line else None, PATH=f"{tools}:{os.environ['PATH']}")
                self.assertIn(told, (done.out + done.err).decode())
        self.assertEqual(os.listdir(os.path.join(out, "home/lab")), ["report.txt"])

    def test_transfer(self):
        self.place.cairn("repo-delete", "--force")
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")
        self.place.cairn("create", "work", "home", cwd=self.root)
        script = textwrap.dedent(re.search(r"^  export BORG_REPO.*?(?=\n\n)", topic_text("transfer"), re.MULTILINE | re.DOTALL).group())
        second = os.path.join(self.place.path, "second")
        script = script.replace("/backup/second", second).replace("/backup/first", self.place.repository).replace("=...", "='a passphrase for tests'")
        self.place.run("/bin/sh", "-ec", f'cairn() {{ {shlex.quote(CAIRN)} "$@"; }}\n{script}')
        self.assertEqual([one["name"] for one in self.place.cairn("-r", second, "repo-list", "--json").json()["archives"]], ["work"])

    def test_tour(self):
        """The tour of the README, on two days."""
        with open(os.path.join(ROOT, "README.md")) as file:
            script = re.search(r"## A tour\n\n(.*?)\n\n", file.read(), re.DOTALL).group(1)
        home, restored = os.path.join(self.root, "home"), os.path.join(self.place.path, "restored")
        for old, new in (("BORG_REPO=/backup/repository BORG_PASSPHRASE=...", "BORG_REPO=$PWD/toured"), (" ~ ", f" {home} "), ("/tmp/restored", restored)):
            self.assertEqual(script.count(old), 1, old)
            script = script.replace(old, new)
        trees.write(os.path.join(home, "report.txt"), b"report")
        for day in ("first", "second"):
            done = self.place.run("/bin/sh", "-ec", f'cairn() {{ {shlex.quote(CAIRN)} "$@"; }}\n{textwrap.dedent(script)}')
            told = (done.out + done.err).decode()
            self.assertIn(f"{home[1:]}/report.txt", told)
            self.assertIn(f"= {home[1:]}/lab/a.c", told)
            self.assertNotIn(f"M {home[1:]}", told)
            self.assertTrue(os.path.exists(restored + home + "/report.txt"))
            if day == "first":
                script = re.sub(r"^ +cairn repo-create.*\n", "", script, flags=re.MULTILINE)

    def test_create(self):
        for line, files in CREATED.items():
            with self.subTest(line):
                self.run_example(line)
                newest = self.archives()[-1]
                listed = self.place.cairn("list", "aid:" + newest["id"], "--format", "{type}{path}{NL}").text.splitlines()
                self.assertEqual({entry[1:] for entry in listed if entry[0] == "-"}, files)
                if "{hostname}" in line:
                    self.assertEqual(newest["name"], socket.gethostname() + "-home")

    def test_extract(self):
        for name in ("work", "home"):
            self.place.cairn("create", name, "home", cwd=self.root)
        prefix = self.archives()[0]["id"][:8]
        for number, (line, files) in enumerate(EXTRACTED.items()):
            with self.subTest(line):
                folder = self.place.folder(f"out{number}")
                self.run_example(line.replace("17585e64", prefix), cwd=folder)
                found = {os.path.relpath(os.path.join(top, name), folder) for top, _, names in os.walk(folder) for name in names}
                self.assertEqual(found, files)

    def make_three(self):
        for month, name, host in ((3, "home-1", "lab"), (4, "home-2", "other"), (5, "work", "lab")):
            self.place.cairn("create", "--timestamp", f"2025-0{month}-01T10:00:00", name, "home", cwd=self.root, BORG_HOSTNAME=host)

    def test_archives(self):
        self.make_three()
        for line, names in LISTED.items():
            with self.subTest(line):
                listed = self.run_example(line + " --format '{name}{NL}'")
                self.assertEqual(set(listed.text.split()), names)
        for line, names in LEFT.items():
            with self.subTest(line):
                self.run_example(line)
                self.assertEqual({one["name"] for one in self.archives()}, names)

    def test_shown(self):
        self.place.cairn("create", "work", "home", cwd=self.root)
        for line, shown in SHOWN.items():
            with self.subTest(line):
                done = self.run_example(line)
                lines = (done.out + done.err).decode().splitlines()
                self.assertEqual({one for one in lines if not one.startswith("+")}, {one for one in lines if any(one.endswith(text) for text in shown)})
                self.assertEqual(sum(any(one.endswith(text) for text in shown) for one in lines), len(shown))

    def test_prune(self):
        for day in (3, 4, 5):
            self.place.cairn("create", "--timestamp", f"2025-03-0{day}T10:00:00", "{hostname}-home", "home", cwd=self.root)
        for line in PRUNED:
            with self.subTest(line):
                self.assertEqual(self.run_example(line).err.count(b"Keeping archive"), 3)

    def test_config(self):
        text = topic_text("config")
        lines = re.search(r"^  repo: .*?(?=\n\n)", text, re.MULTILINE | re.DOTALL).group()
        with open(os.path.join(self.root, "backup.yaml"), "w") as file:
            file.write(textwrap.dedent(lines).replace("/backup/repository", self.place.repository))
        for line, (shown, hidden) in CONFIGURED.items():
            with self.subTest(line):
                done = self.run_example(line, first="unset BORG_REPO; ")
                for one in shown:
                    self.assertIn(one, (done.out + done.err).decode())
                for one in hidden:
                    self.assertNotIn(one, (done.out + done.err).decode())

    def test_nightly(self):
        """The script of the topic, on a Sunday."""
        script = textwrap.dedent(re.search(r"^  #!/bin/sh.*?(?=\n\n\S)", topic_text("nightly"), re.MULTILINE | re.DOTALL).group())
        home, log, secret = (os.path.join(self.place.path, name) for name in ("root/home", "log", "secret"))
        for old, new in (("PATH=", f"PATH={os.path.dirname(CAIRN)}:"), ("/backup/repository", self.place.repository), (" /home\n", f" {home}\n"),
                         ("/root/backup-passphrase", secret), ("/var/log/nightly-backup.log", log), ('"$(date +%u)" = 7', "7 = 7")):
            self.assertEqual(script.count(old), 1, old)
            script = script.replace(old, new)
        trees.write(secret, b"a passphrase for tests\n")

        def night(status):
            self.place.run("/bin/sh", "-c", "unset BORG_PASSPHRASE BORG_REPO\n" + script, expect=(status,))
            with open(log) as file:
                return file.read().split("== ")[-1]

        for _ in range(3):
            self.assertIn("Keeping archive", night(0))
        # The newest, and the oldest, which stands for a month that has more of them to come.
        self.assertEqual([one["name"] for one in self.archives()], 2 * [socket.gethostname() + "-home"])
        os.rename(home, home + ".away")
        self.assertIn("Stored with warnings (107), nothing is pruned.", night(107))
        self.assertEqual(len(self.archives()), 3)
        os.rename(home + ".away", home)
        os.remove(secret)
        self.assertIn("NO BACKUP (51).", night(51))


if __name__ == "__main__":
    unittest.main()
