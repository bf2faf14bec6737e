"""check --repair: every kind of damage, repaired by Cairn, judged by the real Borg 2, and compared with its repair."""
import hashlib
import os
import re
import shutil
import signal
import unittest

import damage
import program
import trees
from program import BORG, CAIRN, IN_MEMORY, Place

CHUNKER = ["--chunker-params", "fastcdc,10,14,12,2"]
PACKS = {"BORG_PACK_MAX_SIZE": "40000"}


class RepairCase(unittest.TestCase):
    """Two archives that share most of their files, each with several stream objects, and a deleted one."""

    @classmethod
    def setUpClass(cls):
        cls.place = Place(IN_MEMORY, **PACKS)
        cls.addClassCleanup(cls.place.remove)
        cls.source = {}
        for name, seed in (("one", 1), ("two", 1), ("gone", 2)):
            folder = os.path.join(cls.place.path, name)
            trees.build_small_tree(os.path.join(folder, "tree"), seed=seed, files=8, size=9000)
            # Links with long targets between the files make a long stream of items, of several objects.
            for number in range(0 if name == "gone" else 150):
                trees.write(os.path.join(folder, "tree", f"small{number:03}"), b"%d" % (number % 7))
                os.symlink("t" * 4000, os.path.join(folder, "tree", f"link{number:03}"))
            if name != "gone":  # enough to fill packs with content alone
                trees.write(os.path.join(folder, "tree", "large"), trees.content("large", 100_000, compressible=False))
            if name == "two":
                trees.write(os.path.join(folder, "tree", "more"), trees.content("more", 20_000, compressible=False))
            cls.source[name] = cls.contents(os.path.join(folder, "tree"))
        cls.place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
        cls.needed_by = {}
        for name in ("one", "two", "gone"):
            cls.place.cairn("create", *CHUNKER, name, "tree", cwd=os.path.join(cls.place.path, name))
            cls.needed_by[name] = {one.id for one in damage.objects(cls.place.repository)}
        cls.place.cairn("delete", "gone")
        cls.state = os.path.join(cls.place.path, "state")
        cls.homes = os.path.join(cls.place.path, "homes")
        shutil.copytree(cls.place.repository, cls.state)
        shutil.copytree(cls.place.home, cls.homes)

    def setUp(self):
        self.reset()

    def reset(self):
        for path, saved in ((self.place.repository, self.state), (self.place.home, self.homes)):
            shutil.rmtree(path)
            shutil.copytree(saved, path)

    @staticmethod
    def contents(folder):
        """{path: hash} of all files."""
        found = {}
        for where, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(where, name)
                if os.path.isfile(path) and not os.path.islink(path):
                    found[os.path.relpath(path, folder)] = hashlib.sha256(damage.read(path)).hexdigest()
        return found

    def readable(self, who=CAIRN):
        """All (archive, file) whose content comes back as it was."""
        found = set()
        for id, name in self.place.archives(who).items():
            out = self.place.folder("out")
            self.place.run(who, "extract", f"aid:{id}", cwd=out, expect=None)
            source = self.source.get(name, {})
            tree = os.path.join(out, "tree")
            found |= {(name, path) for path, content in self.contents(tree).items() if source.get(path) == content}
            shutil.rmtree(out)
        return found

    def everything(self):
        return {(name, path) for name in ("one", "two") for path in self.source[name]}

    def all_of_type(self, kind):
        """The objects that live archives need; of content what both of them do."""
        ids = self.needed_by["one" if kind == "F" else "two"]
        return [one for one in damage.objects(self.place.repository, kind) if one.id in ids]

    def of_type(self, kind, number=0):
        return self.all_of_type(kind)[number]

    def content_pack(self):
        """A pack that holds nothing but content that live archives need."""
        needed = {one.id for one in self.all_of_type("F")}
        packs = {}
        for one in damage.objects(self.place.repository):
            packs.setdefault(one.pack, []).append(one.id in needed)
        return next(pack for pack, these in packs.items() if len(these) > 3 and all(these))

    def repair(self, *words, expect=(0, 1), **keywords):
        return self.place.cairn("check", "--repair", *words, expect=expect, **keywords)

    def assertSound(self, lost_content=False):
        """Nothing is wrong beside content that is known to be missing, for both programs."""
        for who in (CAIRN, BORG) if BORG else (CAIRN,):
            done = self.place.run(who, "check", "--verify-data", expect=None)
            if not lost_content:
                self.assertEqual(done.status, 0, str(done))
                continue
            self.assertEqual(done.status, 1, str(done))
            for line in done.err.decode().splitlines():
                self.assertRegex(line, "^(Missing chunk detected|The following chunks|- Chunk |    - |Archive consistency check)", str(done))

    def heal(self):
        """A new backup of the same files brings back what was lost."""
        for name in ("one", "two"):
            self.place.cairn("create", *CHUNKER, name, "tree", cwd=os.path.join(self.place.path, name))

    def meets(self, hit, lost, words=(), archives=("one", "two")):
        """`hit` damages the repository; `lost` tells what that may cost: nothing (of the data), content, items or archive."""
        hit()
        found = self.place.cairn("check", *words, expect=None)
        self.assertEqual(found.status, 1, f"the damage is not seen: {found}")
        before = self.readable()
        done = self.repair(*words)
        self.assertEqual(done.status, 0 if lost == "nothing" else 1, str(done))
        after = self.readable()
        self.assertLessEqual(before, after, f"less is readable than before: {done}")
        self.assertEqual(sorted(self.place.archives().values()), sorted(archives), str(done))
        if lost == "nothing":
            self.assertEqual(after, self.everything())
        self.assertSound(lost == "content")
        again = self.repair(*words)
        self.assertEqual(again.status, 1 if lost == "content" else 0, f"the second repair: {again}")
        if BORG:
            self.assertEqual(self.readable(BORG), after)
            self.assertEqual(self.place.archives(BORG), self.place.archives())
        if lost == "content":
            self.heal()
            self.assertEqual(self.readable(), self.everything())
            self.assertSound()
        return done

    def assertNamed(self, done, *words):
        for word in words:
            self.assertIn(word, done.err.decode("utf-8", "replace"), str(done))


