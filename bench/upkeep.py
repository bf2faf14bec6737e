"""The task `upkeep` of bench/compare: every command that reads an archive or looks after a repository, with Cairn and with
Borg 2 in turn, each on its own copy of one repository; what they print or leave behind is compared where that says something.
"""
import dataclasses
import hashlib
import os
import random
import time

from workload import SETTLE_SECONDS, Failed, Noise, Text, copy, in_child, remove, say, shown_size, write_one_file, write_source_tree

FIRST, SECOND, DAY = "first", "second", "daily"


@dataclasses.dataclass
class Step:
    """`words` of one command line; {out} is a file that is gone afterwards."""
    label: str
    words: list
    changes: bool = False    # starts with a fresh copy of the repository,
    from_other: bool = False  # or with an empty one beside it
    before: list = dataclasses.field(default_factory=list)  # a command line that is not timed
    # How what came out is compared: what was printed, the file {out}, or what these command lines of the first program
    # print afterwards. Nothing if it is free.
    same: object = None


def archive_list(*more):
    return ["repo-list", "--format", "{archive} {time}{NL}", *more]


def item_list(name):
    return ["list", "--format", "{mode} {user} {size} {mtime} {path}{NL}", name]


def steps(files, archives, size):
    reads = [
        Step(f"check {size}", ["check"]),
        Step("check --verify-data", ["check", "--verify-data"]),
        Step(f"list {files:,} files", ["list", FIRST], same="printed"),
        Step("list --json-lines", ["list", "--json-lines", FIRST], same="printed"),
        Step(f"repo-list {archives} archives", ["repo-list"], same="printed"),
        Step(f"find in {archives} archives", ["find", "sh:**/unit0001*"], same="printed"),
        Step("diff two archives", ["diff", FIRST, SECOND], same="printed"),
        Step("export-tar", ["export-tar", FIRST, "{out}"], same="file"),
        Step("analyze", ["analyze"]),
        Step("prune --dry-run", ["prune", "--dry-run", "--list", "--keep-daily", "7", "-a", DAY]),
    ]
    writes = [
        Step("import-tar", ["import-tar", "imported", "{tar}"], same=[item_list("imported")]),
        Step(f"prune, {archives - 9} of {archives - 2} go", ["prune", "--keep-daily", "7", "-a", DAY], same=[archive_list()]),
        Step("compact after it", ["compact"], before=["prune", "--keep-daily", "7", "-a", DAY]),
        Step("compact after deleting an archive", ["compact"], before=["delete", FIRST], same=[item_list(SECOND)]),
        Step("recreate --exclude", ["recreate", "--exclude", "sh:**/unit0001*", "-a", FIRST], same=[item_list(FIRST)]),
        Step("recreate, cut anew", ["recreate", "--chunker-params", "fixed,1048576", "-a", FIRST], same=[item_list(FIRST)]),
        Step("repo-compress to zstd,1", ["repo-compress", "--compression", "zstd,1"], same=[item_list(FIRST)]),
    ]
    for step in writes:
        step.changes = True
    return reads + writes + [
        Step("transfer all archives", ["transfer", "--other-repo", "{other}"], from_other=True, same=[archive_list(), item_list(SECOND)]),
        Step("transfer, recompress to zstd,1", ["transfer", "--other-repo", "{other}", "--recompress", "always", "--compression", "zstd,1"],
             from_other=True, same=[item_list(SECOND)]),
    ]


