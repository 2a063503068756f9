"""Composed YAML nodes as JSON values, with what was written where that is what people meant.

Knows Obsidian's habits: `[[A]]` and `{{date}}` without quotes, tags that YAML takes for comments. Aliases are counted
with all that they stand for before any is walked; depth has an end. Duck-typed on nodes, imports no YAML.
"""

from __future__ import annotations

import re
from typing import Any

from memd.model.problem import Problem
from memd.parse.simple import TEXT_KEYS, written

MAX_NODES = 1_000_000
SPARE_NODES = 1_000
"""A header without aliases has fewer nodes than characters; this many more may come of aliases written out."""
MAX_DEPTH = 48

_TAG_KEYS = frozenset(("tags", "tag", "aliases", "alias"))
_COMMENTED = re.compile(r"[:\-]?[ \t]*(#[^\s#].*?)[ \t\r]*$", re.M)


class Reading:
    """One header's nodes on the way to values; `problems` carry the file's lines."""

    def __init__(self, source: str, line: int) -> None:
        self.source = source
        self.line = line
        self.problems: list[Problem] = []
        self._sizes: dict[int, int] = {}
        self._left = len(source) + SPARE_NODES

    def mapping(self, node: Any) -> dict[str, Any]:
        """A top-level mapping: the last of equal keys wins, a key that is too much is left out; both are told."""
        keys: dict[str, Any] = {}
        for key_node, value_node in node.value:
            key = self._key(key_node)
            if key in keys:
                self._tell("frontmatter_duplicate", key_node, f"the key {key!r} is written twice", "keep one of them")
            size = self._size(value_node, 0)
            if size > self._left:
                message = f"the value of {key!r} grows too large, nests too deep or contains itself"
                self._tell("frontmatter_bomb", key_node, message, "write the value out without aliases")
                continue
            self._left -= size
            value = self._value(value_node, key in TEXT_KEYS)
            if key in _TAG_KEYS:
                value = self._with_commented(value, key_node, value_node)
            keys[key] = value
        return keys

    def _size(self, node: Any, depth: int) -> int:
        """Nodes under a node, aliases written out; more than any budget where it contains itself or nests too deep."""
        known = self._sizes.get(id(node))
        if known is not None:
            return known
        if isinstance(node.value, str):
            return 1
        if depth > MAX_DEPTH:
            return MAX_NODES + 1
        self._sizes[id(node)] = MAX_NODES + 1
        size = 1
        for child in node.value:
            for part in child if isinstance(child, tuple) else (child,):
                size += self._size(part, depth + 1)
                if size > MAX_NODES:
                    return size
        self._sizes[id(node)] = size
        return size

    def _key(self, node: Any) -> str:
        return node.value if isinstance(node.value, str) else self._source(node).strip()

    def _value(self, node: Any, text: bool) -> Any:
        if node.tag and self.source.startswith("!", node.start_mark.index):
            return self._tagged(node, text)
        if isinstance(node.value, str):
            return node.value if node.style else written(node.value, text)
        if (as_written := self._as_written(node)) is not None:
            return as_written
        if node.id == "sequence":
            return [self._value(child, text) for child in node.value]
        return {self._key(key): self._value(value, text) for key, value in node.value}

    def _tagged(self, node: Any, text: bool) -> Any:
        """A tagged value is what it would be without its tag, as text."""
        if not node.tag.startswith("tag:yaml.org,2002:") or "python" in node.tag:
            self._tell("frontmatter_tag", node, f"the YAML tag {node.tag!r} means nothing here", "remove the tag")
        if isinstance(node.value, str):
            return node.value
        if node.id == "sequence":
            return [self._value(child, True) for child in node.value]
        return {self._key(key): self._value(value, True) for key, value in node.value}

    def _as_written(self, node: Any) -> str | None:
        """`[[A]]` and `{{date}}`, which YAML takes for a list in a list and a mapping in a mapping."""
        if not node.flow_style or len(node.value) != 1:
            return None
        source = self._source(node)
        if node.id == "sequence" and source.startswith("[[") and source.endswith("]]"):
            inner = node.value[0]
            link = inner.id == "sequence" and all(child.id != "sequence" for child in inner.value) and inner.value
            return source if link else None
        if node.id == "mapping" and source.startswith("{{") and source.endswith("}}"):
            hint = "fill the placeholder in, or keep templates in Obsidian's template folder"
            self._tell("frontmatter_placeholder", node, f"{source} is a template's placeholder", hint)
            return source
        return None

    def _with_commented(self, value: Any, key: Any, node: Any) -> Any:
        """`tags: #inbox` and `- #inbox`: a comment to YAML, a tag to whoever wrote it."""
        if value is None and isinstance(node.value, str):
            found = _COMMENTED.match(self.source, key.end_mark.index)
            if found:
                self._tell("frontmatter_comment", key, f"YAML reads {found[1]!r} as a comment", "leave out the #")
            return found[1] if found else None
        if isinstance(value, list) and None in value:
            for at, child in enumerate(node.value):
                if value[at] is None and (found := _COMMENTED.match(self.source, child.start_mark.index)):
                    value[at] = found[1]
                    self._tell("frontmatter_comment", child, f"YAML reads {found[1]!r} as a comment", "leave out the #")
        return value

    def _source(self, node: Any) -> str:
        return self.source[node.start_mark.index : node.end_mark.index]

    def _tell(self, code: str, node: Any, message: str, hint: str) -> None:
        line = self.line + self.source.count("\n", 0, node.start_mark.index)
        self.problems.append(Problem(code, "", line, message, hint))
