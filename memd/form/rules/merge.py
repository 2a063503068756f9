"""Statements that say one thing become one; a later value of one thing gets the aspect of the earlier.

Knows statements of one reading. Never knows what other episodes hold.
"""

from __future__ import annotations

import re

from memd.form.rules import chinese, english, words_en, words_zh
from memd.form.rules.facts import Statement

SAME = 0.6
"""Share of the smaller statement's content that the other holds, from which on both say one thing."""
NEAR = 0.34
"""The same for statements of which the later names a change."""

_NEGATED = re.compile(r"(?i)\b(?:no|not|never|none|neither|nor|without|cannot)\b|n't\b|[不没未非别无]")
_NUMBER = re.compile(r"\d[\d.,:]*|(?<![一-龥])[一二三四五六七八九十两百千]+(?=[个只条块元岁次张月年天号点口楼])", re.I)
_DAY = re.compile(
    r"(?i)\b(?:mon|tues|wednes|thurs|fri|satur|sun)day|(?:周|星期|礼拜)[一二三四五六日天]|\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b|[一二三四五六七八九十\d]+月"
)
_ENDS = re.compile(
    r"(?i)\b(?:left|quit|stopped|gave up|given up|cancel\w*|sold|moved|changed|switched|no longer|any ?more|instead|ended|finished|closed)\b|辞|离职|取消|卖了|(?:搬|换|改)[^，。]{0,6}了|改[到成在为]|搬[到去]|不再|戒|停了|结束|分手|离婚"
)
_WORD_NUMBER = re.compile(
    r"(?i)\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)\b"
)


_VALUE = re.compile(rf"(?:{_WORD_NUMBER.pattern[4:]}|{_DAY.pattern[4:]}|[\d.,:]+)s?", re.I)


def bag(statement: Statement) -> frozenset[str]:
    """What a statement is made of: stems, or the characters that carry something."""
    text = statement.clause
    if statement.chinese:
        latin = {t.lower() for t in re.findall(r"[A-Za-z]{2,}", text)}
        return (
            frozenset(
                chinese.content(re.sub(rf"[A-Za-z]+|{words_zh.PLAN}|{_NUMBER.pattern}|周[一二三四五六日天]", "", text))
            )
            | latin
        )
    return frozenset(stem(t) for t in english.content(text) if not _VALUE.fullmatch(t))


def stem(word: str) -> str:
    word = word.removesuffix("'s")
    for ending in ("ing", "ies", "ed", "es", "s"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)] + ("y" if ending == "ies" else "")
            break
    return word.removesuffix("e")


def values(statement: Statement) -> frozenset[str]:
    text = statement.clause
    return frozenset(m.lower() for p in (_NUMBER, _DAY, _WORD_NUMBER) for m in p.findall(text))


def overlap(a: frozenset[str], b: frozenset[str]) -> float:
    return len(a & b) / min(len(a), len(b)) if a and b else 0.0


def merged(statements: list[Statement]) -> list[Statement]:
    """One statement for each thing said; the first of those that say it, with the turns of the others."""
    kept: list[Statement] = []
    for statement in statements:
        at = next((n for n, other in enumerate(kept) if same(other, statement)), None)
        if at is None:
            kept.append(statement)
        else:
            kept[at] = _joined(kept[at], statement)
    return kept


def same(a: Statement, b: Statement) -> bool:
    """The same holder, polarity and values, and most of the words of the shorter one."""
    things = "thing" in (a.subject.kind, b.subject.kind) and a.turn.speaker == b.turn.speaker and a.number != b.number
    if (a.holder != b.holder and not (things and "person" not in (a.subject.kind, b.subject.kind))) or bool(
        _NEGATED.search(a.clause)
    ) != bool(_NEGATED.search(b.clause)):
        return False
    mine, its = values(a), values(b)
    if mine and its and mine != its and not (mine <= its or its <= mine):
        return False
    if b.correction or (_ENDS.search(b.clause) and not _ENDS.search(a.clause)):
        return False
    share, common = overlap(bag(a), bag(b)), len(bag(a) & bag(b))
    if len(bag(b) - bag(a)) > (4 if a.chinese else 2):
        return False
    if _planned(a) != _planned(b) and a.number == b.number:
        return False
    return (share >= SAME and common >= (3 if a.chinese else 2)) or (bag(a) == bag(b) and bool(bag(a)))


def _planned(statement: Statement) -> bool:
    if statement.chinese:
        return re.search(words_zh.PLAN, statement.clause) is not None
    return any(t.lower() in words_en.PLAN for t in english.tokens(statement.clause))


def _joined(first: Statement, again: Statement) -> Statement:
    import msgspec

    more = ((again.number, again.quote), *again.also)
    return msgspec.structs.replace(first, also=tuple(dict.fromkeys((*first.also, *more))))


def earlier_version(statement: Statement, before: list[Statement]) -> Statement | None:
    """The statement of the same holder that this one replaces: put right or changed, and about the same thing."""
    for other in reversed(before):
        if other.holder != statement.holder and not (
            statement.correction and other.turn.speaker == statement.turn.speaker
        ):
            continue
        share = overlap(bag(other), bag(statement))
        differ = values(other) != values(statement) or bool(_NEGATED.search(other.clause)) != bool(
            _NEGATED.search(statement.clause)
        )
        if (
            statement.number > other.number
            and (statement.correction or statement.change)
            and share >= NEAR
            and (statement.correction or differ or bag(other) != bag(statement))
        ):
            return other
    return None
