"""What the view reads out of one memory file's keys, once a note: plain values, no look-ups."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.form.keys import listed
from memd.model.note import Note


class Facts(Struct, frozen=True):
    """Keys as they stand in the file; links are not resolved. `weak` are links of `extracted.statements` so marked."""

    note: Note
    tree: str = ""
    subject: str = ""
    aspect: str = ""
    fingerprint: str = ""
    observed_at: str = ""
    supersedes: tuple[str, ...] = ()
    precedes: tuple[str, ...] = ()
    turns: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    weak: tuple[str, ...] = ()


def read(note: Note) -> Facts:
    keys = note.frontmatter
    if note.kind == "leaf":
        return Facts(
            note,
            tree=_word(keys.get("tree")),
            subject=_word(keys.get("subject")),
            aspect=_word(keys.get("aspect")),
            fingerprint=_word(keys.get("fingerprint")),
            observed_at=_word(keys.get("observed_at")),
            supersedes=listed(keys.get("supersedes")),
            precedes=listed(keys.get("precedes")),
        )
    if note.kind == "episode":
        return Facts(
            note,
            turns=listed(keys.get("turns")),
            states=listed(keys.get("states")),
            weak=tuple(_word(s.get("leaf")) for s in statements(note) if s.get("weak")),
        )
    return Facts(note, tree=_word(keys.get("tree")))


def extracted(note: Note) -> dict[str, Any]:
    """An episode's `extracted` key, empty where it has none."""
    value = note.frontmatter.get("extracted")
    return value if isinstance(value, dict) else {}


def statements(note: Note) -> list[dict[str, Any]]:
    """`extracted.statements`: what an episode adds on leaves that it is not the first to state, or is unsure of.

    Each: `leaf` (a link), `quotes` (`[{turn, text}]`), `weak` (its confidence, where it may not bear the leaf alone).
    """
    value = extracted(note).get("statements")
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def refused(note: Note) -> list[dict[str, Any]]:
    """`extracted.refused`: atoms that were not admitted, `{text, reason, confidence}`."""
    value = extracted(note).get("refused")
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def quotes(note: Note) -> list[dict[str, str]]:
    """A leaf's quotes, `{turn, text}`, malformed ones left out."""
    value = note.frontmatter.get("quotes")
    found = value if isinstance(value, list) else []
    return [{"turn": _word(q.get("turn")), "text": _word(q.get("text"))} for q in found if isinstance(q, dict)]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
