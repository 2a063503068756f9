"""`memory.browse`: the tree of memory level by level: categories, trees, summaries, leaves. Counts, states, time ranges.

All from keys of the snapshot; no file is read. Never ranks.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memd.form import canopy, view
from memd.form.keys import earliest, latest
from memd.form.stale import stale
from memd.model.errors import Refused
from memd.model.note import Note
from memd.model.vault import Vault
from memd.recall import asked, cursors, filters
from memd.recall.names import clean, short, shown_path

PAGE = 100
ROOMS = ("interaction", "integration")
MOST = 400
"""Nodes of one answer, whatever depth was asked for; `more` tells where children were left out."""


class _Browser:
    def __init__(self, vault: Vault, params: asked.Browse, now: datetime, within: str) -> None:
        self.vault, self.now = vault, now
        self.memory = view.of(vault)
        self.canopy = canopy.of(self.memory)
        self.tests = filters.shown(params.include_sensitive, within)
        self.left = MOST

    def may(self, note: Note | None) -> bool:
        return note is None or all(test(note) for test in self.tests)

    # children ----------------------------------------------------------------------------------------------------

    def children(self, node: str) -> list[str]:
        if node == "root":
            return [room for room in ROOMS if any(tree.startswith(room + ":") for tree in self.memory.trees)]
        if node in ROOMS:
            return [tree for tree in self.memory.trees if tree.startswith(node + ":") and self._seen(tree)]
        if node in self.memory.trees:
            root = self.canopy.roots.get(node)
            found = [root.id] if root is not None and self.may(root) else list(self._tops(node))
            return found or list(self._tops(node))
        note = self.memory.files.get(node)
        if note is None or note.kind != "summary":
            return []
        tree = canopy.tree_of(note)
        under = self._tops(tree) if note.frontmatter.get("root") is True else self.canopy.children.get(node, ())
        return [id for id in under if self.may(self.memory.files[id])]

    def _tops(self, tree: str) -> list[str]:
        """What stands under the root; leaves that nothing supports, too: they are there, and their state says so."""
        tops = list(self.canopy.tops(tree))
        there = set(tops)
        loose = [n.id for n in self.memory.leaves(tree) if n.id not in there and n.id not in self.canopy.parent]
        return [id for id in (*tops, *loose) if self.may(self.memory.files[id])]

    def _seen(self, tree: str) -> bool:
        entity = self.memory.trees[tree]
        return self.may(entity) and (entity is not None or any(self.may(n) for n in self.memory.leaves(tree)))

    # nodes -------------------------------------------------------------------------------------------------------

    def node(self, id: str) -> dict[str, Any]:
        if id == "root" or id in ROOMS:
            under = self.children(id)
            return {
                "id": id,
                "kind": "root" if id == "root" else "category",
                "title": id,
                "counts": {"children": len(under)},
            }
        if id in self.memory.trees:
            return self._tree(id)
        note = self.memory.files.get(id)
        if note is None or note.kind not in ("leaf", "summary", "entity") or not self.may(note):
            raise Refused(
                "not_found", f"no node of memory is called {clean(id[:120])!r}; browse the root without a node"
            )
        if note.kind == "entity":
            return self._tree(str(note.frontmatter.get("tree") or ""))
        return self._leaf(note) if note.kind == "leaf" else self._summary(note)

    def _tree(self, tree: str) -> dict[str, Any]:
        entity = self.memory.trees.get(tree)
        leaves = [note for note in self.memory.leaves(tree) if self.may(note)]
        heights = self.canopy.summaries(tree)
        times = [str(note.frontmatter.get("observed_at") or "") for note in leaves]
        return {
            "id": tree,
            "kind": "tree",
            "title": clean(entity.title) if entity is not None else tree,
            "path": shown_path(self.vault, entity.path) if entity is not None else "",
            "state": "stale" if self.canopy.stale_of(tree) else "current",
            "counts": {
                "leaves": len(leaves),
                "active": sum(self.memory.active(note.id) for note in leaves),
                "summaries": sum(len(notes) for notes in heights.values()),
            },
            "time_range": {"from": earliest(times), "to": latest(times)},
        }

    def _leaf(self, note: Note) -> dict[str, Any]:
        keys = note.frontmatter
        return self._file(note) | {
            "text": short(note.lead or note.title, 240),
            "subject": str(keys.get("subject") or ""),
            "aspect": str(keys.get("aspect") or ""),
            "height": 0,
            "level": self.canopy.level(note.id),
            "state": self._standing(note),
            "verification": str(keys.get("verification") or ""),
            "counts": {"children": 0},
            "time_range": {"from": str(keys.get("observed_at") or ""), "to": str(keys.get("observed_at") or "")},
        }

    def _standing(self, note: Note) -> str:
        if self.memory.superseded(note.id):
            return "superseded"
        if note.status not in ("", "active"):
            return note.status
        if not self.memory.supported(note.id):
            return "unsupported"
        return "stale" if stale(self.memory, note.id, self.now) else "active"

    def _summary(self, note: Note) -> dict[str, Any]:
        keys = note.frontmatter
        outdated = note.id in self.canopy.stale_of(canopy.tree_of(note))
        return self._file(note) | {
            "text": short(note.lead or note.title, 240),
            "height": canopy.height_of(note),
            "level": self.canopy.level(note.id),
            "root": keys.get("root") is True,
            "state": "stale" if outdated else "current",
            "counts": {"children": len(self.children(note.id))},
            "time_range": {"from": str(keys.get("from") or ""), "to": str(keys.get("to") or "")},
        }

    def _file(self, note: Note) -> dict[str, Any]:
        return {
            "id": note.id,
            "kind": note.kind,
            "title": short(note.title, 200),
            "path": shown_path(self.vault, note.path),
            "tree": self.memory.tree_of(note.id),
        }

    def under(self, ids: list[str], depth: int) -> list[dict[str, Any]]:
        out = []
        for id in ids:
            if self.left <= 0:
                break
            self.left -= 1
            told = self.node(id)
            if depth > 1 and (below := self.children(id)):
                told["children"] = self.under(below, depth - 1)
                if len(told["children"]) < len(below):
                    told["more"] = len(below) - len(told["children"])
            out.append(told)
        return out


def browse(vault: Vault, params: asked.Browse, now: datetime, within: str = "") -> dict[str, Any]:
    """`node`, its `children` to `depth`, and `cursor` ("" at the end). A node is `root`, a category, a tree's id, the id
    of a summary, a leaf or an entity. Raises Refused: not_found, invalid_params."""
    browser = _Browser(vault, params, now, within)
    name = params.node.strip() or "root"
    note = browser.memory.files.get(name)
    name = str(note.frontmatter.get("tree") or name) if note is not None and note.kind == "entity" else name
    told = browser.node(name)
    under = browser.children(name)
    position, last = cursors.opened(params.cursor)
    begin = cursors.start(under, position, last) if params.cursor else 0
    shown = browser.under(under[begin : begin + PAGE], params.depth)
    end = begin + len(shown)
    return {
        "node": told,
        "children": shown,
        "cursor": cursors.after(end, under[end - 1]) if shown and end < len(under) else "",
    }
