"""The repositories under tests/data/golden were made by Borg 2; each has its facts in a JSON file of the same name.

Every live archive must be listed and extract to exactly those facts, and the repository must check clean.
"""
import base64
import glob
import hashlib
import json
import os
import stat
import subprocess
import unittest

import program
from program import Place

FOLDER = os.path.join(program.ROOT, "tests", "data", "golden")
TYPES = {"file": stat.S_IFREG, "dir": stat.S_IFDIR, "symlink": stat.S_IFLNK, "fifo": stat.S_IFIFO, "chardev": stat.S_IFCHR,
         "blockdev": stat.S_IFBLK, "socket": stat.S_IFSOCK}


def acl_lines(text):
    """Entries only, without comments and without the "#effective" remarks."""
    return sorted(line.split("\t")[0] for line in text.splitlines() if line and not line.startswith("#"))


def item_differences(root, item, hard_links):
    path = os.path.join(os.fsencode(root), base64.b64decode(item["path_b64"]).lstrip(b"/"))
    try:
        st = os.lstat(path)
    except OSError as error:
        yield f"cannot be read: {error.strerror}"
        return
    if stat.S_IFMT(st.st_mode) != TYPES.get(item["type"], stat.S_IFMT(st.st_mode)):
        yield f"is no {item['type']}"
        return
    if st.st_mode != int(item["mode"], 8):
        yield f"mode {st.st_mode:o}, should be {item['mode']}"
    if (st.st_uid, st.st_gid) != (item["uid"], item["gid"]):
        yield f"owner {st.st_uid}:{st.st_gid}, should be {item['uid']}:{item['gid']}"
    if item["type"] != "symlink" and st.st_mtime_ns != item["mtime_ns"]:
        yield f"mtime {st.st_mtime_ns}, should be {item['mtime_ns']}"
    if item["type"] == "file":
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        if st.st_size != item["size"]:
            yield f"{st.st_size} bytes, should be {item['size']}"
        elif digest.hexdigest() != item["sha256"]:
            yield "content differs"
    if item["type"] == "symlink" and os.readlink(path) != base64.b64decode(item["target_b64"]):
        yield "target differs"
    if "rdev" in item and [os.major(st.st_rdev), os.minor(st.st_rdev)] != item["rdev"]:
        yield "device numbers differ"
    if "hardlink_group" in item and hard_links.setdefault(item["hardlink_group"], st.st_ino) != st.st_ino:
        yield "is no longer a link of its group"
    if item["type"] == "symlink":
        return
    for name, value in item.get("xattrs", {}).items():
        try:
            if os.getxattr(path, name, follow_symlinks=False) != base64.b64decode(value):
                yield f"{name} differs"
        except OSError as error:
            yield f"{name}: {error.strerror}"
    if item.get("acl_text"):
        got = subprocess.run([b"getfacl", b"-nc", b"--absolute-names", path], capture_output=True, check=True).stdout.decode()
        if acl_lines(got) != acl_lines(item["acl_text"]):
            yield f"ACL {acl_lines(got)}, should be {acl_lines(item['acl_text'])}"


def tree_differences(root, items):
    lines, hard_links, known = [], {}, set()
    for item in items:
        lines += [f"{item['path']}: {what}" for what in item_differences(root, item, hard_links)]
        path = base64.b64decode(item["path_b64"]).lstrip(b"/")
        while path:  # parents that are no items of the archive are made on the way
            known.add(path)
            path = os.path.dirname(path)
    for folder, folders, files in os.walk(os.fsencode(root)):
        for name in folders + files:
            path = os.path.relpath(os.path.join(folder, name), os.fsencode(root))
            if path not in known:
                lines.append(f"{path!r}: not in the archive")
    return lines


@unittest.skipUnless(program.is_root(), program.NO_ROOT)
class Golden(unittest.TestCase):
    def check_repository(self, facts_file):
        with open(facts_file, encoding="utf-8") as file:
            facts = json.load(file)
        with Place(repository="repo") as place:
            unpack = subprocess.run(f"zstd -dcq '{facts_file.removesuffix('.json')}.tar.zst' | tar x -C '{place.path}'", shell=True,
                                    capture_output=True, check=False)
            self.assertEqual(unpack.returncode, 0, unpack.stderr)
            del place.variables["BORG_TESTONLY_WEAKEN_KDF"]
            place.variables["BORG_PASSPHRASE"] = facts["passphrase"] or ""
            if key := facts.get("keyfile"):
                folder = os.path.join(place.home, "cairn", key["dir"])
                os.makedirs(folder, exist_ok=True)
                place.variables["BORG_KEY_FILE"] = os.path.join(folder, key["file_name"])
                with open(place.variables["BORG_KEY_FILE"], "w", encoding="utf-8") as file:
                    file.write(key["content"])

            live = [archive for archive in facts["archives"] if not archive["soft_deleted"]]
            self.assertEqual(sorted(place.archives()), sorted(archive["id"] for archive in live))
            for archive in live:
                with self.subTest(archive=archive["name"], id=archive["id"]):
                    listed = place.cairn("list", "--json-lines", "aid:" + archive["id"][:16]).out.splitlines()
                    self.assertEqual(len(listed), archive["n_items"])
                    out = place.folder("out-" + archive["id"])
                    place.cairn("extract", "aid:" + archive["id"][:16], cwd=out)
                    self.assertEqual(tree_differences(out, archive["items"]), [])
            place.cairn("check", "--verify-data")


def add_tests():
    for facts_file in sorted(glob.glob(os.path.join(FOLDER, "*.json"))):
        name = os.path.basename(facts_file).removesuffix(".json")
        setattr(Golden, "test_" + name.replace("-", "_"), lambda self, facts_file=facts_file: self.check_repository(facts_file))


add_tests()
