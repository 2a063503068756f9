"""What memory has made and people have written that answers a question: leaves, chains, summaries, episodes, profile, notes.

Candidates by words and by meaning over their maxima; never a gate for turns. Knows the snapshot and two ports. Never
knows how an answer is packed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct, structs

from memd.form import canopy, view
from memd.form.facts import quotes
from memd.form.ownership import OWNER_WORDS
from memd.index.port import Bodies, Hit, Index
from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.model.vault import Vault
from memd.recall import weights
from memd.recall.intent import Intent
from memd.recall.query import telling
from memd.recall.scope import Scope
from memd.recall.snippets import needles
from memd.recall.spoken import Wanted, noted

OWN = ("leaf", "chain", "note", "profile")
OVER = ("summary", "episode")


class Found(Struct):
    """`shared` is the share of the question's words that its own words have; `parts` add up to the score."""

    note: Note
    words: float = 0.0
    meaning: float = 0.0
    shared: float = 0.0
    score: float = 0.0
    parts: dict[str, float] = {}


def memories(scope: Scope, index: Index, bodies: Bodies, intent: Intent) -> dict[str, list[Found]]:
    """By kind, best first, those that speak of the question. Kinds without a hit are not there."""
    only = scope.files()
    found: dict[str, Found] = {}
    for kinds in (OWN, OVER):
        said = index.words(structs.replace(telling(intent.query), kinds=kinds, only=only), weights.MEMORIES)
        meant = index.meaning(intent.words, weights.MEMORIES, kinds, only)
        _mix(scope, said, meant.hits, found)
    every = scope.whole(intent)
    for note in scope.latest(only, weights.MEMORIES) if only and every else ():
        found.setdefault(note.path, Found(note))
    _compare(found.values(), intent)
    order = sorted(found.values(), key=lambda each: (-round(each.score, 4), -scope.when(each.note), each.note.path))
    by: dict[str, list[Found]] = {}
    for each in order if every else _speaking(order, bodies, intent):
        by.setdefault(each.note.kind, []).append(each)
    return by


def _compare(found: Iterable[Found], intent: Intent) -> None:
    """What a memory has of the question's words, and whether it is about the owner who asks."""
    wanted = Wanted((*intent.telling, *intent.matter))
    personal = intent.own and intent.kind in ("preference", "identity")
    for each in found:
        each.shared = wanted.share(noted(each.note))
        each.parts["shared"] = weights.SHARED * each.shared
        if personal and fold(str(each.note.frontmatter.get("subject") or "")) in OWNER_WORDS:
            each.parts["own"] = weights.OWN
        each.score = sum(each.parts.values())


def _speaking(order: Iterable[Found], bodies: Bodies, intent: Intent) -> Iterator[Found]:
    """Those with a word of the question or a meaning near it; a few bodies are looked into, which the snapshot has not."""
    wanted, left = [needle for needle, _ in needles(intent.matter or intent.telling)], weights.READ
    for each in order:
        if each.shared or each.meaning >= weights.FAMILIAR:
            yield each
        elif each.words > 0 and each.note.kind not in ("leaf", "chain") and left:
            left -= 1
            text = fold(bodies.text(each.note.path) or "")
            if any(needle in text for needle in wanted):
                yield each


def _mix(scope: Scope, said: Sequence[Hit], meant: Sequence[Hit], found: dict[str, Found]) -> None:
    """Half words over their maximum, half meaning by how far it stands behind the best."""
    vault = scope.vault
    fresh: dict[str, Found] = {}
    for hits, by_words in ((said, True), (meant, False)):
        for hit in hits:
            note = vault.notes.get(hit.path)
            if note is None or not scope.note(note):
                continue
            each = fresh.setdefault(hit.path, Found(note))
            if by_words:
                each.words = max(each.words, hit.score)
            else:
                each.meaning = max(each.meaning, hit.score)
    most = max((each.words for each in fresh.values()), default=0.0) or 1.0
    best = max((each.meaning for each in fresh.values()), default=0.0)
    for each in fresh.values():
        each.parts = {"words": each.words / most / (2 if best else 1)}
        if best:
            behind = (best - each.meaning) / weights.MEANING_WIDTH / weights.MEANING_DEEPEST
            each.parts["meaning"] = max(0.0, 1 - behind) / 2
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
            score = each.score * 0.9
            out[root.id] = Found(root, score=score, parts={"tree": score})
    return list(out.values())[:many]
