"""What is told of one hit, within its share of the answer. Knows the shape of results; never ranks."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import tzinfo
from typing import Any

import msgspec
from msgspec import Struct

from memd.index.port import Bodies
from memd.model.note import Note, Turn
from memd.model.vault import Vault
from memd.parse import times
from memd.recall import weights
from memd.recall.names import clean, short, shortened, shown_path, shown_title
from memd.recall.related import related
from memd.recall.snippets import Snippet, snippet


class Candidate(Struct):
    """A note, or a turn of one, that may be an answer. `line` is where a passage begins that was found by meaning; `text`
    and `meaning` add up to the score."""

    note: Note
    key: str
    score: float
    turn: Turn | None = None
    line: int = 0
    text: float = 0.0
    meaning: float = 0.0

    @property
    def id(self) -> str:
        return f"{self.note.id}#{self.turn.id}" if self.turn else self.note.id


class Telling(Struct, frozen=True):
    """What telling needs beside the hit."""

    vault: Vault
    bodies: Bodies
    zone: tzinfo
    wanted: Sequence[tuple[str, float]]
    may_show: Callable[[Note], bool]
    explain: bool = False


def tell(telling: Telling, found: Candidate) -> dict[str, Any]:
    """One entry of `hits` (contract, `memory.search`)."""
    note = found.note
    shown = _snippet(telling, found)
    told = {
        "permalink": clean(note.permalink),
        "path": shown_path(telling.vault, note.path),
        "id": found.id,
        "kind": "turn" if found.turn else note.kind,
        "title": shortened(shown_title(note), 200),
        "type": short(note.type, 60),
        "tags": [short(tag, 60) for tag in note.tags[:16]],
        "modified": times.from_seconds(note.modified, telling.zone),
        "score": round(found.score, 4),
        "snippet": clean(shown.text),
        "line": shown.line,
        "heading": short(shown.heading, 100),
        "related": related(telling.vault, note, weights.RELATED, telling.may_show),
    }
    if telling.explain:
        told["why"] = _why(telling, found)
    return told


def _snippet(telling: Telling, found: Candidate) -> Snippet:
    note = found.note
    text = telling.bodies.text(note.path)
    if not text:
        return Snippet()
    if found.turn:
        lines = [turn.line for turn in note.turns]
        after = bisect_right(lines, found.turn.line)
        end = lines[after] if after < len(lines) else 0
        return snippet(text, telling.wanted, note.headings, found.turn.line + 1, end)
    if found.line and not found.text:
        return snippet(text, telling.wanted, note.headings, found.line)
    return snippet(text, telling.wanted, note.headings)


def _why(telling: Telling, found: Candidate) -> dict[str, Any]:
    """Why a hit is where it is: what words and what meaning brought to its score, and which words; equal scores go by time."""
    return {
        "text": round(found.text, 4),
        "meaning": round(found.meaning, 4),
        "words": [clean(word) for word, _ in telling.wanted],
        "then": "modified, newest first",
    }


def bounded(told: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """The hits within 8 KB for eight: each is cut to its share where all together are longer; where names alone are
    longer still, the rest is for the next page."""
    room = weights.ANSWER_BYTES * max(limit, 8) // 8
    if _size(told) <= room:
        return told
    told = [_fitted(each, room // max(limit, 8)) for each in told]
    while len(told) > 1 and _size(told) > room:
        told = told[:-1]
    return told


def _fitted(told: dict[str, Any], room: int) -> dict[str, Any]:
    """Neighbours go first, then tags, the length of title and heading, and the end of the snippet."""
    told = dict(told)
    for name in ("related", "tags"):
        while told[name] and _size(told) > room:
            told[name] = told[name][:-1]
    if _size(told) > room:
        told |= {"title": shortened(told["title"], 80), "heading": shortened(told["heading"], 40)}
    while len(told["snippet"]) > 40 and _size(told) > room:
        told["snippet"] = told["snippet"][: len(told["snippet"]) * 3 // 4] + "…"
    return told


def _size(told: Any) -> int:
    return len(msgspec.msgpack.encode(told))
