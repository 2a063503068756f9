"""Bytes as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.parse.text import decode


@given(st.binary(max_size=300))
def test_any_bytes_give_text_that_can_go_on_a_wire(data):
    """Whatever the bytes are, the text is valid Unicode without lone surrogates."""
    text, _ = decode(data)
    text.encode("utf-8")


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=200))
def test_utf8_is_read_as_it_is(text):
    """UTF-8 text comes back letter for letter; only a byte order mark goes."""
    plain = text.replace("\x00", "").removeprefix("\ufeff")
    assert decode(plain.encode())[0] == plain.removeprefix("\ufeff")


def test_a_byte_order_mark_goes_and_line_ends_stay():
    """CRLF stays in the text; the mark is no problem."""
    assert decode(b"\xef\xbb\xbfa\r\nb\r\n") == ("a\r\nb\r\n", ())


@pytest.mark.parametrize(
    ("data", "text", "name"),
    [
        (b"Caf\xe9 menu\n", "Café menu\n", "Latin-1"),
        (b"ok\n\x93so\x94\n", "ok\n“so”\n", "Latin-1"),
        ("中文".encode() + b"\xff" + "好".encode(), "中文ÿ好", "Latin-1"),
        ("中文笔记，测试。\n".encode("gb18030"), "中文笔记，测试。\n", "GB18030"),
        ("Fußgänger Größe".encode("latin-1"), "Fußgänger Größe", "Latin-1"),
        (b"\xff\xfeA\x00b\x00\n\x00", "Ab\n", "UTF-16"),
        (b"\xfe\xff\x00A\x00\n", "A\n", "UTF-16"),
        ("Abc def\n".encode("utf-16-le"), "Abc def\n", "UTF-16"),
        ("Abc def\n".encode("utf-16-be"), "Abc def\n", "UTF-16"),
        ("中文笔记。\n中文\n".encode("utf-16-le"), "中文笔记。\n中文\n", "UTF-16"),
        (b"\xff\xfeA\x00b", "A\ufffd", "UTF-16"),
    ],
)
def test_other_encodings_are_read_and_told(data, text, name):
    """A file in another encoding is read as what it is, with a problem that names it."""
    read, problems = decode(data)
    assert read == text
    assert [p.code for p in problems] == ["encoding"]
    assert name in problems[0].message


def test_the_line_of_the_first_bad_byte_is_told():
    """The problem points at the line that is not UTF-8."""
    assert decode(b"one\ntwo\nth\xe9\n")[1][0].line == 3


def test_nul_bytes_stay_and_are_told():
    """A NUL in a text hides nothing after it."""
    text, problems = decode(b"butter\0cup\ngooseberry\n")
    assert text == "butter\0cup\ngooseberry\n"
    assert [(p.code, p.line) for p in problems] == [("nul_bytes", 1)]


@pytest.mark.parametrize(
    "data", [b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4, bytes(1000), b"\x7fELF\x02\x01\x01\0\xff" * 9]
)
def test_bytes_that_are_no_text_give_no_words(data):
    """A binary file named `.md` has a problem and an empty text."""
    text, problems = decode(data)
    assert text == ""
    assert [p.code for p in problems] == ["binary"]
