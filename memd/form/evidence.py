"""Evidence: what was said, written down before anything is judged of it.

`register` appends turns to `memory/evidence/YYYY/MM/YYYY-MM-DD-<session>.md`, filed under the material's own date.
A turn that is there already is left alone; nothing that is there is rewritten. Knows turns and their identity. Never
knows what a turn means; secrets are masked before it is called.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, tzinfo
from itertools import groupby

import msgspec
from msgspec import Struct

from memd.edit.titles import slug
from memd.form.moments import instant, rfc3339, zone_of
from memd.form.present import Same, There, present
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import fingerprint, make_id, one_line, sha256
from memd.model.memory import Atom, Event
from memd.model.note import Note, Turn
from memd.model.plan import ABSENT, Plan, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem
from memd.parse import render
from memd.parse.exports.documents import sections
from memd.parse.exports.session import CONTEXT
from memd.parse.memory import block

DOCUMENT = frozenset({"text/markdown", "markdown", "document"})
"""Modalities whose text is a document: its sections are the chunks."""


class Material(Struct, frozen=True, omit_defaults=True):
    """What one call hands over. `owner` is who the vault's owner is in it, `focus` what the caller cares for."""

    session: str
    events: tuple[Event, ...] = ()
    source: str = "conversation"
    category: str = "interaction"
    owner: str = ""
    focus: str = ""
    origin: str = "memd"


class Kept(Struct, frozen=True):
    """Where a turn stands: `id` is `ev-…#t3`, `link` is `stem#^t3`. `new` is false for one that was there before."""

    id: str
    link: str
    path: str
    event_id: str
    new: bool


class Registered(Struct, frozen=True):
    """The turns in the order of the call's events; `places[n]` are those of event n (a document has several)."""

    kept: tuple[Kept, ...]
    places: tuple[tuple[int, ...], ...]


class _Due(Struct, frozen=True):
    """An event as it will be written, with the day of its file and its event's number in the call."""

    event: Event
    day: str
    number: int
    timed: str


def register(vault: Vault, config: Config, now: datetime, material: Material) -> Asking:
    """Appends the material's turns. Told: `Registered`. Refuses a session without a name and times that are no times."""
    if not material.session.strip():
        raise Refused("invalid_params", "a session needs a name: give `session`")
    due = _due(material.events, now, zone_of(config, now))
    files = {note.frontmatter.get("date", ""): note for note in session_files(vault, material.session)}
    known = {turn.event_id: (note, turn) for note in files.values() for turn in note.turns if turn.event_id}
    steps: list[Write] = []
    reads: list[tuple[str, str]] = []
    kept: dict[int, list[Kept]] = defaultdict(list)
    timeless = Same()
    for note in _timeless_files(files.values(), due):
        timeless.add(present(note, note.path, (yield Read(note.path))))
    for day, group in groupby(sorted(due, key=lambda d: d.day), key=lambda d: d.day):
        path = files[day].path if day in files else evidence_path(config, material.session, day)
        data: bytes | None = yield Read(path)
        there = present(files.get(day), path, data)
        write = _append(there, material, day, list(group), known, timeless, now)
        for number, place in write.placed:
            kept[number].append(place)
        if write.content is not None:
            expected = ABSENT if data is None else sha256(data)
            steps.append(Write(path, write.content, expected, append=data is not None))
            reads.append((path, expected))
    told = _told(kept, len(material.events))
    new = sum(k.new for k in told.kept)
    reasons = (f"{new} new turns of session {material.session}",) if steps else ()
    return Plan(tuple(steps), reasons, tuple(reads)), told


class _Written(Struct, frozen=True):
    content: bytes | None
    placed: tuple[tuple[int, Kept], ...]


def _append(
    there: There,
    material: Material,
    day: str,
    due: list[_Due],
    known: dict[str, tuple[Note, Turn]],
    timeless: Same,
    now: datetime,
) -> _Written:
    id = there.id or make_id("ev", material.session, day)
    by_event = {t.event_id: t for t in there.turns if t.event_id}
    same = Same(there)
    number = max((int(t.id[1:]) for t in there.turns if re.fullmatch(r"t\d+", t.id)), default=0)
    placed: list[tuple[int, Kept]] = []
    blocks: list[str] = []
    for item in sorted(due, key=lambda d: d.timed):
        event = item.event
        if event.id and event.id in by_event:
            placed.append((item.number, _kept(id, there.path, by_event[event.id].id, event, False)))
        elif event.id and event.id in known and known[event.id][0].path != there.path:
            note, turn = known[event.id]
            placed.append((item.number, _kept(note.id, note.path, turn.id, event, False)))
        elif not event.id and (found := (same if event.at else timeless).take(event)):
            placed.append((item.number, _kept(found[0].id or id, found[0].path, found[1], event, False)))
        else:
            number += 1
            blocks.append(block(event, f"t{number}"))
            placed.append((item.number, _kept(id, there.path, f"t{number}", event, True)))
            if event.id:
                by_event[event.id] = Turn(
                    f"t{number}", event.speaker, event.at, event.captured_at, event.id, event.role, 0
                )
    sensitive = any(item.event.sensitivity == "sensitive" for item in due)
    content = _content(there, material, day, id, blocks, sensitive, now) if blocks else None
    return _Written(content, tuple(placed))


def _kept(evidence: str, path: str, turn: str, event: Event, new: bool) -> Kept:
    return Kept(f"{evidence}#{turn}", f"{stem(path)}#^{turn}", path, event.id, new)


def _told(kept: dict[int, list[Kept]], events: int) -> Registered:
    every: list[Kept] = []
    places: list[tuple[int, ...]] = []
    for number in range(events):
        mine = kept.get(number, [])
        places.append(tuple(range(len(every), len(every) + len(mine))))
        every += mine
    return Registered(tuple(every), tuple(places))


