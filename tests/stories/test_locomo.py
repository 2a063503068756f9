"""LoCoMo through the whole daemon: every observation is kept with what it rests on, and what is purged is provably gone."""

from __future__ import annotations

import os
import random
import time
from pathlib import Path
from typing import Any

import pytest
import yaml

from memd.bridge.client import Client
from tests.fakes.home import OFF_DUTY, Home
from tests.fakes.locomo import Talk, atoms, talks

SESSIONS = int(os.environ.get("MEMD_LOCOMO_SESSIONS", "12"))
"""How many of the 136 sessions are handed over; the whole takes minutes."""
PURGED = int(os.environ.get("MEMD_PURGED_TURNS", "5"))
"""How many random turns are purged one after another."""


def hand_over(home: Home, talk: Talk) -> list[dict[str, Any]]:
    given = atoms(talk)
    for atom in given:
        atom["aspect"] = f"{talk.session} {atom['aspect']}"
    answer = home.call(
        "memory.ingest", session=talk.session, source="locomo", events=talk.events, atoms=given, close=True, wait=True
    )
    return list(answer["leaves"]) if given else []


def keys(file: Path) -> dict[str, Any]:
    return dict(yaml.safe_load(file.read_text().split("---\n")[1]))


@pytest.mark.slow
def test_every_observation_becomes_one_leaf_with_its_evidence(home: Home, data: Path) -> None:
    """Handed over as an agent's atoms, each observation is a leaf whose first quote leads to its evidence turn; handed
    over again, none is doubled and no file changes."""
    some = [talk for talk in talks(data) if talk.observations][:SESSIONS]
    home.config.write_text(OFF_DUTY)
    home.start()
    places = {}
    began = time.perf_counter()
    for talk in some:
        told = hand_over(home, talk)
        assert [leaf["outcome"] in ("created", "superseding") for leaf in told] == [True] * len(talk.observations)
        for leaf, (_, _, ids) in zip(told, talk.observations, strict=True):
            places[leaf["id"]] = (leaf["path"], talk.words_of(ids[0]))
    took = time.perf_counter() - began
    wanted = sum(len(talk.observations) for talk in some)
    assert len(places) == wanted
    for path, words in places.values():
        quotes = keys(home.vault / path)["quotes"]
        assert quotes, path
        assert " ".join(quotes[0]["text"].split()) == " ".join(words.split())
    before = {p: p.read_bytes() for p in home.vault.glob("memory/**/*.md")}
    for talk in some:
        assert {leaf["outcome"] for leaf in hand_over(home, talk)} <= {"noop_duplicate"}
    assert {p: p.read_bytes() for p in home.vault.glob("memory/**/*.md")} == before
    print(f"\n{wanted} observations of {len(some)} sessions: 0 lost, 0 doubled, {wanted / took:.0f} leaves/s")


@pytest.mark.slow
def test_purged_turns_are_in_no_file_of_vault_or_cache(home: Home, data: Path) -> None:
    """For random turns: their phrases are found before the purge and in no byte of vault, cache or index after it."""
    home.start()
    home.client = Client(home.socket, 600)
    some = [talk for talk in talks(data) if talk.observations][:SESSIONS]
    placed = {}
    for talk in some:
        given = atoms(talk)
        answer = home.call("memory.ingest", session=talk.session, source="locomo", events=talk.events, atoms=given)
        placed |= {kept["event_id"]: kept["id"] for kept in answer["evidence"]}
    chosen = random.Random(7).sample(sorted(placed), PURGED)
    times, proven = [], 0
    for event in chosen:
        began = time.perf_counter()
        done = home.call("memory.forget", target={"turn": placed[event]}, purge=True, dry_run=False)
        times.append(time.perf_counter() - began)
        assert done["done"]
        assert done["remaining"] == []
        if done["proof"]["phrases"]:
            proven += 1
            assert done["proof"]["found_before"] > 0, event
        assert done["proof"]["found_after"] == 0, event
    files = sum(1 for _ in home.vault.rglob("*.md"))
    times.sort()
    print(f"\n{PURGED} turns purged, {proven} with phrases of their own; {files} files: median {times[len(times) // 2]:.2f} s, "
          f"slowest {times[-1]:.2f} s")  # fmt: skip
    assert proven >= PURGED * 0.8
