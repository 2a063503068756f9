"""A markdown document as chunks: one section each, with its heading. Knows headings and fences, never what they say."""

from __future__ import annotations

import re

LONGEST = 4000
"""Characters of one chunk; a longer section is cut between paragraphs, and only then within one."""

_HEADING = re.compile(r"^ {0,3}#{1,6}(?:\s|$)")
_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_FRONT = re.compile(r"\A\ufeff?---[ \t]*\r?\n.*?\n---[ \t]*(?:\r?\n|\Z)", re.S)


def sections(text: str) -> list[str]:
    """The chunks of a document in order, without its frontmatter; no chunk is empty."""
    text = _FRONT.sub("", text, count=1) if text.startswith(("---", "\ufeff---")) else text
    parts: list[list[str]] = [[]]
    fence = ""
    for line in text.splitlines():
        mark = _FENCE.match(line)
        if mark:
            fence = "" if fence and mark[1].startswith(fence) else fence or mark[1]
        elif (
            not fence and _HEADING.match(line) and any(_HEADING.match(one) is None for one in parts[-1] if one.strip())
        ):
            parts.append([])
        parts[-1].append(line)
    whole = ("\n".join(part).strip() for part in parts)
    return [chunk for part in whole if part for chunk in _cut(part)]


def _cut(text: str) -> list[str]:
    if len(text) <= LONGEST:
        return [text]
    chunks: list[str] = [""]
    for paragraph in re.split(r"\n\s*\n", text):
        for piece in (paragraph[n : n + LONGEST] for n in range(0, len(paragraph), LONGEST)):
            if chunks[-1] and len(chunks[-1]) + len(piece) + 2 > LONGEST:
                chunks.append("")
            chunks[-1] = f"{chunks[-1]}\n\n{piece}" if chunks[-1] else piece
    return [chunk.strip() for chunk in chunks if chunk.strip()]
