"""kill -9 at random moments, over the whole daemon: what was acknowledged is there once, and what was begun is finished."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from memd.bridge.client import Client
from memd.model.errors import Refused
from tests.fakes.home import Home

KILLS = int(os.environ.get("MEMD_KILLS", "8"))
"""Kills during ingest and sealing."""
FORGET_KILLS = int(os.environ.get("MEMD_FORGET_KILLS", "8"))
"""Kills during a forget."""
CONFIG = '[vectors]\nmodel = "off"\n[formation]\nseal = 2\n'


def said(number: int) -> list[dict[str, Any]]:
    return [
        {"id": f"e{number}-{n}", "speaker": "user", "text": f"Nora {number}x{n} lives in town {number}y{n}.",
         "at": f"2026-03-{1 + number % 28:02}T09:{n:02}:00+08:00"}
        for n in range(6)
    ]  # fmt: skip


def atoms(number: int) -> list[dict[str, Any]]:
    return [
        {"text": f"Nora {number}x{n} lives in town {number}y{n}", "subject": "Nora", "aspect": f"home {number}x{n}",
         "kind": "state", "turns": [n], "confidence": 0.95}
        for n in range(6)
    ]  # fmt: skip


def take_in(client: Client, number: int) -> None:
    asked = {"session": f"s{number}", "source": "chat", "events": said(number), "atoms": atoms(number)}
    client.call("memory.ingest", asked | {"close": True, "wait": True})


def during(home: Home, chance: random.Random, longest: float) -> threading.Timer:
    """Kills the daemon within so many seconds."""
    process = home.process
    assert process is not None
    timer = threading.Timer(chance.uniform(0, longest), process.kill)
    timer.start()
    return timer


def begun_then(home: Home, chance: random.Random) -> threading.Thread:
    """Kills the daemon a moment after a forget has begun to change files."""
    process, wait = home.process, chance.uniform(0, 0.02)
    assert process is not None

    def watch() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end and not (home.vault / "memory/_forgetting.md").exists():
            time.sleep(0.001)
        time.sleep(wait)
        process.kill()

    thread = threading.Thread(target=watch)
    thread.start()
    return thread


def again(home: Home) -> None:
    home.client.close()
    if home.process is not None:
        home.process.wait(60)
    home.process = None
    home.start()


def memory(home: Home, pattern: str) -> list[Path]:
    return [p for p in home.vault.glob(pattern) if p.is_file()]


@pytest.mark.slow
def test_killed_during_ingest_and_sealing(tmp_path: Path) -> None:
    """No evidence that was acknowledged is lost, no file is half written, no leaf is there twice, no temporary stays."""
    home, chance = Home(tmp_path, CONFIG).start(), random.Random(11)
    acknowledged: set[int] = set()
    survived = 0
    began = time.perf_counter()
    try:
        for number in range(KILLS):
            timer = during(home, chance, 2.5)
            with contextlib.suppress(Refused, OSError):
                take_in(home.client, number)
                acknowledged.add(number)
                home.client.call("memory.seal", {})
                home.client.call("memory.chains", {})
                survived += 1
            timer.join()
            again(home)
            text = "".join(p.read_text() for p in memory(home, "memory/evidence/**/*.md"))
            lost = [n for n in acknowledged for k in range(6) if f"town {n}y{k}." not in text]
            assert lost == []
        for number in range(KILLS):
            take_in(home.client, number)
        home.client.call("memory.seal", {})
        whole(home)
        print(f"\n{KILLS} kills in {time.perf_counter() - began:.0f} s: {len(acknowledged)} calls had been answered, "
              f"{survived} rounds were over before the kill")  # fmt: skip
    finally:
        home.end(signal.SIGKILL)


def whole(home: Home) -> None:
    """Every turn once, every leaf once, every file of memory complete, nothing of memd's own between them."""
    text = "".join(p.read_text() for p in memory(home, "memory/evidence/**/*.md"))
    assert [text.count(f"town {n}y{k}.") for n in range(KILLS) for k in range(6)] == [1] * (6 * KILLS)
    leaves = [p.read_text() for p in memory(home, "memory/interaction/*/leaves/**/*.md")]
    mine = [f"\nNora {n}x{k} lives in town {n}y{k}\n" for n in range(KILLS) for k in range(6)]
    assert [sum(one in leaf for leaf in leaves) for one in mine] == [1] * len(mine)
    for path in memory(home, "memory/**/*.md"):
        assert path.read_text().count("\n---\n") >= 1, path
        assert not path.name.startswith("."), path
    home.settled()
    home.until(lambda: not list(home.vault.rglob(".memd-*")))
    assert home.call("memory.doctor")["problems"] == []
    stated = "".join(p.read_text() for p in memory(home, "memory/episodes/**/*.md"))
    for path in memory(home, "memory/interaction/*/leaves/**/*.md"):
        assert path.stem in stated, f"an orphan: {path.name}"


@pytest.mark.slow
def test_killed_during_a_forget_it_is_finished_after_the_restart(tmp_path: Path) -> None:
    """Once it has begun, a forget is carried to its end by the next daemon; what it did not begin is all there."""
    home, chance = Home(tmp_path, CONFIG).start(), random.Random(5)
    begun = untouched = over = 0
    try:
        for number in range(FORGET_KILLS + 1):
            take_in(home.client, number)
        home.client.call("memory.seal", {})
        for number in range(FORGET_KILLS):
            timer = begun_then(home, chance) if number % 4 else during(home, chance, 0.6)
            answered = False
            with contextlib.suppress(Refused, OSError):
                home.client.call(
                    "memory.forget", {"target": {"session": f"s{number}"}, "dry_run": False, "purge": bool(number % 2)}
                )
                answered = True
            timer.join()
            if home.process is not None:
                home.process.wait(60)
            cut_short = (home.vault / "memory/_forgetting.md").exists()
            again(home)
            home.until(lambda: not (home.vault / "memory/_forgetting.md").exists())
            left = [p for p in memory(home, "memory/**/*.md") if f"town {number}y" in p.read_text()]
            if cut_short or answered:
                assert left == []
            else:
                assert left == [] or len([p for p in left if "/leaves/" in str(p)]) == 6
            begun, over, untouched = begun + cut_short, over + (not left and not cut_short), untouched + bool(left)
        kept = [p for p in memory(home, "memory/**/*.md") if f"town {FORGET_KILLS}y" in p.read_text()]
        assert len([p for p in kept if "/leaves/" in str(p)]) == 6
        print(f"\n{FORGET_KILLS} kills: {begun} cut short and finished, {over} were over, {untouched} had not begun")
    finally:
        home.end(signal.SIGKILL)
