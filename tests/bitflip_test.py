"""Damage to every byte of a small repository: check finds it or it does no harm, and extract never gives wrong bytes as right."""
import concurrent.futures
import os
import random
import shutil
import tempfile
import unittest

import trees
from program import CAIRN, IN_MEMORY, Place


def flipped(data, at):
    """One bit of the byte changed; which one depends on the place, always the same for the same place."""
    return data[:at] + bytes([data[at] ^ 1 << random.Random(at).randrange(8)]) + data[at + 1:]


class DamageCase(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.place = Place(IN_MEMORY)
        cls.addClassCleanup(cls.place.remove)
        tree = os.path.join(cls.place.path, "tree")
        os.mkdir(tree)
        trees.write(os.path.join(tree, "text"), trees.content("text", 150))
        trees.write(os.path.join(tree, "noise"), trees.content("noise", 100, compressible=False))
        os.symlink("text", os.path.join(tree, "link"))
        cls.tree = trees.read_tree(tree)
        cls.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")
        cls.place.cairn("create", "one", "tree")
        cls.files = sorted(os.path.relpath(os.path.join(folder, name), cls.place.repository)
                           for folder, _, names in os.walk(cls.place.repository) for name in names)

    def original(self, name):
        with open(os.path.join(self.place.repository, name), "rb") as file:
            return file.read()

    def files_of(self, *namespaces):
        return [name for name in self.files if name.split(os.sep)[0] in namespaces and self.original(name)]

    def meet(self, name, data):
        """The file gets this content in a copy that no cache knows. Returns what is wrong with Cairn's reaction, or None."""
        with tempfile.TemporaryDirectory(dir=self.place.path) as work:
            repository, base = os.path.join(work, "repository"), os.path.join(work, "home")
            shutil.copytree(self.place.repository, repository)
            path = os.path.join(repository, name)
            os.chmod(path, 0o600)
            trees.write(path, data)
            os.mkdir(os.path.join(work, "out"))
            variables = {"BORG_REPO": repository, "BORG_BASE_DIR": base, "HOME": base}
            checked = self.place.run(CAIRN, "check", "--verify-data", expect=None, **variables)
            extracted = self.place.run(CAIRN, "extract", "one", cwd=os.path.join(work, "out"), expect=None, **variables)
            right = False
            if os.path.isdir(os.path.join(work, "out", "tree")):
                right = not trees.differences(self.tree, trees.read_tree(os.path.join(work, "out", "tree")))
            if checked.status < 0 or extracted.status < 0 or checked.status >= 128 or extracted.status >= 128:
                return f"crash: {checked if checked.status < 0 else extracted}"
            if extracted.status == 0 and not right:
                return "extract: exit status 0 with wrong files"
            if checked.status == 0 and not (extracted.status == 0 and right):
                return f"check found nothing, but: {extracted}"
            for done in (checked, extracted):
                if done.status != 0 and not done.err.strip():
                    return f"no message: {done}"
            return None

    def meet_all(self, changes):
        """changes: (file, words that tell the damage, new content)."""
        wrong = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for (name, what, _), answer in zip(changes, pool.map(lambda change: self.meet(change[0], change[2]), changes)):
                if answer:
                    wrong.append(f"{name}, {what}: {answer}")
        self.assertEqual(len(wrong), 0, f"{len(wrong)} of {len(changes)}:\n{trees.show(wrong, 8)}")

    def flip_every_byte(self, files):
        self.assertTrue(files)
        self.meet_all([(name, f"byte {at}", flipped(self.original(name), at))
                       for name in files for at in range(len(self.original(name)))])


class FlippedBytes(DamageCase):
    def test_an_undamaged_repository_is_fine(self):
        name = self.files_of("packs")[0]
        self.assertIsNone(self.meet(name, self.original(name)))

    def test_packs(self):
        self.flip_every_byte(self.files_of("packs"))


class FlippedBytesBesidePacks(DamageCase):
    def test_index(self):
        self.flip_every_byte(self.files_of("index"))

    def test_configuration(self):
        self.flip_every_byte(self.files_of("config"))

    def test_keys(self):
        self.flip_every_byte(self.files_of("keys"))


class LostBytes(DamageCase):
    """What a power failure leaves: files cut off, or full of zero bytes of the right length."""

    def test_every_file_cut_or_zeroed(self):
        changes = []
        for name in self.files_of("packs", "index", "config", "keys"):
            data = self.original(name)
            for size in (0, 1, len(data) // 2, len(data) - 1):
                changes.append((name, f"cut to {size} of {len(data)} bytes", data[:size]))
            changes.append((name, "all zero bytes", bytes(len(data))))
        self.meet_all(changes)

    def test_reading_goes_on_without_an_index(self):
        """The packs tell what the index told; the damage is reported."""
        for name in self.files_of("index"):
            for data in (b"", bytes(len(self.original(name)))):
                with Place(BORG_PASSPHRASE=self.place.variables["BORG_PASSPHRASE"]) as place:
                    shutil.copytree(self.place.repository, place.repository)
                    os.chmod(os.path.join(place.repository, name), 0o600)
                    trees.write(os.path.join(place.repository, name), data)
                    out = place.folder("out")
                    done = place.cairn("extract", "one", cwd=out, expect=(0, 1))
                    self.assertTrue(done.err.strip(), "nothing is said about the damaged index")
                    self.assertEqual(trees.differences(self.tree, trees.read_tree(os.path.join(out, "tree"))), [])
                    place.cairn("check", expect=(1,))
