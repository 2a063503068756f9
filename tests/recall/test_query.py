"""How what somebody typed is read."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.index.port import Phrase, Term
from memd.recall import weights
from memd.recall.query import Inline, Typed, parse_query


def words(typed: Typed) -> list[str]:
    return [item.text for item in typed.query.any if isinstance(item, Term)]


def test_the_whole_grammar() -> None:
    """Words, a phrase that must be there, one that must not, OR, filters; the last word may go on."""
    typed = parse_query('fog "north pier" -gulls -"low tide" tag:#sea/Coast path:"my notes" [state: open] -[done] lamp')
    assert words(typed) == ["fog", "lamp"]
    assert [t.prefix for t in typed.query.any if isinstance(t, Term)] == [False, True]
    assert typed.query.must == (Phrase("north pier"),)
    assert typed.query.none == (Term("gulls"), Phrase("low tide"))
    assert typed.filters == (
        Inline("tag", "", "sea/Coast"),
        Inline("path", "", "my notes"),
        Inline("prop", "state", "open"),
        Inline("prop", "done", None, True),
    )
    assert typed.words == "fog north pier lamp"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("[[Old Mill]]", ["old", "mill"]),
        ("[a TO z] {1 2}", ["a", "to", "z", "1", "2"]),
        ('say "hello', ["say", "hello"]),
        ("foo:bar", ["foo", "bar"]),
        ("-alone", ["alone"]),
        ("OR", ["or"]),
        ("a && b || !c", ["a", "b", "c"]),
        ("的 猫", ["的", "猫"]),
        ("-", []),
    ],
)
def test_all_else_is_words(text: str, found: list[str]) -> None:
    """What only looks like syntax is its words."""
    assert words(parse_query(text)) == found
    assert not parse_query(text).filters


def test_or_makes_phrases_optional() -> None:
    """`"a b" OR c` wants either."""
    typed = parse_query('"a b" OR c')
    assert (typed.query.must, typed.query.any[0]) == ((), Phrase("a b"))


def test_stop_words_count_little_beside_others_and_fully_alone() -> None:
    """English and Chinese alike; beside very many other words they are not asked."""
    assert [t.weight for t in parse_query("the lighthouse").query.any] == [weights.STOP, 1.0]
    assert [t.weight for t in parse_query("to be").query.any] == [1.0, 1.0]
    assert [t.weight for t in parse_query("的 灯塔").query.any] == [weights.STOP, 1.0]
    assert "the" not in words(parse_query("the " + " ".join(f"w{n}" for n in range(20))))


def test_a_compound_is_also_a_phrase() -> None:
    """`GPT-4` is its parts, and more where they stand together."""
    assert parse_query("GPT-4 notes").query.any[-1] == Phrase("gpt 4")


@given(st.text(st.sampled_from('ab "-[]():路灯OR \ud800🦆\ntagpath'), max_size=60) | st.text(max_size=60))
def test_nothing_is_refused(text: str) -> None:
    """Any text has a reading, with a bounded number of terms, and one that has words asks for something."""
    typed = parse_query(text)
    assert len(typed.query.any) <= 2 * weights.MOST_WORDS + 8
    if not typed.filters and typed.query.none:
        assert typed.query.any or typed.query.must


@pytest.mark.parametrize("unit", ["(", '"', "NOT ", 'path:"', "[a:", "经纬仪三脚架", "a b c ", "-", "[aaaa", "x" * 50])
def test_a_megabyte_is_read_in_linear_time(unit: str) -> None:
    """Twice the text takes about twice the time: no text makes the reading quadratic."""

    def seconds(size: int) -> float:
        text = unit * (size // len(unit))
        return min(_timed(text) for _ in range(3))

    assert seconds(1_000_000) < 12 * max(seconds(250_000), 0.02)


def _timed(text: str) -> float:
    start = time.process_time()
    parse_query(text)
    return time.process_time() - start
