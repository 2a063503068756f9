"""When what a file tells was said, and when it holds: as seconds, kept, for a filter that asks it of ten thousand files.

Knows times of notes and turns. Never knows a question.
"""

from __future__ import annotations

from datetime import tzinfo
from functools import lru_cache, partial

from memd.model.note import Note
from memd.recall import filters, values
from memd.recall.columns import Column

ALWAYS = (float("-inf"), float("inf"))
Span = tuple[float, float]


def _said(zone: tzinfo, note: Note) -> Span:
    """From the first to the last time at which something in the file was said."""
    if note.kind != "evidence" or not note.turns:
        at = filters.when(note, zone)
        return at, at
    every = [filters.when(note, zone, turn) for turn in note.turns]
    return min(every), max(every)


def _valid(zone: tzinfo, note: Note) -> Span:
    """When a leaf holds: from its `valid_from`, else from when it was said, to before the end of its `valid_to`."""
    if note.kind != "leaf":
        return _said(zone, note)
    begin = values.bounds(str(note.frontmatter.get("valid_from") or ""), zone)
    end = values.bounds(str(note.frontmatter.get("valid_to") or ""), zone)
    first = begin[0] if begin else filters.when(note, zone)
    happened = note.frontmatter.get("kind") == "event" and begin
    return first, end[1] if end else begin[1] if happened and begin else float("inf")


@lru_cache(maxsize=4)
def spans(of: str, zone: tzinfo) -> Column[Span]:
    """Of every file of a snapshot, by what a range speaks of: `said` or `valid`."""
    return Column(partial(_valid if of == "valid" else _said, zone))


def forget() -> None:
    """Drops what is kept of a snapshot: after a purge nothing of it is in memory."""
    spans.cache_clear()
    filters.seconds.cache_clear()