def change_some(path):
    """Of the text files every 20th is written anew, every 50th goes, and a folder comes."""
    content, choice = Text(5), random.Random(55)
    names = sorted(os.path.join(parent, name) for parent, _, found in os.walk(path) for name in found)
    for i, name in enumerate(names):
        if i % 50 == 7:
            os.remove(name)
        elif i % 20 == 3:
            with open(name, "wb") as file:
                file.write(content.take(choice.randint(100, 16 << 10)))
    os.mkdir(os.path.join(path, "new"))
    for i in range(len(names) // 50):
        with open(os.path.join(path, "new", f"unit{i:05}.txt"), "wb") as file:
            file.write(content.take(choice.randint(100, 16 << 10)))


def make_repository(bench, place, archives, compression):
    """Two large archives and many small ones of as many days. The first program makes it for all."""
    program = place.program
    tree = os.path.join(bench.data, "upkeep")
    place.run(program.create(FIRST, compression, ["upkeep"]))
    in_child(change_some, os.path.join(tree, "tree"))
    time.sleep(SETTLE_SECONDS)
    place.run(program.create(SECOND, compression, ["upkeep"]))
    folders = sorted(name for name in os.listdir(os.path.join(tree, "tree")) if name.startswith("part"))
    for i in range(archives - 2):
        day = time.strftime("%Y-%m-%dT12:00:00+00:00", time.gmtime(1_700_000_000 + 86400 * i))
        place.run(program.words("create", "--timestamp", day, DAY, os.path.join("upkeep", "tree", folders[i % len(folders)])))


def digest_of(path):
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            total.update(block)
    return total.hexdigest()


class Upkeep:
    def __init__(self, bench, places, tar):
        self.bench, self.places, self.tar = bench, places, tar
        self.judge = places[next(iter(places))]  # the first program prints what all have left behind
        self.results = {}                        # label -> what the first program that got so far gave

    def words(self, place, words):
        names = {"{out}": os.path.join(place.out, "out"), "{tar}": self.tar, "{other}": place.repository + ".saved"}
        return place.program.words(*(names.get(word, word) for word in words))

    def printed(self, place, words):
        """By the first program, of another one's repository."""
        _, text = self.judge.run(self.judge.program.words(*words), repository=place.repository)
        return text

    def take(self, place, step):
        if step.changes or step.from_other:
            place.go_back(repository=not step.from_other)
        if step.from_other:
            place.run(place.program.words("repo-create", "--other-repo", place.repository + ".saved", "--encryption", "aes256-ocb",
                                           "--id-hash", "blake3"))
        if step.before:
            place.run(self.words(place, step.before))
        text = place.timed(step.label, self.words(place, step.words))
        result = None
        if step.same == "printed":
            result = text
        elif step.same == "file":
            result = digest_of(os.path.join(place.out, "out"))
        elif step.same:
            result = [self.printed(place, words) for words in step.same]
        if "{out}" in step.words:
            remove(os.path.join(place.out, "out"))
        if result is not None and result != self.results.setdefault(step.label, result):
            raise Failed(f"{step.label}: {place.program.name} and {self.judge.program.name} differ in what came out")


def upkeep(bench, programs, open_place, stack):
    """`open_place(program)` enters a place with an empty repository."""
    files, archives, size = bench.scaled(30_000, 300), bench.scaled(200, 12), bench.scaled(1 << 29, 1 << 20)
    tree = os.path.join(bench.data, "upkeep")
    os.mkdir(tree)
    stack.callback(remove, tree)
    say("making files ...")
    in_child(write_source_tree, os.path.join(tree, "tree"), files)
    in_child(write_one_file, os.path.join(tree, "random"), Noise, 6, size)
    time.sleep(SETTLE_SECONDS)
    places = {}
    for program in programs:
        place = places[program] = open_place(program)
        if len(places) == 1:
            say(f"making {archives} archives ...")
            make_repository(bench, place, archives, bench.compression)
            tar = os.path.join(bench.data, "upkeep.tar")
            stack.callback(remove, tar)
            place.run(program.words("export-tar", FIRST, tar))
            first = place
        else:
            remove(place.repository)
            copy(first.repository, place.repository)
        # Each has a cache of its own, and knows the repository.
        place.run(program.list_archives())
        place.save()
    stored = sum(os.path.getsize(os.path.join(parent, name)) for parent, _, names in os.walk(first.repository) for name in names)
    work = Upkeep(bench, places, tar)
    for step in steps(files, archives, shown_size(stored)):
        for program in bench.turns(programs=programs):
            try:
                work.take(places[program], step)
            except Failed as error:
                bench.failed(program, error)
