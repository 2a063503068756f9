"""The data sets as dialogues with questions, read in place through `MEMD_DATA`. Knows their files; nothing that ranks sees them.

A gold turn or session is named by an id that is only compared, never indexed for its meaning.
"""

from __future__ import annotations

import json
import os
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from msgspec import Struct

ZONE = UTC
_SESSION = re.compile(r"session_(\d+)$")


class Question(Struct, frozen=True):
    """`gold` are ids of turns or sessions; `before` is the number of sessions that may be searched (0: all)."""

    text: str
    gold: tuple[str, ...]
    category: str = ""
    before: int = 0


class Event(Struct, frozen=True):
    id: str
    speaker: str
    text: str
    at: datetime


class Dialogue(Struct, frozen=True):
    """`sessions` in order: (id, its events)."""

    name: str
    sessions: tuple[tuple[str, tuple[Event, ...]], ...]
    questions: tuple[Question, ...]


def root() -> Path:
    return Path(os.environ.get("MEMD_DATA") or Path(__file__).resolve().parents[3].parent / "shared" / "data")


def locomo(folder: Path) -> list[Dialogue]:
    """Categories 1 to 4, questions all of whose evidence ids exist; speaker and caption are text."""
    return [_locomo(one) for file in sorted(folder.glob("*.json")) for one in json.loads(file.read_text("utf-8"))]


def _locomo(one: dict[str, Any]) -> Dialogue:
    talk = one["conversation"]
    names = sorted((k for k in talk if _SESSION.match(k)), key=lambda k: int(k.rpartition("_")[2]))
    sessions = []
    for name in names:
        began = datetime.strptime(talk[name + "_date_time"], "%I:%M %p on %d %B, %Y").replace(tzinfo=ZONE)
        events = tuple(
            Event(turn["dia_id"], turn["speaker"], _words(turn), began + timedelta(seconds=30 * at))
            for at, turn in enumerate(talk[name])
        )
        sessions.append((name, events))
    known = {event.id for _, events in sessions for event in events}
    asked = tuple(
        Question(q["question"], tuple(dict.fromkeys(q["evidence"])), str(q["category"]))
        for q in one["qa"]
        if q["category"] in (1, 2, 3, 4) and q["evidence"] and set(q["evidence"]) <= known
    )
    return Dialogue(one["sample_id"], tuple(sessions), asked)


def _words(turn: dict[str, Any]) -> str:
    caption = turn.get("blip_caption")
    return f"{turn['text']} [shares {caption}]" if caption else str(turn["text"])


def realmem(folder: Path) -> list[Dialogue]:
    """A query is a turn with `is_query`; its gold sessions stand on the turn that answers it; only earlier sessions count.

    Some dates run backwards; the order of the file is kept, as "before" is counted by it."""
    return [_realmem(file) for file in sorted(folder.glob("*.json"))]


def _realmem(file: Path) -> Dialogue:
    sessions: list[tuple[str, tuple[Event, ...]]] = []
    raw: list[tuple[int, str, tuple[str, ...]]] = []
    began = datetime.min.replace(tzinfo=ZONE)
    for number, one in enumerate(json.loads(file.read_text("utf-8"))["dialogues"]):
        said = datetime.fromisoformat(one["current_time"][:10]).replace(tzinfo=ZONE)
        began = max(said, began + timedelta(minutes=1))
        turns = one["dialogue_turns"]
        events = tuple(
            Event(f"{number}:{at}", turn["speaker"], turn["content"], began + timedelta(milliseconds=10 * at))
            for at, turn in enumerate(turns)
        )
        sessions.append((one["session_uuid"], events))
        for at, turn in enumerate(turns):
            if turn.get("is_query"):
                raw.append((number, turn["content"], _answered(turns, at)))
    first: dict[str, int] = {}
    for number, (uuid, _) in enumerate(sessions):
        first.setdefault(uuid, number)
    asked = tuple(
        Question(text, past, before=number)
        for number, text, gold in raw
        if (past := tuple(g for g in dict.fromkeys(gold) if first.get(g, number) < number))
    )
    return Dialogue(file.stem.partition("_dialogues")[0], tuple(sessions), asked)


def _answered(turns: list[dict[str, Any]], at: int) -> tuple[str, ...]:
    after = turns[at + 1] if at + 1 < len(turns) else {}
    return tuple(after.get("memory_session_uuids") or turns[at].get("memory_session_uuids") or ())


def cmrc(folder: Path) -> tuple[list[tuple[str, str]], list[Question]]:
    """(passages as (id, text)), questions whose gold is their own passage."""
    passages, asked = [], []
    for file in sorted(folder.glob("*.json")):
        for article in json.loads(file.read_text("utf-8"))["data"]:
            for at, paragraph in enumerate(article["paragraphs"]):
                id = f"{article.get('id', len(passages))}-{at}"
                passages.append((id, paragraph["context"]))
                asked += [Question(q["question"], (id,)) for q in paragraph["qas"]]
    return passages, asked
