"""`memory/_moved.md`: where notes are now that had a permalink of their path's and were moved. Pure text.

A note without a permalink of its own is known by its path; when memd sees it move, the old name goes on leading to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from memd.form.files import moved_path
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Write
from memd.parse import render

_LINE = re.compile(r"^- `([^`\n]+)` → \[\[([^\]\n]+)\]\]\s*$", re.M)
_KEYS = {"title": "Moved notes", "type": "moved", "origin": "memd"}


def read(text: str) -> dict[str, str]:
    """Old permalink → path."""
    return {match[1]: match[2] for match in _LINE.finditer(text)}


def written(
    folder: str, data: bytes | None, known: Mapping[str, str], moves: Iterable[tuple[str, str, str]]
) -> Write | None:
    """The file with these moves (old permalink, old path, new path) taken in; None where it stays as it is."""
    now = dict(known)
    for permalink, old, new in moves:
        now = {name: new if path == old else path for name, path in now.items()}
        if _sayable(permalink, new):
            now[permalink] = new
    if now == dict(known):
        return None
    body = "".join(f"- `{name}` → [[{path}]]\n" for name, path in sorted(now.items()))
    return Write(moved_path(folder), render.file(_KEYS, body), sha256(data) if data is not None else ABSENT)


def _sayable(permalink: str, path: str) -> bool:
    """Names that are not UTF-8, or hold what the line is made of, cannot stand in the file."""
    try:
        (permalink + path).encode()
    except UnicodeEncodeError:
        return False
    return not set("`\n") & set(permalink) and not set("[]\n") & set(path)
