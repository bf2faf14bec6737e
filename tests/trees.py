"""Folders with everything that a file system can hold, and a comparison that says what differs.

build_tree makes the same names and content for the same seed. What this file system or this user cannot have (devices
without root, flags on some file systems) is left out; read_tree reads what is there, so a comparison stays exact.
"""
import array
import errno
import fcntl
import hashlib
import os
import random
import stat
import struct
import subprocess
import time

FS_IOC_GETFLAGS, FS_IOC_SETFLAGS = 0x80086601, 0x40086602
# Flags that Borg keeps: nodump, immutable, append-only.
KEPT_FLAGS = 0x40 | 0x10 | 0x20
SECOND = 1_000_000_000


def content(seed, size, compressible=True):
    """Bytes that depend on the seed alone; compressible ones repeat words."""
    rng = random.Random(f"{seed}")
    if not compressible:
        return rng.randbytes(size)
    words = [rng.randbytes(rng.randrange(3, 12)) for _ in range(400)]
    parts, length = [], 0
    while length < size:
        parts.append(rng.choice(words))
        length += len(parts[-1])
    return b"".join(parts)[:size]


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def wait_until_old(paths):
    """A file whose ctime is less than 20 ms old may still be changing for both programs: they warn, and read it again."""
    newest = max((os.lstat(path).st_ctime_ns for path in paths), default=0)
    while (left := newest + 40_000_000 - time.time_ns()) > 0:
        time.sleep(left / SECOND)


def set_flags(path, flags):
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        value = array.array("i", [0])
        fcntl.ioctl(fd, FS_IOC_GETFLAGS, value, True)
        fcntl.ioctl(fd, FS_IOC_SETFLAGS, array.array("i", [value[0] | flags]))
    finally:
        os.close(fd)


def get_flags(path):
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return 0
    try:
        value = array.array("i", [0])
        fcntl.ioctl(fd, FS_IOC_GETFLAGS, value, True)
        return value[0] & KEPT_FLAGS
    except OSError:
        return 0
    finally:
        os.close(fd)


def possible(action, *words, **keywords):
    """Does it if this user may and this file system can."""
    try:
        action(*words, **keywords)
        return True
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ENOTSUP, errno.ENOTTY, errno.EINVAL, errno.EOPNOTSUPP):
            return False
        raise


