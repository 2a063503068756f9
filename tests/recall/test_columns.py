"""What filters know of every file is made once a version of the file."""

from __future__ import annotations

from memd.model.change import Change
from memd.model.note import Note
from memd.model.vault import Vault
from memd.recall.columns import Column


def test_only_other_files_are_made_again() -> None:
    """Of the next snapshot only the file that is another one is looked at; one that is gone has no value."""
    seen: list[str] = []

    def title(note: Note) -> str:
        seen.append(note.path)
        return note.title

    column = Column(title)
    vault = Vault([Note("a.md", "a"), Note("b.md", "b"), Note("c.md", "c")])
    assert column.of(vault) == {"a.md": "a", "b.md": "b", "c.md": "c"}
    after = vault.after(Change(written=(Note("b.md", "other"),), removed=("c.md",)))
    assert column.of(after) == {"a.md": "a", "b.md": "other"}
    assert seen == ["a.md", "b.md", "c.md", "b.md"]


def test_nothing_is_kept_after_forgetting() -> None:
    """After a purge neither the snapshot nor a value is held."""
    seen: list[str] = []
    column = Column(lambda note: seen.append(note.path))
    vault = Vault([Note("a.md", "a")])
    column.of(vault)
    column.forget()
    assert not column._held[0].notes
    assert not column._held[1]
    column.of(vault)
    assert seen == ["a.md", "a.md"]
