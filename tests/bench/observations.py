"""Prints how much of LoCoMo's own observations the rules cover, and how fast they read.

    MEMD_DATA=../shared/data python -m tests.bench.observations [--show N]

Covered by turn: an atom quotes the observation's evidence turn. Covered by words: such an atom shares at least half of the
observation's words that carry something.
"""

from __future__ import annotations

import json
import os
import random
import re
import sys
import time
from pathlib import Path

from memd.form.rules import atoms_of
from memd.form.rules.boundaries import cut, words_of
from memd.model.memory import Atom, Said

MONTHS = "January February March April May June July August September October November December".split()


def when(text: str) -> str:
    found = re.match(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)", text)
    assert found, text
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0)
    return f"{found[6]}-{MONTHS.index(found[5]) + 1:02}-{int(found[4]):02}T{hour:02}:{found[2]}:00+00:00"


def sessions(talk: dict) -> list[tuple[str, list[Said]]]:
    found = []
    for number in range(1, 100):
        turns = talk["conversation"].get(f"session_{number}")
        if turns:
            at = when(talk["conversation"][f"session_{number}_date_time"])
            found.append(
                (f"session_{number}", [Said(t["dia_id"], t["dia_id"], t["speaker"], t["text"], at=at) for t in turns])
            )
    return found


def main() -> None:
    path = Path(os.environ.get("MEMD_DATA", "../shared/data")) / "locomo" / "locomo_dev.json"
    if not path.is_file():
        sys.exit(f"no LoCoMo at {path}: set MEMD_DATA")
    show = int(sys.argv[sys.argv.index("--show") + 1]) if "--show" in sys.argv else 0
    turns = atoms = observations = by_turn = by_words = 0
    took = 0.0
    every: list[tuple[str, Atom]] = []
    for talk in json.loads(path.read_text("utf-8")):
        for name, said in sessions(talk):
            begun = time.perf_counter()
            starts = cut(said)
            found = [a for s, e in zip(starts, [*starts[1:], len(said)], strict=True) for a in atoms_of(said[s:e])]
            took += time.perf_counter() - begun
            turns += len(said)
            atoms += len(found)
            every += [(name, atom) for atom in found]
            by_id: dict[str, set[str]] = {}
            for atom in found:
                for link in atom.turns:
                    by_id.setdefault(str(link), set()).update(words_of(atom.text))
            for rows in talk["observation"].get(f"{name}_observation", {}).values():
                for text, evidence in rows:
                    ids = evidence if isinstance(evidence, list) else re.split(r"[,;] *", evidence)
                    observations += 1
                    hit = [by_id[i] for i in ids if i in by_id]
                    by_turn += bool(hit)
                    wanted = set(words_of(text))
                    by_words += any(len(wanted & words) * 2 >= len(wanted) for words in hit)
    print(f"{turns} turns, {atoms} atoms, {turns / took:.0f} turns/s")
    print(
        f"observations {observations}: covered by turn {by_turn / observations:.3f}, by words {by_words / observations:.3f}"
    )
    for name, atom in random.Random(1).sample(every, min(show, len(every))):
        print(
            f"  {name}  {atom.text}  [{atom.holder} · {atom.aspect} · {atom.kind} · {atom.valid_from}]  «{atom.quotes[0]}»"
        )


if __name__ == "__main__":
    main()
