"""The bodies of memory's own files: turns of evidence with their words, the narrative of an episode.

One turn is a block: a header line, the words, a block id. Words that would read as structure are written with one more
backslash, which reading takes away again: any text in, the same text out. What the header cannot show (event id, role,
modality, uri, sensitivity, an odd speaker) stands behind it as JSON in an Obsidian comment.

    **speaker** · said-at · captured-at %%{"id":"m1","role":"user"}%%
    the words
    ^t1

Knows the grammar in both directions. Never knows why a turn was said, or where the file is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from memd.model.memory import Event, Said
from memd.model.note import Note, Turn

UNKNOWN = "unknown"
"""Stands where a time is not known."""

_HEADER = re.compile(
    r"^\*\*(?P<speaker>.+?)\*\* · (?P<at>[^·%]*?) · (?P<captured>[^·%]*?)(?: %%(?P<more>\{.*\})%%)?\s*$"
)
_BLOCK_ID = re.compile(r"^\^(?P<id>[A-Za-z0-9-]+)\s*$")
_LIKE_HEADER = re.compile(r"^(\s*\\*)(?=\*\*.*\*\* · )")
_LIKE_ID = re.compile(r"^((?:.*\s)?\\*)(?=\^[A-Za-z0-9-]+\s*$)", re.S)
_LIKE_FENCE = re.compile(r"^([\s>*+-]*)(\\*)(?=(`{3,}|~{3,})(.*)$)", re.S)
_COMMENT = re.compile(r"([%<])(\\*)(?=(?<=%)%|(?<=\\)%|(?<=<)!--|(?<=\\)!--)")
_PLAIN_SPEAKER = re.compile(r"^(?!\s)[^*·%\x00-\x1f\x7f\x85\u2028\u2029\\]+(?<!\s)\Z")
_DISPLAY = re.compile(r"[*·%\\\x00-\x20\x7f\x85\u2028\u2029]+")


class Span(Struct, frozen=True):
    """A turn's block in a file: `start` and `end` are offsets, the blank line after it included. `line` counts from 1."""

    turn: Turn
    start: int
    end: int
    line: int
    words: str
    more: dict[str, Any]


def spans(text: str) -> Iterator[Span]:
    """Every turn of an evidence file, in file order. A header without its block id is passed over."""
    head: re.Match[str] | None = None
    lines: list[str] = []
    offset = start = at = 0
    for line, row in enumerate(text.split("\n"), 1):
        here, offset = offset, offset + len(row) + 1
        if row.startswith("**") and (found := _HEADER.match(row)):
            head, lines, start, at = found, [], here, line
        elif head and row.startswith("^") and (found := _BLOCK_ID.match(row)):
            end = offset + 1 if text.startswith("\n", offset) else min(offset, len(text))
            yield _span(head, found["id"], "\n".join(map(_unescape, lines)), start, end, at)
            head = None
        elif head:
            lines.append(row)


def _span(head: re.Match[str], id: str, words: str, start: int, end: int, line: int) -> Span:
    more = _more(head["more"])
    turn = Turn(
        id=id,
        speaker=str(more.get("speaker") or head["speaker"]),
        at=_time(head["at"]),
        captured_at=_time(head["captured"]),
        event_id=str(more.get("id", "")),
        role=str(more.get("role", "")),
        line=line,
        sensitive=more.get("sensitivity") == "sensitive",
    )
    return Span(turn, start, end, line, words, more)


def _more(text: str | None) -> dict[str, Any]:
    if not text:
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _time(text: str) -> str:
    text = text.strip()
    return "" if text in ("", UNKNOWN, "?") else text


def turns(note: Note, text: str) -> tuple[Said, ...]:
    """The turns of an evidence note with their words, in the order of the file; `text` is the whole file as decoded."""
    stem = note.path.rsplit("/", 1)[-1].removesuffix(".md")
    return tuple(_said(note.id, stem, span) for span in spans(text))


