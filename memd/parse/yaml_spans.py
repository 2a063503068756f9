"""Where the values of a header's keys stand, from YAML's marks."""

from __future__ import annotations

import re
from typing import Any

from memd.parse import simple
from memd.parse.header import Head
from memd.parse.yaml_header import MAX_BLOCK, Unreadable, compose

_ALIAS = re.compile(r"\*[^\s,\]}]*")


def spans(head: Head) -> dict[str, tuple[int, int]]:
    """Offsets in the note's text, by key; see `frontmatter.spans`."""
    try:
        node = compose(head.block) if len(head.block) <= MAX_BLOCK else None
    except Unreadable:
        return _by_line(head)
    if node is None or node.id != "mapping":
        return {}
    found: dict[str, tuple[int, int]] = {}
    for key, value in node.value:
        name = key.value if isinstance(key.value, str) else head.block[key.start_mark.index : key.end_mark.index]
        if (span := _span(head, key, value)) is not None:
            found[name] = span
    return found


def _span(head: Head, key: Any, value: Any) -> tuple[int, int] | None:
    """The offsets of one value; None for a key that stands alone, without a colon."""
    if isinstance(value.value, str) and value.start_mark.index == value.end_mark.index:
        colon = head.block.find(":", key.end_mark.index)
        return (head.start + colon + 1, head.start + colon + 1) if colon >= 0 else None
    start, end = value.start_mark.index, _end(value)
    if value.start_mark.index < key.end_mark.index:  # an alias: its node stands where the anchor is
        start = head.block.index("*", key.end_mark.index)
        end = _ALIAS.match(head.block, start).end()  # type: ignore[union-attr]
    return head.start + start, head.start + start + len(head.block[start:end].rstrip(" \t\r\n"))


def _end(node: Any) -> int:
    """After a node's last character; YAML's own mark of a block collection runs on to the next token."""
    if isinstance(node.value, str) or node.flow_style or not node.value:
        return int(node.end_mark.index)
    last = node.value[-1]
    parts = last if isinstance(last, tuple) else (last,)
    return max(_end(part) for part in parts)


def _by_line(head: Head) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for piece in simple.pieces(head.block):
        row, _, rest = piece.text.partition("\n")
        opened = simple.SAVED.match(row)
        if opened and not rest.strip():
            value = opened["value"].rstrip()
            start = opened.start("value") if value else row.index(":", len(simple.saved_key(opened))) + 1
            at = head.start + piece.offset + start
            found[simple.saved_key(opened)] = (at, at + len(value))
    return found
