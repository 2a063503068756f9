"""Threads shared in turns: who asks for much waits behind itself."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import threading
from collections.abc import Awaitable, Callable

import pytest

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
    """Behind fifty questions of one asker, another's single question is next but what is begun and one of theirs."""

    async def story(crowd: Crowd) -> None:
        flood = [crowd.ask("many") for _ in range(50)]
        await asyncio.sleep(0)
        others = [crowd.ask("one"), crowd.ask("two")]
        await asyncio.sleep(0)
        crowd.gate.set()
        await asyncio.gather(*flood, *others)

    done = together(story).done
    assert done[:5] == ["many", "many", "one", "two", "many"]
    assert len(done) == 52


def test_who_gives_up_gives_its_turn_away() -> None:
    """Questions that are given up, while they wait and in the moment of their turn, leave the threads to the others."""

    async def story(crowd: Crowd) -> None:
        begun = [crowd.ask("begun")]
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


def test_work_that_is_given_up_holds_its_own_thread_only() -> None:
    """A thread whose work nobody waits for any more is not given the next one, and an error of that work is no news."""
    news: list[object] = []

    async def story() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: news.append(context))
        lanes, begun, gate = Lanes(2, "test"), threading.Event(), threading.Event()

        def fails() -> None:
            begun.set()
            assert gate.wait(2 * PATIENCE)
            raise OSError

        given_up = asyncio.create_task(lanes.run(fails))
        await asyncio.wait_for(lanes.run(lambda: begun.wait(PATIENCE)), PATIENCE)
        given_up.cancel()
        await asyncio.wait([given_up])
        for _ in range(3):
            await asyncio.wait_for(lanes.run(lambda: None), PATIENCE)
        gate.set()
        await asyncio.gather(*(lanes.run(lambda: None) for _ in range(9)))
        lanes.close()

    asyncio.run(story())
    gc.collect()
    assert news == []


def test_a_thread_that_could_not_start_is_tried_again(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system has no thread to give, whoever asked hears of it, and whoever asks later is answered."""

    def refuses(_thread: threading.Thread) -> None:
        raise RuntimeError

    async def story() -> str:
        lanes = Lanes(1, "test")
        with monkeypatch.context() as system:
            system.setattr(threading.Thread, "start", refuses)
            with pytest.raises(RuntimeError):
                await lanes.run(lambda: "lost")
        answer = await asyncio.wait_for(lanes.run(lambda: "answered"), PATIENCE)
        lanes.close()
        return answer

    assert asyncio.run(story()) == "answered"
