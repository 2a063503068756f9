"""Where a note's frontmatter block lies: offsets only, no values.

Knows the fences. A block opens on the first line that is not blank; text between two rules is no header, and neither
is a block that nobody closed: both are body, so that no word is lost to search.
"""

from __future__ import annotations

import re

from msgspec import Struct

_OPEN = re.compile(r"(?:[ \t]*\r?\n){0,8}---[ \t]*\r?\n")
_CLOSE = re.compile(r"^---[ \t]*\r?(?:\n|\Z)", re.M)
KEY_LINE = re.compile(
    r"(?:\"[^\"\\\n]*+(?:\\.[^\"\\\n]*+)*\"[ \t]*+|'[^'\n]*+(?:''[^'\n]*+)*'[ \t]*+"
    r"|[^\s#\-\[\]{},\"':][^\n:]*+(?::(?=\S)[^\n:]*+)*):(?=[ \t\r\n]|\Z)",
    re.M,
)
"""A line that opens a top-level key (matched at the line's start)."""


class Head(Struct, frozen=True, gc=False):
    """Offsets in the text: the block's own lines from `start` to `end`, the fences outside; the body from `body`.

    Without a header all three are 0. `block` is the block's text; `line` is the file's line of its first. `fault` is
    "" or why what looked like a header is none: `unterminated`, `not_mapping`.
    """

    start: int = 0
    end: int = 0
    body: int = 0
    block: str = ""
    line: int = 0
    fault: str = ""

    def __bool__(self) -> bool:
        return self.body > 0


NONE = Head()


def split(text: str) -> Head:
    """The header of a note's text; `Head()` where there is none."""
    if not text.startswith("---") and not text[:1].isspace():
        return NONE
    opened = _OPEN.match(text)
    if not opened:
        return NONE
    start = opened.end()
    closed = _CLOSE.search(text, start)
    if not closed:
        return Head(fault="unterminated") if _opens_with_key(text[start : start + 4096]) else NONE
    block = text[start : closed.start()]
    first = text.startswith("---")
    if not (_opens_with_key(block) or (first and _is_header(block))):
        return Head(fault="not_mapping") if first and block[:1] not in "\r\n" else NONE
    return Head(start, closed.start(), closed.end(), block, text.count("\n", 0, start) + 1)


def _opens_with_key(block: str) -> bool:
    return bool(KEY_LINE.match(block, _first_word(block)))


def _is_header(block: str) -> bool:
    """A block whose first line is no plain key: JSON, an odd key, or a header that is damaged there."""
    at = _first_word(block)
    if block[at : at + 1] in ("{", "?", ""):
        return True
    return any(KEY_LINE.match(row.lstrip()) for row in block.split("\n"))


def _first_word(block: str) -> int:
    """The offset of the first line that is neither blank nor a comment."""
    at = 0
    while at < len(block):
        end = block.find("\n", at)
        end = len(block) if end < 0 else end
        row = block[at:end].strip()
        if row and not row.startswith("#"):
            return at
        at = end + 1
    return len(block)
