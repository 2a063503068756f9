"""What follows a change: moves remembered, copies merged, a person's edits taken as theirs, the journal kept.

Knows whose hand made a change. Runs while the turn is held, or queues what may take longer. Never decides on words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime

from memd.daemon import moved
from memd.daemon.copying import Copying
from memd.daemon.core import Core
from memd.edit import journal
from memd.form import digest, handedits
from memd.form.files import moved_path
from memd.model.change import Change
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.note import Note
from memd.model.plan import Displaced, Plan
from memd.model.question import Asking
from memd.model.vault import Vault

log = logging.getLogger("memd.aftermath")


class Aftermath:
    """`follow` is told of each change while the turn is held; `pending` gives the steps that are due to a person's hand."""

    def __init__(
        self, core: Core, config: Callable[[], Config], now: Callable[[], datetime], stamp: Callable[[], str]
    ) -> None:
        self._core = core
        self._config = config
        self._now = now
        self._stamp = stamp
        self._edited: set[str] = set()
        self._deleted: dict[str, Note] = {}
        self._ticked: set[str] = set()
        self._told: list[journal.Happening] = []
        self._moves: list[tuple[str, str, str]] = []
        self._copying = Copying(core, config, now, stamp)

    async def follow(self, change: Change, before: Vault, mine: bool) -> bool:
        """Whether there is something pending for a formation step."""
        folder = self._config().formation.folder
        if any(note.path == moved_path(folder) for note in change.written):
            self._learn_moves(folder)
        if change.moved:
            self._moves += _plain_moves(change, before)
            await self._remember_moves()
        self._copying.notice(change, before, mine)
        await self._copying.settle()
        if mine:
            self._tell(change, before)
            return False
        gone = {old for old, _ in change.moved}
        self._edited |= {n.path for n in change.written if n.kind in handedits.KINDS}
        self._ticked |= {n.path for n in change.written if n.kind == "digest"}
        lost = (before.notes[path] for path in change.removed if path not in gone)
        self._deleted |= {note.id: note for note in lost if note.kind == "leaf"}
        return bool(self._edited or self._deleted or self._ticked)

    async def again(self) -> None:
        """Everything was looked at: what the vault did not take before may go now. The turn is held."""
        await self._remember_moves()
        self._copying.again()
        await self._copying.settle()

    # a person's hand ---------------------------------------------------------------------------------------------------

    def pending(self) -> list[Callable[[Vault], Asking]]:
        """Steps for what a person edited, deleted or ticked since the last time."""
        edited, deleted, ticked = frozenset(self._edited), tuple(self._deleted.values()), sorted(self._ticked)
        self._edited, self._deleted, self._ticked = set(), {}, set()
        steps: list[Callable[[Vault], Asking]] = []
        if edited or deleted:
            steps.append(lambda vault: handedits.settle(vault, self._config(), self._now(), edited, deleted))
        for path in ticked:
            steps.append(lambda vault, path=path: digest.act(vault, self._config(), self._now(), path))  # type: ignore[misc]
        return steps

    # moves ---------------------------------------------------------------------------------------------------------------

    def learn(self) -> None:
        """At start: what was noted of moves before, and which copies there are."""
        self._copying.learn()
        self._learn_moves(self._config().formation.folder)

    def _learn_moves(self, folder: str) -> None:
        text = self._core.bodies.text(moved_path(folder))
        known = moved.read(text) if text else {}
        if known != self._core.vault.moved:
            self._core.keeper.vault = self._core.vault.after(Change(), known)

    async def _remember_moves(self) -> None:
        """What the vault does not take now (a full disk, a folder that has just gone) stops nothing else that follows,
        and is kept for another time."""
        if not self._moves:
            return
        folder = self._config().formation.folder
        write = moved.written(folder, self._core.bodies.data(moved_path(folder)), self._core.vault.moved, self._moves)
        try:
            receipts = await self._core.apply(Plan((write,), ("notes were moved",)), self._stamp()) if write else ()
        except Refused as refused:
            log.warning("moves could not be noted now, memd tries again (%s)", refused.code)
            return
        if not any(isinstance(receipt, Displaced) for receipt in receipts):
            self._moves.clear()

    # the journal -----------------------------------------------------------------------------------------------------------

    def _tell(self, change: Change, before: Vault) -> None:
        for note in change.written:
            if note.kind == "leaf" and note.path not in before.notes and note.id not in _ids(before, note):
                what = "corrected" if note.frontmatter.get("supersedes") else "remembered"
                self._told.append(journal.Happening(self._now(), what, note.path, note.title, note.sensitive))

    async def journal(self) -> None:
        """The lines that are due, in one write; the turn must not be held. A month that a person edits is tried again."""
        told, self._told = self._told, []
        if not told:
            return
        async with self._core.turn:
            for _ in range(3):
                write = journal.write(self._core.bodies.data(journal.path(told[0].at)), told)
                if write is None:
                    return
                receipts = await self._core.apply(Plan((write,), ("journal",)), self._stamp())
                if not any(isinstance(receipt, Displaced) for receipt in receipts):
                    return


def _plain_moves(change: Change, before: Vault) -> list[tuple[str, str, str]]:
    """(permalink, old path, new path) of notes that are known by their place alone."""
    return [
        (note.permalink, old, new)
        for old, new in change.moved
        if (note := before.notes.get(old)) and note.kind == "note" and not note.permalink_given
    ]


def _ids(vault: Vault, note: Note) -> tuple[str, ...]:
    """The note's own id where the snapshot before had it under another path: then it is no news."""
    return (note.id,) if vault.by_id(note.id) is not None else ()
