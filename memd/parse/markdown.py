"""A note's body as structure: headings, list items, links, tags, blocks, statements, each with its line.

Puts together what `block_scanner`, `mask`, `inline` and `statements` read. Pure, linear in the text, never raises.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

from memd.model.note import Block, Field, Heading, Link, Observation
from memd.parse import block_scanner, inline, statements
from memd.parse.blocks import Blocks, Item
from memd.parse.header import Head, split
from memd.parse.inline import LinkAt, TagAt
from memd.parse.mask import masked

__all__ = ["EMBEDS", "LINKS_TO", "Item", "Scan", "scan"]

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
