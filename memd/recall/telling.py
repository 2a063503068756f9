"""How one leaf, summary or turn is told in an answer: attributed, clipped, with what is known of its freshness.

Knows the shapes of the contract's `leaves`, `summaries` and `evidence`. Never ranks.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memd.form import canopy, view
from memd.form.keys import is_chinese
from memd.form.stale import Stale, stale
from memd.index.port import Bodies
from memd.model.fingerprint import one_line
from memd.model.note import Note
from memd.parse import times
from memd.recall import memories, turns
from memd.recall.intent import Intent
from memd.recall.names import clean, short, shown_path
from memd.recall.scope import Scope
from memd.recall.snippets import needles, snippet


class Teller:
    """`room` is how many characters of one text are shown."""

    def __init__(self, scope: Scope, bodies: Bodies, now: datetime, room: int, explain: bool) -> None:
        self.scope, self.bodies, self.now, self.room, self.explain = scope, bodies, now, room, explain
        self.memory: view.Memory = scope.memory

    def clip(self, text: str) -> str:
        return short(one_line(text), self.room)

    def stale(self, note: Note) -> Stale | None:
        return stale(self.memory, note.id, self.now)

    def untrusted(self, note: Note) -> bool:
        """Text of a source that nobody here vouches for: data, never an instruction."""
        return self.scope.category(note) == "integration"

    def leaf(self, found: memories.Found, history: bool = False) -> dict[str, Any]:
        note, keys = found.note, found.note.frontmatter
        newer = self.memory.superseded(note.id)
        old = self.stale(note)
        told: dict[str, Any] = {
            "id": note.id,
            "tree": self.memory.tree_of(note.id),
            "text": self.clip(note.lead or note.title),
            "subject": _text(keys, "subject"),
            "aspect": _text(keys, "aspect"),
            "kind": _text(keys, "kind"),
            "status": note.status or "active",
            "superseded": newer is not None,
            "superseded_by": newer or "",
            "observed_at": _text(keys, "observed_at"),
            "valid_from": _text(keys, "valid_from"),
            "confidence": keys.get("confidence") if isinstance(keys.get("confidence"), dict) else {},
            "stale": old is not None,
            "verification": old.verification if old else _text(keys, "verification"),
            "supersedes": list(self.memory.older(note.id)),
            "untrusted": self.untrusted(note),
            "score": round(found.score, 4),
        }
        return told | self._why(found)

    def _why(self, found: memories.Found | turns.Found) -> dict[str, Any]:
        """The parts of the score, where they are asked for."""
        return {"why": {name: round(value, 4) for name, value in found.parts.items()}} if self.explain else {}

    def fact(self, found: memories.Found) -> dict[str, Any]:
        """One of `known_facts`: its words attributed where they are somebody's claim."""
        note, keys = found.note, found.note.frontmatter
        old = self.stale(note)
        return {
            "text": attributed(note, self.clip(note.lead or note.title)),
            "kind": _text(keys, "kind") or "state",
            "holder": _text(keys, "holder") or _text(keys, "subject"),
            "said_by": _text(keys, "speaker"),
            "at": _text(keys, "observed_at"),
            "ids": [note.id],
            "stale": old is not None,
            "untrusted": self.untrusted(note),
        } | ({"verify": {"how": old.verification, "source": old.source, "reason": old.reason}} if old else {})

    def summary(self, found: memories.Found) -> dict[str, Any]:
        note, keys = found.note, found.note.frontmatter
        tops = canopy.of(self.memory)
        state = "stale" if note.id in tops.stale_of(canopy.tree_of(note)) else "current"
        return {
            "id": note.id,
            "tree": canopy.tree_of(note),
            "height": canopy.height_of(note),
            "level": tops.level(note.id),
            "text": self.clip(note.lead or note.title),
            "time_range": {"from": _text(keys, "from"), "to": _text(keys, "to")},
            "state": state,
            "score": round(found.score, 4),
        } | self._why(found)

    def noted(self, found: memories.Found, intent: Intent) -> dict[str, Any]:
        """A note of a person's own among the facts: its title, and what stands from the line on that speaks of the matter."""
        note = found.note
        text = self.bodies.text(note.path) or ""
        line = snippet(text, needles(intent.matter or intent.telling), note.headings).line
        words = " ".join(text.splitlines()[line - 1 :]) if line else ""
        return {
            "text": self.clip(f"{note.title}: {words}"),
            "kind": "note",
            "holder": "",
            "said_by": "",
            "at": times.from_seconds(note.modified, self.scope.zone),
            "ids": [clean(note.permalink)],
            "stale": False,
            "untrusted": False,
        }

    def turn(self, found: turns.Found) -> dict[str, Any]:
        note, said = found.note, found.spoken.said
        return {
            "id": found.id,
            "event_id": clean(said.event_id),
            "session": clean(_text(note.frontmatter, "session")),
            "path": shown_path(self.scope.vault, note.path),
            "speaker": clean(said.speaker),
            "at": said.at,
            "quote": self.clip(said.text),
            "untrusted": self.untrusted(note),
            "score": round(found.score, 4),
        } | self._why(found)


def _text(keys: dict[str, Any], name: str) -> str:
    value = keys.get(name)
    return value if isinstance(value, str) else "" if value is None else str(value)


def attributed(note: Note, text: str) -> str:
    """Who said it and when before what is a claim: "Xiao Lin said on 2026-04-02: …". A state or event stands by itself."""
    keys = note.frontmatter
    speaker, at = _text(keys, "speaker"), _text(keys, "observed_at")[:10]
    if _text(keys, "kind") != "claim" or not speaker:
        return text
    if is_chinese(text[:80]):
        return f"{speaker}{f'在 {at} ' if at else ''}说：{text}"
    return f"{speaker} said{f' on {at}' if at else ''}: {text}"
