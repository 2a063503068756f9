"""What waits to be embedded, and in which order: what a person just changed, titles and leaves, the recent, the rest. Pure.

Knows hashes, where they stand, and the words of those that fit into `ROOM`; the words of the others are asked for by
path when their turn comes, so that a first index of a large vault does not hold the vault in memory.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Mapping

from msgspec import Struct

ROOM = 16_000_000
"""Characters of waiting text that are held."""

SMALL = 64
"""An update that brings at most so many new passages goes ahead of all that waits: somebody is looking at it."""


class Wanted(Struct, frozen=True):
    """A text that has no vector yet; `text` is None where it has to be read again."""

    hash: bytes
    path: str
    text: str | None


class Backlog:
    """One thread at a time. A hash waits once, however many passages share it."""

    def __init__(self, room: int = ROOM) -> None:
        self._room = room
        self._heap: list[tuple[int, int, bytes]] = []
        self._paths: dict[bytes, str] = {}
        self._texts: dict[bytes, str] = {}
        self._ahead = 0

    def __len__(self) -> int:
        return len(self._paths)

    def add(self, items: Iterable[tuple[bytes, str, int, str | None]], urgent: bool = False) -> None:
        """(digest, path, rank, text). An urgent one that waits already moves ahead."""
        for hash, path, rank, text in items:
            new = hash not in self._paths
            self._paths[hash] = path
            if text is not None and hash not in self._texts and len(text) <= self._room:
                self._texts[hash] = text
                self._room -= len(text)
            if new or urgent:
                self._ahead += 1
                heapq.heappush(self._heap, (rank - 1000 if urgent else rank, self._ahead, hash))

    def take(self, most: int) -> list[Wanted]:
        """The next ones; they wait no longer (`add` again what failed)."""
        taken: list[Wanted] = []
        while self._heap and len(taken) < most:
            _, _, hash = heapq.heappop(self._heap)
            path = self._paths.pop(hash, None)
            if path is not None:
                taken.append(Wanted(hash, path, self._release(hash)))
        return taken

    def discard(self, hashes: Iterable[bytes]) -> None:
        """These wait no longer: nobody uses them any more."""
        for hash in hashes:
            if self._paths.pop(hash, None) is not None:
                self._release(hash)

    def clear(self) -> None:
        self.discard(list(self._paths))
        self._heap.clear()

    def _release(self, hash: bytes) -> str | None:
        text = self._texts.pop(hash, None)
        self._room += len(text) if text is not None else 0
        return text


class Early(dict[bytes, str]):
    """Words that come before the model has been looked at, as far as there is room; the others are read again."""

    def keep(self, texts: Mapping[bytes, str]) -> None:
        room = ROOM - sum(map(len, self.values()))
        for hash, text in texts.items():
            if len(text) <= room and hash not in self:
                self[hash] = text
                room -= len(text)
