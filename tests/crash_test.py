"""Killing Cairn at every operation that changes the store, and letting every such operation fail (src/store/faulty.h).

Whatever happens: the repository opens, checks clean, has every archive that was committed, byte for byte, and takes the
next backup. A failure ends with an error, never with success and never with a crash.
"""
import os
import shutil
import signal
import unittest

import program
import trees
from program import BORG, IN_MEMORY, Place

# Small packs, so that one backup writes several.
VARIABLES = {"BORG_PACK_MAX_SIZE": "16000"}
CHUNKER = ["--chunker-params", "fastcdc,10,14,12,2"]
# Errors that docs/format/cli.md lists; warnings (1 and from 100 on) would call the run a success.
ERRORS = set(range(2, 100))


class FaultCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place(IN_MEMORY, **VARIABLES)
        cls.addClassCleanup(cls.place.remove)
        cls.trees = {}
        for name, seed, files in (("first", 1, 8), ("second", 2, 8), ("third", 3, 10)):
            path = os.path.join(cls.place.path, name)
            trees.build_small_tree(path, seed=seed, files=files, size=5000)
            cls.trees[name] = trees.as_archived(trees.read_tree(path))
        cls.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")
        cls.place.cairn("create", *CHUNKER, "first", "first")
        cls.place.cairn("create", *CHUNKER, "second", "second")
        cls.keep("two")
        cls.place.cairn("delete", "second")
        cls.keep("one deleted")

    @classmethod
    def keep(cls, state):
        shutil.copytree(cls.place.repository, os.path.join(cls.place.path, "states", state, "repository"))
        shutil.copytree(cls.place.home, os.path.join(cls.place.path, "states", state, "home"))

    @classmethod
    def go_back_to(cls, state):
        for path in (cls.place.repository, cls.place.home):
            shutil.rmtree(path)
            shutil.copytree(os.path.join(cls.place.path, "states", state, os.path.basename(path)), path)

    def operations(self, state, words):
        """How many operations of the store the command needs."""
        self.go_back_to(state)
        counter = os.path.join(self.place.path, "count")
        self.place.cairn(*words, CAIRN_TEST_STORE_FAULT=f"count:{counter}")
        with open(counter, encoding="ascii") as file:
            count = int(file.read())
        self.assertGreater(count, 2, "the command changes nothing")
        return count

    def check_repository(self, names, what):
        """names: the archives that must be there, each with its tree."""
        self.place.cairn("check", "--verify-data")
        self.assertEqual(sorted(self.place.archives().values()), sorted(names), what)
        for name in names:
            out = os.path.join(self.place.path, "out")
            os.mkdir(out)
            self.place.cairn("extract", name, cwd=out)
            found = trees.differences(self.trees[name], trees.read_tree(os.path.join(out, name)))
            self.assertEqual(found, [], f"{what}, archive {name}:\n{trees.show(found)}")
            shutil.rmtree(out)

    def survives(self, words, state, before, after, fault, expect, borg=False):
        """The command meets the fault; then the archives are those of before or after, and the next backup works."""
        self.go_back_to(state)
        done = self.place.cairn(*words, expect=None, CAIRN_TEST_STORE_FAULT=fault)
        # What cannot be cached is made again: the run goes on, and says so.
        only_a_cache = done.status == 0 and b"'cache/" in done.err
        self.assertTrue(done.status in expect or only_a_cache, f"{fault}: {done}")
        if done.status >= 0:
            self.assertTrue(done.err.strip(), f"{fault}: no message")
        there = sorted(self.place.archives().values())
        self.assertIn(there, (sorted(before), sorted(after)), fault)
        self.check_repository(there, fault)
        if "third" not in there:
            self.place.cairn("create", *CHUNKER, "third", "third")
        if borg:
            self.place.borg("check", "--verify-data")
        self.check_repository(sorted({*there, "third"}), f"{fault}, after the next backup")
        return done


COMMANDS = {
    # state, words, archives before, archives after
    "create": ("two", ["create", *CHUNKER, "third", "third"], ["first", "second"], ["first", "second", "third"]),
    "delete": ("two", ["delete", "second"], ["first", "second"], ["first"]),
    "compact": ("one deleted", ["compact"], ["first"], ["first"]),
}


class KillCase(FaultCase):
    def kill_everywhere(self, command, kinds):
        state, words, before, after = COMMANDS[command]
        count = self.operations(state, words)
        for number in range(1, count + 1):
            for kind in kinds:
                # Borg needs a second a run: it looks at some of the results only.
                with_borg = BORG is not None and kind == kinds[0] and number % max(1, count // 3) == 0
                with self.subTest(command=command, fault=f"{kind}:{number}", of=count):
                    self.survives(words, state, before, after, f"{kind}:{number}", (-signal.SIGKILL,), with_borg)


class KillCreate(KillCase):
    def test_killed_before_each_operation(self):
        self.kill_everywhere("create", ["kill-before"])

    def test_killed_after_each_operation(self):
        self.kill_everywhere("create", ["kill-after"])

    def test_killed_within_each_write(self):
        self.kill_everywhere("create", ["short"])


class KillDeleteAndCompact(KillCase):
    def test_delete(self):
        self.kill_everywhere("delete", ["kill-before", "kill-after", "short"])

    def test_compact(self):
        self.kill_everywhere("compact", ["kill-before", "kill-after", "short"])


class FailCase(FaultCase):
    def fail_everywhere(self, error):
        for command, (state, words, before, after) in COMMANDS.items():
            count = self.operations(state, words)
            for number in range(1, count + 1):
                for fault in (f"{error}:{number}", f"{error}:{number}+"):
                    with self.subTest(command=command, fault=fault, of=count):
                        self.survives(words, state, before, after, fault, ERRORS)


class FullDisk(FailCase):
    def test_no_space_at_each_operation(self):
        self.fail_everywhere("enospc")


class BrokenDisk(FailCase):
    def test_input_output_error_at_each_operation(self):
        self.fail_everywhere("eio")
