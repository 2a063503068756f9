"""English clauses: who one is about by its first words, and where a sentence falls apart into clauses about others."""

from __future__ import annotations

import re

from memd.form.rules import words_en as w
from memd.form.rules.english_phrases import (
    DETERMINERS,
    FINITE,
    bare,
    named,
    noun_phrase,
    pointed,
    runs,
    tokens,
    verb_like,
)
from memd.form.rules.facts import Subject
from memd.form.rules.verbs_en import COMMON

_FIRST = {"i", "i'm", "i've", "i'd", "i'll", "im", "ive"}
_FIRST_PLURAL = {"we", "we're", "we've", "we'd", "we'll"}
_THIRD = {
    "he",
    "she",
    "they",
    "it",
    "he's",
    "she's",
    "they're",
    "they've",
    "it's",
    "he'll",
    "she'll",
    "they'll",
    "he'd",
    "she'd",
    "it'll",
}


_TWO_DAYS_OFF = (["the", "day", "after", "tomorrow"], ["the", "day", "before", "yesterday"])
_THIRD_OWN = {"his": "he", "her": "she", "their": "they", "its": "it"}
_SECOND = {"you", "you're", "you've", "you'd", "you'll", "your", "u"}
_POINTING = {"that", "this", "these", "those", "that's", "there", "there's", "here", "here's"}
_NOBODY_OF = {"nobody", "none", "everybody", "everyone"}
_SOME_OF = {"neither", "none", "both", "one", "some", "all", "most", "half"}
_ANYBODY = {"everyone", "everybody", "people", "someone", "somebody", "anyone", "nobody", "folks", "others"}
_THEIR_DOING = re.compile(
    r"(?:\S+ ){1,4}?(?:my|our) ((?:[\w'-]+ ){0,2}?[\w'-]+)(?= (?:to|from|by|off|back|forward|for|on|at|in)\b|[.,!]|$)"
)
_SPLIT = re.compile(
    r"\s*;\s*|,?\s+(?:and|but|while|whereas|although|though|yet)\s+|,\s+so\s+|,\s+(?:not\s+)?|\s+[—–-]{1,2}\s+|\s*[—–]\s*",
    re.I,
)


def subject(text: str) -> Subject:
    """Who or what the clause is about, by its first words."""
    found = tokens(text)
    if not found:
        return Subject("none")
    at = _after_openers(found)
    return _at(found, at, text)


def _after_openers(found: list[str]) -> int:
    """Past `On Fridays,` or `Since the flood`: to the first `I`, `we`, `my …`, or the first word after the comma."""
    low = [t.lower() for t in found]
    if low[:4] in _TWO_DAYS_OFF and len(low) > 5:
        return 4 + (low[4] == ",")
    if (
        low[0] not in w.TIME_WORDS
        and low[0] not in w.SUBORDINATE
        and low[0] not in w.ADVERBS
        and not low[0].endswith("ly")
        and low[0] != "besides"
    ):
        return 0
    if (
        low[0] in ("this", "that", "these", "two", "three", "four", "five", "six", "seven", "eight", "some", "most")
        and "," not in low
    ):
        first = next((n for n, t in enumerate(low) if t in _FIRST | _FIRST_PLURAL), None)
        return first if first is not None and first <= 4 else 0
    if "," in low[:14]:
        at = low.index(",") + 1
        if at < len(low):
            return at
    starts = [n for n, t in enumerate(low) if t in _FIRST | _FIRST_PLURAL and n > 0]
    if starts:
        return starts[-1] if low[0] in w.SUBORDINATE else starts[0]
    adverb = low[0] in w.ADVERBS or low[0].endswith("ly")
    if adverb and len(low) > 1 and (verb_like(low[1]) or low[1].endswith("ing")):
        return 1
    for n in range(1, min(len(found), 7)):
        if low[n] in ("my", "our", "the", "he", "she") and low[n - 1] not in w.TIME_WORDS and n > 1:
            return n
    if adverb or low[0] in ("yesterday", "today", "tomorrow", "tonight"):
        return 1 if len(found) > 1 else 0
    return 0


