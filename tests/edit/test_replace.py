"""Find and replace in a note."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.edit.replace import replace_text
from memd.edit.splice import apply, read
from memd.model.errors import Refused
from tests.fakes.reversal import reverse


def replaced(text: str, find: str, new: str, all: bool = False) -> str:
    return apply(text, replace_text(text, find, new, all))


def test_text_is_found_and_put_in_literally() -> None:
    """Signs of patterns and templates are signs like any others, on both sides."""
    assert replaced("a.b axb", "a.b", r"\1 $& {0}") == r"\1 $& {0} axb"


@pytest.mark.parametrize(
    ("text", "find", "code"),
    [
        ("red red red", "red", "find_ambiguous"),
        ("aaa", "aa", "find_ambiguous"),
        ("red", "green", "find_not_found"),
        ("red", "", "invalid_params"),
    ],
)
def test_what_could_mean_several_places_or_none_is_refused(text: str, find: str, code: str) -> None:
    """Nothing is guessed: several places, none, and an empty text are three refusals."""
    with pytest.raises(Refused) as refused:
        replace_text(text, find, "x")
    assert refused.value.code == code


def test_the_count_of_places_is_told() -> None:
    """A caller learns how many places there are, and may take them all."""
    with pytest.raises(Refused) as refused:
        replace_text("red, red, red", "red", "blue")
    assert refused.value.data["count"] == 3
    assert replaced("red, red, red", "red", "blue", all=True) == "blue, blue, blue"


def test_line_ends_are_the_notes_own() -> None:
    """In a note of CRLF lines a text of several lines is found and put in with CRLF."""
    assert replaced("a\r\nb\r\nc\r\n", "a\nb", "x\ny") == "x\r\ny\r\nc\r\n"
    assert replaced("a\r\nb\nc\r\n", "a", "x\ny") == "x\ny\r\nb\nc\r\n"


@given(st.binary(max_size=120), st.text(max_size=5), st.integers(0, 100), st.integers(1, 6))
def test_taking_the_splices_out_gives_the_same_bytes(data: bytes, new: str, at: int, size: int) -> None:
    """Whatever the bytes of a note are, an edit changes what was found and nothing else."""
    source = read(data)
    find = source.text[at : at + size]
    if not find:
        return
    splices = replace_text(source.text, find, new, all=True)
    after = apply(source.text, splices)
    assert source.encode(apply(after, reverse(source.text, splices))) == data
