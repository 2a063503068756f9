"""A few threads shared fairly: whoever asks for much waits behind itself, not before the others.

Knows who asks (`peers.ASKER`; memd itself is one more), never what for. Belongs to the event loop.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from memd.serve.peers import ASKER

T = TypeVar("T")


class Lanes:
    """Each thread does one piece of work at a time, so that results of megabytes do not pile up; the others wait, a lane an
    asker, and go in turns. Who was free last works next: what it touches is still in its processor's caches."""

    def __init__(self, threads: int, name: str) -> None:
        self._threads = tuple(ThreadPoolExecutor(1, thread_name_prefix=name) for _ in range(threads))
        self._free = list(self._threads)
        self._lanes: dict[object, deque[asyncio.Future[ThreadPoolExecutor]]] = {}

    async def run(self, work: Callable[[], T]) -> T:
        thread = self._free.pop() if self._free else await self._turn()
        try:
            working = asyncio.get_running_loop().run_in_executor(thread, work)
        except RuntimeError:  # the system has no thread to give just now
            self._leave(thread)
            raise
        working.add_done_callback(lambda done: self._ended(thread, done))
        return await asyncio.shield(working)  # the thread of who gives up is free when its work has ended

    async def _turn(self) -> ThreadPoolExecutor:
        turn: asyncio.Future[ThreadPoolExecutor] = asyncio.get_running_loop().create_future()
        self._lanes.setdefault(ASKER.get(), deque()).append(turn)
        try:
            return await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # its turn came in the same moment
                self._leave(turn.result())
            raise

    def _ended(self, thread: ThreadPoolExecutor, done: asyncio.Future[T]) -> None:
        if not done.cancelled():
            done.exception()  # looked at: where its asker gave up, nobody else does
        self._leave(thread)

    def _leave(self, thread: ThreadPoolExecutor) -> None:
        """The lane that waited longest is next, and goes to the end."""
        while self._lanes:
            asker, lane = next(iter(self._lanes.items()))
            del self._lanes[asker]
            turn = lane.popleft()
            if lane:
                self._lanes[asker] = lane
            if not turn.done():
                turn.set_result(thread)
                return
        self._free.append(thread)

    def close(self) -> None:
        for thread in self._threads:
            thread.shutdown(wait=True, cancel_futures=True)
