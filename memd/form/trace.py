"""Lineage as a tree: from anything derived down to who said it, and from any turn up to all that rests on it.

Pure over the view and now; quotes stand in the keys of leaves and episodes, so that no body is read. Names the first
layer that is missing. Never follows a link twice on one way.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from memd.form import canopy
from memd.form.facts import extracted, quoted, quotes
from memd.form.keys import unlinked
from memd.form.profile_text import line_id
from memd.form.stale import stale
from memd.form.view import Memory
from memd.model.errors import Refused
from memd.model.memory import ProfileLine
from memd.model.note import Note

DEEP = 8
"""Steps of lineage that are followed at most."""
WIDE = 400
"""Nodes of one answer; `more` counts what is left out."""


class _Walk:
    def __init__(self, memory: Memory, now: datetime, lines: Iterable[ProfileLine], sensitive: bool) -> None:
        self.memory, self.canopy, self.lines = memory, canopy.of(memory), tuple(lines)
        self.now, self.sensitive = now, sensitive
        self.room = WIDE

    def node(self, id: str) -> dict[str, Any]:
        note = self.memory.note(id)
        if note is None:
            return {"id": id, "kind": "missing", "path": ""}
        if note.sensitive and not self.sensitive:
            return {"id": id, "kind": note.kind, "path": "", "text": "sensitive", "sensitive": True}
        text = note.title if note.kind == "chain" else unlinked(note.lead) or note.title
        found: dict[str, Any] = {"id": id, "kind": note.kind, "path": note.path, "text": text}
        if "#" in id:
            found |= _turn(note, id)
        if note.kind == "leaf":
            found |= {"tree": self.memory.tree_of(id), "superseded": self.memory.superseded(id) is not None}
            found |= self._freshness(note)
        return found

    def _freshness(self, leaf: Note) -> dict[str, Any]:
        old = stale(self.memory, leaf.id, self.now)
        how = old.verification if old else str(leaf.frontmatter.get("verification") or "")
        told = {"stale": old is not None, "verification": how}
        return told | ({"verify": {"source": old.source, "reason": old.reason}} if old else {})

    def down(self, id: str, deep: int = DEEP, way: frozenset[str] = frozenset()) -> dict[str, Any]:
        return self._walk(id, self.below, self.down, deep, way)

    def up(self, id: str, deep: int = DEEP, way: frozenset[str] = frozenset()) -> dict[str, Any]:
        return self._walk(id, self.above, self.up, deep, way)

    def _walk(self, id: str, following: Any, again: Any, deep: int, way: frozenset[str]) -> dict[str, Any]:
        node = self.node(id)
        self.room -= 1
        if node.get("sensitive") and not self.sensitive:
            return node
        children, left = [], 0
        for child, more in following(id) if deep else ():
            if child in way or child == id:
                continue
            if self.room <= 0:
                left += 1
                continue
            children.append(again(child, deep - 1, way | {id}) | more)
        if children:
            node["children"] = children
        return node | ({"more": left} if left else {})

    # steps -------------------------------------------------------------------------------------------------------

    def below(self, id: str) -> list[tuple[str, dict[str, Any]]]:
        """What a node was made from, with the quote where there is one."""
        memory, note = self.memory, self.memory.note(id)
        if note is None or "#" in id:
            return []
        if note.kind == "summary":
            return [(c, {}) for c in self.canopy.children.get(id, ())]
        if note.kind == "chain":
            return [(m, {}) for m in memory.members.get(id, ())]
        if note.kind == "leaf":
            return [(e, self._quoted(note, e)) for e in memory.support.get(id, ())]
        if note.kind == "episode":
            return [(t, {}) for t in memory.turns_of.get(id, ())]
        return [(f"{id}#{t.id}", {}) for t in note.turns] if note.kind == "evidence" else []

    def _quoted(self, leaf: Note, episode: str) -> dict[str, Any]:
        """Only the turns that a quote of the leaf lies in, where there are any."""
        memory, turns = self.memory, set(self.memory.turns_of.get(episode, ()))
        found = [*quotes(leaf), *quoted(memory.statement(episode, leaf.id).get("quotes"))]
        if memory.files[episode].sensitive and not self.sensitive:
            return {}
        rows = [(t, q["text"]) for q in found if (t := memory.turn(q["turn"])) in turns and t]
        return {"children": [self.node(turn) | {"quote": text} for turn, text in rows]} if rows else {}

    def above(self, id: str) -> list[tuple[str, dict[str, Any]]]:
        """All that rests directly on a node."""
        memory, note = self.memory, self.memory.note(id)
        if note is None:
            return []
        if "#" in id:
            return [(e, {}) for e in memory.episodes_of_turn.get(id, ())]
        if note.kind == "evidence":
            over = (e for t in note.turns for e in memory.episodes_of_turn.get(f"{id}#{t.id}", ()))
            return [(e, {}) for e in dict.fromkeys(over)]
        if note.kind == "episode":
            return [(leaf, {}) for leaf in memory.states.get(id, ())]
        found: list[tuple[str, dict[str, Any]]] = []
        if note.kind in ("leaf", "summary"):
            found += [(up, {}) for up in self.canopy.over(id)[:1]]
        if note.kind == "leaf":
            chain = memory.chain_of.get(id)
            found += [(chain, {})] if chain else []
            found += [(f"#{n.id}", self.line(n)) for n in self.lines if id in map(memory.refer, n.sources)]
            citing = (memory.vault.notes[path] for path, _ in memory.vault.inbound(note.path))
            found += [(i, {}) for i in dict.fromkeys(n.id for n in citing if n.kind == "digest")]
        return found

    def line(self, line: ProfileLine) -> dict[str, Any]:
        path = self.memory.profile.path if self.memory.profile else ""
        return {"id": f"#{line.id}", "kind": "profile_line", "path": path, "text": line.text}


def trace(
    memory: Memory,
    now: datetime,
    id: str,
    direction: str = "both",
    lines: Iterable[ProfileLine] = (),
    include_sensitive: bool = False,
) -> dict[str, Any]:
    """`{id, kind, path, text, down, up, missing}`; nodes nest by `children`. `lines`: the profile's, for its own ids and
    for what rests on a leaf. Refuses an id that nothing has."""
    walk = _Walk(memory, now, lines, include_sensitive)
    wanted = id.rpartition("#")[2]
    line = next((n for n in walk.lines if wanted in (n.id, line_id(n.text))), None) if wanted.startswith("p-") else None
    if line is not None:
        sources = [s for stem in line.sources if (s := memory.refer(stem))]
        down = walk.line(line) | {"children": [walk.down(s) for s in sources]}
        return walk.line(line) | {"down": down, "up": None, "missing": "" if sources else "sources"}
    known = memory.turn(id) if "#" in id else memory.refer(id)
    if known is None:
        raise Refused("not_found", f"nothing has the id “{id}”; an id is shown by search, browse and profile")
    found = walk.node(known) | {"missing": missing(memory, known)}
    if found.get("sensitive"):
        return found
    if direction in ("down", "both"):
        found["down"] = walk.down(known)
    if direction in ("up", "both"):
        found["up"] = walk.up(known)
    return found


def missing(memory: Memory, id: str) -> str:
    """The first layer that is not there, from the words up: "" where nothing is missing so far."""
    note = memory.note(id)
    if note is None:
        return "file"
    if "#" in id or note.kind == "evidence":
        turns = [id] if "#" in id else [f"{note.id}#{t.id}" for t in note.turns]
        without = [t for t in turns if t not in memory.episodes_of_turn]
        later = [missing(memory, e) for t in turns for e in memory.episodes_of_turn.get(t, ())]
        return "episode" if without else next((m for m in later if m), "")
    if note.kind == "episode":
        if not memory.turns_of[id]:
            return "evidence"
        return "" if extracted(note) else "atoms"
    if note.kind == "leaf":
        if not memory.support.get(id):
            return "episode"
        return next((m for e in memory.support[id] if (m := missing(memory, e)) == "evidence"), "") or (
            "" if quotes(note) else "quotes"
        )
    return ""


def _turn(note: Note, id: str) -> dict[str, Any]:
    turn = next((t for t in note.turns if t.id == id.partition("#")[2]), None)
    if turn is None:
        return {"kind": "missing"}
    return {"kind": "turn", "speaker": turn.speaker, "at": turn.at, "line": turn.line, "text": note.title}
