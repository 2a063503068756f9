"""What follows a change: copies merged, moves remembered, a person's edits taken as theirs, the journal kept.

Knows whose hand made a change. Runs while the turn is held, or queues what may take longer. Never decides on words.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from datetime import datetime
from typing import Any

from memd.daemon import here, moved
from memd.daemon.asking import drive
from memd.daemon.core import Core
from memd.daemon.steps import Answerer
from memd.edit import copies, journal
from memd.form import digest, handedits, reunion
from memd.model.change import Change
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.note import Note
from memd.model.plan import Displaced, Move, Plan
from memd.model.question import Asking
from memd.model.vault import Vault

log = logging.getLogger("memd.aftermath")

ATTEMPTS = 4
"""A copy's note that changes while it is merged is read again, so often."""


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
        self._waiting: set[str] = set()

    async def follow(self, change: Change, before: Vault, mine: bool) -> bool:
        """Whether there is something pending for a formation step."""
        folder = self._config().formation.folder
        if any(note.path == moved.path_of(folder) for note in change.written):
            self._learn_moves(folder)
        if change.moved:
            await self._tried(self._remember_moves(folder, change, before))
        if mine:
            self._tell(change, before)
            return False
        if self._config().sync.merge:
            await self._tried(self._merge_copies(change))
        gone = {old for old, _ in change.moved}
        self._edited |= {n.path for n in change.written if n.kind in handedits.KINDS}
        self._ticked |= {n.path for n in change.written if n.kind == "digest"}
        lost = (before.notes[path] for path in change.removed if path not in gone)
        self._deleted |= {note.id: note for note in lost if note.kind == "leaf"}
        return bool(self._edited or self._deleted or self._ticked)

    async def _tried(self, work: Coroutine[Any, Any, None]) -> None:
        """What the vault does not take now (a full disk, a folder that has just gone) stops nothing else that follows."""
        try:
            await work
        except Refused as refused:
            log.warning("what follows a change could not be written (%s)", refused.code)

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

    # sync engines' copies ----------------------------------------------------------------------------------------------

    async def _merge_copies(self, change: Change) -> None:
        """Copies that came with this change, and those that wait for a note that it brings; again as long as one of
        them makes another ready: an episode's links are right once its evidence is joined."""
        written = {note.path for note in change.written}
        due = [path for path in sorted(self._waiting | written) if path in written or written & set(_originals(path))]
        due.sort(key=lambda path: (note := self._core.vault.notes.get(path)) is None or note.kind != "evidence")
        settled = True
        while settled and due:
            settled = False
            for path in tuple(due):
                if await self._merge_copy(path):
                    due.remove(path)
                    settled = True
        self._waiting = {path for path in self._waiting | set(due) if self._core.vault.notes.get(path)}
        self._waiting = {path for path in self._waiting if copies.is_copy(path)}

    async def _merge_copy(self, path: str) -> bool:
        """A copy that only adds is merged as soon as it is seen; anything else is left, and doctor shows both."""
        for original in _originals(path):
            source = self._core.vault.at(original)
            if source is None or source.path == path or path not in self._core.vault.notes:
                continue
            for _ in range(ATTEMPTS):
                plan = await self._core.in_reader(self._settling, path, source.path)
                if not plan:
                    break
                receipts = await self._core.apply(plan, self._stamp())
                if not any(isinstance(receipt, Displaced) for receipt in receipts):
                    log.info("a sync engine's copy was merged into its note")
                    return True
        return False

    def _settling(self, path: str, original: str) -> Plan | None:
        """What is to be done with a copy. A plain name is no sign that a file of memory's is a copy: a person may have
        made it; evidence is joined all the same, a turn is a turn."""
        vault, read = self._core.vault, self._core.bodies.data
        source = vault.notes.get(original)
        if reunion.owned(source) and source and (copies.is_copy(path) or source.kind == "evidence"):
            step = reunion.settle(vault, self._config(), self._now(), path, original)
            return drive(step, Answerer(self._core, None))[0]
        copy, note = read(path), read(original)
        if original == here.path_of(self._config().formation.folder) and copy is not None:
            why = "two devices put their names down: the one that the sync engine kept forms memory"
            return Plan((Move(path, copies.kept_copy(path, copy), sha256(copy)),), (why,))
        return copies.settle(path, original, copy, note) if copy is not None and note is not None else None

    # moves ---------------------------------------------------------------------------------------------------------------

    def learn(self) -> None:
        """At start: what was noted of moves before, and which copies wait for their notes."""
        self._waiting = {path for path in self._core.vault.notes if copies.is_copy(path)}
        self._learn_moves(self._config().formation.folder)

    def _learn_moves(self, folder: str) -> None:
        text = self._core.bodies.text(moved.path_of(folder))
        known = moved.read(text) if text else {}
        if known != self._core.vault.moved:
            self._core.keeper.vault = self._core.vault.after(Change(), known)

    async def _remember_moves(self, folder: str, change: Change, before: Vault) -> None:
        moves = [
            (note.permalink, old, new)
            for old, new in change.moved
            if (note := before.notes.get(old)) and note.kind == "note" and not note.permalink_given
        ]
        data = self._core.bodies.data(moved.path_of(folder))
        write = moved.written(folder, data, self._core.vault.moved, moves)
        if write is not None:
            await self._core.apply(Plan((write,), ("notes were moved",)), self._stamp())

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


def _originals(path: str) -> tuple[str, ...]:
    """Where the note may be that a file is a copy of, by its name."""
    original = copies.original_of(path)
    return (original,) if original else copies.perhaps_of(path)


def _ids(vault: Vault, note: Note) -> tuple[str, ...]:
    """The note's own id where the snapshot before had it under another path: then it is no news."""
    return (note.id,) if vault.by_id(note.id) is not None else ()
