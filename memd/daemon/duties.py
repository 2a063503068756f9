"""Memory work that nobody waits for: sessions to be formed, and whatever the files say is due.

Knows what is due (from files and now) and the order in which it is done. A step that fails is named, waits longer each
time, and holds up nothing else. Never keeps a state that the files do not have.
"""

from __future__ import annotations

import asyncio
import os
from collections import OrderedDict
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta, tzinfo
from functools import partial
from typing import Any

from memd.daemon import here
from memd.daemon.aftermath import Aftermath
from memd.daemon.attempts import Attempts
from memd.daemon.core import Core
from memd.daemon.intake import Handing, Intake, masked
from memd.daemon.steps import Steps
from memd.disk.spent import spent
from memd.form import chains, digest, forget, moves, profile, trees, view
from memd.form.backlog import backlog
from memd.form.evidence import Material
from memd.model.config import Config, ImportConfig
from memd.model.errors import Refused
from memd.model.plan import Plan
from memd.model.question import Asking
from memd.parse import exports, times
from memd.recall.names import clean

LULL = 0.5
"""Seconds after the last call that took something in: while an import runs, evidence goes before formation."""
LARGEST_IMPORT = 256 * 1024 * 1024


class Duties:
    """`session` and `due` queue work; `run` does it, one piece at a time, until it is closed."""

    def __init__(
        self,
        core: Core,
        steps: Steps,
        intake: Intake,
        aftermath: Aftermath,
        config: Callable[[], Config],
        now: Callable[[], datetime],
    ) -> None:
        self._core = core
        self._aftermath = aftermath
        self._steps = steps
        self._intake = intake
        self._config = config
        self._now = now
        self._loop = asyncio.get_running_loop()
        self._queue: OrderedDict[str, bool] = OrderedDict()
        self._sources: dict[str, ImportConfig] = {}
        self._arriving = 0.0
        self._wake = asyncio.Event()
        self._attempts = Attempts(self._loop.time)
        self._unread: dict[str, str] = {}
        self._last_runs: dict[str, float] = {}
        self._thinned: date | None = None
        self._worker = self._loop.create_task(self._work())

    @property
    def errors(self) -> dict[str, str]:
        return self._attempts.errors

    def open(self, session: str, done: bool) -> str:
        """The id of a job for a session's formation."""
        return self._attempts.open(f"form:{session}", done)

    def job(self, id: str) -> dict[str, Any]:
        """Raises Refused: not_found."""
        return self._attempts.job(id)

    def told(self, next_runs: Mapping[str, float], zone: tzinfo) -> list[dict[str, str]]:
        """When each alarm rang last ("": not yet) and rings next, for `status`."""
        return [
            {
                "name": clean(name),
                "last": times.from_seconds(self._last_runs[name], zone) if name in self._last_runs else "",
                "next": times.from_seconds(at, zone),
            }
            for name, at in sorted(next_runs.items())
        ]

    # queueing ----------------------------------------------------------------------------------------------------------

    def session(self, name: str, close: bool) -> None:
        """Form what a session has; `close` ends its open tail."""
        self._queue[f"form:{name}"] = close or self._queue.get(f"form:{name}", False)
        self._arriving = self._loop.time() + LULL
        self._wake.set()

    def due(self) -> None:
        """Look at the files for whatever is due."""
        self._queue["due"] = True
        self._wake.set()

    def take_in(self, source: ImportConfig) -> None:
        """Read a source that the config names, and take in what is new of it."""
        self._sources[source.path] = source
        self._queue[f"import:{source.path}"] = True
        self._wake.set()

    def finish(self) -> None:
        """After a start: a forget that was cut short is carried to its end."""
        self._queue["finish"] = True
        self._wake.set()

    def hand(self) -> None:
        """A person edited, deleted or ticked something of memory's."""
        self._queue["hand"] = True
        self._wake.set()

    async def close(self) -> None:
        self._worker.cancel()
        await asyncio.gather(self._worker, return_exceptions=True)

    # working -----------------------------------------------------------------------------------------------------------

    async def _work(self) -> None:
        await self._core.opened.wait()
        while True:
            await self._wake.wait()
            await self._lull()
            self._wake.clear()
            while self._queue:
                await self._one(*self._queue.popitem(last=False))
                await self._aftermath.journal()

    async def _lull(self) -> None:
        """Until nothing has been taken in for a moment."""
        now = self._loop.time()
        while (until := self._arriving) > now:
            await asyncio.sleep(until - now)
            now = self._loop.time()

    async def _one(self, name: str, close: bool) -> None:
        kind, _, which = name.partition(":")
        if kind == "due":
            self._last_runs["memory"] = self._now().timestamp()
            await self._attempts.retry("undo records", self._thin)
            await self._all_due()
        elif kind == "finish":
            await self._attempts.make("a forget that was cut short", self._finish())
        elif kind == "hand":
            for step in self._aftermath.pending():
                await self._attempts.make("hand edits", self._step(step))
        elif kind == "import":
            if self._core.keeper.hold is None and await self._at_home():
                self._last_runs[name] = self._now().timestamp()
                went_well = await self._attempts.make(name, self._import(self._sources[which]))
                if went_well and self._unread[name]:
                    self.errors[name] = self._unread[name]
        else:
            await self._attempts.make(name, self._form(which, close))

    async def _form(self, session: str, close: bool) -> None:
        handing = Handing(Material(session), (), (), ())
        for episode in await self._intake.episodes(handing, None, close):
            await self._attempts.retry(f"atoms:{episode['id']}", partial(self._intake.read_episode, episode["id"]))

    async def _finish(self) -> None:
        left = forget.unfinished(self._core.vault, self._config())
        if left is not None:
            target, purge = left
            begin = partial(forget.forget, config=self._config(), now=self._now(), target=target, purge=purge)
            await self._steps.run(partial(begin, resumed=True), quick=True, forgets=True)
            if purge:
                await self._core.rebuild()

    async def _thin(self) -> None:
        """Once a day, what is kept for undo and too old."""
        days, now = self._config().vault.undo_days, self._now()
        if not days or self._thinned == now.date() or self._core.keeper.hold is not None:
            return
        until = f"{now - timedelta(days=days):%Y-%m-%dT%H%M%S}"
        for plan in await self._core.in_reader(spent, self._core.keeper.how.root, until):
            async with self._core.turn:
                await self._core.in_scribe(self._core.writer.apply, plan)
        self._thinned = now.date()

    async def _import(self, source: ImportConfig) -> None:
        """The whole source again: what was taken in before is no news. Raises Refused where it cannot be read."""
        sessions, problems = await self._core.in_reader(_read_source, source)
        unread = f"{len(problems)} of its records are passed over: {problems[0].message}" if problems else ""
        self._unread[f"import:{source.path}"] = unread
        for session in sessions:
            material = Material(
                session.session,
                tuple(session.events),
                source.source or session.source,
                source.category or session.category,
                session.owner,
                origin=f"import:{source.format}",
            )
            await self._intake.register(masked(material, (), ()))
            await self._form(session.session, False)

    async def _all_due(self) -> None:
        """Each layer in its order, bottom up; what one layer makes is due for the next one in the same run."""
        vault = self._core.vault
        if self._core.keeper.hold is not None or not view.of(vault).files or not await self._at_home():
            return
        self._past(self._due())
        for session in sorted({_session(vault, turn) for turn in self._due().turns}):
            await self._attempts.retry(f"form:{session}", partial(self._form, session, False))
        for episode in (*self._due().episodes, *self._due().atoms):
            await self._attempts.retry(f"atoms:{episode}", partial(self._read, episode))
        due = self._due()
        if due.chains:
            await self._attempts.retry(
                "chains", lambda: self._step(lambda v: chains.weave(v, self._config(), self._now()))
            )
        if due.seals or due.stale:
            await self._attempts.retry("seal", self._seal)
        if due.uncategorized:
            await self._attempts.retry(
                "reclassify", lambda: self._step(lambda v: moves.reclassify(v, self._config(), self._now()))
            )
        if due.profile:
            await self._attempts.retry(
                "profile", lambda: self._step(lambda v: profile.patch(v, self._config(), self._now()))
            )
        await self._attempts.retry("digests", self._digests)

    def _past(self, due: Any) -> None:
        """What failed once and is due no more (it was forgotten, or read on demand) is no failure any more."""
        waiting = {f"atoms:{id}" for id in (*due.episodes, *due.atoms)}
        for name in [name for name in self.errors if name.startswith("atoms:") and name not in waiting]:
            self._attempts.drop(name)

    async def _at_home(self) -> bool:
        """Whether this device does scheduled work; the first one that has any to do puts its name down."""
        config = self._config().formation
        note = self._core.vault.notes.get(here.path_of(config.folder))
        named = str(note.frontmatter.get("device", "")) if note else ""
        this = here.device(self._core.keeper.how.root)
        claim = here.claim(config, named, this)
        if claim is not None:
            await self._step(lambda vault: _done(Plan((claim,), ("this device forms memory",))))
        return here.forms(config, named, this)

    async def _read(self, episode: str) -> None:
        await self._intake.narrate(episode)
        await self._intake.read_episode(episode)

    async def _digests(self) -> None:
        """Yesterday's and last week's, once each: the file that stands is the mark that it was made."""
        today = self._now().date()
        for period, day in (("daily", today - timedelta(days=1)), ("weekly", today - timedelta(days=7))):
            await self._step(partial(digest.make, config=self._config(), now=self._now(), period=period, day=day))

    async def _step(self, begin: Any) -> Any:
        return await self._steps.run(begin)

    async def _seal(self) -> None:
        while (await self._step(lambda v: trees.seal(v, self._config(), self._now()))).more:
            continue

    def _due(self) -> Any:
        return backlog(view.of(self._core.vault), self._config())


def _read_source(source: ImportConfig) -> tuple[list[Any], list[Any]]:
    """Sessions and problems of an export. Raises Refused: not_found, too_large."""
    path = os.path.expanduser(source.path)
    try:
        if os.path.getsize(path) > LARGEST_IMPORT:
            raise Refused("too_large", f"{path} has more than {LARGEST_IMPORT} bytes: take it in with `memd ingest`")
        with open(path, "rb") as file:
            data = file.read()
    except OSError as error:
        raise Refused("not_found", f"the import {path} cannot be read: {error.strerror}") from error
    return exports.read(data, source.format, os.path.basename(path))


def _done(plan: Plan) -> Asking:
    """A step that asks nothing."""
    yield from ()
    return plan, None


def _session(vault: Any, turn: str) -> str:
    note = vault.by_id(turn.partition("#")[0])
    return str(note.frontmatter.get("session", "")) if note else ""
