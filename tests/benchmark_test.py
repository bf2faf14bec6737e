"""`benchmark cpu` and `benchmark crud` in their test modes: formats, errors, interruptions, and Borg's own output beside them
(docs/format/benchmark.md)."""
import json
import os
import re
import signal
import unittest
import xml.etree.ElementTree

import program
from program import BORG, CAIRN, Place

CHUNKERS = ["fixed,1048576", "fastcdc,19,23,21,2", "buzhash64,19,23,21,4095,2", "buzhash,19,23,21,4095", "toeplitz-aes,19,23,21,2",
            "rabin-aes,19,23,21,2", "goldilocks-aes,19,23,21,2"]
CODECS = ["lz4", "zstd,-4", "zstd,1", "zstd,3", "zstd,5", "zstd,10", "zstd,16", "zstd,22", "zlib,1", "zlib,6", "zlib,9", "lzma,0",
          "lzma,6", "lzma,9"]
SECTIONS = {
    "Chunkers": CHUNKERS,
    "Cryptographic hashes / MACs": [f"{name} (128kiB)" for name in ("blake3", "hmac-sha256", "blake2b-256")],
    "Encryption": ["aes-256-ocb", "chacha20-poly1305", "aes-256-ctr-hmac-sha256", "aes-256-ctr-blake2b"],
    "Compression": [f"{codec} (128kiB)" for codec in CODECS],
    "msgpack": ["msgpack"],
}
ROW = re.compile(r"(.{26}) (.{11}) ([ \d]{3}\.\d{3})s  ([ \d]{6}\.\d) (?:MB/s(  [ \d]{3}\.\d\dx)?|kItems/s)")
TEST_MODE = {"_BORG_BENCHMARK_CPU_TEST": "1"}


def kinds(value):
    """The shape of a JSON document: names and types without the values that differ from run to run."""
    if isinstance(value, dict):
        return {name: kinds(one) if name not in ("algo", "algo_params", "size", "buffer_size", "count") else one
                for name, one in value.items()}
    return [kinds(one) for one in value] if isinstance(value, list) else type(value).__name__


class CpuCase(unittest.TestCase):
    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)

    def cpu(self, *words, **more):
        return self.place.cairn("benchmark", "cpu", *words, **TEST_MODE, **more)


class CpuText(CpuCase):
    def rows(self, text):
        """{section: [labels]}; every line must have its exact form."""
        found, section = {}, None
        for line in text.splitlines():
            if line.endswith("=="):
                self.assertEqual(len(line), 71)
                section = line.rstrip("=").removesuffix(" ")
                found[section] = []
                continue
            match = ROW.fullmatch(line)
            self.assertTrue(match, repr(line))
            self.assertEqual(bool(match[5]), section == "Compression", line)
            expected = {"Compression": "384.00 KiB", "msgpack": "1k Items"}.get(section, "128.00 KiB")
            self.assertEqual(match[2].rstrip(), expected, line)
            found[section].append(match[1].rstrip())
        return found

    def test_all_sections_in_order(self):
        done = self.cpu()
        self.assertEqual(self.rows(done.text), SECTIONS)
        self.assertEqual(list(self.rows(done.text)), list(SECTIONS))
        self.assertEqual(done.err, b"")

    def test_chosen_sections_in_the_same_order(self):
        self.assertEqual(list(self.rows(self.cpu("--msgpacking", "--chunking").text)), ["Chunkers", "msgpack"])
        self.assertEqual(list(self.rows(self.cpu("--encrypting", "--hashing", "--data", "/missing").text)),
                         ["Cryptographic hashes / MACs", "Encryption"])

    def test_no_subcommand_is_help(self):
        done = self.place.cairn("benchmark")
        self.assertTrue(done.text.startswith("usage: cairn "))


