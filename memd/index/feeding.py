"""The work of embedding a vault: what waits, the handle that does it, how fast it goes, and what is wrong when it does not.

Knows one model. Never touches the store: portions out, rows of float16 back. `add`, `take` and `discard` are called under
the caller's lock; `embed` is called by one thread without it, as it takes seconds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from memd.index.backlog import Backlog, Wanted
from memd.index.embedders import Handle
from memd.index.embeddings import digest, to_half
from memd.index.models import Crashed, Unavailable
from memd.index.port import Passage
from memd.model.pauses import doubling

PORTION = 64
"""Texts a portion: sorted by length they make full batches, and what a person just wrote waits for one portion at most
(64 passages of 200 tokens take 4 s on two cores). 1,300 turns and passages on a busy machine: 15.5 texts a second, niced,
while text queries run (p95 1.9 ms, p99 10 ms); a bare loop, not niced, one by one 17.1, by 16 as they come 6.4."""

FIRST_PAUSE, LAST_PAUSE = 2.0, 300.0
"""Seconds before a model that failed is tried again, doubled each time."""

Row = tuple[bytes, bytes | None]


class Feeding:
    """`trouble` is why it stands still, "" when it does not; `lost` counts texts that could not be read again."""

    def __init__(self, handle: Handle, read: Callable[[str], Sequence[Passage]], clock: Callable[[], float]) -> None:
        self.backlog = Backlog()
        self.trouble = ""
        self.lost = 0
        self._under_way = 0
        self._handle = handle
        self._read = read
        self._clock = clock
        self._portion = PORTION
        self._pace = 0.0
        self._failures = 0
        self._not_before = 0.0

    def pause(self) -> float:
        """Seconds until it makes sense to go on: 0 now."""
        return max(0.0, self._not_before - self._clock())

    def left(self) -> int | None:
        """Whole seconds for what waits at the present pace; None while that is unknown."""
        waiting = self.waiting
        return round(waiting / self._pace) if waiting and self._pace else None if waiting else 0

    @property
    def waiting(self) -> int:
        """Texts that have no vector yet, those under way among them."""
        return len(self.backlog) + self._under_way

    def take(self) -> list[Wanted]:
        """A portion, which is under way until `done` or `back`."""
        portion = self.backlog.take(self._portion)
        self._under_way = len(portion)
        return portion

    def done(self) -> None:
        self._under_way = 0
        self.trouble = ""
        self._failures = 0

    def embed(self, portion: Sequence[Wanted]) -> list[Row]:
        """Rows of what could be embedded; texts that are nowhere any more are left out. Raises Unavailable: what was
        taken is then to be given `back`."""
        start = self._clock()
        texts = self._texts(portion)
        hashes = list(texts)
        try:
            vectors = self._handle.embed([texts[hash] for hash in hashes]) if hashes else []
        except Crashed as why:
            if self._failures < 2 or len(portion) > 1:
                self._fail(str(why))
                raise
            vectors = [None]  # it kills the model time after time: it cannot be read
        except Unavailable as why:
            self._fail(str(why))
            raise
        self.lost += len(portion) - len(hashes)
        self._went_well(len(portion), self._clock() - start)
        return [(hash, _half(vector)) for hash, vector in zip(hashes, vectors, strict=True)]

    def back(self, portion: Sequence[Wanted]) -> None:
        self.backlog.add((wanted.hash, wanted.path, -1, wanted.text) for wanted in portion)
        self._under_way = 0

    def delay(self, why: str, longest: float = LAST_PAUSE) -> None:
        """Something else than embedding went wrong: said, and tried again later."""
        self._fail(why)
        self._not_before = min(self._not_before, self._clock() + longest)

    def close(self) -> None:
        """Ends a portion under way: `embed` raises Unavailable."""
        self._handle.close()

    def _texts(self, portion: Sequence[Wanted]) -> dict[bytes, str]:
        """hash → what the model is to read; files are read again for words that are not held."""
        texts = {wanted.hash: wanted.text for wanted in portion if wanted.text is not None}
        for path in dict.fromkeys(wanted.path for wanted in portion if wanted.text is None):
            found = {digest(passage.hash): words(passage) for passage in self._read(path)}
            texts.update((w.hash, found[w.hash]) for w in portion if w.text is None and w.hash in found)
        return texts

    def _went_well(self, count: int, seconds: float) -> None:
        self._portion = min(PORTION, self._portion * 2)
        pace = count / seconds if seconds > 0 else 0.0
        self._pace = 0.7 * self._pace + 0.3 * pace if self._pace and pace else pace or self._pace

    def _fail(self, why: str) -> None:
        self.trouble = why
        self._failures += 1
        self._portion = max(1, self._portion // 2)
        self._not_before = self._clock() + doubling(FIRST_PAUSE, LAST_PAUSE, self._failures)


def words(passage: Passage) -> str:
    """What the model reads of a passage: its head on a line of its own, then its text."""
    return f"{passage.head}\n{passage.text}" if passage.head else passage.text


def _half(vector: Sequence[float] | None) -> bytes | None:
    """float16 bytes; None for a vector that holds what is no number."""
    try:
        return None if vector is None else to_half(vector)
    except ValueError:
        return None
