"""Frontmatter of a note: where it lies, its values, and the places that splices need.

Knows the fast road and the slow one, which agree wherever both go. Never writes; never raises on a user's header.
"""

from __future__ import annotations

from typing import Any

from memd.model.problem import Problem
from memd.parse import simple
from memd.parse.header import Head, split

__all__ = ["Head", "Spans", "key_place", "load", "spans", "split"]

Spans = dict[str, tuple[int, int]]
_FAULTS = {
    "unterminated": ("the frontmatter is never closed", "add a line `---` after the last key"),
    "not_mapping": ("the text between the `---` lines has no keys", "write it as `key: value` lines, or remove them"),
}


def load(head: Head) -> tuple[dict[str, Any], tuple[Problem, ...]]:
    """The header's values (plain JSON) and its problems, whose lines are the file's and whose path is ""."""
    if not head:
        if not head.fault:
            return {}, ()
        message, hint = _FAULTS[head.fault]
        return {}, (Problem(f"frontmatter_{head.fault}", "", 1, message, hint),)
    keys = simple.read(head.block)
    if keys is not None:
        return keys, ()
    from memd.parse import yaml_header

    keys, problems = yaml_header.read(head)
    return keys, tuple(problems)


def spans(text: str) -> Spans:
    """Where the value of each top-level key stands in the text: from its first character to after its last.

    An empty value is an empty span right after the colon (what is put there starts with a space). A block list or text
    spans its lines, without the last line end. Of a key written twice the last counts. A header that YAML refuses has
    spans only for values that stand on their key's line.
    """
    head = split(text)
    if not head:
        return {}
    from memd.parse import yaml_spans

    return yaml_spans.spans(head)


def key_place(text: str) -> int | None:
    """The offset at which a line `key: value` and a line end make one more key; None without a header of such lines."""
    head = split(text)
    if not head or head.block.lstrip()[:1] == "{":
        return None
    return head.end
