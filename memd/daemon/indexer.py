"""The thread that owns the text index: it takes what changed, newest state a path, and commits in batches.

Knows which changes are searchable and which are not yet. Never knows what a note means, or who asks. A change that a
client asked for goes ahead of bulk work; ledger rows are written after the commit that made their notes searchable.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterable, Mapping

from msgspec import Struct

from memd.index.port import Operations, Unit, Words
from memd.model.errors import Refused

log = logging.getLogger("memd.indexer")

BATCH = 256
"""Paths a turn of the thread: small enough that an API write waits less than 50 ms behind bulk work."""
RETRY_AFTER = 5.0
"""Seconds after a write to the index failed (full disk)."""
LINGER, LINGER_OURS = 0.04, 0.25
"""Seconds in which more may come before a commit that nobody waits for: one commit for a burst of writes. What memd wrote
itself may wait longer, as whoever looks for it hurries the commit: forming memory of a session is a write a step."""
BULK, COMMIT_EVERY = 2000, 5.0
"""Paths of bulk work, or seconds, between commits; at once when no more is to come. 10,000 notes cost 8.0 s of CPU when
committed by 500, 7.3 by 1,000, 6.0 by 2,000, 5.6 by 5,000: every commit is a segment, and segments are merged."""


class Indexed(Struct, frozen=True):
    """One path's new state: its units (None: gone) and, opaque here, the ledger row that goes with it."""

    units: tuple[Unit, ...] | None
    row: object = None


