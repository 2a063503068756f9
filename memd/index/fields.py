"""The fields of the text index and what a match in each is worth, with the measurement that set each figure.

Knows names and numbers. Never knows text, queries or an engine. Measured on the development halves (data/README.md).
"""

from __future__ import annotations

from collections.abc import Mapping

NAMES = {"title": 4.0, "permalink": 3.0, "tag": 2.0, "body": 1.0}
"""Field weights, design section 5."""

TURN = {"around": 1.0}
"""A turn is matched in its own words and its neighbours' as one field. LoCoMo R@5/R@10, stop words out:
own words alone .532/.611, beside a field of ±1 neighbours .577/.682, of ±2 .617/.722, all in one field .650/.730."""

OWN, NEAR, FAR = 4, 2, 1
"""How often a turn's own words, those of ±1 and of ±2 count in `around`: 4,2,1 .650/.730; 6,3,2 .640/.725;
6,4,2,1 .618/.729; own words weighed once more beside them .636/.715."""

SHELVES: Mapping[str, tuple[str, ...]] = {
    "notes": ("note", "leaf", "chain", "profile"),
    "turns": ("turn",),
    "rest": ("episode", "summary", "entity", "evidence", "digest"),
}
"""Kinds that are ranked together, each with its own statistics: ten thousand short turns do not change what is rare or
long among notes, and the kinds that search shows by default need no filter, so the engine may skip weak postings."""


def shelf_of(kind: str) -> str:
    return next((shelf for shelf, kinds in SHELVES.items() if kind in kinds), "rest")


UNIGRAM = 0.5
"""One CJK character of a longer run, beside its bigrams at 1. CMRC R@1: none .971, 0.2 .973, 0.5 .9745, 1 .9745."""

FUNCTION_UNIGRAM = 0.0
FUNCTION_BIGRAM = (1.0, 0.5, 0.2)
"""Weight of a bigram by how many of its characters are function characters. With unigrams of them left out, CMRC R@1
.9745 → .987; (1, 1, .3) .986, (1, .5, .2) .987, (1, .3, 0) .987."""

COMPLETION = 0.4
"""A longer word that the last word typed may be the beginning of, beside the word itself at 1."""

COMPLETIONS = 8
"""How many such words, the most frequent first."""

MOST_TERMS = 64
"""Distinct terms of a query that are looked up; the rest is not asked."""
