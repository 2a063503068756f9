"""The summaries over a tree's leaves: groups, heights, parents, what is stale. All derived from `children` keys.

A summary's id is a function of its children as they are (their words, status, and whether they are superseded): where
the id that its children would give now is another one, it is stale. The root has one id for good and keeps the same
print in its `made_from` key. Knows a view. Never knows how a summary is worded.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property

from memd.form.keys import listed
from memd.form.view import UNCATEGORIZED, Memory
from memd.model.fingerprint import fingerprint, make_id
from memd.model.note import Note


class Canopy:
    """A `level` counts from the root (1) down, a height from the leaves (0) up."""

    def __init__(self, memory: Memory) -> None:
        self.memory = memory
        self._stale: dict[str, frozenset[str]] = {}

    @cached_property
    def children(self) -> dict[str, tuple[str, ...]]:
        """Summary id -> ids of its children that are there, and still of its tree."""
        return {
            note.id: tuple(
                c
                for link in _named(note)
                if (c := self.memory.refer(link, note.path)) and self.memory.tree_of(c) == tree_of(note)
            )
            for note in self.memory.of_kind("summary")
        }

    @cached_property
    def lost(self) -> dict[str, int]:
        """Summary id -> how many of the children it names are not there any more."""
        return {
            note.id: gone
            for note in self.memory.of_kind("summary")
            if (gone := len(_named(note)) - len(self.children[note.id]))
        }

    @cached_property
    def roots(self) -> dict[str, Note]:
        """Tree -> its root summary."""
        return {tree_of(n): n for n in self.memory.of_kind("summary") if n.frontmatter.get("root") is True}

    @cached_property
    def parent(self) -> dict[str, str]:
        """Node -> the sealed summary over it (a root is not a seal: it is over what is not sealed yet)."""
        roots = {note.id for note in self.roots.values()}
        return {c: id for id, children in sorted(self.children.items()) if id not in roots for c in children}

    @cached_property
    def _summaries(self) -> dict[str, dict[int, tuple[Note, ...]]]:
        found: dict[str, dict[int, list[Note]]] = defaultdict(lambda: defaultdict(list))
        roots = {note.id for note in self.roots.values()}
        for note in self.memory.of_kind("summary"):
            if note.id not in roots:
                found[tree_of(note)][height_of(note)].append(note)
        return {
            tree: {height: tuple(sorted(notes, key=self.place)) for height, notes in sorted(heights.items())}
            for tree, heights in found.items()
        }

    def summaries(self, tree: str) -> dict[int, tuple[Note, ...]]:
        """Height -> sealed summaries in the order of their first leaves; the root is not among them."""
        return self._summaries.get(tree, {})

    @cached_property
    def _places(self) -> dict[str, int]:
        return {note.id: n for tree in self.memory.trees for n, note in enumerate(self.memory.leaves(tree))}

    def place(self, note: Note) -> tuple[int, str]:
        """Where a summary stands among those of its height: at the first leaf under it."""
        id = note.id
        while children := self.children.get(id):
            id = children[0]
        return self._places.get(id, 1 << 30), note.id

    def over(self, id: str) -> tuple[str, ...]:
        """Every summary over a node, lowest first, the root last."""
        tree, found = self.memory.tree_of(id), []
        while (up := self.parent.get(id)) and up not in found:
            found.append(up)
            id = up
        root = self.roots.get(tree)
        return (*found, root.id) if root and root.id != id else tuple(found)

    def tops(self, tree: str) -> tuple[str, ...]:
        """What stands directly under the root, in order: from the highest summaries down to leaves not sealed."""
        heights = self.summaries(tree)
        found = [n.id for h in sorted(heights, reverse=True) for n in heights[h] if n.id not in self.parent]
        return (*found, *(note.id for note in self.unsealed(tree)))

    def unsealed(self, tree: str) -> tuple[Note, ...]:
        """Leaves in append order that no summary holds; those without support are not sealed."""
        leaves = self.memory.leaves(tree)
        return tuple(n for n in leaves if n.id not in self.parent and self.memory.supported(n.id))

    def state(self, id: str) -> str:
        """What of a node its parent is made from. A leaf's words and standing; a summary's id tells all by itself."""
        note = self.memory.files[id]
        if note.kind == "summary":
            return id
        if not self.memory.supported(id):
            return f"{id} unsupported"
        standing = "superseded" if self.memory.superseded(id) else note.status or "active"
        return f"{id} {standing} {note.sensitivity} {note.lead}"

    def print(self, tree: str, children: tuple[str, ...]) -> str:
        return fingerprint(tree, *(self.state(id) for id in children))

    @cached_property
    def _by_tree(self) -> dict[str, tuple[Note, ...]]:
        found: dict[str, list[Note]] = defaultdict(list)
        for note in self.memory.of_kind("summary"):
            found[tree_of(note)].append(note)
        return {tree: tuple(notes) for tree, notes in found.items()}

    @property
    def trees(self) -> tuple[str, ...]:
        """Trees that have summaries."""
        return tuple(self._by_tree)

    def stale_of(self, tree: str) -> frozenset[str]:
        """Summaries whose children are not what they were made from, and all that stand over such a one."""
        if tree not in self._stale:
            found: set[str] = set()
            for note in self._by_tree.get(tree, ()):
                if note.id not in found and (note.id in self.lost or self._outdated(note)):
                    found |= {note.id, *self.over(note.id)}
            self._stale[tree] = frozenset(found)
        return self._stale[tree]

    @property
    def stale(self) -> frozenset[str]:
        return frozenset().union(*(self.stale_of(tree) for tree in self._by_tree))

    def _outdated(self, note: Note) -> bool:
        children = self.children[note.id]
        made_from = self.print(tree_of(note), children)
        if note.frontmatter.get("root") is True:
            return note.frontmatter.get("made_from") != made_from
        return note.id != summary_id(tree_of(note), height_of(note), made_from)

    def ready(self, tree: str, group: int) -> int:
        """How many groups are full and not sealed."""
        if tree == UNCATEGORIZED:
            return 0
        heights = self.summaries(tree)
        loose = [sum(n.id not in self.parent for n in notes) for notes in heights.values()]
        return len(self.unsealed(tree)) // group + sum(n // group for n in loose)

    def height(self, id: str) -> int:
        note = self.memory.files.get(id)
        return height_of(note) if note and note.kind == "summary" else 0

    def level(self, id: str) -> int:
        """1 for the root, one more each step down."""
        root = self.roots.get(self.memory.tree_of(id))
        return 1 if root and root.id == id else 1 + len(self.over(id))


def of(memory: Memory) -> Canopy:
    """The canopy of a view, made once for it."""
    if memory.canopy is None:
        memory.canopy = Canopy(memory)
    assert isinstance(memory.canopy, Canopy)
    return memory.canopy


def _named(note: Note) -> tuple[str, ...]:
    return listed(note.frontmatter.get("children"))


def tree_of(note: Note) -> str:
    return str(note.frontmatter.get("tree", ""))


def height_of(note: Note) -> int:
    value = note.frontmatter.get("height")
    return value if isinstance(value, int) else 1


def summary_id(tree: str, height: int, made_from: str) -> str:
    return make_id("sm", tree, str(height), made_from)


def root_id(tree: str) -> str:
    return make_id("sm", tree, "root")
