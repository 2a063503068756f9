"""Threads shared in turns: who asks for much waits behind itself."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Awaitable, Callable

from memd.daemon.lanes import Lanes
from memd.serve.peers import ASKER

PATIENCE = 60.0


class Crowd:
    """Work of several askers for one thread that is held until `open`; `done` is the order in which it was done."""

    def __init__(self) -> None:
        self.lanes = Lanes(1, "test")
        self.gate = threading.Event()
        self.done: list[str] = []

    def ask(self, who: str) -> asyncio.Task[None]:
        async def work() -> None:
            ASKER.set(who)
            await self.lanes.run(lambda: self._work(who))

        return asyncio.get_running_loop().create_task(work())

    def _work(self, who: str) -> None:
        assert self.gate.wait(PATIENCE)
        self.done.append(who)


def together(story: Callable[[Crowd], Awaitable[None]]) -> Crowd:
    async def whole() -> Crowd:
        crowd = Crowd()
        try:
            await asyncio.wait_for(story(crowd), PATIENCE)
        finally:
            crowd.gate.set()
            crowd.lanes.close()
        return crowd

    return asyncio.run(whole())


def test_who_asks_much_waits_behind_itself() -> None:
    """Behind fifty questions of one asker, another's single question is next but what is begun and its neighbour's."""

    async def story(crowd: Crowd) -> None:
        flood = [crowd.ask("many") for _ in range(50)]
        await asyncio.sleep(0)
        others = [crowd.ask("one"), crowd.ask("two")]
        await asyncio.sleep(0)
        crowd.gate.set()
        await asyncio.gather(*flood, *others)

    done = together(story).done
    assert done[:6] == ["many", "many", "many", "one", "two", "many"]
    assert len(done) == 52


def test_who_gives_up_gives_its_turn_away() -> None:
    """Questions that are given up, while they wait and in the moment of their turn, leave the threads to the others."""

    async def story(crowd: Crowd) -> None:
        begun = [crowd.ask("begun") for _ in range(2)]
        await asyncio.sleep(0)
        waiting = [crowd.ask("gone") for _ in range(5)]
        await asyncio.sleep(0)
        last = crowd.ask("last")
        for task in waiting[:4]:
            task.cancel()
        crowd.gate.set()
        begun[0].add_done_callback(lambda _: waiting[4].cancel())
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.gather(*waiting, return_exceptions=True)
        await asyncio.gather(*begun, last)
        await asyncio.gather(*[crowd.ask("after") for _ in range(4)])

    done = together(story).done
    assert "last" in done
    assert done.count("after") == 4