def _content(
    there: There, material: Material, day: str, id: str, blocks: list[str], sensitive: bool, now: datetime
) -> bytes:
    added = "".join(blocks).encode("utf-8", "replace")
    count = len(there.turns) + len(blocks)
    if there.data is None:
        return render.file(_keys(material, day, id, count, sensitive, now, stem(there.path)), "") + added
    head = re.match(rb"---\r?\n.*?\n---[ \t]*\r?\n", there.data, re.S)
    front, body = (head[0], there.data[head.end() :]) if head else (b"", there.data)
    front = re.sub(rb"(?m)^turns: *\d+", b"turns: %d" % count, front, count=1)
    if sensitive:
        front = re.sub(rb"(?m)^sensitivity: *normal", b"sensitivity: sensitive", front, count=1)
    gap = b"" if not body or body.endswith(b"\n\n") else b"\n" if body.endswith(b"\n") else b"\n\n"
    return front + body + gap + added


def _keys(
    material: Material, day: str, id: str, count: int, sensitive: bool, now: datetime, name: str
) -> dict[str, object]:
    keys: dict[str, object] = {
        "id": id,
        "type": "evidence",
        "title": name if name.startswith(day) else f"{day} {name}",
        "session": material.session,
        "source": material.source,
        "category": material.category,
        "date": day,
        "turns": count,
        "owner": material.owner,
        "focus": material.focus,
        "origin": material.origin,
        "created": now.isoformat(timespec="seconds"),
        "sensitivity": "sensitive" if sensitive else "normal",
    }
    return {key: value for key, value in keys.items() if value != ""}


def _due(events: Iterable[Event], now: datetime, zone: tzinfo) -> list[_Due]:
    """Events with their times in RFC 3339, each under its own day; one without a time goes with its neighbour's day."""
    whole = [(number, _timed(part, number, now, zone)) for number, event in enumerate(events) for part in _parts(event)]
    days = [event.at[:10] for _, event in whole]
    for n in range(1, len(days)):
        days[n] = days[n] or days[n - 1]
    for n in reversed(range(len(days) - 1)):
        days[n] = days[n] or days[n + 1]
    moment = ""
    due: list[_Due] = []
    for (number, event), day in zip(whole, days, strict=True):
        moment = instant(event.at) if event.at else moment
        due.append(_Due(event, day or event.captured_at[:10], number, moment))
    return due


def _parts(event: Event) -> Iterator[Event]:
    """A document's sections, named by what they say: a section that changes is another. Anything else as it is.

    What memd itself said to an agent (`<memd-context>`) is taken out, and an event that was nothing else is none.
    """
    if "<memd-context" in event.text.lower():
        event = msgspec.structs.replace(event, text=CONTEXT.sub("", event.text).strip())
        if not event.text and not event.uri:
            return
    if event.modality not in DOCUMENT:
        yield event
        return
    for text in sections(event.text):
        id = f"{event.id}#{fingerprint(text)[:10]}" if event.id else ""
        yield msgspec.structs.replace(event, text=text, id=id)


def _timed(event: Event, number: int, now: datetime, zone: tzinfo) -> Event:
    at = rfc3339(event.at, zone, f"events[{number}].at") if event.at else ""
    captured = rfc3339(event.captured_at, zone, f"events[{number}].captured_at") if event.captured_at else ""
    speaker = one_line(event.speaker) or event.role or "unknown"
    captured = captured or now.isoformat(timespec="milliseconds")
    return msgspec.structs.replace(event, speaker=speaker, at=at, captured_at=captured)


def evidence_path(config: Config, session: str, day: str) -> str:
    """Where a session's turns of a day are: a function of both, so two devices agree."""
    name = slug(session)
    if name != session:
        name = f"{name}-{fingerprint(session)[:4]}"
    return f"{config.formation.folder}/evidence/{day[:4]}/{day[5:7]}/{day}-{name}.md"


def session_files(vault: Vault, session: str) -> tuple[Note, ...]:
    """The evidence notes of a session, by date; a sync engine's copy of one is not among them."""
    named = (vault.notes[path] for path in vault.named("session", session))
    found = (note for note in named if note.frontmatter.get("session") == session and vault.by_id(note.id) is note)
    return tuple(sorted(found, key=lambda note: (str(note.frontmatter.get("date", "")), note.path)))


def remembered(
    text: str,
    now: datetime,
    config: Config,
    *,
    subject: str = "",
    aspect: str = "",
    kind: str = "claim",
    at: str = "",
    session: str = "",
    origin: str = "memd",
    sensitivity: str = "normal",
) -> tuple[Material, tuple[Atom, ...]]:
    """`memory.remember`: one turn by the owner, and an atom where subject or aspect are given."""
    speaker = config.owner.name or "user"
    event = Event(speaker, text, role="user", at=at or now.isoformat(), sensitivity=sensitivity)
    material = Material(session or "remembered", (event,), source="remember", owner=speaker, origin=origin)
    if not (subject or aspect):
        return material, ()
    atom = Atom(
        text,
        subject=subject,
        aspect=aspect,
        kind=kind,
        holder=subject or speaker,
        speaker=speaker,
        quotes=(text,),
        turns=(0,),
        confidence=0.95,
        sensitivity=sensitivity,
        rationale="told to remember it",
    )
    return material, (atom,)


def _timeless_files(files: Iterable[Note], due: list[_Due]) -> list[Note]:
    """Files that may hold a turn said at an unknown time, whatever day it was taken in."""
    speakers = {item.event.speaker for item in due if not item.event.id and not item.event.at}
    return [n for n in files if speakers and any(not t.at and t.speaker in speakers for t in n.turns)]
