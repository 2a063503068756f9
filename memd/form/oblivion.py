"""One forget under way: what is gone, what is made again, and why, gathered as a staged plan.

Sources first (turns, episodes), then leaves; what rests on leaves is `form.aftermath`. Each stage sees the vault as the
one before leaves it. Knows the view before, the staged snapshot after. Decides by support alone.
"""

from __future__ import annotations

from datetime import datetime
from functools import partial

from msgspec import Struct

from memd.form import files, view
from memd.form.compose import Stage
from memd.form.facts import extracted, quoted, quotes
from memd.form.forgetting import (
    episode_doubts,
    episode_forgets,
    episode_without,
    evidence_without,
    repointed,
)
from memd.form.keys import proposition_print
from memd.form.leaves import admit, words_of
from memd.form.purge import mentions, phrases
from memd.form.restated import CARRIED, atom_of, told_by
from memd.form.scope import Scope
from memd.model.config import Config
from memd.model.fingerprint import make_id
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import Plan, Remove, Write
from memd.model.question import Asking
from memd.model.vault import Vault
from memd.parse.memory import narrative
from memd.parse.memory import turns as turns_in
from memd.parse.text import decode


class Gone(Struct, frozen=True):
    path: str
    kind: str
    id: str
    reason: str


class Forgotten(Struct, frozen=True):
    """Told by `forget`. `phrases` are words that must be found nowhere after a purge: never log or write them.
    `edited`: derived files that a person changed and that memd therefore leaves."""

    removed: tuple[Gone, ...] = ()
    recomputed: tuple[Gone, ...] = ()
    phrases: tuple[str, ...] = ()
    edited: tuple[str, ...] = ()


