"""The parts of a running daemon, each as a context that starts it and takes it down.

`build` enters them in order and leaves them in reverse, behind the door, which is open already.
"""

from __future__ import annotations

import asyncio
import logging
import os
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, suppress
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from memd.daemon import clock, heap
from memd.daemon.bodies import DiskBodies
from memd.daemon.core import Core, until_had
from memd.daemon.door import Door
from memd.daemon.events import Events
from memd.daemon.keeper import SLICE, Keeper
from memd.daemon.library import Library
from memd.daemon.memory import Memories
from memd.daemon.pool import Pool
from memd.daemon.reading import How, Wanted, read_some
from memd.daemon.service import Service
from memd.daemon.upkeep import Upkeep
from memd.daemon.writing import Desk
from memd.disk import obsidian, root
from memd.disk.listing import Listing, Stat
from memd.disk.watch import Watcher
from memd.disk.writer import Writer
from memd.index.port import VectorStatus
from memd.model.change import Change
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.problem import Problem
from memd.model.vault import Vault
from memd.serve import places, systemd

log = logging.getLogger("memd.app")

TICK = 1.0
METRICS = 30.0
"""Seconds between the small chores, and between two writings of the metrics file."""


class App:
    """One vault's daemon. `problems` are the config's; `idle_exit` in seconds, None: never."""

    def __init__(
        self,
        place: places.Place,
        config: Config,
        problems: tuple[Problem, ...],
        zone: ZoneInfo,
        idle_exit: int | None,
        door: Door,
    ) -> None:
        self.place = place
        self.config = config
        self.zone = zone
        self.root = os.path.realpath(place.vault)
        self._door = door
        self._looked = asyncio.Event()
        self._config_problems = problems
        self._idle_exit = idle_exit
        self._look: Callable[[], None] = lambda: None
        self._pool = Pool()
        self._untidy = False
        self._late: asyncio.Task[None] | None = None
        self.service: Service

    def now(self) -> Any:
        return clock.now(self.zone)

    # indexes and snapshot ----------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def indexes(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        how = How(self.root, self.config.formation.folder, self.config.vault.max_note, self.zone.key)
        self.library = await loop.run_in_executor(None, Library, self.place.cache, self._committed)
        rows = await loop.run_in_executor(None, self.library.rows)
        self.keeper = Keeper(how, self.library.indexer, self.library, self._pool.executor)
        known = Listing(
            {p: Stat(s.size, s.mtime_ns, s.ctime_ns, s.ino, s.dev, 1) for p, r in rows.items() if (s := r.stat)}
        )
        listed_at = await loop.run_in_executor(None, self.library.listed_at)
        self.keeper.heed(obsidian.settings(self.root), self.config.vault.ignore)
        await loop.run_in_executor(None, self.keeper.restore, rows, known, listed_at, root.identify(self.root))
        bodies = DiskBodies(self.root, self.config.vault.max_note, self.keeper.version)
        self.core = Core(self.keeper, self.library, Writer(self.root), bodies)
        self.library.indexer.start()
        try:
            yield
        finally:
            self.core.close()
            await loop.run_in_executor(None, self.library.close)
            self._pool.end(wait=True)

    def _committed(self) -> None:
        with suppress(AttributeError):
            self.core.on_commit()

    # files -------------------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def files(self) -> AsyncIterator[None]:
        core = self.core
        self.watcher = Watcher(self.root, core.touch_from_thread, self.keeper.ignore)
        self.upkeep = Upkeep(core, self.watcher, self._door.measures, self.config, self.now)
        self.upkeep.config_problems = self._config_problems
        desk = Desk(core, self.now, time.monotonic)
        self.memories = Memories(core, self.config, self.now, self.upkeep.stamp, desk.tokens)
        self.upkeep.reopen = self._begin_vectors
        self.upkeep.failing = lambda: dict(self.memories.duties.errors)
        self.events = Events(self._door.server, self.keeper)
        core.changed = self._changed
        service = Service(self._door.about, core, desk, self.memories, self.upkeep, self.config, self.now)
        await core.in_reader(self.watcher.start)
        self.memories.aftermath.learn()
        core.looked_over = self.memories.aftermath.again
        first = asyncio.create_task(self._first_look())
        self.service = service
        self._door.ready(service)
        try:
            yield
        finally:
            first.cancel()
            with suppress(asyncio.CancelledError):
                await first
            await self.memories.close()
            await core.in_reader(self.watcher.stop)
            await self.upkeep.close()

    async def _first_look(self) -> None:
        while not self.core.opened.is_set():
            await self._chore(self._opening())
        await self.core.in_reader(heap.settle)
        await self._chore(self.upkeep.sweep())
        self.memories.duties.finish()

    async def _opening(self) -> None:
        try:
            await self.core.look()
        except (Refused, OSError):
            await asyncio.sleep(TICK)
            raise

    async def _changed(self, change: Change, before: Vault, mine: bool) -> None:
        self.events.publish(change)
        await self.memories.changed(change, before, mine)

    # what comes last ---------------------------------------------------------------------------------------------------

    @asynccontextmanager
    async def meaning(self) -> AsyncIterator[None]:
        """Vectors, on their own time: nothing waits for them, and their libraries are loaded only now."""
        self._begin_vectors()
        try:
            yield
        finally:
            if self._late:
                self._late.cancel()
                with suppress(asyncio.CancelledError):
                    await self._late

    def _begin_vectors(self) -> None:
        if self._late:
            self._late.cancel()
        self._late = asyncio.create_task(until_had(self._open_vectors, self.library.put_off))

    async def _open_vectors(self) -> None:
        await self.core.opened.wait()
        if self.library.vectors is None:
            self.library.attach(await self.core.in_reader(self._make_vectors))
        vectors = self.library.vectors
        paths = self.core.vault.notes.keys()
        known = await self.core.in_reader(vectors.known)
        missing = [Wanted(path) for path in sorted(paths - known)] if vectors.takes else []
        while missing:
            vectors.expect(len(missing))
            some, missing = missing[:SLICE], missing[SLICE:]
            found = await self.core.in_reader(lambda some=some: list(read_some(self.keeper.how, some)))
            await self.core.in_reader(vectors.update, {each.path: each.passages for each in found if each.note})
        if gone := known - paths:
            await self.core.in_reader(vectors.update, {}, gone)
        vectors.expect(0)

    def _make_vectors(self) -> Any:
        from memd.index.meaning import Meaning

        loop, config = self.core.loop, self.config.vectors

        def told(status: VectorStatus) -> None:
            loop.call_soon_threadsafe(self.events.progress, msgspec.to_builtins(status))

        vectors = Meaning(
            os.path.join(self.place.cache, "vectors"),
            config.model,
            models=os.path.join(places.cache_folder(os.environ), "models"),
            read=self._passages,
            budget=config.query_budget_ms / 1000,
            threads=config.threads,
            key=os.environ.get(config.api_key_env, "") if config.api_key_env else "",
            on_progress=told,
        )
        vectors.expect(len(self.core.vault.notes))
        vectors.start()
        return vectors

    def _passages(self, path: str) -> tuple[Any, ...]:
        return next(iter(read_some(self.keeper.how, [Wanted(path)]))).passages or ()

    @asynccontextmanager
    async def alarms(self) -> AsyncIterator[None]:
        """The scheduler, last of all; it only wakes, what is due is found from the files. Nothing waits for it: a stop in
        the middle of a first look is obeyed at once."""
        starting = asyncio.create_task(until_had(self._start_alarm))
        try:
            yield
        finally:
            starting.cancel()
            with suppress(asyncio.CancelledError):
                (await starting).stop()

    async def _start_alarm(self) -> Any:
        await self.core.opened.wait()
        from memd.jobs.wake import Alarm

        intervals = {"memory": self.config.formation.every}
        intervals |= {f"import:{each.path}": each.every for each in self.config.imports}
        alarm = Alarm(intervals, self._ring)
        alarm.start()
        self.upkeep.jobs = lambda: self.memories.duties.told(alarm.next_runs(), self.zone)
        self._look = alarm.look
        return alarm

    def _ring(self, name: str) -> None:
        if name == "memory":
            self.memories.duties.due()
        for each in self.config.imports:
            if name == f"import:{each.path}":
                self.memories.duties.take_in(each)

    def reload(self) -> None:
        """SIGHUP: the config anew. What cannot change while running says so."""
        try:
            self.config, self.upkeep.config_problems = places.read_again(self.place.config, self.config)
        except Refused as refused:
            log.error("the settings stay as they are: %s", refused.message)
            return
        for wrong in self.upkeep.config_problems:
            log.warning("%s, line %d: %s; memd doctor says more", wrong.path, wrong.line, wrong.code)
        self.upkeep.config = self.memories.config = self.service.config = self.config

    async def run(self, stop: asyncio.Event) -> None:
        """Until told to stop, or idle for too long: small chores every second, a scan every half minute."""
        loop = asyncio.get_running_loop()
        next_scan = loop.time() + self.config.daemon.scan_every
        watchdog = systemd.watchdog_seconds(os.environ)
        next_bark = next_metrics = loop.time()
        while not stop.is_set():
            with suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), TICK)
            await self._chore(self.upkeep.tick())
            await self._chore(self.upkeep.heal())
            if not self.core.absorbing:
                self._untidy = self._pool.end() or self._untidy
            if self._untidy and not self.library.indexer.pending:
                self._untidy = False
                await self.core.in_reader(heap.trim)
            if watchdog and loop.time() >= next_bark:
                systemd.notify(os.environ, "WATCHDOG=1")
                next_bark = loop.time() + watchdog
            if loop.time() >= next_scan and not stop.is_set():
                self._look()
                await self._chore(self.upkeep.scan())
                next_scan = loop.time() + self.config.daemon.scan_every
            if self.config.daemon.metrics_file and loop.time() >= next_metrics:
                await self.core.in_reader(self.upkeep.write_metrics, self.config.daemon.metrics_file)
                next_metrics = loop.time() + METRICS
            if self._idle(loop.time()):
                log.info("nobody asked for a while: leaving")
                return

    async def _chore(self, work: Coroutine[Any, Any, None]) -> None:
        """What the system refuses just now (no vault, a full disk, no descriptors) is done another time."""
        try:
            await work
        except (Refused, OSError) as error:
            log.warning("a chore is put off: %s", error.code if isinstance(error, Refused) else error.strerror)

    def _idle(self, now: float) -> bool:
        since = self._door.server.idle_since()
        return bool(self._idle_exit) and since is not None and now - since > (self._idle_exit or 0)
