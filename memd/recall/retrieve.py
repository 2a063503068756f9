"""`memory.retrieve`: a bounded answer to reason from: intent, filters, candidates, ranking, pack, gaps, text.

Knows how the parts make an answer. Never knows sockets, files or engines: those come as a snapshot and two ports.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import structs

from memd.form import profile_text
from memd.index.port import Bodies, Index
from memd.model.vault import Vault
from memd.recall import asked, days, memories, prompt, turns
from memd.recall.gaps import confidence, gaps, recommended
from memd.recall.intent import Intent, Judged, understood
from memd.recall.names import clean
from memd.recall.pack import Material, pack, sorted_leaves
from memd.recall.scope import Scope
from memd.recall.spoken import noted, stems, telling
from memd.recall.telling import Teller

_PERSONAL = ("preference", "identity", "briefing", "planning")


def retrieve(
    vault: Vault,
    index: Index,
    bodies: Bodies,
    params: asked.Retrieve,
    now: datetime,
    within: str = "",
    judged: Judged | None = None,
) -> dict[str, Any]:
    """The contract's result without `index`. `now` is in the vault's zone; nothing outside the folder `within` is shown.
    `judged` is what a model said of the question, where one may be asked; then the answer says who told its intent.

    Raises Refused: invalid_params.
    """
    zone = now.tzinfo
    assert zone is not None
    scope = Scope(vault, params, zone, within)
    intent = days.placed(understood(params.query, now.date(), judged.kind if judged else ""), scope, now)
    if params.time_range is None and days.bound(intent, now.date()):
        scope.narrowed(*days.seconds(intent, zone))
    found = memories.memories(scope, index, bodies, intent)
    leaves = found.get("leaf", [])
    spoken = turns.turns(scope, index, bodies, intent, memories.borne(vault, leaves))
    teller = Teller(scope, bodies, now, _room(params.max_tokens), params.explain)
    facts, history = sorted_leaves(teller, _with_chains(scope, found), params.max_results)
    lines = _profile(scope, bodies, intent, facts, now)
    notes = [*found.get("note", []), *found.get("episode", [])]
    material = Material(facts, history, list(spoken.found), notes, lines)
    answer = _answer(teller, material, intent, params, spoken, found)
    if judged:
        answer["coverage"] |= {"intent_by": "llm" if judged.kind else "rules", "intent_why": judged.why}
    return answer


def _room(tokens: int) -> int:
    """Characters of one text that are shown: a share of what the whole may have."""
    return max(80, min(600, tokens * 4 // 20))


def _with_chains(scope: Scope, found: dict[str, list[memories.Found]]) -> list[memories.Found]:
    """Leaves, and of each chain that was found the leaf that is current."""
    leaves = {each.note.id: each for each in found.get("leaf", [])}
    for chain in found.get("chain", []):
        members = scope.memory.members.get(chain.note.id, ())
        current = next((id for id in reversed(members) if scope.memory.active(id)), None)
        note = scope.memory.files.get(current) if current else None
        if note is not None and note.id not in leaves and scope.note(note):
            leaves[note.id] = structs.replace(chain, note=note)
    return sorted(leaves.values(), key=lambda each: -each.score)


def _answer(
    teller: Teller,
    material: Material,
    intent: Intent,
    params: asked.Retrieve,
    spoken: turns.Turns,
    found: dict[str, list[memories.Found]],
) -> dict[str, Any]:
    many = params.max_results
    summaries = _summaries(teller, material, intent, params, found)
    known = _known(material, summaries)
    sure = confidence(material, intent, known, teller.scope.whole(intent))
    packed = pack(teller, material, intent, teller.now, min(many, max(3, params.max_tokens // 80)))
    packed |= recommended(teller, material, intent, sure)
    answer: dict[str, Any] = {
        "intent": intent.kind,
        "retrieval_pack": packed,
        "summaries": [teller.summary(each) for each in summaries],
        "leaves": _leaves(teller, material, intent, many) if params.include_leaves else [],
        "evidence": [teller.turn(each) for each in material.evidence[:many]],
        "gaps": gaps(teller, material, intent, known),
        "coverage": {
            "text": True,
            "vector": spoken.used,
            "vector_why": spoken.why,
            "neighbours": True,
            "confidence": sure,
        },
    }
    if params.explain:
        answer["why"] = _understanding(intent, teller.scope)
    return answer | {"text": prompt.rendered(answer, params.query, params.max_tokens)}


def _understanding(intent: Intent, scope: Scope) -> dict[str, Any]:
    return {
        "words": list(intent.telling),
        "matter": list(intent.matter),
        "asks_when": intent.when,
        "own_matter": intent.own,
        "broad": intent.broad,
        "days": f"{intent.first}/{intent.last}" if intent.first else "",
        "filtered": scope.filtered,
    }


def _leaves(teller: Teller, material: Material, intent: Intent, many: int) -> list[dict[str, Any]]:
    """Current leaves, and earlier versions behind them where the question looks back."""
    told = [teller.leaf(each) for each in material.facts[:many]]
    past = [teller.leaf(each, True) for each in material.history] if intent.history or not told else []
    return (told[: max(1, many - len(past[: many // 3]))] + past)[:many]


def _summaries(
    teller: Teller,
    material: Material,
    intent: Intent,
    params: asked.Retrieve,
    found: dict[str, list[memories.Found]],
) -> list[memories.Found]:
    """By mode: none for exact evidence; for a broad question the roots of the trees in question come, too."""
    if params.mode == "exact_evidence":
        return []
    broad = params.mode == "broad_summary" or intent.broad
    most = params.max_results if broad else min(params.max_results, 3)
    some = {each.note.id: each for each in found.get("summary", [])}
    if broad:
        for each in memories.roots(teller.scope, material.facts[:10], 4):
            some.setdefault(each.note.id, each)
    return sorted(some.values(), key=lambda each: -each.score)[:most]


def _known(material: Material, summaries: list[memories.Found]) -> set[str]:
    """Stems of everything that was found."""
    known: set[str] = set()
    for each in material.evidence[:60]:
        known |= each.spoken.stems
    for one in (*material.facts[:20], *material.history[:20], *material.notes[:20], *summaries[:10]):
        known |= noted(one.note)
    for line in material.profile:
        known |= set(telling(line["text"]))
    return known


def _profile(
    scope: Scope, bodies: Bodies, intent: Intent, facts: list[memories.Found], now: datetime
) -> list[dict[str, Any]]:
    """Lines of the profile that speak of the question, for questions about a person; none whose source is superseded."""
    note = scope.memory.profile
    if note is None or scope.filtered or not scope.note(note) or not (intent.kind in _PERSONAL or intent.own):
        return []
    text = bodies.text(note.path) or ""
    wanted = stems(intent.telling)
    stated = {each.note.id for each in facts[:10]}
    rows = []
    for line in profile_text.read(text):
        sources = [id for name in line.sources if (id := scope.memory.refer(name))]
        if line.until and line.until < now.date().isoformat():
            continue
        if any(scope.memory.superseded(id) for id in sources) or stated & set(sources):
            continue
        if any(scope.memory.files[id].sensitive for id in sources) and not scope.params.include_sensitive:
            continue
        shared = len(wanted & set(telling(line.text)))
        if shared or (intent.kind == "briefing" and intent.own):
            rows.append((shared, line))
    rows.sort(key=lambda row: -row[0])
    return [
        {
            "text": clean(line.text),
            "kind": "profile",
            "holder": "",
            "said_by": "",
            "at": line.last_confirmed,
            "ids": [f"#{line.id}"],
            "stale": False,
            "untrusted": False,
        }
        for _, line in rows[:5]
    ]
