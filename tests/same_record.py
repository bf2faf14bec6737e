#!/usr/bin/python3
"""Records what Borg answers to the rows of same_rows.py, for machines without it: data/same.

    CAIRN_BORG2_BIN=... python3 tests/same_record.py           all rows, and the repository on which they run
    CAIRN_BORG2_BIN=... python3 tests/same_record.py --new     only rows that have no answer yet, on the recorded repository

Run it as root: the repository holds devices and foreign owners. What it writes is committed.
"""
import json
import os
import sys
import tarfile

import same_rows
import same_test
from program import BORG


def record_repository():
    """Returns what a stage needs to know beside the repository. What the answers are is up to record_answers()."""
    built = same_test.Stage()
    with tarfile.open(same_test.REPOSITORY, "w:xz", preset=9) as archive:
        archive.add(built.pristine, "pristine")
    built.place.remove()
    return {"stage": same_test.stage_digest(), "start": built.start, "ids": built.ids, "answers": {}}


def record_answers(recorded, rows):
    """On the repository unpacked elsewhere, so that no answer holds the folder in which it was made."""
    stage = same_test.Stage(recorded)
    for number, row in enumerate(rows):
        print(f"{number + 1}/{len(rows)}  {row.line}", flush=True)
        answer = stage.run(BORG, row).as_json()
        if answer["effect"] == stage.untouched:
            del answer["effect"]
        recorded["answers"][same_test.key_of(row)] = answer
    stage.place.remove()


def main():
    if not BORG:
        sys.exit("CAIRN_BORG2_BIN names no folder with borg2")
    os.makedirs(same_test.RECORDED, exist_ok=True)
    rows = [row for row in same_rows.ROWS if row.own is None and not same_test.not_recordable(row)]
    keys = [same_test.key_of(row) for row in rows]
    if twice := sorted({key for key in keys if keys.count(key) > 1}):
        sys.exit(f"rows that are there twice: {twice}")
    if "--new" in sys.argv[1:]:
        with open(same_test.ANSWERS, encoding="ascii") as file:
            recorded = json.load(file)
        if recorded["stage"] != same_test.stage_digest():
            sys.exit("the repository would be another one now: record everything")
        recorded["answers"] = {key: answer for key, answer in recorded["answers"].items() if key in keys}
        rows = [row for row, key in zip(rows, keys) if key not in recorded["answers"]]
    else:
        recorded = record_repository()
    record_answers(recorded, rows)
    with open(same_test.ANSWERS, "w", encoding="ascii") as file:
        json.dump(recorded, file, indent=0, sort_keys=True)
        file.write("\n")


if __name__ == "__main__":
    main()
