"""From talk to memory with `rules`: the development half of LoCoMo to evidence, and through to leaves."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

from tests.bench import process, yardsticks
from tests.bench.figures import Figure, ms, quantile, spread
from tests.bench.ground import Ground

BATCH, SINGLES, PATIENCE = 20, 200, 60.0
"""Turns a call, calls of one turn, seconds after which no further session goes through to leaves."""
Session = tuple[str, list[dict[str, Any]]]


def sessions() -> list[Session] | None:
    """(name, events) of every session in order; None where the data is not there."""
    file = Path(os.environ.get("MEMD_DATA", "../shared/data")) / "locomo" / "locomo_dev.json"
    if not file.is_file():
        return None
    out: list[Session] = []
    for number, dialogue in enumerate(json.loads(file.read_text())):
        talk = dialogue["conversation"]
        for key in sorted((k for k in talk if k.startswith("session_") and k[8:].isdigit()), key=lambda k: int(k[8:])):
            day = f"2023-{1 + number:02}-{1 + int(key[8:]) % 28:02}"
            events = [
                {
                    "id": turn["dia_id"],
                    "speaker": turn["speaker"],
                    "text": turn["text"],
                    "at": f"{day}T10:{at % 60:02}:{at // 60:02}+08:00",
                }
                for at, turn in enumerate(talk[key])
            ]
            out.append((f"d{number}-{key}", events))
    return out


def run(ground: Ground) -> list[Figure]:
    found = sessions()
    if found is None:
        return [Figure("LoCoMo's development half", "skipped: set MEMD_DATA to the folder of the data")]
    syncs = quantile(yardsticks.write_and_sync(ground.base / "sync-ingest", 100), 0.5)
    return [*_evidence(ground, found, syncs), *_singles(ground, found, syncs), *_leaves(ground, found)]


def _evidence(ground: Ground, found: list[Session], sync: float) -> list[Figure]:
    home = ground.home("evidence").start()
    turns, calls, began = 0, [], time.perf_counter()
    assert home.process is not None
    before = process.cpu(home.process.pid)
    for name, events in found:
        for at in range(0, len(events), BATCH):
            some, start = events[at : at + BATCH], time.perf_counter()
            home.call("memory.ingest", session=name, source="locomo", events=some)
            calls.append(time.perf_counter() - start)
            turns += len(some)
    took = time.perf_counter() - began
    used = process.cpu(home.process.pid) - before
    home.end()
    least = turns / (len(calls) * sync)
    return [
        Figure(
            f"{turns} turns to evidence, batches of {BATCH}",
            f"{turns / took:.0f} turns/s",
            f"write + fsync a batch {least:.0f}/s",
            "",
            "≥ 1000 turns/s",
            turns / took >= 1000,
        ),
        Figure("a batch: p50 / p95 / p99", spread(calls), f"write + fsync {ms(sync)}"),
        Figure("its CPU", f"{used:.1f} s", "", f"{turns / used:.0f} turns/CPU s"),
    ]


def _singles(ground: Ground, found: list[Session], sync: float) -> list[Figure]:
    home = ground.home("singles").start()
    events = [(name, event) for name, some in found for event in some][:SINGLES]
    calls = []
    for name, event in events:
        start = time.perf_counter()
        home.call("memory.ingest", session=name, source="locomo", events=[event])
        calls.append(time.perf_counter() - start)
    home.end()
    p95 = quantile(calls, 0.95)
    return [
        Figure("one turn a call, p95", ms(p95), f"write + fsync {ms(sync)}", "", "≤ 25 ms", p95 <= 0.025),
        Figure("p50 / p95 / p99", spread(calls)),
    ]


def _leaves(ground: Ground, found: list[Session]) -> list[Figure]:
    home = ground.home("leaves").start()
    assert home.process is not None
    turns, leaves, began, before = 0, 0, time.perf_counter(), process.cpu(home.process.pid)
    for name, events in found:
        answer = home.call("memory.ingest", session=name, source="locomo", events=events, close=True, wait=True)
        turns += len(events)
        leaves += len(answer["leaves"])
        if time.perf_counter() - began > PATIENCE:
            break
    took, used = time.perf_counter() - began, process.cpu(home.process.pid) - before
    home.end()
    return [
        Figure(
            f"{turns} turns through to leaves",
            f"{turns / took:.0f} turns/s",
            f"{leaves} leaves told",
            "",
            "≥ 100 turns/s",
            turns / took >= 100,
        ),
        Figure("its CPU", f"{used:.1f} s", "", f"{turns / used:.0f} turns/CPU s"),
    ]
