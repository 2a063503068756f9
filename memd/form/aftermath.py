"""What follows when leaves and episodes are gone: summaries, chains, profile, entities, lines that cite; and the plan of it.

The second half of a forget (`form.oblivion` is the first). Knows the view before and the staged snapshot after.
"""

from __future__ import annotations

from functools import partial

from memd.edit import journal, trash
from memd.edit.splice import read
from memd.form import chains, files, profile, trees, view, withdrawn
from memd.form.facts import refused
from memd.form.forgetting import episode_unasked, is_of, lines_without
from memd.form.keys import folded, listed
from memd.form.oblivion import Forgotten, Gone, Work
from memd.form.ownership import entities
from memd.form.purge import phrases
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Move, Plan, Remove, Write
from memd.model.question import Asking
from memd.model.vault import stem

_LAYERS = ("profile", "history", "digest", "note", "summary", "chain", "episode", "leaf", "entity", "evidence")


class Aftermath(Work):
    """A forget from its sources to its plan."""

    # what rests on leaves ----------------------------------------------------------------------------------------

    def dependants(self) -> Asking:
        memory, config, now = self.memory, self.config, self.now
        changed = {i for i in self.gone_leaves | self.touched if i in memory.files}
        changed |= {other for id in changed for other in memory.versions(id)}
        kin = {id: memory.versions(id) for id in changed}
        for tree in sorted({memory.tree_of(id) for id in changed}):
            yield from self.stage.run(partial(trees.seal, config=config, now=now, tree=tree, only_stale=True))
        matters = {memory.slot(id)[1:] for id in changed if all(memory.slot(id)[1:])}
        if matters:
            told = yield from self.stage.run(lambda v: chains.weave(v, config, now, only=matters, existing=True))
            self.edited += [memory.files[id].path for id in told.left]
        yield from self.stage.run(lambda v: profile.repair(v, config, now, sorted(changed | self.made), kin))
        yield from self._entities({memory.tree_of(id) for id in self.gone_leaves} | self.scope.trees)

    def _entities(self, owners: set[str]) -> Asking:
        """An entity that memd made goes with its last leaf; one that a person wrote in stays, unless it is the target. One
        that has leaves left loses the other names that only forgotten leaves called it by."""
        left = view.of(self.stage.vault)
        for tree in sorted(owners):
            note = left.trees.get(tree)
            data = (yield from self.stage.read(note.path)) if note else None
            if note is None or data is None:
                continue
            if kept := left.leaves(tree):
                gone = {folded(self.memory.facts(id).subject) for id in self.gone_leaves}
                gone -= {folded(left.facts(leaf.id).subject) for leaf in kept}
                names = listed(note.frontmatter.get("aliases"))
                if lost := [name for name in names if folded(name) in gone]:
                    self.words += lost
                    rest = [name for name in names if name not in lost]
                    self.write(note, files.with_keys(data, {"aliases": rest}), "nothing that is left calls it so")
                continue
            theirs = note.origin == "human" or files.edited(note, data)
            if tree in self.scope.trees or not theirs:
                self.words += [note.title] if tree in self.scope.trees else []
                self.remove(note, "it owns nothing any more")

    # lines that cite ---------------------------------------------------------------------------------------------

    def citing(self) -> Asking:
        """Digests, older profiles and notes of memd's own lose the lines that cite what is gone; other leaves its name."""
        gone = self._gone_ids()
        stems = frozenset(stem(self.memory.files[id].path) for id in gone if id in self.memory.files)
        folder = self.config.formation.folder
        for path, note in sorted(self.stage.vault.notes.items()):
            own = note.kind == "digest" or path.startswith(f"{folder}/history/")
            told = note.kind == "note" and (note.type == "journal" or path.startswith("journal/"))
            if not (gone and (own or told)):
                continue
            data = yield from self.stage.read(path)
            left = None if data is None else lines_without(data, gone) if own else _untold(data, stems)
            if left is not None:
                self.write(note, left, "lines that tell of it are taken out")
        yield from self._names()

    def _gone_ids(self) -> frozenset[str]:
        planned = files.contents(self.stage.plan)
        ids = {n.id for p, d in planned.items() if d is None and (n := self.memory.vault.notes.get(p)) and n.id}
        return frozenset(ids - {n.id for n in self.stage.vault.notes.values() if n.id})

    def _names(self) -> Asking:
        """An entity that is forgotten is named in no other leaf's `entities` or `labels`, and neither it nor a leaf that
        is forgotten in what an episode was refused."""
        names = frozenset(n for e in entities(self.memory) if e.tree in self.scope.trees for n in e.names)
        prints = frozenset(self.memory.facts(id).fingerprint for id in self.scope.leaves)
        for note in list(self.stage.vault.notes.values()) if names or prints else []:
            if note.kind == "episode" and any(is_of(item, names, prints) for item in refused(note)):
                data = yield from self.stage.read(note.path)
                if data is not None:
                    self.write(note, episode_unasked(note, data, names, prints), "it was refused what is forgotten")
            if note.kind != "leaf" or not names:
                continue
            keys = {key: listed(note.frontmatter.get(key)) for key in ("entities", "labels")}
            left = {k: [v for v in vs if folded(v.strip("[]")) not in names] for k, vs in keys.items()}
            if any(len(left[k]) != len(keys[k]) for k in keys):
                data = yield from self.stage.read(note.path)
                if data is not None:
                    self.write(
                        note,
                        files.with_keys(data, {k: v for k, v in left.items() if keys[k]}),
                        "it names what is forgotten",
                    )

    def withdrawal(self) -> Asking:
        path = withdrawn.path_of(self.config.formation.folder)
        data = yield from self.stage.read(path)
        made = withdrawn.added(data, self.now, self.scope.kind, self.scope.name, self.turn_words)
        self.why[path] = "only keyed hashes are kept, so that it is refused when it comes again"
        self.stage.add(Plan((Write(path, made, sha256(data) if data is not None else ABSENT),)))

    # the plan ----------------------------------------------------------------------------------------------------

    def plan(self, purge: bool) -> Plan:
        """What rests on a thing goes before the thing: a plan cut short leaves enough to find the rest again."""
        named = self.scope.kind in ("leaf", "entity")
        order = {kind: n for n, kind in enumerate(_LAYERS)}
        if not named:
            order["episode"] = order["leaf"] + 0.5  # type: ignore[assignment]
        steps = sorted(self.stage.plan.steps, key=lambda s: (order.get(self._kind(s.path), 99), s.path))
        steps = [
            s if purge or not isinstance(s, Remove) else Move(s.path, trash.place(s.path, self.now), s.expect)
            for s in steps
        ]
        lines = files.reasons(f"{path}: {why}" for path, why in sorted(self.why.items()))
        return Plan(tuple(steps), lines, self.stage.plan.reads, undo=not purge)

    def _kind(self, path: str) -> str:
        if path.startswith(f"{self.config.formation.folder}/history/"):
            return "history"
        if path == withdrawn.path_of(self.config.formation.folder):
            return "evidence"
        note = self.memory.vault.notes.get(path) or self.stage.vault.notes.get(path)
        return note.kind if note else ""

    def told(self) -> Forgotten:
        removed: list[Gone] = []
        recomputed: list[Gone] = []
        for step in self.stage.plan.steps:
            note = self.memory.vault.notes.get(step.path) or self.stage.vault.notes.get(step.path)
            reason = self.why.get(step.path, "it is made again without what is forgotten")
            row = Gone(step.path, self._kind(step.path), note.id if note else "", reason)
            (recomputed if isinstance(step, Write) else removed).append(row)
        wanted = phrases((*self.turn_words, *self.words), self.kept)
        return Forgotten(tuple(removed), tuple(recomputed), wanted, tuple(self.edited))


def _untold(data: bytes, stems: frozenset[str]) -> bytes | None:
    """A journal, a person's too, without our lines about these files; None where there are none."""
    source = read(data)
    cuts = journal.without(source.text, stems)
    return source.spliced(cuts) if cuts else None
