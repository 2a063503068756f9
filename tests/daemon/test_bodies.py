"""Texts of notes kept for a while: the version that the snapshot knows, once a note, and no more than there is room for."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon import bodies
from memd.daemon.bodies import DiskBodies


def test_a_note_is_kept_once_however_often_it_changes(tmp_path: Path) -> None:
    """Each version is read when it is new, and takes the place of the one before."""
    versions = {"a.md": ""}
    kept = DiskBodies(str(tmp_path), 1000, versions.__getitem__)
    for n in range(50):
        versions["a.md"] = f"v{n}"
        (tmp_path / "a.md").write_text(f"text {n}")
        assert kept.text("a.md") == f"text {n}"
        (tmp_path / "a.md").write_text("not asked for again")
        assert kept.text("a.md") == f"text {n}"
    assert (len(kept._texts), kept._size) == (1, len("text 49") + bodies.EACH)


def test_there_is_room_for_so_many(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Notes without a word take room, too; what was asked for last stays."""
    monkeypatch.setattr(bodies, "KEPT", 10 * bodies.EACH + 20)
    kept = DiskBodies(str(tmp_path), 1000, lambda path: "v")
    for n in range(100):
        (tmp_path / f"{n}.md").write_text("x")
        kept.text(f"{n}.md")
    assert sorted(kept._texts) == sorted(f"{n}.md" for n in range(90, 100))
    assert kept._size <= bodies.KEPT
    kept.forget()
    assert (len(kept._texts), kept._size) == (0, 0)
