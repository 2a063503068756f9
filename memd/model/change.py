"""What happened to a vault between two snapshots: notes that are new or different, and paths that are gone."""

from __future__ import annotations

from msgspec import Struct

from memd.model.note import Note


class Change(Struct, frozen=True):
    """`written` replaces or adds; `removed` are paths; `moved` pairs (old, new) repeat what the other two say."""

    written: tuple[Note, ...] = ()
    removed: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.written or self.removed)