class RepairPacks(RepairCase):
    def hit(self, kind, where, number=0):
        def act():
            one = self.of_type(kind, number)
            self.hit_object = one
            at = {"header": 3, "id": 20, "sizes": 42, "meta": damage.HEADER + damage.OVERHEAD + 3, "tag": damage.HEADER + 5,
                  "data": one.size - 1}[where]
            damage.flip(one.pack, one.offset + at)
        return act

    def test_content(self):
        done = self.meets(self.hit("F", "data", 2), "content")
        self.assertNamed(done, f"Chunk {self.hit_object.id} is lost", f"Missing chunk detected: {self.hit_object.id}", "tree/", ": one, two")

    def test_content_metadata(self):
        self.meets(self.hit("F", "meta"), "content")

    def test_content_tag(self):
        self.meets(self.hit("F", "tag", 1), "content")

    def test_headers_are_made_again(self):
        for where in ("header", "id", "sizes"):
            with self.subTest(where=where):
                self.reset()
                self.meets(self.hit("F", where, 1), "nothing")

    def test_item_stream(self):
        done = self.meets(self.hit("S", "data", 1), "items")
        self.assertNamed(done, "item metadata chunk", "files are left, as archive")

    def test_item_stream_metadata(self):
        self.meets(self.hit("S", "meta", 1), "items")

    def test_item_pointers(self):
        self.meets(self.hit("C", "data"), "items")

    def test_archive(self):
        name = self.place.archives()[self.of_type("A").id]
        done = self.meets(self.hit("A", "data"), "archive", archives={"one", "two"} - {name})
        self.assertNamed(done, f"Archive metadata block {self.hit_object.id}", "Deleting broken archive")

    def test_archive_metadata(self):
        name = self.place.archives()[self.of_type("A").id]
        self.meets(self.hit("A", "meta"), "archive", archives={"one", "two"} - {name})

    def test_truncated(self):
        for cut in (1, 100, 20_000):
            with self.subTest(cut=cut):
                self.reset()
                self.truncate(cut)

    def truncate(self, cut):
        def act():
            pack = self.content_pack()
            damage.write(pack, damage.read(pack)[:-cut])
        self.meets(act, "content")

    def test_empty(self):
        def act():
            damage.write(self.content_pack(), b"")
        self.meets(act, "content")

    def test_zeros(self):
        """What a power failure leaves."""
        def act():
            pack = self.content_pack()
            damage.write(pack, bytes(os.path.getsize(pack)))
        self.meets(act, "content")

    def test_bytes_appended(self):
        def act():
            pack = self.content_pack()
            damage.write(pack, damage.read(pack) + b"garbage" * 30)
        self.meets(act, "nothing")

    def test_bytes_inserted(self):
        def act():
            one = self.of_type("F", 1)
            data = damage.read(one.pack)
            damage.write(one.pack, data[:one.offset] + b"garbage" * 30 + data[one.offset:])
        self.meets(act, "nothing")

    def test_missing(self):
        def act():
            damage.remove(self.content_pack())
        done = self.meets(act, "content")
        self.assertNamed(done, "1 pack(s) referenced by the index are missing", "Removed the index entries of their")

    def test_wrong_name(self):
        def act():
            pack = self.of_type("F").pack
            os.rename(pack, pack[:-1] + ("0" if pack[-1] != "0" else "1"))
        self.meets(act, "nothing")

    def test_only_the_deep_check_sees_it(self):
        """A pack with the right name around an object that is not what its id says, as no careful program writes one."""
        def act():
            one = self.of_type("F", 2)
            damage.flip(one.pack, one.offset + one.size - 1)
            data = damage.read(one.pack)
            os.remove(one.pack)
            name = self.place.borg_python("import sys, blake3; print(blake3.blake3(open(sys.argv[1], 'rb').read()).hexdigest())",
                                          self.at_side(data)).strip()
            folder = os.path.join(self.place.repository, "packs", name[:2])
            os.makedirs(folder, exist_ok=True)
            trees.write(os.path.join(folder, name), data)
        if not BORG:
            self.skipTest(program.NO_BORG)
        # The index still names the old pack, which is gone; its objects are in the new one.
        self.meets(act, "content", words=("--verify-data",))

    def at_side(self, data):
        path = os.path.join(self.place.path, "side")
        trees.write(path, data)
        return path

    def test_not_without_the_answer(self):
        self.hit("F", "data")()
        before = {path: damage.read(path) for path in damage.files_in(self.place.repository, "")}
        for answer in ("yes", "no", ""):
            done = self.place.cairn("check", "--repair", expect=(3,), BORG_CHECK_I_KNOW_WHAT_I_AM_DOING=answer)
            self.assertNamed(done, "This is a potentially dangerous function.", "BE VERY CAREFUL!", "Type 'YES' if you understand this")
        self.assertEqual(before, {path: damage.read(path) for path in damage.files_in(self.place.repository, "")})

    def test_not_without_the_right_to_delete(self):
        self.hit("F", "data")()
        before = {path: damage.read(path) for space in ("packs", "index", "archives") for path in damage.files_in(self.place.repository, space)}
        done = self.repair(expect=(24,), BORG_REPO_PERMISSIONS="no-delete")
        self.assertNamed(done, "a repair needs write (w/W) and delete (D) permissions on packs/")
        self.assertEqual(before, {path: damage.read(path) for space in ("packs", "index", "archives")
                                  for path in damage.files_in(self.place.repository, space)})

    def test_repository_only(self):
        one = self.of_type("F", 2)
        damage.flip(one.pack, one.offset + one.size - 1)
        done = self.repair("--repository-only", expect=(1,))
        self.assertNamed(done, f"Chunk {one.id} is lost")
        self.assertNotIn(b"tree/", done.err)
        self.repair("--repository-only", expect=(0,))
        self.assertSound(lost_content=True)

    def test_archives_only(self):
        one = self.of_type("F", 2)
        damage.flip(one.pack, one.offset + 12)
        self.repair("--archives-only", expect=(0,))
        self.assertSound()
        one = self.of_type("F", 2)
        damage.flip(one.pack, one.offset + one.size - 1)
        self.repair("--archives-only", expect=(0,))  # no reason to look at the content
        self.place.cairn("check", "--repository-only", expect=(1,))  # now it is on record
        self.repair("--archives-only", expect=(1,))
        self.assertSound(lost_content=True)


