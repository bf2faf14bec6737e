"""What the programs that time whole commands share: running a command and measuring it, and making the data."""
import contextlib
import datetime
import os
import platform
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
GIB = 1 << 30
SETTLE_SECONDS = 4  # files must be older than this before a files cache believes them


class Failed(Exception):
    """A program ended with an error, or restored something else than was stored."""


def say(text):
    print(text, file=sys.stderr, flush=True)


def shown_size(count):
    for unit, name in ((GIB, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.3g} {name}"
    return f"{count} B"


# ---------------------------------------------------------------------------------------------------- running a command

running = None  # the child that works at this moment, leader of its own group: ended together with this program


def watch(pid):
    global running
    with contextlib.suppress(OSError):  # the child does the same; whoever is first
        os.setpgid(pid, pid)
    running = pid


def collect(pid):
    global running
    _, status, usage = os.wait4(pid, 0)
    running = None
    return os.waitstatus_to_exitcode(status), usage


def spawn(words, folder, environment, output, errors):
    """fork and exec rather than posix_spawn: what a child has in memory before exec counts as its peak, and a forked
    child has little of ours."""
    pid = os.fork()
    if pid == 0:
        try:
            os.setpgid(0, 0)
            os.chdir(folder)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for descriptor, target in ((nothing, 0), (output.fileno(), 1), (errors.fileno(), 2)):
                os.dup2(descriptor, target)
            os.execve(words[0], words, environment)
        finally:
            os._exit(127)
    watch(pid)
    return pid


def run_command(words, folder, environment):
    """Returns (what was measured, standard output). Raises Failed unless the exit status is 0."""
    with tempfile.TemporaryFile(dir=folder) as output, tempfile.TemporaryFile(dir=folder) as errors:
        start = time.monotonic()
        pid = spawn(words, folder, environment, output, errors)
        code, usage = collect(pid)
        wall = time.monotonic() - start
        if code != 0:
            errors.seek(0)
            tail = errors.read()[-2000:].decode("utf-8", "backslashreplace").strip()
            raise Failed(f"{' '.join(words)[:300]}: exit status {code}\n{tail}")
        output.seek(0)
        measured = {"wall": wall, "user": usage.ru_utime, "system": usage.ru_stime, "peak_bytes": usage.ru_maxrss * 1024}
        return measured, output.read().decode("utf-8", "surrogateescape")


def in_child(function, *arguments):
    """Data is made in a child, so that this process stays small (see spawn)."""
    pid = os.fork()
    if pid == 0:
        status = 1
        try:
            function(*arguments)
            status = 0
        except Exception as error:  # the parent only sees a status
            say(f"{os.path.basename(sys.argv[0])}: {error}")
        finally:
            os._exit(status)
    watch(pid)
    if collect(pid)[0] != 0:
        raise SystemExit(f"{os.path.basename(sys.argv[0])}: the data could not be made")


def remove(path):
    subprocess.run(["rm", "-rf", "--one-file-system", path], check=True)


def copy(source, target):
    subprocess.run(["cp", "-a", source, target], check=True)


# ------------------------------------------------------------------------------------------------------- the data

class Text:
    """Words, the frequent ones more often, with some phrases and numbers between: lz4 halves it about, nothing in it
    repeats as a whole."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        letters = "etaoinshrdlucmfwypvbgk"
        words = ["".join(self.random.choices(letters, k=self.random.randint(2, 10))) for _ in range(8000)]
        phrases = [" ".join(self.random.choices(words, k=self.random.randint(3, 6))) for _ in range(1500)]
        self.tokens = []
        for _ in range(1 << 16):
            kind = self.random.random()
            pool = phrases if kind < 0.25 else words
            text = pool[int(len(pool) ** self.random.random()) - 1]
            if kind > 0.93:
                text = str(self.random.randrange(10 ** 6))
            self.tokens.append((text + ("\n" if self.random.random() < 0.1 else " ")).encode())
        self.rest = b""

    def take(self, size):
        parts = [self.rest]
        have = len(self.rest)
        while have < size:
            numbers = memoryview(self.random.randbytes(1 << 18)).cast("H")
            parts.append(b"".join(map(self.tokens.__getitem__, numbers)))
            have += len(parts[-1])
        everything = b"".join(parts)
        self.rest = everything[size:]
        return everything[:size]


class Noise:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def take(self, size):
        return self.random.randbytes(size)


def write_one_file(path, kind, seed, size):
    write_file(path, kind(seed), size)


def write_file(path, content, size):
    with open(path, "wb") as file:
        while size > 0:
            size -= file.write(content.take(min(size, 4 << 20)))


def write_small_files(path, count):
    """Equal counts in directories d000, d001 ..., sizes even between 100 bytes and 16 KiB, incompressible."""
    content, sizes = Noise(3), random.Random(33)
    directories = small_directories(count)
    for name in directories:
        os.makedirs(os.path.join(path, name))
    for i in range(count):
        write_file(os.path.join(path, directories[i % len(directories)], f"file{i:06}"), content, sizes.randint(100, 16 << 10))


def small_directories(count):
    return [f"d{i:03}" for i in range(max(30, min(300, count // 100)))]


def write_source_tree(path, count):
    """Text files as in a large source tree: median 4 KiB, mean about 14 KiB, 16 to a directory, directories in one
    another down to depth 6."""
    content, choice = Text(4), random.Random(44)
    directories = [(path, 0)]
    os.mkdir(path)
    while len(directories) < max(10, count // 16):
        parent, depth = choice.choice(directories)
        if depth < 6:
            directories.append((os.path.join(parent, f"part{len(directories):04}"), depth + 1))
            os.mkdir(directories[-1][0])
    for i in range(count):
        size = min(int(choice.lognormvariate(8.3178, 1.583)), 4 << 20)
        write_file(os.path.join(choice.choice(directories)[0], f"unit{i:05}.txt"), content, size)


def content_of(path):
    """(files, bytes) of a file or tree."""
    if os.path.isfile(path):
        return 1, os.path.getsize(path)
    sizes = [os.lstat(os.path.join(parent, name)).st_size for parent, _, names in os.walk(path) for name in names]
    return len(sizes), sum(sizes)


def first_match(path, pattern, otherwise):
    with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
        found = re.search(pattern, file.read(), re.M)
        if found:
            return found.group(1)
    return otherwise


def file_system_of(path):
    best, kind = "", "unknown"
    with open("/proc/self/mounts", encoding="utf-8") as file:
        for line in file:
            _, point, this, *_ = line.split(" ")
            inside = os.path.realpath(path).startswith(point.rstrip("/") + "/")
            if inside and len(point) >= len(best):
                best, kind = point, this
    return kind


def median_of(words, folder, runs=11):
    measured = [run_command(words, folder, dict(os.environ))[0] for _ in range(runs)]
    return medians(measured)


def medians(measured):
    return {"wall": statistics.median(one["wall"] for one in measured),
            "cpu": statistics.median(one["user"] + one["system"] for one in measured),
            "peak_bytes": statistics.median(one["peak_bytes"] for one in measured)}


def machine(path):
    """What the figures of a run depend on, for its heading."""
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"], capture_output=True, text=True, check=False)
    return {
        "date": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "command": " ".join(sys.argv),
        "commit": commit.stdout.strip() or "unknown",
        "processor": first_match("/proc/cpuinfo", r"^model name\s*: (.*)$", platform.machine()),
        "processors": f"{len(os.sched_getaffinity(0))} usable, load average {os.getloadavg()[0]:.2f} at the start",
        "memory": shown_size(int(first_match("/proc/meminfo", r"^MemTotal:\s*(\d+)", "0")) * 1024),
        "system": f"{platform.system()} {platform.release()}; data and repositories on {file_system_of(path)}",
    }


def shown_seconds(seconds):
    return f"{seconds:.4f}" if seconds < 0.1 else f"{seconds:.3f}" if seconds < 1 else f"{seconds:.2f}"


def end_running():
    """Ends the child at work, if any: for a program that is itself ended."""
    if running is not None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(running, signal.SIGKILL)
            os.waitpid(running, 0)


def stop(number, _):
    raise SystemExit(128 + number)


def end_with_signals():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, stop)
