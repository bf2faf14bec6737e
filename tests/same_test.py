"""The same command line with Borg 2 and with Cairn, each on its own copy of the same repository.

The command lines are in same_rows.py: one row, one test. Compared are the exit code, standard output (JSON by value, text
as it stands), standard error by meaning (usage errors by the option that they name, JSON records without times), which
archives the repository then has, live and deleted, and what a command wrote into its folder.
"""
import json
import os
import re
import shlex
import shutil
import time
import unittest

import program
import same_rows
import trees
from program import BORG, CAIRN, IN_MEMORY, NO_BORG, Place

# Texts of this run, and texts that are free.
MASKS = [
    (re.compile(r"^Store (?!object).*\n", re.MULTILINE), ""),
    (re.compile(r"\b(?:borg2|cairn|borg) (?=(?:compact|check|create|repo-|key|help)\b)"), "borg "),
    (re.compile(r"proto='file', user=None, pass=None, host=None, port=None, path='([^']*)'"), r"\1"),
    (re.compile(r"(^(?:Duration|Time spent in \w+|Time \((?:start|end)\)): ).*", re.MULTILINE), r"\1#"),
    (re.compile(r"/home/(?:borg|cairn)/"), "/home/#/"),
    (re.compile(r"/\.cache/borg/"), "/.cache/#/"),
]
FREE_KEYS = {"time", "store_stats", "operation"}


def masked(text):
    for what, by in MASKS:
        text = what.sub(by, text)
    return text


def without_free_keys(value):
    if isinstance(value, dict):
        return {key: without_free_keys(inner) for key, inner in value.items() if key not in FREE_KEYS}
    return value


def of_borg(value, borg):
    """Without keys that Borg does not have: frontends pass over them."""
    if isinstance(value, dict) and isinstance(borg, dict):
        return {key: of_borg(inner, borg[key]) for key, inner in value.items() if key in borg}
    if isinstance(value, list) and isinstance(borg, list) and len(value) == len(borg):
        return [of_borg(one, other) for one, other in zip(value, borg)]
    return value


def document(text):
    return without_free_keys(json.loads(masked(text))) if text else None


def without_times_of_the_run(lines, start):
    """Folders and files that the run made have its time."""
    def of_the_run(line):
        times = re.fullmatch(r".*: mtime is (\d+), should be (\d+)", line)
        return times and min(int(times[1]), int(times[2])) > start
    return [line for line in lines if not of_the_run(line)]


def records(text):
    """Lines of --log-json; a line that is none stays text."""
    found = []
    for line in text.splitlines():
        try:
            found.append(without_free_keys(json.loads(line)))
        except ValueError:
            found.append(line)
    return found


def meaning(text, status):
    """What a person or a script learns from standard error."""
    if "Traceback (most recent call last)" in text:
        return "a traceback"
    if status == 2 and re.search(r"^usage: ", text, re.MULTILINE):
        message = text.strip().splitlines()[-1]
        named = re.match(r"error: argument (\S+): ", message)
        return f"usage error of {named[1]}" if named else message
    return masked(text)


class Stage:
    """The repository from which every row starts, made by Borg once."""

    def __init__(self):
        self.start = time.time_ns()
        self.place = Place(parent=IN_MEMORY, TZ="Europe/Berlin", BORG_HOSTNAME="lab", BORG_USERNAME="tester")
        self.repository = self.place.repository
        self.pristine = os.path.join(self.place.path, "pristine")
        same_rows.build(self.place)
        shutil.move(self.repository, self.pristine)
        shutil.copytree(self.pristine, self.repository)
        listed = self.place.borg("repo-list", "--json", "--format", "{comment}{id}").json()["archives"]
        listed += self.place.borg("repo-list", "--deleted", "--json", "--format", "{comment}{id}").json()["archives"]
        self.ids = {one["comment"]: one["id"] for one in listed}

    def words(self, row):
        return [re.sub(r"%(\w+)%", lambda match: self.ids[match[1]], word) for word in shlex.split(row.line)]

    def run(self, who, row):
        shutil.rmtree(self.repository)
        shutil.copytree(self.pristine, self.repository)
        folder = os.path.join(self.place.path, "folder")
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        for name, content in row.files.items():
            trees.write(os.path.join(folder, name), content)
        trees.wait_until_old([os.path.join(folder, name) for name in row.files])
        done = self.place.run(who, *self.words(row), cwd=folder, expect=None, stdin=row.stdin, timeout=120, **row.env)
        tree = trees.read_tree(folder)
        tree.pop(b"", None)  # the folder itself: its time is that of the run
        return done, self.effect(), tree

    def effect(self):
        """The archives, live and deleted, and the names of what else a command may add."""
        return {space: sorted(os.listdir(os.path.join(self.repository, space))) for space in ("archives", "config", "keys")}

    def check(self):
        self.place.borg("check")


@unittest.skipUnless(BORG, NO_BORG)
@unittest.skipUnless(program.is_root(), program.NO_ROOT)
class Same(unittest.TestCase):
    stage = None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.stage = Stage()
        cls.addClassCleanup(cls.stage.place.remove)

    def compare(self, row):
        borg, borg_effect, borg_tree = self.stage.run(BORG, row)
        cairn, cairn_effect, cairn_tree = self.stage.run(CAIRN, row)
        borg_err, cairn_err = (one.err.decode("utf-8", "backslashreplace") for one in (borg, cairn))
        if row.own is not None:
            self.assertEqual(cairn.status, row.own, cairn)
            self.assertNotIn("Traceback", cairn_err)
            return
        self.assertEqual(cairn.status, borg.status, f"{borg}\n{cairn}")
        if "--json" in row.line.split():
            self.assertEqual(of_borg(document(cairn.text), document(borg.text)), document(borg.text))
        elif "--json-lines" in row.line.split():
            self.assertEqual(*([json.loads(line) for line in one.out.splitlines()] for one in (cairn, borg)))
        else:
            order = sorted if row.any_order else list
            lines = 1 if row.first_line else None
            self.assertEqual(*(order(masked(one.text).splitlines(keepends=True)[:lines]) for one in (cairn, borg)))
        if "--log-json" in row.line.split() and borg.status != 2:
            self.assertEqual(of_borg(records(cairn_err), records(borg_err)), records(borg_err))
        else:
            order = sorted if row.any_order else list
            self.assertEqual(*(order(meaning(text, borg.status).splitlines()) for text in (cairn_err, borg_err)))
        if row.new_ids:
            borg_effect, cairn_effect = ({space: len(names) for space, names in effect.items()} for effect in (borg_effect, cairn_effect))
        self.assertEqual(cairn_effect, borg_effect)
        self.assertEqual(without_times_of_the_run(trees.differences(borg_tree, cairn_tree), self.stage.start), [])
        if row.check:
            self.stage.check()


def add_tests():
    for number, row in enumerate(same_rows.ROWS):
        name = re.sub(r"\W+", "_", " ".join([*(f"{key}={value}" for key, value in row.env.items()), row.line])).strip("_")[:100]
        setattr(Same, f"test_{number:03}_{name}", lambda self, row=row: self.compare(row))


add_tests()
