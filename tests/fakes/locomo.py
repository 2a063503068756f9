"""LoCoMo's development half as material for `memory.ingest`, with its own observations as an agent's atoms."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

MONTHS = "January February March April May June July August September October November December".split()


@dataclass(frozen=True)
class Talk:
    """`observations`: (text, whom it is about, the ids of the turns it was drawn from)."""

    session: str
    events: list[dict[str, Any]]
    observations: list[tuple[str, str, tuple[str, ...]]]

    def words_of(self, id: str) -> str:
        return next(event["text"] for event in self.events if event["id"] == id)


def when(text: str) -> str:
    found = re.match(r"(\d+):(\d+) (am|pm) on (\d+) (\w+), (\d+)", text)
    assert found, text
    hour = int(found[1]) % 12 + (12 if found[3] == "pm" else 0)
    return f"{found[6]}-{MONTHS.index(found[5]) + 1:02}-{int(found[4]):02}T{hour:02}:{found[2]}:00+08:00"


@cache
def talks(data: Path) -> tuple[Talk, ...]:
    """Every session of the development half, in order; ids of turns are unique over all of it."""
    found = []
    for number, dialogue in enumerate(json.loads((data / "locomo" / "locomo_dev.json").read_text("utf-8"))):
        talk, seen = dialogue["conversation"], dialogue["observation"]
        for at in range(1, 100):
            if turns := talk.get(f"session_{at}"):
                said = when(talk[f"session_{at}_date_time"])
                found.append(_talk(number, at, said, turns, seen.get(f"session_{at}_observation", {})))
    return tuple(found)


def _talk(number: int, at: int, said: str, turns: list[Any], seen: dict[str, Any]) -> Talk:
    ids = {turn["dia_id"] for turn in turns}
    events = [
        {"id": f"d{number}-{turn['dia_id']}", "speaker": turn["speaker"], "text": turn["text"], "at": said}
        for turn in turns
    ]
    observations = []
    for about, rows in seen.items():
        for text, evidence in rows:
            given = evidence if isinstance(evidence, list) else re.split(r"[,;] *", evidence)
            observations.append((text, about, tuple(f"d{number}-{id}" for id in given if id in ids)))
    return Talk(f"d{number}-session-{at}", events, observations)


def atoms(talk: Talk) -> list[dict[str, Any]]:
    """The observations as an agent hands them over: each with its evidence turns and a quote of the first."""
    return [
        {"text": text, "subject": about, "aspect": f"observation {number}", "kind": "claim", "holder": about,
         "turns": list(ids), "quotes": [talk.words_of(ids[0])] if ids else [], "confidence": 0.95}
        for number, (text, about, ids) in enumerate(talk.observations)
    ]  # fmt: skip
