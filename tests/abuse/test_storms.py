"""Whatever is done to files, by two processes and a client at once: after quiet the daemon says what a fresh one says.

Each run makes 20 seeds of 2,000 operations. `MEMD_STORMS=60x2000 python -m pytest tests/abuse/test_storms.py` asks for so
many seeds and operations, `MEMD_SEED=7 python -m pytest tests/abuse/test_storms.py` replays one seed: the operations are
the same again, how they fall between the daemon's looks is not, so a rare failure may want several tries.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from memd.model.errors import Refused
from tests.abuse import storm
from tests.fakes.abuse import Figures, books, copy_of, differences, everything, orphans, quiet, said
from tests.fakes.home import Home

COUNT, OPERATIONS = (int(part) for part in os.environ.get("MEMD_STORMS", "20x2000").split("x"))
SEEDS = [int(os.environ["MEMD_SEED"])] if "MEMD_SEED" in os.environ else list(range(1, COUNT + 1))
PAUSES = (0.004, 0.001)
"""Seconds between two operations of a process, on average, by turns of the seeds: events, looks and writes interleave in
one way and in another."""


OUTSIDE = "outsidesecret heron\n"


def outside(home: Home) -> Path:
    """A file beside the vault, to which symbolic links in it lead."""
    return Path(f"{home.vault}.secret.md")


class Caller:
    """A client that writes while the storm goes on; `acknowledged` are tokens that memd said it had written."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.acknowledged: set[str] = set()
        self.done: Counter[str] = Counter()

    def turn(self) -> None:
        token = f"tok{self.chance.getrandbits(48):012x}"
        act = self.chance.choice((self.append, self.append, self.append, self.write, self.edit, self.shuffle))
        with contextlib.suppress(Refused):
            act(token)
            self.done[f"api_{act.__name__}"] += 1

    def _note(self) -> str:
        notes = self.home.call("memory.list", folder="api", limit=100)["notes"]
        return str(self.chance.choice(notes)["path"])

    def append(self, token: str) -> None:
        self.home.call("memory.append", path=self._note(), category="fact", text=f"weir {token}")
        self.acknowledged.add(token)

    def write(self, token: str) -> None:
        self.home.call("memory.write", title=f"Note {token}", folder="api", body=f"lantern {token}")
        self.acknowledged.add(token)

    def edit(self, token: str) -> None:
        self.home.call("memory.edit", path=self._note(), find="marker", replace=f"marker\n\nplover {token}")
        self.acknowledged.add(token)

    def shuffle(self, token: str) -> None:
        """Among a person's files: appended to, moved, deleted; what the person saves there counts, not this."""
        notes = self.home.call("memory.list", folder=self.chance.choice(("shared", "mine1", "mine2")), limit=100)[
            "notes"
        ]
        path = self.chance.choice(notes)["path"] if notes else "none.md"
        what = self.chance.randrange(3)
        if what == 0:
            self.home.call("memory.append", path=path, category="fact", text=f"acorn {token}")
        elif what == 1:
            self.home.call("memory.delete", path=path)
        else:
            self.home.call("memory.move", path=path, to=path[:-3] + "-moved.md")


def rage(home: Home, seed: int) -> tuple[Caller, list[dict[str, Any]]]:
    """Both processes and the client, to their end."""
    for n in range(6):
        home.write(f"api/{n}.md", f"# Api {n}\n\nmarker\n")
    for n in range(30):
        home.write(f"shared/one/{n}.md", f"# Start {n}\n\nheron [[{n - 1}]]\n")
    outside(home).write_text(OUTSIDE)
    home.start().settled()
    caller = Caller(home, seed)
    command = [sys.executable, storm.__file__, str(home.vault), str(seed)]
    how = [str(OPERATIONS // 2), str(PAUSES[seed % len(PAUSES)])]
    processes = [subprocess.Popen([*command, str(k), *how], stdout=subprocess.PIPE) for k in (1, 2)]
    while any(process.poll() is None for process in processes):
        caller.turn()
    return caller, [json.loads(process.communicate()[0]) for process in processes]


@pytest.mark.parametrize("seed", SEEDS)
def test_after_a_storm_the_daemon_says_what_a_fresh_one_says(
    home: Home, tmp_path: Path, figures: Figures, seed: int
) -> None:
    """Snapshot, index, lineage and problems equal a fresh build on a copy; no save and no acknowledged write is lost,
    and no file out of the vault is read or written through a link."""
    caller, told = rage(home, seed)
    mine = said(quiet(home))
    wrong_search = home.paths("outsidesecret")
    assert home.end() == 0
    fresh = copy_of(home, tmp_path / "fresh")
    try:
        theirs = said(quiet(fresh.start()))
    finally:
        assert fresh.end() == 0
    found = differences(mine, theirs) + differences(books(home), books(fresh)) + wrong_search
    whole = everything(home.vault)
    saved = {token for one in told for token in one["mine"].values()}
    lost = [token for token in saved | caller.acknowledged if token.encode() not in whole]
    done = sum((Counter(one["done"]) for one in told), Counter())
    figures.add(
        seeds=1, operations=done.total(), calls=caller.done.total(), notes=len(mine["list"]), **done, **caller.done
    )
    figures.add(kept=len(saved) + len(caller.acknowledged), lost=len(lost), wrong=len(found))
    assert OPERATIONS < 2000 or {act.__name__ for act in storm.ACTS} == done.keys(), (
        "a kind of operation never occurred"
    )
    assert not found, f"MEMD_SEED={seed}: " + "\n".join(found[:20])
    assert not lost, f"MEMD_SEED={seed}: {lost}"
    assert orphans(home.vault) == []
    assert outside(home).read_text() == OUTSIDE


def test_killed_in_the_middle_of_a_storm_it_comes_right(home: Home, tmp_path: Path, figures: Figures) -> None:
    """kill -9 while files change; what changed while it was down is found, and it says what a fresh one says."""
    seed = SEEDS[0] + 100
    for n in range(40):
        home.write(f"shared/one/{n}.md", f"# Start {n}\n\nheron [[{n - 1}]]\n")
    home.write("api/0.md", "marker\n")
    home.start().settled()
    wild = storm.Storm(str(home.vault), seed, 1)
    for _ in range(4):
        wild.run(40, 0.001)
        home.end(signal.SIGKILL)
        wild.run(20, 0)
        home.start()
    mine = said(quiet(home))
    assert home.end() == 0
    fresh = copy_of(home, tmp_path / "fresh")
    try:
        theirs = said(quiet(fresh.start()))
    finally:
        fresh.end()
    found = differences(mine, theirs) + differences(books(home), books(fresh))
    figures.add(operations=240, kills=4, wrong=len(found))
    assert not found, "\n".join(found[:20])
