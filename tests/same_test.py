"""The same command line with Borg 2 and with Cairn, each on its own copy of the same repository.

The command lines are in same_rows.py: one row, one test. Compared are the exit code, standard output (JSON by value, text
as it stands), standard error by meaning (usage errors by the option that they name, JSON records without times), which
archives the repository then has, live and deleted, and what a command wrote into its folder.

Without Borg, Cairn is compared with recorded answers of Borg (data/same, made by same_record.py).
"""
import ast
import dataclasses
import hashlib
import inspect
import json
import os
import re
import shlex
import shutil
import tarfile
import time
import unittest

import program
import same_rows
import trees
from program import BORG, CAIRN, IN_MEMORY, Place

RECORDED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "same")
ANSWERS, REPOSITORY = os.path.join(RECORDED, "answers.json"), os.path.join(RECORDED, "repository.tar.xz")

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


@dataclasses.dataclass
class Answer:
    """What one of the programs did with a row. Texts have no name of the scratch folder in them."""

    status: int
    out: str
    err: str
    effect: dict
    tree: dict

    def as_json(self):
        return {**dataclasses.asdict(self), "tree": repr(self.tree)}

    @classmethod
    def from_json(cls, value):
        return cls(**{**value, "tree": ast.literal_eval(value["tree"])})


def key_of(row):
    """What an answer is recorded under."""
    words = [*(f"{key}={value}" for key, value in row.env.items()), row.line]
    if row.stdin is not None or row.files:
        words.append("#" + hashlib.sha256(repr((row.stdin, sorted(row.files.items()))).encode()).hexdigest()[:8])
    return " ".join(words)


def stage_digest():
    """Changes when the repository would be built otherwise."""
    return hashlib.sha256((inspect.getsource(same_rows.build) + same_rows.FIRST_TREE + same_rows.SECOND_TREE).encode()).hexdigest()


class Stage:
    """The repository from which every row starts, made by Borg once: in this run, or long ago (recorded)."""

    def __init__(self, recorded=None):
        self.start = time.time_ns()
        self.place = Place(parent=IN_MEMORY, TZ="Europe/Berlin", BORG_HOSTNAME="lab", BORG_USERNAME="tester")
        self.repository = self.place.repository
        self.pristine = os.path.join(self.place.path, "pristine")
        if recorded:
            self.start, self.ids = recorded["start"], recorded["ids"]
            with tarfile.open(REPOSITORY) as archive:
                archive.extractall(self.place.path)
        else:
            same_rows.build(self.place)
            shutil.move(self.repository, self.pristine)
        shutil.copytree(self.pristine, self.repository)
        self.untouched = self.effect()
        if not recorded:
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
        out, err = (text.replace(self.place.path, "/place") for text in (done.text, done.err.decode("utf-8", "backslashreplace")))
        return Answer(done.status, out, err, self.effect(), tree)

    def effect(self):
        """The archives, live and deleted, and the names of what else a command may add."""
        return {space: sorted(os.listdir(os.path.join(self.repository, space))) for space in ("archives", "config", "keys")}

    def check(self):
        self.place.run(BORG or CAIRN, "check")


@unittest.skipUnless(program.is_root(), program.NO_ROOT)
class Same(unittest.TestCase):
    stage, recorded = None, None
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        with open(ANSWERS, encoding="ascii") as file:
            cls.recorded = json.load(file)
        cls.stage = Stage(None if BORG else cls.recorded)
        cls.addClassCleanup(cls.stage.place.remove)

    def answer_of_borg(self, row):
        if BORG:
            return self.stage.run(BORG, row)
        answers = self.recorded["answers"]
        if key_of(row) not in answers:
            self.skipTest("no Borg 2, and its answer is not recorded: " + (not_recordable(row) or "tests/same_record.py was not run"))
        return Answer.from_json({"effect": self.stage.untouched, **answers[key_of(row)]})

    def compare(self, row):
        borg, cairn = self.answer_of_borg(row) if row.own is None else None, self.stage.run(CAIRN, row)
        if row.own is not None:
            self.assertEqual(cairn.status, row.own, cairn)
            self.assertNotIn("Traceback", cairn.err)
            return
        self.assertEqual(cairn.status, borg.status, f"{borg}\n{cairn}")
        order = sorted if row.any_order else list
        if "--json" in row.line.split():
            self.assertEqual(of_borg(document(cairn.out), document(borg.out)), document(borg.out))
        elif "--json-lines" in row.line.split():
            self.assertEqual(*([json.loads(line) for line in one.out.splitlines()] for one in (cairn, borg)))
        else:
            lines = 1 if row.first_line else None
            self.assertEqual(*(order(masked(one.out).splitlines(keepends=True)[:lines]) for one in (cairn, borg)))
        if "--log-json" in row.line.split() and borg.status != 2:
            self.assertEqual(of_borg(records(cairn.err), records(borg.err)), records(borg.err))
        else:
            self.assertEqual(*(order(meaning(one.err, borg.status).splitlines()) for one in (cairn, borg)))
        borg_effect, cairn_effect = borg.effect, cairn.effect
        if row.new_ids:
            borg_effect, cairn_effect = ({space: len(names) for space, names in effect.items()} for effect in (borg_effect, cairn_effect))
        self.assertEqual(cairn_effect, borg_effect)
        for tree in (borg.tree, cairn.tree):
            tree.update({path: {} for path in row.unlike if path in tree})
        self.assertEqual(without_times_of_the_run(trees.differences(borg.tree, cairn.tree), self.stage.start), [])
        if row.check:
            self.stage.check()

    def test_the_recorded_repository_is_this_one(self):
        self.assertEqual(self.recorded["stage"], stage_digest(), "build() makes another repository now: run tests/same_record.py")


def not_recordable(row):
    """Why an answer of today is no answer of tomorrow."""
    return "it holds the time of the run" if "{now" in row.line else None


def add_tests():
    for number, row in enumerate(same_rows.ROWS):
        name = re.sub(r"\W+", "_", " ".join([*(f"{key}={value}" for key, value in row.env.items()), row.line])).strip("_")[:100]
        setattr(Same, f"test_{number:03}_{name}", lambda self, row=row: self.compare(row))


add_tests()
