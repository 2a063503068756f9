"""One hop of relations: what a note links to and what links to it, resolved, beside a hit and never part of its rank.

Knows links of one snapshot; keeps what it resolved for as long as the snapshot is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from memd.model.note import Link, Note
from memd.model.vault import Vault
from memd.recall.names import clean, shortened, shown_title

_LOOKED = 200
"""Links that are looked at: of a hub with thousands the first."""

_KEPT = 32
"""Neighbours of a note that are kept: more than are ever told, as some may not be shown."""


def neighbours(vault: Vault, note: Note) -> Iterator[tuple[Note, Link, bool]]:
    """(other note, link, whether the link goes out). Typed relations first, then as written; each note may repeat."""
    out = [(link, to) for link, to in islice(vault.outbound(note.path), _LOOKED) if to and to != note.path]
    out.sort(key=lambda pair: pair[0].relation == "links_to")
    for link, to in out:
        yield vault.notes[to], link, True
    for source, link in vault.inbound(note.path):
        if source != note.path:
            yield vault.notes[source], link, False


class _Known:
    """The first neighbours of notes of one snapshot, resolved once, with what is told of each."""

    def __init__(self, vault: Vault) -> None:
        self.vault = vault
        self.of: dict[str, tuple[tuple[Note, dict[str, Any]], ...]] = {}

    def first(self, note: Note) -> tuple[tuple[Note, dict[str, Any]], ...]:
        """Each note once, at most `_KEPT`."""
        if (known := self.of.get(note.path)) is None:
            found: dict[str, tuple[Note, dict[str, Any]]] = {}
            for other, link, outward in islice(neighbours(self.vault, note), _LOOKED):
                if other.path not in found:
                    found[other.path] = other, _told(other, link, outward)
                if len(found) >= _KEPT:
                    break
            known = self.of[note.path] = tuple(found.values())
        return known


def _told(other: Note, link: Link, outward: bool) -> dict[str, Any]:
    return {
        "permalink": clean(other.permalink),
        "title": shortened(shown_title(other), 120),
        "relation": shortened(clean(link.relation), 60),
        "direction": "out" if outward else "in",
    }


_held: list[_Known] = []


def _known(vault: Vault) -> _Known:
    """What is known of a snapshot's links; the last one's only."""
    held = _held[0] if _held else None
    if held is None or held.vault is not vault:
        held = _Known(vault)
        _held[:] = [held]
    return held


def related(vault: Vault, note: Note, limit: int, may_show: Callable[[Note], bool]) -> list[dict[str, Any]]:
    """Each neighbour once, by its first relation. What may not be shown is not counted."""
    return list(islice((told for other, told in _known(vault).first(note) if may_show(other)), limit))
