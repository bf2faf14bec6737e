"""Running Cairn (and the real Borg 2, where it is there) in a folder of its own.

CAIRN            the program under test, default build/dev/bin/cairn
CAIRN_BORG2_BIN  a folder with borg2 and borg2-python; without it the tests that need Borg are skipped
"""
import json
import os
import shutil
import signal
import subprocess
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CAIRN = os.environ.get("CAIRN") or os.path.join(ROOT, "build", "dev", "bin", "cairn")
BORG_BIN = os.environ.get("CAIRN_BORG2_BIN")
BORG = os.path.join(BORG_BIN, "borg2") if BORG_BIN else None
NO_BORG = os.environ.get("CAIRN_BORG2_MISSING") or "no Borg 2: CAIRN_BORG2_BIN names no folder"
NO_ROOT = "needs root: owners, devices, ACLs"

# For tests that run the programs a thousand times: every one of them waits for the disk otherwise.
IN_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None

# Name, encryption and id hash of every suite that the format has.
SUITES = [
    ("aesocb-sha256", "aes256-ocb", "sha256"),
    ("aesocb-blake3", "aes256-ocb", "blake3"),
    ("chapo-sha256", "chacha20-poly1305", "sha256"),
    ("chapo-blake3", "chacha20-poly1305", "blake3"),
    ("auth-sha256", "authenticated-sha256", "sha256"),
    ("auth-blake3", "authenticated-blake3", "blake3"),
]


def is_root():
    return os.geteuid() == 0


class Failed(AssertionError):
    """A program ended otherwise than the test expects."""


class Done:
    def __init__(self, words, process):
        self.words, self.status = words, process.returncode
        self.out, self.err = process.stdout, process.stderr

    @property
    def text(self):
        return self.out.decode("utf-8", "surrogateescape")

    def json(self):
        return json.loads(self.out)

    def __str__(self):
        how = f"exit status {self.status}"
        if self.status < 0:
            how = f"killed by {signal.Signals(-self.status).name}"
        tail = (self.err or self.out)[-1500:].decode("utf-8", "backslashreplace")
        return f"{' '.join(map(str, self.words))}: {how}\n{tail}"


class Place:
    """A scratch folder with one repository and one home; use as a context manager or call remove()."""

    def __init__(self, parent=None, repository="repository", **variables):
        self.path = tempfile.mkdtemp(prefix="cairn-test-", dir=parent)
        self.repository = os.path.join(self.path, repository)
        self.home = os.path.join(self.path, "home")
        os.mkdir(self.home)
        self.variables = {
            "BORG_REPO": self.repository,
            "BORG_PASSPHRASE": "a passphrase for tests",
            "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes",
            "BORG_RELOCATED_REPO_ACCESS_IS_OK": "yes",
            "BORG_CHECK_I_KNOW_WHAT_I_AM_DOING": "YES",
            "BORG_DELETE_I_KNOW_WHAT_I_AM_DOING": "YES",
            "BORG_TESTONLY_WEAKEN_KDF": "1",
            **variables,
        }

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.remove()

    def remove(self):
        subprocess.run(["chattr", "-R", "-i", "-a", self.path], stderr=subprocess.DEVNULL, check=False)
        shutil.rmtree(self.path, ignore_errors=True)

    def folder(self, *names):
        path = os.path.join(self.path, *names)
        os.makedirs(path)
        return path

    def environment(self, who="cairn", **more):
        """Each program has its own caches: what one remembers must not help the other."""
        base = os.path.join(self.home, who)
        return {"PATH": os.environ["PATH"], "HOME": base, "BORG_BASE_DIR": base, "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "TZ": "UTC",
                "BORG_HOST_ID": "test@1", **self.variables, **{name: value for name, value in more.items() if value is not None}}

    def run(self, program, *words, cwd=None, expect=(0,), stdin=None, timeout=600, **more):
        who = "borg" if program == BORG else "cairn"
        os.makedirs(os.path.join(self.home, who), exist_ok=True)
        process = subprocess.run([program, *words], cwd=cwd or self.path, env=self.environment(who, **more), input=stdin,
                                 stdin=subprocess.DEVNULL if stdin is None else None, capture_output=True, timeout=timeout, check=False)
        done = Done([os.path.basename(program), *words], process)
        if expect is not None and done.status not in expect:
            raise Failed(str(done))
        return done

    def cairn(self, *words, **keywords):
        return self.run(CAIRN, *words, **keywords)

    def borg(self, *words, **keywords):
        return self.run(BORG, *words, **keywords)

    def borg_python(self, source, *words):
        """Runs Python source in which Borg 2 can be imported; returns what it prints."""
        os.makedirs(os.path.join(self.home, "borg"), exist_ok=True)
        process = subprocess.run([os.path.join(BORG_BIN, "borg2-python"), "-", *words], cwd=self.path, env=self.environment("borg"),
                                 input=source.encode(), capture_output=True, check=False)
        done = Done(["borg2-python", "-", *words], process)
        if done.status != 0:
            raise Failed(str(done))
        return done.text

    def start(self, program, *words, cwd=None, **more):
        who = "borg" if program == BORG else "cairn"
        os.makedirs(os.path.join(self.home, who), exist_ok=True)
        return subprocess.Popen([program, *words], cwd=cwd or self.path, env=self.environment(who, **more), stdin=subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def archives(self, program=None):
        """The live archives, {id: name}, oldest first."""
        done = self.run(program or CAIRN, "repo-list", "--json")
        return {one["id"]: one["name"] for one in done.json()["archives"]}
