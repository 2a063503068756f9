"""What an evidence file holds already, and which turns in it say the same as one that comes.

Knows files as bytes and their turns. Never writes, and never knows why something comes.
"""

from __future__ import annotations

import re
from collections import defaultdict

from msgspec import Struct

from memd.model.fingerprint import fingerprint, sha256
from memd.model.memory import Event
from memd.model.note import Note, Turn
from memd.parse.memory import spans


class There(Struct, frozen=True):
    """A file as it stands: None bytes where there is none."""

    path: str
    data: bytes | None
    turns: tuple[Turn, ...]
    id: str


def present(note: Note | None, path: str, data: bytes | None) -> There:
    """The file's turns: from the snapshot where it holds these very bytes, else read again."""
    if data is None:
        return There(path, None, (), "")
    if note is not None and note.sha256 == sha256(data):
        return There(path, data, note.turns, note.id)
    text = data.decode("utf-8", "replace")
    found = re.search(r"^id: *[\"']?(ev-[a-z0-9]+)", text, re.M)
    return There(path, data, tuple(s.turn for s in spans(text)), note.id if note else found[1] if found else "")


class Same:
    """Turns without an event id: the same speaker, moment and text, as often as it was there before."""

    def __init__(self, *files: There) -> None:
        self._left: dict[tuple[str, str, str], list[tuple[There, str]]] = defaultdict(list)
        self._waiting: list[There] = list(files)

    def add(self, there: There) -> None:
        self._waiting.append(there)

    def take(self, event: Event) -> tuple[There, str] | None:
        """Where the next turn stands that says the same; None where there is none left."""
        for there in [t for t in self._waiting if any((u.speaker, u.at) == (event.speaker, event.at) for u in t.turns)]:
            self._waiting.remove(there)
            for span in spans((there.data or b"").decode("utf-8", "replace")):
                key = (span.turn.speaker, span.turn.at, fingerprint(span.words))
                self._left[key].append((there, span.turn.id))
        left = self._left.get((event.speaker, event.at, fingerprint(event.text)))
        return left.pop(0) if left else None
