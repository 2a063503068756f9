"""The files of memory as bytes: paths, keys, bodies; and changes to the keys of a file that is there.

Knows the shapes of `memory-files.md`. Never knows why a file is written. A change to a file is a splice of whole keys:
every other line stays, whoever wrote it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any

from memd.edit.titles import file_stem, slug
from memd.form.keys import shortened
from memd.model.change import Change
from memd.model.fingerprint import sha256
from memd.model.note import Note
from memd.model.plan import ABSENT, Move, Plan, Remove, Step, Write
from memd.model.vault import Vault
from memd.parse import render
from memd.parse.note import parse_note

TITLE = 60
"""Characters of a title in a file name; the id follows it."""

_HEAD = re.compile(r"\A(\ufeff?---[ \t]*\r?\n)(.*?)(^---[ \t]*(?:\r?\n|\Z))", re.S | re.M)
_KEY = re.compile(r"[^\s#\-\[\]{}][^:]*:(?:\s|$)")


def body_hash(body: str) -> str:
    """`body_sha256`: of the body without the white space around it and with plain line ends, as any editor saves it."""
    return sha256("\n".join(body.split("\r\n")).strip().encode("utf-8", "surrogateescape"))


def split(text: str) -> tuple[str, str]:
    """(frontmatter with its fences, body); no frontmatter is ""."""
    found = _HEAD.match(text)
    return (text[: found.end()], text[found.end() :]) if found else ("", text)


def decoded(data: bytes) -> str:
    return data.decode("utf-8", "surrogateescape")


def edited(note: Note, data: bytes) -> bool:
    """Whether a person changed the body since memd wrote it; false for files that memd does not sign."""
    signed = note.frontmatter.get("body_sha256")
    return isinstance(signed, str) and bool(signed) and body_hash(split(decoded(data))[1]) != signed


def signed(path: str, keys: Mapping[str, Any], body: str, expect: str | None = ABSENT) -> Write:
    """A whole file that memd may replace later: empty keys left out, `body_sha256` put in."""
    kept = {key: value for key, value in keys.items() if value not in ("", None, [], (), {})}
    sensitivity = kept.pop("sensitivity", "normal")
    return Write(path, render.file(kept | {"body_sha256": body_hash(body), "sensitivity": sensitivity}, body), expect)


def with_keys(data: bytes, changes: Mapping[str, Any]) -> bytes:
    """The file with these top-level keys set; None takes a key away. Everything else keeps its bytes."""
    text = decoded(data)
    found = _HEAD.match(text)
    if not found:
        kept = {key: value for key, value in changes.items() if value is not None}
        return (f"---\n{_rendered(kept)}---\n" + text).encode("utf-8", "surrogateescape") if kept else data
    end = "\r\n" if found[1].endswith("\r\n") else "\n"
    lines = found[2].splitlines(keepends=True)
    for key, value in changes.items():
        start, stop = _span(lines, key)
        lines[start:stop] = [] if value is None else [_rendered({key: value}).replace("\n", end)]
    return (found[1] + "".join(lines) + text[found.start(3) :]).encode("utf-8", "surrogateescape")


def _span(lines: list[str], key: str) -> tuple[int, int]:
    """The lines that a key and its value take; an empty place at the end where the key is not there."""
    starts = [n for n, line in enumerate(lines) if _KEY.match(line)]
    for place, start in enumerate(starts):
        if lines[start].split(":", 1)[0].strip().strip("\"'") == key:
            stop = starts[place + 1] if place + 1 < len(starts) else len(lines)
            while stop > start + 1 and (lines[stop - 1].startswith("#") or not lines[stop - 1].strip()):
                stop -= 1
            return start, stop
    return len(lines), len(lines)


def _rendered(keys: Mapping[str, Any]) -> str:
    """The keys as lines, without fences."""
    rows = render.frontmatter(dict(keys)).split("\n")
    return "".join(row + "\n" for row in rows if row and row.rstrip() != "---")


def with_body(data: bytes, body: str, changes: Mapping[str, Any] | None = None) -> bytes:
    """The file with another body, signed, and keys changed."""
    head, _ = split(decoded(with_keys(data, {**(changes or {}), "body_sha256": body_hash(body)})))
    return (head + body).encode("utf-8", "surrogateescape")


# paths -----------------------------------------------------------------------------------------------------------


def tree_folder(folder: str, tree: str) -> str:
    """`memory/interaction/interaction-小林` for `interaction:小林`."""
    category, _, _ = tree.partition(":")
    return f"{folder}/{category}/{file_stem(tree.replace(':', '-'))}"


def named(title: str, id: str, sensitive: bool = False) -> str:
    """A file name without `.md`: readable, ending in the id. The name of a sensitive file says nothing."""
    words = file_stem(shortened(title, TITLE)) if title and not sensitive else ""
    return f"{words}-{id}" if words and words != "untitled" else id


CROWDED = 300
"""Leaves in one folder from which on a tree's new leaves go into folders of their year and month."""


