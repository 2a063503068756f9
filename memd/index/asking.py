"""A question's vector within a budget: a handle of its own, a small cache, and never a wait beyond what was allowed.

Knows one embedder and the last questions (in memory only). A question that comes too late is finished all the same, so
that the same question a moment later finds its vector here.
"""

from __future__ import annotations

import threading
from array import array
from collections import OrderedDict
from collections.abc import Callable, Sequence
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor
from concurrent.futures import TimeoutError as Late
from typing import NamedTuple

from memd.index import leaning
from memd.index.embedders import Handle
from memd.index.models import Unavailable

CACHE = 512
"""Questions whose vectors are kept, two each: 1.5 KB a vector."""

CROWD = 8
"""Questions under way beyond which a new one is not begun: it would be late anyway."""

REST = 5.0
"""Seconds for which an embedder that failed is not asked again."""

Vector = tuple[float, ...]


class Asked(NamedTuple):
    """A question's vector, and the one with which passages of the other script are searched."""

    own: array[float]
    abroad: array[float]


class Asker:
    """`ask` may be called from any thread. `clock` counts seconds, monotonic."""

    def __init__(self, embedder: Handle, budget: float, clock: Callable[[], float]) -> None:
        self._embedder = embedder
        self._budget = budget
        self._clock = clock
        self._known: OrderedDict[str, Asked | None] = OrderedDict()
        self._under_way: dict[str, Future[Asked | None]] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="memd-ask")
        self._rest_until = -1.0
        self._common: dict[str, Vector] = {}
        self.loaded = False

    def load(self) -> None:
        """Loads the model and learns how it leans, however long that takes. Raises Unavailable."""
        self._embedder.load()
        self._common = {
            script: leaning.mean(self._embedder.embed(questions, query=True))
            for script, questions in leaning.QUESTIONS.items()
        }
        self.loaded = True

    def ask(self, text: str) -> tuple[Asked | None, str]:
        """The vectors, or None and why in a word: `late`, `unreadable`, `unavailable`."""
        with self._lock:
            if text in self._known:
                self._known.move_to_end(text)
                asked = self._known[text]
                return asked, "" if asked else "unreadable"
            if self._clock() < self._rest_until:
                return None, "unavailable"
            future = self._under_way.get(text)
            if future is None:
                if len(self._under_way) >= CROWD:
                    return None, "late"
                try:
                    future = self._under_way[text] = self._pool.submit(self._embed, text)
                except RuntimeError:  # closed meanwhile
                    return None, "unavailable"
        try:
            asked = future.result(self._budget)
        except Late:
            return None, "late"
        except (Unavailable, CancelledError):
            return None, "unavailable"
        return asked, "" if asked else "unreadable"

    def embed(self, texts: Sequence[str]) -> list[Vector | None]:
        """Vectors of passages, waited for as long as it takes, some at a time so that questions get in between."""
        found: list[Vector | None] = []
        for start in range(0, len(texts), 8):
            rows = self._pool.submit(self._embedder.embed, list(texts[start : start + 8])).result()
            found += [None if row is None else tuple(row) for row in rows]
        return found

    def _embed(self, text: str) -> Asked | None:
        try:
            (row,) = self._embedder.embed([text], query=True)
        except Unavailable:
            with self._lock:
                self._rest_until = self._clock() + REST
                self._under_way.pop(text, None)
            raise
        common = self._common.get(leaning.script(text), ())
        asked = None if row is None else Asked(array("f", row), array("f", leaning.without(row, common)))
        with self._lock:
            self._under_way.pop(text, None)
            self._known[text] = asked
            while len(self._known) > CACHE:
                self._known.popitem(last=False)
        return asked

    def forget(self) -> None:
        """Drops every question that is kept."""
        with self._lock:
            self._known.clear()

    def close(self) -> None:
        """Whoever waits is answered `unavailable`."""
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._embedder.close()
