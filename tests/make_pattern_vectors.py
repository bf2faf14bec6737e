"""Writes tests/data/vectors/patterns.json: what Borg's own pattern code says about seeded random patterns and paths.

Run with a Python that can import borg 2:  python3 tests/make_pattern_vectors.py tests/data/vectors/patterns.json

Texts are byte strings, written as Latin-1 so that every byte survives JSON. "styles" holds [style, pattern, paths, answers]
with paths as indices into "paths" and one answer digit each; answers is null where Borg refuses the pattern. "globs" is
the same for the bare shell translation (archive names). "lists" holds [lines, path arguments, paths, answers] with two
digits for a path: included, and entered if it is a directory.
"""

import json
import os
import random
import re
import sys
import warnings

from borg.helpers.shellpattern import translate
from borg.patterns import PatternMatcher, get_pattern_class, parse_inclexcl_command, parse_pattern

warnings.simplefilter("ignore")
rng = random.Random(20260)


def written(text):
    return os.fsencode(text).decode("latin-1")


def decoded(raw):
    return raw.decode("utf-8", "surrogateescape")


NAMES = ["a", "b", "ab", "abc", "b.o", "a-b", "c^", "x(y", "[a", "a]", "a{b", "é", "aé", "日本", "A", "1", ".x", "a b", "\\a", "a|b", "a,b", "..", "*", "a\nb"]
NAMES += [decoded(b"\xff"), decoded(b"a\xe9b"), decoded(b"\xc3\xa9\xc3")]
paths = []
while len(paths) < 260:
    path = "/".join(rng.choice(NAMES if rng.random() < 0.5 else NAMES[:6]) for _ in range(rng.randint(1, 4)))
    if rng.random() < 0.1:
        path = rng.choice(["/", "//"]) + path
    if path not in paths:
        paths.append(path)

SETS = ["[a-c]", "[!a]", "[^a]", "[]a]", "[!]a]", "[a-", "[-a]", "[a-]", "[a-c-e]", "[c-a]", "[!c-a]", "[\\]", "[[a]", "[é-日]",
        "[!é]", "[a/]", "[^-a]", "[[:alpha:]]", "[a{b,c}]", "[" + decoded(b"\xff") + "]", "[--b]", "[a&&b]", "[]", "[!]", "[a-[!b]", "[b-a!]"]
PIECES = ["*", "**", "**/", "?", "/", "{a,b}", "{a,{b,é}}", "{{a,b}c}", "{{a},b}", "{,a}", "{a}", "{a,b", "}", "\\", "\\*", "(", ")", "|", ".", "+", "$"]


def glob():
    pieces = []
    for _ in range(rng.randint(1, 6)):
        r = rng.random()
        pieces.append(rng.choice(NAMES if r < 0.1 else NAMES[:4] if r < 0.4 else PIECES[:6] if r < 0.7 else PIECES if r < 0.85 else SETS))
        if rng.random() < 0.3:
            pieces.append("/")
    return "".join(pieces)


ATOMS = ["a", "b", ".", "\\w", "\\d", "\\s", "[ab]", "[^a]", "[^/]", "é", "(a|b)", "(?:ab|c)", "\\.", "\\b", "/", "[[a]", "[a-c]", "\\u00e9",
         "(?P<n>a)", "[]a]", "x", "\\(", "[\\w.]", "(?i:A)", "日"]


def regex():
    out = rng.choice(["", "", "^", "(?i)", "\\A"])
    for _ in range(rng.randint(1, 4)):
        out += rng.choice(ATOMS) + rng.choice(["", "", "", "*", "+", "?", "{2}", "{1,2}", "{,2}", "*?"])
    return out + rng.choice(["", "", "$", "\\Z"])


def path_text():
    text = rng.choice(paths)
    parts = text.split("/")[: rng.randint(1, 4)]
    for _ in range(rng.randint(0, 2)):
        parts.insert(rng.randint(0, len(parts)), rng.choice(["..", ".", "", "a"]))
    return rng.choice(["", "", "/", "//"]) + "/".join(parts) + rng.choice(["", "", "/", "//"])


MAKE = {"fm": glob, "sh": glob, "re": regex, "pp": path_text, "pf": path_text}


def balanced(answer_of, count):
    """Some paths that match and some that do not, chosen from all."""
    answers = [(index, answer_of(paths[index])) for index in rng.sample(range(len(paths)), len(paths))]
    yes = [pair for pair in answers if pair[1]][: count // 2]
    no = [pair for pair in answers if not pair[1]][: count - len(yes)]
    chosen = sorted(yes + no)
    return [index for index, _ in chosen], "".join("1" if answer else "0" for _, answer in chosen)


def case(style, pattern):
    try:
        parsed = parse_pattern(f"{style}:{pattern}")
    except (re.error, ValueError, IndexError):
        return [style, written(pattern), [], None]

    def answer(path):
        # as the program asks: through a matcher, so that leading slashes and full paths are treated as there
        matcher = PatternMatcher(fallback=False)
        matcher.add([parsed], parse_inclexcl_command("+ x").cmd)
        return bool(matcher.match(path))

    return [style, written(pattern), *balanced(answer, 8)]


styles = []
for style, count in (("fm", 900), ("sh", 1300), ("re", 500), ("pp", 250), ("pf", 150)):
    for _ in range(count):
        styles.append(case(style, MAKE[style]()))

globs = []
for _ in range(400):
    pattern = glob()
    try:
        compiled = re.compile(translate(pattern))
    except re.error:
        globs.append([written(pattern), [], None])
        continue
    globs.append([written(pattern), *balanced(lambda path: compiled.match(path) is not None, 6)])


def line():
    style = rng.choice(["", "", "fm", "sh", "pp", "pf", "re"])
    text = MAKE[style or "sh"]()
    if style in ("", "pf", "pp") and rng.random() < 0.7:
        text = rng.choice(paths)
    return rng.choice("-!+") + " " + (style + ":" if style else "") + text


lists = []
while len(lists) < 250:
    lines = [line() for _ in range(rng.randint(1, 6))]
    arguments = [rng.choice(["", "pf:", "sh:"]) + rng.choice(paths) for _ in range(rng.choice([0, 0, 1, 2]))]
    try:
        commands = [parse_inclexcl_command(text) for text in lines]
        includes = [parse_pattern(text, get_pattern_class("pp")) for text in arguments]
    except (re.error, ValueError, IndexError):
        continue
    if any("\n" in text for text in lines):
        continue
    chosen = rng.sample(range(len(paths)), 12)
    answers = ""
    for index in chosen:
        matcher = PatternMatcher(fallback=not arguments)
        matcher.add_inclexcl(commands)
        matcher.add(includes, parse_inclexcl_command("+ x").cmd)
        included = matcher.match(paths[index])
        answers += f"{int(bool(included))}{int(bool(matcher.recurse_dir))}"
    lists.append([[written(t) for t in lines], [written(t) for t in arguments], chosen, answers])

with open(sys.argv[1], "w", encoding="ascii") as out:
    parts = [f'"{name}": [\n' + ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows) + "\n]"
             for name, rows in (("styles", styles), ("globs", globs), ("lists", lists))]
    out.write('{"paths": ' + json.dumps([written(path) for path in paths]) + ",\n" + ",\n".join(parts) + "}\n")
