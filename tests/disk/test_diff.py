"""From two listings: what to look at, what is gone, what moved."""

from __future__ import annotations

import dataclasses

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.disk.diff import joined, moved, part, suspects
from memd.disk.listing import Listing, Stat

SECOND = 1_000_000_000
THEN = 1_000 * SECOND
OLD = Stat(10, 100 * SECOND, 100 * SECOND, 7, 1, 8)


def listing(**changes: object) -> Listing:
    return Listing({"a.md": msgspec.structs.replace(OLD, **changes)})


def look(new: Listing, trust: bool = True, old: Listing | None = None) -> list[str]:
    return suspects(old or listing(), new, THEN, trust)[0]


def test_an_untouched_file_is_not_looked_at():
    """Same size, times, inode and device, last touched long before the listing: nothing to read."""
    assert look(listing()) == []
    assert look(listing(blocks=0)) == []


@pytest.mark.parametrize("field", ["size", "mtime_ns", "ctime_ns", "ino", "dev"])
@pytest.mark.parametrize("by", [-1, 1])
def test_any_difference_is_a_suspicion(field, by):
    """Every field counts, in either direction: a restored file is older."""
    assert look(listing(**{field: getattr(OLD, field) + by})) == ["a.md"]


@pytest.mark.parametrize("field", ["mtime_ns", "ctime_ns"])
def test_a_file_touched_near_the_listing_is_looked_at_again(field):
    """An edit after the old listing may bear the same stamp."""
    young = listing(**{field: THEN - SECOND})
    assert look(young, old=young) == ["a.md"]


def test_a_date_far_in_the_future_is_no_suspicion_for_ever():
    """A file dated 2040 is not read at every scan; one whose change time lies ahead (a clock set back) is."""
    ahead = listing(mtime_ns=THEN * 2)
    assert look(ahead, old=ahead) == []
    set_back = listing(ctime_ns=THEN * 2)
    assert look(set_back, old=set_back) == ["a.md"]


def test_where_stamps_lie_everything_is_looked_at():
    """On network and FUSE file systems the hash alone decides."""
    assert look(listing(), trust=False) == ["a.md"]


def test_new_files_are_looked_at_and_missing_ones_gone():
    """What only one side has."""
    old = Listing({"a.md": OLD, "b.md": OLD})
    new = Listing({"b.md": OLD, "c.md": OLD})
    assert suspects(old, new, THEN, True) == (["c.md"], ["a.md"])


def test_what_could_not_be_listed_is_not_gone():
    """An unreadable folder, or a root that is away, takes no note with it."""
    old = Listing({"x/a.md": OLD, "x/y/b.md": OLD, "xx.md": OLD})
    assert suspects(old, Listing(unread=frozenset({"x"})), THEN, True)[1] == ["xx.md"]
    assert suspects(old, Listing(unread=frozenset({""})), THEN, True)[1] == []


def test_placeholders_are_never_looked_at():
    """A file whose bytes went to a cloud keeps what was known of it."""
    away = msgspec.structs.replace(listing(mtime_ns=5), away=frozenset({"a.md"}))
    assert suspects(listing(), away, THEN, False) == ([], [])


def test_a_moved_file_is_recognised_by_its_inode():
    """Same device, inode, size and mtime under another name is a move; a reused inode is not."""
    other = msgspec.structs.replace(OLD, ino=8)
    reused = msgspec.structs.replace(OLD, ino=8, mtime_ns=5)
    old, new = Listing({"a.md": OLD, "b.md": other}), Listing({"x/a.md": OLD, "c.md": reused})
    assert moved(old, new, *suspects(old, new, THEN, True)) == {"a.md": "x/a.md"}


PATHS = st.sampled_from(["a.md", "d/b.md", "d/e/c.md", "d.md", "f/g.md"])
STATS = st.builds(Stat, *[st.integers(0, 3)] * 6)
LISTINGS = st.dictionaries(PATHS, STATS).map(Listing)
HINTS = st.sets(st.sampled_from(["", "a.md", "d", "d/e", "f/g.md", "none"]))


@given(LISTINGS, LISTINGS, HINTS)
def test_a_walk_of_hints_joins_to_the_same_listing(old, new, within):
    """Old outside the hints, new inside: the two sides of a hint never mix."""
    whole = joined(old, part(new, within), within)
    inside = part(new, within).files
    outside = {p: s for p, s in old.files.items() if p not in part(old, within).files}
    assert whole.files == outside | inside


@given(LISTINGS, LISTINGS, HINTS)
def test_knowing_what_holds_what_changes_no_answer(old, new, within):
    """Where it is known which folders hold something, hints are looked up instead of compared: the same comes of it."""

    def aware(known):
        above = {p[:cut] for p in known.files for cut in range(len(p)) if p[cut] == "/"}
        return msgspec.structs.replace(known, above=frozenset({"", *above}))

    inside = part(new, within)
    assert part(aware(new), within).files == inside.files
    assert joined(aware(old), aware(inside), within).files == joined(old, inside, within).files


@given(LISTINGS, LISTINGS)
def test_every_difference_is_found(old, new):
    """Nothing that differs escapes, nothing is both gone and there."""
    look, gone = suspects(old, new, 10**18, True)
    assert set(gone) == old.files.keys() - new.files.keys()
    assert {p for p, s in new.files.items() if old.files.get(p) is None} <= set(look)
    assert not set(look) & set(gone)


def test_listings_are_frozen():
    """A listing is a value."""
    with pytest.raises((AttributeError, dataclasses.FrozenInstanceError)):
        listing().files = {}
