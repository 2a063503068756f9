"""Texts made to be slow: patterns hold the interpreter while they look, so that one turn or one row could stop the daemon."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import date

import pytest

from memd.edit import journal, words
from memd.form import keys, profile_text
from memd.form.rules import dates_en, english, sentences

SLOW: dict[str, Callable[[], object]] = {
    "an aside that never comes": lambda: english.told_part("the" + " " * 60_000),
    "abbreviations without end": lambda: list(sentences.split("Dr. " * 20_000)),
    "initials without end": lambda: list(sentences.split("A. " * 20_000)),
    "links that never close, in the profile": lambda: profile_text._LINKED.findall("[[" * 20_000),
    "links that never close, in a leaf": lambda: keys._SEEN.findall("[[" * 40_000),
    "links that never close, in the journal": lambda: journal._WIKI.findall("[[" * 40_000),
    "a heading of blanks": lambda: words.says_observations("a" + " " * 80_000 + "b"),
    "one day after the other": lambda: list(dates_en.find("monday " * 40_000, date(2026, 1, 1))),
}


@pytest.mark.parametrize("name", SLOW)
def test_what_is_made_to_be_slow_is_read_in_linear_time(name: str) -> None:
    """It takes a second of CPU at most; what looks from each of its own marks to the end takes minutes."""
    before = time.process_time()
    SLOW[name]()
    assert time.process_time() - before < 30
