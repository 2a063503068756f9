"""What memory's files say together: lineage, support, what superseded what, trees, chains. All derived, nothing kept.

Knows one snapshot. `of(vault)` gives the view of a snapshot, kept for the last one asked about; what was read out of a
note's keys is kept as long as the note is the same, so that a snapshot with one new file costs the sums and not the
reading. Never knows words beyond a note's `lead`, or the time.

Order. A leaf is stated by episodes; it was *last stated* by the latest of them, at the place it has in that episode's
`states`. Leaves that verdicts join (`supersedes`, or `precedes` where the older one arrived later) are versions of one
matter: the one last stated is current, whichever file came first. So material that arrives late does not win, a value
said again is current again, and what is forgotten leaves no trace in the order.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from memd.form.facts import Facts
from memd.form.keys import listed
from memd.form.lineage import Lineage
from memd.model.note import Note
from memd.model.vault import Vault

UNCATEGORIZED = "interaction:uncategorized"


class Memory(Lineage):
    """The view of one snapshot. `canopy` is filled by `form.canopy.of`."""

    canopy: object = None

    # supersede ---------------------------------------------------------------------------------------------------

    @cached_property
    def _older(self) -> dict[str, tuple[str, ...]]:
        """Leaf -> leaves that it points to as the older version of its matter."""
        found: dict[str, dict[str, None]] = defaultdict(dict)
        for facts in self._leaf_facts():
            note = facts.note
            for link in facts.supersedes:
                if (old := self.refer(link, note.path)) and old != note.id:
                    found[note.id][old] = None
            for link in facts.precedes:
                if (new := self.refer(link, note.path)) and new != note.id:
                    found[new][note.id] = None
        return {id: tuple(old) for id, old in found.items()}

    @cached_property
    def _matters(self) -> dict[str, tuple[str, ...]]:
        """Leaf -> the leaves that verdicts join with it, itself included; leaves without a verdict are not here."""
        joined: dict[str, set[str]] = defaultdict(set)
        for new, olds in self._older.items():
            for old in olds:
                joined[new].add(old)
                joined[old].add(new)
        for id in self._widowed():
            joined[id].update(self.slots[self.slot(id)])
            for other in self.slots[self.slot(id)]:
                joined[other].add(id)
        found: dict[str, tuple[str, ...]] = {}
        for start in joined:
            if start not in found:
                whole = tuple(sorted(_reached(start, joined), key=self.last_stated))
                found.update(dict.fromkeys(whole, whole))
        return found

    def _widowed(self) -> list[str]:
        """Leaves whose older version is gone (its file was deleted by hand): only their slot tells what they replaced."""
        return [
            facts.note.id
            for facts in self._leaf_facts()
            if facts.supersedes and not all(self.refer(link, facts.note.path) for link in facts.supersedes)
        ]

    @cached_property
    def _by(self) -> dict[str, str]:
        """Superseded leaf -> the leaf that is current in its stead."""
        found: dict[str, str] = {}
        for matter in set(self._matters.values()):
            current = next((id for id in reversed(matter) if self.stands(id)), None)
            if current:
                found |= {id: current for id in matter if id != current}
        return found

    def superseded(self, id: str) -> str | None:
        """The leaf that stands in the place of this one; None while it is current."""
        return self._by.get(id)

    def active(self, id: str) -> bool:
        """A leaf that stands and is current."""
        return self.stands(id) and self.superseded(id) is None

    def versions(self, id: str) -> tuple[str, ...]:
        """The leaf and all that verdicts join with it, in the order in which they were last stated."""
        return self._matters.get(id, (id,))

    def older(self, id: str) -> tuple[str, ...]:
        """The leaves that a verdict named as the older version of this one."""
        return self._older.get(id, ())

    def slot(self, id: str) -> tuple[str, str, str]:
        """Whose it is and what it is about: (tree, subject, aspect), folded."""
        return self.facts(id).slot

    # owners ------------------------------------------------------------------------------------------------------

    @cached_property
    def trees(self) -> dict[str, Note | None]:
        """Every tree's id -> its `_tree.md`, None where leaves name a tree that has no such file."""
        found: dict[str, Note | None] = dict.fromkeys(facts.tree for facts in self._leaf_facts() if facts.tree)
        for note in self.of_kind("entity"):
            found[str(note.frontmatter.get("tree", "")) or note.id] = note
        return dict(sorted(found.items()))

    def tree_of(self, id: str) -> str:
        return self.facts(id).tree if id in self.files else ""

    @cached_property
    def _leaves(self) -> dict[str, tuple[Note, ...]]:
        found: dict[str, list[Note]] = defaultdict(list)
        for note in self.of_kind("leaf"):
            found[self._facts[note.path].tree].append(note)
        return {tree: tuple(sorted(notes, key=self._append_key)) for tree, notes in found.items()}

    def _append_key(self, note: Note) -> tuple[float, str, float, int, str]:
        episodes = self.support.get(note.id)
        first = episodes[0] if episodes else ""
        place = self.states[first].index(note.id) if first else 0
        return (note.created, first, self._facts[note.path].observed, place, note.id)

    def leaves(self, tree: str) -> tuple[Note, ...]:
        """Every leaf of a tree in the order in which they were appended, superseded and unsupported ones included."""
        return self._leaves.get(tree, ())

    @cached_property
    def slots(self) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """(tree, folded subject, folded aspect) -> ids of its leaves."""
        found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for note in self.of_kind("leaf"):
            found[self._facts[note.path].slot].append(note.id)
        return {slot: tuple(ids) for slot, ids in found.items()}

    @cached_property
    def prints(self) -> dict[tuple[str, str], str]:
        """(tree, fingerprint) -> leaf id."""
        return {(facts.tree, facts.fingerprint): facts.note.id for facts in self._leaf_facts()}

    def _leaf_facts(self) -> list[Facts]:
        return [self._facts[note.path] for note in self.of_kind("leaf")]

    # chains ------------------------------------------------------------------------------------------------------

    @cached_property
    def members(self) -> dict[str, tuple[str, ...]]:
        """Chain id -> leaf ids in its order."""
        return {
            note.id: tuple(
                leaf for link in listed(note.frontmatter.get("members")) if (leaf := self.refer(link, note.path))
            )
            for note in self.of_kind("chain")
        }

    @cached_property
    def chain_of(self) -> dict[str, str]:
        return {leaf: chain for chain, leaves in self.members.items() for leaf in leaves}

    @property
    def profile(self) -> Note | None:
        return next(iter(self.of_kind("profile")), None)


def _reached(start: str, joined: dict[str, set[str]]) -> set[str]:
    seen, left = {start}, [start]
    while left:
        fresh = joined[left.pop()] - seen
        seen |= fresh
        left.extend(fresh)
    return seen


_held: list[Memory] = []


def of(vault: Vault) -> Memory:
    """The view of a snapshot; the same one while the snapshot is the same."""
    if not _held or _held[0].vault is not vault:
        _held[:] = [Memory(vault, _held[0] if _held else None)]
    return _held[0]
