"""Sealing: full groups of a tree become summaries, stale ones are replaced from the bottom up, the root stands over all.

`seal` is the step. Groups are for good: a sealed group is never filled up or split; what a stale summary was over, its
successor is over. Knows the view and what this run has made. Never knows how often it runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from msgspec import Struct

from memd.form import canopy, files, view
from memd.form.answered import as_answer
from memd.form.asked import judge
from memd.form.keys import day, earliest, latest, link, listed, unlinked
from memd.form.ownership import entity_of
from memd.form.summaries import Child, Summary, Worded, acceptable, extract, worded
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import fingerprint
from memd.model.plan import Plan, Remove, Step, Write
from memd.model.question import Asking
from memd.model.vault import Vault, stem

AT_ONCE = 256
"""Summaries that one run writes at most; `more` says that there is more to do."""
LABELS = 12


class Node(Struct, frozen=True):
    """A leaf or a summary as a child: `state` is what its parent's id is made from."""

    id: str
    name: str
    text: str
    state: str
    created: str
    begin: str
    end: str
    labels: tuple[str, ...]
    superseded: bool = False
    hidden: bool = False


class Sealed(Struct, frozen=True):
    """Told by `seal`: ids of what was made and of what it replaced, and whether more is due."""

    made: tuple[str, ...] = ()
    replaced: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    more: bool = False


def seal(vault: Vault, config: Config, now: datetime, tree: str = "", only_stale: bool = False) -> Asking:
    """Every tree, or one; `only_stale` forms no new groups. Told: `Sealed`. Again without new leaves it changes nothing."""
    memory = view.of(vault)
    trees = {*memory.trees, *canopy.of(memory).trees}
    if tree and not only_stale and tree not in trees:
        raise Refused("not_found", f"no tree is called {tree!r}: memory.browse shows them")
    plan, told = Plan(), Sealed()
    for name in [tree] if tree else sorted(trees):
        if name == view.UNCATEGORIZED:
            continue
        run = Run(memory, config, name, AT_ONCE - len(told.made), only_stale)
        yield from run.all()
        plan += run.plan()
        told = Sealed(
            (*told.made, *run.made), (*told.replaced, *run.gone), (*told.trees, *([name] if run.made else [])), run.more
        )
        if run.more:
            break
    return plan, told


