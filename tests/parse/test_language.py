"""The language of a text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.parse.language import language


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Using evergreen notes has been the most impactful change to how I think.", "en"),
        ("我准备每周三去青禾图书馆学摄影。", "zh"),
        ("读了 The Machine Stops，感觉很好，推荐给大家。", "zh"),
        ("今日は図書館に行きました", "ja"),
        ("나는 오늘 도서관에 갔다", "ko"),
        ("Der Hund ist nicht in dem Haus und auch nicht im Garten", "de"),
        ("Je ne sais pas ce que vous avez fait dans la maison", "fr"),
        ("El perro está en la casa y no quiere salir", "es"),
        ("Мы все были уже дома, когда он пришёл", "ru"),
        ("Η γλώσσα αυτή είναι ελληνική", "el"),
        ("هذه جملة باللغة العربية", "ar"),
        ("", ""),
        ("Zucchini bread", ""),
        ("12 34 !!", ""),
    ],
)
def test_the_main_language_is_told_where_it_is_sure(text, code):
    """A sentence has its language; a few words that could be anything have none."""
    assert language(text) == code


@given(st.text(max_size=400))
def test_any_text_has_an_answer(text):
    """The answer is a two-letter code or nothing."""
    assert len(language(text)) in (0, 2)
