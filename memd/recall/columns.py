"""One value a file, made once a version of the file: what a filter would otherwise work out of ten thousand notes a question.

Knows the snapshot that was last asked about; of the next one only files that are other are read. Never knows a question.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Generic, TypeVar

from memd.model.note import Note
from memd.model.vault import Vault

T = TypeVar("T")


class Column(Generic[T]):
    """`make` gives a file's value; it may depend on nothing but the file. May be asked from any thread."""

    def __init__(self, make: Callable[[Note], T]) -> None:
        self._make = make
        self._held: tuple[Vault, dict[str, T]] = (Vault(), {})

    def of(self, vault: Vault) -> Mapping[str, T]:
        """Path to value, for every file of the snapshot."""
        known, values = self._held
        if known is not vault:
            before = known.notes
            values = {
                path: values[path] if before.get(path) is note else self._make(note)
                for path, note in vault.notes.items()
            }
            self._held = (vault, values)
        return values

    def forget(self) -> None:
        """Drops the snapshot: after a purge nothing of it is in memory."""
        self._held = (Vault(), {})