class CpuJson(CpuCase):
    def test_keys_are_sorted_and_indented(self):
        text = self.cpu("--json").text
        self.assertEqual(text, json.dumps(json.loads(text), indent=4, sort_keys=True) + "\n")

    def test_a_bad_threshold_fails_its_row(self):
        found = self.cpu("--hashing", "--json", BORG_BLAKE3_MT_THRESHOLD="-3").json()["hashes"]
        self.assertEqual(found[0], {"spec": "blake3 (128kiB)",
                                    "error": "Error: Error: BORG_BLAKE3_MT_THRESHOLD must not be negative, but is: -3"})
        self.assertEqual([one["algo"] for one in found[1:]], ["hmac-sha256", "blake2b-256"])
        line = self.cpu("--hashing", BORG_BLAKE3_MT_THRESHOLD="x").text.splitlines()[1]
        self.assertEqual(line, "blake3 (128kiB)            failed: Error: Error: "
                               "BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: 'x'")

    def test_a_bad_kernel_fails_its_row(self):
        line = self.cpu("--chunking", BORG_FASTCDC_KERNEL="foo").text.splitlines()[2]
        self.assertTrue(line.startswith("fastcdc,19,23,21,2         failed: ValueError: BORG_FASTCDC_KERNEL='foo': not a kernel"), line)

    def test_ordinary_commands_refuse_a_bad_threshold(self):
        self.place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
        done = self.place.cairn("repo-info", expect=(2,), BORG_BLAKE3_MT_THRESHOLD="x")
        self.assertIn(b"BORG_BLAKE3_MT_THRESHOLD must be an integer (KiB), but is: 'x'", done.err)

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_shape_is_borgs(self):
        for words in ([], ["--hashing"], ["--compressing", "--data", CAIRN]):
            with self.subTest(words=words):
                ours = self.cpu("--json", *words).json()
                theirs = self.place.borg("benchmark", "cpu", "--json", *words, **TEST_MODE).json()
                self.assertEqual(kinds(ours), kinds(theirs))

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_failed_rows_are_borgs(self):
        for words, more in ((["--hashing"], {"BORG_BLAKE3_MT_THRESHOLD": "x"}), (["--hashing"], {"BORG_BLAKE3_MT_THRESHOLD": "-1"})):
            ours = self.cpu("--json", *words, **more).json()
            theirs = self.place.borg("benchmark", "cpu", "--json", *words, **TEST_MODE, **more).json()
            self.assertEqual(ours["hashes"][0], theirs["hashes"][0])


class CpuData(CpuCase):
    def test_errors_come_after_the_title(self):
        empty = self.place.folder("empty")
        for path, message in (("/missing", "--data: '/missing' is not a file or directory."),
                              (empty, f"--data: no data found at '{empty}'.")):
            done = self.cpu("--compressing", "--data", path, expect=(4,))
            self.assertEqual(done.text, "Compression ===========================================================\n")
            self.assertEqual(done.err.decode(), f"Command error: {message}\n")

    @unittest.skipIf(program.is_root(), "root reads everything")
    def test_unreadable_file(self):
        path = os.path.join(self.place.folder("data"), "secret")
        with open(path, "w", encoding="ascii") as file:
            file.write("x")
        os.chmod(path, 0)
        done = self.cpu("--compressing", "--data", os.path.dirname(path), expect=(4,))
        self.assertEqual(done.err.decode(), f"Command error: --data: could not read '{path}': [Errno 13] Permission denied: '{path}'\n")

    def test_sizes_are_those_used(self):
        folder = self.place.folder("data")
        with open(os.path.join(folder, "one"), "wb") as file:
            file.write(b"a line of text\n" * 20000)
        for row in self.cpu("--compressing", "--json", "--data", folder).json()["compression"]:
            self.assertEqual(row["size"], 2 * 131072)
            self.assertLess(row["csize"], 20000)


class CpuFigures(CpuCase):
    def test_kernels(self):
        chart = os.path.join(self.place.path, "chart.svg")
        lines = self.cpu("--kernels", "--svg", chart).text.splitlines()
        self.assertRegex(lines[0], r"^Chunker kernels, MB/s \(.*, 1 thread, median of 3 runs\) ")
        names = lines[1].split()
        self.assertIn("scalar", names)
        self.assertEqual([line.split()[0] for line in lines[2:]], CHUNKERS[1:])
        for line in lines[2:]:
            cells = line.split()[1:]
            self.assertEqual(len(cells), len(names))
            self.assertTrue(any(cell != "-" for cell in cells))
        self.assertTrue(xml.etree.ElementTree.parse(chart).getroot().tag.endswith("svg"))
        found = self.cpu("--kernels", "--json").json()
        self.assertEqual(list(found), ["kernels"])
        for row in found["kernels"]["chunkers"]:
            self.assertEqual(sorted(row["mb_per_second"]), sorted(names))
            self.assertGreater(row["mb_per_second"][row["default"]], 0)

    def test_sweep(self):
        chart = os.path.join(self.place.path, "chart.svg")
        lines = self.cpu("--hashing", "--sweep", "--threads", "2", "--svg", chart).text.splitlines()
        self.assertRegex(lines[4], r"^BLAKE3, MiB/s \(.*, 2 threads, median of 1 run\) ")
        self.assertEqual(lines[5], "    KiB     single       AUTO    ratio")
        self.assertRegex(lines[6], r"^     16 +\d+ +\d+ +\d+\.\d\dx$")
        self.assertTrue(xml.etree.ElementTree.parse(chart).getroot().tag.endswith("svg"))
        found = self.cpu("--hashing", "--sweep", "--json").json()
        self.assertEqual(sorted(found), ["blake3_sweep", "hashes"])
        self.assertEqual(sorted(found["blake3_sweep"]["results"][0]), ["auto", "kib", "noise", "ratio", "single"])

    def test_options_that_do_not_fit(self):
        for words in (["--sweep"], ["--svg", "x"], ["--hashing", "--sweep", "--kernels", "--svg", "x"]):
            self.cpu(*words, expect=(2,))