class Work:
    """`why`: path -> the reason of its change. `words`, `turn_words`: what was said in what goes; `kept`: in what stays.
    `touched`: leaves of episodes that changed; `made`: leaves that came anew."""

    def __init__(self, vault: Vault, config: Config, now: datetime, scope: Scope) -> None:
        self.memory, self.config, self.now, self.scope = view.of(vault), config, now, scope
        self.stage = Stage(vault, now, config.formation.folder)
        self.why: dict[str, str] = {}
        self.words: list[str] = []
        self.kept: list[str] = []
        self.turn_words: list[str] = []
        self.gone_leaves: set[str] = set()
        self.touched: set[str] = set()
        self.made: set[str] = set()
        self.edited: list[str] = []

    def write(self, note: Note, data: bytes, reason: str) -> None:
        self.why.setdefault(note.path, reason)
        self.stage.add(Plan((Write(note.path, data, note.sha256 or None),)))

    def remove(self, note: Note, reason: str) -> None:
        self.why[note.path] = reason
        self.stage.add(Plan((Remove(note.path, note.sha256 or None),)))

    # evidence and episodes ---------------------------------------------------------------------------------------

    def sources(self) -> Asking:
        """Turns leave their files, and episodes are told again over the turns that are left."""
        memory, gone = self.memory, self.scope.turns
        for id in sorted({turn.partition("#")[0] for turn in gone}):
            yield from self._evidence(memory.files[id], {t.partition("#")[2] for t in gone if t.startswith(f"{id}#")})
        hit = {e for turn in gone for e in memory.episodes_of_turn.get(turn, ())} | self.scope.episodes
        for id in sorted(hit):
            every = yield from words_of(memory, id)
            said = tuple(s for s in every if s.id not in gone)
            lost = phrases((s.text for s in every if s.id in gone), (s.text for s in said))
            states = [leaf for leaf in memory.states[id] if self._still(leaf, memory.files[id], said, lost)]
            yield from self._retold(id, said, states)
        yield from self._neighbours(hit)

    def _neighbours(self, hit: set[str]) -> Asking:
        """Other episodes of the same material that tell what only forgotten turns said: whoever worded them had heard it."""
        memory, lost = self.memory, phrases(self.turn_words, self.kept)
        heard = {turn.partition("#")[0] for turn in self.scope.turns}
        near = {e for t, es in memory.episodes_of_turn.items() if t.partition("#")[0] in heard for e in es} - hit
        for id in sorted(near) if lost else ():
            data = yield from self.stage.read(memory.files[id].path)
            states = [leaf for leaf in memory.states[id] if not mentions(memory.files[leaf].lead, lost)]
            if len(states) < len(memory.states[id]) or (data and mentions(narrative(decode(data)[0]), lost)):
                yield from self._retold(id, (yield from words_of(memory, id)), states)

    def _retold(self, id: str, said: tuple[Said, ...], states: list[str]) -> Asking:
        """The episode over these turns alone, stating these leaves; without a turn it goes."""
        note = self.memory.files[id]
        self.words += [note.title, note.lead, str(note.frontmatter.get("topic", ""))]
        self.touched |= set(self.memory.states[id])
        data = yield from self.stage.read(note.path)
        if not said or data is None:
            self.remove(note, "nothing of what it tells is left")
            return
        made = episode_without(note, data, said, states, self.memory)
        self.write(note, made, "it is told again without what is forgotten")

    def _evidence(self, note: Note, gone: set[str]) -> Asking:
        data = yield from self.stage.read(note.path)
        if data is None:
            return
        for said in turns_in(note, decode(data)[0]):
            (self.turn_words if said.id.partition("#")[2] in gone else self.kept).append(said.text)
        if gone >= {turn.id for turn in note.turns}:
            self.remove(note, f"the {self.scope.kind} is forgotten")
        else:
            self.write(note, evidence_without(data, gone), f"{len(gone)} of its turns are forgotten")

    def _still(self, leaf: str, episode: Note, said: tuple[Said, ...], lost: tuple[str, ...]) -> bool:
        """Whether the turns left in an episode still state the leaf: a quote lies in them, and its own words have no
        phrase that only forgotten turns said. Rules take a leaf's words from one turn, and what says it again says all
        of it; others word it from all its turns together. Doubt forgets."""
        note = self.memory.files[leaf]
        if mentions(note.lead, lost):
            return False
        own = [q["turn"] for q in (*quotes(note), *quoted(self.memory.statement(episode.id, leaf).get("quotes")))]
        left = {turn.id for turn in said}
        here = set(self.memory.turns_of[episode.id])
        stands = [turn in left for name in own if (turn := self.memory.turn(name)) in here]
        together = str(note.frontmatter.get("method", "")) not in ("rules", "human")
        return all(stands) and bool(stands) if together else any(stands)

    # leaves ------------------------------------------------------------------------------------------------------

    def leaves(self) -> Asking:
        """Leaves without support go; those that others carry are made again from these."""
        memory, now = self.memory, view.of(self.stage.vault)
        quoting = {n.id for n in memory.of_kind("leaf") if self._quotes_gone(n)}
        orphans = {n.id for n in now.of_kind("leaf") if not now.support.get(n.id) and n.origin != "human"}
        affected = {id for id in self.touched | quoting if id in memory.files}
        stood = {id for id in affected if memory.support.get(id) and memory.supported(id)}
        lost = {id for id in stood if not (now.support.get(id) and now.supported(id))}
        unsaid = frozenset(id for id in affected - lost if self._a_persons(id, memory) and not self._a_persons(id, now))
        affected -= unsaid
        others = frozenset(i for i in affected - lost if self._birth_gone(i, now) and self._worded_otherwise(i, now))
        self.gone_leaves = set(self.scope.leaves) | lost | orphans | others | unsaid
        yield from self._doubted(lost - self.scope.leaves, now)
        for id in sorted(self.gone_leaves):
            note = memory.files[id]
            self.words.append(note.lead or note.title)
            asked = id in self.scope.leaves
            self.remove(note, f"the {self.scope.kind} is forgotten" if asked else "nothing that is left states it")
        yield from self._unstate(self.scope.leaves, for_good=True)
        yield from self._unstate((others | unsaid) - self.scope.leaves, for_good=False)
        for id in sorted(affected - self.gone_leaves):
            if now.born(id) and (id in quoting or self._birth_gone(id, now)):
                yield from self._carried(id, now)
        for id, keys in sorted(repointed(memory, self.gone_leaves).items()):
            note = self.stage.vault.notes[memory.files[id].path]
            data = yield from self.stage.read(note.path)
            if data is not None:
                reason = "what it replaced, or was replaced by, is gone"
                self.write(note, files.with_keys(data, keys | self._unnamed(note)), reason)
        yield from self._reworded(others - self.scope.leaves, now)

    def _a_persons(self, id: str, now: view.Memory) -> bool:
        """Whether the leaf's words are a person's edit of it, and what they said then is there. An id is made of the
        words that a leaf came with."""
        note, facts = self.memory.files[id], self.memory.facts(id)
        trail = note.frontmatter.get("moved")
        moved = [str(m.get("from", "")) for m in trail if isinstance(m, dict)] if isinstance(trail, list) else []
        edited = note.origin == "human" and id not in {
            make_id("lf", tree, facts.fingerprint) for tree in (facts.tree, *moved)
        }
        return edited and any(now.files[e].origin == "human" for e in now.support.get(id, ()))

    def _unnamed(self, note: Note) -> dict[str, None]:
        """An aspect in words that were forgotten goes from a leaf that took it over; its own words stay."""
        own = (note.lead, *(quote["text"] for quote in quotes(note)))
        wanted = phrases((*self.words, *self.turn_words), own)
        return {"aspect": None} if mentions(str(note.frontmatter.get("aspect", "")), wanted) else {}

    def _doubted(self, lost: set[str], now: view.Memory) -> Asking:
        """Episodes that may not bear a leaf alone lose it with the others that stated it."""
        for id in sorted({e for leaf in lost for e in now.support.get(leaf, ())}):
            note = now.files[id]
            data = yield from self.stage.read(note.path)
            if data is not None:
                self.write(note, episode_doubts(note, data, lost, now), "it may not say alone what another said too")

    def _quotes_gone(self, note: Note) -> bool:
        return any(self.memory.turn(q["turn"], note.path) in self.scope.turns for q in quotes(note))

    def _birth_gone(self, id: str, now: view.Memory) -> bool:
        return self.memory.born(id) != now.born(id)

    def _carried(self, id: str, now: view.Memory) -> Asking:
        """The leaf as if the first of the episodes that are left had brought it."""
        note, episode = self.memory.files[id], now.files[now.born(id)]
        said = yield from self._said(now, episode.id)
        data = yield from self.stage.read(note.path)
        if data is not None:
            self.words += [q["text"] for q in quotes(note)]
            made = told_by(note, data, tuple(said), now.statement(episode.id, id), episode)
            self.write(note, made, "other material states it; its own words are made again from that")

    def _said(self, now: view.Memory, episode: str) -> Asking:
        found: list[Said] = []
        for turn in now.turns_of[episode]:
            note = now.note(turn)
            data = (yield from self.stage.read(note.path)) if note else None
            if note and data is not None:
                found += [s for s in turns_in(note, decode(data)[0]) if s.id == turn]
        return found

    def _unstate(self, gone: frozenset[str], for_good: bool) -> Asking:
        """Episodes drop the leaves; `for_good`: and do not bring them up again."""
        memory = self.memory
        for id in sorted({e for leaf in gone for e in memory.support.get(leaf, ())}):
            note = self.stage.vault.notes.get(memory.files[id].path)
            data = (yield from self.stage.read(note.path)) if note else None
            if note is not None and data is not None:
                prints = [memory.facts(i).fingerprint for i in memory.states[id] if i in gone and for_good]
                made = episode_forgets(note, data, gone, prints, memory)
                self.write(note, made, "it does not state what is forgotten")

    def _worded_otherwise(self, id: str, now: view.Memory) -> bool:
        """Whether the leaf's words are the forgotten source's, and the first that is left says the same in others."""
        note, first = self.memory.files[id], now.born(id)
        text = str(now.statement(first, id).get("text", "")) if first and note.origin != "human" else ""
        kind, on = str(note.frontmatter.get("kind", "")), str(note.frontmatter.get("valid_from") or "")
        return bool(text) and proposition_print(text, kind, on) != self.memory.facts(id).fingerprint

    def _reworded(self, others: frozenset[str], now: view.Memory) -> Asking:
        """Each of those that are left says it in its own words, in the order in which they came."""
        for id in sorted(others):
            for episode in sorted(now.support[id], key=lambda e: (now.files[e].created, e)):
                note = self.stage.vault.notes[now.files[episode].path]
                atom = atom_of(self.memory.files[id], now.statement(episode, id), now.tree_of(id), CARRIED)
                method = str(extracted(note).get("method", "rules"))
                step = partial(admit, config=self.config, now=self.now, episode=note, atoms=(atom,), method=method)
                told = yield from self.stage.run(step)
                self.made |= {outcome.id for outcome in told if outcome.id}
