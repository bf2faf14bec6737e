"""Replays docs/format/transcripts.md: the same commands, the same texts, the same exit codes.

The sections follow each other on one repository, so they run in their order, each as a test of its own. Commands that
Cairn does not have yet are run by Borg 2 in its place, if it is there, because later sections show their effects.
"""
import json
import os
import re
import shlex
import shutil
import subprocess
import unittest

import program
from program import BORG, CAIRN

DOCUMENT = os.path.join(program.ROOT, "docs", "format", "transcripts.md")
DEMO = "/tmp/demo"
ENVIRONMENT = {"BORG_REPO": f"{DEMO}/repo", "BORG_PASSPHRASE": "secret", "BORG_BASE_DIR": f"{DEMO}/base", "HOME": f"{DEMO}/home",
               "BORG_HOSTNAME": "lab", "BORG_USERNAME": "tester", "BORG_HOST_ID": "lab@1", "TZ": "Europe/Berlin", "LC_ALL": "C.UTF-8",
               "BORG_TESTONLY_WEAKEN_KDF": "1"}

# Commands that are not built yet.
LATER = set()

LATER_OPTIONS = set()

REPAIR = """This is a potentially dangerous function.
check --repair might lead to data loss (for kinds of corruption it is not
capable of dealing with). BE VERY CAREFUL!

Type 'YES' if you understand this and want to continue: YES (from BORG_CHECK_I_KNOW_WHAT_I_AM_DOING)
Starting full repository check
1 pack check results on record, verifying every pack.
"""
LOST = """Missing chunk detected: <ID>, 18.89 kB.
The following chunks are missing in the repository:
- Chunk <ID>, 18.89 kB
    - src/dir1/sub/numbers: home
Archive consistency check complete, problems found.
"""

# Where Cairn's text or exit code is its own on purpose, by title: {stream: text, "rc": code}.
OWN = {
    "no passphrase, no terminal": {  # Borg leaves an empty line and an unfinished prompt: not to be copied (cli.md, section 7)
        "stdout": "",
        "stderr": "Cannot acquire a passphrase: BORG_PASSPHRASE is not set. BORG_PASSCOMMAND is not set. "
                  "Interactive password query failed..\n"},
    # The first repair saves what is good in the damaged pack and removes it, and says by its exit code that something is lost.
    "damaged: check --repair -v": {
        "rc": 1,
        "stderr": REPAIR + """Store object packs/<ID> is corrupted: content does not match its name (store hash).
Finished checking packs.
Checked 1 index files (0 errors) and 1 packs (1 errors).
Found 1 corrupt pack(s):
Corrupt pack: <ID>
Finished full repository check, corrupt pack(s) found.
Starting archive consistency check...
Pack <ID>: 3 good objects moved to pack <ID>, 1 damaged.
Writing the repository chunks index.
Chunk <ID> is lost, it was in pack <ID>.
Packs were damaged or missing. Removed the index entries of their 1 chunk(s).
Analyzing archive home Thu, 2025-05-01 10:00:00 +0200 <ID> (1/1)
""" + LOST},
    "damaged: check after the repair": {"rc": 1, "stderr": LOST},
    "damaged: extract after the repair": {
        "stderr": "repository object <ID> missing, returning 18893 zero bytes.\n"
                  "src/dir1/sub/numbers: 1 chunk(s) missing or corrupted in the repository, replaced by all-zero data\n"},
    "damaged: check --repair --verify-data -v": {
        "rc": 1,
        "stderr": REPAIR + """Finished checking packs.
Checked 1 index files (0 errors) and 1 packs (0 errors).
Finished full repository check, no problems found.
Starting archive consistency check...
Starting cryptographic data integrity verification...
Finished cryptographic data integrity verification, verified 1 chunks with 0 integrity errors.
Analyzing archive home Thu, 2025-05-01 10:00:00 +0200 <ID> (1/1)
""" + LOST},
}

