"""Damaging repositories on purpose: where the objects of an authenticated repository lie, and every kind of damage.

In the authenticated suites nothing is encrypted, so that a test can see what it hits.
"""
import os
import re

HEADER, OVERHEAD = 49, 34


class Object:
    """One object in a pack."""

    def __init__(self, pack, offset, data):
        self.pack, self.offset = pack, offset
        self.id = data[offset + 9:offset + 41].hex()
        self.meta_size = int.from_bytes(data[offset + 41:offset + 45], "little")
        self.data_size = int.from_bytes(data[offset + 45:offset + 49], "little")
        self.size = HEADER + self.meta_size + self.data_size
        meta = data[offset + HEADER + OVERHEAD:offset + HEADER + self.meta_size]
        self.type = chr(meta[meta.index(b"type") + 5])
        self.payload = data[offset + HEADER + self.meta_size + OVERHEAD:offset + self.size]


def files_in(repository, namespace):
    return sorted(os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(repository, namespace)) for name in names)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def write(path, data):
    os.chmod(path, 0o600)
    with open(path, "wb") as file:
        file.write(data)


def flip(path, at):
    data = bytearray(read(path))
    data[at] ^= 1
    write(path, bytes(data))


def objects(repository, kind=None):
    found = []
    for pack in files_in(repository, "packs"):
        if not re.fullmatch("[0-9a-f]{64}", os.path.basename(pack)):
            continue
        data, offset = read(pack), 0
        while offset < len(data):
            found.append(Object(pack, offset, data))
            offset += found[-1].size
    return [one for one in found if kind is None or one.type == kind]


def remove(path):
    os.remove(path)


def fragments(repository):
    return files_in(repository, "index")


def largest(paths):
    return max(paths, key=os.path.getsize)