class Indexer:
    """`submit` numbers urgent changes; `visible` is the highest such number that is searchable. Thread-safe.

    `keep` stores ledger rows, `settled` is told after each commit, `listed` keeps when all was listed; all are called from the owner thread.
    """

    def __init__(
        self,
        words: Words,
        keep: Callable[[Mapping[str, object]], None],
        wipe: Callable[[], None],
        settled: Callable[[], None],
        listed: Callable[[int], None] = lambda at_ns: None,
    ) -> None:
        self._words = words
        self._keep = keep
        self._wipe = wipe
        self._settled = settled
        self._keep_listed = listed
        self._listed_at = 0
        self._wake = threading.Condition()
        self._queue: dict[str, Indexed] = {}
        self._urgent: dict[str, Indexed] = {}
        self._applied: dict[str, Indexed] = {}
        self._restated: dict[str, object] = {}
        self._retry_at = 0.0
        self._clearing: threading.Event | None = None
        self._unmade: Refused | None = None
        self._hurried = False
        self._more = False
        self._linger = LINGER
        self._asked = 0
        self._stop = False
        self.visible = 0
        self.error = ""
        self._thread = threading.Thread(target=self._run, name="memd-indexer", daemon=True)

    def start(self) -> None:
        self._thread.start()

    def submit(self, changed: Mapping[str, Indexed], urgent: bool = False, more: bool = False) -> int:
        """`more`: the rest of a large vault is being read."""
        with self._wake:
            self._more = more
            for path, state in changed.items():
                self._restated.pop(path, None)
                if urgent or path in self._urgent:
                    self._queue.pop(path, None)
                    self._urgent[path] = state
                else:
                    self._queue[path] = state
            self._asked += bool(urgent and changed)
            self._wake.notify()
            return self._asked

    def restate(self, rows: Mapping[str, object]) -> None:
        """Ledger rows of files whose words are as they were: kept now, or with the words that are still on their way."""
        with self._wake:
            for path, row in rows.items():
                waiting = self._urgent if path in self._urgent else self._queue
                if path in waiting:
                    waiting[path] = Indexed(waiting[path].units, row)
                else:
                    self._restated[path] = row
            self._wake.notify()

    def listed(self, at_ns: int) -> None:
        """All that a listing of the whole vault asked for was submitted: kept once that is committed."""
        with self._wake:
            self._listed_at = at_ns
            self._wake.notify()

    def hurry(self) -> None:
        """Somebody waits for what was submitted: commit as soon as it is in."""
        with self._wake:
            self._hurried = True
            self._wake.notify()

    def clear(self) -> None:
        """Empty the index and the ledger, from the owner thread; returns when that is done. Raises Refused where the cache
        cannot be written."""
        done = threading.Event()
        with self._wake:
            self._queue, self._urgent, self._applied, self._restated = {}, {}, {}, {}
            self._listed_at = 0
            self._clearing = done
            self._wake.notify()
        done.wait()
        if self._unmade is not None:
            raise self._unmade

    @property
    def pending(self) -> int:
        """Changes that are not searchable yet."""
        return len(self._queue) + len(self._urgent) + len(self._applied)

    def stop(self) -> None:
        """Finish what is queued, commit, close the index. In the middle of a large vault nothing is begun any more: what
        has no row in the ledger is read at the next start."""
        with self._wake:
            if self._more:
                self._queue, self._listed_at = {}, 0
            self._stop, self._more = True, False
            self._wake.notify()
        self._thread.join()

    def _run(self) -> None:
        last = time.monotonic()
        while self._wait():
            if self._clearing:
                self._empty(self._clearing)
            with self._wake:
                asked, batch = self._asked, self._take()
                clear = not self._urgent
            if self._apply(batch) and self._due(clear, last):
                done, last = self._commit(), time.monotonic()
                if done and clear:
                    self.visible = asked
            self._settled()
        self._words.close()

    def _empty(self, done: threading.Event) -> None:
        self._unmade = None
        try:
            self._wipe()
        except Refused as refused:
            self._unmade = refused
        self._clearing = None
        done.set()

    def _due(self, clear: bool, last: float) -> bool:
        """Whether to commit now: when somebody waits and what clients wrote is in, when nothing more came for a moment,
        and once in a while at least."""
        with self._wake:
            if self._applied and not self._interrupted():
                self._wake.wait_for(self._interrupted, self._linger)
            coming = self._queue or self._urgent or (self._more and self._applied)
            due = (self._hurried and clear and not self._urgent) or not coming
            self._hurried = self._hurried and not due
        return due or len(self._applied) >= BULK or time.monotonic() - last > COMMIT_EVERY

    def _interrupted(self) -> bool:
        return bool(self._hurried or self._queue or self._urgent or self._stop or self._clearing)

    def _wait(self) -> bool:
        """True when there is work; False when there is none and the thread is to stop."""
        with self._wake:
            while not self._stop and (pause := self._pause()) != 0:
                self._wake.wait(pause)
            return self._busy() and not (self._stop and self.error)

    def _pause(self) -> float | None:
        """Seconds until there is something to do; None: until told."""
        if not self._busy():
            return None
        return max(0.0, self._retry_at - time.monotonic())

    def _busy(self) -> bool:
        return bool(self._queue or self._urgent or self._applied or self._restated or self._clearing or self._listed_at)

    def _take(self) -> dict[str, Indexed]:
        self._linger = LINGER_OURS if self._urgent else LINGER
        source = self._urgent or self._queue
        return {path: source.pop(path) for path in list(source)[:BATCH]}

    def _apply(self, batch: Mapping[str, Indexed]) -> bool:
        self._applied.update(batch)
        try:
            if batch:
                self._words.apply(_operations(batch.items()))
        except Refused as error:
            self._put_back(error)
            return False
        return True

    def _commit(self) -> bool:
        try:
            if self._applied:
                self._words.commit()
        except Refused as error:
            self._put_back(error)
            return False
        rows = {path: state.row for path, state in self._applied.items()}
        with self._wake:
            rows |= self._restated
            self._restated = {}
            listed_at = 0 if self._queue or self._urgent else self._listed_at
            self._listed_at = 0 if listed_at else self._listed_at
        try:
            self._keep(rows)
            if listed_at:
                self._keep_listed(listed_at)
        except Refused as error:
            log.warning(
                "the ledger could not be written; these files are read again at the next start: %s", error.message
            )
        self._applied = {}
        self.error, self._retry_at = "", 0.0
        return True

    def _put_back(self, error: Refused) -> None:
        """The index kept nothing of what was applied since its last commit: queue it again, and wait a little."""
        log.warning("the text index could not be written, trying again in %.0f s: %s", RETRY_AFTER, error.message)
        with self._wake:
            self._queue = {**self._applied, **self._queue}
            self._applied = {}
            self.error, self._retry_at = error.message, time.monotonic() + RETRY_AFTER


def _operations(changed: Iterable[tuple[str, Indexed]]) -> Operations:
    replace: dict[str, tuple[Unit, ...]] = {}
    remove: list[str] = []
    for path, state in changed:
        if state.units is None:
            remove.append(path)
        else:
            replace[path] = state.units
    return Operations(replace=replace, remove=tuple(remove))
