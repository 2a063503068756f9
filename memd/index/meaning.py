"""Search by meaning as the daemon sees it: passages in, answers out, everything slow on a thread and in other processes.

Knows how to start, feed, ask and stop what `making` does. Never raises because of a model: one that cannot be had is a
state with a reason. It keeps no word of a note on disk.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from memd.index import lacks, seal
from memd.index.arrears import Arrears
from memd.index.asking import Vector
from memd.index.backlog import Early
from memd.index.embedders import Opener, open_embedder
from memd.index.embeddings import Embeddings, digest, open_store
from memd.index.feeding import words
from memd.index.holdings import Delta, Holdings, emptied
from memd.index.making import STORE_EVERY, Making, Settings
from memd.index.models import Unavailable, choose
from memd.index.port import Only, Passage, VectorAnswer, VectorStatus
from memd.model.errors import Refused

BUDGET = 0.15
SAVE_EVERY = 600.0
COLLECT_EVERY = 86_400.0
RELOAD_EVERY = 30.0
TELL_EVERY = 0.5
"""Seconds: a question's budget; between savings of changed graphs, collections of unused vectors, attempts to load a
model that failed, and tellings of progress."""

SWITCH = 10_000
"""Passages of a kind above which a graph is used: see `shards.SWITCH` for the measurement.

