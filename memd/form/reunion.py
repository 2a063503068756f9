"""A sync engine's copy of a file that memory owns, settled: evidence joined turn by turn, derived files chosen.

`settle` is the step, `follow` the one for files that come after it. Two devices that see the same pair make the same
files, so they converge; the copy goes to `.conflict/`. Knows which rule is for which kind. Never a person's notes: those are `edit.copies`.
"""

from __future__ import annotations

from datetime import datetime

from memd.edit.copies import kept_copy
from memd.form import renumber, together, twins
from memd.form.moments import zone_of
from memd.model.config import Config
from memd.model.fingerprint import sha256
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import Move, Plan, Step, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem
from memd.parse.memory import turns
from memd.parse.note import parse_note
from memd.parse.text import decode


def settle(vault: Vault, config: Config, now: datetime, path: str, original: str) -> Asking:
    """What to do with the copy at `path` of the memory file at `original`; an empty plan leaves both to a person.

    Told: whether it is settled.
    """
    note = vault.notes.get(original)
    data, other = (yield Read(original)), (yield Read(path))
    if note is None or data is None or other is None or sha256(data) != note.sha256:
        return Plan(), False
    steps: tuple[Step, ...] | None
    if note.kind == "evidence":
        steps = yield from _evidence(vault, note, data, other)
    else:
        as_it = parse_note(original, other, now.timestamp(), zone_of(config, now), config.formation.folder)[0]
        steps = _derived(note, data, as_it, other)
    if steps is None:
        return Plan(), False
    away = () if any(step.path == path for step in steps) else (Move(path, kept_copy(path, other), sha256(other)),)
    reads = ((original, sha256(data)), (path, sha256(other)))
    return Plan((*steps, *away), (f"{path} is a sync engine's copy of {original}: joined",), reads, undo=True), True


def _evidence(vault: Vault, note: Note, data: bytes, other: bytes) -> Asking:
    done = together.joined(data, other)
    if done is None:
        return None
    steps = yield from _renumbered(vault, note, data, other, done)
    first = (Write(note.path, done.content, sha256(data)),) if done.content != data else ()
    return (*first, *steps)


def _renumbered(vault: Vault, note: Note, data: bytes, other: bytes, done: together.Joined) -> Asking:
    mine, theirs = _by_block(note, data), _by_block(note, other)
    elsewhere = {old: new for old, new in done.places.items() if old != new}
    return (yield from renumber.steps(vault, renumber.Evidence(note.id, stem(note.path), mine, theirs, elsewhere)))


def follow(vault: Vault, path: str, kept: str) -> Asking:
    """Files of memory that came after the evidence at `path` had been joined with the copy that is kept at `kept`: what
    means the copy's turns gets the numbers that they have now; nothing does where one of them was forgotten since.
    Told: whether any did."""
    note = vault.notes.get(path)
    data, other = (yield Read(path)), (yield Read(kept))
    if note is None or data is None or other is None or sha256(data) != note.sha256:
        return Plan(), False
    done = together.joined(data, other)
    if done is None or not _by_block(note, data).keys() >= set(done.places.values()):
        return Plan(), False
    steps = yield from _renumbered(vault, note, data, other, done)
    why = f"they came after a copy of {path} was joined"
    return Plan(steps, (why,), ((path, sha256(data)),), undo=True), bool(steps)


def _derived(note: Note, data: bytes, copy: Note, other: bytes) -> tuple[Step, ...] | None:
    kept = twins.chosen(note, data, copy, other)
    if kept is None:
        return None
    return (Write(note.path, kept, sha256(data)),) if kept != data else ()


def _by_block(note: Note, data: bytes) -> dict[str, Said]:
    return {said.id.partition("#")[2]: said for said in turns(note, decode(data)[0])}


def owned(note: Note | None) -> bool:
    """Whether the file is one of memory's."""
    return note is not None and note.kind != "note" and bool(note.id)
