"""One result per lineage: of a chain and its leaf, a leaf and the turn it quotes, only the better one is shown.

Knows what memory's files say together. Never knows words or scores: it is asked in the order of the ranking.
"""

from __future__ import annotations

from functools import cached_property

from memd.form import view
from memd.model.note import Note
from memd.model.vault import Vault


class Lineages:
    """`admit` says whether a hit says something that the better ones did not, and remembers it."""

    def __init__(self, vault: Vault) -> None:
        self._vault = vault
        self._leaves: set[str] = set()
        self._chains: set[str] = set()
        self._turns: set[str] = set()
        self._quoted: set[str] = set()

    @cached_property
    def _memory(self) -> view.Memory:
        return view.of(self._vault)

    def superseded(self, note: Note) -> str | None:
        """The id of the leaf that stands in the place of this one."""
        return self._memory.superseded(note.id) if note.kind == "leaf" and note.id else None

    def admit(self, note: Note, turn: str = "") -> bool:
        """`turn` is the block id of a turn of evidence."""
        if turn:
            return self._turn(f"{note.id}#{turn}")
        return {"leaf": self._leaf, "chain": self._chain, "episode": self._episode}.get(note.kind, _always)(note)

    def _turn(self, id: str) -> bool:
        if id in self._quoted:
            return False
        self._turns.add(id)
        return True

    def _leaf(self, note: Note) -> bool:
        turns = self._quotes(note)
        if self._memory.chain_of.get(note.id) in self._chains or turns & self._turns:
            return False
        self._leaves.add(note.id)
        self._quoted |= turns
        return True

    def _quotes(self, note: Note) -> set[str]:
        found = note.frontmatter.get("quotes")
        links = [str(q.get("turn", "")) for q in found if isinstance(q, dict)] if isinstance(found, list) else []
        return {turn for link in links if (turn := self._memory.turn(link, note.path))}

    def _chain(self, note: Note) -> bool:
        if self._leaves & set(self._memory.members.get(note.id, ())):
            return False
        self._chains.add(note.id)
        return True

    def _episode(self, note: Note) -> bool:
        states = self._leaves & set(self._memory.states.get(note.id, ()))
        turns = (self._turns | self._quoted) & set(self._memory.turns_of.get(note.id, ()))
        if states or turns:
            return False
        self._quoted |= set(self._memory.turns_of.get(note.id, ()))
        return True


def _always(note: Note) -> bool:
    return True
