"""Bytes as text and back, and changes as splices."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.edit.splice import Splice, apply, newline, read
from tests.fakes.reversal import reverse


@given(st.binary(max_size=200))
def test_any_bytes_come_back_as_they_were(data: bytes) -> None:
    """Reading bytes as text and encoding that text gives the same bytes, whatever they are."""
    source = read(data)
    assert source.encode(source.text) == data


@pytest.mark.parametrize(
    "data",
    [
        "\ufeffplain".encode(),
        b"caf\xe9 with one latin byte and words\n",
        "宽字符\n".encode("utf-16"),
        "这是一段国标编码的中文文字，有很多字。\n".encode("gb18030"),
        b"butter\x00cup\n",
    ],
)
def test_encodings_of_peoples_files_survive_an_insertion(data: bytes) -> None:
    """What is put into a file is in the file's own encoding, and every other byte stays."""
    source = read(data)
    changed = source.spliced([Splice(1, 1, "x")])
    back = read(changed)
    assert back.spliced([Splice(1, 2, "")]) == data


@given(st.text(max_size=60), st.data())
def test_reversing_splices_gives_the_text_before(text: str, data: st.DataObject) -> None:
    """Every splice can be taken back."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), min_size=4, max_size=4)))
    splices = (Splice(cuts[0], cuts[1], "new"), Splice(cuts[2], cuts[3], ""))
    if cuts[1] == cuts[2]:
        return
    after = apply(text, splices)
    assert apply(after, reverse(text, splices)) == text


def test_the_usual_line_end_is_the_notes_own() -> None:
    """CRLF where most lines end so, else a line feed."""
    assert newline("a\r\nb\r\n") == "\r\n"
    assert newline("a\nb\r\nc\n") == "\n"
    assert newline("no end") == "\n"
