"""The first paragraph of a body: a leaf's proposition, what a summary or chain begins with."""

from __future__ import annotations

import re

from memd.parse.blocks import MORE, TEXT
from memd.parse.markdown import Scan

_BLOCK_ID = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*$")


def lead(found: Scan) -> str:
    """The first paragraph that is no heading, quote or code, its lines joined by line feeds; "" without one."""
    kinds, starts, text = found.blocks.kinds, found.blocks.starts, found.text
    for n, kind in enumerate(kinds):
        if kind == TEXT and not found.blocks.quoted[n]:
            last = n
            while last + 1 < len(kinds) and kinds[last + 1] == MORE:
                last += 1
            end = starts[last + 1] if last + 1 < len(starts) else len(text)
            rows = [row.strip() for row in text[starts[n] : end].splitlines()]
            if words := _BLOCK_ID.sub("", "\n".join(rows)).strip():
                return words
    return ""
