"""One hop of relations: what a note links to and what links to it, resolved, beside a hit and never part of its rank.

Knows links of one snapshot; looks no further than what is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from memd.form.files import MOVED
from memd.model.note import Link, Note
from memd.model.vault import Vault
from memd.recall.names import clean, short, shortened, shown_title

_LOOKED = 200
"""Links that are looked at: of a hub with thousands the first."""

_MARKS = ("up_to", "refused")
"""How far the profile has seen, and what it did not take: marks of memory's own, and no relations of the page."""


def neighbours(vault: Vault, note: Note) -> Iterator[tuple[Note, Link, bool]]:
    """(other note, link, whether the link goes out). Typed relations first, then as written; each note may repeat."""
    for link in sorted(note.links[:_LOOKED], key=lambda link: link.relation == "links_to"):
        to = vault.resolve(link.target, note.path)
        if to and to != note.path and not _mark(note, link):
            yield vault.notes[to], link, True
    for source, link in vault.inbound(note.path):
        if source != note.path and not _mark(vault.notes[source], link):
            yield vault.notes[source], link, False


def _mark(note: Note, link: Link) -> bool:
    """Whether a link is memory's own book-keeping."""
    return note.path.endswith(f"/{MOVED}") or (note.kind == "profile" and link.relation in _MARKS)


def _told(other: Note, link: Link, outward: bool) -> dict[str, Any]:
    return {
        "permalink": clean(other.permalink),
        "title": shortened(shown_title(other), 120),
        "relation": short(link.relation, 60),
        "direction": "out" if outward else "in",
    }


def related(vault: Vault, note: Note, limit: int, may_show: Callable[[Note], bool]) -> list[dict[str, Any]]:
    """Each neighbour once, by its first relation. What may not be shown is not counted."""
    found: dict[str, dict[str, Any]] = {}
    for other, link, outward in islice(neighbours(vault, note), _LOOKED):
        if other.path not in found and may_show(other):
            found[other.path] = _told(other, link, outward)
            if len(found) == limit:
                break
    return list(found.values())