class RepairIndex(RepairCase):
    def all_of_it(self, act):
        self.meets(act, "nothing")

    def test_damaged_fragment(self):
        for place in (0, 1, 20, -1):
            with self.subTest(place=place):
                self.reset()
                fragment = damage.largest(damage.fragments(self.place.repository))
                self.all_of_it(lambda fragment=fragment, place=place: damage.flip(fragment, place))

    def test_truncated_and_empty_fragments(self):
        for size in (0, 1, 500):
            with self.subTest(size=size):
                self.reset()
                fragment = damage.largest(damage.fragments(self.place.repository))
                self.all_of_it(lambda fragment=fragment, size=size: damage.write(fragment, damage.read(fragment)[:size]))

    def test_one_fragment_missing(self):
        self.all_of_it(lambda: os.remove(damage.largest(damage.fragments(self.place.repository))))

    def quietly(self, act):
        """Nothing is wrong with the repository: only the index must be made."""
        act()
        self.repair(expect=(0,))
        self.assertEqual(self.readable(), self.everything())
        self.assertSound()
        self.assertTrue(damage.fragments(self.place.repository))
        self.assertFalse(os.path.exists(os.path.join(self.place.repository, "cache", "chunkindex-invalid")))

    def test_no_fragment(self):
        self.quietly(lambda: [os.remove(path) for path in damage.fragments(self.place.repository)])

    def test_marker(self):
        self.quietly(lambda: trees.write(os.path.join(self.place.repository, "cache", "chunkindex-invalid"), b""))

    def test_everything_in_index_is_rubbish(self):
        def act():
            for path in damage.fragments(self.place.repository):
                damage.write(path, b"rubbish")
        self.all_of_it(act)

    def test_defaults(self):
        defaults = os.path.join(self.place.repository, "config", "defaults")
        for name, act in (("flipped", lambda: damage.flip(defaults, 10)), ("missing", lambda: os.remove(defaults)),
                          ("empty", lambda: damage.write(defaults, b""))):
            with self.subTest(name):
                self.reset()
                self.assertNamed(self.meets(act, "nothing"), "storing empty defaults")

    def test_defaults_are_asked_for_only_where_they_count(self):
        os.remove(os.path.join(self.place.repository, "config", "defaults"))
        for words in ([], ["-C", "lz4"], ["--chunker-params", "fixed,4096"], ["-C", "lz4", "--chunker-params", "default"]):
            done = self.place.cairn("create", *words, "new", "tree", cwd=os.path.join(self.place.path, "one"), expect=(34,))
            self.assertIn(b"borg check --repair", done.err)
        self.place.cairn("create", "-C", "lz4", "--chunker-params", "fixed,4096", "new", "tree", cwd=os.path.join(self.place.path, "one"))

    def test_the_default_chunker_is_no_default_of_the_repository(self):
        path = os.path.join(self.place.path, "fresh")
        self.addCleanup(shutil.rmtree, path)
        self.place.cairn("repo-create", "-r", path, "-e", "aes256-ocb", "--chunker-params", "default")
        self.assertRegex(self.place.cairn("repo-info", "-r", path).text, r"(?m)^Default chunker params: .*\(built-in\)$")

    def test_config_is_beyond_repair(self):
        config = os.path.join(self.place.repository, "config", "config")
        damage.write(config, damage.read(config).replace(b"version = 5", b"version = x"))
        for who in (CAIRN, BORG) if BORG else (CAIRN,):
            done = self.place.run(who, "check", "--repair", expect=None)
            self.assertIn(done.status, range(2, 100), str(done))
            self.assertTrue(done.err.strip())

    def test_caches_are_not_believed(self):
        """Records of earlier checks and lists of references may say what they like."""
        self.place.cairn("check")
        self.place.cairn("compact")
        one = self.of_type("F", 2)
        damage.flip(one.pack, one.offset + one.size - 1)
        done = self.repair(expect=(1,))
        self.assertNamed(done, f"Chunk {one.id} is lost")
        self.assertSound(lost_content=True)
        for path in damage.files_in(self.place.repository, "cache"):
            damage.write(path, b"rubbish")
        self.repair(expect=(1,))
        self.assertSound(lost_content=True)


