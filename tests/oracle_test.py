"""Random cases, judged by Borg 2: prune rules and date patterns by Borg's own functions, diff by its command.

The cases are the same in every run; a failure shows the case.
"""
import datetime
import json
import os
import random
import unittest

import trees
from program import BORG, CAIRN, IN_MEMORY, NO_BORG, Place

TZ = "Europe/Berlin"

PRUNE_ORACLE = """
import datetime, json, sys
from borg.archiver.prune_cmd import PRUNING_RULES, int_or_interval, prune
from borg.manifest import ArchiveInfo

def time(text):
    return datetime.datetime.fromisoformat(text)

def decide(times, rules, base, given):
    archives = [ArchiveInfo(name="x", id=bytes([i]) * 32, ts=time(when), tags=(), host="", user="") for i, when in enumerate(times)]
    skipped = [one for one in archives if given and one.ts >= time(base)]
    rest = archives[len(skipped):]
    kept = {}
    used = [rule for rule in PRUNING_RULES if rule.key in rules]
    for rule in used:
        kept.update(prune(rest, rule, int_or_interval(rules[rule.key]), time(base), rule is used[-1], frozenset(kept)))
    labels = [["skip", number, False] for number in range(1, len(skipped) + 1)]
    for one in rest:
        result = kept.get(one)
        labels.append([result.rule.key, result.idx + 1, result.oldest] if result else None)
    return labels

cases = json.load(open(sys.argv[1]))
print(json.dumps([[decide(times, case["rules"], case["base"], case["given"]) for times in case["series"]] for case in cases]))
"""

DATE_ORACLE = """
import datetime, json, sys
from borg.helpers.time import compile_date_pattern

times, patterns = json.load(open(sys.argv[1]))
times = [datetime.datetime.fromisoformat(text) for text in times]
found = []
for pattern in patterns:
    try:
        match = compile_date_pattern(pattern)
        found.append([i for i, when in enumerate(times) if match(when)])
    except Exception:
        found.append(None)
print(json.dumps(found))
"""

OPTION_OF_RULE = {"quarterly_13weekly": "--keep-13weekly", "quarterly_3monthly": "--keep-3monthly", "keep": "--keep"}


