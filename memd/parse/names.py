"""A note's title and derived permalink, from its path alone."""

from __future__ import annotations

import re
import unicodedata

from memd.model.fingerprint import fingerprint
from memd.model.vault import stem

_UNFIT = re.compile(r"[\x00-\x1f\x7f#*?\[\]|^:\"<>\\%\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")


def title_of(path: str) -> str:
    """The file's stem, composed; bytes that are not UTF-8 percent-escaped."""
    return readable(stem(path))


def readable(name: str) -> str:
    """A name that can go on a wire: NFC, bytes that are not UTF-8 percent-escaped."""
    if name.isascii():
        return name
    if _SURROGATE.search(name):
        name = _SURROGATE.sub(lambda m: f"%{ord(m.group()) & 0xFF:02X}", name)
    return unicodedata.normalize("NFC", name)


def derived_permalink(path: str) -> str:
    """The path in lower case without its end, white space as hyphens; CJK and folders stay.

    A path with characters that a permalink cannot have gets four more that tell it from its like (`C#` from `C`).
    """
    name = path[:-3] if path.lower().endswith(".md") else path
    composed = unicodedata.normalize("NFC", name)
    plain = _UNFIT.sub("-", composed)
    slug = "-".join(plain.lower().split(" ")) if " " in plain else plain.lower()
    slug = re.sub(r"\s", "-", slug)
    if plain == composed:
        return slug
    return f"{slug.strip('-')}-{fingerprint(readable(path))[:4]}"
