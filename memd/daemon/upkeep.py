"""The daemon's own condition: refresh, reindex, doctor, status, conflict copies, displaced files, the watcher's health.

Knows what can go wrong around a vault and what mends it. Never changes a person's bytes: what it merges is a plan, and
what lost is kept.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from datetime import datetime
from typing import Any

from msgspec import structs

from memd import __version__
from memd.daemon.core import Core
from memd.daemon.keeper import EVERYTHING
from memd.daemon.measure import Measures
from memd.disk import keep, obsidian, root
from memd.disk.paths import CONFLICT, TRASH
from memd.disk.watch import Watcher
from memd.edit import merge
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import Plan, Remove, Write
from memd.model.problem import Problem
from memd.recall.names import clean
from memd.serve.handlers import problems
from memd.serve.handlers.context import Context

log = logging.getLogger("memd.upkeep")


class Upkeep:
    def __init__(
        self, core: Core, watcher: Watcher, measures: Measures, config: Config, now: Callable[[], datetime]
    ) -> None:
        self.core = core
        self.watcher = watcher
        self.measures = measures
        self.config = config
        self.now = now
        self.started = time.time()
        self.config_problems: tuple[Problem, ...] = ()
        self.jobs: Callable[[], list[dict[str, Any]]] = list
        self.failing: Callable[[], dict[str, str]] = dict
        self.reopen: Callable[[], None]
        self._root = core.keeper.how.root

    # files that memd keeps -------------------------------------------------------------------------------------------

    def trashed(self) -> tuple[str, ...]:
        return tuple(_notes_below(self._root, TRASH))

    def stamps(self) -> tuple[str, ...]:
        return keep.undo_stamps(self._root)

    def undoing(self, stamp: str) -> Plan | None:
        manifest = keep.undo_manifest(self._root, stamp) if stamp else keep.standing(self._root)
        return keep.undoing(self._root, manifest) if manifest else None

    def stamp(self) -> str:
        return self.core.stamp(self.now())

    # keeping in step -------------------------------------------------------------------------------------------------

    async def refresh(self, accept: bool) -> dict[str, Any]:
        await self.heed()
        before = self.core.vault.notes
        await self.core.look(accept)
        if self.core.keeper.listing.strays:
            await self.sweep()
        await self.core.quiet()
        after, hold = self.core.vault.notes, self.core.keeper.hold
        return {
            "added": len(after.keys() - before.keys()),
            "changed": sum(1 for path in after.keys() & before.keys() if after[path] is not before[path]),
            "removed": len(before.keys() - after.keys()),
            "problems": sum(len(note.problems) for note in after.values()),
            "held": hold.reason if hold else "",
        }

    async def reindex(self, full: bool) -> dict[str, Any]:
        began = time.perf_counter()
        if full:
            await self.core.rebuild()
        counts = await self.refresh(False)
        return {
            **counts,
            "notes": len(self.core.vault.notes),
            "took_ms": round((time.perf_counter() - began) * 1000, 1),
        }

    # the watcher, displaced files ------------------------------------------------------------------------------------

    async def tick(self) -> None:
        """Every second or so: let go of displaced files. A save that came late is in `.conflict/` by then; where it only
        added lines it goes into the note as well."""
        if not self.core.writer.holding:
            return
        late = await self.core.in_scribe(self.core.writer.settle, self.stamp())
        for each in late:
            await self._take_late(each.path, each.before, each.found, each.kept)

    async def heal(self) -> None:
        """The cache may be deleted at any time, now as well: it is made anew from the files."""
        library = self.core.library
        if library.stands():
            return
        async with self.core.turn:  # whoever makes the indexes anew holds it
            if library.stands():
                return
        log.warning("the cache was deleted: it is made anew from the files")
        os.makedirs(library.cache, mode=0o700, exist_ok=True)
        vectors = library.detach()
        await self.core.rebuild()
        if vectors is not None:
            await self.core.in_reader(vectors.stop)
            self.reopen()

    async def sweep(self) -> None:
        """Temporaries of a crash, and displaced files that went along when a folder was moved, are dealt with."""
        late = await self.core.in_scribe(self.core.writer.sweep, self.core.keeper.listing.strays, self.stamp())
        for each in late:
            await self._take_late(each.path, each.before, each.found, each.kept)

    async def close(self) -> None:
        """At a clean end nothing of memd's own stays between the notes, save what somebody has open: the next start finds it."""
        with suppress(Refused, OSError):
            await self.core.in_scribe(lambda: self.core.writer.settle(self.stamp(), now=True))

    async def _take_late(self, path: str, before: bytes, found: bytes, kept: str) -> None:
        async with self.core.turn:
            now = self.core.bodies.data(path)
            merged = await self.core.in_reader(merge.three_way, before, now, found) if now is not None else None
            if now is None or merged is None:
                self.core.touch(frozenset({path}))
                return
            steps = (Write(path, merged, sha256(now), append=True), Remove(kept, sha256(found)))
            await self.core.apply(Plan(steps, ("a late save was merged",)), self.stamp())

    async def heed(self) -> None:
        """What Obsidian and the config exclude may be changed at any time. Settings that cannot be read (they are being
        written) stand as they were."""
        keeper = self.core.keeper
        told = await self.core.in_reader(obsidian.settings, self._root)
        if told.problems:
            told = structs.replace(keeper.heeded[0], problems=told.problems)
        if (told, self.config.vault.ignore) == keeper.heeded:
            return
        async with self.core.turn:
            keeper.heed(told, self.config.vault.ignore)
        self.watcher.ignore = keeper.ignore
        await self.core.in_reader(self.watcher.restart)

    async def scan(self) -> None:
        """What the watcher missed, and whether it still hears anything."""
        await self.heed()
        health = await self.core.in_reader(self.watcher.check, self.core.keeper.listing.folders)
        if not health and self.watcher.state().mode == "watching":
            log.warning("file events are not to be relied on: watching anew")
            await self.core.in_reader(self.watcher.restart)
            health = await self.core.in_reader(self.watcher.check, self.core.keeper.listing.folders)
            if health.blind:
                self.watcher.give_up(health.blind)
        if self.core.keeper.listing.strays and not self.core.keeper.hold:
            await self.sweep()
        self.core.touch(EVERYTHING, news=False)

    # telling ---------------------------------------------------------------------------------------------------------

    async def doctor(self, ctx: Context, asked: Any) -> dict[str, Any]:
        fixed = await self._fix() if asked.fix else 0
        known = self.core.keeper
        if self.core.looked and (known.hold or await self.core.in_reader(root.identify, self._root) != known.identity):
            await self.core.look()
        conflicts = await self.core.in_reader(lambda: tuple(_notes_below(self._root, CONFLICT)))
        reported = self._reported()
        if why := await self.core.in_reader(root.unwritable, self._root):
            reported.append(Problem("read_only", "", 0, *why))
        answer = await self.core.in_reader(problems.doctor, ctx, reported, conflicts, asked.cursor)
        return {**answer, "fixed": fixed}

    async def _fix(self) -> int:
        """What can be mended without losing anything: the indexes are brought in step with the files."""
        before = self.core.library.text.count()
        await self.refresh(False)
        return abs(self.core.library.text.count() - before)

    def _reported(self) -> list[Problem]:
        keeper, library = self.core.keeper, self.core.library
        found = [*self.config_problems, *keeper.listing.problems, *keeper.problems.values()]
        found += [*keeper.heeded[0].problems, *keeper.ignore.problems]
        state = self.watcher.state()
        if state.mode != "watching":
            found.append(Problem("not_watching", "", 0, state.reason or "files are not watched", "memd scans instead"))
        if keeper.hold:
            found.append(Problem("held", "", 0, keeper.hold.reason, "memd refresh --accept takes the loss over"))
        if library.indexer.error:
            found.append(Problem("index", "", 0, library.indexer.error, "free some space; memd tries again by itself"))
        for name, why in self.failing().items():
            found.append(Problem("step_failed", "", 0, f"{name}: {why}", "memd tries again by itself, later each time"))
        vectors = library.vector_status()
        if vectors.state == "off" and self.config.vectors.model != "off":
            found.append(Problem("no_vectors", "", 0, vectors.reason or "no model", "search by words goes on"))
        elif why := library.trouble():
            found.append(Problem("vectors_wait", "", 0, why, "free some space; memd tries again by itself"))
        return found

    def write_metrics(self, path: str) -> None:
        core = self.core
        gauges = {
            "notes": len(core.vault.notes),
            "index_pending": core.library.indexer.pending,
            "held": float(core.keeper.hold is not None),
            "vectors_done": core.library.vector_status().done,
            "vectors_total": core.library.vector_status().total,
        }
        try:
            self.measures.write(os.path.expanduser(path), gauges)
        except OSError as error:
            log.warning("the metrics file could not be written: %s", error.strerror)

    def status(self, backlog: Callable[[], dict[str, int]]) -> dict[str, Any]:
        core, vectors, keeper = self.core, self.core.library.vector_status(), self.core.keeper
        return {
            "daemon": {
                "version": __version__,
                "pid": os.getpid(),
                "started": datetime.fromtimestamp(self.started, self.now().tzinfo).isoformat(timespec="seconds"),
                "watching": self.watcher.state().mode,
                "held": keeper.hold.reason if keeper.hold else "",
            },
            "vault": {"path": clean(self._root), "notes": len(core.vault.notes), "files": len(keeper.listing.files)},
            "text": {"units": core.library.text.count(), "error": core.library.indexer.error},
            "vectors": {
                "state": vectors.state,
                "model": vectors.model,
                "reason": vectors.reason,
                "done": vectors.done,
                "total": vectors.total,
                "left": vectors.left,
            },
            "backlog": {**backlog(), "files": core.state()["pending"]},
            "jobs": self.jobs(),
            "methods": self.measures.summary(),
            "queues": {"index": core.library.indexer.pending, "displaced": core.writer.holding},
            "failing": self.failing(),
            "problems": sum(len(note.problems) for note in core.vault.notes.values()) + len(self._reported()),
        }


def _notes_below(root: str, folder: str) -> Iterable[str]:
    for where, folders, names in os.walk(os.path.join(root, folder), followlinks=False):
        folders[:] = [name for name in folders if not os.path.islink(os.path.join(where, name))]
        for name in sorted(names):
            if name.endswith(".md"):
                yield os.path.relpath(os.path.join(where, name), root)
