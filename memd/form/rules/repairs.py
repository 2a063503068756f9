"""Slips put right and values that moved on: what a later sentence does to the statement before it.

Knows the statements so far and one sentence. Never knows what the sentence states by itself.
"""

from __future__ import annotations

import re

import msgspec

from memd.form.rules import chinese, corrections, english, judge, words_en, words_zh
from memd.form.rules.facts import Sentence, Speaker, Statement
from memd.form.rules.telling import told
from memd.model.memory import Said

NEAR = 6
"""Turns after which a correction does not speak of a statement any more."""

_NOW = re.compile(r"现在|如今|目前|(?i:\bnow\b)")
_SLIP = re.compile(
    r"(?i)\b(?:sorry|typo|scratch that|make that|i meant|my mistake|my bad|oops|whoops|wait|hang on|hold on|correction|misspoke|misread|mistyped|"
    r"wrong|strike that)\b|打错|说错|记错|写错|搞错|弄错|口误|笔误|更正|纠正|不对|错了|有误|等等|等一下"
)
_SHORT_NO = re.compile(r"(?i)(?:actually|no)\b|.?不[，,]")


def last_of(statements: list[Statement], name: str, number: int) -> Statement | None:
    """The latest statement of a speaker that is near enough to be meant."""
    mine = [s for s in statements if s.turn.speaker == name and number - s.number <= NEAR]
    return mine[-1] if mine else None


def repaired(
    statements: list[Statement], number: int, turn: Said, who: Speaker, sentence: Sentence
) -> list[Statement] | None:
    """The statements after the sentence put one of them right or took it back; None where it does neither.

    A correction whose value is not plain takes back what it corrects: that it was wrong is known. Behind one whose value
    is, it only says why.
    """
    module, words = (chinese, words_zh) if sentence.chinese else (english, words_en)
    target = last_of(statements, turn.speaker, number)
    if target is None or len(sentence.text) > judge.LONGEST or module.is_question(sentence.text):
        return None
    if not module.matches(words.CORRECTION, sentence.text):
        moved = _moved_on(target, sentence)
        return _replaced(statements, target, number, turn, who, moved, sentence.text) if moved else None
    bare = sentence.text[len(module.lead(sentence.text)) :]
    if new := corrections.put_right(target.clause, bare or sentence.text):
        return _replaced(statements, target, number, turn, who, new, sentence.text)
    if judge.stands(bare or sentence.text, sentence.chinese):
        return None
    if target.correction and target.number >= number - 1:
        return statements
    if _SLIP.search(sentence.text) or (len(sentence.text) < 40 and _SHORT_NO.match(sentence.text)):
        return [s for s in statements if s is not target]
    return None


def overruled(statements: list[Statement], turn: Said, number: int, sentence: Sentence, clause: str) -> list[Statement]:
    """The statements without the one that the clause, a slip put right in a sentence of its own, speaks of again."""
    old = last_of(statements, turn.speaker, number)
    if old is None or old.number == number or old.chinese != sentence.chinese or not _SLIP.search(sentence.text):
        return statements
    mine, its = (set(chinese.content(c)) if sentence.chinese else set(english.content(c)) for c in (clause, old.clause))
    shared = len(mine & its)
    return [s for s in statements if s is not old] if shared and shared * 3 >= min(len(mine), len(its)) else statements


def _moved_on(target: Statement, sentence: Sentence) -> str:
    """`现在五个人了`, `now it's five`: the clause before with its new value, where this one has no subject of its own."""
    if sentence.chinese != target.chinese or not _NOW.search(sentence.text):
        return ""
    module = chinese if sentence.chinese else english
    part = next((p for p in re.split(r"[，,]", sentence.text) if _NOW.search(p)), "")
    if module.subject(part).kind in ("owner", "person") or module.subject(sentence.text).kind == "owner":
        return ""
    return corrections.put_right(target.clause, part)


def _replaced(
    statements: list[Statement], old: Statement, number: int, turn: Said, who: Speaker, clause: str, quote: str
) -> list[Statement]:
    new = msgspec.structs.replace(
        old,
        turn=turn,
        number=number,
        clause=clause,
        quote=quote,
        text=told(clause, old.chinese, old.subject, who, {}),
        correction=True,
        rationale="the speaker put a value right",
        also=(*old.also, (old.number, old.quote)),
    )
    return [*(s for s in statements if s is not old), new]
