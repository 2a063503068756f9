"""How text becomes terms: the same words for what is indexed and what is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.index import tokens

CJK = st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), min_size=1, max_size=12)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("It's e-mail, GPT-4 & snake_case", ["it", "s", "e", "mail", "gpt", "4", "snake", "case"]),
        ("Café Straße ŁÓDŹ", ["cafe", "strasse", "lodz"]),
        ("用Rust写了NAS", ["用", "rust", "写了", "nas"]),
        ("Ｆｕｌｌ　ｗｉｄｔｈ ①", ["full", "width", "1"]),
        ("ガギグ 한국어", ["ガギグ", "한국어"]),
        ("a🦆b", ["a", "🦆", "b"]),
        ("йод Ёлка", ["йод", "ёлка"]),
        ("\ud800 x\x00y", ["x", "y"]),
        ("... --- !!", []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    """Case, width and accents of Latin letters fold; runs of CJK stay whole; punctuation is nothing."""
    assert tokens.words(text) == words


def test_long_words_are_cut_not_dropped() -> None:
    """A word of any length is a term."""
    assert tokens.words("x" * 5000) == ["x" * tokens.LONGEST]


@given(CJK, CJK, CJK)
def test_a_part_of_a_run_is_a_part_of_its_grams(before: str, part: str, after: str) -> None:
    """The grams of any part stand together, in order, in the grams of the whole: so phrases in Chinese work."""
    whole, inner = tokens.grams(before + part + after), tokens.grams(part)
    assert any(whole[at : at + len(inner)] == inner for at in range(len(whole)))


@given(st.text())
def test_any_text_has_terms(text: str) -> None:
    """No text raises; no term is empty or holds white space, which is what keeps terms apart in the index."""
    found = tokens.terms(text, "en")
    every = [*found.order, *found.pairs, *tokens.mixed(text, "en"), *found.plain]
    assert all(term and not any(c.isspace() for c in term) for term in every)


@pytest.mark.parametrize(
    ("language", "word", "stem"),
    [("en", "photographs", "photograph"), ("de", "häuser", "haus"), ("", "running", "run"), ("zh", "running", "run")],
)
def test_stemming_by_language(language: str, word: str, stem: str) -> None:
    """A text's own language stems it; English where it has none that we know."""
    assert tokens.terms(word, language).order == [stem]
