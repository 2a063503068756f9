"""The line of a note that shows best why it was found, and the heading above it. Text in, a few words out.

Cheap on purpose: one fold of the text and plain finds, no tokens. Never knows scores or the index.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence

from msgspec import Struct

from memd.index import tokens
from memd.model.note import Heading
from memd.parse.header import split
from memd.recall import weights
from memd.recall.stopwords import is_stop

_MOST_NEEDLES = 16
_MOST_FOUND = 8
"""Places of one word that are looked at in a note."""


class Snippet(Struct, frozen=True):
    """`line` counts from 1 in the file, 0 when there is no text."""

    text: str = ""
    line: int = 0
    heading: str = ""


def needles(asked: Sequence[str]) -> tuple[tuple[str, float], ...]:
    """What to look for, with weights: words cut to what their forms share, pieces of CJK runs; stop words only alone."""
    telling = [word for word in asked if not is_stop(word)] or list(asked)
    out: dict[str, float] = {}
    for word in telling:
        if tokens.is_run(word):
            out[word] = len(word) * 2.0
            for at in range(min(len(word) - 1, _MOST_NEEDLES)):
                if not is_stop(word[at : at + 2]):
                    out.setdefault(word[at : at + 2], 1.0)
        else:
            out[_shared(word)] = 2.0
    return tuple(list(out.items())[:_MOST_NEEDLES])


def _shared(word: str) -> str:
    """The beginning that a word has in common with its stem: in `photograph|y`, what `photographs` has too."""
    stem, size = tokens.stem(word, "en"), 0
    for a, b in zip(word, stem, strict=False):
        if a != b:
            break
        size += 1
    return word[: max(size, min(3, len(word)))]


def snippet(
    text: str, wanted: Sequence[tuple[str, float]], headings: Sequence[Heading], start: int = 0, end: int = 0
) -> Snippet:
    """The best line from line `start` up to, not including, `end` (0: to the file's end). Never one of the header's."""
    begin = max(_offset(text, start), split(text).body)
    stop = _offset(text, end) if end else len(text)
    at, found = _best(text, wanted, begin, stop)
    if at < 0:
        at = found = _first(text, begin, stop)
    if at < 0:
        return Snippet()
    line = text.count("\n", 0, at) + 1
    return Snippet(_clip(text, at, found, stop), line, _heading(headings, line))


def _offset(text: str, line: int) -> int:
    at = 0
    for _ in range(line - 1):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at


def _fold(text: str) -> str:
    return text.lower() if text.isascii() else unicodedata.normalize("NFKC", text).casefold()


def _best(text: str, wanted: Sequence[tuple[str, float]], begin: int, stop: int) -> tuple[int, int]:
    """(offset of the best line, offset of the first match in it) by the weights of what it has; -1 where nothing is."""
    told = text[begin:stop]
    folded = _fold(told)
    if not folded.isascii() and all(word.isascii() for word, _ in wanted):
        folded = tokens.unmarked(folded)
    scores: dict[int, float] = {}
    firsts: dict[int, int] = {}
    for word, weight in wanted:
        seen = -1
        for place in _places(folded, word):
            line = folded.rfind("\n", 0, place) + 1
            if line != seen:
                seen = line
                scores[line] = scores.get(line, 0.0) + weight
                firsts[line] = min(firsts.get(line, place), place)
    if not scores:
        return -1, -1
    best = min(scores, key=lambda line: (-scores[line], line))
    if told.isascii():
        return begin + best, begin + firsts[best]
    at = begin
    for _ in range(folded.count("\n", 0, best)):
        at = text.index("\n", at) + 1
    return at, at + firsts[best] - best


def _places(folded: str, word: str) -> list[int]:
    """Where a word begins; inside other words only where a script has no spaces."""
    out: list[int] = []
    at = folded.find(word)
    inner = not word.isascii()
    looked = 0
    while at >= 0 and looked < _MOST_FOUND:
        if inner or at == 0 or not (folded[at - 1].isascii() and folded[at - 1].isalnum()):
            out.append(at)
        looked += 1
        at = folded.find(word, at + len(word))
    return out


def _first(text: str, begin: int, stop: int) -> int:
    """The first line with words in it, a heading only where there is nothing else."""
    at, fallback = begin, -1
    while at < stop:
        end = text.find("\n", at)
        line = text[at : stop if end < 0 else min(end, stop)].strip()
        if line and not line.startswith(("#", "---", "```", "%%", "<!--", "**")):
            return at
        if line and fallback < 0:
            fallback = at
        if end < 0:
            break
        at = end + 1
    return fallback


def _clip(text: str, at: int, found: int, stop: int) -> str:
    """The line, or as much of it round the match as a snippet holds; a short one with the lines that follow."""
    end = text.find("\n", at, stop)
    line = text[at : stop if end < 0 else end].strip()
    if len(line) > weights.SNIPPET:
        lead = max(0, min(found - at - weights.SNIPPET // 3, len(line) - weights.SNIPPET + 2))
        line = ("…" if lead else "") + line[lead : lead + weights.SNIPPET - 2].strip() + "…"
        return line[: weights.SNIPPET]
    while end >= 0 and len(line) < weights.SNIPPET // 2:
        start, end = end + 1, text.find("\n", end + 1, stop)
        more = text[start : stop if end < 0 else end].strip()
        if not more or more[0] in "#^" or len(line) + 1 + len(more) > weights.SNIPPET:
            break
        line = f"{line}\n{more}"
    return line


def _heading(headings: Sequence[Heading], line: int) -> str:
    at = bisect_right(headings, line, key=lambda heading: heading.line)
    return headings[at - 1].text if at else ""
