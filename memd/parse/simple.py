"""Headers read line by line: the fast road for what most notes hold, and what can be saved of one that YAML refuses.

The fast road takes a line only where YAML could read it in one way (a test holds the two readings equal), and gives up
on the first line it is not sure of. Values are JSON values, keys text.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Any

from msgspec import Struct

from memd.parse.header import KEY_LINE
from memd.parse.scalar import NULLS, plain

TEXT_KEYS = frozenset(
    """title type tags tag aliases alias permalink id status origin sensitivity created modified updated date tree
    subject aspect kind holder speaker session source category topic name labels entities method cssclasses""".split()
)
"""Keys whose values are always text as written, whatever YAML takes them for."""

_BAD = r"\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff\ufffe\uffff"
_FIRST = rf"(?:[^{_BAD} \-?:,\[\]{{}}#&*!|>'\"%@`]|-(?=\w))"
_PLAIN = rf"{_FIRST}(?:[^{_BAD}:#]|:(?=[^{_BAD} ])|(?<=[^ ])#)*"
_FLOW = rf"{_FIRST}[^{_BAD},\[\]{{}}:#\"'?]*"
_QUOTED = rf"\"[^{_BAD}\"\\]*\"|'[^{_BAD}']*'"
_KEY = r"[^\W\d][\w\-]*(?: [\w\-]+)*"
_LINE = re.compile(rf"(?P<key>{_KEY}):(?: +(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})|\[(?P<flow>[^\[\]\n]*)\]))? *")
_COMMENT = re.compile(rf"#[^{_BAD}]*")
_ITEM = re.compile(rf"(?P<indent> *)- +(?:(?P<plain>{_PLAIN})|(?P<quoted>{_QUOTED})) *")
_OPENS = re.compile(r"^" + KEY_LINE.pattern, re.M)
SAVED = re.compile(KEY_LINE.pattern + r"[ \t]*+(?P<value>.*)", re.S)
_OPENERS = ("[", "{", "|", ">", "&", "*", "!")
_MEANT = re.compile(r"\[\[[^\[]|\{\{")
_FLOW_ITEM = re.compile(rf" *(?:(?P<plain>{_FLOW})|(?P<quoted>{_QUOTED})) *(?:,|\Z)")


def read(block: str) -> dict[str, Any] | None:
    """The keys of a simple header; None where any line is not simple, or a key comes twice."""
    keys: dict[str, Any] = {}
    rows = _rows(block)
    at = 0
    while at < len(rows):
        row = rows[at]
        at += 1
        if not row or _COMMENT.fullmatch(row):
            continue
        found = _LINE.fullmatch(row)
        if not found or (key := found["key"]) in keys or len(key) > 200:
            return None
        text = key in TEXT_KEYS
        if found.end() == found.end("key") + 1 and at < len(rows) and rows[at].lstrip(" ").startswith("- "):
            items, at = _items(rows, at, text)
            if items is None:
                return None
            keys[key] = items
        elif (flow := found["flow"]) is not None:
            items = _flow(flow, text)
            if items is None:
                return None
            keys[key] = items
        else:
            keys[key] = _scalar(found, text)
    return keys


def _rows(block: str) -> list[str]:
    return (block.replace("\r\n", "\n") if "\r" in block else block).split("\n")


def _scalar(found: re.Match[str], text: bool) -> Any:
    if (quoted := found["quoted"]) is not None:
        return quoted[1:-1]
    return written((found["plain"] or "").rstrip(" "), text)


def written(value: str, text: bool) -> Any:
    """The value of a plain scalar; `text` keeps it as written, save for what says that there is none."""
    if text:
        return None if value in NULLS else value
    return plain(value)


def _items(rows: list[str], at: int, text: bool) -> tuple[list[Any] | None, int]:
    """The block list that starts at a row, and the row after it; None for the list where an item is not simple."""
    items: list[Any] = []
    indent = None
    while at < len(rows) and rows[at].lstrip(" ").startswith("- "):
        found = _ITEM.fullmatch(rows[at])
        if not found or indent not in (None, found["indent"]):
            return None, at
        indent = found["indent"]
        items.append(_scalar(found, text))
        at += 1
    return items, at


def _flow(inner: str, text: bool) -> list[Any] | None:
    items: list[Any] = []
    at = 0
    end = len(inner.rstrip(" "))
    while at < end:
        found = _FLOW_ITEM.match(inner, at)
        if not found:
            return None
        items.append(_scalar(found, text))
        at = found.end()
    return items


class Piece(Struct, frozen=True):
    """A stretch of a header that one top-level key owns; `line` counts from 0 in the block."""

    text: str
    line: int
    offset: int


def pieces(block: str) -> list[Piece]:
    """The header cut at the lines that open a top-level key; what stands before the first is left out."""
    found: list[Piece] = []
    starts = [m.start() for m in _OPENS.finditer(block)]
    line = at = 0
    for start, end in pairwise((*starts, len(block))):
        line, at = line + block.count("\n", at, start), start
        found.append(Piece(block[start:end], line, start))
    return found


def save(piece: Piece) -> dict[str, Any]:
    """What a damaged key still says: the text on its line, or the items of its list. Empty where that would be a guess."""
    rows = _rows(piece.text)
    found = SAVED.match(rows[0])
    if not found:
        return {}
    key = saved_key(found)
    rest = [row.strip() for row in rows[1:] if row.strip() and not row.lstrip().startswith("#")]
    value = found["value"].strip()
    if not value and rest and all(row.startswith("- ") for row in rest):
        return {key: [_unquoted(row[2:].strip()) for row in rest]}
    opener = value.startswith(_OPENERS) and not _MEANT.match(value)
    if opener or (rest and not value):
        return {}
    return {key: _unquoted(value) or None}


def saved_key(found: re.Match[str]) -> str:
    """The name in a line that opens a key, by the letter."""
    return _unquoted(found.string[: found.start("value")].rstrip(" \t").removesuffix(":").rstrip(" \t"))


def _unquoted(value: str) -> str:
    inside = value[1:-1]
    if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" and value[0] not in inside:
        return inside
    return value