def build_tree(root, seed=1, big=10_000_000, awkward=True):
    """Makes the folder `root`. `big` is the size of the largest file; `awkward` adds names that are not UTF-8."""
    rng = random.Random(f"tree {seed}")
    top = os.fsencode(root)
    os.makedirs(top)

    def at(*names):
        return os.path.join(top, *(os.fsencode(name) for name in names))

    for name in ("plain", "plain/deep/deeper/deepest", "links", "special", "modes", "times", "xattrs", "acls", "empty", "names", "sizes", "holes"):
        os.makedirs(at(name), exist_ok=True)

    for number in range(30):
        write(at("plain", f"file{number:02}"), content((seed, number), rng.randrange(20_000)))
    write(at("plain/deep/deeper/deepest", "leaf"), b"leaf\n")
    write(at("plain", "same-as-file03"), content((seed, 3), 5000))

    for size in (0, 1, 2, 4095, 4096, 4097, 65536, 1_000_000):
        write(at("sizes", f"random{size}"), content((seed, "r", size), size, compressible=False))
    write(at("sizes", "big"), content((seed, "big"), big // 2) + content((seed, "noise"), big - big // 2, compressible=False))
    write(at("sizes", "zeros"), bytes(3_000_000))

    with open(at("holes", "sparse"), "wb") as file:
        for offset in (0, 3 << 20, 9 << 20):
            file.seek(offset)
            file.write(content((seed, offset), 5000, compressible=False))
        file.truncate(12 << 20)
    with open(at("holes", "only-a-hole"), "wb") as file:
        file.truncate(5 << 20)

    write(at("links", "first"), b"linked three times\n" * 100)
    os.link(at("links", "first"), at("links", "second"))
    os.link(at("links", "first"), at("plain", "third"))
    os.symlink("first", at("links", "symlink"))
    os.symlink("../nowhere/at all", at("links", "dangling"))
    os.symlink("a" * 300, at("links", "long target"))
    os.symlink("../plain", at("links", "to folder"))
    os.link(at("links", "symlink"), at("links", "symlink-too"), follow_symlinks=False)

    os.mkfifo(at("special", "fifo"), 0o640)
    os.link(at("special", "fifo"), at("special", "fifo-too"))
    possible(os.mknod, at("special", "null"), stat.S_IFCHR | 0o666, os.makedev(1, 3))
    possible(os.mknod, at("special", "big-minor"), stat.S_IFCHR | 0o600, os.makedev(250, 70_000))
    possible(os.mknod, at("special", "loop"), stat.S_IFBLK | 0o660, os.makedev(7, 300))

    for mode in (0o000, 0o400, 0o444, 0o777, 0o4755, 0o2755, 0o6711, 0o1644):
        write(at("modes", f"f{mode:04o}"), f"{mode:o}\n".encode())
        os.chmod(at("modes", f"f{mode:04o}"), mode)
    for mode in (0o500, 0o555, 0o700, 0o1777, 0o2770):
        os.mkdir(at("modes", f"d{mode:04o}"))
        write(at("modes", f"d{mode:04o}", "inside"), b"x")
        os.chmod(at("modes", f"d{mode:04o}"), mode)
    if os.geteuid() == 0:
        for owner, group in ((1, 2), (12345, 54321), (0, 65533)):
            write(at("modes", f"owner{owner}"), b"owned\n")
            os.chown(at("modes", f"owner{owner}"), owner, group)
        write(at("modes", "setuid-of-another"), b"owned\n")
        os.chown(at("modes", "setuid-of-another"), 4321, 4321)
        os.chmod(at("modes", "setuid-of-another"), 0o4755)
        os.symlink("owner1", at("modes", "owned-symlink"))
        os.chown(at("modes", "owned-symlink"), 12345, 1, follow_symlinks=False)

    if awkward:
        for name in (b"\xff\xfe not utf-8", b"new\nline", b"car\rriage", b"esc\x1b[31mred", b"tab\there", "häßlich – Ω 日本".encode(),
                     b" leading and trailing ", b"-dash", b"*?[glob]", b"back\\slash", b"quote'\"", b"e\xcc\x81", b"\xc3\xa9", b"x" * 255,
                     b"a:b", b"~", b"...", b"#hash", b"\xed\xa0\x80"):
            write(at("names", name), b"named " + name)
        os.mkdir(at("names", b"folder \xe4"))
        os.symlink(b"target \xfc", at("names", b"folder \xe4", b"link \xfc"))

    write(at("xattrs", "one"), b"x")
    for name, value in ((b"user.empty", b""), (b"user.text", b"hello"), (b"user.bytes", bytes(range(256))), (b"user.long", b"v" * 700)):
        possible(os.setxattr, at("xattrs", "one"), name, value)
    possible(os.setxattr, at("xattrs"), b"user.folder", b"folder's own")
    write(at("xattrs", "capable"), b"#!/bin/sh\n")
    # security.capability: version 2, effective, cap_net_raw
    possible(os.setxattr, at("xattrs", "capable"), b"security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))
    os.symlink("one", at("xattrs", "symlink"))
    possible(os.setxattr, at("xattrs", "symlink"), b"trusted.link", b"of a symlink", follow_symlinks=False)

    write(at("acls", "file"), b"x")
    subprocess.run([b"setfacl", b"-m", b"u:1:rwx,u:54321:r--,g:2:r-x", at("acls", "file")], stderr=subprocess.DEVNULL, check=False)
    os.mkdir(at("acls", "folder"))
    subprocess.run([b"setfacl", b"-m", b"d:u:1:rwx,d:g:54321:r-x,u:7:--x", at("acls", "folder")], stderr=subprocess.DEVNULL, check=False)

    # Times last: seconds before 1970, nanoseconds, far away.
    for name, when in (("epoch", 0), ("before", -1), ("long-before", -2_000_000_000 * SECOND + 123), ("nano", 1_700_000_000 * SECOND + 1),
                       ("almost", 1_700_000_000 * SECOND + 999_999_999), ("2038", 2_147_483_648 * SECOND + 5),
                       ("2106", 4_294_967_296 * SECOND + 7)):
        write(at("times", name), name.encode())
        os.utime(at("times", name), ns=(when, when))
    os.utime(at("links", "dangling"), ns=(123_456_789_012, 987_654_321_098), follow_symlinks=False)
    write(at("special", "immutable"), b"cannot be changed\n")
    write(at("special", "append-only"), b"can only grow\n")
    for folder, _, _ in os.walk(top, topdown=False):
        os.utime(folder, ns=(1_600_000_000 * SECOND + 17, 1_600_000_000 * SECOND + 19))
    possible(set_flags, at("special", "immutable"), 0x10)
    possible(set_flags, at("special", "append-only"), 0x20)


def build_small_tree(root, seed=1, files=12, size=6000):
    """A few files of every kind, for tests that run the program hundreds of times."""
    os.makedirs(os.path.join(root, "folder"))
    rng = random.Random(f"small {seed}")
    for number in range(files):
        write(os.path.join(root, "folder" if number % 3 else "", f"file{number}"),
              content((seed, "small", number), rng.randrange(size // 2, size), compressible=number % 2 == 0))
    write(os.path.join(root, "empty"), b"")
    os.link(os.path.join(root, "file0"), os.path.join(root, "folder", "hard"))
    os.symlink("file0", os.path.join(root, "link"))


def build_long_path(root, depth=45, name="n" * 100):
    """A chain of folders whose path is longer than PATH_MAX; returns that length."""
    os.makedirs(root)
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    for _ in range(depth):
        os.mkdir(name, dir_fd=fd)
        inner = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=fd)
        os.close(fd)
        fd = inner
    leaf = os.open("leaf", os.O_WRONLY | os.O_CREAT, 0o644, dir_fd=fd)
    os.write(leaf, b"at the end\n")
    os.close(leaf)
    os.close(fd)
    return depth * (len(name) + 1)


def extents(path):
    """[(offset, end)] of the data of a file, as the file system tells them."""
    found = []
    with open(path, "rb") as file:
        size, at = os.fstat(file.fileno()).st_size, 0
        while at < size:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA)
            except OSError as error:
                if error.errno == errno.ENXIO:
                    break
                raise
            end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
            found.append((at, end))
            at = end
    return found


def describe(path, holes=False):
    """Everything of one node that an archive keeps. Access times are left out: reading changes them."""
    st = os.lstat(path)
    facts = {"type": stat.S_IFMT(st.st_mode), "mode": stat.S_IMODE(st.st_mode), "uid": st.st_uid, "gid": st.st_gid, "mtime": st.st_mtime_ns}
    if stat.S_ISREG(st.st_mode):
        facts["size"] = st.st_size
        digest = hashlib.sha256()
        with open(path, "rb") as file:
            while block := file.read(1 << 20):
                digest.update(block)
        facts["sha256"] = digest.hexdigest()
        if holes:
            facts["holes"] = extents(path)
    elif stat.S_ISLNK(st.st_mode):
        facts["target"] = os.readlink(path)
    elif stat.S_ISCHR(st.st_mode) or stat.S_ISBLK(st.st_mode):
        facts["device"] = (os.major(st.st_rdev), os.minor(st.st_rdev))
    if stat.S_ISREG(st.st_mode) or stat.S_ISDIR(st.st_mode):
        facts["flags"] = get_flags(path)
    try:
        names = os.listxattr(path, follow_symlinks=False)
    except OSError:
        names = []
    for name in names:
        value = os.getxattr(path, name, follow_symlinks=False)
        if os.fsdecode(name).startswith("system.posix_acl_"):
            value = sorted(value[4 + i:12 + i] for i in range(0, len(value) - 4, 8))  # entries may come in another order
        facts[f"xattr {os.fsdecode(name)}"] = value
    return facts


def read_tree(root, holes=False):
    """{path in bytes: facts}, hard links as the group of their paths."""
    top = os.fsencode(root)
    tree, groups = {}, {}

    def visit(path):
        facts = describe(os.path.join(top, path) if path else top, holes)
        tree[path] = facts
        st = os.lstat(os.path.join(top, path) if path else top)
        if not stat.S_ISDIR(st.st_mode) and st.st_nlink > 1:
            groups.setdefault((st.st_dev, st.st_ino), []).append(path)

    visit(b"")
    for folder, folders, files in os.walk(top):
        relative = os.path.relpath(folder, top)
        for name in folders + files:
            visit(name if relative == b"." else os.path.join(relative, name))
    for paths in groups.values():
        for path in paths:
            tree[path]["hard links"] = sorted(paths)
    return tree


def differences(want, got, ignore=()):
    """Lines that say what differs; none if the trees are equal."""
    lines = []
    for path in sorted(want.keys() | got.keys()):
        if path not in got:
            lines.append(f"{path!r}: missing")
        elif path not in want:
            lines.append(f"{path!r}: unexpected")
        else:
            for fact in sorted(want[path].keys() | got[path].keys()):
                one, two = want[path].get(fact), got[path].get(fact)
                if one != two and fact not in ignore:
                    lines.append(f"{path!r}: {fact} is {two!r}, should be {one!r}")
    return lines


def as_archived(tree):
    """What a restored tree must be: the format keeps no times before 1970."""
    return {path: {**facts, "mtime": max(0, facts["mtime"])} for path, facts in tree.items()}


def show(lines, most=12):
    """For the message of a test."""
    return "\n".join([*lines[:most], *([f"and {len(lines) - most} more"] if len(lines) > most else [])])
