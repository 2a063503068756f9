"""One episode's admission while it is under way: the snapshot, and what earlier atoms of the same call added to it.

Knows which leaves, entities and statements there will be, and writes them out as a plan in the end. Decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from memd.form import files
from memd.form.facts import extracted, refused, statements
from memd.form.keys import folded, link, listed
from memd.form.lineage import Stated
from memd.form.ownership import Entity, entities, owner_entity
from memd.form.view import Memory
from memd.model.config import Config
from memd.model.note import Note
from memd.model.plan import Write
from memd.model.vault import stem


class Draft(Struct, frozen=True):
    """A leaf that is not written yet. `slot`: (tree, folded subject, folded aspect)."""

    id: str
    path: str
    text: str
    kind: str
    fingerprint: str
    slot: tuple[str, str, str]
    keys: dict[str, Any]
    body: str

    @property
    def name(self) -> str:
        return stem(self.path)


class Desk:
    def __init__(self, memory: Memory, config: Config, episode: Note, method: str) -> None:
        self.memory, self.config, self.episode, self.method = memory, config, episode, method
        self.folder = config.formation.folder
        self.known: tuple[Entity, ...] = entities(memory)
        self.owner = owner_entity(self.known, config)
        self.drafts: dict[str, Draft] = {}
        self.made: dict[str, Entity] = {}
        self.stated: list[str] = list(memory.states.get(episode.id, ()))
        self.before = frozenset(self.stated)
        self.notes: list[dict[str, Any]] = [dict(item) for item in statements(episode)]
        self.refused: list[dict[str, Any]] = refused(episode)
        self.vouched: dict[str, list[tuple[str, str, float]]] = {}

    # what is known so far ----------------------------------------------------------------------------------------

    def said_before(self, tree: str, fingerprint: str, id: str) -> str | None:
        """The leaf that already says this for this owner, or that was born as this and moved since."""
        drafted = next((d.id for d in self.drafts.values() if d.slot[0] == tree and d.fingerprint == fingerprint), None)
        return drafted or self.memory.prints.get((tree, fingerprint)) or (id if id in self.memory.files else None)

    def in_slot(self, slot: tuple[str, str, str]) -> list[str]:
        """Current leaves of the slot, those of this call included."""
        replaced = {old for d in self.drafts.values() for old in d.keys.get("_older", ())}
        there = [id for id in self.memory.slots.get(slot, ()) if self.memory.active(id)]
        return [id for id in (*there, *(d.id for d in self.drafts.values() if d.slot == slot)) if id not in replaced]

    def text_of(self, id: str) -> str:
        return self.drafts[id].text if id in self.drafts else self.memory.files[id].lead or self.memory.files[id].title

    def kind_of(self, id: str) -> str:
        return str(self.keys_of(id).get("kind", "claim"))

    def keys_of(self, id: str) -> Mapping[str, Any]:
        return self.drafts[id].keys if id in self.drafts else self.memory.files[id].frontmatter

    def slot_of(self, id: str) -> tuple[str, str, str]:
        return self.drafts[id].slot if id in self.drafts else self.memory.slot(id)

    def name_of(self, id: str) -> str:
        return self.drafts[id].name if id in self.drafts else stem(self.memory.files[id].path)

    def last_stated(self, id: str) -> Stated:
        mine = (*self.memory.said_key(self.episode.id), self.stated.index(id)) if id in self.stated else None
        there = self.memory.last_stated(id) if id in self.memory.files else None
        return max(s for s in (mine, there) if s is not None)

    # what is added -----------------------------------------------------------------------------------------------

    def state(
        self, id: str, quotes: tuple[dict[str, str], ...], *, weak: float = 0.0, more: Mapping[str, Any] | None = None
    ) -> None:
        """The episode states the leaf, last of all so far. What the leaf's own file does not say stands in a note.

        `weak`: the confidence, where it may not bear the leaf alone. `more`: what it says otherwise than the leaf; None
        where it brings the leaf. What the episode stated before this call stays put.
        """
        if id in self.before:
            return
        repeated = id in self.stated
        if repeated:
            self.stated.remove(id)
        self.stated.append(id)
        name = link(self.name_of(id))
        if repeated and not weak:
            for there in (n for n in self.notes if n.get("leaf") == name):
                there.pop("weak", None)
            self.notes = [n for n in self.notes if len(n) > 1]
        if repeated:
            return
        note: dict[str, Any] = {"leaf": name}
        if quotes and more is not None:
            note["quotes"] = [dict(q) for q in quotes]
        if weak:
            note["weak"] = round(weak, 2)
        note |= more or {}
        if len(note) > 1:
            self.notes.append(note)

    def refuse(self, text: str, reason: str, confidence: float) -> None:
        if not any(folded(str(r.get("text", ""))) == folded(text) for r in self.refused):
            self.refused.append({"text": text, "reason": reason, "confidence": round(confidence, 2)})

    def accept(self, text: str) -> None:
        """What was refused before and is admitted now is refused no longer."""
        self.refused = [r for r in self.refused if folded(str(r.get("text", ""))) != folded(text)]

    def add_entity(self, entity: Entity) -> None:
        if entity.tree in self.made or ((note := self.memory.trees.get(entity.tree)) is not None and note):
            return
        self.made[entity.tree] = entity
        self.known = (*(e for e in self.known if e.tree != entity.tree), entity)

    # the plan ----------------------------------------------------------------------------------------------------

    def tree_writes(self) -> list[Write]:
        return [self.entity_file(self.folder, entity, self.created, self.method) for entity in self.made.values()]

    @staticmethod
    def entity_file(folder: str, entity: Entity, created: str, method: str) -> Write:
        """The `_tree.md` of a new entity."""
        keys = {
            "id": entity.tree,
            "type": "entity",
            "title": entity.name,
            "tree": entity.tree,
            "entity_type": entity.type,
            "name": entity.name,
            "aliases": list(entity.aliases),
            "owner": True if entity.owner else None,
            "created": created,
            "origin": "memd",
            "method": method,
        }
        return files.signed(f"{files.tree_folder(folder, entity.tree)}/_tree.md", keys, f"# {entity.name}\n")

    def leaf_writes(self) -> list[Write]:
        return [
            files.signed(d.path, {k: v for k, v in d.keys.items() if not k.startswith("_")}, d.body)
            for d in self.drafts.values()
        ]

    def episode_keys(self) -> dict[str, Any]:
        """The keys of the episode that this admission changes; empty where it changes nothing."""
        states = [link(self.name_of(id)) for id in self.stated]
        signature: dict[str, Any] = {"method": self.method, "at": self.created, "admitted": len(states)}
        if self.refused:
            signature["refused"] = self.refused
        if self.notes:
            signature["statements"] = self.notes
        if forgotten := listed(extracted(self.episode).get("forgotten")):
            signature["forgotten"] = list(forgotten)
        there = extracted(self.episode)
        if (
            "method" in there
            and self.method != there["method"]
            and len(states) == len(self.memory.states.get(self.episode.id, ()))
        ):
            signature["method"] = there["method"]
        changes: dict[str, Any] = {}
        if states != list(listed(self.episode.frontmatter.get("states"))):
            changes["states"] = states
        if signature != there:
            changes["extracted"] = signature
        return changes

    @property
    def created(self) -> str:
        """The episode's own time: what is made from it says the same on every device."""
        return str(self.episode.frontmatter.get("created", ""))
