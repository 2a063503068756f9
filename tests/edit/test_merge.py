"""Merging two versions of a file at lines."""

from __future__ import annotations

import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.edit.merge import three_way, union

LINES = st.lists(st.sampled_from([f"- [fact] thing {n}\n" for n in range(40)]), unique=True, max_size=8)


def grow(root: list[str], added: list[str], places: list[int]) -> list[str]:
    grown = list(root)
    for line, place in zip(added, places, strict=False):
        grown.insert(place % (len(grown) + 1), line)
    return grown


@given(LINES, st.data())
def test_additions_of_both_sides_are_all_there_once(root: list[str], data: st.DataObject) -> None:
    """Two sides that only added give every line of both, once, in an order that keeps the other side's lines."""
    places = st.lists(st.integers(0, 20), min_size=3, max_size=3)
    ours = grow(root, ["- [a] one\n", "- [a] two\n", "- [a] both\n"], data.draw(places))
    theirs = grow(root, ["- [b] one\n", "- [b] two\n", "- [a] both\n"], data.draw(places))
    merged = three_way("".join(root).encode(), "".join(ours).encode(), "".join(theirs).encode())
    assert merged is not None
    lines = merged.decode().splitlines(keepends=True)
    assert Counter(lines).keys() == {*ours, *theirs}
    rest = iter(lines)
    assert all(line in rest for line in theirs)


@given(LINES, LINES)
def test_a_side_that_did_not_change_leaves_the_other_as_it_is(root: list[str], other: list[str]) -> None:
    """With one side unchanged the merge is the other side, byte for byte."""
    base, changed = "".join(root).encode(), "".join(other).encode()
    assert three_way(base, base, changed) == changed
    assert three_way(base, changed, base) == changed


def test_a_line_changed_on_one_side_and_an_addition_on_the_other_is_for_a_person() -> None:
    """A version that took a line away is no append: there is no merge."""
    assert three_way(b"a\nb\n", b"a\nB\n", b"a\nb\nc\n") is None


def test_both_ends_appending_observations_are_joined() -> None:
    """Two devices that each appended one observation to one note give a note with both."""
    note = b"# Guests\n\n- [guest] visitor 01\n- [guest] visitor 02\n"
    copy = b"# Guests\n\n- [guest] visitor 01\n- [guest] visitor 03\n"
    assert union(note, copy) == b"# Guests\n\n- [guest] visitor 01\n- [guest] visitor 02\n- [guest] visitor 03\n"


def test_the_later_modified_time_stays() -> None:
    """A header that differs in `modified` alone is no conflict."""
    note = b"---\ntitle: x\nmodified: 2026-04-02T09:00:00+08:00\n---\n- [a] one\n- [a] two\n"
    copy = b"---\ntitle: x\nmodified: 2026-04-03T09:00:00+08:00\n---\n- [a] one\n- [b] three\n"
    expected = b"---\ntitle: x\nmodified: 2026-04-03T09:00:00+08:00\n---\n- [a] one\n- [a] two\n- [b] three\n"
    assert union(note, copy) == expected


def test_a_changed_line_is_no_addition() -> None:
    """Lines that stand against each other in the middle, or are much alike at the end, are left to a person."""
    assert union(b"Monday: lentils\nTuesday: soup\n", b"Monday: chickpeas\nTuesday: soup\n") is None
    assert union(b"Monday: lentils\nTuesday: barley soup\n", b"Monday: lentils\nTuesday: leek soup\n") is None
    assert union(b"matches\n", b"candles\n") is None
    assert union(b"- a\n- [ ] sweep\n", b"- a\n- [x] sweep\n") is None
    assert union(b"- a\n- sweep\n", b"- a\n- sweep the yard\n") is None


def test_line_ends_of_the_note_stay_and_are_used() -> None:
    """The note's own line ends, mixed ones included, survive; the copy's lines take the note's usual end."""
    assert union(b"a\r\nb\nc\r\n", b"a\nb\nc\nd\n") == b"a\r\nb\nc\r\nd\r\n"


def test_a_last_line_without_an_end_gets_one_only_when_it_is_not_last_any_more() -> None:
    """A missing final line end is kept where nothing follows."""
    assert union(b"a\nb", b"a\nb\nc\n") == b"a\nb\nc\n"
    assert union(b"x\na\nb", b"a\nb") == b"x\na\nb"


def test_bytes_that_are_no_utf8_survive_a_merge() -> None:
    """A latin-1 byte in a shared line comes through."""
    assert union(b"caf\xe9\n", b"caf\xe9\ntea\n") == b"caf\xe9\ntea\n"


def test_two_devices_that_made_a_month_of_the_journal_apart_are_joined() -> None:
    """Headers that differ in `created` alone are one header: the earlier time stays, whichever side is asked."""
    one = b"---\ntitle: 2026-11\ncreated: 2026-11-02T08:00:00+08:00\n---\n- 11-02 08:00 remembered [[a]]\n"
    two = b"---\ntitle: 2026-11\ncreated: 2026-11-03T08:00:00+08:00\n---\n- 11-03 08:00 remembered [[b]]\n"
    for note, copy in ((one, two), (two, one)):
        merged = union(note, copy)
        assert merged is not None
        assert merged.count(b"created: 2026-11-02") == 1
        assert b"2026-11-03T" not in merged
        assert merged.count(b"- 11-0") == 2


HOSTILE = {
    "blank lines": ["\n"] * 8000,
    "one line again and again": ["- same\n"] * 8000,
    "blank lines between new ones": ["- {}{}\n", "\n"] * 4000,
    "few words in another order": ["- {}" + "ab " * 3000 + "\n"],
    "every second line shared": ["- {}{}\n", "- kept {}\n"] * 4000,
}


@pytest.mark.parametrize("name", HOSTILE)
def test_versions_made_to_be_slow_are_merged_or_left_soon(name: str) -> None:
    """A second of CPU or some; aligning every line with every other takes minutes. Nothing of either side is lost."""
    sides = []
    for mark in "xy":
        lines = (line.format(mark, n) for n, line in enumerate(HOSTILE[name]))
        sides.append(f"shared\n- {mark * 30}\n{''.join(lines)}- {mark * 9}\n".encode())
    before = time.process_time()
    merged, grown = union(*sides), three_way(b"shared\n", *sides)
    assert time.process_time() - before < 30
    for found in filter(None, (merged, grown)):
        assert all(set(side.split(b"\n")) <= set(found.split(b"\n")) for side in sides)
