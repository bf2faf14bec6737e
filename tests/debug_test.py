"""The debug commands, beside Borg's where it is there: both look at the same repository and must see the same."""
import filecmp
import json
import marshal
import os
import pstats
import shutil
import struct
import unittest

import program
import trees
from program import BORG, CAIRN, NO_BORG, Place

NO_ID = "0" * 63 + "1"


def read(path):
    with open(path, "rb") as file:
        return file.read()


class DebugCase(unittest.TestCase):
    maxDiff = 4000

    @classmethod
    def setUpClass(cls):
        cls.place = Place()
        cls.addClassCleanup(cls.place.remove)
        cls.place.cairn("repo-create", "-e", "aes256-ocb", "-i", "sha256")
        trees.build_small_tree(os.path.join(cls.place.path, "tree"))
        trees.write(os.path.join(os.fsencode(cls.place.path), b"tree", b"not utf-8 \xff \x7f"), b"hello hello\n")
        trees.possible(os.setxattr, os.path.join(cls.place.path, "tree/file0"), b"user.bytes", b"\xff\x00")
        trees.possible(os.setxattr, os.path.join(cls.place.path, "tree/file0"), b"user.text", "ä".encode())
        cls.place.cairn("create", "--chunker-params", "fastcdc,10,14,12,2", "--comment", "a comment", "--tag", "one", "--tag", "two", "a", "tree")
        cls.place.cairn("create", "empty", "tree", "--exclude", "tree")

    def setUp(self):
        self.out = self.place.folder(self.id().rsplit(".", 1)[-1])

    def at(self, name):
        return os.path.join(self.out, name)

    def debug(self, *words, who=CAIRN, **keywords):
        return self.place.run(who, "debug", *words, cwd=keywords.pop("cwd", self.out), **keywords)

    def hello(self, **keywords):
        trees.write(self.at("hello"), b"hello hello\n")
        return self.debug("id-hash", "hello", **keywords).text.strip()


