"""A title is words, never a path: the file name and the permalink that memd gives to a note of that title.

Knows which names file systems, Windows and Obsidian take. Never knows which files there are: callers tell what is taken.
"""

from __future__ import annotations

import base64
import re
import unicodedata
from collections.abc import Callable
from itertools import count

from memd.model.fingerprint import fingerprint

Taken = Callable[[str], bool]

STEM_BYTES = 180
"""Of the 255 that a name may have: the rest is for `.md` and for what trash, conflicts and temporary files add."""

SLUG_LENGTH = 60

_BETWEEN = re.compile(r"\s*[/\\:|]+\s*")
_NEVER = re.compile(r'[*?"<>#^\[\]]+')
_SPACE = re.compile(r"\s+")
_DEVICE = re.compile(r"(con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(\.|$)", re.IGNORECASE)
_JOINERS = "\u200c\u200d"


def file_stem(title: str) -> str:
    """A name without `.md` for any title: never empty, hidden, reserved, or longer than `STEM_BYTES` bytes."""
    text = "".join(map(_plain, unicodedata.normalize("NFC", title)))
    text = _SPACE.sub(" ", _NEVER.sub(" ", _BETWEEN.sub("-", text)))
    text = _cut(text.strip(" .-"), STEM_BYTES).rstrip(" .-")
    if not text or not any(c.isalnum() or ord(c) > 0x2000 for c in text):
        return "untitled"
    return f"_{text}" if _DEVICE.match(text) or text[0] in "~$" else text


def free_stem(title: str, taken: Taken) -> str:
    """The stem for a title, with a short hash of the title where another note already has that name."""
    stem = file_stem(title)
    if not taken(stem):
        return stem
    return next(name for n in count() if not taken(name := f"{stem}-{_short(title, n)}"))


def slug(title: str) -> str:
    """Letters and digits of any script in lower case, joined by hyphens; `note` where a title has none."""
    text = unicodedata.normalize("NFC", title).casefold()
    words = "".join(c if c.isalnum() or unicodedata.combining(c) else " " for c in text).split()
    return "-".join(words)[:SLUG_LENGTH].strip("-") or "note"


def permalink(title: str, folder: str, taken: Taken) -> str:
    """`slug-xxxx`: a function of title and folder, then salted until no other note has it."""
    name = slug(title)
    return next(link for n in count() if not taken(link := f"{name}-{_short(f'{folder}/{title}', n)}"))


def _plain(char: str) -> str:
    kind = unicodedata.category(char)
    if kind in ("Cc", "Zl", "Zp"):
        return " "
    return "" if kind == "Cs" or (kind == "Cf" and char not in _JOINERS) else char


def _cut(text: str, limit: int) -> str:
    """The text cut between characters, and never before a combining mark or after a joiner."""
    if len(text.encode()) <= limit:
        return text
    kept = text.encode()[:limit].decode("utf-8", "ignore")
    while kept and (unicodedata.combining(text[len(kept)]) or text[len(kept)] in _JOINERS or kept[-1] in _JOINERS):
        kept = kept[:-1]
    return kept


def _short(text: str, salt: int) -> str:
    digest = bytes.fromhex(fingerprint(text, str(salt) if salt else ""))
    return base64.b32encode(digest).decode().lower()[:4]
