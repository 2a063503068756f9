"""The alarm clock: APScheduler, and nothing else of memd imports it.

Knows names and intervals. Never knows what is due: after sleep or a restart each alarm rings once, and the callback
looks at the files (research: the default grace of one second drops jobs after sleep; a stored last run drifts).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Any


class Alarm:
    """Calls `ring(name)` on the running event loop every `intervals[name]` seconds, first after `first` seconds."""

    def __init__(self, intervals: Mapping[str, int], ring: Callable[[str], None], first: float = 5.0) -> None:
        from apscheduler.schedulers.asyncio import AsyncIOScheduler

        self._scheduler = AsyncIOScheduler(
            timezone=UTC, job_defaults={"coalesce": True, "misfire_grace_time": None, "max_instances": 1}
        )
        start = datetime.now(UTC) + timedelta(seconds=first)
        for name, seconds in intervals.items():
            self._scheduler.add_job(
                _on_loop(ring), "interval", args=[name], id=name, seconds=seconds, next_run_time=start
            )

    def start(self) -> None:
        self._scheduler.start()

    def look(self) -> None:
        """What is due by the wall clock rings now: timers stand still while the machine sleeps, and a clock that was put
        back would leave the next ring far ahead."""
        now = datetime.now(UTC)
        for job in self._scheduler.get_jobs():
            if job.next_run_time and job.next_run_time - now > job.trigger.interval:
                job.modify(next_run_time=now)
        self._scheduler.wakeup()

    def next_runs(self) -> dict[str, float]:
        """Unix seconds of the next ring, by name."""
        jobs: list[Any] = self._scheduler.get_jobs()
        return {job.id: job.next_run_time.timestamp() for job in jobs if job.next_run_time}

    def stop(self) -> None:
        if self._scheduler.running:
            self._scheduler.shutdown(wait=False)


def _on_loop(ring: Callable[[str], None]) -> Callable[[str], Any]:
    async def run(name: str) -> None:
        ring(name)

    return run