class Reading(DebugCase):
    def both(self, *words):
        """The folders in which the two programs ran."""
        folders = []
        for name, who in (("cairn", CAIRN), ("borg", BORG)):
            folders.append(self.at(name))
            os.mkdir(folders[-1])
            self.debug(*words, who=who, cwd=folders[-1])
        return folders

    def assertSameFolders(self, one, two):
        self.assertEqual(sorted(os.listdir(one)), sorted(os.listdir(two)))
        self.assertGreater(len(os.listdir(one)), 0)
        different = filecmp.cmpfiles(one, two, os.listdir(one), shallow=False)
        self.assertEqual((different[1], different[2]), ([], []))

    @unittest.skipUnless(BORG, NO_BORG)
    def test_dumps_are_the_same(self):
        for words in (("dump-repo-objs",), ("dump-archive-items", "a"), ("dump-archive", "a", "a.json"), ("dump-archive", "empty", "e.json")):
            with self.subTest(words[0]):
                one, two = self.both(*words)
                self.assertSameFolders(one, two)
                shutil.rmtree(one)
                shutil.rmtree(two)

    def test_dump_archive(self):
        done = self.debug("dump-archive", "a", "-")
        document = json.loads(done.text)
        self.assertEqual(document["_name"], "a")
        self.assertEqual(document["_manifest_entry"]["tags"], ["one", "two"])
        self.assertEqual(document["_meta"]["comment"], "a comment")
        paths = [item["path"].encode("utf-8", "surrogateescape") for item in document["_items"]]
        self.assertIn(b"tree/not utf-8 \xff \x7f", paths)
        self.assertTrue(done.text.isascii())
        self.debug("dump-archive", "a", "a.json")
        self.assertEqual(read(self.at("a.json")), done.out)
        self.debug("dump-archive", "nosuch", "-", expect=(4,))

    def test_dump_objects(self):
        done = self.debug("dump-repo-objs")
        names = [line.removeprefix("Dumping ") for line in done.text.splitlines()[:-1]]
        self.assertEqual(done.text.splitlines()[-1], "Done.")
        self.assertEqual(sorted(names), sorted(os.listdir(self.out)))
        for name in names:
            done = self.debug("id-hash", name)
            self.assertEqual(done.text.strip() + ".obj", name)

    def test_search(self):
        found = self.hello()
        for term in ("str:hello", "hex:68656c6c6f"):
            done = self.debug("search-repo-objs", term)
            lines = done.text.splitlines()
            self.assertEqual(lines[-1], "Done.")
            line = next(line for line in lines if found in line)
            self.assertEqual(line.split(" ", 1)[1],
                             rf"{found} #2:  68656c6c6f 2068656c6c6f0a == b'' b'hello' b' hello\n'")
        self.assertEqual(self.debug("search-repo-objs", "str:not to be found anywhere").text, "Done.\n")
        for bad in ("hello", "hex:", "str:", "hex:6", "hex:zz"):
            done = self.debug("search-repo-objs", bad, expect=(4,))
            self.assertIn("search term needs to be hex:123abc or str:foobar style", done.err.decode())

    def test_search_across_objects(self):
        """Where one object ends and the next begins, whichever they are."""
        done = self.debug("dump-repo-objs")
        names = [line.removeprefix("Dumping ") for line in done.text.splitlines()[:-1]]
        first, second = read(self.at(names[0])), read(self.at(names[1]))
        term = (first[-3:] + second[:3]).hex()
        done = self.debug("search-repo-objs", f"hex:{term}")
        self.assertIn(f"1 {names[0][:64]} | {names[1][:64]}: ", done.text)
        self.assertIn(f" {term} ", done.text)

    def test_get_and_parse(self):
        found = self.hello()
        self.assertEqual(self.debug("get-obj", found, "object").text, f"object {found} fetched.\n")
        self.assertEqual(read(self.at("object"))[:8], b"BORG_OBJ")
        self.debug("parse-obj", found, "object", "content", "meta")
        self.assertEqual(read(self.at("content")), b"hello hello\n")
        meta = json.loads(read(self.at("meta")))
        self.assertEqual((meta["type"], meta["size"]), ("F", 12))
        if BORG:
            self.debug("get-obj", found, "object2", who=BORG)
            self.assertEqual(read(self.at("object2")), read(self.at("object")))
            self.debug("parse-obj", found, "object", "content2", "meta2", who=BORG)
            self.assertEqual(read(self.at("content2")), read(self.at("content")))
            self.assertEqual(read(self.at("meta2")), read(self.at("meta")))

    def test_bad_ids(self):
        trees.write(self.at("file"), b"{}")
        for command in (["get-obj", "ID", "x"], ["put-obj", "ID", "file"], ["parse-obj", "ID", "file", "x", "y"], ["format-obj", "ID", "file", "file", "x"]):
            for bad, why in (("xx", "Non-hexadecimal digit found"), ("123", "Odd-length string"),
                             ("1234", "Expected 32 bytes (64 hex digits), got 2 bytes.")):
                done = self.debug(*(bad if word == "ID" else word for word in command), expect=(4,))
                self.assertEqual(done.err.decode(), f"Command error: object id {bad} is invalid [{why}].\n")
        done = self.debug("get-obj", NO_ID, "x", expect=(2,))
        self.assertEqual(done.err.decode(), f"Runtime error: object {NO_ID} not found.\n")
        self.assertFalse(os.path.exists(self.at("x")))

    def test_damaged_objects_are_not_parsed(self):
        found = self.hello()
        self.debug("get-obj", found, "object")
        data = bytearray(read(self.at("object")))
        for at in (3, 20, 60, len(data) - 1):
            data[at] ^= 1
            trees.write(self.at("bad"), bytes(data))
            self.debug("parse-obj", found, "bad", "content", "meta", expect=(90,))
            data[at] ^= 1
        self.debug("parse-obj", NO_ID, "object", "content", "meta", expect=(90,))
        self.assertFalse(os.path.exists(self.at("content")))

    def test_format(self):
        found = self.hello()
        for meta, spec, kind in ((b"{}", "lz4", "F"), (b'{"type": "S", "size": 99}', "zstd,3", "S"), (b'{"type": "C"}', "none", "C")):
            trees.write(self.at("meta"), meta)
            self.debug("format-obj", "-C", spec, found, "hello", "meta", "object")
            for who in (CAIRN, *([BORG] if BORG else [])):
                self.debug("parse-obj", found, "object", "content", "meta2", who=who)
                self.assertEqual(read(self.at("content")), b"hello hello\n")
                parsed = json.loads(read(self.at("meta2")))
                self.assertEqual((parsed["type"], parsed["size"]), (kind, 12))
        for bad in (b"no json", b"[1]", b'{"type": 5}', b'{"type": "FF"}', b'{"type": ""}'):
            trees.write(self.at("meta"), bad)
            done = self.debug("format-obj", found, "hello", "meta", "bad", expect=(2,))
            self.assertIn("meta: ", done.err.decode())
        self.assertFalse(os.path.exists(self.at("bad")))

    def test_info(self):
        lines = self.debug("info", BORG_REPO="").text.splitlines()
        self.assertTrue(lines[0].startswith("Platform: Linux "))
        self.assertIn("SSH_ORIGINAL_COMMAND: None", lines)
        self.assertTrue(lines[-1].startswith("Process ID: ('test@1', "), lines[-1])

    def test_profile(self):
        """As Borg 1's --debug-profile wrote it: msgpack of {(file, line, name): (calls, calls, seconds, seconds, callers)}."""
        def array(*parts):
            return bytes([0x90 + len(parts)]) + b"".join(parts)

        def text(word):
            return bytes([0xa0 + len(word)]) + word.encode()

        key, caller = array(text("a.py"), b"\x07", text("work")), array(text("~"), b"\x00", text("<main>"))
        real = b"\xcb" + struct.pack(">d", 1.5)
        callers = b"\x81" + caller + array(b"\x02", b"\x02", real, real)
        trees.write(self.at("profile"), b"\x81" + key + array(b"\x02", b"\x03", real, real, callers))
        self.debug("convert-profile", "profile", "python", BORG_REPO="")
        want = {("a.py", 7, "work"): (2, 3, 1.5, 1.5, {("~", 0, "<main>"): (2, 2, 1.5, 1.5)})}
        self.assertEqual(marshal.loads(read(self.at("python"))), want)
        self.assertEqual(pstats.Stats(self.at("python")).total_calls, 3)
        if BORG:
            self.debug("convert-profile", "profile", "borg", who=BORG)
            self.assertEqual(marshal.loads(read(self.at("borg"))), want)
        trees.write(self.at("profile"), b"garbage")
        self.debug("convert-profile", "profile", "bad", BORG_REPO="", expect=(2, 90))
        self.assertFalse(os.path.exists(self.at("bad")))

    def test_needs_the_key(self):
        trees.write(self.at("file"), b"x")
        for words in (["id-hash", "file"], ["dump-repo-objs"], ["get-obj", NO_ID, "x"], ["delete-obj", NO_ID], ["dump-archive", "a", "-"]):
            self.debug(*words, expect=(52,), BORG_PASSPHRASE="wrong")
        self.assertEqual(os.listdir(self.out), ["file"])


