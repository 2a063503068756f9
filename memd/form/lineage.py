"""Where things come from: which file is which, which turns an episode holds, which leaves it states, who supports what.

The lower half of `form.view`. Knows one snapshot. Never knows which of two leaves is current.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from functools import cached_property
from typing import Any

from memd.form.carry import taken_over
from memd.form.facts import Facts, read, refused, statements
from memd.form.keys import ID, proposition_print, target
from memd.model.note import Note
from memd.model.vault import Vault, stem

Stated = tuple[float, str, int]
"""When and where a leaf was last stated: seconds, episode id, place among what that episode states."""


class Lineage:
    """Ids go in and come out; `note(id)` leads to the file. Unknown ids give None or nothing.

    Two files with one id: the one that the vault's own look-up means; the other is an ordinary note.
    """

    def __init__(self, vault: Vault, before: Lineage | None = None) -> None:
        """`before`: the view of another snapshot, of which all is taken over that is the same."""
        self.vault = vault
        self.files: dict[str, Note] = {}
        self.by_path: dict[str, Facts] = {}
        self.by_kind: dict[str, dict[str, None]] = {}
        self.doubled = False
        self._stated: dict[str, Stated] = {}
        if before is None or not taken_over(self, before):
            self._read(before.by_path if before else {})

    def _read(self, known: Mapping[str, Facts]) -> None:
        for path, note in self.vault.notes.items():
            if note.kind == "note" or not note.id:
                continue
            if note.id in self.files:
                self.doubled = True
                if self.vault.by_id(note.id) is not note:
                    continue
                del self.by_kind[self.files[note.id].kind][note.id]
            self.by_kind.setdefault(note.kind, {})[note.id] = None
            self.files[note.id] = note
            facts = known.get(path)
            self.by_path[path] = facts if facts and facts.note is note else read(note)

    def note(self, id: str) -> Note | None:
        """The file with that id, or the evidence file of a turn's id (`ev-…#t3`)."""
        return self.files.get(id.partition("#")[0])

    def of_kind(self, kind: str) -> list[Note]:
        return [self.files[id] for id in self.by_kind.get(kind, ())]

    def facts(self, id: str) -> Facts:
        return self.by_path[self.files[id].path]

    # names -------------------------------------------------------------------------------------------------------

    @cached_property
    def stems(self) -> dict[str, str]:
        """Stem of an evidence file -> its id."""
        return {stem(note.path): note.id for note in self.of_kind("evidence")}

    def refer(self, link: str, source: str = "") -> str | None:
        """The id of the memory file that a link, a bare stem or an id means; None where none is there."""
        name = target(link)[0]
        if name in self.files:
            return name
        for found in reversed(ID.findall(name)):
            if found in self.files:
                return str(found)
        if name in self.stems:
            return self.stems[name]
        path = self.vault.resolve(name, source) if name else None
        note = self.vault.notes.get(path) if path else None
        return note.id if note is not None and self.files.get(note.id) is note else None

    def turn(self, link: str, source: str = "") -> str | None:
        """The turn id that a link to a turn (or a turn id) means; None where the file or the turn is not there."""
        name, block = target(link)
        id = self.refer(name, source)
        note = self.files.get(id) if id else None
        if note is None or note.kind != "evidence" or block not in self.turn_ids[note.id]:
            return None
        return f"{note.id}#{block}"

    # episodes and turns ------------------------------------------------------------------------------------------

    @cached_property
    def episodes(self) -> tuple[Note, ...]:
        """In the order of their arrival (`created`, then id)."""
        return tuple(sorted(self.of_kind("episode"), key=lambda n: (n.created, n.id)))

    @cached_property
    def turns_of(self) -> dict[str, tuple[str, ...]]:
        """Episode id -> ids of its turns that are there."""
        return {note.id: self.turns_in(note) for note in self.episodes}

    def turns_in(self, episode: Note) -> tuple[str, ...]:
        """The ids of the turns that an episode's `turns` key means and that are there."""
        stems, there, found = self.stems, self.turn_ids, []
        for name, block, link in self.by_path[episode.path].turns:
            id = stems.get(name)
            if id and block in there[id]:
                found.append(f"{id}#{block}")
            elif turn := self.turn(link, episode.path):
                found.append(turn)
        return tuple(found)

    @cached_property
    def turn_ids(self) -> dict[str, frozenset[str]]:
        """Evidence id -> block ids of its turns."""
        return {note.id: frozenset(turn.id for turn in note.turns) for note in self.of_kind("evidence")}

    @cached_property
    def episodes_of_turn(self) -> dict[str, tuple[str, ...]]:
        found: dict[str, list[str]] = defaultdict(list)
        for episode, turns in self.turns_of.items():
            for turn in turns:
                found[turn].append(episode)
        return {turn: tuple(episodes) for turn, episodes in found.items()}

    @cached_property
    def states(self) -> dict[str, tuple[str, ...]]:
        """Episode id -> ids of the leaves that it states and that are there, in order."""
        return {note.id: self.states_in(note) for note in self.episodes}

    def states_in(self, episode: Note) -> tuple[str, ...]:
        """The ids of the leaves that an episode's `states` key means and that are there."""
        found = []
        for id, link in self.by_path[episode.path].states:
            if id in self.files:
                found.append(id)
            elif leaf := self.refer(link, episode.path):
                found.append(leaf)
        return tuple(found)

    @cached_property
    def loose(self) -> frozenset[str]:
        """Episodes that link to a turn or a leaf which is not there, or not under the id in the link."""
        return frozenset(note.id for note in self.of_kind("episode") if self.is_loose(note))

    def is_loose(self, episode: Note) -> bool:
        """Whether one of its links leads nowhere, or not where its id says."""
        facts = self.by_path[episode.path]
        here = len(self.turns_of[episode.id]) == len(facts.turns)
        return not here or not all(id in self.files for id, _ in facts.states)

    def leaf_facts(self) -> list[Facts]:
        """The keys of every leaf."""
        return [self.by_path[note.path] for note in self.of_kind("leaf")]

    @cached_property
    def support(self) -> dict[str, tuple[str, ...]]:
        """Leaf id -> ids of the episodes that state it."""
        found: dict[str, list[str]] = defaultdict(list)
        for episode, leaves in self.states.items():
            for leaf in dict.fromkeys(leaves):
                found[leaf].append(episode)
        return {leaf: tuple(episodes) for leaf, episodes in found.items()}

    def statement(self, episode: str, leaf: str) -> dict[str, Any]:
        """What stands in `extracted.statements` of the episode on the leaf; empty where nothing does."""
        note = self.files[episode]
        return next((s for s in statements(note) if self.refer(str(s.get("leaf", "")), note.path) == leaf), {})

    def born(self, leaf: str) -> str:
        """The episode that brought the leaf: the first to state it, the second where that one had not been sure enough
        to be believed alone. "": none does."""
        came = sorted(self.support.get(leaf, ()), key=lambda e: (self.files[e].created, self.said_key(e)))
        doubted = len(came) > 1 and came[0] in self._weak.get(leaf, ())
        return came[doubted] if came else ""

    @cached_property
    def _weak(self) -> dict[str, set[str]]:
        """Leaf id -> episodes that state it, but not surely enough to bear it alone."""
        found: dict[str, set[str]] = defaultdict(set)
        for note in self.episodes:
            for link in self.facts(note.id).weak:
                if leaf := self.refer(link, note.path):
                    found[leaf].add(note.id)
        return found

    def supported(self, id: str) -> bool:
        """At least one episode states it surely, or two do at all; a leaf that a person made needs none."""
        episodes = self.support.get(id, ())
        if not episodes:
            return id in self.files and self.files[id].origin == "human"
        return len(episodes) > 1 or episodes[0] not in self._weak.get(id, ())

    def stands(self, id: str) -> bool:
        """A leaf that is supported and that nobody has set inactive or withdrawn, superseded or not."""
        note = self.files.get(id)
        return note is not None and note.kind == "leaf" and note.status in ("", "active") and self.supported(id)

    def said_key(self, episode: str) -> tuple[float, str]:
        """When an episode counts as said: its end, else its beginning, else when it was captured."""
        note = self.files[episode]
        at = self.by_path[note.path].said
        return (note.created if at is None else at, note.id)

    def last_stated(self, id: str) -> Stated:
        """Of a leaf that no episode states: its own time."""
        if id not in self._stated:
            note = self.files[id]
            own = (self.by_path[note.path].observed or note.created, "", 0)
            self._stated[id] = max((self._stated_by(e, id) for e in self.support.get(id, ())), default=own)
        return self._stated[id]

    def _stated_by(self, episode: str, leaf: str) -> Stated:
        at, id = self.said_key(episode)
        leaves = self.states[episode]
        return at, id, len(leaves) - 1 - leaves[::-1].index(leaf)

    @cached_property
    def refusals(self) -> dict[str, tuple[tuple[str, str, float], ...]]:
        """Fingerprint -> (episode, text, confidence) of atoms that were not admitted."""
        found: dict[str, list[tuple[str, str, float]]] = defaultdict(list)
        for note in self.episodes:
            for item in refused(note):
                text, sure = str(item.get("text", "")), item.get("confidence", 0)
                known = float(sure) if isinstance(sure, int | float) else 0.0
                found[proposition_print(text)].append((note.id, text, known))
        return {printed: tuple(items) for printed, items in found.items()}

    def vouchers(self, printed: str, besides: str, least: float) -> tuple[tuple[str, str, float], ...]:
        """(episode, text, confidence) of refused atoms with this fingerprint and at least this confidence, in episodes but `besides`."""
        return tuple(
            (id, text, sure) for id, text, sure in self.refusals.get(printed, ()) if id != besides and sure >= least
        )
