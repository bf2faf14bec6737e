"""Tar streams of any number of files, made faster than anybody reads them: 1,000 files to a folder, most of them empty.

Streams of different variants are compared by `diff`:
  plain     what the others differ from
  few       one file in 10,000 has another time
  many      every file has another time
  reversed  the same folders in the opposite order, so that nearly every item has to wait for its partner
"""
import os

VARIANTS = ("plain", "few", "many", "reversed")
FOLDER = 1000  # files
WITH_CONTENT = 10  # of them
BLOCK = 512
# A folder's number and, as the nines' complement, once more: so that the sum of its digits, which is a part of every
# header's check sum, is always the same, and one folder's headers are another one's with the name replaced.
NAME = "folder-{:06}-{:06}"


def name_of(number):
    return NAME.format(number, 999_999 - number)


def header(path, size=0, mtime=1_700_000_000, kind=b"0", mode=0o644):
    fields = [path.encode().ljust(100, b"\0"), b"%07o\0" % mode, b"0001750\0", b"0001750\0", b"%011o\0" % size, b"%011o\0" % mtime,
              b" " * 8, kind, b"\0" * 100, b"ustar\x0000", b"somebody".ljust(32, b"\0"), b"users".ljust(32, b"\0")]
    text = b"".join(fields).ljust(BLOCK, b"\0")
    return text[:148] + b"%06o\0 " % sum(text) + text[156:]


def folder(number, touched):
    """The members of one folder; `touched(i)` says whether file i has another time."""
    name = name_of(number)
    parts = [header(f"collection/{name}/", kind=b"5", mode=0o755)]
    for i in range(FOLDER):
        content = f"the content of file {i} in {name}\n".encode() if i % (FOLDER // WITH_CONTENT) == 0 else b""
        parts.append(header(f"collection/{name}/a-file-among-many-{i:03}.txt", len(content), 1_700_000_000 + 60 * touched(i)))
        if content:
            parts.append(content.ljust(BLOCK, b"\0"))
    return b"".join(parts)


def write_tar(file, count, variant="plain"):
    folders = count // FOLDER
    plain = folder(0, lambda i: False)
    other = {"few": folder(0, lambda i: i == 1), "many": folder(0, lambda i: True)}.get(variant, plain)
    every = 10 if variant == "few" else 1
    for number in reversed(range(folders)) if variant == "reversed" else range(folders):
        members = other if number % every == 0 else plain
        file.write(members.replace(name_of(0).encode(), name_of(number).encode()))
    file.write(bytes(2 * BLOCK))


def write_to(path, count, variant):
    """Into a file or a pipe with a name."""
    with open(os.open(path, os.O_WRONLY), "wb", buffering=0) as file:
        write_tar(file, count, variant)
