"""One hop of relations: what a note links to and what links to it, resolved, beside a hit and never part of its rank."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from memd.model.note import Link, Note
from memd.model.vault import Vault
from memd.recall.names import clean, shown_title

_LOOKED = 200
"""Links that are looked at: of a hub with thousands the first."""


def neighbours(vault: Vault, note: Note) -> Iterator[tuple[Note, Link, bool]]:
    """(other note, link, whether the link goes out). Typed relations first, then as written; each note may repeat."""
    out = [(link, to) for link, to in islice(vault.outbound(note.path), _LOOKED) if to and to != note.path]
    out.sort(key=lambda pair: pair[0].relation == "links_to")
    for link, to in out:
        yield vault.notes[to], link, True
    for source, link in vault.inbound(note.path):
        if source != note.path:
            yield vault.notes[source], link, False


def related(vault: Vault, note: Note, limit: int, may_show: Callable[[Note], bool]) -> list[dict[str, Any]]:
    """Each neighbour once, by its first relation. What may not be shown is not counted."""
    found: dict[str, dict[str, Any]] = {}
    for looked, (other, link, outward) in enumerate(neighbours(vault, note)):
        if len(found) >= limit or looked >= _LOOKED:
            break
        if other.path not in found and may_show(other):
            found[other.path] = {
                "permalink": clean(other.permalink),
                "title": shown_title(other),
                "relation": clean(link.relation),
                "direction": "out" if outward else "in",
            }
    return list(found.values())
