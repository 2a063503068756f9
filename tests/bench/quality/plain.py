"""Plain BM25 (k1 1.2, b .75), the yardstick of the run: stemmed words, nothing taken out, nothing added."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence

from memd.index import tokens


def terms(text: str) -> list[str]:
    return tokens.mixed(text, "en")


class Plain:
    def __init__(self, texts: Sequence[str]) -> None:
        counted = [Counter(terms(text)) for text in texts]
        self.lengths = [sum(one.values()) for one in counted]
        self.posted: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for at, one in enumerate(counted):
            for term, count in one.items():
                self.posted[term].append((at, count))

    def order(self, query: str, most: int) -> list[int]:
        """The first `most` texts (those before it) by score, best first; texts without a word of it are not there."""
        count = len(self.lengths[:most])
        average = (sum(self.lengths[:most]) / count) or 1.0
        scores: dict[int, float] = defaultdict(float)
        for term in dict.fromkeys(terms(query)):
            found = [(at, n) for at, n in self.posted.get(term, ()) if at < most]
            rarity = math.log(1 + (count - len(found) + 0.5) / (len(found) + 0.5))
            for at, n in found:
                scores[at] += rarity * n * 2.2 / (n + 1.2 * (0.25 + 0.75 * self.lengths[at] / average))
        return sorted(scores, key=lambda at: (-scores[at], at))