class RepairArchives(RepairCase):
    def entry(self, name):
        id = next(id for id, other in self.place.archives().items() if other == name)
        return os.path.join(self.place.repository, "archives", id)

    def test_lost_archive_is_found_and_listed(self):
        os.remove(self.entry("two"))
        self.place.cairn("check", expect=(0,))
        done = self.place.cairn("check", "--find-lost-archives", expect=(1,))
        self.assertNamed(done, "Would create archives directory entry for two")
        self.assertEqual(list(self.place.archives().values()), ["one"])
        done = self.repair("--find-lost-archives", expect=(0,))
        self.assertNamed(done, "Creating archives directory entry for two")
        self.assertEqual(self.readable(), self.everything())
        self.assertSound()
        self.place.cairn("check", "--find-lost-archives", expect=(0,))

    def test_deleted_archives_are_not_lost(self):
        self.repair("--find-lost-archives", expect=(0,))
        self.assertEqual(sorted(self.place.archives().values()), ["one", "two"])

    def test_lost_and_damaged(self):
        """A lost archive whose stream is damaged comes back with what is left of it."""
        os.remove(self.entry("two"))
        damage.flip(*self.end_of(self.of_type("S", 1)))
        self.repair("--find-lost-archives", expect=(1,))
        self.assertEqual(sorted(self.place.archives().values()), ["one", "two"])
        self.assertSound()
        self.assertTrue(all(any(archive == name for archive, _ in self.readable()) for name in ("one", "two")))

    @staticmethod
    def end_of(one):
        return one.pack, one.offset + one.size - 1

    def test_entry_of_no_archive(self):
        self.meets(lambda: trees.write(os.path.join(self.place.repository, "archives", "ab" * 32), b""), "archive")

    def test_entry_that_names_a_chunk(self):
        """A file that looks like an archive must not become one."""
        id = self.of_type("F").id
        self.meets(lambda: trees.write(os.path.join(self.place.repository, "archives", id), b""), "archive")

    def test_entry_without_a_sensible_name(self):
        self.meets(lambda: trees.write(os.path.join(self.place.repository, "archives", "nonsense"), b""), "nothing")

    def test_stream_is_damaged_in_all_places(self):
        """Each object of a stream in turn: the archive keeps the files of all others."""
        streams = self.all_of_type("S")
        self.assertGreater(len(streams), 3)
        for number, one in enumerate(streams):
            with self.subTest(number=number):
                self.reset()
                damage.flip(*self.end_of(one))
                self.repair(expect=(1,))
                self.assertSound()
                left = self.readable()
                for name in ("one", "two"):
                    self.assertTrue(any(archive == name for archive, _ in left), name)
                self.assertTrue(any(left >= {pair for pair in self.everything() if pair[0] == name} for name in ("one", "two")))

    def test_only_the_chosen_archive(self):
        for one in damage.objects(self.place.repository, "C"):
            damage.flip(*self.end_of(one))
        done = self.repair("-a", "one", expect=(1,))
        self.assertIn(b"Archive one: item pointers", done.err)
        self.assertNotIn(b"Archive two", done.err)
        self.repair(expect=(1,))
        self.assertSound()


