"""Material that was withdrawn and is not to be taken in again. Only keyed hashes are kept: `memory/withdrawn.md`.

Knows the file's text. Never knows what the hashes stand for.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from memd.form.files import decoded, split
from memd.form.quoting import plain
from memd.model.config import Config
from memd.model.fingerprint import fingerprint
from memd.model.memory import Event
from memd.model.question import Asking, Read
from memd.parse import render

_ROW = re.compile(r"^- (session|source|turn) ([0-9a-f]{32})\b", re.M)
_KEY = re.compile(r"^key: *[\"']?([0-9a-f]{32})", re.M)
LEAST = 12
"""Characters of a turn from which on its words alone tell it from others ("yes" is said by everybody)."""


class Withdrawn(Struct, frozen=True):
    """`marks`: (kind, keyed hash)."""

    key: str = ""
    marks: frozenset[tuple[str, str]] = frozenset()

    def holds(self, kind: str, *parts: str) -> bool:
        return bool(self.key) and (kind, mark(self.key, kind, *parts)) in self.marks

    def reason(self, session: str, source: str, events: Iterable[Event] = ()) -> str:
        """Why this material is refused; "" when it may be taken in."""
        again = "take it out of memory/withdrawn.md to allow it again"
        if self.holds("session", session):
            return f"session “{session}” was withdrawn and is not taken in again; {again}"
        if self.holds("source", source):
            return f"source “{source}” was withdrawn and is not taken in again; {again}"
        if any(len(plain(e.text)) >= LEAST and self.holds("turn", plain(e.text)) for e in events):
            return f"it holds words that were withdrawn; {again}"
        return ""


def path_of(folder: str) -> str:
    return f"{folder}/withdrawn.md"


def mark(key: str, kind: str, *parts: str) -> str:
    return hmac.new(key.encode(), fingerprint(kind, *parts).encode(), "sha256").hexdigest()[:32]


def read(text: str) -> Withdrawn:
    key = _KEY.search(split(text)[0])
    return Withdrawn(key[1] if key else "", frozenset((m[1], m[2]) for m in _ROW.finditer(text)))


def refusal(config: Config, session: str, source: str, events: Iterable[Event]) -> Asking:
    """For whoever takes material in: the reason why it is refused, "" when it is not."""
    data = yield Read(path_of(config.formation.folder))
    return read(decoded(data)).reason(session, source, events) if data is not None else ""


def added(data: bytes | None, now: datetime, kind: str, name: str, texts: Iterable[str]) -> bytes:
    """The file with the session or source, and the words of its turns, withdrawn."""
    text = decoded(data) if data is not None else ""
    there = read(text)
    key = there.key or fingerprint("withdrawn", now.isoformat(), kind, name)
    marks = [(kind, mark(key, kind, name))] if kind in ("session", "source") else []
    marks += [("turn", mark(key, "turn", plain(t))) for t in texts if len(plain(t)) >= LEAST]
    rows = [f"- {k} {m} ({now.date().isoformat()})\n" for k, m in dict.fromkeys(marks) if (k, m) not in there.marks]
    if data is None or not there.key:
        head = render.file({"type": "withdrawn", "title": "Withdrawn", "key": key, "origin": "memd"}, "")
        return head + (text + "".join(rows)).encode("utf-8", "surrogateescape")
    gap = b"" if data.endswith(b"\n") else b"\n"
    return data + gap + "".join(rows).encode()
