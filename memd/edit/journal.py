"""The vault's journal: a month a file, a line for each thing memory did that is worth a person's eye.

Knows lines and links. Never holds anything sensitive, and is no evidence: what memd says never becomes memory.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import datetime

from msgspec import Struct

from memd.edit.splice import Splice, newline, read
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Write
from memd.parse import render

_WIKI = re.compile(r"\[\[([^\[\]|#]+)(?:#[^\[\]|]*)?(?:\|([^\[\]]*))?\]\]")
_OURS = re.compile(r"- \d\d-\d\d \d\d:\d\d \S")
_SPACE = re.compile(r"\s+")
LABEL = 80


class Happening(Struct, frozen=True):
    """`what` in a word or two (`remembered`, `corrected`, `forgot 3 leaves`); `path` and `title` of the file it is about."""

    at: datetime
    what: str
    path: str = ""
    title: str = ""
    sensitive: bool = False


def path(at: datetime) -> str:
    return f"journal/{at:%Y-%m}.md"


def write(data: bytes | None, happenings: Iterable[Happening]) -> Write | None:
    """The month's file with a line more for each happening of that month; None where none may be told.

    `data` is the file as it is now, None where there is none; times are in the vault's zone.
    """
    told = [happening for happening in happenings if not happening.sensitive]
    if not told:
        return None
    first = told[0].at
    lines = [_line(happening) for happening in told]
    if data is None:
        keys = {
            "title": f"{first:%Y-%m}",
            "type": "journal",
            "origin": "memd",
            "created": first.isoformat(timespec="seconds"),
        }
        return Write(path(first), render.file(keys, "".join(f"{line}\n" for line in lines)), ABSENT, append=True)
    source = read(data)
    end = newline(source.text)
    gap = "" if not source.text or source.text.endswith("\n") else end
    more = gap + "".join(line + end for line in lines)
    at = len(source.text)
    return Write(path(first), source.spliced((Splice(at, at, more),)), sha256(data), append=True)


def without(text: str, stems: frozenset[str]) -> tuple[Splice, ...]:
    """The splices that take out every line of ours that links to one of these files: what is forgotten is not told of
    either. A person's own lines in the same file stay."""
    cuts: list[Splice] = []
    at = 0
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        if _OURS.match(line) and any(link[1].rsplit("/", 1)[-1].strip() in stems for link in _WIKI.finditer(line)):
            cuts.append(Splice(at, at + len(line), ""))
        at += len(line)
    return tuple(cuts)


def persons(text: str) -> str:
    """What a person wrote in a journal: the text, memd's own lines left blank."""
    return "\n".join("" if _OURS.match(line) else line for line in text.split("\n"))


def _line(happening: Happening) -> str:
    about = ""
    if happening.path:
        stem = happening.path.rsplit("/", 1)[-1].removesuffix(".md")
        label = _SPACE.sub(" ", re.sub(r"[\[\]|#^]", " ", happening.title)).strip()[:LABEL]
        about = f" [[{stem}|{label}]]" if label and label != stem else f" [[{stem}]]"
    return f"- {happening.at:%m-%d %H:%M} {_SPACE.sub(' ', happening.what).strip()}{about}"
