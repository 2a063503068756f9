"""The retrieval pack: what an agent may reason from, each item with who said it and when, bounded in number and length.

Superseded values are history and never facts. Knows what was found. Never ranks, never renders.
"""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import Any

from msgspec import Struct, structs

from memd.form.keys import seconds
from memd.model.note import Note, Observation
from memd.recall import memories, turns, weights
from memd.recall.intent import Intent
from memd.recall.names import clean, short
from memd.recall.spoken import stems, telling
from memd.recall.telling import Teller

FEEDS = {
    "constraints": ("constraint", "requirement", "rule", "limit", "限制", "约束", "要求"),
    "blockers": ("blocker", "blocked", "problem", "issue", "阻塞", "障碍", "问题"),
    "open_questions": ("question", "open", "todo-question", "疑问", "待定", "未决"),
}
"""Fields of the pack and the categories of observations that feed them."""

RECENT_DAYS = 30
HIGH_SIGNAL = 5
NOTES = 3
"""Notes of a person's own that are told beside facts."""


class Material(Struct, frozen=True):
    """What was found: leaves that are current, their earlier versions, and the rest by kind."""

    facts: list[memories.Found]
    history: list[memories.Found]
    evidence: list[turns.Found]
    notes: list[memories.Found]
    profile: list[dict[str, Any]] = []


def sorted_leaves(
    teller: Teller, found: list[memories.Found], most: int
) -> tuple[list[memories.Found], list[memories.Found]]:
    """(current, superseded) leaves. A hit on an earlier version brings the current one with it; those that no source
    bears, and those set aside, are neither."""
    memory = teller.memory
    facts: dict[str, memories.Found] = {}
    history: dict[str, memories.Found] = {}
    for each in found:
        id = each.note.id
        if not memory.stands(id):
            continue
        newer = memory.superseded(id)
        if newer is None:
            facts.setdefault(id, each)
            continue
        history.setdefault(id, each)
        current = memory.files.get(newer)
        if newer not in facts and current is not None and teller.scope.note(current):
            facts[newer] = structs.replace(each, note=current)
    for each in relevant(list(facts.values()), most):
        for old in memory.versions(each.note.id):
            note = memory.files[old]
            if old != each.note.id and old not in history and memory.stands(old) and teller.scope.earlier(note):
                score = each.score * 0.5
                history[old] = memories.Found(note, score=score, parts={"newer": score})
    return list(facts.values()), list(history.values())


def relevant(found: list[memories.Found], most: int) -> list[memories.Found]:
    """Those near the best one; a far match is no fact about the matter."""
    best = max((each.score for each in found), default=0.0)
    most_shared = max((each.shared for each in found), default=0.0)
    near = (each for each in found if each.score >= weights.WEAK * best)
    kept = (each for each in near if each.shared >= weights.SPEAKS * most_shared or each.score >= weights.CLOSE * best)
    return list(islice(kept, most))


def pack(teller: Teller, material: Material, intent: Intent, now: datetime, most: int) -> dict[str, Any]:
    """`retrieval_pack` without the recommendation, which needs the gaps."""
    facts = [teller.fact(each) for each in relevant(material.facts, most)]
    notes = [each for each in relevant(material.notes, NOTES) if each.note.kind == "note"]
    return {
        "known_facts": [*material.profile[:3], *facts, *(teller.noted(each, intent) for each in notes)][:most],
        "history": [_past(teller, each) for each in material.history[:most]],
        "recent_high_signal_items": _recent(teller, material, now),
        **{field: observed(teller, material.notes, field, intent) for field in FEEDS},
    }


def _past(teller: Teller, each: memories.Found) -> dict[str, Any]:
    told = teller.fact(each)
    return told | {"superseded_by": teller.memory.superseded(each.note.id) or "", "stale": False}


def _recent(teller: Teller, material: Material, now: datetime) -> list[dict[str, Any]]:
    """The latest of what was found, leaves before turns, the newest first."""
    since, until = now.timestamp() - RECENT_DAYS * 86400, now.timestamp()
    made = [(teller.memory.last_stated(each.note.id)[0], each) for each in relevant(material.facts, 20)]
    said = [(seconds(each.turn.at) or 0.0, each) for each in material.evidence[:8] if each.known]
    found: list[tuple[float, memories.Found | turns.Found]] = [*made, *said]
    found = sorted((pair for pair in found if since <= pair[0] <= until), key=lambda pair: -pair[0])
    return [
        teller.fact(each) if isinstance(each, memories.Found) else _spoken(teller, each)
        for _, each in found[:HIGH_SIGNAL]
    ]


def _spoken(teller: Teller, each: turns.Found) -> dict[str, Any]:
    told = teller.turn(each)
    return {
        "text": told["quote"],
        "kind": "said",
        "holder": "",
        "said_by": told["speaker"],
        "at": told["at"],
        "ids": [told["id"]],
        "stale": False,
        "untrusted": told["untrusted"],
    }


def observed(teller: Teller, notes: list[memories.Found], field: str, intent: Intent) -> list[dict[str, Any]]:
    """Observations of the notes that were found, the ones with the question's words first."""
    asked = stems(intent.matter)
    ranked: list[tuple[float, Note, Observation]] = []
    for each in (one for one in notes if one.note.observations):
        title = set(telling(each.note.title))
        for seen in each.note.observations:
            if seen.category.casefold() in FEEDS[field]:
                shared = len(asked & ({*telling(seen.text)} | title)) / max(1, len(asked))
                if each.shared and (shared or each.score > 0.6):
                    ranked.append((each.score + shared, each.note, seen))
    ranked.sort(key=lambda row: -row[0])
    return [
        {
            "text": short(seen.text, teller.room),
            "source": clean(note.permalink),
            "line": seen.line,
            "id": note.id,
        }
        for _, note, seen in ranked[:5]
    ]
