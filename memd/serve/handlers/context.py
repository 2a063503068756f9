"""What a handler may know: the snapshot, the settings, the time, files as they are on disk now, and who asks.

Reading is by functions that the daemon hands in; deciding is pure given their answers. Never knows how a plan is done.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.model.plan import Plan, Receipt
from memd.model.vault import Vault

Answer = dict[str, Any]
RIGHTS = frozenset(("read", "write", "forget"))


def _nothing() -> tuple[str, ...]:
    return ()


def _no_undo(stamp: str) -> Plan | None:
    return None


class Context(Struct, frozen=True):
    """One request's surroundings.

    `now` is aware and in the vault's zone. `bytes_of` reads a file, memd's trash included, as it is on disk now (None:
    there is no such file). `trashed` lists paths in `.trash/memd/`, `stamps` only the folders there: of a long life there
    are many. `undo` gives the plan that takes an earlier one back ("" for the last one; None: there is nothing to take
    back). `folder` is what the peer is limited to, "" for all.
    """

    vault: Vault
    config: Config
    now: datetime
    bytes_of: Callable[[str], bytes | None]
    trashed: Callable[[], tuple[str, ...]] = _nothing
    undo: Callable[[str], Plan | None] = _no_undo
    rights: frozenset[str] = RIGHTS
    sensitive: bool = True
    folder: str = ""
    stamps: Callable[[], tuple[str, ...]] = _nothing

    def sees(self, path: str) -> bool:
        """Whether the peer's folder holds the path."""
        return not self.folder or fold(path).startswith(fold(self.folder.strip("/")) + "/")

    def writable(self, path: str) -> str:
        """The path itself where the peer may write there. Raises Refused: permission_denied."""
        if not self.sees(path):
            raise Refused("permission_denied", f"this connection may write only in {self.folder}/: choose a path there")
        return path

    def open(self, note: Note) -> Note:
        """The note itself where the peer may change it. Raises Refused: not_found, permission_denied."""
        if not self.sees(note.path):
            raise Refused("not_found", "no such note in the folder that this connection sees")
        if note.sensitive and not self.sensitive:
            raise Refused(
                "permission_denied", "the note is sensitive and this connection may not see it: use another socket"
            )
        return note


class Decision(Struct, frozen=True):
    """What is to be done, and what is answered once it is done: at once known, or made of the writer's receipts.

    Where a step is displaced the daemon decides anew, on the bytes that are there now.
    """

    plan: Plan
    answer: Answer | Callable[[tuple[Receipt, ...]], Answer]

    def answered(self, receipts: tuple[Receipt, ...]) -> Mapping[str, Any]:
        return self.answer(receipts) if callable(self.answer) else self.answer
