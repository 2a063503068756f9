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
from memd.parse.markdown import scan

FOLDERS = {"preference": "preferences", "course": "courses", "task": "tasks", "journal": "journal"}
ELSEWHERE = "knowledge"

_HIDING = ("%%", "<!--", "`")
_SPACE = re.compile(r"\s+")
_ONE_WORD = re.compile(r"(?!_.*_$)[^\s\"'“”‘’「」『』《》:：*~=#\[\]()!]+")


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
    """Title, words, observations, relations; the words last where they would hide what follows (an open code block)."""
    title = _SPACE.sub(" ", draft.title).strip()
    words = draft.body.replace("\r\n", "\n").strip("\n")
    names = headings_for(f"{title}\n{words}\n" + "\n".join(seen.text for seen in draft.observations))
    titled = "" if words.startswith("# ") or any(sign in title for sign in _HIDING) else f"# {title}\n"
    lines = "".join(f"- {observation.line(o.category, o.text, o.tags, o.context)}\n" for o in draft.observations)
    links = "".join(f"{relation(r)}\n" for r in draft.relations)
    stated = [
        f"## {names.observations}\n{lines}" if lines else "",
        f"## {names.relations}\n{links}" if links else "",
    ]
    body = "\n".join(filter(None, [titled, f"{words}\n" if words else "", *stated]))
    if words and (lines or links):
        alone = "\n".join(filter(None, [titled, *stated]))
        if _states(body, words) != _states(alone, ""):
            return f"{alone}\n{words}\n"
    return body


def _states(body: str, words: str) -> tuple[int, int]:
    """How many observations and relations a body states beyond those of its words."""
    whole, part = scan(body), scan(words)
    return len(whole.observations) - len(part.observations), len(whole.links) - len(part.links)
