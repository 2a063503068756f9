"""File names and permalinks for titles."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.edit.titles import STEM_BYTES, file_stem, free_stem, permalink, slug


@pytest.mark.parametrize(
    ("title", "stem"),
    [
        ("Kiln schedule", "Kiln schedule"),
        ("数据结构（2026 秋）", "数据结构（2026 秋）"),
        ('a/b: what? "so" <x> | *y*', "a-b-what so x - y"),
        ("..", "untitled"),
        ("../../etc/passwd", "etc-passwd"),
        (".hidden", "hidden"),
        ("trailing. . ", "trailing"),
        ("C# notes [draft]^1", "C notes draft 1"),
        ("con", "_con"),
        ("NUL.txt", "_NUL.txt"),
        ("two\nlines\tand\x00more", "two lines and more"),
        ("👩‍🚀", "👩‍🚀"),
        ("///", "untitled"),
    ],
)
def test_a_title_gives_a_readable_safe_name(title: str, stem: str) -> None:
    """What file systems or Obsidian's links refuse is dropped or becomes a hyphen; the rest stays."""
    assert file_stem(title) == stem


@given(st.text(max_size=300))
def test_any_title_gives_a_name_that_every_file_system_takes(title: str) -> None:
    """Never empty, hidden, too long, or with a character that Windows, macOS, Linux or a link cannot have."""
    stem = file_stem(title)
    assert stem
    assert stem == stem.strip(" .")
    assert not re.search(r'[/\\:*?"<>|#^\[\]\x00-\x1f\x7f]', stem)
    assert len(f"{stem}.md".encode()) <= STEM_BYTES + 4
    assert not re.fullmatch(r"(?i)(con|prn|aux|nul|com\d|lpt\d)(\..*)?", stem)
    assert file_stem(stem) == stem


def test_a_long_title_is_cut_between_characters() -> None:
    """A Chinese title of 300 characters is cut to whole characters; a combining mark stays with its letter."""
    assert file_stem("长" * 300) == "长" * (STEM_BYTES // 3)
    assert file_stem("a" * (STEM_BYTES - 1) + "q\u0323") in ("a" * (STEM_BYTES - 1), "a" * (STEM_BYTES - 1) + "q\u0323")


def test_a_name_that_another_note_has_gets_a_short_hash() -> None:
    """Two titles with one safe name have two files, the second's name a function of its title."""
    taken = {"a-b"}
    assert free_stem("a/b", taken.__contains__) == free_stem("a/b", taken.__contains__)
    assert re.fullmatch(r"a-b-[a-z2-7]{4}", free_stem("a/b", taken.__contains__))


@pytest.mark.parametrize(
    ("title", "expected"), [("Bicycle repairs!", "bicycle-repairs"), ("线性代数 2026", "线性代数-2026"), ("🙂", "note")]
)
def test_a_slug_keeps_letters_of_any_script(title: str, expected: str) -> None:
    """Chinese stays Chinese; signs become hyphens; a title without letters is `note`."""
    assert slug(title) == expected


def test_a_permalink_is_a_function_of_title_and_folder_and_unique() -> None:
    """The same title in the same folder has the same permalink on every device; a taken one is salted."""
    first = permalink("图书馆", "knowledge", lambda link: False)
    assert re.fullmatch(r"图书馆-[a-z2-7]{4}", first)
    assert first == permalink("图书馆", "knowledge", lambda link: False)
    assert first != permalink("图书馆", "tasks", lambda link: False)
    assert permalink("图书馆", "knowledge", {first}.__contains__) not in {first}
