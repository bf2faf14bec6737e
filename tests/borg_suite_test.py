"""The tests that Borg 2 itself comes with, run against Cairn.

Borg's package has its tests of the command line; they can run a program of any make. Each file of them is one test here. What
Cairn does otherwise, on purpose or because it has no such command yet, stands in data/borg_suite.txt with the reason; a test of
that list that passes is an error as well, so that the list stays true.
"""
import glob
import os
import re
import shutil
import subprocess
import unittest
import xml.etree.ElementTree

import program
from program import BORG_BIN, CAIRN, Place

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(os.path.dirname(BORG_BIN), "root") if BORG_BIN else ""
PYTHON = "/usr/lib/borgbackup2"  # where the package keeps Borg 2
SUITE = PYTHON + "/borg/testsuite/archiver"
LIST = os.path.join(HERE, "data", "borg_suite.txt")
PYTEST = ("python3-pytest", "python3-pluggy", "python3-iniconfig", "python3-pygments")
# Commands that are not there yet, and what needs a server.
LEFT_OUT = ("mount_cmds", "webdav_cmd", "serve_cmd", "remote_repo", "check_cmd_remote", "_common", "argparsing")
RUNS = 3  # some of Borg's tests depend on the clock: what fails is tried again


def known_differences():
    """{"create_cmd_test.py::test_name[binary_archiver]": reason}"""
    known = {}
    with open(LIST, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                name, _, reason = line.strip().partition("  ")
                known[name] = reason
    return known


class BorgSuite(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not program.BORG:
            raise unittest.SkipTest(program.NO_BORG)
        if not os.path.isdir(ROOT + SUITE):
            raise unittest.SkipTest("this Borg 2 comes without its tests")
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        cls.python = cls.place.folder("python")
        cls.get_pytest()
        cls.make_program()

    @classmethod
    def enter(cls, *words, **more):
        return subprocess.run([os.path.join(BORG_BIN, ".enter"), ROOT, *words], cwd=cls.place.path, capture_output=True, check=False, **more)

    @classmethod
    def get_pytest(cls):
        """For the Python that Borg runs with, into a folder of our own: Borg's system sees that of the place, but not ours."""
        shutil.copy(os.path.join(HERE, "borg_suite_plugin.py"), cls.place.path)
        done = cls.enter("/usr/bin/apt-get", "download", "-q", *PYTEST)
        packages = glob.glob(os.path.join(cls.place.path, "*.deb"))
        if done.returncode != 0 or len(packages) != len(PYTEST):
            raise unittest.SkipTest("pytest cannot be had: " + done.stderr.decode(errors="replace").strip()[-200:])
        for package in packages:
            subprocess.run(["dpkg-deb", "-x", package, cls.python], check=True)

    @classmethod
    def make_program(cls):
        """borg.exe, with the libraries that it was built with: Borg's system has others."""
        folder = cls.place.folder("bin")
        libraries = cls.place.folder("libraries")
        shutil.copy(CAIRN, os.path.join(folder, "cairn"))
        linked = subprocess.run(["ldd", CAIRN], capture_output=True, text=True, check=True).stdout
        for library in set(re.findall(r"/\S+", linked)):
            shutil.copy(library, libraries)
        loader = glob.glob(os.path.join(libraries, "ld-linux*"))[0]
        script = os.path.join(folder, "borg.exe")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec {loader} --argv0 borg.exe --library-path {libraries} {folder}/cairn "$@"\n')
        os.chmod(script, 0o755)
        cls.path = f"{folder}:/usr/sbin:/usr/bin:/sbin:/bin"

    def outcomes(self, number, words):
        """{test: (outcome, text)}"""
        report = os.path.join(self.place.path, f"{self.id()}-{number}.xml")
        temporary = os.path.join(self.place.path, f"t-{self._testMethodName}-{number}")
        packages = os.path.join(self.python, "usr/lib/python3/dist-packages")
        environment = {"PATH": self.path, "HOME": self.place.folder(f"home-{self._testMethodName}-{number}"), "LANG": "C.UTF-8",
                       "PYTHONPATH": f"{PYTHON}:{packages}:{self.place.path}", "PYTHONDONTWRITEBYTECODE": "1", "TMPDIR": self.place.path}
        done = self.enter("/usr/bin/python3", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "borg_suite_plugin", "--tb=short",
                          f"--rootdir={PYTHON}", f"--basetemp={temporary}", f"--junitxml={report}", *words,
                          env=environment, timeout=1500)
        self.assertIn(done.returncode, (0, 1, 5), (done.stdout + done.stderr).decode(errors="replace")[-3000:])
        found = {}
        for case in xml.etree.ElementTree.parse(report).iter("testcase"):
            name = f"{case.get('classname').rpartition('.')[2]}.py::{case.get('name')}"
            bad = [part for part in case if part.tag in ("failure", "error")]
            skipped = any(part.tag == "skipped" for part in case)
            found[name] = ("failed" if bad else "skipped" if skipped else "passed", "\n".join(part.text or "" for part in bad)[-2000:])
        return found

    def run_file(self, file):
        known = {name: reason for name, reason in known_differences().items() if name.startswith(file)}
        found = self.outcomes(0, [f"{SUITE}/{file}"])
        for number in range(1, RUNS):
            again = [name for name, (outcome, _) in found.items() if outcome == "failed" and name not in known]
            if not again:
                break
            found.update(self.outcomes(number, [f"{SUITE}/{name}" for name in again]))
        failed = {name: text for name, (outcome, text) in found.items() if outcome == "failed"}
        passed = [name for name, (outcome, _) in found.items() if outcome == "passed"]
        self.assertEqual(sorted(name for name in known if name in passed), [], "these stand in data/borg_suite.txt, but pass")
        self.assertEqual(sorted(name for name in known if name not in found), [], "these stand in data/borg_suite.txt, but are not there")
        self.assertEqual(sorted(name for name in failed if name not in known), [], "\n".join(f"{name}\n{text}" for name, text in failed.items()))
        if not any(outcome == "passed" for outcome, _ in found.values()):
            self.skipTest("no test of this file runs a program here")


def add_tests():
    for path in sorted(glob.glob(f"{ROOT}{SUITE}/*_test.py")) if ROOT else ():
        file = os.path.basename(path)
        name = file.removesuffix("_test.py")
        if name not in LEFT_OUT:
            setattr(BorgSuite, f"test_{name}", lambda self, file=file: self.run_file(file))
    if not any(name.startswith("test_") for name in vars(BorgSuite)):
        BorgSuite.test_borgs_own_tests = lambda self: None  # says why it is skipped


add_tests()

if __name__ == "__main__":
    unittest.main()
