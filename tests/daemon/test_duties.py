"""What is due by the files and the clock, over the real steps: after a restart or a long sleep each layer is done once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import timedelta
from types import SimpleNamespace
from typing import Any, cast

import pytest

from memd.daemon.aftermath import Aftermath
from memd.daemon.core import Core
from memd.daemon.duties import Duties
from memd.daemon.intake import Intake
from memd.daemon.steps import Steps
from memd.form import chains
from memd.form.backlog import backlog
from memd.model.vault import Vault
from tests.fakes.driver import Driver, atom


class Parts:
    """What duties work with, over an in-memory vault: steps are carried out at once. `hinders` says which are not."""

    def __init__(self, driver: Driver, hinders: Callable[[str], bool]) -> None:
        self.driver = driver
        self.hinders = hinders
        self.keeper = SimpleNamespace(hold=None, how=SimpleNamespace(root="/vault"))
        self.rang, self.opened = asyncio.Event(), asyncio.Event()
        self.opened.set()

    @property
    def vault(self) -> Vault:
        return self.driver.vault

    async def run(self, begin: Callable[[Vault], Any], **_: Any) -> Any:
        step = begin(self.vault)
        if self.hinders(step.__qualname__):
            raise OSError("no space left")
        return self.driver.run(step)

    async def in_reader(self, work: Callable[..., Any], *args: Any) -> Any:
        return work(*args)

    async def journal(self) -> None:
        self.rang.set()


def ring(driver: Driver, times: int = 1, hinders: Callable[[str], bool] = lambda step: False) -> dict[str, str]:
    """A daemon starts, and the alarm rings so often; what `status` says of failures."""

    async def run() -> dict[str, str]:
        parts = Parts(driver, hinders)
        steps = cast(Steps, parts)
        intake = Intake(steps, lambda: driver.config, lambda: driver.now)
        duties = Duties(
            cast(Core, parts), steps, intake, cast(Aftermath, parts), lambda: driver.config, lambda: driver.now
        )
        for _ in range(times):
            parts.rang.clear()
            duties.due()
            duties.due()
            await parts.rang.wait()
        await duties.close()
        return duties.errors

    return asyncio.run(run())


def due() -> Driver:
    """Something of every layer waits: eight leaves of one tree in two values, an episode not read, words in no episode."""
    vault = Driver()
    for n in range(8):
        place = atom(f"Crate {n // 2} stands in bay {n}", "Harlow mill", f"crate {n // 2}")
        vault.take(f"s{n}", f"Crate {n // 2} stands in bay {n}.", place, at=f"2026-11-{21 + n}T09:00:00+08:00")
    vault.said("unread", ("user", "I am allergic to shellfish."), at="2026-11-29T09:00:00+08:00")
    vault.said("loose", ("user", "My sister Nora lives in Porto."), at="2026-11-29T10:00:00+08:00", episode=False)
    return vault


def waits(vault: Driver) -> dict[str, int]:
    return {layer: count for layer, count in backlog(vault.memory, vault.config).counts().items() if count}


def test_each_due_step_is_done_once_after_a_start_and_after_a_long_sleep() -> None:
    """Bottom up, in one ring; further rings, a restart and a restart years later find nothing of it left. Of the days
    that were slept through only the last one and its week have a digest."""
    vault = due()
    assert {"turns", "atoms", "chains", "seals", "profile"} <= set(waits(vault))
    assert ring(vault) == {}
    assert waits(vault) == {}
    assert len(vault.paths("/summaries/h1/")) == 1
    done = dict(vault.files)
    ring(vault, times=3)
    assert vault.files == done
    slept = vault.reopened()
    slept.now += timedelta(days=900)
    ring(slept, times=3)
    fresh = {path for path in slept.files if path not in done}
    assert all("/digests/" in path for path in fresh)
    assert len(fresh) <= 2


@pytest.mark.parametrize(
    "jump", [timedelta(hours=9), timedelta(hours=-9), timedelta(days=900), timedelta(days=-900)], ids=str
)
def test_a_clock_that_jumps_makes_nothing_twice(jump: timedelta) -> None:
    """Neither while it is wrong nor when it is right again is anything sealed, woven or noted anew, save a day's digest;
    what is said meanwhile becomes memory once, whatever the clock says."""
    vault = due()
    ring(vault)
    done = dict(vault.files)
    for move in (jump, -jump):
        vault = vault.reopened()
        vault.now += move
        assert ring(vault, times=3) == {}
        assert {path: data for path, data in vault.files.items() if "/digests/" not in path} == done
    vault.now += jump
    for n in range(8):
        place = atom(f"Vat {n // 2} stands in bay {n}", "Harlow mill", f"vat {n // 2}")
        vault.take(f"v{n}", f"Vat {n // 2} stands in bay {n}.", place, at=f"2026-11-{21 + n}T10:00:00+08:00")
    assert ring(vault) == {}
    made = dict(vault.files)
    assert len(vault.paths("/summaries/h1/")) == 2
    assert waits(vault) == {}
    vault.now -= jump
    assert ring(vault, times=3) == {}
    assert {path for path in vault.files.keys() ^ made.keys() if "/digests/" not in path} == set()


def test_a_step_that_fails_is_named_and_the_others_are_done() -> None:
    """It is not tried again at once, and after a restart it is."""
    vault = due()
    failures = ring(vault, times=3, hinders=lambda step: step == chains.weave.__qualname__)
    assert list(failures) == ["chains"]
    assert set(waits(vault)) == {"chains"}
    assert ring(vault) == {}
    assert waits(vault) == {}
