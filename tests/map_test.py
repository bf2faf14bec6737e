"""create --map, --reuse-from and --reuse-path: which chunks an archive gets, side by side with Borg 2 (docs/format/chunkers.md, section 8).

The errors are rows of same_test.py, and parsing has unit tests and a fuzz target.
"""
import hashlib
import json
import os
import random
import unittest

import program
from program import BORG, CAIRN, Place

SIZE = 3_000_000
CHUNKERS = ["fixed,65536,100", "buzhash,10,16,13,4095", "fastcdc,12,18,15,2"]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)
    os.utime(path, (1_700_000_000, 1_700_000_000))


def lines(ranges):
    return "".join(f"{start} {length} {state}\n" for start, length, state in ranges)


def random_map(numbers, states):
    """Ranges without gaps; also some of the size of a fixed chunk, and borders on chunks."""
    borders = {0, SIZE}
    for _ in range(numbers.randrange(1, 9)):
        borders.add(numbers.choice([numbers.randrange(SIZE), numbers.randrange(SIZE >> 16) << 16, numbers.randrange(SIZE >> 12) << 12]))
    borders = sorted(borders)
    return [(start, end - start, numbers.choice(states)) for start, end in zip(borders, borders[1:])]


class MapCase(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.input = os.path.join(self.place.path, "image")
        self.map = os.path.join(self.place.path, "map")

    def repository(self, who=CAIRN):
        self.place.run(who, "repo-create", "-e", "aes256-ocb", "-i", "sha256")

    def create(self, who, name, *words, ranges=None, **more):
        if ranges is not None:
            with open(self.map, "w", encoding="ascii") as file:
                file.write(lines(ranges))
            words = ("--map", self.map, *words)
        return self.place.run(who, "create", *words, name, "image", **more)

    def content(self, who, name):
        return self.place.run(who, "extract", "--stdout", name).out



class Map(MapCase):
    def test_zero_ranges_are_not_read(self):
        self.repository()
        write(self.input, b"\x01" * SIZE)
        self.create(CAIRN, "half", "--digests", "sha256", ranges=[(0, 1_000_000, "data"), (1_000_000, SIZE - 1_000_000, "zero")])
        expected = b"\x01" * 1_000_000 + bytes(SIZE - 1_000_000)
        self.assertEqual(self.content(CAIRN, "half"), expected)
        item = json.loads(self.place.cairn("list", "half", "--json-lines").out)
        if "digests" in item:
            self.assertEqual(item["digests"]["sha256"], hashlib.sha256(expected).hexdigest())

    def test_same_ranges_are_not_read(self):
        """The input's bytes are other ones: what the archive has of the old ones cannot come from reading it."""
        self.repository()
        old, new = random.Random(1).randbytes(SIZE), random.Random(2).randbytes(SIZE)
        write(self.input, old)
        self.create(CAIRN, "old", "--chunker-params", "fixed,65536")
        write(self.input, new)
        border = 20 * 65536 + 5
        done = self.create(CAIRN, "mixed", "--chunker-params", "fixed,65536", "--reuse-from", "old", "--list", "--json",
                           ranges=[(0, border, "same"), (border, SIZE - border, "data")])
        self.assertEqual(self.content(CAIRN, "mixed"), old[:20 * 65536] + new[20 * 65536:])
        stats = done.json()["archive"]["stats"]
        self.assertEqual(stats["files_stats"], {"A": 1})
        self.assertLess(stats["deduplicated_size"], SIZE - 19 * 65536)
        self.assertGreater(stats["original_size"], SIZE)

    def test_the_files_cache_is_not_asked_and_not_told(self):
        self.repository()
        write(self.input, b"a" * SIZE)
        self.create(CAIRN, "series")
        self.create(CAIRN, "series", ranges=[(0, SIZE, "zero")])
        done = self.create(CAIRN, "series", "--list")
        self.assertNotIn(b"U image", done.err)
        newest = json.loads(self.place.cairn("repo-list", "--json").out)["archives"][-1]["id"]
        self.assertEqual(self.content(CAIRN, f"aid:{newest}"), b"a" * SIZE)

    def test_a_missing_chunk_is_read_again(self):
        """The pack with the content is lost; that of the second archive has nothing but the list of its chunks."""
        self.repository()
        data = random.Random(3).randbytes(SIZE)
        write(self.input, data)
        for name in ("content", "old"):
            self.create(CAIRN, name, "--chunker-params", "fixed,65536")
            os.utime(self.input, (1, 1))
        for folder, _, names in os.walk(os.path.join(self.place.repository, "packs")):
            for name in names:
                path = os.path.join(folder, name)
                if os.path.getsize(path) > 1_000_000:
                    os.unlink(path)
        self.create(CAIRN, "new", "--chunker-params", "fixed,65536", "--reuse-from", "old", ranges=[(0, SIZE, "same")])
        self.assertEqual(self.content(CAIRN, "new"), data)

    def test_an_input_of_another_size_makes_no_archive(self):
        self.repository()
        write(self.input, b"abc")
        for length in (2, 4):
            done = self.create(CAIRN, "wrong", ranges=[(0, length, "data")], expect=(2,))
            self.assertEqual(done.err.decode(), f"Error: input map covers {length} bytes, but the input has 3 bytes\n")
        self.assertEqual(self.place.archives(), {})

    def test_a_root_of_patterns_does_not_get_the_map(self):
        self.repository()
        write(self.input, b"abc")
        done = self.create(CAIRN, "two", "--pattern", f"R {self.place.home}", ranges=[(0, 3, "zero")], expect=(4,))
        self.assertIn(b"--map requires exactly one input path.", done.err)

    def test_one_link_and_one_symbolic_link(self):
        self.repository()
        write(self.input, b"abc")
        os.link(self.input, self.input + "2")
        self.create(CAIRN, "link", ranges=[(0, 1, "data"), (1, 2, "zero")])
        self.assertEqual(self.content(CAIRN, "link"), b"a\0\0")
        os.rename(self.input, self.input + "3")
        os.symlink("image3", self.input)
        self.create(CAIRN, "symlink", ranges=[(0, 1, "data"), (1, 2, "zero")])
        self.assertEqual(self.content(CAIRN, "symlink"), b"a\0\0")


@unittest.skipUnless(BORG, program.NO_BORG)
class MapAsBorg(MapCase):
    def same(self, *names):
        """Borg and Cairn made these archives, in pairs."""
        lists = [chunks for name in names for item in self.dump(name) if (chunks := item.get("chunks"))]
        self.assertEqual(len(lists), len(names))
        for name, ours, theirs in zip(names[::2], lists[::2], lists[1::2]):
            self.assertEqual(ours, theirs, name)

    def dump(self, name):
        return json.loads(self.place.borg("debug", "dump-archive", name, "-").out)["_items"]

    def test_the_same_chunks(self):
        numbers = random.Random(4)
        data = bytearray(numbers.randbytes(SIZE))
        data[500_000:1_500_000] = bytes(1_000_000)
        for params in CHUNKERS:
            with self.subTest(params):
                self.place.remove()
                os.makedirs(self.place.home)
                self.repository(BORG)
                write(self.input, bytes(data))
                self.create(BORG, "old", "--chunker-params", params)
                names, contents = [], {}
                for round_number in range(3):
                    states = ["data", "zero"] if round_number == 0 else ["data", "zero", "same", "same"]
                    ranges = random_map(numbers, states)
                    changed = bytearray(data)
                    for start, length, state in ranges:
                        if state == "data":
                            changed[start:start + length] = numbers.randbytes(length)
                        elif state == "zero":
                            changed[start:start + length] = bytes(length)
                    write(self.input, bytes(changed))
                    reuse = [] if round_number == 0 else ["--reuse-from", "old"]
                    for who, name in ((CAIRN, f"cairn{round_number}"), (BORG, f"borg{round_number}")):
                        self.create(who, name, "--chunker-params", params, *reuse, ranges=ranges)
                        names.append(name)
                    contents[f"cairn{round_number}"] = bytes(changed)
                self.same(*names)
                for name, content in contents.items():
                    for who in (BORG, CAIRN):
                        self.assertEqual(hashlib.sha256(self.content(who, name)).digest(), hashlib.sha256(content).digest(), name)
                self.place.borg("check", "--verify-data")
                self.place.cairn("check", "--verify-data")

    def test_a_longer_and_a_shorter_input(self):
        self.repository(BORG)
        data = random.Random(5).randbytes(SIZE)
        write(self.input, data)
        self.create(CAIRN, "old", "--chunker-params", "fixed,65536")
        names = []
        for size in (SIZE - 100_000, SIZE + 100_000):
            content = (data * 2)[:size]
            write(self.input, content)
            for who, name in ((CAIRN, f"cairn{size}"), (BORG, f"borg{size}")):
                self.create(who, name, "--chunker-params", "fixed,65536", "--reuse-from", "old", "--reuse-path", "image",
                            ranges=[(0, size, "same")])
                names.append(name)
                self.assertEqual(self.content(BORG, name), content)
        self.same(*names)
