"""What every reader of exports gives: sessions of events. Knows the limits that keep hostile input harmless."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from msgspec import Struct

from memd.model.fingerprint import one_line
from memd.model.memory import Event
from memd.model.problem import Problem

LONGEST = 200_000
"""Characters of one event; a longer text goes on in further events."""

CONTEXT = re.compile(r"<memd-context\b.*?(?:</memd-context>|\Z)", re.S | re.I)
"""What memd itself put into a prompt: never evidence (design, invariant 11)."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"\r\n?|\x85|\u2028|\u2029")


class Session(Struct, frozen=True):
    """A stretch of talk, or a source's records. `owner` is who the vault's owner is in it, "" where the file is silent."""

    session: str
    source: str
    category: str
    events: tuple[Event, ...]
    owner: str = ""


def clean(text: Any) -> str:
    """Text fit for a file: plain line ends, no lone surrogates, nothing that memd itself said."""
    if not isinstance(text, str):
        return ""
    if "memd-context" in text.lower():
        text = CONTEXT.sub("", text)
    return _SURROGATE.sub("\ufffd", _LINE.sub("\n", text)).strip("\n")


def event(speaker: str, text: str, **more: Any) -> Iterator[Event]:
    """One event, or several where the text is too long for one; none where it is empty."""
    words = clean(text)
    if not words.strip():
        return
    id = clean(more.pop("id", ""))
    name = one_line(clean(speaker)) or more.get("role") or "unknown"
    for number, at in enumerate(range(0, len(words), LONGEST)):
        part = f"{id}+{number}" if number and id else id
        yield Event(name, words[at : at + LONGEST], id=part, **more)


def moment(value: Any) -> str:
    """RFC 3339 of Unix seconds (or milliseconds) or of text that is one; "" where it is none."""
    try:
        if isinstance(value, bool):
            return ""
        if isinstance(value, (int, float)):
            seconds = value / 1000 if value > 1e11 else value
            return datetime.fromtimestamp(seconds, UTC).isoformat() if value > 0 else ""
        if isinstance(value, str) and re.fullmatch(r"\d{9,13}(?:\.\d+)?", value):
            return moment(float(value))
        if isinstance(value, str) and value.strip():
            return datetime.fromisoformat(value.strip()).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""
    return ""


def loads(text: str | bytes) -> Any:
    """A JSON value; ValueError for anything that is none, however deep."""
    try:
        return json.loads(text)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error


def decode(data: bytes) -> str:
    """Text of an export: UTF-8 or UTF-16 by their marks, else UTF-8, GB18030 where that fails, never an error."""
    for mark, codec in ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16")):
        if data.startswith(mark):
            return data.decode(codec, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        try:
            return data.decode("gb18030")
        except UnicodeDecodeError:
            return data.decode("utf-8", "replace")


def problem(name: str, line: int, message: str, hint: str = "the rest was read") -> Problem:
    return Problem("export", name, line, message, hint)


def by_session(rows: Iterable[tuple[str, Event]], source: str) -> list[Session]:
    """Sessions of talk in the order of their first event."""
    found: dict[str, list[Event]] = {}
    for name, one in rows:
        found.setdefault(name, []).append(one)
    return [Session(name, source, "interaction", tuple(events)) for name, events in found.items()]