# Masks of the document, as patterns of one line.
MASKS = {"<ID>": r"(?:[0-9a-f]{8,64}|\d+)", "<TIME>": r".+?", "<SIZE>": r".*?", "<N>": r"\d+", "<HEX>": r"[0-9a-f]+", "<BASE64>": r"[A-Za-z0-9+/=]+"}
FREE_LINES = ("<USAGE>", "<ADVICE>")

# Texts that are free for Cairn, made equal on both sides.
FREE_TEXT = [
    (re.compile(r'"store_stats": \{[^{}]*\}'), '"store_stats": {}'),
    (re.compile(r"^Store (?!object).*\n", re.MULTILINE), ""),
    (re.compile(r"proto='file', user=None, pass=None, host=None, port=None, path='([^']*)'"), r"\1"),
    (re.compile(r"Checked \d+ index files \((\d+) errors\) and \d+ packs"), r"Checked # index files (\1 errors) and # packs"),
    (re.compile(r"^\d+ pack check results on record", re.MULTILINE), "# pack check results on record"),
    (re.compile(r"verified \d+ chunks"), "verified # chunks"),
    (re.compile(r"Deleting \d+ unused objects"), "Deleting # unused objects"),
    (re.compile(r" in \d+ objects\."), " in # objects."),
    (re.compile(r"pid \d+"), "pid #"),
    (re.compile(r'Run "\w+ compact"'), 'Run "borg compact"'),
    (re.compile(r"run: \w+ ((?:[a-z-]+ )*--help)"), r"run: borg \1"),
    # Inode numbers decide which link of a file comes first, and ids the order of archives of the same time.
    (re.compile(r"^[AMUh] (src/dir1/a\.txt|src/dir2/hard)$", re.MULTILINE), r"(linked) \1"),
    (re.compile(r"^(?:In case you want|For another amount) .*\n.*--reserve.*\n", re.MULTILINE), ""),
    (re.compile(r"\b(?:copied|renamed) +(?=(?:Sun, )?2025-06-01 )"), "(tied) "),
]


class Section:
    """One "### title" with its command and what the command must print."""

    def __init__(self, title, block):
        self.title = title
        lines = block.splitlines(keepends=True)
        self.command = lines[0].removeprefix("$ ").rstrip("\n")
        self.stdin = b""
        at = 1
        if lines[at].startswith("stdin: "):
            text = lines[at].removeprefix("stdin: ").strip()
            self.stdin = text[1:-1].encode().decode("unicode_escape").encode()
            at += 1
        self.status = int(lines[at].removeprefix("rc "))
        rest = "".join(lines[at + 1:])
        out, err = re.fullmatch(r"stdout:(.*?)^stderr:(.*)", rest, re.DOTALL | re.MULTILINE).groups()
        self.expected = {"stdout": self.text(out), "stderr": self.text(err)}
        own = OWN.get(title, {})
        self.status = own.get("rc", self.status)
        self.expected.update({stream: text for stream, text in own.items() if stream != "rc"})

    @staticmethod
    def text(part):
        if part.strip() == "(empty)":
            return ""
        part = part.removeprefix("\n")
        return part.removesuffix("<no newline at end>\n") if part.endswith("<no newline at end>\n") else part

    def words(self):
        """The words of Borg's own command line."""
        words = shlex.split(re.sub(r"^cd \S+; ", "", self.command))
        return words[words.index("borg") + 1:]

    def is_later(self):
        return self.needs() in LATER or not LATER_OPTIONS.isdisjoint(self.words())

    def needs(self):
        """The command, or None where the first word is an option."""
        return next((word for word in self.words() if not word.startswith("-")), None)


