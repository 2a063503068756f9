"""What inside a text is no prose: code, HTML and comments, blanked out letter for letter so that offsets stay.

A blanked character is `CODE_SIGN` or `COMMENT_SIGN`; neither is white space, a letter or a bracket. Each step is linear.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict, deque

from memd.parse.blocks import CODE, COMMENT, HTML, MORE, Blocks

CODE_SIGN = "\x00"
COMMENT_SIGN = "\x01"

_TICKS = re.compile(r"`+")
_HIDDEN = (CODE, HTML, COMMENT)
Range = tuple[int, int, str]


def masked(text: str, blocks: Blocks) -> str:
    """The text with its code, HTML and comments blanked; the same length."""
    ranges = _lines(text, blocks)
    ranges += [(start, end, COMMENT_SIGN) for start, end in blocks.comments]
    if "`" in text:
        ranges += _code_spans(text, blocks)
    if "<!--" in text:
        ranges += _html_comments(text, blocks)
    if not ranges:
        return text
    parts: list[str] = []
    at = 0
    for start, end, sign in sorted(ranges):
        if end > at:
            start = max(start, at)
            parts += (text[at:start], sign * (end - start))
            at = end
    parts.append(text[at:])
    return "".join(parts)


def _lines(text: str, blocks: Blocks) -> list[Range]:
    starts, last = blocks.starts, len(blocks.starts) - 1
    found: list[Range] = []
    for n, kind in enumerate(blocks.kinds):
        if kind in (CODE, HTML):
            found.append((starts[n], starts[n + 1] - 1 if n < last else len(text), CODE_SIGN))
    return found


def _paragraph(text: str, blocks: Blocks, at: int) -> tuple[int, int]:
    """The kind of the line that holds an offset, and the end of the paragraph that goes on from it."""
    n = bisect_right(blocks.starts, at) - 1
    last = n
    while last + 1 < len(blocks.kinds) and blocks.kinds[last + 1] == MORE:
        last += 1
    return blocks.kinds[n], blocks.starts[last + 1] if last + 1 < len(blocks.starts) else len(text)


def _code_spans(text: str, blocks: Blocks) -> list[Range]:
    found: list[Range] = []
    at = text.find("`", blocks.starts[0])
    while at >= 0:
        kind, end = _paragraph(text, blocks, at)
        if kind not in _HIDDEN:
            found += _spans_between(text, at, end)
        at = text.find("`", end)
    return found


def _spans_between(text: str, start: int, end: int) -> list[Range]:
    """Runs of backticks paired with the next run of that length; a run after a backslash opens nothing."""
    runs = [(m.start(), m.end()) for m in _TICKS.finditer(text, start, end)]
    later: dict[int, deque[int]] = defaultdict(deque)
    for n, (a, b) in enumerate(runs):
        later[b - a].append(n)
    found: list[Range] = []
    n = 0
    while n < len(runs):
        a, b = runs[n]
        same = later[b - a]
        while same and same[0] <= n:
            same.popleft()
        if same and text[a - 1 : a] != "\\":
            n = same[0]
            found.append((a, runs[n][1], CODE_SIGN))
        n += 1
    return found


def _html_comments(text: str, blocks: Blocks) -> list[Range]:
    found: list[Range] = []
    at = text.find("<!--", blocks.starts[0])
    while at >= 0:
        kind, end = _paragraph(text, blocks, at)
        closed = text.find("-->", at + 4, end)
        if kind in _HIDDEN or closed < 0:
            at = text.find("<!--", end)
            continue
        found.append((at, closed + 3, COMMENT_SIGN))
        at = text.find("<!--", closed + 3)
    return found
