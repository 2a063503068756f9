"""Versions for undo, and saves that lost."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from memd.disk.keep import conflict_path, undo_manifest, undo_stamps, undoing
from memd.disk.writer import Writer
from memd.edit.trash import latest, stamp_after
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Displaced, Done, Move, Plan, Remove, Write
from tests.fakes.disk import contents, grow

FILES = {"a.md": "old a", "d/b.md": "old b", "c.md": "old c", "gone.md": "old gone"}
STEPS = (
    Write("a.md", b"new a", sha256(b"old a")),
    Write("d/n.md", b"new", ABSENT),
    Move("d/b.md", "e/b.md", sha256(b"old b")),
    Remove("gone.md", sha256(b"old gone")),
    Move("c.md", ".trash/memd/s1/c.md"),
    Write("c.md", b"new c", ABSENT),
    Write("c.md", b"newer c", sha256(b"new c")),
)


def test_undo_takes_a_whole_plan_back(tmp_path):
    """Every file stands as it stood, after writes, creations, moves and removals, twice on one path too."""
    root = grow(tmp_path, FILES)
    writer = Writer(root)
    assert all(isinstance(r, Done) for r in writer.apply(Plan(STEPS, reasons=("整理",), undo=True), stamp="s1"))
    assert undo_stamps(root) == ("s1",)
    manifest = undo_manifest(root, "s1")
    assert (manifest.stamp, manifest.reasons) == ("s1", ("整理",))
    for step in undoing(root, manifest).steps:
        assert isinstance(writer.apply(Plan((step,)))[0], Done)
    writer.settle("t", now=True)
    left = {path: data.decode() for path, data in contents(root).items() if not path.startswith(".trash")}
    assert left == FILES


def test_undo_leaves_what_a_person_changed_since(tmp_path):
    """Each file is restored only where it is as memd left it."""
    root = grow(tmp_path, FILES)
    writer = Writer(root)
    writer.apply(Plan((*STEPS[:2],), undo=True), stamp="s1")
    grow(root, {"a.md": "mine"})
    receipts = [writer.apply(Plan((step,)))[0] for step in undoing(root, undo_manifest(root, "s1")).steps]
    assert receipts == [Done("d/n.md", ""), Displaced("a.md", b"mine")]


def test_kept_versions_stand_under_their_own_paths(tmp_path):
    """A person finds the replaced note in `.trash/memd/<stamp>/` without memd."""
    root = grow(tmp_path, {"d/语.md": "old"})
    Writer(root).apply(Plan((Write("d/语.md", b"new"),), undo=True), stamp="2026-11-30T09:00:00")
    assert contents(root)[".trash/memd/2026-11-30T09:00:00/d/语.md"] == b"old"


def test_a_stale_plan_keeps_nothing(tmp_path):
    """What was not replaced is not kept."""
    root = grow(tmp_path, {"a.md": "theirs", "b.md": "b"})
    Writer(root).apply(Plan((Write("b.md", b"x"), Write("a.md", b"x", sha256(b"old"))), undo=True), stamp="s")
    assert contents(root) == {"a.md": b"theirs", "b.md": b"b"}


@pytest.mark.parametrize("text", ["", "{", "[]", '{"stamp": 1}', '{"stamp": "s", "entries": [{"op": 1}]}', "[" * 9999])
def test_a_damaged_manifest_is_no_manifest(tmp_path, text):
    """What cannot be read undoes nothing."""
    root = grow(tmp_path, {".trash/memd/s/plan.json": text})
    assert undo_manifest(root, "s") is None
    assert undo_manifest(root, "other") is None


@pytest.mark.parametrize("stamp", ["", "../x", ".x", "a/b", "x" * 101, "a\nb"])
def test_a_stamp_is_a_plain_name(tmp_path, stamp):
    """A stamp never leads out of the trash."""
    with pytest.raises(Refused):
        Writer(str(tmp_path)).apply(Plan((Write("a.md", b""),), undo=True), stamp=stamp)


def test_names_that_are_no_text_are_kept_and_undone(tmp_path):
    """A manifest carries any name of a file."""
    name = os.fsdecode(b"\xff.md")
    writer = Writer(grow(tmp_path, {name: "old"}))
    writer.apply(Plan((Write(name, b"new"),), undo=True), stamp="s")
    writer.apply(undoing(str(tmp_path), undo_manifest(str(tmp_path), "s")))
    assert contents(tmp_path)[name] == b"old"


@pytest.mark.parametrize(("path", "origin", "kept"), [
    ("d/语.md", "agent:desk", ".conflict/d/语__agent-desk__T1.md"),
    ("n.md", "../x", ".conflict/n__x__T1.md"),
    (".trash/memd/s/n.md", "", ".conflict/s/n__unknown__T1.md"),
])  # fmt: skip
def test_a_version_that_lost_is_named_after_its_note(path, origin, kept):
    """Path, origin and time stand in the name, whatever the origin is called."""
    assert conflict_path(path, origin, "T1", set().__contains__) == kept


def test_versions_that_lost_do_not_replace_each_other(tmp_path):
    """Two at one moment stand side by side; the same one again, as after a crash, is one."""
    writer = Writer(str(tmp_path))
    with writer._base() as base:
        keep_one = writer._keep(base, "T")
        kept = [keep_one("n.md", data, "") for data in (b"1", b"2", b"1")]
    assert kept == [".conflict/n__human__T.md", ".conflict/n__human__T-2.md", ".conflict/n__human__T.md"]


def test_a_long_name_is_cut_between_characters():
    """The kept name fits the file system and is still text."""
    kept = conflict_path("语" * 84 + ".md", "human", "2026-11-30T09-00-00", set().__contains__)
    assert len(kept.rsplit("/")[-1].encode()) <= 255
    assert kept.endswith("语__human__2026-11-30T09-00-00.md")


@pytest.mark.parametrize("back", [timedelta(microseconds=0), timedelta(hours=1), timedelta(days=400)])
def test_stamps_sort_as_they_were_given_whatever_the_clock_says(tmp_path, back):
    """Where summer time ends, the zone changes or the clock goes back, the next record still comes after the last one."""
    begin, berlin = datetime(2026, 10, 25, 0, 59, 59, tzinfo=UTC), ZoneInfo("Europe/Berlin")
    stamps = [""]
    for moment in (begin, begin + timedelta(seconds=5), begin - back, begin - back, begin + timedelta(hours=2)):
        stamps.append(stamp_after(stamps[-1], moment.astimezone(berlin)))
    assert stamps == sorted(set(stamps))
    for name in (
        *stamps[1:],
        "zz by hand",
        "2027-01-01T000000",
        "2027-19-39T000000.000000",
        "9999-12-31T235959.999999",
        "s1",
    ):
        os.makedirs(tmp_path / ".trash" / "memd" / name)
    assert latest(undo_stamps(str(tmp_path))) == stamps[-1]
