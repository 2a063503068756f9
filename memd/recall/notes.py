"""Notes by filter, and a note with what surrounds it: `memory.list`, `memory.context`.

Knows one snapshot. Never ranks by words, never reads a file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, tzinfo
from typing import Any

from msgspec import Struct

from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Link, Note
from memd.model.vault import Vault
from memd.parse import times
from memd.recall import asked, cursors, filters
from memd.recall.names import brief, clean, find
from memd.recall.recent import recent
from memd.recall.related import neighbours

__all__ = ["context", "list_notes", "recent"]

_WIDEST = 300
"""Notes that one note's surroundings go through: a hub is not followed to its end."""


def list_notes(vault: Vault, params: asked.List, now: datetime, within: str = "") -> dict[str, Any]:
    """`notes` as the contract has them, the last modified first, and `cursor` ("" at the end).

    `permalink` is a glob over permalinks and paths. Raises Refused: invalid_params.
    """
    zone = _zone(now)
    tests = filters.shown(params.include_sensitive, within) + filters.where(params.where, zone)
    if params.folder:
        tests.append(filters.beneath(params.folder))
    if params.tag:
        tests.append(filters.tagged(params.tag))
    if params.type:
        tests += filters.where({"type": params.type}, zone)
    if params.permalink:
        tests.append(_globbed(params.permalink))
    since = filters.period(params.since, "", zone)[0]
    found = [note for note in vault.notes.values() if note.modified >= since and all(test(note) for test in tests)]
    found.sort(key=lambda note: (-note.modified, note.path))
    page, more = _page(found, params.cursor, params.limit)
    return {"notes": [_listed(vault, note, zone) for note in page], "cursor": more}


def _zone(now: datetime) -> tzinfo:
    assert now.tzinfo is not None
    return now.tzinfo


def _listed(vault: Vault, note: Note, zone: tzinfo) -> dict[str, Any]:
    return brief(vault, note) | {"modified": times.from_seconds(note.modified, zone)}


def _globbed(pattern: str) -> filters.Test:
    """`*` stands for any run of characters, all else for itself; a permalink or a path may match, case folded."""
    parts = re.split(r"\*+", fold(pattern.removeprefix("memory://")))
    glob = re.compile(".*".join(map(re.escape, parts)), re.S)
    return lambda note: bool(glob.fullmatch(fold(note.permalink)) or glob.fullmatch(fold(note.path)))


def _page(found: list[Note], cursor: str, limit: int) -> tuple[list[Note], str]:
    position, last = cursors.opened(cursor)
    begin = cursors.start([note.path for note in found], position, last) if cursor else 0
    page = found[begin : begin + limit]
    end = begin + len(page)
    return page, cursors.after(end, page[-1].path) if page and end < len(found) else ""


class _Step(Struct, frozen=True):
    """How a note was reached: from which one, by which link, in which direction, after how many steps."""

    note: Note
    came: Note
    link: Link
    outward: bool
    depth: int


def context(vault: Vault, params: asked.Context, now: datetime, within: str = "") -> dict[str, Any]:
    """`note`, and `related`: notes up to `depth` links away, nearest first, each with its relation and the way there.

    Raises Refused: not_found, and permission_denied for a sensitive note that was not asked for as such.
    """
    zone = _zone(now)
    note = find(vault, params)
    hidden = filters.shown(True, within)
    if not all(test(note) for test in hidden):
        raise Refused("not_found", "no such note in this socket's folder; look with memory.list")
    if note.sensitive and not params.include_sensitive:
        raise Refused("permission_denied", "this note is sensitive; ask with include_sensitive")
    tests = filters.shown(params.include_sensitive, within)
    since = filters.period(params.since, "", zone)[0]
    reached = _walk(vault, note, params.depth, lambda other: all(test(other) for test in tests))
    found = [step for step in reached.values() if step.note.modified >= since]
    told = [_reached(vault, note, step, reached, zone) for step in found[: params.limit]]
    return {"note": _listed(vault, note, zone), "related": told, "more": len(found) > params.limit}


def _walk(vault: Vault, start: Note, depth: int, may_show: Callable[[Note], bool]) -> dict[str, _Step]:
    """Notes by path in the order in which they are reached, breadth first; nothing leads through what may not be shown."""
    reached: dict[str, _Step] = {}
    edge = [start]
    for step in range(1, depth + 1):
        fresh: list[Note] = []
        for came in edge:
            for found in _from(vault, came, step, may_show):
                if found.note.path != start.path and found.note.path not in reached:
                    reached[found.note.path] = found
                    fresh.append(found.note)
                if len(reached) >= _WIDEST:
                    return reached
        edge = fresh
    return reached


def _from(vault: Vault, came: Note, depth: int, may_show: Callable[[Note], bool]) -> Iterator[_Step]:
    for other, link, outward in neighbours(vault, came):
        if may_show(other):
            yield _Step(other, came, link, outward, depth)


def _reached(vault: Vault, start: Note, step: _Step, reached: dict[str, _Step], zone: tzinfo) -> dict[str, Any]:
    """`way` is the titles from the note asked about to this one, both included."""
    way = [step.note]
    came = step.came
    while came.path != start.path:
        way.append(came)
        came = reached[came.path].came
    way.append(start)
    return _listed(vault, step.note, zone) | {
        "relation": clean(step.link.relation),
        "direction": "out" if step.outward else "in",
        "depth": step.depth,
        "way": [clean(note.title) for note in reversed(way)],
    }
