"""The words of notes, read from disk when asked for and kept for a while: `index.port.Bodies` over the vault."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable

from memd.disk.read import read
from memd.model.errors import Refused
from memd.parse.text import decode

KEPT, EACH = 8 * 1024 * 1024, 300
"""Characters kept, one note takes a quarter at most; what a note takes beside its own."""


class DiskBodies:
    """`version(path)` is the sha256 that the snapshot knows: another one is another text, and is read again."""

    def __init__(self, root: str, max_note: int, version: Callable[[str], str]) -> None:
        self._root = root
        self._max = max_note
        self._version = version
        self._lock = threading.Lock()
        self._texts: OrderedDict[str, tuple[str, str]] = OrderedDict()
        self._size = 0

    def text(self, path: str) -> str | None:
        version = self._version(path)
        with self._lock:
            had, kept = self._texts.get(path, ("", ""))
            if version and had == version:
                self._texts.move_to_end(path)
                return kept
        data = self.data(path)
        if data is None:
            return None
        text = decode(data)[0]
        self._keep(path, version, text)
        return text

    def data(self, path: str, own: bool = False) -> bytes | None:
        """The bytes as they are on disk now; None where no note can be read there. `own` looks in memd's folders too."""
        try:
            body = read(self._root, path, self._max, own=own)
        except Refused:
            return None
        return body.data if body is not None and body.state in ("whole", "unsettled") else None

    def anything(self, path: str) -> bytes | None:
        return self.data(path, own=True)

    def _keep(self, path: str, version: str, text: str) -> None:
        """In the place of the version before: a note that is edited all day is kept once."""
        if not version or len(text) > KEPT // 4:
            return
        with self._lock:
            if (old := self._texts.pop(path, None)) is not None:
                self._size -= len(old[1]) + EACH
            self._texts[path] = (version, text)
            self._size += len(text) + EACH
            while self._size > KEPT:
                _, (_, dropped) = self._texts.popitem(last=False)
                self._size -= len(dropped) + EACH

    def forget(self) -> None:
        with self._lock:
            self._texts.clear()
            self._size = 0
