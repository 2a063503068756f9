"""One read/write lock: many searches at once, or one change. A change that waits goes ahead of searches that come later."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class ReadWrite:
    """Not reentrant. Changes must be kept short: nobody searches meanwhile."""

    def __init__(self) -> None:
        self._free = threading.Condition()
        self._readers = 0
        self._writing = False
        self._waiting = 0

    @contextmanager
    def reading(self) -> Iterator[None]:
        with self._free:
            while self._writing or self._waiting:
                self._free.wait()
            self._readers += 1
        try:
            yield
        finally:
            with self._free:
                self._readers -= 1
                if not self._readers:
                    self._free.notify_all()

    @contextmanager
    def writing(self) -> Iterator[None]:
        with self._free:
            self._waiting += 1
            while self._writing or self._readers:
                self._free.wait()
            self._waiting -= 1
            self._writing = True
        try:
            yield
        finally:
            with self._free:
                self._writing = False
                self._free.notify_all()
