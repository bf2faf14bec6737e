"""`debug chunk` against the vectors, and against the chunkers of the real Borg 2 over all kinds of content."""
import functools
import hashlib
import json
import os
import random
import struct
import unittest

import program
from program import BORG, ROOT, Place

MASK = 2**64 - 1
CHUNKERS = ["fixed,4096", "fixed,65536,100", "buzhash,10,16,13,4095", "buzhash64,10,16,13,4095,2", "fastcdc,10,16,13,2",
            "toeplitz-aes,10,16,13,2", "rabin-aes,10,16,13,2", "goldilocks-aes,10,16,13,2",
            "buzhash,6,12,6,33", "buzhash64,6,12,6,64,0", "fastcdc,6,12,6,0", "toeplitz-aes,6,12,6,0",
            "rabin-aes,6,12,7,6", "goldilocks-aes,6,12,6,0", "fastcdc,19,23,21,2", "toeplitz-aes,19,23,21,2",
            "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2", "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095"]
ID_KEY = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f"
LONG_ID_KEY = bytes(range(128)).hex()

# Borg's chunkers over files; a key is what derive_key() and chunk_seed make of it.
BORG_LISTS = """
import hashlib, json, sys
from borg.chunkers import get_chunker
class Key:
    def __init__(self, id_key, seed):
        self.id_key, self.chunk_seed = id_key, seed
    def derive_key(self, *, salt, domain, size, from_id_key):
        return hashlib.sha256(self.id_key + salt + domain).digest()[:size]
result = []
for params, id_key, seed, path in json.loads(sys.argv[1]):
    name, *numbers = params.split(",")
    key = None if id_key is None else Key(bytes.fromhex(id_key), seed)
    with open(path, "rb") as file:
        chunks = get_chunker(name, *map(int, numbers), key=key).chunkify(file)
        result.append([(chunk.meta["size"], chunk.meta["allocation"] != 0) for chunk in chunks])
print(json.dumps(result))
"""


@functools.cache
def vectors():
    with open(os.path.join(ROOT, "tests", "data", "vectors", "chunkers.json"), encoding="ascii") as file:
        return json.load(file)