def leaf_path(folder: str, tree: str, name: str, when: str, crowd: int) -> str:
    """`leaves/<name>.md`, or `leaves/2026/04/<name>.md` in a tree of `crowd` leaves that is crowded."""
    month = f"{when[:4]}/{when[5:7]}/" if crowd >= CROWDED and re.match(r"\d{4}-\d\d", when) else ""
    return f"{tree_folder(folder, tree)}/leaves/{month}{name}.md"


def chain_path(folder: str, subject: str, aspect: str, id: str, sensitive: bool = False) -> str:
    return f"{folder}/chains/{id if sensitive else slug(subject)}/{named(aspect, id, sensitive)}.md"


MOVED = "_moved.md"


def profile_path(folder: str) -> str:
    return f"{folder}/profile.md"


def moved_path(folder: str) -> str:
    """Where memd notes which permalinks moved."""
    return f"{folder}/{MOVED}"


# plans -----------------------------------------------------------------------------------------------------------


def squashed(plan: Plan) -> Plan:
    """The plan with at most one write a path, its last content under its first expectation; a file removed in the
    end is not written before, and one that the plan itself made and took away again is not touched at all."""
    last: dict[str, Step] = {}
    first: dict[str, str | None] = {}
    for step in _parted(plan.steps):
        expect = first.setdefault(step.path, step.expect)
        if isinstance(step, Write):
            step = Write(step.path, step.content, expect, step.append)
        elif isinstance(step, Remove):
            step = Remove(step.path, expect)
        last.pop(step.path, None)
        last[step.path] = step
    steps = tuple(s for p, s in last.items() if isinstance(s, Write) or first[p] != ABSENT)
    return Plan(steps, tuple(dict.fromkeys(plan.reasons)), tuple(dict.fromkeys(plan.reads)), plan.undo)


def _parted(steps: Iterable[Step]) -> Iterator[Step]:
    """A file that the plan writes and then moves is written at its new place instead."""
    written: dict[str, bytes] = {}
    for step in steps:
        if isinstance(step, Move) and step.path in written:
            yield Write(step.to, written[step.path], ABSENT)
            step = Remove(step.path, step.expect)
        elif isinstance(step, Write):
            written[step.path] = step.content
        yield step


def applied(vault: Vault, plan: Plan, now: datetime, folder: str) -> Vault:
    """The snapshot as it will be once the plan is carried out."""
    zone = now.tzinfo
    assert zone is not None, "now has a zone"
    written: dict[str, Note] = {}
    removed: dict[str, None] = {}
    for step in plan.steps:
        if isinstance(step, Write):
            written[step.path] = parse_note(step.path, step.content, now.timestamp(), zone, folder)[0]
            removed.pop(step.path, None)
        else:
            if isinstance(step, Move) and not step.to.startswith("."):
                if note := written.get(step.path) or vault.notes.get(step.path):
                    written[step.to] = _at(note, step.to)
            written.pop(step.path, None)
            removed[step.path] = None
    return vault.after(Change(tuple(written.values()), tuple(removed)))


def _at(note: Note, path: str) -> Note:
    from msgspec.structs import replace

    return replace(note, path=path)


def contents(plan: Plan) -> dict[str, bytes | None]:
    """What the plan makes of each path: its bytes, None where it is gone."""
    return {step.path: step.content if isinstance(step, Write) else None for step in plan.steps}


def reasons(lines: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(lines))
