"""What stands inside lines of prose: links, tags, block ids, Dataview fields, each with its place.

Reads a masked text (see `mask`), so code and comments are not seen. Never knows what a list item states.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from urllib.parse import unquote

from msgspec import Struct

from memd.model.note import Block, Field

_WIKI = re.compile(r"\[\[([^\[\]\n]++)\]\]")
URL = re.compile(
    r"\]\([ \t]*(?:<(?P<angle>[^<>\n]*)>|(?P<bare>[^\s()<>]*+(?:\([^\s()<>]*\)[^\s()<>]*+)*))"
    r"(?:[ \t]+(?:\"[^\"\n]*\"|'[^'\n]*'|\([^()\n]*\)))?[ \t]*\)"
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:|//")
_NO_TAG = (
    r"\s\x00-\x20\x7f\u2000-\u200c\u200e-\u206f\u2e00-\u2e7f\u3000-\u303f\uff00-\uff0f\uff1a-\uff20\uff3b-\uff40"
    r"\uff5b-\uff65'!\"#$%&()*+,.:;<=>?@^`{|}~\[\]\\"
)
_BEFORE_TAG = r"\s(\[{*_~（【「『《“‘，。、；：！？）】」』》”’…—"
_TAG = re.compile(rf"#(?<![^{_BEFORE_TAG}]#)(?P<tags>[^{_NO_TAG}]++(?:#[^{_NO_TAG}]++)*)")
_BLOCK = re.compile(r"\^(?<![^\s]\^)(?P<id>[A-Za-z0-9-]++)(?=[ \t\r]*$)", re.M)
_LINE_FIELD = re.compile(
    r"^[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+(?:\[.\][ \t]+)?)?"
    r"(?P<key>[^\s:\[\](){}|<>#\x00\x01][^:\[\](){}|\n\x00\x01]{0,79})::(?=[ \t\r]|$)(?P<value>.*)$",
    re.M,
)
_BRACKET_FIELD = re.compile(
    r"(?:\[(?P<k1>[^\[\]():\n]{1,80})::(?P<v1>[^\[\]\n]*+(?:\[\[[^\[\]\n]*\]\][^\[\]\n]*+)*)\]"
    r"|\((?P<k2>[^\[\]():\n]{1,80})::(?P<v2>[^()\n]*+)\))"
)
_FILES = frozenset(
    """png jpg jpeg gif svg webp bmp avif heic tif tiff mp3 wav m4a ogg oga opus 3gp flac mp4 m4v mov webm mkv ogv avi
    pdf canvas base excalidraw zip gz csv tsv json html htm txt doc docx xls xlsx ppt pptx epub""".split()
)
"""Ends of names that are no notes."""


class LinkAt(Struct, frozen=True, gc=False):
    """A link as it stands in the text, from `start` to `end`. `note` is false for what leads to no note (a URL, a picture).

    `target` is as written, a markdown link's URL-decoded; `fragment` keeps its sign (`#h`, `#^b`).
    """

    start: int
    end: int
    embed: bool
    target: str
    fragment: str
    label: str
    note: bool


def links(text: str, mask: str, start: int) -> list[LinkAt]:
    """Wikilinks and markdown links from an offset on, in order."""
    found: list[LinkAt] = []
    if "[[" in mask:
        for m in _WIKI.finditer(mask, start):
            at = m.start()
            before = mask[at - 1 : at] if at else ""
            if before != "\\":
                target, fragment, label = parts(text[m.start(1) : m.end(1)])
                embed = before == "!"
                note = bool(target or fragment) and not is_file(target)
                found.append(LinkAt(at - embed, m.end(), embed, target, fragment, label, note))
    if "](" in mask:
        found += _urls(text, mask, start)
        found.sort(key=lambda link: link.start)
    return found


def parts(inner: str) -> tuple[str, str, str]:
    """Target, fragment and label of what stands between `[[` and `]]`; a table's `\\|` is a `|`."""
    name, bar, label = inner.partition("|")
    if bar:
        name = name.removesuffix("\\")
    target, fragment = fragment_of(name.strip())
    return target, fragment, label.strip()


