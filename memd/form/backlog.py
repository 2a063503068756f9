"""What is not done yet, from the files alone: each step signs the file it finished, so what is not signed is due.

Knows the view and which method is wanted. Never knows when anything last ran.
"""

from __future__ import annotations

from msgspec import Struct

from memd.form import canopy, chains
from memd.form.facts import extracted
from memd.form.files import profile_path
from memd.form.profile_mark import unseen
from memd.form.view import UNCATEGORIZED, Memory
from memd.model.config import Config
from memd.model.note import Note


class Backlog(Struct, frozen=True):
    """Ids of what waits, a layer each. `seals`: trees with a full group; `stale`: summaries."""

    turns: tuple[str, ...] = ()
    episodes: tuple[str, ...] = ()
    atoms: tuple[str, ...] = ()
    chains: tuple[str, ...] = ()
    seals: tuple[str, ...] = ()
    stale: tuple[str, ...] = ()
    profile: tuple[str, ...] = ()
    uncategorized: tuple[str, ...] = ()

    def counts(self) -> dict[str, int]:
        """What `status` shows (files not indexed are the daemon's to count)."""
        return {field: len(getattr(self, field)) for field in self.__struct_fields__}


def backlog(memory: Memory, config: Config) -> Backlog:
    tops = canopy.of(memory)
    group = max(2, config.formation.seal)
    page = memory.profile or memory.vault.notes.get(profile_path(config.formation.folder))
    return Backlog(
        turns=turns(memory),
        episodes=tuple(e.id for e in memory.episodes if not _narrated(e)),
        atoms=tuple(e.id for e in memory.episodes if _narrated(e) and not signed(e, config.formation.method)),
        chains=unchained(memory),
        seals=tuple(tree for tree in memory.trees if tops.ready(tree, group)),
        stale=tuple(sorted(tops.stale)),
        profile=tuple(e.id for e in unseen(memory, page.frontmatter if page else {})),
        uncategorized=tuple(n.id for n in memory.leaves(UNCATEGORIZED) if memory.active(n.id)),
    )


def turns(memory: Memory) -> tuple[str, ...]:
    """Turns that no episode holds, in the order of the files."""
    held = memory.episodes_of_turn
    notes = sorted(memory.of_kind("evidence"), key=lambda n: (n.created, n.path))
    return tuple(id for note in notes for turn in note.turns if (id := f"{note.id}#{turn.id}") not in held)


def _narrated(episode: Note) -> bool:
    """An episode's narrative is signed by its method."""
    return bool(episode.frontmatter.get("method"))


def signed(episode: Note, wanted: str) -> bool:
    """Read for atoms by the wanted method, or by a person or an agent, who are not read over again."""
    method = str(extracted(episode).get("method", ""))
    return bool(method) and (wanted != "llm" or method != "rules")


def unchained(memory: Memory) -> tuple[str, ...]:
    """Leaves that belong into a chain which does not say so yet."""
    there = {chains.matter_of(n): n for n in memory.of_kind("chain")}
    found: list[str] = []
    for matter, members in chains.matters(memory).items():
        note = there.get(matter)
        if note is None or not chains.settled(memory, note, members):
            known = set(memory.members.get(note.id, ())) if note else set()
            found += [m for m in members if m not in known] or list(members[-1:])
    return tuple(found)
