"""The book of passages on a disk that may be full: files that could not be entered are remembered, and entered with room again.

Knows paths, and the mark beside the book that says that a start may believe it. Never knows vectors. One thread at a time.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Mapping, Sequence

from memd.index import lacks
from memd.index.holdings import Delta, Holdings
from memd.index.port import Passage

SOME = 64
"""Files that are entered later at a time."""

Passages = Mapping[str, Sequence[Passage]]


class Arrears:
    """`lacking` is why the book is behind, "" where it is not. `read(path)` gives a file's passages as they are now."""

    def __init__(self, book: Holdings, mark: str, read: Callable[[str], Sequence[Passage]]) -> None:
        self._book, self._mark, self._read = book, mark, read
        self._behind: set[str] = set()
        self.lacking = ""
        if not os.path.exists(mark):
            book.clear()
            self._trust()

    def enter(self, passages: Passages, removed: Sequence[str]) -> Delta | None:
        """What changed in the book; None where it cannot be written now. Raises sqlite3.Error where it never will be."""
        paths = {*passages, *removed}
        try:
            delta = self._book.replace(passages, removed)
        except sqlite3.Error as error:
            self.doubt()
            if not lacks.wanting(error):
                raise
            self._behind |= paths
            self.lacking = (
                f"The vector store cannot be written ({error}); with room on its disk it catches up by itself."
            )
            return None
        self._behind -= paths
        return delta

    def catch_up(self, update: Callable[[Passages, Sequence[str]], None]) -> bool:
        """Some of the files, as they are now; when all are entered the book is whole. Says whether it got on. Raises
        OSError where the mark cannot be written."""
        found = {path: self._read(path) for path in tuple(self._behind)[:SOME]}
        update({path: has for path, has in found.items() if has}, [path for path, has in found.items() if not has])
        if not self._behind:
            self._trust()
            self.lacking = ""
        return self._behind.isdisjoint(found)

    def doubt(self) -> None:
        """The next start begins it anew. To mark that a file is removed, which works on a full disk, too."""
        if os.path.exists(self._mark):
            os.unlink(self._mark)

    def _trust(self) -> None:
        with open(self._mark, "w", encoding="utf-8"):
            pass
