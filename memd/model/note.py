"""A note as memd reads it: one frozen record a file, without its body.

Knows what can be said of a note from its bytes and its path. Never knows where the bytes came from, or the time.
Line numbers count from 1 in the file. Paths are relative to the vault, `/`-separated, as `os.fsdecode` gives them.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

from memd.model.problem import Problem


class Heading(Struct, frozen=True, array_like=True, gc=False):
    level: int
    text: str
    line: int


class Observation(Struct, frozen=True, array_like=True, gc=False):
    """`- [category] text #tag (context)`; `text` is without its tags and its closing context."""

    category: str
    text: str
    tags: tuple[str, ...]
    context: str
    line: int


class Link(Struct, frozen=True, array_like=True, gc=False):
    """`relation` is the typed relation of a list item, else `links_to`. `fragment` keeps its `#` (`#h`, `#^b`)."""

    target: str
    relation: str
    fragment: str
    label: str
    context: str
    line: int


class Block(Struct, frozen=True, array_like=True, gc=False):
    """A block id: `^id` at the end of a line; `id` is without the caret."""

    id: str
    line: int


class Field(Struct, frozen=True, array_like=True, gc=False):
    """A Dataview field: `key:: value`, `[key:: value]`, `(key:: value)`."""

    key: str
    value: str
    line: int


class Turn(Struct, frozen=True, array_like=True, gc=False):
    """Where a turn of evidence stands, without its words: block id, who, when (RFC 3339 or "" when unknown)."""

    id: str
    speaker: str
    at: str
    captured_at: str
    event_id: str
    role: str
    line: int
    sensitive: bool = False


class Note(Struct, frozen=True, omit_defaults=True, gc=False):
    """Everything that answers need of a file, save its words.

    `kind` is what the file is to memd: evidence, episode, entity, leaf, summary, chain, profile, digest, or note, which is
    every file that memd's memory does not own. `created` and `modified` are Unix seconds (0 when unknown); `modified` comes from frontmatter, else from the file.
    `frontmatter` holds plain JSON values. `lead` is the first paragraph of the body for leaves, summaries and chains,
    else "". `permalink` is the one written in the file, else derived from the path (`permalink_given` tells).
    """

    path: str
    title: str
    kind: str = "note"
    id: str = ""
    type: str = "note"
    tags: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    permalink: str = ""
    permalink_given: bool = False
    created: float = 0.0
    modified: float = 0.0
    origin: str = ""
    sensitivity: str = "normal"
    status: str = ""
    frontmatter: dict[str, Any] = {}
    headings: tuple[Heading, ...] = ()
    observations: tuple[Observation, ...] = ()
    links: tuple[Link, ...] = ()
    blocks: tuple[Block, ...] = ()
    fields: tuple[Field, ...] = ()
    turns: tuple[Turn, ...] = ()
    lead: str = ""
    language: str = ""
    sha256: str = ""
    size: int = 0
    problems: tuple[Problem, ...] = ()

    @property
    def sensitive(self) -> bool:
        return self.sensitivity == "sensitive"
