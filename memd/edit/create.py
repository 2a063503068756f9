"""The bytes of a new note: header, title, body, observations, relations. Pure text from what the caller gives.

Knows the shape of a note that memd writes. Never knows where it will lie, or who wants it.
"""

from __future__ import annotations

import re
from typing import Any, Protocol

from msgspec import Struct

from memd.edit import observation
from memd.edit.words import headings_for
from memd.parse import render

FOLDERS = {"preference": "preferences", "course": "courses", "task": "tasks", "journal": "journal"}
ELSEWHERE = "knowledge"

_SPACE = re.compile(r"\s+")
_ONE_WORD = re.compile(r"[^\s\"“”:*_~\[\]()!]+")


class Observed(Protocol):
    """An observation as a caller gives it."""

    @property
    def category(self) -> str: ...
    @property
    def text(self) -> str: ...
    @property
    def tags(self) -> tuple[str, ...]: ...
    @property
    def context(self) -> str: ...


class Related(Struct, frozen=True):
    """`target` as it stands in a wikilink, with a `|label` where it shows otherwise."""

    type: str
    target: str
    context: str = ""


class Draft(Struct, frozen=True):
    """A new note. `created` is RFC 3339 text."""

    title: str
    permalink: str
    created: str
    type: str = "note"
    tags: tuple[str, ...] = ()
    observations: tuple[Any, ...] = ()
    relations: tuple[Related, ...] = ()
    body: str = ""
    origin: str = "agent"
    sensitivity: str = "normal"


def folder_of(type: str) -> str:
    """Where a note of that type goes that was given no folder."""
    return FOLDERS.get(type.strip().casefold(), ELSEWHERE)


def note(draft: Draft) -> bytes:
    keys: dict[str, Any] = {"title": draft.title, "type": draft.type, "permalink": draft.permalink}
    if draft.tags:
        keys["tags"] = list(dict.fromkeys(filter(None, map(observation.tag, draft.tags))))
    keys |= {"created": draft.created, "modified": draft.created, "origin": draft.origin}
    keys["sensitivity"] = draft.sensitivity
    return render.file(keys, _body(draft))


def relation(related: Related) -> str:
    """The list item of a relation; a type of several words is quoted."""
    name = _SPACE.sub(" ", related.type).strip()
    name = name if _ONE_WORD.fullmatch(name) else '"' + name.replace('"', "'") + '"'
    context = f" ({_SPACE.sub(' ', related.context).strip()})" if related.context.strip() else ""
    return f"- {name} [[{target(related.target)}]]{context}"


def target(text: str) -> str:
    """A link's target as it may stand between double brackets."""
    bare = _SPACE.sub(" ", text).strip()
    bare = bare[2:-2] if bare.startswith("[[") and bare.endswith("]]") else bare
    return bare.replace("[[", "").replace("]]", "").strip()


def _body(draft: Draft) -> str:
    body = draft.body.replace("\r\n", "\n").strip("\n")
    titled = "" if body.startswith("# ") else f"# {_SPACE.sub(' ', draft.title).strip()}\n"
    parts = [titled, f"{body}\n" if body else ""]
    names = headings_for(f"{draft.title}\n{body}\n" + "\n".join(seen.text for seen in draft.observations))
    if draft.observations:
        lines = (observation.line(o.category, o.text, o.tags, o.context) for o in draft.observations)
        parts.append(f"## {names.observations}\n" + "".join(f"- {line}\n" for line in lines))
    if draft.relations:
        parts.append(f"## {names.relations}\n" + "".join(f"{relation(r)}\n" for r in draft.relations))
    return "\n".join(filter(None, parts))
