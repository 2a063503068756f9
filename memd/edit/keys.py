"""Values in a note's own frontmatter, changed in place: the rest of the header is not touched.

Knows one key at a time. Never re-writes a header, and adds a key only where it is told to.
"""

from __future__ import annotations

import re
from datetime import datetime

from memd.edit.splice import Splice, newline
from memd.parse import frontmatter

_TIME = re.compile(
    r"(?P<q>[\"']?)\d{4}-\d\d-\d\d(?:(?P<sep>[T ])\d\d:\d\d(?P<s>:\d\d)?(?:[.,]\d+)?(?P<z>Z|[+-]\d\d:?\d\d)?)?(?P=q)"
)
_OWN = re.compile(r"(?:agent|import|memd)\b")


def set_key(text: str, key: str, value: str, add: bool = False) -> tuple[Splice, ...]:
    """The splice that makes a key's value this YAML; with `add` a line at the header's end where it has no such key."""
    spans = frontmatter.spans(text)
    if key in spans:
        start, end = spans[key]
        space = " " if start == end else ""
        return () if text[start:end] == value else (Splice(start, end, space + value),)
    place = frontmatter.key_place(text) if add else None
    return () if place is None else (Splice(place, place, f"{key}: {value}{newline(text)}"),)


def value(text: str, key: str) -> str:
    """A key's value as it is written; "" where there is none."""
    spans = frontmatter.spans(text)
    return text[slice(*spans[key])] if key in spans else ""


def touch(text: str, now: datetime) -> tuple[Splice, ...]:
    """`modified` as of now, in the form that it has; added only to a file that memd made. () where nothing is to change.

    `now` is in the vault's zone. A value that is no time (a template's placeholder) stays.
    """
    spans = frontmatter.spans(text)
    if "modified" in spans:
        found = _TIME.fullmatch(text[slice(*spans["modified"])])
        return set_key(text, "modified", _like(found, now)) if found else ()
    made = "origin" in spans and "permalink" in spans and _OWN.match(text[slice(*spans["origin"])].strip("\"'"))
    return set_key(text, "modified", now.isoformat(timespec="seconds"), add=True) if made else ()


def _like(found: re.Match[str], now: datetime) -> str:
    """The time as the old value was written: a date alone, without seconds, without an offset, quoted."""
    value = f"{now:%Y-%m-%d}"
    if found["sep"]:
        value += found["sep"] + now.strftime("%H:%M:%S" if found["s"] else "%H:%M")
    if found["z"]:
        value = now.isoformat(timespec="seconds")
    return found["q"] + value + found["q"]