class LikeBorg(RepairCase):
    """The same damage, repaired by the one and by the other: Cairn never keeps less."""

    @classmethod
    def setUpClass(cls):
        if not BORG:
            raise unittest.SkipTest(program.NO_BORG)
        super().setUpClass()

    def compare(self, act):
        def prepared(who):
            self.reset()
            act()
            self.place.run(who, "check", "--repair", "--verify-data", expect=(0, 1))
            names = sorted(self.place.archives(who).values())
            kept = self.readable(who)
            self.assertEqual(kept, self.readable(BORG if who == CAIRN else CAIRN))
            return names, kept
        theirs, ours = prepared(BORG), prepared(CAIRN)
        self.assertEqual(ours[0], theirs[0])
        self.assertGreaterEqual(ours[1], theirs[1])

    def hit(self, kind, at, number=0):
        def act():
            one = self.of_type(kind, number)
            damage.flip(one.pack, one.offset + (at if at >= 0 else one.size + at))
        return act

    def test_content(self):
        self.compare(self.hit("F", -1, 3))

    def test_header(self):
        self.compare(self.hit("F", 3, 3))

    def test_stream(self):
        self.compare(self.hit("S", -1, 1))

    def test_pointers(self):
        self.compare(self.hit("C", -1))

    def test_archive(self):
        self.compare(self.hit("A", -1))

    def test_missing_pack(self):
        self.compare(lambda: os.remove(self.content_pack()))

    def test_missing_index(self):
        self.compare(lambda: os.remove(damage.largest(damage.fragments(self.place.repository))))


