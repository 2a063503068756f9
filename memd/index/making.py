"""What Meaning's thread does: load a model, embed portion after portion, hand over to another model, keep the graphs in shape.

Knows the store, the generation in service, the one being made and what waits. Every method is called by the one thread,
save `queue`; whatever touches the store or the generations happens under `changing`.
"""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Mapping, Sequence
from threading import RLock

from msgspec import Struct

from memd.index import lacks, models
from memd.index.asking import Asker
from memd.index.backlog import SMALL
from memd.index.embedders import Opener
from memd.index.embeddings import Embeddings
from memd.index.feeding import Feeding, Row
from memd.index.generation import Generation
from memd.index.holdings import Delta, Holdings
from memd.index.models import Choice, Unavailable
from memd.index.port import Passage, VectorState, VectorStatus

STORE_EVERY = 5.0
"""Seconds before a store that took nothing (a full disk) is tried again."""


class Settings(Struct, frozen=True):
    """How Meaning was made: see there."""

    folder: str
    models: str
    key: str
    read: Callable[[str], Sequence[Passage]]
    opener: Opener
    budget: float
    threads: int
    switch: int
    clock: Callable[[], float]


class Making:
    """`target` is the generation of the model that was chosen, `serving` the one that answers: mostly the same."""

    def __init__(
        self,
        settings: Settings,
        choice: Choice,
        book: Holdings,
        embeddings: Embeddings,
        changing: RLock,
        doubt: bool,
        texts: Mapping[bytes, str],
    ) -> None:
        """Loads what serves: the chosen model, or, while that one has the vault still to read, the one that served last.

        `texts` are the words of passages that were handed in before."""
        self._settings, self._book, self._embeddings, self._changing = settings, book, embeddings, changing
        self._graphs = os.path.join(settings.folder, "graphs")
        self._rows: Sequence[Row] = ()
        self.feeding = Feeding(settings.opener(choice, True, settings.threads), settings.read, time.monotonic)
        with changing:
            last = embeddings.serving()
            model = embeddings.model_id(choice)
            self.target = self.serving = self._generation(choice, model)
            waiting = list(book.waiting(model))
            self.feeding.backlog.add((held.hash, held.path, held.rank, texts.get(held.hash)) for held in waiting)
            if last is not None and last[0] != model and waiting and embeddings.count(last[0]):
                if old := models.again(last[1], settings.models, settings.key):
                    self.serving = self._generation(old, last[0])
            self.serving.load(self._graphs, doubt)
            if self.serving is self.target:
                embeddings.serve(model, settings.clock())

    def _generation(self, choice: Choice, model: int) -> Generation:
        return Generation(choice, model, self._book, self._embeddings, self._settings.switch)

    def queue(self, delta: Delta, texts: Mapping[bytes, str]) -> None:
        """What an update brought waits, what it took waits no longer. Under `changing`."""
        gone = [held.hash for held in delta.removed]
        still = {held.hash for held in self._book.using(gone)}
        self.feeding.backlog.discard(hash for hash in gone if hash not in still)
        have = self._embeddings.get(self.target.model, list(dict.fromkeys(held.hash for held in delta.added)))
        new = [(held.hash, held.path, held.rank, texts.get(held.hash)) for held in delta.added if held.hash not in have]
        self.feeding.backlog.add(new, urgent=len(new) <= SMALL)

    def unloaded(self) -> bool:
        asker = self.serving.asker
        return asker is None or not asker.loaded

    def unfinished(self) -> str:
        """What keeps the chosen model from answering, "" for nothing."""
        if self.feeding.trouble or self.unloaded():
            return self.feeding.trouble or "The model is being loaded."
        if self.serving is self.target:
            return ""
        return f"{self.target.choice.title} reads the vault; {self.serving.choice.title} answers meanwhile."

    def read(self, total: int) -> float:
        """The share of `total` passages that the model in service has read. One that is about to be replaced has read all
        that it has vectors of."""
        done = total - self.feeding.waiting if self.serving is self.target else len(self.serving.shards or ())
        return done / total if total else 1.0

    def status(self, total: int, expected: int) -> VectorStatus:
        """Of `total` passages; `expected` files are still to be handed in."""
        waiting = min(self.feeding.waiting, total)
        reason = self.unfinished()
        if not reason and expected:
            reason = f"{expected} files are still to be read."
        if not reason and waiting:
            reason = f"{waiting} passages wait to be embedded."
        state: VectorState = "building" if reason else "ready"
        done = max(0, total - waiting - self.feeding.lost)
        return VectorStatus(state, self.target.choice.title, reason, done, total, self.feeding.left())

    def load_asker(self) -> None:
        """Opens the handle that questions use. Where the model does not come, the reason is shown and text goes on alone."""
        if self.serving.asker is None:
            self.serving.asker = self._asker(self.serving.choice)
        try:
            self.serving.asker.load()
            self.feeding.trouble = ""
        except Unavailable as why:
            self.feeding.trouble = str(why)

    def _asker(self, choice: Choice) -> Asker:
        return Asker(self._settings.opener(choice, False, 1), self._settings.budget, time.monotonic)

    def embed_some(self) -> bool:
        """One portion. Says whether any was done."""
        if self.feeding.pause() or not (self._rows or self._embed()):
            return False
        try:
            self._enter()
        except sqlite3.Error as error:
            if not lacks.wanting(error):
                raise
            self.feeding.delay(f"The vectors cannot be stored ({error}).", STORE_EVERY)
            return False
        return True

    def _embed(self) -> bool:
        """Makes the vectors of a portion, which wait until they are entered."""
        with self._changing:
            portion = self.feeding.take()
        if not portion:
            return False
        try:
            self._rows = self.feeding.embed(portion)
        except Unavailable:
            with self._changing:
                self.feeding.back(portion)
            return False
        return True

    def _enter(self) -> None:
        """Keeps the vectors of what is still said somewhere, and puts them into the index of their model."""
        with self._changing:
            standing = self._book.using([hash for hash, _ in self._rows])
            used = {held.hash for held in standing}
            self._embeddings.put(self.target.model, [row for row in self._rows if row[0] in used])
            self._rows = ()
            if self.serving is self.target:
                self.target.enter(standing)
            self.feeding.done()

    def switch_over(self) -> bool:
        """When the chosen model has read everything it takes over; its own handle is loaded before."""
        target, old = self.target, self.serving
        if target is old or len(self.feeding.backlog) or self.feeding.pause():
            return False
        asker = self._asker(target.choice)
        try:
            asker.load()
        except Unavailable as why:
            self.feeding.delay(str(why))
            return False
        target.asker = asker
        with self._changing:
            target.load(self._graphs, False)
            self._embeddings.serve(target.model, self._settings.clock())
            self.serving = target
        if old.asker is not None:
            old.asker.close()
        return True

    def tend(self, stop: Callable[[], bool]) -> bool:
        """Builds one shard anew where that is due."""
        shards = self.serving.shards
        return shards is not None and shards.tend(self._changing, stop)

    def collect(self) -> None:
        with self._changing:
            self._embeddings.collect(self._settings.clock())

    def save(self) -> None:
        """Saves the graphs where they changed; if that fails they are built again from the embeddings another day."""
        with self._changing:
            shards = self.serving.shards
            if shards is not None and shards.changed:
                try:
                    shards.save(self._graphs, self.serving.choice.name)
                except OSError:
                    self.discard_graphs()

    def discard_graphs(self) -> None:
        for name in os.listdir(self._graphs) if os.path.isdir(self._graphs) else ():
            os.unlink(os.path.join(self._graphs, name))

    def forget(self) -> None:
        """No saved graph and no memory of what was dropped. Under `changing`."""
        self.discard_graphs()
        for generation in {id(g): g for g in (self.serving, self.target)}.values():
            generation.forget()

    def close(self) -> None:
        """Ends the processes, whatever they are at."""
        self.feeding.close()
        for generation in (self.serving, self.target):
            if generation.asker is not None:
                generation.asker.close()
