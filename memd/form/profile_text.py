"""The profile as text: which lines it has, whose they are, and how lines are added, changed and taken away.

A line of memd's: `- text (stated, first seen 2026-03-01, last confirmed 2026-03-08) [[source]] ^p-hash`. The hash is of
the text: where it does not match, a person changed the line and it is theirs. Every other line of the file is a
person's, whatever it looks like. Never knows what a line is drawn from.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from memd.form.files import split
from memd.form.keys import link, unlinked
from memd.model.fingerprint import fingerprint
from memd.model.memory import ProfileLine

SECTIONS = ("stable", "recent")
_MINE = re.compile(
    r"^- (?P<text>.+) \((?P<status>stated|inferred), first seen (?P<first>\S*), last confirmed (?P<last>[^\s,)]*)"
    r"(?:, until (?P<until>[^\s,)]*))?\)(?P<links>(?: \[\[[^\]]+\]\])*) \^(?P<id>p-[0-9a-z]+)\s*$"
)
_ITEM = re.compile(r"^\s*[-*+] (?!\[[^\]]\] )(?P<text>\S.*?)\s*$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<text>.+?)\s*#*\s*$")
_BLOCK = re.compile(r"\s\^(p-[0-9a-z]+)\s*$")
_COMMENT = re.compile(r"%%.*?%%")
_LINKED = re.compile(r"\[\[([^\[\]|#]+)[^\[\]]*\]\]")


class Patch(Struct, frozen=True, omit_defaults=True):
    """One change: `add` needs text, section and sources, `rewrite` an id too, `drop` only an id. Sources are leaf ids."""

    action: str
    id: str = ""
    text: str = ""
    section: str = "stable"
    status: str = "stated"
    sources: tuple[str, ...] = ()
    until: str = ""


def line_id(text: str) -> str:
    return "p-" + fingerprint(text)[:10]


def read(text: str) -> tuple[ProfileLine, ...]:
    """Every list item of the file, in order. `sources` are the stems of its links, `line` counts from 1."""
    head, body = split(text)
    found: list[ProfileLine] = []
    section, fence = "", ""
    for number, row in enumerate(body.split("\n"), head.count("\n") + 1):
        row = row.rstrip("\r")
        if (mark := row.lstrip()[:3]) in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
        elif fence:
            continue
        elif heading := _HEADING.match(row):
            name = heading["text"].strip().casefold()
            section = name if name in SECTIONS else ""
        elif line := _line(row, section, number):
            found.append(line)
    return tuple(found)


def _line(row: str, section: str, number: int) -> ProfileLine | None:
    sources = tuple(m[1].strip() for m in _LINKED.finditer(row))
    if own := _MINE.match(row):
        mine = line_id(own["text"]) == own["id"]
        return ProfileLine(
            own["id"],
            own["text"],
            section or "stable",
            own["status"],
            sources,
            own["first"],
            own["last"],
            own["until"] or "",
            number,
            mine,
        )
    item = _ITEM.match(row)
    if not item:
        return None
    text = unlinked(_COMMENT.sub("", _BLOCK.sub("", item["text"]))).strip()
    return ProfileLine(line_id(text), text, section or "stable", "stated", sources, line=number) if text else None


def row_of(text: str, status: str, first: str, last: str, until: str, sources: Iterable[str]) -> str:
    """A line of memd's without its line end. `sources` are stems."""
    when = f"{status}, first seen {first or '?'}, last confirmed {last or '?'}" + (f", until {until}" if until else "")
    links = "".join(" " + link(source) for source in sources)
    return f"- {text} ({when}){links} ^{line_id(text)}"


class Edit(Struct, frozen=True):
    """`line` (from 1; 0: a new one in `section`) becomes `row`; an empty row takes the line away."""

    line: int
    section: str
    row: str


def edited(text: str, edits: Iterable[Edit]) -> str:
    """The text with the lines changed; every other byte stays. A section that is not there is put at the end."""
    edits = tuple(edits)
    end = "\r\n" if text.count("\r\n") * 2 > text.count("\n") else "\n"
    rows = text.split("\n")
    for edit in sorted((e for e in edits if e.line), key=lambda e: -e.line):
        tail = "\r" if rows[edit.line - 1].endswith("\r") else ""
        rows[edit.line - 1 : edit.line] = [edit.row + tail] if edit.row else []
    text = "\n".join(rows)
    for section in SECTIONS:
        if new := [e.row for e in edits if not e.line and e.section == section]:
            text = _put(text, section, new, end)
    return text


def _put(text: str, section: str, new: list[str], end: str) -> str:
    rows = text.split("\n")
    head = split(text)[0].count("\n")
    start = next((n for n in range(head, len(rows)) if _is_section(rows[n], section)), None)
    if start is None:
        gap = "" if not text or text.endswith((end * 2, f"---{end}")) else end if text.endswith("\n") else end * 2
        return text + gap + f"## {section.capitalize()}{end}{end}" + "".join(row + end for row in new)
    stop = next((n for n in range(start + 1, len(rows)) if _HEADING.match(rows[n].rstrip("\r"))), len(rows))
    last = next((n for n in range(stop - 1, start, -1) if rows[n].strip()), start)
    tail = "\r" if end == "\r\n" else ""
    lead = [tail] if last == start else []
    if last + 1 == len(rows):
        rows[last] += tail
        return "\n".join((*rows, *lead, *(row + tail for row in new), ""))
    rows[last + 1 : last + 1] = [*lead, *(row + tail for row in new)]
    return "\n".join(rows)


def _is_section(row: str, section: str) -> bool:
    heading = _HEADING.match(row.rstrip("\r"))
    return heading is not None and heading["text"].strip().casefold() == section
