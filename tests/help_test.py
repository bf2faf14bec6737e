"""The examples of `cairn help TOPIC` are run as they stand, but for the place of /home and the id of an archive.

An example that has no expectation here fails: so none goes untried.
"""
import os
import re
import shlex
import socket
import subprocess
import unittest

import trees
from program import CAIRN, Place

TOPICS = ("patterns", "match-archives", "placeholders", "compression", "environment")
FILES = ("home/lab/a.o", "home/lab/a.c", "home/lab/.cache/deep/x", "home/lab/.config", "home/lab/.profile", "home/ann/pic.jpg", "home/ann/pic.png.txt")
ALL = set(FILES)

# What the newest archive holds after a create; what a folder holds after an extract; what is listed or left.
CREATED = {
    "create -e '*.o' -e 'sh:home/*/.cache/**' work /home": ALL - {"home/lab/a.o", "home/lab/.cache/deep/x"},
    "create --pattern '+ home/lab/.config' --pattern '- home/*/.*' work /home": ALL - {"home/lab/.cache/deep/x", "home/lab/.profile"},
    "create '{hostname}-{now:%Y-%m-%d}' /home": ALL,
    "create -C zstd,8 work /home": ALL,
    "create -C auto,lzma,6 work /home": ALL,
    "create -C obfuscate,110,auto,zstd,3 work /home": ALL,
}
EXTRACTED = {
    r"extract work re:'\.(jpg|png)$'": {"home/ann/pic.jpg"},
    "extract aid:17585e64": ALL,
}
LISTED = {
    "repo-list -a 'sh:home-*' -a host:lab": {"home-1"},
    "repo-list -a 'sh:{{home,work}}'": {"work"},
}
LEFT = {"delete -a date:2025-03": {"work", "home-2"}}


def examples():
    found = []
    for topic in TOPICS:
        text = subprocess.run([CAIRN, "help", topic], stdout=subprocess.PIPE, check=True, text=True).stdout
        found += re.findall(r"^  cairn (.*)$", text, re.MULTILINE)
    return found


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

    def run_example(self, line, cwd=None, **more):
        return self.place.cairn(*shlex.split(line.replace("/home", "home")), cwd=cwd or self.root, **more)

    def archives(self):
        return self.place.cairn("repo-list", "--json").json()["archives"]

    def test_each_is_tried(self):
        # One stands in the middle of a sentence.
        known = {*CREATED, *EXTRACTED, *LISTED, *LEFT} - {"repo-list -a 'sh:{{home,work}}'"}
        self.assertEqual(set(examples()), known)

    def test_create(self):
        for line, files in CREATED.items():
            with self.subTest(line):
                self.run_example(line)
                newest = self.archives()[-1]
                listed = self.place.cairn("list", "aid:" + newest["id"], "--format", "{type}{path}{NL}").text.splitlines()
                self.assertEqual({entry[1:] for entry in listed if entry[0] == "-"}, files)
                if "{hostname}" in line:
                    self.assertRegex(newest["name"], re.escape(socket.gethostname()) + r"-\d{4}-\d\d-\d\d$")

    def test_extract(self):
        self.place.cairn("create", "work", "home", cwd=self.root)
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


if __name__ == "__main__":
    unittest.main()
