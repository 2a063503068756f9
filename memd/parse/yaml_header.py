"""A header's values as YAML has them: python-frontmatter reads, through a handler that composes nodes and builds values itself.

Only nodes are composed, no object of any other kind is ever built, so a tag is a word and an alias is counted before
it is walked. Values are JSON values, keys text. Never raises on a user's header.
"""

from __future__ import annotations

import json
import re
from typing import Any

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler

from memd.model.problem import Problem
from memd.parse import simple
from memd.parse.header import Head
from memd.parse.yaml_values import Reading

MAX_BLOCK = 512 * 1024
"""Characters of a header beyond which its values are not read."""

_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff]")
_Loader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MOST_FAULTS = 8

Loaded = tuple[dict[str, Any], list[Problem]]


class Unreadable(Exception):
    """YAML's own refusal: what and on which line of the block, from 0."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def compose(block: str) -> Any:
    """The node tree of a block (None: an empty one), marks counted in its characters. Raises `Unreadable`."""
    loader = _Loader(_FORBIDDEN.sub("\ufffd", block))
    try:
        node = loader.get_single_node()
    except yaml.MarkedYAMLError as fault:
        mark = fault.problem_mark or fault.context_mark
        line = block.count("\n", 0, mark.index) if mark else 0  # a mark's own line counts more than line feeds
        raise Unreadable(fault.problem or "it is not YAML", line) from fault
    except (yaml.YAMLError, RecursionError) as fault:
        raise Unreadable("it is not YAML", 0) from fault
    finally:
        loader.dispose()
    return node


class _Handler(YAMLHandler):
    """python-frontmatter's hook for our own values; `line` is the file's line of the opening fence."""

    FM_BOUNDARY = re.compile(r"^---[ \t]*$", re.MULTILINE)

    def __init__(self, line: int) -> None:
        super().__init__()
        self.line = line
        self.problems: list[Problem] = []

    def load(self, fm: str, **kwargs: object) -> dict[str, Any]:
        keys, self.problems = _values(fm, self.line)
        return keys


def read(head: Head) -> Loaded:
    """Every key that can be read, and what is wrong with the rest, with lines of the file."""
    if len(head.block) > MAX_BLOCK:
        hint = "move the text into the body of the note"
        return {}, [Problem("frontmatter_too_large", "", head.line, "the frontmatter is too large to be read", hint)]
    handler = _Handler(head.line - 1)
    keys, _ = frontmatter.parse(f"---\n{head.block}---\n", handler=handler)
    return keys, handler.problems


def _values(block: str, line: int) -> Loaded:
    try:
        node = compose(block)
    except Unreadable as fault:
        found = _json(block) if block.lstrip()[:1] == "{" else None
        return (found, []) if found is not None else _save(block, line, fault)
    if node is None:
        return {}, []
    if not isinstance(node, yaml.MappingNode):
        hint = "write it as `key: value` lines, or remove the `---` lines"
        return {}, [Problem("frontmatter_not_mapping", "", line, "the frontmatter has no keys", hint)]
    reading = Reading(block, line)
    return reading.mapping(node), reading.problems


def _json(block: str) -> dict[str, Any] | None:
    """A JSON block that YAML's reader refuses (tabs, escaped pairs); None where it is no JSON either."""
    try:
        found = json.loads(block, parse_constant=str, parse_float=_Number, parse_int=_Number)
        return _plain(found, False) if isinstance(found, dict) else None
    except (ValueError, RecursionError):
        return None


class _Number(str):
    """A JSON number as written, until its key says whether it stays so."""


def _plain(value: Any, text: bool) -> Any:
    if isinstance(value, dict):
        return {_plain(key, True): _plain(child, text or key in simple.TEXT_KEYS) for key, child in value.items()}
    if isinstance(value, list):
        return [_plain(child, text) for child in value]
    if isinstance(value, _Number):
        return simple.written(str(value), text)
    return value.encode("utf-8", "replace").decode() if isinstance(value, str) else value


def _save(block: str, line: int, fault: Unreadable) -> Loaded:
    """A block that YAML refuses as a whole, key by key; what even so cannot be read is saved by the letter."""
    keys: dict[str, Any] = {}
    problems: list[Problem] = []
    for piece in simple.pieces(block):
        try:
            node = compose(piece.text)
        except Unreadable as own:
            keys.update(simple.save(piece))
            problems.append(_malformed(own, line + piece.line + own.line, piece.text))
            continue
        if isinstance(node, yaml.MappingNode):
            reading = Reading(piece.text, line + piece.line)
            keys.update(reading.mapping(node))
            problems += reading.problems
    return keys, problems[:_MOST_FAULTS] or [_malformed(fault, line + fault.line, block)]


def _malformed(fault: Unreadable, line: int, text: str) -> Problem:
    if "{{" in text:
        hint = "fill the placeholder in, or keep templates in Obsidian's template folder"
        return Problem("frontmatter_placeholder", "", line, "the frontmatter holds a template's placeholder", hint)
    hint = "correct the line; text with `: ` or ` #`, or that starts with a sign, needs quotes"
    return Problem("frontmatter_malformed", "", line, f"the frontmatter is not YAML: {fault.message}", hint)
