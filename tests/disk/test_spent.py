"""Undo records that are old enough: what goes is memd's own, what stays may be a person's."""

from __future__ import annotations

import os
from pathlib import Path

from memd.disk import keep
from memd.disk.spent import PIECE, spent
from memd.disk.writer import Writer
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Done, Move, Plan, Remove, Step, Write
from tests.fakes.disk import contents, grow


class Past:
    """A vault in which plans were carried out, one a day from the first of January on."""

    def __init__(self, root: Path) -> None:
        self.root = grow(root, {"theirs.md": "a person's words"})
        self.writer = Writer(self.root)
        self.day = 0

    def carry(self, *steps: Step, undoes: str = "") -> str:
        self.day += 1
        stamp = f"2026-01-{self.day:02}T090000.000001"
        done = self.writer.apply(Plan(steps, undo=True, undoes=undoes), stamp)
        assert all(isinstance(each, Done) for each in done)
        return stamp

    def write(self, path: str, data: bytes) -> str:
        before = contents(self.root).get(path)
        return self.carry(Write(path, data, ABSENT if before is None else sha256(before)))

    def prune(self, until: str = "2027") -> None:
        for plan in spent(self.root, until):
            assert all(isinstance(each, Done) for each in self.writer.apply(plan))
        self.writer.settle("now", now=True)

    def kept(self) -> dict[str, bytes]:
        """Versions in the trash, manifests left out, by the day of their record."""
        found = contents(os.path.join(self.root, keep.TRASH))
        named = {tuple(path.split("/", 1)): data for path, data in found.items() if not path.endswith(".json")}
        return {f"{stamp[8:10]}/{path}": data for (stamp, path), data in named.items()}

    def records(self) -> list[str]:
        return [stamp[8:10] for stamp in reversed(keep.undo_stamps(self.root))]


def test_versions_that_memd_had_written_go_with_their_records(tmp_path: Path) -> None:
    """Of a note that memd made and changed nothing is left but the note; no empty folder either."""
    past = Past(tmp_path)
    for text in (b"one", b"two", b"three"):
        past.write("d/ours.md", text)
    past.prune()
    assert contents(past.root) == {"theirs.md": b"a person's words", "d/ours.md": b"three"}
    assert not os.path.exists(os.path.join(past.root, keep.TRASH))


def test_the_only_copy_of_a_persons_words_stays(tmp_path: Path) -> None:
    """What a person wrote and memd replaced is kept for good, between memd's own versions as well."""
    past = Past(tmp_path)
    past.write("theirs.md", b"memd's")
    past.write("theirs.md", b"memd's again")
    grow(past.root, {"theirs.md": "a person's again"})
    past.write("theirs.md", b"memd's at last")
    past.write("theirs.md", b"memd's end")
    past.prune()
    assert past.kept() == {"01/theirs.md": b"a person's words", "03/theirs.md": b"a person's again"}
    past.prune()
    assert past.records() == ["01", "03"]


def test_what_was_deleted_or_moved_stays(tmp_path: Path) -> None:
    """Soft-deleted notes, moves and removed files are no old versions, and a move's bytes are nobody's but the person's."""
    past = Past(tmp_path)
    past.write("ours.md", b"made")
    past.carry(Move("ours.md", ".trash/memd/2026-01-02T090000/ours.md"))
    past.carry(Move("theirs.md", "moved.md", sha256(b"a person's words")))
    past.write("moved.md", b"replaced")
    past.carry(Remove("moved.md"))
    past.prune()
    assert past.records()[-3:] == ["03", "04", "05"]
    kept = {"02/ours.md": b"made", "04/moved.md": b"a person's words", "05/moved.md": b"replaced"}
    assert past.kept() == kept


def test_younger_records_stay_and_are_judged_in_their_time(tmp_path: Path) -> None:
    """However the days fall, in the end the same is left: what an old record proves is known until it is used."""
    past = Past(tmp_path)
    for n in range(6):
        past.write("ours.md", b"%d" % n)
        past.prune(f"2026-01-{max(1, past.day - 1):02}T09")
        assert f"{past.day:02}/ours.md" in past.kept() or past.day == 1
        assert len(past.records()) <= 4
    past.prune()
    assert past.records() == []


def test_what_was_taken_back_does_not_count_again(tmp_path: Path) -> None:
    """An undo is remembered for as long as the plan that it undid."""
    past = Past(tmp_path)
    changed = past.write("theirs.md", b"memd's")
    past.carry(Write("theirs.md", b"a person's words", sha256(b"memd's")), undoes=changed)
    past.prune()
    assert past.records() == ["01", "02"]
    assert keep.standing(past.root) is None


def test_a_record_from_elsewhere_names_no_file_of_the_vault(tmp_path: Path) -> None:
    """One that came with a synced folder, and calls a note its kept version, takes nothing away; nor does a version
    that a person edited in the trash."""
    past = Past(tmp_path)
    past.write("ours.md", b"one")
    stamp = past.write("ours.md", b"two")
    grow(past.root, {f".trash/memd/{stamp}/ours.md": "edited"})
    for day, path in (
        (10, "theirs.md"),
        (11, ".trash/memd/2026-01-11/../../../theirs.md"),
        (12, ".trash/memd/2026-01-02T090000.000001/ours.md"),
    ):
        forged = keep.Manifest(
            f"2026-01-{day}", (keep.Entry("write", "n.md", sha256(b"a person's words"), sha256(b"n"), path),)
        )
        grow(past.root, {keep.manifest_path(forged.stamp): keep.encode(forged)})
    words = keep.Manifest("2025", (keep.Entry("write", "n.md", "", sha256(b"a person's words")),))
    grow(past.root, {keep.manifest_path("2025"): keep.encode(words)})
    past.prune()
    assert contents(past.root)["theirs.md"] == b"a person's words"
    assert past.kept() == {"02/ours.md": b"edited"}


def test_many_records_go_in_pieces(tmp_path: Path) -> None:
    """A plan holds up others no longer than a hundred files do; a stop between two of them costs nothing."""
    root = grow(tmp_path, {})
    for n in range(2 * PIECE + 1):
        record = keep.Manifest(f"s{n:03}", (keep.Entry("write", f"{n}.md", "", sha256(b"%d" % n)),))
        grow(root, {keep.manifest_path(record.stamp): keep.encode(record)})
    pieces = spent(root, "t")
    assert [len(plan.steps) for plan in pieces] == [PIECE, PIECE, 1]
    Writer(root).apply(pieces[0])
    assert [len(plan.steps) for plan in spent(root, "t")] == [PIECE, 1]
