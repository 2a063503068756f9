"""What counts as a loss of notes when the files are looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.daemon import keeper as module
from memd.daemon.keeper import EVERYTHING, Keeper
from memd.daemon.reading import How, read_all
from tests.abuse.test_sync import FakeIndexer, NoVectors


def keeper(vault: Path) -> Keeper:
    return Keeper(How(str(vault), "memory", 1 << 20, "UTC"), FakeIndexer(), NoVectors(), lambda: None)


def test_a_vault_that_goes_right_after_a_look_is_known_again(tmp_path: Path) -> None:
    """The folder beneath its mount, seen between a look and what comes of it, is not taken for the vault."""
    vault, away = tmp_path / "vault", tmp_path / "away"
    vault.mkdir()
    (vault / "n.md").write_text("plover\n")
    kept = keeper(vault)
    looked = kept.look(EVERYTHING)
    vault.rename(away)
    vault.mkdir()
    kept.take(looked)
    kept.take(kept.look(EVERYTHING))
    assert kept.hold is not None
    vault.rmdir()
    away.rename(vault)
    kept.take(kept.look(EVERYTHING))
    assert kept.hold is None
    assert [*kept.vault.notes] == ["n.md"]


def test_a_note_is_lost_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that go between being listed and being read are gone with that look; the next one has nothing to hold for."""
    notes = [tmp_path / f"n{n}.md" for n in range(100)]
    for note in notes:
        note.write_text("plover\n")
    kept = keeper(tmp_path)
    kept.take(kept.look(EVERYTHING))
    for note in notes[:45]:
        note.write_text("a curlew\n")

    def late(*asked: object) -> object:
        for note in notes[:45]:
            note.unlink(missing_ok=True)
        return read_all(*asked)  # type: ignore[arg-type]

    monkeypatch.setattr(module, "read_all", late)
    kept.take(kept.look(EVERYTHING))
    assert len(kept.vault.notes) == 55
    kept.take(kept.look(EVERYTHING))
    assert kept.hold is None
