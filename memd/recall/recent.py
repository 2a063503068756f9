"""`memory.recent`: what changed, by when each note was last modified. Knows one snapshot; what is gone left no trace here.

A cursor stands for the changes that were told: with it come those that are newer, then those that are older.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from datetime import datetime, tzinfo
from typing import Any

from memd.model.note import Note
from memd.model.vault import Vault
from memd.parse import times
from memd.recall import asked, cursors, filters
from memd.recall.names import brief

Key = tuple[float, bytes]


def recent(vault: Vault, params: asked.Recent, now: datetime, within: str = "") -> dict[str, Any]:
    """`changes`, the latest first, and `cursor`: hand it in later and only what was not told yet comes, so that it
    serves for the next page and for "what is new". Raises Refused: invalid_params.

    `what` is `created` where a note has not been modified since it was made, else `changed`.
    """
    zone = now.tzinfo
    assert zone is not None
    tests = filters.shown(params.include_sensitive, within)
    since = filters.period(params.since, "", zone)[0]
    found = [
        note
        for note in vault.notes.values()
        if note.modified >= since
        and (not params.kinds or note.kind in params.kinds)
        and all(test(note) for test in tests)
    ]
    found.sort(key=_key)
    told = cursors.unpacked(params.cursor, cursors.Told) if params.cursor else None
    page, held = _untold(found, told, params.limit)
    return {
        "changes": [_changed(vault, note, zone) for note in reversed(page)],
        "cursor": cursors.packed(held) if held else "",
    }


def _key(note: Note) -> Key:
    return note.modified, note.path.encode("utf-8", "surrogateescape")


def _untold(found: list[Note], told: cursors.Told | None, limit: int) -> tuple[list[Note], cursors.Told | None]:
    """The next changes, oldest first, and what is told with them. Newer ones come from the told ones upwards, so that
    what is told has no gap."""
    if told is None:
        page = found[-limit:]
        return page, cursors.Told(_key(page[-1]), _key(page[0])) if page else None
    newer = bisect_right(found, told.high, key=_key)
    older = bisect_left(found, told.low, key=_key)
    above = found[newer : newer + limit]
    below = found[max(0, older - (limit - len(above))) : older] if len(above) < limit else []
    high = _key(above[-1]) if above else told.high
    low = _key(below[0]) if below else told.low
    return below + above, cursors.Told(high, low)


def _changed(vault: Vault, note: Note, zone: tzinfo) -> dict[str, Any]:
    shown = brief(vault, note)
    return {
        "path": shown["path"],
        "kind": note.kind,
        "id": note.id,
        "title": shown["title"],
        "what": "created" if note.created and abs(note.modified - note.created) < 1 else "changed",
        "at": times.from_seconds(note.modified, zone),
    }
