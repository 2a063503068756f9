"""What a question is understood to want, in both languages."""

from __future__ import annotations

from datetime import date

import pytest

from memd.recall.intent import understood

TODAY = date(2026, 6, 3)


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Where does Harlow live?", "fact"),
        ("小林在哪里学摄影", "fact"),
        ("How do I restart the kiln?", "procedure"),
        ("怎么设置窑炉", "procedure"),
        ("Give me an overview of the garden", "briefing"),
        ("总结一下花园项目的进展", "briefing"),
        ("What are the plans for the trip?", "planning"),
        ("接下来的安排是什么", "planning"),
        ("What changed in the schedule since May?", "what_changed"),
        ("小林原来在哪里上课", "what_changed"),
        ("我以前住在哪里", "what_changed"),
        ("What did I previously work on?", "what_changed"),
        ("What food does Ana like?", "preference"),
        ("他最喜欢什么口味", "preference"),
        ("Who is Ana?", "identity"),
        ("小林是谁", "identity"),
        ("When did Ana adopt the dog?", "temporal"),
        ("展览什么时候开幕", "temporal"),
        ("你之前给我推荐过哪些画家", "fact"),
        ("What did you previously recommend for my knee?", "fact"),
    ],
)
def test_intent(text: str, kind: str) -> None:
    """Rules name what is wanted; what fits none asks for a fact."""
    assert understood(text, TODAY).kind == kind


def test_what_somebody_else_says_of_a_question_counts_where_no_rule_does() -> None:
    """A kind that is told brings all that a rule's would: a change looks back and is broad, a time is asked for."""
    changed = understood("Harlow and the kiln", TODAY, "what_changed")
    assert (changed.kind, changed.history, changed.broad, changed.when) == ("what_changed", True, True, False)
    assert understood("Harlow and the kiln", TODAY, "temporal").when
    assert understood("Who is Ana?", TODAY, "temporal").kind == "identity"


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("what happened last week", date(2026, 5, 25), date(2026, 5, 31)),
        ("这周学到了什么", date(2026, 6, 1), date(2026, 6, 7)),
        ("上个月", date(2026, 5, 1), date(2026, 5, 31)),
        ("What changed on 2026-05-20?", date(2026, 5, 20), date(2026, 5, 20)),
    ],
)
def test_days(text: str, first: date, last: date) -> None:
    """Days in words are counted from the day of asking."""
    intent = understood(text, TODAY)
    assert (intent.first, intent.last) == (first, last)


@pytest.mark.parametrize(
    ("text", "role"),
    [
        ("What did you recommend for my knee?", "assistant"),
        ("你给我推荐过哪些画家", "assistant"),
        ("I asked about my knee. What did you suggest?", "assistant"),
        ("我向你咨询过膝盖的问题，你给了我什么建议", "assistant"),
        ("Which painter did I mention to you?", "user"),
        ("我曾经和你分享过一部电影，叫什么", "user"),
        ("Where does Ana live?", ""),
        ("What tea do I like?", "user"),
        ("What was my mood on May 2nd?", "user"),
        ("我喜欢喝什么", "user"),
        ("How do I restart the kiln?", ""),
        ("What should I do about my knee?", ""),
        ("我的膝盖应该怎么办", ""),
        ("你觉得我怎么样", ""),
    ],
)
def test_whose_words_are_asked_for(text: str, role: str) -> None:
    """Where a question speaks of saying: the words of who asks, or of who is asked; of several the last. What one does
    or likes oneself one has said oneself; advice is another's."""
    assert understood(text, TODAY).role == role


@pytest.mark.parametrize(
    ("text", "yearless"),
    [
        ("What did we discuss on May 4th?", True),
        ("5月4日我们聊了什么", True),
        ("三月份发生了什么", True),
        ("What did we discuss on 4 May 2024?", False),
        ("去年5月我在忙什么", False),
        ("What changed since May?", False),
        ("what happened last week", False),
    ],
)
def test_a_year_that_is_not_said(text: str, yearless: bool) -> None:
    """Days whose year the question leaves open are told apart from those that are counted from today."""
    assert understood(text, TODAY).yearless == yearless


def test_own_matter() -> None:
    """`own` tells whether somebody speaks of themselves."""
    assert understood("What did I say about my tea?", TODAY).own
    assert understood("我喜欢喝什么", TODAY).own
    assert not understood("What did Ana say about tea?", TODAY).own


def test_telling_words() -> None:
    """Words that say something, without those that stand everywhere."""
    assert understood("What is the name of the mill?", TODAY).telling == ("name", "mill")
