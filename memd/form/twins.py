"""Two versions of one derived file: which one stays. Both devices that see the pair choose the same.

Derived files are functions of what they are made from; versions differ in times of capture, or in what was admitted on
which device. Knows keys and bodies. Never knows evidence, and never a person's notes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memd.form import files
from memd.form.facts import extracted, refused, statements
from memd.form.keys import listed, seconds
from memd.model.note import Note

MADE_ALIKE = frozenset(("episode", "leaf", "summary", "chain", "digest"))
"""Kinds whose id says what they are made from: two versions of one id may take each other's place."""
A_PERSONS = ("status", "tree", "owner", "name", "turns", "supersedes")
"""Keys that are no matter of time or method: where they differ, a person decides."""


def chosen(note: Note, data: bytes, copy: Note, other: bytes) -> bytes | None:
    """The bytes that the file should have; None where both must stay for a person to see.

    A version that a person edited wins over one as memd wrote it. Else the one that is signed by its reading, then the
    one made from more, then the older one; what either episode states is kept.
    """
    if not note.id or (note.id, note.kind) != (copy.id, copy.kind):
        return None
    if any(note.frontmatter.get(key) != copy.frontmatter.get(key) for key in A_PERSONS):
        return None
    alike = files.body_hash(_body(data)) == files.body_hash(_body(other))
    hands = files.edited(note, data), files.edited(copy, other)
    if not alike and (all(hands) or (note.kind not in MADE_ALIKE and not any(hands))):
        return None
    if hands[0] != hands[1]:
        return data if hands[0] else other
    first, second = sorted(((note, data), (copy, other)), key=lambda pair: _rank(*pair))
    changes = _joined(first[0], second[0])
    return files.with_keys(first[1], changes) if changes else first[1]


def _body(data: bytes) -> str:
    return files.split(files.decoded(data))[1]


def _rank(note: Note, data: bytes) -> tuple[bool, int, float, bytes]:
    unsigned = note.kind == "episode" and "method" not in extracted(note)
    parts = sum(len(listed(note.frontmatter.get(key))) for key in ("children", "members"))
    return unsigned, -parts, seconds(str(note.frontmatter.get("created", ""))) or 0.0, data


def _joined(first: Note, second: Note) -> Mapping[str, Any]:
    """Keys of the first that the second adds to: what an episode states, an entity's other names."""
    changes: dict[str, Any] = {}
    for key in ("states", "aliases"):
        names = listed(first.frontmatter.get(key))
        more = [name for name in listed(second.frontmatter.get(key)) if name not in names]
        if more:
            changes[key] = [*names, *more]
    if "states" in changes:
        signature = dict(extracted(first))
        signature["admitted"] = len(changes["states"])
        for key, mine, other in (
            ("refused", refused(first), refused(second)),
            ("statements", statements(first), statements(second)),
        ):
            if both := [*mine, *(item for item in other if item not in mine)]:
                signature[key] = both
        changes["extracted"] = signature
    return changes
