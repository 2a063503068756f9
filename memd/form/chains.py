"""Chains: the leaves of one subject and one aspect, in order, as a narrative with dates.

`weave` is the step. Subject and aspect decide which leaves belong together; what is alone stays free. Membership stands
in the chain's `members` and nowhere else: a leaf's file stays as it was written, save that `chain: none` may be put on
it by a model's verdict that it does not belong. Knows the view. Never says why a thing changed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.form import files, view
from memd.form.answered import as_answer
from memd.form.asked import judge
from memd.form.keys import folded, link
from memd.form.leaves import words_of
from memd.form.weaving import Link, Woven, acceptable, narrative, order
from memd.model.config import Config
from memd.model.fingerprint import fingerprint, make_id
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import Plan, Remove, Step
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem

Matter = tuple[str, str]
"""(subject, aspect), folded."""


class Chained(Struct, frozen=True):
    """Told by `weave`: chains written, chains taken away, and those left alone because a person edited them."""

    made: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    left: tuple[str, ...] = ()


def weave(
    vault: Vault, config: Config, now: datetime, subject: str = "", only: Iterable[Matter] = (), existing: bool = False
) -> Asking:
    """Every chain whose members changed; of one subject, or of some matters, where given. `existing`: none is begun.
    Told: `Chained`."""
    memory = view.of(vault)
    wanted, chosen = matters(memory), frozenset(only)
    there = {matter_of(note): note for note in memory.of_kind("chain")}
    steps: list[Step] = []
    made, removed, left = [], [], []
    for matter in sorted({*wanted, *there}):
        if (
            (subject and matter[0] != folded(subject))
            or (chosen and matter not in chosen)
            or (existing and matter not in there)
        ):
            continue
        note, members = there.get(matter), wanted.get(matter, ())
        if note is not None and settled(memory, note, members):
            continue
        if note is not None and (data := (yield Read(note.path))) is not None and files.edited(note, data):
            left.append(note.id)
        elif members:
            write = yield from _written(memory, config, matter, members, note)
            steps.append(write)
            made.append(chain_id(matter))
        elif note is not None:
            steps.append(Remove(note.path, note.sha256 or None))
            removed.append(note.id)
    reasons = [f"{len(made)} chains brought up to date"] if made else []
    reasons += [f"{len(removed)} chains have no second member any more"] if removed else []
    return Plan(tuple(steps), tuple(reasons)), Chained(tuple(made), tuple(removed), tuple(left))


def matters(memory: view.Memory) -> dict[Matter, tuple[str, ...]]:
    """What makes a chain: subject and aspect of at least two leaves that stand, with those leaves."""
    found: dict[Matter, list[str]] = defaultdict(list)
    for (tree, subject, aspect), ids in memory.slots.items():
        if subject and aspect and tree != view.UNCATEGORIZED:
            found[subject, aspect] += [i for i in ids if memory.stands(i) and not refused(memory, i)]
    return {matter: tuple(ids) for matter, ids in found.items() if len(ids) > 1}


def refused(memory: view.Memory, leaf: str) -> bool:
    """A verdict says that the leaf is in no chain."""
    return memory.files[leaf].frontmatter.get("chain") == "none"


def matter_of(chain: Note) -> Matter:
    return folded(str(chain.frontmatter.get("subject", ""))), folded(str(chain.frontmatter.get("aspect", "")))


def chain_id(matter: Matter) -> str:
    return make_id("ch", *matter)


def settled(memory: view.Memory, chain: Note, members: tuple[str, ...]) -> bool:
    """Whether the chain says what its members are now."""
    return bool(members) and chain.frontmatter.get("made_from") == print_of(memory, members)


def print_of(memory: view.Memory, members: Iterable[str]) -> str:
    """What a chain is made from: its members' words, order, currency, and who says them."""
    parts = []
    for id in order(memory, members):
        parts.append(" ".join((id, memory.superseded(id) or "", memory.files[id].lead, *memory.support.get(id, ()))))
    return fingerprint(*parts)


def _written(memory: view.Memory, config: Config, matter: Matter, members: tuple[str, ...], old: Note | None) -> Asking:
    ids = order(memory, members)
    rows: list[Link] = []
    for id in ids:
        rows.append((yield from _link(memory, id)))
    text, method = yield from _told(config, matter, tuple(rows))
    first = memory.files[ids[0]].frontmatter
    subject, aspect = str(first.get("subject", matter[0])), str(first.get("aspect", matter[1]))
    current = [id for id in ids if memory.superseded(id) is None]
    sensitive = any(memory.files[id].sensitive for id in ids)
    id = chain_id(matter)
    keys: dict[str, Any] = {
        "id": id,
        "type": "chain",
        "title": f"{subject} · {aspect}",
        "subject": subject,
        "aspect": aspect,
        "members": [link(stem(memory.files[i].path)) for i in ids],
        "current": [link(stem(memory.files[i].path)) for i in current],
        "corrections": [
            {"old": link(row.replaces), "new": link(row.name), "turn": row.corrected} for row in rows if row.corrected
        ],
        "made_from": print_of(memory, members),
        "method": method,
        "origin": "memd",
        "created": max(str(memory.files[i].frontmatter.get("created", "")) for i in ids),
        "sensitivity": "sensitive" if sensitive else "normal",
    }
    if len(current) == 1:
        keys["current"] = keys["current"][0]
    path = old.path if old else files.chain_path(config.formation.folder, subject, aspect, id, sensitive)
    return files.signed(path, keys, text, old.sha256 if old else "")


def _link(memory: view.Memory, id: str) -> Asking:
    """A member with what its episodes say."""
    note = memory.files[id]
    said: list[Said] = []
    for episode in memory.support.get(id, ()):
        said += yield from words_of(memory, episode)
    older = [old for old in memory.versions(id) if memory.last_stated(old) < memory.last_stated(id)]
    replaces = stem(memory.files[older[-1]].path) if older else ""
    return Link.of(note, tuple(said), memory.support.get(id, ()), memory, replaces)


def _told(config: Config, matter: Matter, rows: tuple[Link, ...]) -> Asking:
    """(narrative, method). A model's where it names every value and every date, else the members in order."""
    if config.formation.method == "llm":
        inputs: dict[str, Any] = {
            "subject": matter[0],
            "aspect": matter[1],
            "members": [
                {"n": n, "date": r.date, "text": r.text, "words": list(r.quotes)} for n, r in enumerate(rows, 1)
            ],
        }
        answer = as_answer((yield judge("chain", inputs)), Woven)
        if answer is not None and acceptable(answer, rows):
            return narrative(rows, answer), f"llm:{config.llm.model}"
    return narrative(rows), "rules"
