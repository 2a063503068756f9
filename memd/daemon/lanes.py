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
    """At most two pieces of work a thread are begun or have a result that the loop has not taken yet: results of
    megabytes do not pile up. The others wait, a lane an asker, and go in turns."""

    def __init__(self, threads: int, name: str) -> None:
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._free = 2 * threads
        self._lanes: dict[object, deque[asyncio.Future[None]]] = {}

    async def run(self, work: Callable[[], T]) -> T:
        await self._enter()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._pool, work)
        finally:
            self._leave()

    async def _enter(self) -> None:
        if self._free:
            self._free -= 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._lanes.setdefault(ASKER.get(), deque()).append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():  # its turn came in the same moment
                self._leave()
            raise

    def _leave(self) -> None:
        """The lane that waited longest is next, and goes to the end."""
        while self._lanes:
            asker, lane = next(iter(self._lanes.items()))
            del self._lanes[asker]
            turn = lane.popleft()
            if lane:
                self._lanes[asker] = lane
            if not turn.done():
                turn.set_result(None)
                return
        self._free += 1

    def close(self) -> None:
        self._pool.shutdown(wait=True, cancel_futures=True)
