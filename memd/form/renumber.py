"""Links to turns that stand under another number now: which of memory's files mean them, and those files anew.

Two devices gave one number to two turns. A file made on the copy's device means the copy's turn, and says so: an
episode by the times and speakers of its turns, a leaf by its quotes. Knows links and keys; never touches evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from memd.edit.copies import kept_copy
from memd.form import files
from memd.form.facts import quotes, statements
from memd.form.keys import latest, listed, target
from memd.form.quoting import plain
from memd.model.fingerprint import make_id, sha256
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import Move, Step, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem

KINDS = ("episode", "leaf", "chain", "profile", "summary", "digest")


class Evidence(Struct, frozen=True):
    """One evidence file: its id and stem, the turns of the note and of the copy by block id, and where the copy's are
    now (`places`, only those that stand under another number)."""

    id: str
    stem: str
    note: Mapping[str, Said]
    copy: Mapping[str, Said]
    places: Mapping[str, str]


def steps(vault: Vault, told: Evidence) -> Asking:
    """Returns the steps that give every file that means the copy's turns its links anew; an episode's id is a function
    of its turns, so it is named anew and links to it follow."""
    if not told.places:
        return ()
    changed: dict[str, tuple[bytes, str, str]] = {}
    names: dict[str, str] = {}
    moved: set[str] = set()
    for note in _linking(vault, told.stem):
        data = yield Read(note.path)
        if data is None or not ((note.kind in ("chain",) and _follows(note, moved)) or _means_copy(note, told)):
            continue
        text, path = _renumbered(files.decoded(data), told), note.path
        moved.add(stem(note.path))
        if note.kind == "episode":
            text, path = _renamed(note, text, told)
            names |= {stem(note.path): stem(path)} if _own_place(vault, note) else {}
        changed[note.path] = (data, path, text)
    return (*_written(vault, changed, names), *(yield from _followers(vault, changed, names)))


def _own_place(vault: Vault, note: Note) -> bool:
    kept = vault.by_id(note.id)
    return kept is not None and kept.path == note.path


def _linking(vault: Vault, name: str) -> Iterator[Note]:
    """Memory's files that speak of the evidence, leaves before chains."""
    found = [note for note in vault.notes.values() if note.kind in KINDS and speaks(note, name)]
    yield from sorted(found, key=lambda note: (KINDS.index(note.kind), note.path))


def speaks(note: Note, name: str) -> bool:
    """Whether the note links to a file of this stem or names it in its header."""
    return name in str(note.frontmatter) or any(name in link.target for link in note.links)


# whose turns are meant -----------------------------------------------------------------------------------------------


def _means_copy(note: Note, told: Evidence) -> bool:
    """Whether the file is true of the copy's turns and not of the note's."""
    if note.kind == "episode":
        turns = [block for name, block in map(target, listed(note.frontmatter.get("turns"))) if name == told.stem]
        fits = (_fits(note, turns, told.copy), _fits(note, turns, told.note))
        return any(turn in told.places for turn in turns) and fits == (True, False)
    said = quotes(note) if note.kind == "leaf" else [q for s in statements(note) for q in s.get("quotes", ())]
    rows = [(target(q["turn"])[1], q["text"]) for q in said if target(q["turn"])[0] == told.stem]
    if not any(turn in told.places for turn, _ in rows):
        return False
    return _quoted(rows, told.copy) and not _quoted(rows, told.note)


def _fits(note: Note, turns: list[str], said: Mapping[str, Said]) -> bool:
    """Whether an episode's keys are those that these turns give."""
    if not turns or any(turn not in said for turn in turns):
        return False
    spoken = [said[turn] for turn in turns]
    keys = note.frontmatter
    return (
        keys.get("created") == latest(turn.captured_at for turn in spoken)
        and listed(keys.get("participants")) == tuple(dict.fromkeys(turn.speaker for turn in spoken))
        and str(keys.get("to") or "") == latest(turn.at for turn in spoken)
    )


def _quoted(rows: list[tuple[str, str]], said: Mapping[str, Said]) -> bool:
    return all(turn in said and plain(text) in plain(said[turn].text) for turn, text in rows)


def _follows(note: Note, moved: set[str]) -> bool:
    """Whether a chain tells of a leaf whose turns have other numbers now."""
    return any(target(link)[0] in moved for link in listed(note.frontmatter.get("members")))


# files anew ------------------------------------------------------------------------------------------------------------


def _renumbered(text: str, told: Evidence) -> str:
    link = re.compile(rf"(\[\[(?:[^\]|#\n]*/)?{re.escape(told.stem)}#\^)([A-Za-z0-9-]+)(?=[\]|])")
    return _signed(text, link.sub(lambda m: m[1] + told.places.get(m[2], m[2]), text))


def _renamed(note: Note, text: str, told: Evidence) -> tuple[str, str]:
    """The episode under the id that its turns give now: (text, path)."""
    turns = [target(link) for link in listed(note.frontmatter.get("turns"))]
    ids = [f"{told.id}#{told.places.get(block, block)}" for _, block in turns]
    new = make_id("ep", *ids)
    kept = stem(note.path).partition(".sync-conflict")[0].replace(note.id, new)
    return text.replace(note.id, new), f"{note.path.rpartition('/')[0]}/{kept}.md"


def _signed(before: str, after: str) -> str:
    """A body that memd signed is signed anew; one that a person edited keeps the mark of that."""
    front, body = files.split(after)
    was = files.split(before)[1]
    if body != was and f"body_sha256: {files.body_hash(was)}" in front:
        front = front.replace(files.body_hash(was), files.body_hash(body))
    return front + body


def _written(vault: Vault, changed: Mapping[str, tuple[bytes, str, str]], names: Mapping[str, str]) -> Iterator[Step]:
    for old, (data, path, text) in changed.items():
        content = _relinked(text, names).encode("utf-8", "surrogateescape")
        if path == old:
            yield Write(path, content, sha256(data))
        elif path in vault.notes:
            yield Move(old, kept_copy(old, data), sha256(data))
        else:
            yield Move(old, path, sha256(data))
            yield Write(path, content, sha256(data))


def _followers(vault: Vault, changed: Mapping[str, Any], names: Mapping[str, str]) -> Asking:
    """Files that link to an episode which has another name now."""
    found: list[Step] = []
    wanted = [n for n in vault.notes.values() if n.kind in KINDS and n.path not in changed]
    for note in wanted if names else ():
        if any(speaks(note, name) for name in names):
            data = yield Read(note.path)
            if data is not None:
                text = files.decoded(data)
                content = _signed(text, _relinked(text, names)).encode("utf-8", "surrogateescape")
                found += [Write(note.path, content, sha256(data))] if content != data else []
    return tuple(found)


def _relinked(text: str, names: Mapping[str, str]) -> str:
    for old, new in names.items():
        text = text.replace(f"[[{old}]]", f"[[{new}]]").replace(f"[[{old}|", f"[[{new}|")
    return text
