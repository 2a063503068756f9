"""Hits by words and by meaning as one list, in order. Knows scores and times; never what a hit is a hit of."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import groupby

from msgspec import Struct

from memd.index.port import Hit, Index, Only, Query, VectorAnswer
from memd.recall import weights
from memd.recall.fuse import fuse
from memd.recall.query import telling


class Pool(Struct, frozen=True):
    """`hits` have the score they are ranked by, best first. `said` is what words brought to it by unit, None where they
    brought all. `floor`: nothing that was not fetched scores more (None: nothing is left).
    """

    hits: list[Hit]
    said: dict[str, float] | None = None
    used: bool = False
    why: str = ""
    floor: float | None = None

    def parts(self, hit: Hit) -> tuple[float, float]:
        """(what words, what meaning brought), which add up to the score; 0 where it was not found so."""
        text = hit.score if self.said is None else self.said.get(hit.unit, 0.0)
        return text, hit.score - text


def pool(index: Index, query: Query, text: str, mode: str, limit: int) -> Pool:
    """`text` is what is embedded; `mode` text, vector or hybrid. Without hits by meaning, words rank as in text mode."""
    answer = VectorAnswer() if mode == "text" else index.meaning(text, limit, query.kinds, query.only)
    meaning = _allowed(index, query, list(answer.hits))
    asked = telling(query) if meaning else query
    words = [] if mode == "vector" or not (asked.any or asked.must) else index.words(asked, limit)
    floor = same(words[-1].score) if len(words) >= limit else None
    if not meaning:
        return Pool(words, used=answer.used, why=answer.why, floor=floor)
    more = len(words) >= limit or len(answer.hits) >= limit
    hits, said = fuse(words, meaning, answer.read >= weights.NEARLY_ALL)
    return Pool(hits, said, answer.used, answer.why, float("-inf") if more else None)


def same(score: float) -> float:
    """The score as far as it tells hits apart."""
    return round(score, weights.SAME)


def _allowed(index: Index, query: Query, found: list[Hit]) -> list[Hit]:
    """Hits by meaning that what was typed allows: a phrase must be there, a word that is not wanted must not."""
    if not (query.must or query.none) or not found:
        return found
    there = Only(units=frozenset(hit.unit for hit in found))
    strict = Query(must=query.must, none=query.none, kinds=query.kinds, only=there)
    units = {hit.unit for hit in index.words(strict, weights.MOST_FETCHED)}
    return [hit for hit in found if hit.unit in units]


def in_order(hits: list[Hit], modified: Callable[[str], float]) -> Iterator[Hit]:
    """Best first; of those with the same score the last modified, then by path, turns of one file as they stand there.

    Lazy: of many hits only those are compared that come to be looked at.
    """
    for _, group in groupby(hits, key=lambda hit: same(hit.score)):
        equal = list(group)
        if len(equal) > 1:
            equal.sort(key=lambda hit: (-modified(hit.path), hit.path, len(hit.unit), hit.unit))
        yield from equal