class Interrupted(RepairCase):
    """Killed, or refused by the disk, at every operation: never is less readable than before, and the next repair brings
    back what one without interruption does."""

    def damage_everything(self):
        content = self.of_type("F", 2)
        stream = self.of_type("S", 2)
        gone = next(one for one in self.all_of_type("F") if one.pack not in (content.pack, stream.pack))
        damage.flip(content.pack, content.offset + content.size - 1)
        damage.flip(stream.pack, stream.offset + stream.size - 1)
        os.remove(gone.pack)
        trees.write(os.path.join(self.place.repository, "archives", "ab" * 32), b"")
        fragment = damage.fragments(self.place.repository)[0]
        damage.flip(fragment, 40)
        damage.flip(os.path.join(self.place.repository, "config", "defaults"), 20)

    def setUp(self):
        super().setUp()
        self.damage_everything()
        self.hit = self.place.folder("hit")
        self.addCleanup(shutil.rmtree, self.hit)
        shutil.copytree(self.place.repository, os.path.join(self.hit, "repository"))
        self.before = self.readable()
        counter = os.path.join(self.place.path, "count")
        self.repair(expect=(1,), CAIRN_TEST_STORE_FAULT=f"count:{counter}")
        self.count = int(damage.read(counter))
        self.assertGreater(self.count, 12)
        self.after = self.readable()
        self.assertLessEqual(self.before, self.after)
        self.names = sorted(self.place.archives().values())
        self.assertSound(lost_content=True)

    def survives(self, fault, expect):
        shutil.rmtree(self.place.repository)
        shutil.copytree(os.path.join(self.hit, "repository"), self.place.repository)
        done = self.repair(expect=None, CAIRN_TEST_STORE_FAULT=fault)
        self.assertTrue(done.status in expect, f"{fault}: {done}")
        self.assertLessEqual(self.before, self.readable(), f"{fault}: less is readable than before")
        again = self.repair(expect=(0, 1))
        self.assertEqual(self.readable(), self.after, f"{fault}: {again}")
        self.assertEqual(sorted(self.place.archives().values()), self.names, fault)
        self.place.cairn("check", "--verify-data", expect=(1,))
        self.assertNotIn(b"corrupt", self.place.cairn("check", expect=(1,)).err)

    def at_each_operation(self, kinds, expect):
        for number in range(1, self.count + 1):
            for kind in kinds:
                with self.subTest(fault=f"{kind}:{number}", of=self.count):
                    self.survives(f"{kind}:{number}", expect)

    def test_killed(self):
        self.at_each_operation(["kill-before", "short"], (-signal.SIGKILL,))

    def test_killed_after(self):
        self.at_each_operation(["kill-after"], (-signal.SIGKILL,))

    def test_full_disk(self):
        for number in range(1, self.count + 1):
            for fault in (f"enospc:{number}", f"enospc:{number}+"):
                with self.subTest(fault=fault, of=self.count):
                    self.survives(fault, range(1, 100))

    def test_broken_disk(self):
        for number in range(1, self.count + 1):
            for fault in (f"eio:{number}", f"eio:{number}+", f"eio-after:{number}"):
                with self.subTest(fault=fault, of=self.count):
                    self.survives(fault, range(1, 100))

    def test_reading_fails(self):
        """A disk that does not answer once, or from then on, costs nothing that is there."""
        for number in range(1, 400, 13):
            for fault in (f"eio-any:{number}", f"eio-any:{number}+"):
                with self.subTest(fault=fault):
                    self.survives(fault, range(1, 100))
