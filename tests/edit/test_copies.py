"""Copies that sync engines leave."""

from __future__ import annotations

import pytest

from memd.edit.copies import Waiting, is_copy, original_of, perhaps_of, settle
from memd.model.plan import Move, Write


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("a/menu.sync-conflict-20260403-081500-QWERTY7.md", "a/menu.md"),
        ("list (conflicted copy 2026-04-03).md", "list.md"),
        ("list (Lin's conflicted copy 2026-04-03 1).md", "list.md"),
        ("清单 (小林的冲突副本 2026-04-03).md", "清单.md"),
        ("清單（衝突複本 2026-04-03）.md", "清單.md"),
        ("list (Anna’s conflicted copy 2026-04-03 (1)).md", "list.md"),
        ("清单（小林（家里）的冲突副本 2026-04-03）.md", "清单.md"),
        ("plan (v2) (Lin's conflicted copy 2026-04-03).md", "plan (v2).md"),
        ("liste (Copie en conflit de PC 2026-04-03).md", "liste.md"),
        ("Liste (in Konflikt stehende Kopie von PC 2026-04-03).md", "Liste.md"),
        ("plan (SFConflict lin@example.org 2026-04-03-08-15-00).md", "plan.md"),
        ("plan (Conflicted copy iPad 202611301200).md", "plan.md"),
        ("plan (Case Conflict 1).md", "plan.md"),
        ("plan-DESKTOP-AB12CD3.md", "plan.md"),
        ("plan_conflict-20260403-081500.md", "plan.md"),
    ],
)
def test_the_engines_names_are_known(path: str, original: str) -> None:
    """Syncthing, Dropbox in several languages, Seafile, Obsidian Sync, OneDrive, Nextcloud."""
    assert original_of(path) == original
    assert is_copy(path)


@pytest.mark.parametrize(
    "path",
    [
        "conflicted copy.md",
        "plan (draft).md",
        "plan 2.md",
        "2026-04-03.md",
        "a (conflicted copy).txt",
        "Chapter 2 (1).md",
    ],
)
def test_ordinary_names_are_no_copies(path: str) -> None:
    """A name is a copy's only in the engines' own form; `plan 2` may be a note of its own."""
    assert not is_copy(path)


@pytest.mark.parametrize(
    ("path", "original"),
    [
        ("a/menu-Annas-MacBook-Air.md", "a/menu.md"),
        ("menu-Lin.md", "menu.md"),
        ("menu-LIN-PC-2.md", "menu.md"),
        ("2026-04-03-书房电脑.md", "2026-04-03.md"),
        ("菜单-小林的 MacBook Pro.md", "菜单.md"),
    ],
)
def test_a_computers_name_behind_a_hyphen_may_make_a_copy(path: str, original: str) -> None:
    """OneDrive's way, whatever hyphens and script the name has; the note's own may have hyphens, too."""
    assert original in perhaps_of(path)
    assert not is_copy(path)
    note = b"# Menu\n\nMonday: lentils\nTuesday: soup\n"
    assert settle(path, original, note + b"Wednesday: rice\n", note)
    assert settle(path, original, note.replace(b"soup", b"leek soup"), note) is None


def test_a_plain_name_may_be_a_copy_where_the_content_says_so() -> None:
    """`plan 2.md` with the permalink of `plan.md` is iCloud's copy; a chapter of its own is not."""
    assert "plan.md" in perhaps_of("plan 2.md")
    note = b"---\npermalink: plan-abcd\n---\n- [a] one\n"
    copy = b"---\npermalink: plan-abcd\n---\n- [a] one\n- [a] two\n"
    assert settle("plan 2.md", "plan.md", copy, note)
    assert settle("plan 2.md", "plan.md", b"# Plan 2\n- other\n", b"# Plan\n- things\n") is None
    assert settle("plan 2.md", "plan.md", copy.replace(b"abcd", b"wxyz"), note) is None


def test_lines_that_both_ends_added_are_joined_and_the_copy_is_kept_aside() -> None:
    """The plan writes the union over the very note it read, and moves the copy to `.conflict/`."""
    path = "guests.sync-conflict-20260403-081500-QWERTY7.md"
    plan = settle(
        path, "guests.md", b"# Guests\n- [guest] ann\n- [guest] bob\n", b"# Guests\n- [guest] ann\n- [guest] cem\n"
    )
    assert plan
    assert plan.undo
    write, move = plan.steps
    assert isinstance(write, Write)
    assert write.append
    assert write.content == b"# Guests\n- [guest] ann\n- [guest] cem\n- [guest] bob\n"
    assert isinstance(move, Move)
    assert move.path == path
    assert move.to.startswith(".conflict/guests.sync-conflict-")
    assert plan == settle(
        path, "guests.md", b"# Guests\n- [guest] ann\n- [guest] bob\n", b"# Guests\n- [guest] ann\n- [guest] cem\n"
    )


def test_a_copy_that_adds_nothing_only_goes_aside() -> None:
    """The note is not written where it has every line."""
    plan = settle("n (conflicted copy 2026-01-01).md", "n.md", b"a\nb\n", b"a\nb\nc\n")
    assert plan
    assert [type(step) for step in plan.steps] == [Move]


def test_changed_lines_and_memorys_own_files_are_left_to_a_person() -> None:
    """No side is taken where a line was changed; turns of evidence are no lines to be joined."""
    path = "menu.sync-conflict-20260403-081500-QWERTY7.md"
    assert settle(path, "menu.md", b"Monday: chickpeas\nTuesday: soup\n", b"Monday: lentils\nTuesday: soup\n") is None
    head = b"---\nid: ev-1\ntype: evidence\nturns: 1\n---\n"
    assert settle(path, "menu.md", head + b"- [a] x\n- [a] y\n", head + b"- [a] x\n- [a] z\n") is None


def test_a_copy_waits_under_every_spelling_of_its_notes_name() -> None:
    """Case and Unicode form do not matter, and what is discarded waits no more."""
    waiting = Waiting(["Gäste (conflicted copy 2026-01-01).md", "a/Plan 2.md", "a/Plan.md"])
    assert waiting.of("GA\u0308STE.md") == {"Gäste (conflicted copy 2026-01-01).md"}
    assert waiting.of("a/plan.md") == {"a/Plan 2.md"}
    assert waiting.of("Plan.md") == frozenset()
    waiting.discard("a/Plan 2.md")
    assert waiting.of("a/plan.md") == frozenset()
