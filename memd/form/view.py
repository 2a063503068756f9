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
    def _pointers(self) -> tuple[dict[str, tuple[str, ...]], frozenset[str]]:
        """(leaf -> leaves that it points to as the older version of its matter, leaves that point to what is gone)."""
        files, found, widowed = self.files, defaultdict[str, dict[str, None]](dict), set()
        for facts in self.leaf_facts():
            for known, link, forward in facts.points:
                mine = facts.note.id
                other = known if known in files else self.refer(link, facts.note.path)
                if other is None and forward:
                    widowed.add(mine)
                elif other is not None and other != mine:
                    new, old = (mine, other) if forward else (other, mine)
                    found[new][old] = None
        return {id: tuple(old) for id, old in found.items()}, frozenset(widowed)

    @cached_property
    def _joined(self) -> dict[str, set[str]]:
        """Leaf -> leaves that a verdict joins with it. Of a leaf whose older version is gone (its file was deleted by
        hand) only the slot tells what it replaced."""
        older, widowed = self._pointers
        joined: dict[str, set[str]] = defaultdict(set)
        pairs = [(new, old) for new, olds in older.items() for old in olds]
        pairs += [(id, other) for id in widowed for other in self.slots[self.slot(id)] if not self._is_event(other)]
        for new, old in pairs:
            joined[new].add(old)
            joined[old].add(new)
        return joined

    def _is_event(self, leaf: str) -> bool:
        return self.files[leaf].frontmatter.get("kind") == "event"

    @cached_property
    def _matters(self) -> dict[str, tuple[str, ...]]:
        return {}

    def versions(self, id: str) -> tuple[str, ...]:
        """The leaf and all that verdicts join with it, in the order in which they were last stated."""
        if id not in self._joined:
            return (id,)
        if id not in self._matters:
            whole = tuple(sorted(_reached(id, self._joined), key=self.last_stated))
            self._matters.update(dict.fromkeys(whole, whole))
        return self._matters[id]

    def superseded(self, id: str) -> str | None:
        """The leaf that stands in the place of this one; None while it is current."""
        if id not in self._joined:
            return None
        current = next((other for other in reversed(self.versions(id)) if self.stands(other)), None)
        return None if current == id else current

    def active(self, id: str) -> bool:
        """A leaf that stands and is current."""
        return self.stands(id) and self.superseded(id) is None

    def older(self, id: str) -> tuple[str, ...]:
        """The leaves that a verdict named as the older version of this one."""
        return self._pointers[0].get(id, ())

    def slot(self, id: str) -> tuple[str, str, str]:
        """Whose it is and what it is about: (tree, subject, aspect), folded."""
        return self.facts(id).slot

    # owners ------------------------------------------------------------------------------------------------------

    @cached_property
    def trees(self) -> dict[str, Note | None]:
        """Every tree's id -> its `_tree.md`, None where leaves name a tree that has no such file."""
        found: dict[str, Note | None] = dict.fromkeys(facts.tree for facts in self.leaf_facts() if facts.tree)
        for note in self.of_kind("entity"):
            found[str(note.frontmatter.get("tree", "")) or note.id] = note
        return dict(sorted(found.items()))

    def tree_of(self, id: str) -> str:
        return self.facts(id).tree if id in self.files else ""

    @cached_property
    def _loose_leaves(self) -> dict[str, list[Note]]:
        found: dict[str, list[Note]] = defaultdict(list)
        for facts in self.leaf_facts():
            found[facts.tree].append(facts.note)
        return found

    def _append_key(self, note: Note) -> tuple[float, str, float, int, str]:
        episodes = self.support.get(note.id)
        first = episodes[0] if episodes else ""
        place = self.states[first].index(note.id) if first else 0
        return (note.created, first, self.by_path[note.path].observed, place, note.id)

    def leaves(self, tree: str) -> tuple[Note, ...]:
        """Every leaf of a tree in the order in which they were appended, superseded and unsupported ones included."""
        if tree not in self._sorted:
            self._sorted[tree] = tuple(sorted(self._loose_leaves.get(tree, ()), key=self._append_key))
        return self._sorted[tree]

    @cached_property
    def _sorted(self) -> dict[str, tuple[Note, ...]]:
        return {}

    @cached_property
    def slots(self) -> dict[tuple[str, str, str], tuple[str, ...]]:
        """(tree, folded subject, folded aspect) -> ids of its leaves."""
        found: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        for note in self.of_kind("leaf"):
            found[self.by_path[note.path].slot].append(note.id)
        return {slot: tuple(sorted(ids)) for slot, ids in found.items()}

    @cached_property
    def prints(self) -> dict[tuple[str, str], str]:
        """(tree, fingerprint) -> leaf id."""
        found: dict[tuple[str, str], str] = {}
        for facts in self.leaf_facts():
            key = (facts.tree, facts.fingerprint)
            found[key] = min(found.get(key, facts.note.id), facts.note.id)
        return found

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
    held = next(iter(_held), None)
    if held is None or held.vault is not vault:
        held = Memory(vault, held)
        _held[:] = [held]
    return held
