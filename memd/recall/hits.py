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
from memd.recall.names import clean, shown_path, shown_title
from memd.recall.related import related
from memd.recall.snippets import Snippet, snippet


class Candidate(Struct):
    """A note, or a turn of one, that may be an answer. `line` is where a passage begins that was found by meaning."""

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
        "title": _short(shown_title(note), 200),
        "type": _short(clean(note.type), 60),
        "tags": [_short(clean(tag), 60) for tag in note.tags[:16]],
        "modified": times.from_seconds(note.modified, telling.zone),
        "score": round(found.score, 4),
        "snippet": clean(shown.text),
        "line": shown.line,
        "heading": _short(clean(shown.heading), 100),
        "related": related(telling.vault, note, weights.RELATED, telling.may_show),
    }
    if telling.explain:
        told["why"] = _why(telling, found)
    return _fitted(told)


def _short(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


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
    """Why a hit is where it is: its share by words and by meaning, and which words; equal scores go by time."""
    return {
        "text": round(found.text, 4),
        "meaning": round(found.meaning, 4),
        "words": [clean(word) for word, _ in telling.wanted],
        "then": "modified, newest first",
    }


def _fitted(told: dict[str, Any]) -> dict[str, Any]:
    """Within a hit's share of bytes: neighbours go first, then tags, then the end of the snippet."""
    for name in ("related", "tags"):
        while told[name] and _size(told) > weights.HIT_BYTES:
            told[name] = told[name][:-1]
    while len(told["snippet"]) > 40 and _size(told) > weights.HIT_BYTES:
        told["snippet"] = told["snippet"][: len(told["snippet"]) * 3 // 4] + "…"
    return told


def _size(told: dict[str, Any]) -> int:
    return len(msgspec.msgpack.encode(told))