class Run:
    """One tree's sealing. `nodes` are this run's summaries, by id; `heights` what stands at each height now."""

    def __init__(self, memory: view.Memory, config: Config, tree: str, room: int, only_stale: bool) -> None:
        self.memory, self.config, self.tree, self.room, self.only_stale = memory, config, tree, room, only_stale
        self.canopy = canopy.of(memory)
        self.group = max(2, config.formation.seal)
        self.name = entity_of(tree, memory.trees.get(tree)).name
        self.folder = files.tree_folder(config.formation.folder, tree)
        self.nodes: dict[str, Node] = {}
        self.steps: list[Step] = []
        self.made: list[str] = []
        self.gone: list[str] = []
        self.more = False

    def all(self) -> Asking:
        """Heights from below: first the stale of a height in their places, then its new groups."""
        leaves = [self.leaf(note.id) for note in self.canopy.unsealed(self.tree)]
        loose, height = leaves, 1
        tops: list[Node] = []
        swapped: dict[str, Node | None] = {}
        heights = self.canopy.summaries(self.tree)
        while loose or height in heights:
            standing = []
            for note in heights.get(height, ()):
                node, changed = yield from self.renewed(note.id, height, swapped)
                if changed:
                    swapped[note.id] = node
                if node is not None and note.id not in self.canopy.parent:
                    standing.append(node)
            while len(loose) >= self.group and not self.more and not self.only_stale:
                group, loose = loose[: self.group], loose[self.group :]
                standing.append((yield from self.sealed(tuple(group), height)))
            tops = [*loose, *tops]
            loose, height = standing, height + 1
        if any(node.id in self.nodes or self.is_summary(node.id) for node in tops) or self.tree in self.canopy.roots:
            yield from self.root(tuple(tops))

    def is_summary(self, id: str) -> bool:
        note = self.memory.files.get(id)
        return note is not None and note.kind == "summary"

    # nodes -------------------------------------------------------------------------------------------------------

    def leaf(self, id: str) -> Node:
        note = self.memory.files[id]
        keys = note.frontmatter
        when = str(keys.get("observed_at") or "")
        times = [t for t in (when, str(keys.get("valid_from") or ""), str(keys.get("valid_to") or "")) if t]
        return Node(
            id,
            stem(note.path),
            note.lead or note.title,
            self.canopy.state(id),
            str(keys.get("created", "")),
            earliest(times),
            latest(times),
            listed(keys.get("labels")),
            self.memory.superseded(id) is not None,
            note.sensitive,
        )

    def summary(self, id: str) -> Node:
        note = self.memory.files[id]
        keys = note.frontmatter
        span = (str(keys.get("from") or ""), str(keys.get("to") or ""))
        return Node(id, stem(note.path), note.lead, id, str(keys.get("created", "")), *span, listed(keys.get("labels")))

    def renewed(self, id: str, height: int, swapped: dict[str, Node | None]) -> Asking:
        """(node, whether it is another one than before); no node where no child is left."""
        if id not in self.canopy.stale_of(self.tree) and not any(c in swapped for c in self.canopy.children[id]):
            return self.summary(id), False
        if self.room <= len(self.made):
            self.more = True
            return self.summary(id), False
        children: list[Node] = []
        for child in self.canopy.children[id]:
            if child in swapped:
                if (other := swapped[child]) is not None:
                    children.append(other)
            elif self.is_summary(child):
                children.append(self.summary(child))
            elif self.memory.supported(child):
                children.append(self.leaf(child))
        node = (yield from self.sealed(tuple(children), height)) if children else None
        if node is None or node.id != id:
            self.gone.append(id)
            self.steps.append(Remove(self.memory.files[id].path, self.memory.files[id].sha256 or None))
        return node, True

    def sealed(self, children: tuple[Node, ...], height: int) -> Asking:
        made_from = fingerprint(self.tree, *(c.state for c in children))
        id = canopy.summary_id(self.tree, height, made_from)
        begin, end = earliest(c.begin for c in children), latest(c.end for c in children)
        span = day(begin) if day(begin) == day(end) else f"{day(begin)} to {day(end)}"
        title = f"{self.name} {span}".strip()
        words, method = yield from self.words(children, made_from)
        name = files.named(title, id)
        keys = self.keys(id, title, children, words, method) | {"height": height}
        self.write(f"{self.folder}/summaries/h{height}/{name}.md", keys, words.body, made_from)
        labels = tuple(keys.get("labels", ()))
        node = Node(id, name, words.body, id, keys["created"], begin, end, labels)
        self.nodes[id] = node
        self.made.append(id)
        self.more = self.more or len(self.made) >= self.room
        return node

    def root(self, tops: tuple[Node, ...]) -> Asking:
        """Over the tops and the leaves not sealed; the one summary that is replaced in place."""
        there = self.canopy.roots.get(self.tree)
        made_from = fingerprint(self.tree, *(t.state for t in tops))
        if there is not None and there.frontmatter.get("made_from") == made_from:
            return
        if there is not None and not tops:
            self.steps.append(Remove(there.path, there.sha256 or None))
            self.gone.append(there.id)
            return
        words, method = yield from self.words(tops, made_from)
        id = canopy.root_id(self.tree)
        height = max((self.height(t.id) for t in tops), default=0) + 1
        keys = self.keys(id, self.name, tops, words, method) | {"height": height, "root": True}
        path = there.path if there else f"{self.folder}/summaries/{files.named(self.name, id)}.md"
        self.write(path, keys, words.body, made_from, there.sha256 if there else "")
        self.made.append(id)

    def height(self, id: str) -> int:
        written = next((s for s in self.steps if isinstance(s, Write) and s.path.endswith(f"{id}.md")), None)
        if written:
            return int(written.path.rsplit("/", 2)[-2].removeprefix("h"))
        return self.canopy.height(id)

    # words and files ---------------------------------------------------------------------------------------------

    def words(self, children: tuple[Node, ...], made_from: str) -> Asking:
        """(Worded, method). A model's summary where there is one that holds, else the children's own sentences."""
        told = tuple(Child(c.id, c.name, c.text, c.superseded, c.hidden) for c in children)
        if self.config.formation.method == "llm":
            rows = [
                {"n": n, "text": unlinked(c.text), "superseded": c.superseded}
                for n, c in enumerate(told, 1)
                if not c.hidden
            ]
            inputs: dict[str, Any] = {"about": self.name, "children": rows}
            answer = as_answer((yield judge("summary", inputs)), Summary)
            if answer is not None and acceptable(answer, told):
                return worded(answer, told), f"llm:{self.config.llm.model}"
        return worded(extract(told), told), "rules"

    def keys(self, id: str, title: str, children: tuple[Node, ...], words: Worded, method: str) -> dict[str, Any]:
        created = latest(c.created for c in children)
        return {
            "id": id,
            "type": "summary",
            "title": title,
            "tree": self.tree,
            "children": [link(c.name) for c in children],
            "from": earliest(c.begin for c in children),
            "to": latest(c.end for c in children),
            "sealed_at": created,
            "labels": _common(c.labels for c in children),
            "dropped": list(words.dropped),
            "method": method,
            "origin": "memd",
            "created": created,
        }

    def write(self, path: str, keys: dict[str, Any], body: str, made_from: str, expect: str = "") -> None:
        self.steps.append(files.signed(path, keys | {"made_from": made_from}, body or f"{keys['title']}\n", expect))

    def plan(self) -> Plan:
        reason = f"{len(self.made)} summaries of {self.tree}"
        return Plan(tuple(self.steps), (reason,) if self.made else ())


def _common(labels: Iterable[tuple[str, ...]]) -> list[str]:
    """The labels that most children have, in the order in which they came."""
    counts: dict[str, int] = {}
    for row in labels:
        for label in row:
            counts[label] = counts.get(label, 0) + 1
    return sorted(counts, key=lambda label: -counts[label])[:LABELS]
