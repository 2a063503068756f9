"""One model's vectors in service: from the book and the embeddings to rows of an index, and questions answered on it.

Knows the model, its id in the store, its shards and its asker. Two generations stand side by side while another model
embeds. Changes from one thread at a time; `answer` from any.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from memd.index import leaning
from memd.index.asking import Asker
from memd.index.embeddings import Embeddings
from memd.index.holdings import Held, Holdings
from memd.index.models import Choice
from memd.index.port import Hit, Only, VectorAnswer

if TYPE_CHECKING:
    from memd.index.shards import Shards

REACH = 2
"""Turns to each side whose vectors a turn borrows from (`exact.NEAR`, `exact.FAR`)."""

PASSAGES_A_UNIT = 2
"""Passages fetched for each unit wanted, in the question's own script: a long note takes several of the best places. A turn
is mostly one passage."""


class Generation:
    """`shards` is None until the first vector of the model is known: only then is numpy needed."""

    def __init__(self, choice: Choice, model: int, book: Holdings, embeddings: Embeddings, switch: int) -> None:
        self.choice = choice
        self.model = model
        self.shards: Shards | None = None
        self.asker: Asker | None = None
        self._book = book
        self._embeddings = embeddings
        self._switch = switch

    def load(self, folder: str, doubt: bool) -> None:
        """Takes up the saved graphs and enters all else whose vector is known."""
        files: dict[str, list[Held]] = {}
        for held in self._book.all():
            files.setdefault(held.path, []).append(held)
        dim = self._embeddings.dim(self.model)
        if not dim:
            return
        shards = self._begin(dim)
        shards.load(folder, self.choice.name, (held for some in files.values() for held in some), doubt)
        waiting: list[Held] = []
        for some in files.values():
            if not all(shards.has(held.label) for held in some):
                waiting += some
            if len(waiting) > 1024:
                self._enter(waiting, None)
                waiting = []
        self._enter(waiting, None)

    def _begin(self, dim: int) -> Shards:
        from memd.index.shards import Shards

        if self.shards is None:
            self.shards = Shards(dim, self._switch)
        return self.shards

    def enter(self, items: Sequence[Held], whole: Iterable[str] = ()) -> None:
        """Puts these passages into the index as far as their vectors are known, and their neighbours among the turns anew.

        `whole` are files of which a turn went: all their turns are put anew.
        """
        fresh = {held.label for held in items}
        again = {held.path for held in items if held.kind == "turn"} | set(whole)
        turns = [held for path in sorted(again) for held in self._book.of(path)]
        for held in turns:
            if held.path in whole and held.kind == "turn":
                fresh.add(held.label)
        self._enter([held for held in items if held.path not in again] + turns, fresh)

    def _enter(self, items: Sequence[Held], fresh: set[int] | None) -> None:
        """Rows for `items` (files with turns: complete, together); only those near a `fresh` one are put, None: all new ones."""
        halves = self._embeddings.get(self.model, [held.hash for held in items])
        known = [held for held in items if halves.get(held.hash)]
        if not known:
            return
        from memd.index import exact

        shards = self._begin(self._embeddings.dim(self.model))
        rows = exact.matrix([half for held in known if (half := halves[held.hash])])
        put: list[int] = []
        at = 0
        for some in _sessions(known):
            span = range(at, at + len(some))
            at += len(some)
            if some[0].kind == "turn":
                rows[span.start : span.stop] = exact.lend(rows[span.start : span.stop], [held.lends for held in some])
            put += [span[i] for i in _touched(some, fresh, shards)]
        shards.put([known[i] for i in put], rows[put])

    def drop(self, labels: Iterable[int]) -> None:
        if self.shards is not None:
            self.shards.drop(labels)

    def moved(self, items: Sequence[Held]) -> None:
        if self.shards is not None and items:
            self.shards.moved(items)

    def forget(self) -> None:
        """Leaves nothing in memory of what was dropped, and no question."""
        if self.shards is not None:
            self.shards.purge()
        if self.asker is not None:
            self.asker.forget()

    def answer(self, text: str, limit: int, kinds: tuple[str, ...], only: Only | None = None) -> VectorAnswer:
        """One hit a unit: its best passage."""
        if self.asker is None or not self.asker.loaded:
            return VectorAnswer(why="loading")
        if self.shards is None or not len(self.shards):
            return VectorAnswer(why="empty")
        asked, why = self.asker.ask(text)
        if asked is None:
            return VectorAnswer(why=why)
        several = 1 if kinds == ("turn",) else PASSAGES_A_UNIT
        script, least = leaning.script(text), max(leaning.LEVEL, limit)
        own = self.shards.search(asked.own, max(least, limit * several), kinds, script, only)
        foreign = self.shards.search(asked.abroad, least, kinds, leaning.other(script), only)
        return VectorAnswer(tuple(islice(_hits(self.shards, leaning.merge(own, foreign)), limit)), used=True)


def _hits(shards: Shards, ranked: Iterable[leaning.Placed[int]]) -> Iterator[Hit]:
    """The best passage of each unit."""
    seen: set[str] = set()
    for label, score, foreign in ranked:
        held = shards.place(label)
        if held is not None and held.unit not in seen:
            seen.add(held.unit)
            yield Hit(held.unit, held.path, score, held.line, foreign)


def _sessions(items: Sequence[Held]) -> Iterable[list[Held]]:
    """Runs of one file's turns, or of what is no turn, in the order given."""
    run: list[Held] = []
    for held in items:
        if run and (held.kind != run[0].kind or (held.kind == "turn" and held.path != run[0].path)):
            yield run
            run = []
        run.append(held)
    if run:
        yield run


def _touched(run: Sequence[Held], fresh: set[int] | None, shards: Shards) -> Iterable[int]:
    """Positions whose row is new or other than before."""
    new = [not shards.has(held.label) if fresh is None else held.label in fresh for held in run]
    reach = REACH if run[0].kind == "turn" else 0
    return [i for i in range(len(run)) if any(new[max(0, i - reach) : i + reach + 1])]
