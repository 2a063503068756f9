"""How files are named in answers, and which file a caller means by a permalink, path, id or title.

Knows the snapshot's names. Never knows rights: whether a note may be shown is asked elsewhere.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any
from urllib.parse import unquote

from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.model.vault import Vault
from memd.recall.asked import Named

_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")


def clean(text: str) -> str:
    """Text that any encoding of the wire can carry: bytes that are not UTF-8 come percent-escaped."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else _plain(c) for c in text)
    return text


def shortened(text: str, length: int) -> str:
    return text if len(text) <= length else text[: length - 1] + "…"


def short(text: str, length: int) -> str:
    """Clean, and at most so long."""
    return text if len(text) <= length and text.isascii() else shortened(clean(text), length)


def _plain(char: str) -> str:
    return "\ufffd" if "\ud800" <= char <= "\udfff" else char


def shown_path(vault: Vault, path: str) -> str:
    """NFC, unless another file differs only in that; bytes that are not UTF-8 percent-escaped."""
    if path.isascii():
        return path
    composed = unicodedata.normalize("NFC", path)
    twins = [p for p in vault.named("path", path) if p != path and unicodedata.normalize("NFC", p) == composed]
    return clean(path if twins else composed)


def shown_title(note: Note) -> str:
    return note.title if note.title.isascii() else clean(unicodedata.normalize("NFC", note.title))


def brief(vault: Vault, note: Note) -> dict[str, Any]:
    """What every list of notes says of one."""
    return {
        "permalink": clean(note.permalink),
        "path": shown_path(vault, note.path),
        "title": shown_title(note),
        "type": clean(note.type),
    }


def inside(path: str, what: str = "path") -> str:
    """The path with `.` and doubled slashes gone. Raises Refused: outside_vault for one that leaves the vault, is absolute,
    or has a hidden part."""
    plain = path.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if plain.startswith(("/", "~/")) or plain == "~" or _DRIVE.match(plain) or "\0" in plain:
        raise Refused("outside_vault", f"the {what} is not in the vault: give it relative to the vault's folder")
    for part in parts:
        if part == ".." or part.startswith(".") or not part.strip(" ."):
            raise Refused("outside_vault", f"the {what} leaves the vault or is hidden: name a visible folder inside it")
    return "/".join(parts)


def find(vault: Vault, named: Named) -> Note:
    """The note that is meant. A title must be unique. Raises Refused: not_found, naming what was looked for;
    outside_vault for a name that could be in no vault."""
    if named.id:
        note = vault.by_id(named.id.partition("#")[0])
        return note or _nothing("id", named.id)
    if named.path:
        return _at(vault, named.path) or _nothing("path", named.path)
    return _permalink(vault, named.permalink) or _nothing("permalink", named.permalink)


def _nothing(kind: str, name: str) -> Note:
    if kind != "id":
        inside(name, kind)
    raise Refused("not_found", f"no note has the {kind} {clean(name[:120])!r}; look with memory.search or memory.list")


def _at(vault: Vault, path: str) -> Note | None:
    """By path; one that is shown percent-escaped is found by what is shown."""
    name = path.strip().removeprefix("./")
    if note := vault.at(name):
        return note
    if "%" in name:
        return vault.at(unquote(name, errors="surrogateescape"))
    return None


def _permalink(vault: Vault, permalink: str) -> Note | None:
    """By permalink, else by the place it moved from, path, id, and at last by a title that only one note has."""
    name = permalink.strip().removeprefix("memory://").strip("/")
    paths = vault.named("permalink", name)
    if len(paths) == 1:
        return vault.notes[paths[0]]
    if paths:
        _several(name, paths)
    if moved := vault.moved.get(name) or vault.moved.get(fold(name)):
        return vault.notes.get(moved)
    if note := _at(vault, name) or _at(vault, name + ".md") or vault.by_id(name):
        return note
    for kind in ("title", "stem"):
        if len(paths := vault.named(kind, name)) == 1:
            return vault.notes[paths[0]]
        if paths:
            _several(name, paths)
    return None


def _several(name: str, paths: tuple[str, ...]) -> None:
    shown = ", ".join(map(clean, paths[:4]))
    raise Refused(
        "not_found", f"{len(paths)} notes are called {name[:120]!r} ({shown}); give the path", paths=list(paths[:20])
    )