def _at(found: list[str], at: int, text: str) -> Subject:
    low = found[at].lower()
    following = [t.lower() for t in found[at + 1 : at + 8]]
    if low in _FIRST or found[at] == "I":
        return Subject("owner", end=at + 1)
    if low in _FIRST_PLURAL:
        return Subject("owner", "we", end=at + 1)
    if low in _SECOND:
        return Subject("second", end=at + 1)
    if low in _THIRD or low in _THIRD_OWN:
        return _public(found, at) or Subject("pronoun", _THIRD_OWN.get(low, low.split("'")[0]), end=at + 1)
    if low in ("my", "our"):
        return noun_phrase(found, at + 1, mine=True)
    if low in _POINTING:
        return pointed(found, at, following)
    if following[:1] in (["in"], ["of"]) and following[1:2] in (["my"], ["our"]):
        if low in _NOBODY_OF:
            return Subject("thing", found[at + 3] if at + 3 < len(found) else low, True, at + 4)
        if low in _SOME_OF and following[0] == "of":
            return noun_phrase(found, at + 3, mine=True)
    if low in _ANYBODY:
        return Subject("generic", low, end=at + 1)
    if low == "no" and following[:1] == ["one"]:
        return Subject("generic", "nobody", end=at + 2)
    if low in DETERMINERS or low.isdigit():
        return noun_phrase(found, at + 1, mine=False)
    return named(found, at) or bare(found, at, text)


def _public(found: list[str], at: int) -> Subject | None:
    """`They closed our library`: it is the library that this is about, whoever they are."""
    if found[at].lower() not in ("they", "they've", "they're"):
        return None
    own = _THEIR_DOING.match(" ".join(found[at:]))
    return Subject("thing", own[1], True, at + 1) if own and re.search(w.PUBLIC_ACTS, own[0]) else None


def clauses(text: str) -> list[str]:
    """The sentence cut where a clause about someone else begins, or at a semicolon. Otherwise whole."""
    bare = text.replace("’", "'")
    parts: list[tuple[str, str]] = []
    at, joint = 0, ""
    for mark in _SPLIT.finditer(bare):
        left, right = bare[at : mark.start()], bare[mark.end() :]
        if not left.strip() or not right.strip():
            continue
        if ";" in mark[0] or _starts_other(left, right, mark[0].strip().lower()):
            parts.append((joint, left))
            at, joint = mark.end(), mark[0]
    parts.append((joint, bare[at:]))
    return [part.strip(" ,;—–-") for _, part in parts if part.strip(" ,;—–-")]


def _starts_other(left: str, right: str, joint: str) -> bool:
    first = tokens(left)
    if first and (first[0].lower() in w.SUBORDINATE or first[0].lower() in ("if", "unless")) and joint.startswith(","):
        return False
    before, after = subject(left), subject(right)
    if (
        after.kind in ("none", "generic", "deictic")
        or after.name == "elided"
        or re.match(r"(?i)(?:who|which|where|that|because|if|unless|not)\b", right)
    ):
        return False
    if joint == "," and after.kind == "thing" and not after.mine:
        return False
    if not has_verb(left) or not has_verb(right):
        return False
    if after.kind == "thing" and before.kind == "thing" and not after.mine:
        return joint not in (",", "and")
    same = (before.kind, before.name) == (after.kind, after.name) or {before.kind, after.kind} == {"owner"}
    return not same


def has_verb(text: str) -> bool:
    """Whether a clause has something like a verb after its subject."""
    who = subject(text)
    words = tokens(text)
    if (
        who.kind in ("owner", "pronoun") and len(words) > who.end and words[who.end][0].isalpha()
    ) or who.name == "elided":
        return True
    if who.kind == "person" and len(words) > who.end and (runs(words, who.end) or words[who.end - 1].endswith("'s")):
        return True
    return any(
        t.lower() in w.AUX
        or verb_like(t.lower())
        or ("'" in t and t.lower().split("'")[-1] in ("m", "re", "ve", "s", "ll", "d"))
        or (n and t.lower() in COMMON and (who.kind != "thing" or words[n - 1].endswith("s")))
        for n, t in enumerate(words)
    )


def is_activity(clause: str, sentence: str) -> bool:
    """`Taking care of ourselves is key`: an activity that the sentence speaks of, not one that somebody is at."""
    if not re.match(r"(?i)\w+ing\b", clause):
        return False
    return re.search(r"(?i)\b(?:ourselves|yourself|themselves|oneself)\b", clause) is not None or any(
        t.lower() in FINITE for t in tokens(sentence)[1:]
    )
