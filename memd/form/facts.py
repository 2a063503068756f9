"""What the view reads out of one memory file's keys, once a note: plain values, no look-ups."""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.form.keys import ID, folded, listed, seconds, target
from memd.model.note import Note


class Facts(Struct, frozen=True):
    """Keys as they stand in the file. `weak` are links of `extracted.statements` so marked.

    Links are read but not resolved: `turns` are (stem, block id, link), `states` (the id in the link or "", link).
    `points`: (the id in the link or "", link, whether it leads to an older version). `slot`: (tree, folded subject, folded aspect); `observed` in seconds, 0 when unknown.
    """

    note: Note
    tree: str = ""
    subject: str = ""
    aspect: str = ""
    fingerprint: str = ""
    slot: tuple[str, str, str] = ("", "", "")
    observed: float = 0.0
    points: tuple[tuple[str, str, bool], ...] = ()
    supersedes: tuple[str, ...] = ()
    precedes: tuple[str, ...] = ()
    turns: tuple[tuple[str, str, str], ...] = ()
    states: tuple[tuple[str, str], ...] = ()
    said: float | None = None
    weak: tuple[str, ...] = ()


def read(note: Note) -> Facts:
    keys = note.frontmatter
    if note.kind == "leaf":
        tree, subject, aspect = (_word(keys.get(key)) for key in ("tree", "subject", "aspect"))
        return Facts(
            note,
            tree=tree,
            subject=subject,
            aspect=aspect,
            slot=(tree, folded(subject), folded(aspect)),
            fingerprint=_word(keys.get("fingerprint")),
            observed=seconds(_word(keys.get("observed_at"))) or 0.0,
            points=(
                *((_id_in(name), name, True) for name in listed(keys.get("supersedes"))),
                *((_id_in(name), name, False) for name in listed(keys.get("precedes"))),
            ),
            supersedes=listed(keys.get("supersedes")),
            precedes=listed(keys.get("precedes")),
        )
    if note.kind == "episode":
        return Facts(
            note,
            turns=tuple((*target(name), name) for name in listed(keys.get("turns"))),
            states=tuple((_id_in(name), name) for name in listed(keys.get("states"))),
            said=next((s for key in ("to", "from") if (s := seconds(_word(keys.get(key)))) is not None), None),
            weak=tuple(_word(s.get("leaf")) for s in statements(note) if s.get("weak")),
        )
    return Facts(note, tree=_word(keys.get("tree")))


def _id_in(name: str) -> str:
    found = ID.findall(target(name)[0])
    return found[-1] if found else ""


def extracted(note: Note) -> dict[str, Any]:
    """An episode's `extracted` key, empty where it has none."""
    value = note.frontmatter.get("extracted")
    return value if isinstance(value, dict) else {}


def statements(note: Note) -> list[dict[str, Any]]:
    """`extracted.statements`: what an episode adds on leaves that it is not the first to state, or is unsure of.

    Each: `leaf` (a link), `quotes` (`[{turn, text}]`), `weak` (its confidence, where it may not bear the leaf alone),
    and what it says in its own way (`form.restated`).
    """
    value = extracted(note).get("statements")
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def refused(note: Note) -> list[dict[str, Any]]:
    """`extracted.refused`: atoms that were not admitted, `{text, reason, confidence}`."""
    value = extracted(note).get("refused")
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def quotes(note: Note) -> list[dict[str, str]]:
    """A leaf's quotes, `{turn, text}`, malformed ones left out."""
    return quoted(note.frontmatter.get("quotes"))


def quoted(value: Any) -> list[dict[str, str]]:
    """The quotes that a key holds."""
    found = value if isinstance(value, list) else []
    return [{"turn": _word(q.get("turn")), "text": _word(q.get("text"))} for q in found if isinstance(q, dict)]


def _word(value: Any) -> str:
    return value if isinstance(value, str) else "" if value is None else str(value)