def _said(note_id: str, stem: str, span: Span) -> Said:
    turn, more = span.turn, span.more
    return Said(
        id=f"{note_id}#{turn.id}",
        link=f"{stem}#^{turn.id}",
        speaker=turn.speaker,
        text=span.words,
        at=turn.at,
        captured_at=turn.captured_at,
        role=turn.role,
        event_id=turn.event_id,
        modality=str(more.get("modality", "text")),
        uri=str(more.get("uri", "")),
        line=span.line,
        sensitive=turn.sensitive,
    )


def block(event: Event, id: str) -> str:
    """The block of one turn, ending in a blank line. `event.at` and `event.captured_at` are written as they are."""
    shown = event.speaker if _PLAIN_SPEAKER.match(event.speaker) else _DISPLAY.sub(" ", event.speaker).strip()
    more = {
        "id": event.id,
        "role": event.role,
        "modality": event.modality if event.modality != "text" else "",
        "uri": event.uri,
        "sensitivity": event.sensitivity if event.sensitivity != "normal" else "",
        "speaker": event.speaker if shown != event.speaker else "",
    }
    kept = {key: value for key, value in more.items() if value}
    comment = f" %%{json.dumps(kept, ensure_ascii=False, separators=(',', ':'))}%%" if kept else ""
    if comment.count("%%") != 2:
        comment = " %%" + comment[3:-2].replace("%", "\\u0025") + "%%" if comment else ""
    header = f"**{shown or UNKNOWN}** · {event.at or UNKNOWN} · {event.captured_at or UNKNOWN}{comment}"
    return f"{header}\n{escape(event.text)}^{id}\n\n"


def escape(text: str) -> str:
    """The words as lines of a block, each ended; "" for no words."""
    if not text:
        return ""
    lines = text.split("\n")
    loose = _loose_fences(lines)
    return "".join(_escape(line, number in loose) + "\n" for number, line in enumerate(lines))


def _escape(line: str, loose: bool) -> str:
    if "%" in line or "<" in line:
        line = _COMMENT.sub(r"\1\2\\", line)
    if "^" in line:
        line = _LIKE_ID.sub(r"\1\\", line)
    if "**" in line:
        line = _LIKE_HEADER.sub(r"\1\\", line)
    if "```" in line or "~~~" in line:
        if (found := _LIKE_FENCE.match(line)) and (loose or found[2]):
            line = f"{line[: found.end()]}\\{line[found.end() :]}"
    return line


def _unescape(line: str) -> str:
    if "\\" not in line:
        return line
    if (found := _LIKE_FENCE.match(line)) and found[2]:
        line = line[: found.end() - 1] + line[found.end() :]
    for pattern in (_LIKE_HEADER, _LIKE_ID):
        if (found := pattern.match(line)) and found[1].endswith("\\"):
            line = line[: found.end() - 1] + line[found.end() :]
    return re.sub(r"([%<])(\\*)\\(?=%|!--)", r"\1\2", line)


def _loose_fences(lines: list[str]) -> set[int]:
    """Lines that open a fence which nothing closes: they would swallow the turns that follow."""
    loose: set[int] = set()
    opened: tuple[int, str] | None = None
    for number, line in enumerate(lines):
        found = _LIKE_FENCE.match(line) if "```" in line or "~~~" in line else None
        if not found or found[2]:
            continue
        if opened is None:
            opened = (number, found[3])
        elif found[3].startswith(opened[1]) and not found[4].strip() and not found[1].strip():
            opened = None
    if opened:
        after = opened[0] + 1
        loose = {opened[0]} | {after + n for n in _loose_fences(lines[after:])}
    return loose


def narrative(text: str) -> str:
    """The body of an episode file: what follows its frontmatter, white space at both ends gone."""
    if text.startswith(("---\n", "---\r\n")):
        end = re.search(r"^---[ \t]*\r?$", text[4:], re.M)
        if end:
            text = text[4 + end.end() :]
    return text.strip()
