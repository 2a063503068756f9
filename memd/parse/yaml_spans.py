"""Where the values of a header's keys stand, from YAML's marks."""

from __future__ import annotations

import re
from typing import Any

from memd.parse import simple
from memd.parse.header import Head
from memd.parse.yaml_header import MAX_BLOCK, Unreadable, compose

_ALIAS = re.compile(r"\*[^\s,\]}]*")
_VALUE = re.compile(r"[^\n]*?:(?P<gap>[ \t]*)(?P<value>[^\n]*?)[ \t\r]*(?:\n|\Z)")


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
        found[name] = _span(head, key, value)
    return found


def _span(head: Head, key: Any, value: Any) -> tuple[int, int]:
    if isinstance(value.value, str) and value.start_mark.index == value.end_mark.index:
        after = head.start + head.block.index(":", key.end_mark.index) + 1
        return after, after
    start, end = value.start_mark.index, _end(value)
    if value.start_mark.index < key.end_mark.index:  # an alias: its node stands where the anchor is
        start = head.block.index("*", key.end_mark.index)
        end = _ALIAS.match(head.block, start).end()  # type: ignore[union-attr]
    return head.start + start, head.start + start + len(head.block[start:end].rstrip())


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
        row = _VALUE.match(piece.text)
        if row and not piece.text[row.end() :].strip():
            key = piece.text.split(":", 1)[0].strip().strip("\"'")
            start = row.start("value") if row["value"] else row.start("gap")
            end = row.end("value") if row["value"] else start
            found[key] = (head.start + piece.offset + start, head.start + piece.offset + end)
    return found
