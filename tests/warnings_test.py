"""What Cairn says where Borg is silent, though a person would want to know."""
import base64
import fcntl
import glob
import os
import pty
import subprocess
import termios
import unittest

from program import CAIRN, Place


class Said(unittest.TestCase):
    def setUp(self):
        self.place = Place(BORG_PASSPHRASE="first secret")
        self.addCleanup(self.place.remove)
        self.place.cairn("repo-create", "-e", "aes256-ocb")

    def test_the_passphrase_stays_what_it_was(self):
        done = self.place.cairn("key", "change-passphrase", expect=(1,))
        self.assertIn("BORG_NEW_PASSPHRASE", done.err.decode())
        self.place.cairn("repo-list")
        done = self.place.cairn("key", "change-passphrase", BORG_NEW_PASSPHRASE="second secret")
        self.assertEqual(done.err, b"")
        self.place.cairn("repo-list", expect=(52,))
        self.place.cairn("repo-list", BORG_PASSPHRASE="second secret")

    def test_a_key_that_cannot_be_read_is_exported_as_it_is(self):
        key = glob.glob(os.path.join(self.place.repository, "keys", "*"))[0]
        with open(key, encoding="ascii") as file:
            first_line = file.readline()
        damaged = first_line + base64.b64encode(b"abcdefghijklmnopqrstu").decode() + "\n"
        os.chmod(key, 0o600)
        with open(key, "w", encoding="ascii") as file:
            file.write(damaged)
        done = self.place.cairn("key", "export")
        self.assertEqual(done.out.decode(), damaged)
        self.assertIn("corrupted (could not be parsed)", done.err.decode())
        done = self.place.cairn("key", "export", "--paper")
        self.assertIn(" 1: 616263 646566 676869 6a6b6c 6d6e6f 707172 - 6d\n 2: 737475 - 88\n", done.out.decode())
        self.place.cairn("key", "export", self.place.path, expect=(4,))

    def test_a_person_is_asked_for_another_passphrase(self):
        mine, theirs = pty.openpty()
        self.addCleanup(os.close, mine)
        process = subprocess.Popen([CAIRN, "key", "change-passphrase"], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True,
                                   preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=self.place.environment(), cwd=self.place.path)
        os.close(theirs)
        seen = b""
        for question, answer in ((b"Enter new passphrase: ", b"typed secret\n"), (b"Enter same passphrase again: ", b"typed secret\n"),
                                 (b"[yN]: ", b"n\n")):
            while not seen.endswith(question):
                try:
                    seen += os.read(mine, 1)
                except OSError:  # the program has ended
                    self.fail(f"it ended after {seen!r}")
            os.write(mine, answer)
        self.assertEqual(process.wait(60), 0, seen)
        self.place.cairn("repo-list", BORG_PASSPHRASE="typed secret")


if __name__ == "__main__":
    unittest.main()
