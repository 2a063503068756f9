"""Processes that read a large vault: there when there is much to read, gone when it is read.

Knows processes. Never knows what they read.
"""

from __future__ import annotations

import os
import threading
from concurrent.futures import Executor, ProcessPoolExecutor
from multiprocessing import get_context, parent_process

MOST = 4
"""Processes at once, of 30 MB each."""


class Pool:
    """`executor` makes the processes where there are none; `end` lets go of them, waiting or not. Never both at once."""

    def __init__(self) -> None:
        self._executor: ProcessPoolExecutor | None = None

    def executor(self) -> Executor:
        if self._executor is None:
            count = max(1, min(MOST, os.cpu_count() or 1))
            self._executor = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_attend)
        return self._executor

    def end(self, wait: bool = False) -> bool:
        """Whether there were any."""
        executor, self._executor = self._executor, None
        if executor is not None:
            executor.shutdown(wait=wait, cancel_futures=wait)
        return executor is not None


def _attend() -> None:
    """In a new process: it gives way to others, and leaves with the daemon, also with one that was killed. The pool's own
    pipes do not tell it: each of the processes holds their other ends."""
    os.nice(5)
    threading.Thread(target=_leave, name="memd-leave", daemon=True).start()


def _leave() -> None:
    daemon = parent_process()
    assert daemon is not None
    daemon.join()
    os._exit(1)
