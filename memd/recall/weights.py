"""Every figure that ranks or bounds search, with the measurement that set it. Field weights are `memd.index.fields`.

LoCoMo: development half, turns, R@5/R@10. CMRC: development half, R@1. Counted as the data's README says.
"""

from __future__ import annotations

STOP = 0.05
"""A stop word beside other words. LoCoMo with neighbours: 1 .476/.548 (own words only), 0 .650/.730, 0.05 .655/.733."""

MANY_WORDS = 16
"""Beside so many words that say something, stop words are not asked at all: they would cost time and decide nothing."""

MOST_WORDS = 64
"""Distinct words of a query that are asked: a pasted page is asked by its beginning."""

MOST_ITEMS = 4096
"""Words, phrases and filters that are read of a query at all: a megabyte of text takes 30 ms."""

SAME = 3
"""Decimals to which scores are the same, so that recency decides: sums of the same parts in another order differ in the
seventh digit."""

RELATED = 6
SNIPPET = 240
ANSWER_BYTES = 8000
"""Of eight hits as MessagePack; with what stands round them an answer stays below 8 KB (contract)."""

FIRST_FETCH = 12
"""Hits asked of the index at first; filters, copies and lineages take some away. 32 cost 0.7 ms more at 100k notes (the
engine skips less), 12 are enough for nine queries of ten."""

FETCH_GROWTH = 8
MOST_FETCHED = 1024
"""Beyond, filters choose the paths first: at 10k notes choosing takes 15 ms, fetching 768 hits 1.5. Where more hits than
that are equal, recency decides among these."""
