"""Sync engines' copies taken into their notes as they come, and when a note comes, or goes, that one waits for.

Knows which copies are due: by what changed since they were looked at, never by the order in which it did. Runs while the
turn is held. Never decides on words: a person's notes are `edit.copies`, memory's own files `form.reunion`.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime
from functools import cached_property

from memd.daemon import here
from memd.daemon.asking import drive
from memd.daemon.core import Core
from memd.daemon.steps import Answerer
from memd.disk import keep
from memd.edit import copies
from memd.form import renumber, reunion
from memd.model.change import Change
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import Displaced, Move, Plan
from memd.model.vault import Vault, stem

log = logging.getLogger("memd.copying")

ATTEMPTS = 4
"""A copy's note that changes while it is merged is read again, so often."""


class Copying:
    """`notice` says what changed, `settle` does what is due; what was refused is due again after `again`."""

    def __init__(
        self, core: Core, config: Callable[[], Config], now: Callable[[], datetime], stamp: Callable[[], str]
    ) -> None:
        self._core = core
        self._config = config
        self._now = now
        self._stamp = stamp
        self._waiting = copies.Waiting()
        self._due: set[str] = set()
        self._late: set[str] = set()
        self._refused: set[str] = set()
        self._settling = False

    def learn(self) -> None:
        """At start: every copy by name is due, as the last run may have been cut short before it was settled."""
        self._waiting = copies.Waiting(self._core.vault.notes)
        self._due = {path for path in self._core.vault.notes if copies.is_copy(path)}

    @cached_property
    def _back(self) -> dict[str, str]:
        """What an undo put back before this run, read when the first copy is to be settled: there may be many records."""
        return keep.put_back(self._core.keeper.how.root)

    def notice(self, change: Change, before: Vault, mine: bool) -> None:
        """A file that memd itself put under a copy's name (an undo of a merge did) is left as it was put."""
        for path in change.removed:
            self._waiting.discard(path)
        paths = [note.path for note in change.written]
        if not mine:
            self._late |= {note.path for note in change.written if note.kind in renumber.KINDS}
        for path in paths:
            if (path in before.notes or not mine) and self._waiting.add(path):
                self._due.add(path)
        self._due |= {copy for path in (*paths, *change.removed) for copy in self._waiting.of(path)}

    def again(self) -> None:
        """What the vault did not take may go now: a disk has space again, a file may be written."""
        self._refused.intersection_update(self._core.vault.notes)
        self._due |= self._refused

    async def settle(self) -> None:
        """What is due, and again as long as one makes another ready: an episode's links are right once its evidence is
        joined. What changes meanwhile is noticed by the same road, and looked at in the same run or the next one."""
        if self._settling or not self._config().sync.merge:
            return
        self._settling = settled = True
        due: set[str] = set()
        try:
            while settled:
                await self._follow()
                due, self._due = {path for path in due | self._due if path in self._core.vault.notes}, set()
                settled = False
                for path in sorted(due, key=self._order):
                    if await self._settled(path):
                        due.discard(path)
                        settled = True
        finally:
            self._settling = False

    async def _follow(self) -> None:
        """What came after its evidence had been joined means the copy's turns by the numbers that they had there."""
        late, self._late = self._late, set()
        if not late:
            return
        vault, folder = self._core.vault, f"{self._config().formation.folder}/evidence"
        came = [note for path in late if (note := vault.notes.get(path))]
        for kept in await self._core.in_reader(keep.set_aside, self._core.keeper.how.root, folder):
            for path in copies.originals(copies.copy_kept_at(kept) or ""):
                if any(renumber.speaks(note, stem(path)) for note in came):
                    await self._followed(path, kept, late)

    async def _followed(self, path: str, kept: str, late: set[str]) -> None:
        for _ in range(ATTEMPTS):
            plan = await self._core.in_reader(self._following, path, kept)
            try:
                receipts = await self._core.apply(plan, self._stamp())
            except Refused as refused:
                log.warning("links into joined evidence could not be written now, memd tries again (%s)", refused.code)
                self._late |= late
                return
            if not any(isinstance(receipt, Displaced) for receipt in receipts):
                return

    def _following(self, path: str, kept: str) -> Plan:
        return drive(reunion.follow(self._core.vault, path, kept), Answerer(self._core, None))[0]

    def _order(self, path: str) -> tuple[bool, str]:
        note = self._core.vault.notes.get(path)
        return note is None or note.kind != "evidence", path

    async def _settled(self, path: str) -> bool:
        """A copy that only adds is merged as soon as it is seen; anything else is left, and doctor shows both."""
        known = path in self._refused
        self._refused.discard(path)
        try:
            return await self._merge(path)
        except Refused as refused:
            self._refused.add(path)
            if not known:
                log.warning("a sync engine's copy could not be merged now, memd tries again (%s)", refused.code)
            return False

    async def _merge(self, path: str) -> bool:
        for original in copies.originals(path):
            source = self._core.vault.at(original)
            if source is None or source.path == path or path not in self._core.vault.notes:
                continue
            for _ in range(ATTEMPTS):
                plan = await self._core.in_reader(self._plan, path, source.path)
                if not plan:
                    break
                receipts = await self._core.apply(plan, self._stamp())
                if not any(isinstance(receipt, Displaced) for receipt in receipts):
                    log.info("a sync engine's copy was merged into its note")
                    return True
        return False

    def _plan(self, path: str, original: str) -> Plan | None:
        """What is to be done with a copy. A plain name is no sign that a file of memory's is a copy: a person may have
        made it; evidence is joined all the same, a turn is a turn."""
        vault, read = self._core.vault, self._core.bodies.data
        source, copy, note = vault.notes.get(original), read(path), read(original)
        if copy is None or note is None:
            raise Refused("unavailable", f"{path} or {original} cannot be read now")
        if self._back.get(path) == sha256(copy):
            return None
        if reunion.owned(source) and source and (copies.is_copy(path) or source.kind == "evidence"):
            step = reunion.settle(vault, self._config(), self._now(), path, original)
            return drive(step, Answerer(self._core, None))[0]
        if original == here.path_of(self._config().formation.folder):
            why = "two devices put their names down: the one that the sync engine kept forms memory"
            return Plan((Move(path, copies.kept_copy(path, copy), sha256(copy)),), (why,))
        return copies.settle(path, original, copy, note)