28,000 passages (20,842 real, the rest near copies), all told: 2,324 bytes of disk each (958 the store, 1,366 the packed graph), 87 MB here and 225 MB in the
process that embeds questions; a search with a known question 0.95 ms for 96 hits, from restart to ready 1.6 s, 6.4 s
on a machine with a load of ten."""


class Meaning:
    """`folder` is the vectors' own folder in the vault's cache, `models` where fetched models lie, `key` an endpoint's token.

    `read(path)` gives a file's passages anew: it is asked, on Meaning's thread, for words that are not held (after a stop
    in the middle of a first index; for another model). `on_progress` is called on that thread, at most twice a second.
    `clock` gives Unix seconds (the grace of unused vectors); pauses and budgets run on the monotonic clock.
    """

    def __init__(
        self,
        folder: str,
        model_setting: str,
        *,
        models: str,
        read: Callable[[str], Sequence[Passage]] = lambda path: (),
        clock: Callable[[], float] = time.time,
        budget: float = BUDGET,
        threads: int = 0,
        key: str = "",
        on_progress: Callable[[VectorStatus], None] = lambda status: None,
        opener: Opener = open_embedder,
        switch: int = SWITCH,
    ) -> None:
        self._setting = model_setting.strip() or "off"
        self._settings = Settings(folder, models, key, read, opener, budget, threads, switch, clock)
        self._tell = on_progress
        self._changing = threading.RLock()
        self._wake = threading.Event()
        self._stopping = False
        self._open = False
        self._off = self._waits = ""
        self._making: Making | None = None
        self._early = Early()
        self._total = self._expected = 0
        self._told = 0.0

    def start(self) -> None:
        """Opens the book (milliseconds) and begins to load on a thread: `answer` says `loading` until then. Raises OSError
        where the system has nothing to open it with: another one may be started later.

        With `off` nothing is kept: the book is emptied, so that no stale passage returns; the embeddings stay."""
        file = os.path.join(self._settings.folder, "embeddings.db")
        if self._setting == "off":
            self._off = choose("off", self._settings.models).reason
            if os.path.exists(file):
                emptied(file)
            return
        self._doubt = not seal.stands(file)
        if seal.broken(file):
            seal.remove(file)
        seal.lift(file)
        try:
            self._store = open_store(file)
            self._book, self._embeddings = Holdings(self._store), Embeddings(self._store)
            mark = os.path.join(self._settings.folder, "whole")
            self._arrears = Arrears(self._book, mark, self._settings.read)
            self._total = self._book.count()
        except sqlite3.Error as error:
            raise OSError(errno.EIO, str(error)) from error
        self._open = True
        self._thread = threading.Thread(target=self._run, name="memd-meaning", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Ends processes and thread, saves the graphs and marks a clean end. A portion under way is given up."""
        if not self._open:
            return
        self._stopping = True
        self._wake.set()
        if self._making is not None:
            self._making.close()
        self._thread.join()
        with self._changing:
            self._open = False
            if self._making is not None:
                self._making.close()
                self._making.save()
            self._store.close()
            with suppress(OSError):  # a full disk: as after a crash
                seal.sign(os.path.join(self._settings.folder, "embeddings.db"))

    def known(self) -> frozenset[str]:
        """Files whose passages were handed in, also those that had none. A file of the vault that is not among them must
        be handed in again, whatever the ledger says."""
        with self._changing:
            return self._book.known() if self._open else frozenset()

    def expect(self, files: int) -> None:
        """So many files are still to be handed in: as long as there are any the state is `building`."""
        self._expected = files
        self._wake.set()

    def update(self, passages_by_path: Mapping[str, Sequence[Passage]], removed: Iterable[str] = ()) -> None:
        """These files now have exactly these passages. On return the book is on disk, what went is out of the answers and
        what needs no embedding is in; the rest follows."""
        with self._changing:
            if self._open:
                self._update(passages_by_path, tuple(removed))
        self._wake.set()

    def _update(self, passages_by_path: Mapping[str, Sequence[Passage]], removed: Sequence[str]) -> None:
        try:
            if (delta := self._arrears.enter(passages_by_path, removed)) is not None:
                self._hand_on(delta, passages_by_path)
        except sqlite3.Error as error:
            self._break_off(error)

    def _hand_on(self, delta: Delta, passages_by_path: Mapping[str, Sequence[Passage]]) -> None:
        texts = {digest(p.hash): words(p) for some in passages_by_path.values() for p in some}
        if self._making is None:
            self._early.keep(texts)
        else:
            serving = self._making.serving
            serving.drop([held.label for held in delta.removed])
            serving.moved(delta.moved)
            serving.enter(delta.added, {p.path for p in delta.removed if p.kind == "turn"} & {*passages_by_path})
            self._making.queue(delta, texts)
        self._total += len(delta.added) - len(delta.removed)  # after the queue: never ready too early

    def _break_off(self, error: Exception) -> None:
        self._off = f"The vector store cannot be used ({error}); it is begun anew at the next start."
        self._arrears.doubt()

    def answer(self, text: str, limit: int, kinds: tuple[str, ...] = (), only: Only | None = None) -> VectorAnswer:
        """Units by meaning, best first, one hit a unit, within the budget. `used` is false for every reason that `why` names:
        `off loading empty late unreadable unavailable`. Never raises."""
        if self._off or self._lacking:
            return VectorAnswer(why="off")
        if self._making is None:
            return VectorAnswer(why="loading")
        if not text.strip():
            return VectorAnswer(why="unreadable")
        answer = self._making.serving.answer(text, limit, kinds, only)
        return replace(answer, read=self._making.read(self._total))

    def embed(self, texts: Sequence[str]) -> tuple[Vector | None, ...]:
        """Vectors of texts, as passages; None for each where none is to be had. Waits as long as it takes."""
        asker = self._making.serving.asker if self._making is not None else None
        if asker is None or not asker.loaded:
            return (None,) * len(texts)
        try:
            return tuple(asker.embed(texts))
        except (Unavailable, RuntimeError):  # the latter: closed meanwhile
            return (None,) * len(texts)

    @property
    def takes(self) -> bool:
        """Whether passages are kept: not with `off`."""
        return self._open

    def status(self) -> VectorStatus:
        """`total` passages, of which `done` need no more work; `left` seconds at the present pace. Never blocks."""
        if off := self._off or self._lacking:
            return VectorStatus("off", self._setting, off, 0, self._total)
        if self._making is None:
            why = self._waits or "The model is being looked at."
            return VectorStatus("building", self._setting, why, 0, self._total)
        return self._making.status(self._total, self._expected)

    @property
    def _lacking(self) -> str:
        return self._arrears.lacking if self._open else ""

    @property
    def trouble(self) -> str:
        """What keeps it from getting on, "" for nothing; it tries again by itself."""
        return self._making.feeding.trouble if self._making is not None else self._waits

    def forget(self, hashes: Iterable[str] | None = None) -> int:
        """Erases the vectors of these passage hashes, or (None) of every text that no passage says any more: from the file
        and its log, the graphs, the memory. Call it after `update`. Returns how many vectors there were. Raises Refused:
        unavailable, where the store cannot be written."""
        with self._changing:
            if not self._open:
                return 0
            gone = self._embeddings.erase(hashes)
            if self._lacking:
                raise Refused("unavailable", f"not all vectors are erased: {self._lacking} Ask again then")
            if self._making is not None:
                self._making.forget()
            return gone

    def rebuild(self) -> None:
        """Forgets where passages stand, but no embedding: hand every file in again with `update`."""
        with self._changing:
            if self._open:
                self.update({}, self._book.known())
                if self._making is not None:
                    self._making.discard_graphs()

    def _run(self) -> None:
        """Until it is stopped. Where the system has nothing to begin with, it is begun again; what is on disk stays."""
        while not self._stopping:
            try:
                self._live()
                break
            except (sqlite3.Error, OSError) as error:
                if not lacks.wanting(error):
                    self._break_off(error)
                    break
                self._waits = f"The vectors cannot be opened ({error}); that is tried again."
            self._wake.wait(RELOAD_EVERY)
            self._wake.clear()
        self._report(always=True)

    def _live(self) -> None:
        if self._making is None:
            choice = choose(self._setting, self._settings.models, self._settings.key)
            if choice.kind == "off":
                self._off, self._early = choice.reason, Early()
                return
            with self._changing:
                self._making = Making(
                    self._settings, choice, self._book, self._embeddings, self._changing, self._doubt, self._early
                )
                self._early = Early()
        self._work(self._making)

    def _work(self, making: Making) -> None:
        saved, collected, loaded, tried = time.monotonic(), -COLLECT_EVERY, -RELOAD_EVERY, -STORE_EVERY
        while not self._stopping:
            self._report()
            now = time.monotonic()
            if self._lacking and not self._off and now - tried >= STORE_EVERY:
                with self._changing:
                    tried = -STORE_EVERY if self._arrears.catch_up(self._update) else now
            elif making.unloaded() and now - loaded >= RELOAD_EVERY:
                making.load_asker()
                loaded = time.monotonic()
            elif making.embed_some() or making.switch_over() or making.tend(lambda: self._stopping):
                continue
            elif now - collected >= COLLECT_EVERY:
                making.collect()
                collected = now
            elif now - saved >= SAVE_EVERY:
                making.save()
                saved = now
            else:
                self._report(always=True)
                self._wake.wait(min(_rest(making), STORE_EVERY if self._lacking else SAVE_EVERY))
                self._wake.clear()

    def _report(self, always: bool = False) -> None:
        now = time.monotonic()
        if always or now - self._told >= TELL_EVERY:
            self._told = now
            self._tell(self.status())


def _rest(making: Making) -> float:
    """Seconds until something is due by itself."""
    soon = RELOAD_EVERY if making.unloaded() else SAVE_EVERY
    return min(soon, making.feeding.pause() or soon)
