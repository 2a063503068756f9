"""A note's body as structure: headings, list items, links, tags, blocks, statements, each with its line.

Puts together what `block_scanner`, `mask`, `inline` and `statements` read. Pure, linear in the text, never raises.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from msgspec import Struct

from memd.model.fingerprint import fold
from memd.model.note import Block, Field, Heading, Link, Observation
from memd.parse import block_scanner, inline, statements
from memd.parse.blocks import BLANK, CODE, HTML, MORE, TEXT, Blocks, Item
from memd.parse.header import Head, split
from memd.parse.inline import LinkAt, TagAt
from memd.parse.mask import masked

__all__ = ["BLANK", "CODE", "HTML", "MORE", "TEXT", "Item", "Place", "Scan", "list_place", "scan", "section"]

LINKS_TO = "links_to"
EMBEDS = "embeds"


class Scan:
    """The structure of one text. `head` is its frontmatter's place; offsets are the text's, lines count from 1 in the file.

    `links_at` has every link, those to no note included; `links` are the records of those to notes.
    """

    def __init__(self, text: str, head: Head) -> None:
        self.text = text
        self.head = head
        self.blocks: Blocks = block_scanner.read(text, head.body, text.count("\n", 0, head.body) + 1)
        self.mask = masked(text, self.blocks)
        self.links_at: list[LinkAt] = inline.links(text, self.mask, head.body) if "](" in text or "[[" in text else []
        self.tags_at: list[TagAt] = inline.tags(self.mask, head.body, self.links_at) if "#" in text else []
        self.observations, self._typed = self._statements()

    @property
    def first(self) -> int:
        """The file's line on which the body begins."""
        return self.blocks.first

    @property
    def headings(self) -> tuple[Heading, ...]:
        return tuple(self.blocks.headings)

    @property
    def items(self) -> list[Item]:
        return self.blocks.items

    @cached_property
    def links(self) -> tuple[Link, ...]:
        """Links to notes in order; `embeds` for `![[note]]`, else the item's relation, else `links_to`."""
        lines = inline.Lines(self.text, self.head.body, self.first)
        found: list[Link] = []
        for n, at in enumerate(self.links_at):
            if at.note:
                typed = self._typed.get(n)
                relation = EMBEDS if at.embed else typed.relation if typed else LINKS_TO
                context = typed.context if typed else ""
                found.append(Link(at.target, relation, at.fragment, at.label, context, lines.of(at.start)))
        return tuple(found)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """Inline tags as written, once each."""
        return tuple(dict.fromkeys(name for run in self.tags_at for name in run.tags))

    @cached_property
    def block_ids(self) -> tuple[Block, ...]:
        return tuple(inline.blocks(self.text, self.mask, self.head.body, self.first)) if "^" in self.mask else ()

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        return tuple(inline.fields(self.text, self.mask, self.head.body, self.first)) if "::" in self.mask else ()

    def _statements(self) -> tuple[tuple[Observation, ...], dict[int, statements.Typed]]:
        """Observations, and by the number of a link what relation its item states."""
        found: list[Observation] = []
        typed: dict[int, statements.Typed] = {}
        link_starts = [link.start for link in self.links_at]
        tag_starts = [run.start for run in self.tags_at]
        for item in self.items:
            if item.quoted or item.end <= item.start:
                continue
            category = self.mask[item.start] == "["
            n = bisect_left(link_starts, item.start)
            linked = n < len(link_starts) and link_starts[n] < item.end
            if not category and not linked:
                continue
            runs = self.tags_at[bisect_left(tag_starts, item.start) : bisect_left(tag_starts, item.end)]
            part = statements.Slice(self.text, self.mask, item.start, item.end, runs)
            if category and (stated := statements.observation(part, item.line)):
                found.append(stated)
            elif linked and not self.links_at[n].embed and (kind := statements.relation(part, self.links_at[n])):
                typed[n] = kind
        return tuple(found), typed


def scan(text: str, head: Head | None = None) -> Scan:
    """The structure of a note's text; `head` where the caller has split it already."""
    return Scan(text, split(text) if head is None else head)


class Place(Struct, frozen=True):
    """Where one more list item goes: at `offset`, the start of a line (or the end of a text without a last line end).

    `marker` is the one its list uses ("-" for a new list or a numbered one), `indent` the columns before it. `in_list` is
    false where no list stands yet.
    """

    offset: int
    line: int
    marker: str
    indent: int
    in_list: bool


def section(found: Scan, title: str) -> tuple[int, int] | None:
    """The lines of a section, its heading and its subsections included, `(first, after the last)`; None without one.

    `title` is a heading's text, folded when compared, with or without its `#` signs.
    """
    wanted = fold(title.lstrip("#").strip())
    headings = found.headings
    for n, heading in enumerate(headings):
        if fold(heading.text) == wanted:
            following = (other.line for other in headings[n + 1 :] if other.level <= heading.level)
            return heading.line, next(following, found.first + len(found.blocks.starts))
    return None


def list_place(found: Scan, lines: tuple[int, int] | None = None) -> Place:
    """The end of the last list of those lines (default: of the body), else after their last line that is not blank."""
    blocks, first = found.blocks, found.first
    listed = [inside and quoted != 2 for inside, quoted in zip(blocks.listed, blocks.quoted, strict=True)]
    start, end = (line - first for line in lines or (first, first + len(blocks.starts)))
    last = None
    for item in found.items:
        if item.depth == 0 and not item.quoted and start <= item.line - first < end:
            last = item
    n = last.line - first if last else start
    if last:
        stop = n
        while stop + 1 < end and (listed[stop + 1] or blocks.kinds[stop + 1] == BLANK):
            stop += 1
        n = max(k for k in range(n, stop + 1) if listed[k])
    else:
        n = max((k for k in range(start, end) if blocks.kinds[k] != BLANK), default=start - 1)
    offset = blocks.starts[n + 1] if n + 1 < len(blocks.starts) else len(found.text)
    marker = last.marker if last and len(last.marker) == 1 else "-"
    return Place(offset, first + n + 1, marker, last.indent if last else 0, last is not None)
