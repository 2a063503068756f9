"""What subscribers are told of a change: one event a note, once the change is in the snapshot. Knows no sockets' ways."""

from __future__ import annotations

from typing import Any, Protocol

from memd.daemon.keeper import Keeper
from memd.model.change import Change
from memd.model.note import Note
from memd.recall.names import clean


class Teller(Protocol):
    def publish(
        self, event: str, data: dict[str, Any], *, path: str = "", kind: str = "", sensitive: bool = False
    ) -> None: ...


class Events:
    """`changed removed formed problem index` (contract, `subscribe`)."""

    def __init__(self, teller: Teller, keeper: Keeper) -> None:
        self._teller = teller
        self._keeper = keeper

    def publish(self, change: Change) -> None:
        for note in change.written:
            self._tell("changed" if note.kind == "note" else "formed", note)
            for problem in note.problems:
                data = {
                    "code": problem.code,
                    "path": clean(note.path),
                    "line": problem.line,
                    "message": problem.message,
                }
                self._teller.publish("problem", data, path=note.path, kind=note.kind, sensitive=note.sensitive)
        moved = dict(change.moved)
        for path in change.removed:
            data = {"path": clean(path), "to": clean(moved.get(path, ""))}
            self._teller.publish("removed", data, path=path)

    def _tell(self, event: str, note: Note) -> None:
        data = {"path": clean(note.path), "kind": note.kind, "id": note.id, "title": clean(note.title)}
        self._teller.publish(event, data, path=note.path, kind=note.kind, sensitive=note.sensitive)

    def progress(self, data: dict[str, Any]) -> None:
        self._teller.publish("index", data)
