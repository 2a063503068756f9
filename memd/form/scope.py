"""What a request to forget is about: which turns, leaves and trees, by any of the names a caller may use.

Knows the view. Never knows what becomes of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from memd.form.keys import folded
from memd.form.ownership import entities
from memd.form.view import Memory
from memd.model.errors import Refused

KINDS = ("turn", "evidence", "episode", "leaf", "entity", "session", "source")


class Scope(Struct, frozen=True):
    """`turns`, `leaves` and `episodes` are ids, `trees` those of entities that go as a whole."""

    kind: str
    name: str
    turns: frozenset[str] = frozenset()
    leaves: frozenset[str] = frozenset()
    episodes: frozenset[str] = frozenset()
    trees: frozenset[str] = frozenset()


def scope_of(memory: Memory, target: Mapping[str, str], resumed: bool = False) -> Scope:
    """Refuses a target that is not one of `KINDS`, or that nothing has; `resumed`: what is gone already is no fault."""
    if len(target) != 1 or next(iter(target)) not in KINDS:
        raise Refused("invalid_params", f'a target names one of {", ".join(KINDS)}, as {{"session": "s-118"}}')
    kind, name = next(iter(target.items()))
    scope = _FINDERS[kind](memory, name)
    if not (scope.turns or scope.leaves or scope.episodes or scope.trees or resumed):
        raise Refused("not_found", f"there is no {kind} “{name}” to forget; look for its id with browse or trace")
    return scope


def _turn(memory: Memory, name: str) -> Scope:
    turn = memory.turn(name)
    return Scope("turn", name, turns=frozenset([turn] if turn else []))


def _evidence(memory: Memory, name: str) -> Scope:
    if "#" in name:
        return _turn(memory, name)
    id = memory.refer(name)
    note = memory.files.get(id) if id else None
    turns = [f"{note.id}#{t.id}" for t in note.turns] if note and note.kind == "evidence" else []
    return Scope("evidence", name, turns=frozenset(turns))


def _episode(memory: Memory, name: str) -> Scope:
    """An episode goes with its turns, save those that another episode holds: they would bring it back."""
    id = memory.refer(name)
    note = memory.files.get(id) if id else None
    if note is None or note.kind != "episode":
        return Scope("episode", name)
    turns = [t for t in memory.turns_of[note.id] if memory.episodes_of_turn[t] == (note.id,)]
    return Scope("episode", name, turns=frozenset(turns), episodes=frozenset([note.id]))


def _leaf(memory: Memory, name: str) -> Scope:
    id = memory.refer(name)
    note = memory.files.get(id) if id else None
    return Scope("leaf", name, leaves=frozenset([note.id] if note and note.kind == "leaf" else []))


def _entity(memory: Memory, name: str) -> Scope:
    said = folded(name.strip().removeprefix("[[").removesuffix("]]"))
    named = {e.tree for e in entities(memory) if said in e.names}
    trees = {name} if name in memory.trees else named
    leaves = [n.id for tree in trees for n in memory.leaves(tree)]
    return Scope("entity", name, leaves=frozenset(leaves), trees=frozenset(trees))


def _session(memory: Memory, name: str) -> Scope:
    return _material(memory, "session", name)


def _source(memory: Memory, name: str) -> Scope:
    return _material(memory, "source", name)


def _material(memory: Memory, key: str, name: str) -> Scope:
    """Every turn of the material, and episodes that were handed over for it without any turn."""
    turns = [
        f"{note.id}#{turn.id}"
        for note in memory.of_kind("evidence")
        if str(note.frontmatter.get(key, "")) == name
        for turn in note.turns
    ]
    bare = [e.id for e in memory.episodes if str(e.frontmatter.get(key, "")) == name and not memory.turns_of[e.id]]
    return Scope(key, name, turns=frozenset(turns), episodes=frozenset(bare))


_FINDERS = {
    "turn": _turn,
    "evidence": _evidence,
    "episode": _episode,
    "leaf": _leaf,
    "entity": _entity,
    "session": _session,
    "source": _source,
}