def splitmix(seed, size):
    words = []
    for _ in range((size + 7) // 8):
        seed = (seed + 0x9E3779B97F4A7C15) & MASK
        z = seed
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        words.append(z ^ (z >> 31))
    return struct.pack(f"<{len(words)}Q", *words)[:size]


def content_of(name):
    """An input of the vectors, by their formula."""
    content = b""
    for kind, *facts in vectors()["inputs"][name]["pieces"]:
        if kind == "zeros":
            content += bytes(facts[0])
        elif kind == "repeat":
            pattern = bytes.fromhex(facts[0])
            content += (pattern * (facts[1] // len(pattern) + 1))[:facts[1]]
        else:
            mask = facts[2] if kind == "mask" else 0xff
            content += splitmix(int(facts[0], 16), facts[1]).translate(bytes(byte & mask for byte in range(256)))
    return content


class DebugChunk(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)

    def write(self, name, content):
        path = os.path.join(self.place.path, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    def chunks(self, params, *words, **keywords):
        """[(size, whether it is all zero)]"""
        lines = self.place.cairn("debug", "chunk", "--chunker-params", params, *words, **keywords).text.splitlines()
        for line in lines:
            self.assertRegex(line, r"^[0-9]+( zero)?$")
        return [(int(line.split()[0]), line.endswith(" zero")) for line in lines]

    def test_lists_of_the_vectors(self):
        done = set()
        for name in ("empty", "one", "rand256k", "zeros3m17", "text1m"):
            path = self.write(name, content_of(name))
            for entry in vectors()["chunks"]:
                if entry["input"] != name:
                    continue
                key = vectors()["keys"][entry["key"]]
                words = [] if key["id_key"] is None else ["--id-key", key["id_key"], f"--chunk-seed={key['chunk_seed']}"]
                with self.subTest(chunker=entry["chunker"], key=entry["key"], input=name):
                    found = self.chunks(entry["chunker"], *words, path)
                    self.assertEqual(len(found), entry["count"])
                    sizes = struct.pack(f"<{len(found)}I", *(size for size, _ in found))
                    self.assertEqual(hashlib.sha256(sizes).hexdigest(), entry["sizes_sha256"])
                    zeros = bytes(is_zero for _, is_zero in found)
                    self.assertEqual(hashlib.sha256(zeros).hexdigest(), entry["alloc_sha256"])
                done.add(entry["chunker"].split(",")[0])
        self.assertEqual(len(done), 7)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_chunks_of_borg(self):
        source = random.Random(1)
        mixed = source.randbytes(3_000_000) + bytes(2_000_000) + source.randbytes(100) + b"\xff" * 500_000
        paths = [self.write("mixed", mixed + mixed[1000:2_500_000]), self.write("text", b"so it goes on\n" * 100_000),
                 self.write("zeros", bytes(20_000_000))]
        paths += [self.write(f"size{size}", source.randbytes(size)) for size in (0, 1, 63, 64, 65, 4095, 4096, 4097)]
        sparse = os.path.join(self.place.path, "sparse")
        with open(sparse, "wb") as file:
            for offset in (0, 5_000_000, 40_000_000):
                file.seek(offset)
                file.write(source.randbytes(1_000_000))
            file.truncate(70_000_001)
        paths.append(sparse)
        keys = [(None, 0), (ID_KEY, 305419896), (ID_KEY, -559038737), (LONG_ID_KEY, 1)]
        cases = [(params, *keys[(number + place) % len(keys)], path)
                 for number, params in enumerate(CHUNKERS) for place, path in enumerate(paths)]
        expected = json.loads(self.place.borg_python(BORG_LISTS, json.dumps(cases)))
        for (params, id_key, seed, path), chunks in zip(cases, expected, strict=True):
            with self.subTest(params=params, file=os.path.basename(path), key=id_key):
                words = [] if id_key is None else ["--id-key", id_key, f"--chunk-seed={seed}"]
                self.assertEqual(self.chunks(params, *words, path), [tuple(chunk) for chunk in chunks])

    def test_standard_input_gives_the_same(self):
        content = random.Random(2).randbytes(700_000) + bytes(400_000)
        path = self.write("file", content)
        for params in CHUNKERS:
            expected = self.chunks(params, path)
            self.assertEqual(sum(size for size, _ in expected), len(content))
            self.assertEqual(self.chunks(params, stdin=content), expected, params)
            self.assertEqual(self.chunks(params, "-", stdin=content), expected, params)

    def test_holes_are_not_read(self):
        path = os.path.join(self.place.path, "huge")
        with open(path, "wb") as file:
            file.write(random.Random(3).randbytes(100_000))
            file.truncate(2**40)
        for params in ("fixed,4194304", "fastcdc,19,23,21,2", "rabin-aes,19,23,21,2"):
            found = self.chunks(params, path)
            self.assertEqual(sum(size for size, _ in found), 2**40)
            self.assertEqual(found[0][1], False)
            self.assertTrue(all(is_zero for _, is_zero in found[1:]))

    def test_a_kernel_makes_no_difference(self):
        path = self.write("file", random.Random(4).randbytes(3_000_000))
        for name in ("toeplitz-aes", "rabin-aes", "goldilocks-aes"):
            params = f"{name},12,18,15,2"
            self.assertEqual(self.chunks(params, path, BORG_AES_CHUNKER_KERNEL="evp"), self.chunks(params, path))

    def refused(self, *words, **keywords):
        done = self.place.cairn("debug", "chunk", *words, expect=(2,), **keywords)
        self.assertEqual(done.out, b"")
        return done.err.decode()

    def test_errors(self):
        path = self.write("file", b"content")
        self.assertIn("64 or 256 hexadecimal digits", self.refused("--id-key", "00ff", path))
        self.assertIn("not hexadecimal", self.refused("--id-key", "x" * 64, path))
        self.assertNotIn("x" * 64, self.refused("--id-key", "x" * 64, path))
        self.assertIn("32 bits", self.refused("--chunk-seed", "4294967296", path))
        self.assertIn("32 bits", self.refused("--chunk-seed", "1x", path))
        self.assertIn("No such file", self.refused(os.path.join(self.place.path, "none")))
        self.assertIn("Is a directory", self.refused(self.place.path))
        self.assertIn("cuts nothing", self.refused("--chunker-params", "fail,4096,rrre", path))
        self.assertIn("required: chunk_min < chunk_max", self.refused("--chunker-params", "rabin-aes,12,12,12,0", path))
        self.assertIn("min. chunk size exponent", self.refused("--chunker-params", "rabin-aes,5,12,8,0", path))
        self.assertIn("BORG_AES_CHUNKER_KERNEL='quick': not a kernel of this build. Valid values: ",
                      self.refused("--chunker-params", "rabin-aes,10,16,13,2", path, BORG_AES_CHUNKER_KERNEL=" Quick "))


if __name__ == "__main__":
    unittest.main()
