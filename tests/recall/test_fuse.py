"""Two rankings as one: scales are made alike, agreement wins, and words are not lost among likenesses."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.index.port import Hit
from memd.recall import fuse as fusing
from memd.recall.fuse import FOREIGN, MEANING


def hits(foreign: bool = False, **scores: float) -> list[Hit]:
    return [Hit(unit, unit + ".md", score, foreign=foreign) for unit, score in scores.items()]


def fuse(words: list[Hit], meaning: list[Hit]) -> list[Hit]:
    return fusing.fuse(words, meaning)[0]


def order(fused: list[Hit]) -> str:
    return "".join(hit.unit for hit in fused)


def test_what_both_found_is_before_what_one_found():
    """Agreement outweighs a first place on one side."""
    assert order(fuse(hits(a=9.0, b=8.0), hits(c=0.9, b=0.89, d=0.7)))[0] == "b"


def test_scales_do_not_matter():
    """Scores a thousand times higher on one side give the same ranking and the same scores."""
    plain = fuse(hits(a=3.0, b=2.0, c=1.0), hits(c=0.9, d=0.8, a=0.7))
    scaled = fuse(hits(a=3000.0, b=2000.0, c=1000.0), hits(c=0.9, d=0.8, a=0.7))
    assert plain == scaled


def test_the_best_by_words_is_not_behind_the_best_by_meaning_alone():
    """A rare word that only one note has keeps that note in front of mere likeness."""
    assert order(fuse(hits(a=5.0), hits(b=0.9, c=0.5))) == "abc"


def test_an_empty_side_leaves_the_other_as_it_was():
    """Without vectors the order of words stands, without words that of meaning, with its full scale."""
    assert order(fuse(hits(a=3.0, b=2.0), [])) == "ab"
    alone = fuse([], hits(a=0.9, b=0.8))
    assert order(alone) == "ab"
    assert alone[0].score == 1.0
    assert fuse([], []) == []


def test_what_stands_in_another_language_is_not_buried_by_chance_words():
    """A question across languages finds only chance words in its own: the likeness in the other goes first."""
    chance = hits(a=0.3, b=0.2, c=0.1)
    meaning = [*hits(foreign=True, z=4.0), *hits(y=1.0, x=0.0)]
    assert order(fuse(chance, meaning))[0] == "z"
    assert fuse(chance, meaning)[0].score == FOREIGN
    assert FOREIGN > MEANING


def test_while_vectors_are_made_what_a_word_found_is_before_another_language():
    """The note that has the word may have no vector yet: the likest of the few that have one does not go before it."""
    fused, _ = fusing.fuse(hits(a=0.3), [*hits(foreign=True, z=4.0), *hits(y=1.0)], whole=False)
    assert order(fused) == "azy"


def test_likenesses_that_are_all_the_same_count_alike():
    """One hit by meaning, or several with one score, have a full place and no division by nothing."""
    assert [hit.score for hit in fuse([], hits(a=0.8, b=0.8))] == [1.0, 1.0]


def test_the_line_is_that_of_the_passage():
    """A hit by meaning knows where in the file it is."""
    fused = fuse([Hit("a", "a.md", 1.0)], [Hit("a", "a.md", 0.9, 7)])
    assert fused[0].line == 7


some_hits = st.lists(
    st.tuples(st.sampled_from("abcdef"), st.floats(0, 100)), max_size=8, unique_by=lambda pair: pair[0]
)


@given(some_hits, some_hits)
def test_every_unit_once_between_nothing_and_one(words, meaning):
    """Whatever the lists, each unit is there once, best first, with a score between 0 and 1."""
    fused = fuse(hits(**dict(words)), hits(**dict(meaning)))
    assert sorted(hit.unit for hit in fused) == sorted({unit for unit, _ in (*words, *meaning)})
    scores = [hit.score for hit in fused]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1.0000001 for score in scores)
