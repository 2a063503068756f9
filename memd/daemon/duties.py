"""Memory work that nobody waits for: sessions to be formed, and whatever the files say is due.

Knows what is due (from files and now) and the order in which it is done. A step that fails is named, waits longer each
time, and holds up nothing else. Never keeps a state that the files do not have.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from memd.daemon import here
from memd.daemon.aftermath import Aftermath
from memd.daemon.core import Core
from memd.daemon.intake import Handing, Intake, masked
from memd.daemon.steps import Steps
from memd.form import chains, digest, forget, moves, profile, trees, view
from memd.form.backlog import backlog
from memd.form.evidence import Material
from memd.model.config import Config, ImportConfig
from memd.model.errors import Refused
from memd.model.plan import Plan
from memd.model.question import Asking
from memd.parse import exports

log = logging.getLogger("memd.duties")

FIRST_RETRY, LAST_RETRY = 30.0, 3600.0
"""Seconds before a failed step is tried again: doubled each time up to the last."""
LULL = 0.5
"""Seconds after the last call that took something in: while an import runs, evidence goes before formation."""
KEPT_JOBS = 200
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
        self._jobs: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._failures: dict[str, int] = defaultdict(int)
        self._not_before: dict[str, float] = {}
        self._sources: dict[str, ImportConfig] = {}
        self._arriving = 0.0
        self._wake = asyncio.Event()
        self._unread: dict[str, str] = {}
        self.errors: dict[str, str] = {}
        self.last_runs: dict[str, float] = {}
        self._worker = self._loop.create_task(self._work())

    # jobs that callers may ask about ---------------------------------------------------------------------------------

    def open(self, session: str, done: bool) -> str:
        """The id of a job for a session's formation; the same session has one."""
        id = f"form:{session}"
        self._jobs[id] = {"id": id, "state": "done" if done else "waiting", "done": int(done), "total": 1, "errors": []}
        self._jobs.move_to_end(id)
        while len(self._jobs) > KEPT_JOBS:
            self._jobs.popitem(last=False)
        return id

    def job(self, id: str) -> dict[str, Any]:
        """Raises Refused: not_found."""
        if id not in self._jobs:
            raise Refused("not_found", f"no job {id!r} is known (any more); `status` shows what is left to do")
        return dict(self._jobs[id])

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
            self.last_runs["memory"] = self._now().timestamp()
            await self._all_due()
        elif kind == "finish":
            await self._named("a forget that was cut short", self._finish())
        elif kind == "hand":
            for step in self._aftermath.pending():
                await self._named("hand edits", self._step(step))
        elif kind == "import":
            if self._core.keeper.hold is None and await self._at_home():
                self.last_runs[name] = self._now().timestamp()
                await self._named(name, self._import(self._sources[which]))
        else:
            await self._named(name, self._form(which, close))

    async def _named(self, name: str, work: Awaitable[Any]) -> bool:
        """Whether it went well; a failure is logged, told in `status`, and tried again later by what is due."""
        job = self._jobs.get(name)
        if job:
            job["state"] = "running"
        try:
            await work
        except Refused as refused:
            self._failed(name, job, refused.code, refused.message)
            return False
        except Exception as error:  # noqa: BLE001  whatever a step trips over, the others go on
            self._failed(name, job, "internal", f"memd failed at it ({type(error).__name__}): please report it")
            return False
        self._failures.pop(name, None)
        self._not_before.pop(name, None)
        self.errors.pop(name, None)
        if unread := self._unread.get(name):
            self.errors[name] = unread
        if job:
            job |= {"state": "done", "done": 1}
        return True

    def _failed(self, name: str, job: dict[str, Any] | None, code: str, message: str) -> None:
        self._failures[name] += 1
        wait = min(LAST_RETRY, FIRST_RETRY * 2 ** (self._failures[name] - 1))
        self._not_before[name] = self._loop.time() + wait
        self.errors[name] = message
        log.warning("%s failed (%s), again in %.0f s", name, code, wait)
        if job:
            job |= {"state": "failed", "errors": [message]}

    async def _form(self, session: str, close: bool) -> None:
        handing = Handing(Material(session), (), (), ())
        for episode in await self._intake.episodes(handing, None, close):
            await self._try(f"atoms:{episode['id']}", partial(self._intake.read_episode, episode["id"]))

    async def _finish(self) -> None:
        left = forget.unfinished(self._core.vault, self._config())
        if left is not None:
            target, purge = left
            begin = partial(forget.forget, config=self._config(), now=self._now(), target=target, purge=purge)
            await self._steps.run(partial(begin, resumed=True), quick=True, forgets=True)
            if purge:
                await self._core.rebuild()

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
            await self._try(f"form:{session}", partial(self._form, session, False))
        for episode in (*self._due().episodes, *self._due().atoms):
            await self._try(f"atoms:{episode}", partial(self._read, episode))
        due = self._due()
        if due.chains:
            await self._try("chains", lambda: self._step(lambda v: chains.weave(v, self._config(), self._now())))
        if due.seals or due.stale:
            await self._try("seal", self._seal)
        if due.uncategorized:
            await self._try(
                "reclassify", lambda: self._step(lambda v: moves.reclassify(v, self._config(), self._now()))
            )
        if due.profile:
            await self._try("profile", lambda: self._step(lambda v: profile.patch(v, self._config(), self._now())))
        await self._try("digests", self._digests)

    def _past(self, due: Any) -> None:
        """What failed once and is due no more (it was forgotten, or read on demand) is no failure any more."""
        waiting = {f"atoms:{id}" for id in (*due.episodes, *due.atoms)}
        for name in [name for name in self.errors if name.startswith("atoms:") and name not in waiting]:
            del self.errors[name]
            self._failures.pop(name, None)
            self._not_before.pop(name, None)

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

    async def _try(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        if self._not_before.get(name, 0.0) <= self._loop.time():
            await self._named(name, work())

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
