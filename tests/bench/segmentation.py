"""Prints how well episodes' boundaries are found: RealMem sessions run together without their times.

    MEMD_DATA=../shared/data python -m tests.bench.segmentation

Boundary F1 is exact; WindowDiff (k: half the mean length of a session) is lower for better. Beside it: a cut every so many turns.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

from memd.form.rules.boundaries import cut
from memd.model.memory import Said


def window_diff(gold: set[int], found: set[int], length: int, k: int) -> float:
    wrong = 0
    for at in range(length - k):
        inside = range(at + 1, at + k + 1)
        wrong += sum(n in gold for n in inside) != sum(n in found for n in inside)
    return wrong / max(1, length - k)


def f1(gold: set[int], found: set[int]) -> float:
    hit = len(gold & found)
    return 2 * hit / (len(gold) + len(found)) if gold or found else 1.0


def dialogue(path: Path) -> tuple[list[Said], set[int]]:
    turns: list[Said] = []
    starts: set[int] = set()
    for session in json.loads(path.read_text("utf-8"))["dialogues"]:
        starts.add(len(turns))
        for turn in session["dialogue_turns"]:
            number = len(turns)
            role = turn["speaker"].lower()
            turns.append(Said(f"ev-x#t{number}", f"x#^t{number}", turn["speaker"], turn["content"], role=role))
    return turns, starts - {0}


def main() -> None:
    data = Path(os.environ.get("MEMD_DATA", "../shared/data")) / "realmem"
    if not data.is_dir():
        sys.exit(f"no RealMem under {data}: set MEMD_DATA")
    print(
        f"{'persona':24}{'turns':>7}{'gold':>6}{'found':>7}{'F1':>7}{'WD':>7}   fixed: {'F1':>6}{'WD':>7}{'turns/s':>9}"
    )
    totals = [0.0] * 4
    files = sorted(data.glob("*.json"))
    for path in files:
        turns, gold = dialogue(path)
        begun = time.perf_counter()
        found = set(cut(turns)) - {0}
        took = time.perf_counter() - begun
        mean = max(2, round(len(turns) / (len(gold) + 1)))
        fixed = set(range(mean + mean % 2, len(turns), mean + mean % 2))
        k = max(2, mean // 2)
        row = (
            f1(gold, found),
            window_diff(gold, found, len(turns), k),
            f1(gold, fixed),
            window_diff(gold, fixed, len(turns), k),
        )
        totals = [a + b for a, b in zip(totals, row, strict=True)]
        name = path.stem.split("_dialogues")[0]
        print(
            f"{name:24}{len(turns):7}{len(gold):6}{len(found):7}{row[0]:7.3f}{row[1]:7.3f}   fixed: {row[2]:6.3f}{row[3]:7.3f}{len(turns) / took:9.0f}"
        )
    mean_row = [value / len(files) for value in totals]
    print(f"{'mean':24}{'':20}{mean_row[0]:7.3f}{mean_row[1]:7.3f}   fixed: {mean_row[2]:6.3f}{mean_row[3]:7.3f}")


if __name__ == "__main__":
    main()
