"""The block structure of a text as records: the kind of each line, list items, headings, comments."""

from __future__ import annotations

from msgspec import Struct

from memd.model.note import Heading

TEXT, MORE, BLANK, CODE, HTML, COMMENT, HEADING, RULE = range(8)
"""Kinds of line. `MORE` goes on with the paragraph of the line before it; `RULE` is signs alone."""

MAX_DEPTH = 256
"""Containers inside each other; what is deeper is text."""


class Item(Struct, gc=False):
    """A list item: `start` to `end` are the offsets of its first paragraph; `line` (from 1) is where it stands.

    `depth` counts the items round it.
    """

    line: int
    start: int
    end: int
    depth: int
    marker: str
    quoted: bool


class Blocks(Struct, frozen=True):
    """`kinds`, `listed` and `quoted` have one entry a line of the body; `first` is the body's first line in the file.

    `quoted` is 2 where a quote is outermost, 1 for a quote inside a list.
    `starts` are the offsets of those lines in the text; `comments` those of `%%` comments, the signs included.
    """

    first: int
    starts: list[int]
    kinds: bytearray
    listed: bytearray
    quoted: bytearray
    headings: list[Heading]
    items: list[Item]
    comments: list[tuple[int, int]]
