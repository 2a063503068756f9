"""The heart: touched paths in, snapshots out, and the one turn in which anything changes.

Holds the keeper, the library and the writer together. Everything that changes the vault or the snapshot happens while
`turn` is held; everything that only looks takes `vault` as it stands. Never knows what a request or a formation step wants.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from concurrent.futures import BrokenExecutor, ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from typing import Any, TypeVar

from memd.daemon.bodies import DiskBodies
from memd.daemon.indexer import BULK
from memd.daemon.keeper import EVERYTHING, Keeper, Looked
from memd.daemon.lanes import Lanes
from memd.daemon.library import Library
from memd.disk import keep
from memd.disk.writer import Writer
from memd.edit import trash
from memd.model.change import Change
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.note import Note
from memd.model.plan import Move, Plan, Receipt, Write
from memd.model.vault import Vault
from memd.recall import spans, spoken, subjects

log = logging.getLogger("memd.core")
T = TypeVar("T")

QUIET = 0.008
"""Seconds after a touch before looking: an atomic save is several events."""
AGAIN = 0.05
"""Seconds before a file that was being written is looked at again."""
RETRY_AFTER = 5.0
"""Seconds before looking again where that failed (no descriptors left, a reading process killed)."""
FEW, A_LITTLE = 64, 0.1
"""So many changes on their way into the index are worth waiting for, for so many seconds."""
ROOM = BULK + 1000
"""Notes that wait for the text index before no more are read: what waits is held in memory with all its words."""
PATIENCE = 2.0
"""Seconds a reader waits for a write to become searchable before it answers with `current: false`."""


async def until_had(work: Callable[[], Awaitable[T]], put_off: Callable[[str], None] = lambda why: None) -> T:
    """What is loaded late, tried again where the system has nothing to give for it (no descriptors left)."""
    while True:
        try:
            return await work()
        except OSError as error:
            log.warning("a late part could not be loaded, again in %.0f s: %s", RETRY_AFTER, error.strerror)
            put_off(f"{error.strerror}: that is tried again.")
        await asyncio.sleep(RETRY_AFTER)


class Core:
    """One vault's moving parts. Methods belong to the event loop unless they say otherwise."""

    def __init__(self, keeper: Keeper, library: Library, writer: Writer, bodies: DiskBodies) -> None:
        self.keeper = keeper
        self.library = library
        self.writer = writer
        self.bodies = bodies
        self.turn = asyncio.Lock()
        self.opened = asyncio.Event()
        self.changed: Callable[[Change, Vault, bool], Awaitable[None]] | None = None
        self.looked_over: Callable[[], Awaitable[None]] | None = None
        self.visible_wanted = 0
        self.reading = 0
        self.looked = False
        self.absorbing = 0
        self._stamp = ""
        self.loop = asyncio.get_running_loop()
        self._readers = Lanes(4, "memd-read")
        self._scribe = ThreadPoolExecutor(1, thread_name_prefix="memd-write")
        self._touched: set[str] = set()
        self._news = False
        self._changing = 0
        self._looking: asyncio.Task[None] | None = None
        self._committed = asyncio.Event()

    @property
    def vault(self) -> Vault:
        return self.keeper.vault

    # what is current ---------------------------------------------------------------------------------------------

    def state(self) -> dict[str, Any]:
        """`index` of every result (contract): whether files and text index are in step, and how many are not."""
        pending = self.library.indexer.pending + (len(self._touched) if self._news else 0) + self.reading
        held = self.keeper.hold is not None
        return {
            "current": pending == 0 and self._in_step() and not held and not self.library.indexer.error,
            "pending": pending,
        }

    def _in_step(self) -> bool:
        """Whether the files were looked at, and nothing is known that may differ from what was seen. The watcher tells of
        memd's own writes, too, and the scan looks for nothing in particular: such a look is no reason to doubt."""
        looking = self._looking is not None or self.absorbing
        return self.looked and not self._changing and not (self._news and looking)

    def on_commit(self) -> None:
        """From the indexer's thread."""
        self.loop.call_soon_threadsafe(self._committed.set)

    async def begun(self) -> None:
        """After a first start there is nothing to answer from: wait for the first files, at most `PATIENCE`."""
        end = self.loop.time() + PATIENCE
        while not (self.opened.is_set() or self.vault.notes) and self.loop.time() < end:
            with suppress(TimeoutError):
                await asyncio.wait_for(self.opened.wait(), A_LITTLE)

    async def visible(self) -> None:
        """Wait until what clients wrote is searchable, at most `PATIENCE`; a few changes of a person's are waited for a
        little, so that a note that moves is not missing between its two places, and the first ones of an empty index."""
        indexer = self.library.indexer
        if indexer.visible < self.visible_wanted:
            await self._committing(lambda: indexer.visible >= self.visible_wanted, PATIENCE)
        elif indexer.pending and not self.library.text.count():
            await self._committing(lambda: not indexer.pending or self.library.text.count() > 0, PATIENCE)
        elif 0 < indexer.pending <= FEW:
            await self._committing(lambda: not 0 < indexer.pending <= FEW, A_LITTLE)

    async def _committing(self, enough: Callable[[], bool], patience: float) -> None:
        """Until it is enough, or for so many seconds; what is enough already hurries nobody."""
        if not enough():
            self.library.indexer.hurry()
            await self._commits(enough, patience)

    async def _commits(self, enough: Callable[[], bool], patience: float) -> None:
        end = self.loop.time() + patience
        while not enough() and (left := end - self.loop.time()) > 0:
            self._committed.clear()
            if enough():
                return
            with suppress(TimeoutError):
                await asyncio.wait_for(self._committed.wait(), left)

    async def quiet(self) -> None:
        """Wait until what was found is searchable, however long the indexes take."""

        def enough() -> bool:
            return self.state()["current"] or self.keeper.hold is not None or bool(self.library.indexer.error)

        while not enough():
            await self._committing(enough, 0.2)

    async def rebuild(self) -> None:
        """Make all that is derived anew from the files, in files that hold nothing of the old; embeddings that no text
        uses go. The snapshot goes on answering."""
        async with self.turn:
            await self.in_reader(self.library.indexer.clear)
            self.bodies.forget()
            spoken.forget()
            spans.forget()
            subjects.NAMED.forget()
            self.keeper.forget()
            await self.absorb(EVERYTHING)
        await self.quiet()
        await self.in_reader(self.library.forget_unused)

    # threads -----------------------------------------------------------------------------------------------------

    async def in_reader(self, work: Callable[..., T], *args: Any) -> T:
        return await self._readers.run(lambda: work(*args))

    async def in_scribe(self, work: Callable[..., T], *args: Any) -> T:
        return await self.loop.run_in_executor(self._scribe, lambda: work(*args))

    # looking -----------------------------------------------------------------------------------------------------

    def touch_from_thread(self, paths: frozenset[str]) -> None:
        self.loop.call_soon_threadsafe(self.touch, paths)

    def touch(self, paths: frozenset[str], news: bool = True) -> None:
        """These may differ now: look soon. `news`: somebody says so, it is no routine."""
        self._news = self._news or (news and not self.keeper.echoes(paths))
        self._touched |= paths
        if self._looking is None:
            self._looking = self.loop.create_task(self._look_soon())

    async def _look_soon(self) -> None:
        try:
            while self._touched:
                await asyncio.sleep(QUIET)
                touched = self._take_touched()
                try:
                    async with self.turn:
                        await self.absorb(touched)
                except (Refused, OSError, BrokenExecutor) as error:
                    log.warning("looking at the files failed, again in %.0f s: %s", RETRY_AFTER, type(error).__name__)
                    self.loop.call_later(RETRY_AFTER, self.touch, touched)
        finally:
            self._looking = None
            self._news = False

    def _take_touched(self) -> frozenset[str]:
        touched = EVERYTHING if "" in self._touched else frozenset(self._touched)
        self._touched.clear()
        return touched

    async def look(self, accept: bool = False) -> Change:
        """Look at everything now, with whatever was touched; the turn must not be held."""
        async with self.turn:
            self._touched.clear()
            change = await self.absorb(EVERYTHING, accept=accept)
        self.opened.set()
        return change

    async def absorb(
        self, touched: frozenset[str], urgent: bool = False, accept: bool = False, ours: int = 0
    ) -> Change:
        """Bring the snapshot in step with these files; the turn is held, and lent out between slices of a large vault."""
        self.absorbing += 1
        self._changing += urgent
        try:
            looked = await self.in_reader(self.keeper.look, touched, accept, ours)
            change = await self._take(looked, urgent)
            while looked.rest and looked.hold is None:
                self.reading = len(looked.rest)
                looked = await self.in_reader(self.keeper.more, looked)
                await self._take(looked, urgent)
                await self._lend_turn()
        finally:
            self.reading = 0
            self.absorbing -= 1
            self._changing -= urgent
        if touched == EVERYTHING:
            self.looked = True
            if self.looked_over is not None and self.keeper.hold is None:
                await self.looked_over()
        return change

    async def _lend_turn(self) -> None:
        """Others first, and no more is read before there is room for it."""
        self.turn.release()
        try:
            await self._commits(lambda: self.library.indexer.pending < ROOM, PATIENCE)
            await asyncio.sleep(0)
        finally:
            await self.turn.acquire()

    async def _take(self, looked: Looked, urgent: bool) -> Change:
        before = self.keeper.vault
        change, number = await self.in_reader(self.keeper.take, looked, urgent)
        if urgent and number:
            self.visible_wanted = max(self.visible_wanted, number)
        if looked.again:
            self.loop.call_later(AGAIN, self.touch, looked.again)
        if change and self.changed is not None:
            await self.changed(change, before, urgent)
        return change

    # writing -----------------------------------------------------------------------------------------------------

    async def apply(self, plan: Plan, stamp: str) -> tuple[Receipt, ...]:
        """Carry a plan out and see its effect in the snapshot; the turn is held."""
        if not plan:
            return ()
        receipts = await self.in_scribe(self.writer.apply, plan, stamp)
        paths = {
            path for step in plan.steps for path in ((step.path, step.to) if isinstance(step, Move) else (step.path,))
        }
        removed = sum(1 for step in plan.steps if not hasattr(step, "content"))
        await self.absorb(frozenset(paths), urgent=True, ours=removed)
        if (theirs := self._not_as_written(plan)) and self.changed is not None:
            await self.changed(Change(theirs), self.vault, False)
        return receipts

    def stamp(self, now: datetime) -> str:
        """A new one for an undo record, after all that stand."""
        self._stamp = trash.stamp_after(self._stamp or trash.latest(keep.undo_stamps(self.keeper.how.root)), now)
        return self._stamp

    def _not_as_written(self, plan: Plan) -> tuple[Note, ...]:
        """Files that a person saved before or right after memd's own write: what they hold is theirs."""
        found = ((step, self.vault.notes.get(step.path)) for step in plan.steps if isinstance(step, Write))
        return tuple(note for step, note in found if note is not None and note.sha256 != sha256(step.content))

    def close(self) -> None:
        """What is looked at just now is given up: the next start looks again."""
        if self._looking is not None:
            self._looking.cancel()
        self._readers.close()
        self._scribe.shutdown(wait=True)
