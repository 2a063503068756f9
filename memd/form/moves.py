"""Leaves that change their owner, and entities that become one. Each move is written down in the leaf (`moved`).

`move_leaf`, `merge` on a person's word; `reclassify` when what waits under `uncategorized` can be told apart by now.
A leaf keeps its id and name, so every link to it holds. Knows the view and the rules of ownership.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.form import files, view
from memd.form.answered import as_answer
from memd.form.asked import judge
from memd.form.desk import Desk
from memd.form.facts import statements
from memd.form.keys import folded, link, listed
from memd.form.ownership import (
    Assignment,
    Entity,
    Owned,
    assigned,
    decide,
    entities,
    entity_of,
    owner_entity,
    shortlist,
)
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.memory import Atom
from memd.model.note import Note
from memd.model.plan import ABSENT, Plan, Remove, Step, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem


class Moved(Struct, frozen=True):
    """Told by each: (leaf, old tree, new tree), and leaves that were the same as one that is there already."""

    leaves: tuple[tuple[str, str, str], ...] = ()
    merged: tuple[tuple[str, str], ...] = ()


def move_leaf(vault: Vault, config: Config, now: datetime, id: str, tree: str) -> Asking:
    """Told: `Moved`. The tree must be there. Where the owner has the same proposition already, that one remains."""
    memory = view.of(vault)
    note = memory.files.get(memory.refer(id) or "")
    if note is None or note.kind != "leaf":
        raise Refused("not_found", f"“{id}” is no leaf")
    if tree not in memory.trees and tree != view.UNCATEGORIZED:
        raise Refused("not_found", f"there is no tree “{tree}”; browse shows which there are")
    return (yield from _moved(memory, config, now, [(note, tree, "a person moved it")], Plan()))


def merge(vault: Vault, config: Config, now: datetime, tree: str, into: str) -> Asking:
    """Every leaf goes over, the name becomes an alias, the empty entity goes. Told: `Moved`."""
    memory = view.of(vault)
    old, new = memory.trees.get(tree), memory.trees.get(into)
    if old is None or new is None or tree == into:
        raise Refused("not_found", f"merging needs two entities that are there: “{tree}” and “{into}”")
    if tree.partition(":")[0] != into.partition(":")[0]:
        raise Refused("invalid_params", "records of a source and talk do not share a tree")
    names = (entity_of(tree, old).name, *entity_of(tree, old).aliases)
    data = yield Read(new.path)
    steps: list[Step] = []
    if data is not None:
        known = {folded(n) for n in (entity_of(into, new).name, *listed(new.frontmatter.get("aliases")))}
        aliases = [*listed(new.frontmatter.get("aliases")), *(n for n in names if folded(n) not in known)]
        steps.append(
            Write(new.path, files.with_keys(data, {"aliases": list(dict.fromkeys(aliases))}), new.sha256 or None)
        )
    steps.append(Remove(old.path, old.sha256 or None))
    rows = [
        (note, into, f"{entity_of(tree, old).name} and {entity_of(into, new).name} are one")
        for note in memory.leaves(tree)
    ]
    return (yield from _moved(memory, config, now, rows, Plan(tuple(steps))))


def reclassify(vault: Vault, config: Config, now: datetime) -> Asking:
    """Leaves under `uncategorized` whose subject is by now an entity's name, or which a model can place. Told: `Moved`."""
    memory = view.of(vault)
    known = entities(memory)
    owner = owner_entity(known, config)
    rows: list[tuple[Note, str, str]] = []
    made: dict[str, Entity] = {}
    for note in memory.leaves(view.UNCATEGORIZED):
        owned = yield from _placed(note, known, owner, config)
        if owned.tree == view.UNCATEGORIZED:
            continue
        if owned.made:
            made[owned.made.tree] = owned.made
        rows.append((note, owned.tree, owned.reason))
    writes = tuple(tree_write(config, e, str(rows[0][0].frontmatter.get("created", ""))) for e in made.values())
    return (yield from _moved(memory, config, now, rows, Plan(writes)))


def _placed(note: Note, known: tuple[Entity, ...], owner: Entity, config: Config) -> Asking:
    """Only a match by name, or a model's answer: what was no subject at first is none later."""
    keys = note.frontmatter
    atom = Atom(note.lead, subject=str(keys.get("subject", "")), aspect=str(keys.get("aspect", "")))
    owned = decide(atom, known, owner, config)
    if owned.decision == "match_existing":
        return owned
    if config.formation.method == "llm":
        short = shortlist(known, note.lead, atom.subject, config.formation.shortlist)
        offered = [{"id": e.tree, "name": e.name, "type": e.type} for e in short]
        answer = yield judge("assign", {"text": note.lead, "subject": atom.subject, "entities": offered})
        if (told := as_answer(answer, Assignment)) is not None:
            return assigned(told, short, known, config)
    return Owned(view.UNCATEGORIZED, "fallback", "")


def tree_write(config: Config, entity: Entity, created: str) -> Write:
    return Desk.entity_file(config.formation.folder, entity, created, "rules")


def _moved(
    memory: view.Memory, config: Config, now: datetime, rows: Iterable[tuple[Note, str, str]], plan: Plan
) -> Asking:
    steps: list[Step] = list(plan.steps)
    moved: list[tuple[str, str, str]] = []
    merged: list[tuple[str, str]] = []
    for note, tree, reason in rows:
        old = memory.tree_of(note.id)
        same = memory.prints.get((tree, memory.facts(note.id).fingerprint))
        if same and same != note.id:
            steps += yield from _restated(memory, note, same)
            steps.append(Remove(note.path, note.sha256 or None))
            merged.append((note.id, same))
            continue
        data = yield Read(note.path)
        if data is None or old == tree:
            continue
        trail = note.frontmatter.get("moved")
        row = {"from": old, "reason": reason, "at": now.date().isoformat()}
        keys: dict[str, Any] = {"tree": tree, "moved": [*(trail if isinstance(trail, list) else []), row]}
        keys["entity_decision"] = "reclassified"
        when = str(note.frontmatter.get("observed_at") or note.frontmatter.get("created") or "")
        path = files.leaf_path(config.formation.folder, tree, stem(note.path), when, len(memory.leaves(tree)))
        steps.append(Write(path, files.with_keys(data, keys), note.sha256 if path == note.path else ABSENT))
        if path != note.path:
            steps.append(Remove(note.path, note.sha256 or None))
        moved.append((note.id, old, tree))
    reasons = tuple(f"{leaf}: {old} to {new}" for leaf, old, new in moved)
    return Plan(tuple(steps), reasons, undo=True), Moved(tuple(moved), tuple(merged))


def _restated(memory: view.Memory, note: Note, same: str) -> Asking:
    """Episodes that state the one state the other."""
    steps: list[Step] = []
    for id in memory.support.get(note.id, ()):
        episode = memory.files[id]
        data = yield Read(episode.path)
        if data is None:
            continue
        name = link(stem(memory.files[same].path))
        rows = (name if memory.refer(s) == note.id else s for s in listed(episode.frontmatter.get("states")))
        signature = dict(episode.frontmatter.get("extracted") or {})
        if statements(episode):
            signature["statements"] = [
                s | {"leaf": name} if memory.refer(str(s.get("leaf", ""))) == note.id else s
                for s in statements(episode)
            ]
        keys = {"states": list(dict.fromkeys(rows)), "extracted": signature or None}
        steps.append(Write(episode.path, files.with_keys(data, keys), episode.sha256 or None))
    return steps
