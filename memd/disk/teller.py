"""Paths collected from foreign threads and told by a thread of its own: at once, then in batches.

The first path after a pause is told immediately; what comes within the next moments is told together. Knows paths only.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable

Touched = Callable[[frozenset[str]], None]

EVERYTHING = frozenset({""})
PAUSE = 0.02
"""Seconds between two tellings: a storm makes fifty calls a second, not thousands."""
MANY = 512
"""So many paths at once are told as "everything": a scan is cheaper than as many look-ups."""


class Teller(threading.Thread):
    """`touched` must only enqueue; a RuntimeError of it (a loop that is closed) is let go."""

    def __init__(self, touched: Touched) -> None:
        super().__init__(name="memd-hints", daemon=True)
        self._touched = touched
        self._paths: set[str] = set()
        self._news = threading.Condition()
        self._over = threading.Event()

    def add(self, *paths: str) -> None:
        with self._news:
            self._paths.update(paths)
            self._news.notify()

    def stop(self) -> None:
        self._over.set()
        self.add()

    def run(self) -> None:
        while not self._over.is_set():
            with self._news:
                while not self._paths and not self._over.is_set():
                    self._news.wait()
                paths, self._paths = frozenset(self._paths), set()
            if paths:
                with contextlib.suppress(RuntimeError):
                    self._touched(EVERYTHING if "" in paths or len(paths) >= MANY else paths)
            self._over.wait(PAUSE)
