"""What is too old to be used unseen: the leaf's policy against the day it was last stated.

Knows leaves, policies and now. Writes nothing: staleness is derived, as everything about time is.
"""

from __future__ import annotations

from datetime import datetime

from msgspec import Struct

from memd.form.keys import seconds
from memd.form.policy import days
from memd.form.view import Memory
from memd.model.note import Note

DAY = 86400.0


class Stale(Struct, frozen=True):
    """`since`: days past its time; `said`: the day it was last said. `verification`: none, check_before_use,
    must_reconfirm. `source`: where to look."""

    id: str
    path: str
    text: str
    since: int
    said: str
    verification: str
    source: str
    reason: str


def stale(memory: Memory, id: str, now: datetime) -> Stale | None:
    """None for a leaf that is fresh, never goes stale, or is not current."""
    note = memory.files.get(id)
    if note is None or note.kind != "leaf" or not memory.active(id):
        return None
    limit, end = days(note.frontmatter.get("staleness")), seconds(str(note.frontmatter.get("valid_to") or ""))
    last = datetime.fromtimestamp(memory.last_stated(id)[0], now.tzinfo)
    age = (now - last).total_seconds() / DAY
    over = -1.0
    if limit is not None:
        over = age - limit
        reason = f"last said {int(age)} days ago; good for {limit}"
    if end is not None and end < now.timestamp():
        over = max(over, (now.timestamp() - end) / DAY)
        reason = f"it held until {note.frontmatter['valid_to']}"
    if over < 0:
        return None
    how = str(note.frontmatter.get("verification") or "check_before_use")
    said = last.date().isoformat()
    return Stale(id, note.path, note.lead or note.title, int(over), said, how, source(memory, note), reason)


def source(memory: Memory, note: Note) -> str:
    """Where to verify: the source of an import, else the person whose matter it is."""
    tree = memory.tree_of(note.id)
    if tree.startswith("integration:"):
        return tree.partition(":")[2]
    return str(note.frontmatter.get("speaker") or note.frontmatter.get("holder") or "user")


def due(memory: Memory, now: datetime) -> tuple[Stale, ...]:
    """Everything stale, what must be reconfirmed first, then the longest over its time."""
    found = [s for n in memory.of_kind("leaf") if (s := stale(memory, n.id, now))]
    return tuple(sorted(found, key=lambda s: (s.verification != "must_reconfirm", -s.since, s.id)))
