"""The alarm clock over a clock of the test's own: sleep, a clock put back, a ring that takes long."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from memd.jobs import wake
from memd.jobs.wake import Alarm

START = datetime(2026, 4, 2, 9, 0, tzinfo=UTC)


class Clock:
    """`at` is what time it is; `datetime.now` of the scheduler and of the alarm say so."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.at = START
        clock = self

        class Told(datetime):
            @classmethod
            def now(cls, tz: object = None) -> datetime:
                return clock.at

        monkeypatch.setattr(wake, "datetime", Told)
        monkeypatch.setattr("apscheduler.schedulers.base.datetime", Told)


def rung(monkeypatch: pytest.MonkeyPatch, *moves: timedelta) -> list[list[str]]:
    """Which alarms ring after the start, and after each time that the clock was moved."""
    clock, found = Clock(monkeypatch), list[list[str]]()

    async def run() -> None:
        rings: list[str] = []
        alarm = Alarm({"memory": 300, "import:0": 86400}, rings.append, first=0.0)
        alarm.start()
        for move in (timedelta(), *moves):
            clock.at += move
            alarm.look()
            await _settled(rings)
            found.append(sorted(rings))
            rings.clear()
        alarm.stop()

    asyncio.run(run())
    return found


async def _settled(rings: list[str]) -> None:
    """Until a hundred turns of the loop have brought no further ring."""
    quiet, seen = 0, len(rings)
    while quiet < 100:
        await asyncio.sleep(0)
        quiet, seen = (quiet + 1, seen) if len(rings) == seen else (0, len(rings))


@pytest.mark.parametrize(
    ("moves", "want"),
    [
        ([timedelta(days=3)], [["import:0", "memory"]]),
        ([timedelta(seconds=299), timedelta(seconds=2)], [[], ["memory"]]),
        ([timedelta(hours=8), timedelta(0)], [["memory"], []]),
        ([timedelta(days=-400), timedelta(0)], [["import:0", "memory"], []]),
    ],
    ids=["three days of sleep", "no sleep", "a night", "a clock put back"],
)
def test_each_alarm_rings_once_however_long_it_slept(
    monkeypatch: pytest.MonkeyPatch, moves: list[timedelta], want: list[list[str]]
) -> None:
    """All ring after a start; a thousand missed rings are one; a clock that was put back stops none."""
    assert rung(monkeypatch, *moves) == [["import:0", "memory"], *want]
