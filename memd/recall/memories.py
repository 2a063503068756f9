"""What memory has made and people have written that answers a question: leaves, chains, summaries, episodes, profile, notes.

Candidates by words and by meaning over their maxima; never a gate for turns. Knows the snapshot and two ports. Never
knows how an answer is packed.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, structs

from memd.form import canopy, view
from memd.form.facts import quotes
from memd.index.port import Hit, Index
from memd.model.note import Note
from memd.model.vault import Vault
from memd.recall import weights
from memd.recall.intent import Intent
from memd.recall.scope import Scope
from memd.recall.spoken import noted, stems_of

OWN = ("leaf", "chain", "note", "profile")
OVER = ("summary", "episode")


class Found(Struct):
    """`score` is from 0 to 1; `shared` is the share of the question's telling words that its own words have."""

    note: Note
    words: float = 0.0
    meaning: float = 0.0
    score: float = 0.0
    shared: float = 0.0


def memories(scope: Scope, index: Index, intent: Intent) -> dict[str, list[Found]]:
    """By kind, best first. Kinds without a hit are not there."""
    paths = scope.paths(scope.note, False)
    found: dict[str, Found] = {}
    for kinds in (OWN, OVER):
        query = structs.replace(intent.query, kinds=kinds, paths=paths)
        said = index.words(query, weights.MEMORIES) if paths is None or paths else []
        meant = index.meaning(intent.words, weights.MEMORIES, kinds)
        _mix(scope, said, list(meant.hits), paths, found)
    asked = {stem for word in intent.telling for stem in stems_of(word)}
    for each in found.values():
        each.shared = len(asked & noted(each.note)) / max(1, len(asked))
    by: dict[str, list[Found]] = {}
    for each in sorted(
        found.values(), key=lambda f: (-round(f.score + 0.25 * f.shared, 4), -f.note.modified, f.note.path)
    ):
        if each.words > 0 or each.meaning >= weights.FAMILIAR:
            by.setdefault(each.note.kind, []).append(each)
    return by


def _mix(
    scope: Scope, said: list[Hit], meant: list[Hit], paths: frozenset[str] | None, found: dict[str, Found]
) -> None:
    """Half words over their maximum, half meaning by how far it stands behind the best."""
    vault = scope.vault
    fresh: dict[str, Found] = {}
    for hits, by_words in ((said, True), (meant, False)):
        for hit in hits:
            note = vault.notes.get(hit.path)
            if note is None or (paths is not None and hit.path not in paths) or not scope.note(note):
                continue
            each = fresh.setdefault(hit.path, Found(note))
            if by_words:
                each.words = max(each.words, hit.score)
            else:
                each.meaning = max(each.meaning, hit.score)
    most = max((each.words for each in fresh.values()), default=0.0) or 1.0
    best = max((each.meaning for each in fresh.values()), default=0.0)
    for each in fresh.values():
        near = max(0.0, 1 - (best - each.meaning) / weights.MEANING_WIDTH / weights.MEANING_DEEPEST) if best else 0.0
        each.score = each.words / most if not best else (each.words / most + near) / 2
    found |= fresh


def borne(vault: Vault, leaves: list[Found]) -> Mapping[str, float]:
    """Units of the turns that the best leaves quote, with the leaf's score."""
    memory = view.of(vault)
    units: dict[str, float] = {}
    for each in leaves[:20]:
        for quote in quotes(each.note):
            turn = memory.turn(quote["turn"], each.note.path)
            file = memory.note(turn) if turn else None
            if turn and file:
                units.setdefault(f"{file.path}#{turn.partition('#')[2]}", each.score)
    return units


def roots(scope: Scope, leaves: list[Found], many: int) -> list[Found]:
    """The root summaries of the trees that the best leaves stand in: what a broad question is answered from."""
    memory = scope.memory
    tops = canopy.of(memory).roots
    out: dict[str, Found] = {}
    for each in leaves:
        root = tops.get(memory.tree_of(each.note.id))
        if root is not None and root.id not in out and scope.note(root):
            out[root.id] = Found(root, score=each.score * 0.9)
    return list(out.values())[:many]