class Changing(DebugCase):
    def setUp(self):
        super().setUp()
        self.kept = os.path.join(self.place.path, "kept")
        shutil.copytree(self.place.repository, self.kept)

    def tearDown(self):
        shutil.rmtree(self.place.repository)
        os.rename(self.kept, self.place.repository)

    def check(self, expect=(0,)):
        self.place.cairn("check", "--verify-data", expect=expect)
        if BORG:
            self.place.borg("check", "--verify-data", expect=expect)

    def test_put_a_new_object(self):
        trees.write(self.at("content"), b"something new")
        new = self.debug("id-hash", "content").text.strip()
        trees.write(self.at("meta"), b"{}")
        self.debug("format-obj", new, "content", "meta", "object")
        self.assertEqual(self.debug("put-obj", new, "object").text, f"object {new} put.\n")
        self.debug("get-obj", new, "back")
        self.assertEqual(read(self.at("back")), read(self.at("object")))
        if BORG:
            self.debug("get-obj", new, "back2", who=BORG)
            self.assertEqual(read(self.at("back2")), read(self.at("object")))
        self.check()

    def test_put_takes_the_place_of_the_old_one(self):
        found = self.hello()
        trees.write(self.at("meta"), b'{"type": "F"}')
        self.debug("format-obj", "-C", "zstd,5", found, "hello", "meta", "object")
        self.debug("put-obj", found, "object")
        for who in (CAIRN, *([BORG] if BORG else [])):
            self.debug("get-obj", found, "back", who=who)
            self.assertEqual(read(self.at("back")), read(self.at("object")))
        self.check()
        self.place.cairn("compact", "--threshold", "0")
        self.check()

    def test_put_refuses_what_is_not_genuine(self):
        found = self.hello()
        before = sorted(os.listdir(os.path.join(self.place.repository, "index")))
        self.debug("get-obj", found, "object")
        data = read(self.at("object"))
        trees.write(self.at("other"), b"another content")
        trees.write(self.at("meta"), b"{}")
        self.debug("format-obj", found, "other", "meta", "liar")
        for name, content in (("garbage", b"garbage"), ("empty", b""), ("short", data[:-1]), ("long", data + b"x"), ("flipped", data[:-1] + bytes([data[-1] ^ 1]))):
            trees.write(self.at(name), content)
        for name in ("garbage", "empty", "short", "long", "flipped", "liar"):
            self.debug("put-obj", found, name, expect=(90,))
        self.debug("put-obj", NO_ID, "object", expect=(90,))
        self.debug("put-obj", found, "nosuch", expect=(2,))
        self.assertEqual(sorted(os.listdir(os.path.join(self.place.repository, "index"))), before)
        self.check()

    def test_delete(self):
        found = self.hello()
        done = self.debug("delete-obj", found, "xx", NO_ID, "1234", found)
        self.assertEqual(done.text, f"object {found} deleted.\nobject id xx is invalid.\nobject {NO_ID} not found.\n"
                                    f"object id 1234 is invalid.\nobject {found} not found.\nDone.\n")
        self.debug("get-obj", found, "x", expect=(2,))
        self.check(expect=(1,))
        self.assertEqual(self.place.cairn("check", expect=(1,)).err.decode().count(f"Missing chunk detected: {found}"), 1)
        # Nothing else is gone.
        done = self.place.cairn("extract", "--target", self.at("tree"), "a", expect=(113,))
        self.assertIn(found, done.err.decode())
        for name in ("empty", "file0", "folder/hard"):
            self.assertEqual(read(self.at(f"tree/tree/{name}")), read(os.path.join(self.place.path, "tree", name)))
        # And it can come back.
        trees.write(self.at("meta"), b"{}")
        self.debug("format-obj", found, "hello", "meta", "object")
        self.debug("put-obj", found, "object")
        self.check()

    def test_delete_needs_ids(self):
        done = self.debug("delete-obj", expect=(2,))
        self.assertIn("the following arguments are required: IDs", done.err.decode())

    def test_delete_with_others_at_work(self):
        self.debug("delete-obj", NO_ID)
        done = self.place.cairn("with-lock", "env", f"BORG_PASSPHRASE={self.place.variables['BORG_PASSPHRASE']}", CAIRN, "--lock-wait", "0", "debug", "delete-obj", self.hello(), expect=None)
        self.assertEqual(done.status, 73, str(done))


class Damaged(DebugCase):
    def test_dump_goes_on(self):
        kept = os.path.join(self.place.path, "kept")
        shutil.copytree(self.place.repository, kept)
        try:
            found = self.hello()
            self.debug("get-obj", found, "object")
            data = read(self.at("object"))
            for folder, _, files in os.walk(os.path.join(self.place.repository, "packs")):
                for name in files:
                    pack = os.path.join(folder, name)
                    content = read(pack)
                    at = content.find(data)
                    if at >= 0:
                        trees.write(pack, content[:at + len(data) - 1] + bytes([content[at + len(data) - 1] ^ 1]) + content[at + len(data):])
            done = self.debug("dump-repo-objs", expect=(1, 90, *range(100, 114)))
            self.assertIn(found, done.err.decode())
            self.assertNotIn(f"{found}.obj", os.listdir(self.out))
            self.assertGreater(len(os.listdir(self.out)), 5)
        finally:
            shutil.rmtree(self.place.repository)
            os.rename(kept, self.place.repository)


if __name__ == "__main__":
    unittest.main()