class Crud(unittest.TestCase):
    TEST = {"_BORG_BENCHMARK_CRUD_TEST": "1"}

    def setUp(self):
        self.place = Place()
        self.addCleanup(self.place.remove)
        self.data = self.place.folder("data")

    def make(self):
        self.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "blake3")

    def crud(self, *words, **more):
        return self.place.cairn("benchmark", "crud", *words, **{**self.TEST, **more})

    def test_text(self):
        self.make()
        done = self.crud(self.data)
        expected = [(f"{letter}-{sample}-TEST", content) for sample, content in (("Z", "all-zero"), ("R", "random")) for letter in "CRUD"]
        lines = done.text.splitlines()
        self.assertEqual(len(lines), 8)
        for line, (name, content) in zip(lines, expected):
            self.assertRegex(line, rf"^{name:<12}      0\.00 MB/s \(1 \* 1 B {content} files: \d+\.\d\ds\)$")
        self.assertEqual(done.err, b"")
        self.assertEqual(os.listdir(self.data), [])
        self.assertEqual(self.place.archives(), {})

    def test_json_lines(self):
        self.make()
        lines = self.crud("--json-lines", self.data).text.splitlines()
        found = [json.loads(line) for line in lines]
        self.assertEqual([one["command"] for one in found], ["create1", "extract", "create2", "delete"] * 2)
        for line, one in zip(lines, found):
            self.assertEqual(line, json.dumps(one, sort_keys=True))
            self.assertEqual((one["sample_count"], one["sample_size"]), (1, 1))
            self.assertEqual(one["io"], int(1 / one["time"]))

    @unittest.skipUnless(BORG, program.NO_BORG)
    def test_shape_is_borgs(self):
        self.make()
        ours = self.crud("--json-lines", self.data).text.splitlines()
        theirs = self.place.borg("benchmark", "crud", "--json-lines", self.data, **self.TEST).text.splitlines()
        self.assertEqual(len(ours), len(theirs))
        for mine, other in zip(map(json.loads, ours), map(json.loads, theirs)):
            self.assertEqual(list(mine), list(other))
            for name in ("command", "id", "sample", "sample_count", "sample_random", "sample_size"):
                self.assertEqual(mine[name], other[name])

    def test_missing_path(self):
        self.make()
        done = self.crud("/missing", expect=(2,))
        self.assertEqual(done.err, b"Error: [Errno 2] No such file or directory: '/missing'\n")

    def test_missing_repository_says_why_and_leaves_nothing(self):
        done = self.crud(self.data, expect=(2,))
        self.assertIn(b"does not exist", done.err)
        self.assertIn(b"ended with exit code 13", done.err)
        self.assertEqual(os.listdir(self.data), [])
        self.crud(self.data, expect=(2,), BORG_REPO="")

    def test_a_failure_leaves_no_archives(self):
        self.make()
        failed = 0
        for operation in range(3, 60, 4):
            done = self.crud(self.data, expect=None, CAIRN_TEST_STORE_FAULT=f"eio:{operation}")
            failed += done.status != 0
            self.assertNotIn("may be left", done.err.decode(), str(done))
            listed = self.place.cairn("repo-list", "--format", "{name}{NL}").text
            self.assertEqual(listed, "", f"{operation}: {done}")
        self.assertGreater(failed, 5)

    def test_interruption(self):
        """While the files of the first sample, 1 GB, are made: the folder goes, and nothing is locked."""
        self.make()
        process = self.place.start(CAIRN, "benchmark", "crud", self.data)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        try:
            while process.poll() is None and not any(os.scandir(self.data)):
                pass
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 2)
        finally:
            process.kill()
            process.wait()
        self.assertIn(b"Got Ctrl-C / SIGINT.", process.stderr.read())
        self.assertEqual(os.listdir(self.data), [])
        self.place.cairn("repo-info")


class CpuInterruption(CpuCase):
    def test_rows_so_far_are_shown(self):
        process = self.place.start(CAIRN, "benchmark", "cpu", "--compressing")
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        try:
            self.assertTrue(process.stdout.readline().startswith(b"Compression =="))
            process.send_signal(signal.SIGINT)
            self.assertEqual(process.wait(60), 2)
        finally:
            process.kill()
            process.wait()
        self.assertIn(b"Got Ctrl-C / SIGINT.", process.stderr.read())

    def test_a_reader_that_goes_away_is_no_failure(self):
        process = self.place.start(CAIRN, "benchmark", "cpu", "--compressing")
        self.addCleanup(process.stderr.close)
        try:
            process.stdout.readline()
            process.stdout.close()
            self.assertEqual(process.wait(60), 0)
        finally:
            process.kill()
            process.wait()
        self.assertEqual(process.stderr.read(), b"")


if __name__ == "__main__":
    unittest.main()