def sections():
    with open(DOCUMENT, encoding="utf-8") as file:
        text = file.read()
    found = re.findall(r"^### (.*?)\n```\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    set_up = re.findall(r"^```\n(.*?)^```$", text[text.index("## Set-up"):text.index("## Masks")], re.DOTALL | re.MULTILINE)
    return [Section(*one) for one in found], set_up


SECTIONS, SET_UP = sections()


def pattern(line):
    text = re.escape(line)
    for mask, matches in MASKS.items():
        # Columns keep their width, whatever stands in them.
        text = re.sub(re.escape(re.escape(mask)) + r"(?:\\ ){2,}", lambda _, matches=matches: matches + r"\ +", text)
        text = text.replace(re.escape(mask), matches)
    return re.compile(text)


def free(text):
    for what, by in FREE_TEXT:
        text = what.sub(by, text)
    return text


def lines_match(want, got):
    """Line by line; a free line stands for any number of lines."""
    if not want:
        return not got
    if want[0].strip() in FREE_LINES:
        return any(lines_match(want[1:], got[count:]) for count in range(len(got) + 1))
    return bool(got) and bool(pattern(want[0]).fullmatch(got[0])) and lines_match(want[1:], got[1:])


def same_lines_in_another_order(want, got):
    """Entries of one directory follow inode numbers, which differ from run to run."""
    left = list(got)
    for line in want:
        match = next((other for other in left if pattern(line).fullmatch(other)), None)
        if match is None:
            return False
        left.remove(match)
    return not left


def is_listing(section):
    # Archives of the same time come in the order of their ids.
    return section.needs() in {"create", "list", "extract", "find", "diff", "export-tar", "import-tar", "recreate"} or "--deleted" in section.command


class Demo:
    """The folder in which all of it happens, and the states that single sections need."""

    def __init__(self):
        shutil.rmtree(DEMO, ignore_errors=True)
        os.makedirs(f"{DEMO}/bin")
        os.symlink(os.path.abspath(CAIRN), f"{DEMO}/bin/borg")
        self.ids = {}
        self.borg_was_needed = False
        self.lock = None

    def environment(self):
        return {**ENVIRONMENT, "PATH": f"{DEMO}/bin:{os.environ['PATH']}"}

    def shell(self, command, stdin=b"", check=False, **more):
        return subprocess.run(["bash", "-c", command], cwd=DEMO, env={**self.environment(), **more}, input=stdin, capture_output=True,
                              start_new_session=True, timeout=120, check=check)

    def learn_ids(self):
        if len(self.ids) == 3:
            return
        listed = self.shell("borg repo-list --json")
        if listed.returncode != 0:
            return
        for mask, name, day in (("<ID1>", "home", "2025-05-01"), ("<ID2>", "home", "2025-05-05"), ("<ID3>", "other", "2025-06-01")):
            for one in json.loads(listed.stdout)["archives"]:
                if one["name"] == name and one["time"].startswith(day):
                    self.ids.setdefault(mask, one["id"])

    def prepare(self, section):
        """Returns variables for this section."""
        title = section.title
        if title == "repo-create":
            self.set_up_in_order()
        elif title == "create, second state":
            self.shell(SET_UP[1], check=True)
        elif title == "extract, damaged object":
            self.make_damaged()
        elif title == "relocated repository, denied":
            # A copy: what the programs remember about the place of the repository is put back before the last section.
            shutil.copytree(f"{DEMO}/repo", f"{DEMO}/moved")
            shutil.copytree(f"{DEMO}/base", f"{DEMO}/base-before")
        elif title == "repo-delete, denied":
            self.shell("borg create home src", check=True)  # the list has one archive that no section makes
        elif title == "repo-delete -v --force":
            shutil.rmtree(f"{DEMO}/base")
            os.rename(f"{DEMO}/base-before", f"{DEMO}/base")
        elif title == "unencrypted repository, unknown":
            self.shell(f"BORG_REPO={DEMO}/plain borg repo-create -e authenticated-sha256", check=True)
        if "repository locked" in title:
            self.lock = subprocess.Popen(["bash", "-c", "borg with-lock sh -c 'echo held; exec sleep 60'"], cwd=DEMO, env=self.environment(),
                                         stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, start_new_session=True)
            self.lock.stdout.readline()
        if title.startswith("unencrypted"):
            shutil.rmtree(f"{DEMO}/base2", ignore_errors=True)
        for folder in re.findall(rf"cd ({DEMO}/\w+)", section.command):
            os.makedirs(folder, exist_ok=True)
        damaged = title.startswith("damaged") or title.endswith((", damaged object", ", damaged pack"))
        return {"BORG_REPO": f"{DEMO}/damaged"} if damaged else {}

    def set_up_in_order(self):
        """Files are walked by inode number, and the answers are those for numbers in the order of making. A file system
        may give a new file a number that another one left behind; it cannot while that one is kept."""
        for attempt in range(50):
            self.shell(SET_UP[0], check=True)
            made = ["file1", "dir1/a.txt", "dir1/empty", "dir1/link", "dir1/sub/numbers", "dir2/pipe", "dir2/x.o"]
            numbers = [os.lstat(f"{DEMO}/src/{name}").st_ino for name in made]
            if numbers == sorted(numbers):
                return
            os.rename(f"{DEMO}/src", f"{DEMO}/taken{attempt}")
        raise unittest.SkipTest("the file system does not number files in the order of making")

    def finish(self):
        if self.lock is not None:
            os.killpg(self.lock.pid, 15)
            self.lock.communicate()
            self.lock = None

    def make_damaged(self):
        self.shell(f"export BORG_REPO={DEMO}/damaged; borg repo-create -e aes256-ocb && mkdir -p {DEMO}/before/src/dir1/sub && "
                   f"cd {DEMO}/before && seq 1 4000 > src/dir1/sub/numbers && printf 'first\\n' > src/dir1/a.txt && "
                   "borg create -C none --timestamp 2025-05-01T10:00:00 home src/dir1", check=True)
        packs = [os.path.join(folder, name) for folder, _, names in os.walk(f"{DEMO}/damaged/packs") for name in names]
        largest = max(packs, key=os.path.getsize)
        with open(largest, "rb") as file:
            data = bytearray(file.read())
        data[len(data) // 2] ^= 1
        os.chmod(largest, 0o600)
        with open(largest, "wb") as file:
            file.write(data)


@unittest.skipUnless(program.is_root(), program.NO_ROOT)
class Transcripts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.demo = Demo()
        cls.addClassCleanup(shutil.rmtree, DEMO, ignore_errors=True)

    def replay(self, section):
        demo = self.demo
        variables = demo.prepare(section)
        self.addCleanup(demo.finish)
        demo.learn_ids()
        command = section.command
        for mask, archive in demo.ids.items():
            command = command.replace(mask, archive)
        if section.is_later():
            if BORG:
                # In place of Cairn, only to reach the state that later sections start from.
                demo.shell(re.sub(r"\bborg ", shlex.quote(BORG) + " ", command, count=1), section.stdin, **variables)
            else:
                demo.borg_was_needed = True
            self.skipTest(f"{section.needs()} {' '.join(LATER_OPTIONS.intersection(section.words()))}".rstrip() + " belongs to a later issue")
        if demo.borg_was_needed and section.status in (0, 1, 113):
            self.skipTest("follows commands that only Borg has yet, and there is no Borg")
        done = demo.shell(command, section.stdin, **variables)
        got = {"stdout": done.stdout, "stderr": done.stderr}
        for stream, expected in section.expected.items():
            self.compare(section, stream, expected, got[stream].decode("utf-8", "backslashreplace"), done)
        self.assertEqual(done.returncode, section.status, done.stderr.decode("utf-8", "backslashreplace"))

    def compare(self, section, stream, expected, got, done):
        want_lines, got_lines = free(expected).split("\n"), free(got).split("\n")
        if lines_match(want_lines, got_lines):
            return
        if is_listing(section) and same_lines_in_another_order(want_lines, got_lines):
            return
        self.fail(f"$ {section.command}\nrc {done.returncode}, {stream} should be:\n{free(expected)}--- but is:\n{free(got)}---")


def add_tests():
    for number, section in enumerate(SECTIONS):
        name = re.sub(r"\W+", "_", section.title).strip("_")
        setattr(Transcripts, f"test_{number:03}_{name}", lambda self, section=section: self.replay(section))


add_tests()
