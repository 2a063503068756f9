"""Work that may fail: each piece by its name, what became of it, and when it may be tried again.

Knows names, failures and the jobs that callers ask about. Never knows what a piece of work does.
"""

from __future__ import annotations

import logging
from collections import OrderedDict, defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from memd.model.errors import Refused
from memd.model.pauses import doubling

log = logging.getLogger("memd.duties")

FIRST_RETRY, LAST_RETRY = 30.0, 3600.0
"""Seconds before a failed step is tried again: doubled each time up to the last."""
KEPT_JOBS = 200


class Attempts:
    """`errors` are what failed last time, by name, in words for a person. `clock` is monotonic."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._jobs: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._failures: dict[str, int] = defaultdict(int)
        self._not_before: dict[str, float] = {}
        self.errors: dict[str, str] = {}

    def open(self, name: str, done: bool) -> str:
        """A job that callers may ask about, by the name of its work, which is its id; the same name has one."""
        self._jobs[name] = {
            "id": name,
            "state": "done" if done else "waiting",
            "done": int(done),
            "total": 1,
            "errors": [],
        }
        self._jobs.move_to_end(name)
        while len(self._jobs) > KEPT_JOBS:
            self._jobs.popitem(last=False)
        return name

    def job(self, id: str) -> dict[str, Any]:
        """Raises Refused: not_found."""
        if id not in self._jobs:
            raise Refused("not_found", f"no job {id!r} is known (any more); `status` shows what is left to do")
        return dict(self._jobs[id])

    async def make(self, name: str, work: Awaitable[Any]) -> bool:
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
        self.drop(name)
        if job:
            job |= {"state": "done", "done": 1}
        return True

    async def retry(self, name: str, work: Callable[[], Awaitable[Any]]) -> None:
        """`make`, unless it failed too short a while ago."""
        if self._not_before.get(name, 0.0) <= self._clock():
            await self.make(name, work())

    def drop(self, name: str) -> None:
        """What failed is no failure any more."""
        self.errors.pop(name, None)
        self._failures.pop(name, None)
        self._not_before.pop(name, None)

    def _failed(self, name: str, job: dict[str, Any] | None, code: str, message: str) -> None:
        self._failures[name] += 1
        wait = doubling(FIRST_RETRY, LAST_RETRY, self._failures[name])
        self._not_before[name] = self._clock() + wait
        self.errors[name] = message
        log.warning("%s failed (%s), again in %.0f s", name, code, wait)
        if job:
            job |= {"state": "failed", "errors": [message]}
