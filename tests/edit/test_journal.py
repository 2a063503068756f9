"""The vault's journal."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from memd.edit.journal import Happening, path, persons, without, write
from memd.edit.splice import apply

AT = datetime(2026, 11, 30, 14, 2, tzinfo=timezone(timedelta(hours=8)))


def test_a_month_has_a_file_and_a_happening_a_line() -> None:
    """The first line makes the file, the next is appended over the very bytes that are there."""
    first = write(None, [Happening(AT, "remembered", "memory/x/小林去图书馆-ab.md", "小林去[图书馆]")])
    assert first
    assert first.path == path(AT) == "journal/2026-11.md"
    assert first.content.decode().endswith("---\n- 11-30 14:02 remembered [[小林去图书馆-ab|小林去 图书馆]]\n")
    second = write(first.content, [Happening(AT, "forgot 3 leaves")])
    assert second
    assert second.content == first.content + b"- 11-30 14:02 forgot 3 leaves\n"
    assert second.append


def test_nothing_sensitive_is_told() -> None:
    """A sensitive happening leaves no line, and no file where it was the only one."""
    assert write(None, [Happening(AT, "remembered", "a.md", "GPA", sensitive=True)]) is None


def test_a_persons_line_ends_are_kept() -> None:
    """Appending to a journal that a person keeps with CRLF and no final line end."""
    done = write(b"a\r\nb", [Happening(AT, "x")])
    assert done
    assert done.content == b"a\r\nb\r\n- 11-30 14:02 x\r\n"


def test_what_is_forgotten_is_not_told_of_either() -> None:
    """Lines of ours that link to a forgotten file are taken out; a person's lines and all other bytes stay."""
    ours, other, own = "- 11-30 22:05 remembered [[a-ab|A]]\r\n", "- 11-30 22:06 remembered [[x/b]]\r\n", "met [[a-ab]]"
    assert apply(ours + other + own, without(ours + other + own, frozenset({"a-ab"}))) == other + own


def test_a_persons_words_are_told_from_ours() -> None:
    """What a person wrote into a journal keeps its lines' numbers; memd's lines are left blank."""
    assert persons("# May\n- 05-02 22:05 remembered [[x]]\n- a walk\n") == "# May\n\n- a walk\n"