@unittest.skipUnless(BORG, NO_BORG)
class Archives(unittest.TestCase):
    """Prune rules and date patterns over a few series of archives with times of all densities."""

    @classmethod
    def setUpClass(cls):
        cls.place = Place(parent=IN_MEMORY, TZ=TZ)
        cls.addClassCleanup(cls.place.remove)
        cls.place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
        trees.write(os.path.join(cls.place.path, "file"), b"x")
        rng = random.Random("archive times")
        start = datetime.datetime(2024, 12, 28, 20, 30, tzinfo=datetime.timezone.utc)
        cls.series = {}
        for name, step in (("seconds", 1), ("minutes", 40), ("hours", 3000), ("days", 50_000), ("weeks", 400_000), ("months", 2_000_000)):
            when, times = start, []
            for _ in range(22):
                when += datetime.timedelta(seconds=rng.choice((0.5, 1, 2, 3)) * step, microseconds=rng.choice((0, 0, 250_000)))
                times.append(when.isoformat())
            cls.series[name] = times[::-1]
            for text in times:
                cls.place.cairn("create", "--timestamp", text, name, "file")

    def oracle(self, source, question):
        path = os.path.join(self.place.path, "question.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(question, file)
        return json.loads(self.place.borg_python(source, path))

    def test_prune_rules(self):
        rng = random.Random("prune rules")
        all_times = sorted(text for times in self.series.values() for text in times)
        names = ["keep", "secondly", "minutely", "hourly", "daily", "weekly", "monthly", "quarterly_13weekly", "quarterly_3monthly", "yearly"]
        cases, answers = [], []
        for _ in range(250):
            rules = {}
            for name in rng.sample(names, rng.choice((1, 1, 2, 3, 4))):
                rules[name] = rng.choice(("0", "1", "2", "3", "7", "30", "all", "90S", "45M", "5H", "3d", "2w", "2m", "1y"))
            if "quarterly_13weekly" in rules:
                rules.pop("quarterly_3monthly", None)
            given = rng.random() < 0.5
            base = rng.choice(all_times) if given else None
            words = [f"{OPTION_OF_RULE.get(name, '--keep-' + name)}={value}" for name, value in rules.items()]
            before = datetime.datetime.now(datetime.timezone.utc).isoformat()
            done = self.place.cairn("prune", "-n", "--json", *words, *(["--from", base] if given else []), expect=(0, 4))
            if done.status == 4:  # a combination that Borg refuses too: rows of same_rows.py
                continue
            got = {name: [] for name in self.series}
            for one in done.json()["archives"]:
                got[one["name"]].append([one["keep_rule"], one["kept_archive_number"], one["kept_oldest"]] if one["kept"] else None)
            cases.append({"rules": rules, "base": base or before, "given": given, "series": list(self.series.values())})
            answers.append(list(got.values()))
        self.assertGreater(len(cases), 120)
        for case, want, got in zip(cases, self.oracle(PRUNE_ORACLE, cases), answers):
            self.assertEqual(got, want, {**case, "series": list(self.series)})

    def test_date_patterns(self):
        rng = random.Random("date patterns")
        all_times = [text for times in self.series.values() for text in times]
        patterns = ["2025", "2024-12", "2025-02-30", "25", "2025-1", "@0", "@1735500000.5", "2025-01-01T24", "2025-01-01[Nowhere/City]"]
        for _ in range(160):
            when = datetime.datetime.fromisoformat(rng.choice(all_times))
            zone = rng.choice(("", "", "Z", "+01:00", "-03:30", "+14:00", "[America/New_York]", "[Asia/Tokyo]"))
            depth = rng.randrange(1, 8)
            text = (when + datetime.timedelta(hours=rng.choice((0, 1, 9)))).strftime("%Y-%m-%dT%H:%M:%S.%f")
            if depth == 7:
                text = text[:rng.randrange(21, 27)]
            else:
                text = text[:(4, 7, 10, 13, 16, 19)[depth - 1]]
            if depth > 3 and rng.random() < 0.3:
                text = text.replace("T", " ")
            patterns.append(rng.choice((text + zone, text + zone, text + zone, f"@{int(when.timestamp())}")))
        wanted = self.oracle(DATE_ORACLE, [all_times, patterns])
        for pattern, want in zip(patterns, wanted):
            done = self.place.cairn("repo-list", "-a", f"date:{pattern}", "--format", "{name} {time:%s.%f}{NL}", expect=(0, 4))
            got = None if done.status == 4 else sorted(done.text.splitlines())
            if want is not None:
                want = sorted(f"{name} {datetime.datetime.fromisoformat(text).timestamp():.6f}"
                              for place, (name, text) in enumerate((name, text) for name, times in self.series.items() for text in times)
                              if place in want)
            self.assertEqual(got, want, pattern)


@unittest.skipUnless(BORG, NO_BORG)
class RandomTrees(unittest.TestCase):
    """diff of trees that were changed at random."""

    def change(self, rng, top, paths):
        """Changes some files, makes some, removes some; returns what is there then."""
        for path in list(paths):
            full = os.path.join(top, path)
            action = rng.random()
            if action < 0.08:
                os.unlink(full)
                paths.discard(path)
            elif action < 0.25 and not os.path.islink(full):
                with open(full, "rb+") as file:
                    data = bytearray(file.read())
                    for _ in range(rng.randrange(1, 4)):
                        at = rng.randrange(len(data) + 1)
                        if rng.random() < 0.5:
                            data[at:at] = rng.randbytes(rng.randrange(1, 9000))
                        else:
                            del data[at:at + rng.randrange(1, 9000)]
                    file.seek(0)
                    file.truncate()
                    file.write(data)
            elif action < 0.3:
                os.chmod(full, rng.choice((0o600, 0o755, 0o640)), follow_symlinks=not os.path.islink(full)) if not os.path.islink(full) else None
            elif action < 0.35:
                os.unlink(full)
                os.symlink(f"to {rng.random()}", full)
        for number in range(rng.randrange(4, 16)):
            path = f"folder{rng.randrange(5)}/new{rng.randrange(1000)}-{number}"
            os.makedirs(os.path.dirname(os.path.join(top, path)), exist_ok=True)
            trees.write(os.path.join(top, path), rng.randbytes(rng.randrange(40_000)))
            paths.add(path)
        # Another order of the entries: a file that was written anew has another inode.
        for path in rng.sample(sorted(paths), len(paths) // 4):
            full = os.path.join(top, path)
            if not os.path.islink(full):
                os.rename(full, full + "~")
                with open(full + "~", "rb") as old:
                    trees.write(full, old.read())
                os.unlink(full + "~")

    def test_diff(self):
        with Place(parent=IN_MEMORY, TZ=TZ) as place:
            rng = random.Random("random trees")
            place.cairn("repo-create", "-e", "authenticated-blake3", "-i", "blake3")
            top = place.folder("tree")
            paths = set()
            for number in range(5):
                self.change(rng, top, paths)
                params = "fastcdc,9,14,11,1" if number != 3 else "fastcdc,10,14,11,1"
                place.cairn("create", "--chunker-params", params, f"state{number}", "tree")
            for one, two in ((0, 1), (1, 2), (0, 2), (4, 0), (2, 3)):
                for options in ([], ["--content-only"]):
                    words = ["diff", f"state{one}", f"state{two}", "--json-lines", "--stats", *options]
                    want, got = place.borg(*words), place.cairn(*words)
                    self.assertEqual(got.text.splitlines(), want.text.splitlines(), words)


if __name__ == "__main__":
    unittest.main()
