"""Soft deletion: where notes go, and where they come back to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from memd.edit.trash import back, original, place

NOW = datetime(2026, 11, 30, 14, 2, 5, tzinfo=UTC)


def test_a_deleted_note_keeps_its_path_under_a_stamp() -> None:
    """The trash tells where a note lay; a deletion comes after all that lie there, also in the same moment or an earlier one."""
    first = place("a/b.md", NOW)
    assert first == ".trash/memd/2026-11-30T140205.000000/a/b.md"
    assert original(first) == "a/b.md"
    second = place("a/b.md", NOW, ["2026-11-30T140205.000000", "zz by hand"])
    assert second == ".trash/memd/2026-11-30T140205.000001/a/b.md"
    assert (
        place("a/b.md", NOW - timedelta(days=400), ["2026-11-30T140205.000001", "2026-11-30T140205.000000"])
        == ".trash/memd/2026-11-30T140205.000002/a/b.md"
    )


def test_only_memds_trash_is_known() -> None:
    """Obsidian's own trash, and paths that climb out, are nobody's original."""
    assert original(".trash/a.md") is None
    assert original(".trash/memd/s/../../x.md") is None
    assert original("a.md") is None


def test_a_note_comes_back_to_its_place_or_beside_who_has_it_now() -> None:
    """Nothing is overwritten by a restoration."""
    assert back("a.md", lambda path: False) == "a.md"
    assert back("a.md", {"a.md"}.__contains__) == "a (restored).md"
    assert back("a.md", {"a.md", "a (restored).md"}.__contains__) == "a (restored 2).md"
