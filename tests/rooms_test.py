"""The rooms under src/ include only the rooms that their CMakeLists.txt names, and those stand below them."""
import os
import re
import unittest

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def rooms_in_order():
    return re.search(r"foreach\(room IN ITEMS ([^)]*)\)", read("CMakeLists.txt"))[1].split()


def allowed_rooms(room):
    call = re.search(r"cairn_room\(([^)]*)\)", read("src", room, "CMakeLists.txt"))[1].split()
    assert call[0] == room, f"src/{room}/CMakeLists.txt defines the room {call[0]}"
    if "ROOMS" not in call:
        return []
    words = call[call.index("ROOMS") + 1:]
    return words[:next((i for i, word in enumerate(words) if word.isupper()), len(words))]


def includes(room):
    """(file, line number, included room) of every #include "room/..."."""
    for folder, _, files in os.walk(os.path.join(ROOT, "src", room)):
        for name in sorted(files):
            if name.endswith((".h", ".cc")):
                path = os.path.join(folder, name)
                with open(path, encoding="utf-8") as file:
                    for number, line in enumerate(file, 1):
                        if match := re.match(r'\s*#\s*include\s+"([^/"]+)/', line):
                            yield os.path.relpath(path, ROOT), number, match[1]


class Rooms(unittest.TestCase):
    def test_every_folder_is_a_room_of_the_build(self):
        folders = sorted(name for name in os.listdir(os.path.join(ROOT, "src")) if os.path.isdir(os.path.join(ROOT, "src", name)))
        self.assertEqual(folders, sorted(rooms_in_order()))

    def test_a_room_lists_only_rooms_below_it(self):
        order = rooms_in_order()
        for place, room in enumerate(order):
            with self.subTest(room=room):
                self.assertEqual([other for other in allowed_rooms(room) if other not in order[:place]], [])

    def test_includes_name_only_listed_rooms(self):
        for room in rooms_in_order():
            allowed = {room, *allowed_rooms(room)}
            found = list(includes(room))
            self.assertTrue(found, f"{room} includes nothing: is the pattern still right?")
            wrong = [f"{path}:{number}: {other}" for path, number, other in found
                     if other not in allowed and os.path.isdir(os.path.join(ROOT, "src", other))]
            with self.subTest(room=room):
                self.assertEqual(wrong, [])