def fragment_of(name: str) -> tuple[str, str]:
    """Target and fragment; `^block` may stand without its `#`."""
    for at, sign in enumerate(name):
        if sign in "#^":
            return name[:at].rstrip(), name[at:]
    return name, ""


def is_file(target: str) -> bool:
    """Whether a target is a file that is no note, by its name's end."""
    name, dot, end = target.rpartition(".")
    return bool(name and dot) and end.lower() in _FILES


def _urls(text: str, mask: str, start: int) -> Iterator[LinkAt]:
    for m in URL.finditer(mask, start):
        opened = _label_start(mask, m.start())
        if opened < 0:
            continue
        group = "angle" if m["angle"] is not None else "bare"
        url = text[m.start(group) : m.end(group)]
        path, hash, rest = url.partition("#")
        note = not _SCHEME.match(url) and (path.lower().endswith(".md") or (not path and bool(rest)))
        embed = mask[opened - 1 : opened] == "!" if opened else False
        label = text[opened + 1 : m.start()].strip()
        yield LinkAt(opened - embed, m.end(), embed, unquote(path), unquote(hash + rest), label, note)


def _label_start(mask: str, end: int) -> int:
    """The `[` that belongs to the `]` at an offset, on its line and not too far; -1 where there is none."""
    depth = 0
    for at in range(end, max(-1, end - 1000), -1):
        sign = mask[at]
        if sign == "]":
            depth += 1
        elif sign == "[":
            depth -= 1
            if not depth:
                return at
        elif sign == "\n":
            return -1
    return -1


class TagAt(Struct, frozen=True, gc=False):
    """A run `#a#b`: its offsets and its tags without their signs."""

    start: int
    end: int
    tags: tuple[str, ...]


def tags(mask: str, start: int, found: list[LinkAt]) -> list[TagAt]:
    """Tags from an offset on that stand outside links; a tag has a character that is no digit."""
    runs: list[TagAt] = []
    ends = [link.end for link in found]
    for m in _TAG.finditer(mask, start):
        at = m.start()
        n = bisect_right(ends, at)
        if n < len(found) and found[n].start <= at:
            continue
        names = tuple(t for name in m["tags"].split("#") if (t := name.rstrip("/")) and not t.isdigit())
        if names:
            runs.append(TagAt(at, m.end(), names))
    return runs


class Lines:
    """Line numbers for offsets that only grow: counts on from the last one."""

    __slots__ = ("at", "line", "text")

    def __init__(self, text: str, at: int, line: int) -> None:
        self.text = text
        self.at = at
        self.line = line

    def of(self, offset: int) -> int:
        self.line += self.text.count("\n", self.at, offset)
        self.at = offset
        return self.line


def blocks(text: str, mask: str, start: int, first: int) -> list[Block]:
    """Block ids at the ends of lines; `first` is the line of `start`."""
    lines = Lines(text, start, first)
    return [Block(m["id"], lines.of(m.start())) for m in _BLOCK.finditer(mask, start)]


def fields(text: str, mask: str, start: int, first: int) -> list[Field]:
    """Dataview's fields: a line of their own, or in brackets."""
    found: list[tuple[int, str, str]] = []
    for m in _LINE_FIELD.finditer(mask, start):
        found.append((m.start("key"), m["key"], text[m.start("value") : m.end("value")]))
    for m in _BRACKET_FIELD.finditer(mask, start):
        key, value = ("k1", "v1") if m["k1"] else ("k2", "v2")
        found.append((m.start(), m[key], text[m.start(value) : m.end(value)]))
    lines = Lines(text, start, first)
    return [Field(key.strip(" \t*_~"), value.strip(), lines.of(at)) for at, key, value in sorted(found)]
