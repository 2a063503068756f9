"""What the answer lacks, said plainly, and what to do next: verify, ask, or answer. Knows what was found; never searches."""

from __future__ import annotations

from typing import Any

from memd.form.keys import is_chinese, seconds
from memd.index.tokens import is_run
from memd.recall import days, turns
from memd.recall.intent import Intent
from memd.recall.pack import Material
from memd.recall.spoken import noted, stems_of
from memd.recall.telling import Teller

MOST = 4
OLD_DAYS = 60
"""Days after which the latest word on a matter is named, where the question asks how it stands now."""


def gaps(teller: Teller, material: Material, intent: Intent, known: set[str]) -> list[dict[str, Any]]:
    """`known` are stems that anything found has. Nothing found is one gap; else each word that nothing found has, a
    period without material, and a latest word that is old."""
    zh = is_chinese(intent.words)
    about = intent.words.strip()[:160]
    if not (material.facts or material.evidence or material.notes or material.profile):
        when = f" {intent.named}" if intent.named else ""
        reason = f"记忆里没有与此有关的内容{when}" if zh else f"nothing is remembered about this{when}"
        return [_gap(about, "user", reason)]
    found = [*_unknown(intent, known, zh), *_period(teller, material, intent, zh), *_late(teller, material, intent, zh)]
    return found[:MOST]


def _gap(question: str, source: str, reason: str) -> dict[str, Any]:
    return {"question": question, "best_source": source, "reason": reason}


def _unknown(intent: Intent, known: set[str], zh: bool) -> list[dict[str, Any]]:
    """What the question is about of which nothing found says anything; of a long text only where it is most of it. A piece
    of Chinese may be cut from two words (时候遇到 → 候遇): one all of whose characters were found is none to name."""
    words = [word for word in intent.matter[:24] if len(word) > (1 if is_run(word) else 2)]
    absent = [word for word in words if not set(stems_of(word)) & known]
    if any(map(is_run, absent)):
        characters = set("".join(known))
        absent = [word for word in absent if not (is_run(word) and set(word) <= characters)]
    if not absent or (len(words) > 8 and len(absent) * 2 < len(words)):
        return []
    names = ", ".join(absent[:5])
    return [_gap(names, "user", f"没有找到提到“{names}”的内容" if zh else f"nothing found mentions {names}")]


def _times(teller: Teller, material: Material) -> list[float]:
    said = [seconds(each.turn.at) or 0.0 for each in material.evidence[: turns.TOLD] if each.known]
    made = [teller.memory.last_stated(each.note.id)[0] for each in material.facts[:10] if each.shared > 0]
    return [at for at in (*said, *made) if at > 0]


def _period(teller: Teller, material: Material, intent: Intent, zh: bool) -> list[dict[str, Any]]:
    """The question names days, and nothing found was said in them; of days to come nothing can have been."""
    if not intent.first or not intent.last or intent.first > teller.now.date():
        return []
    begin, end = days.seconds(intent, teller.scope.zone)
    if any(begin <= at < end for at in _times(teller, material)):
        return []
    shown = f"{intent.first}" if intent.first == intent.last else f"{intent.first} – {intent.last}"
    reason = f"{shown} 没有相关记录" if zh else f"nothing about it was said in {shown}"
    return [_gap(f"{intent.words.strip()[:120]}", "user", reason)]


def _late(teller: Teller, material: Material, intent: Intent, zh: bool) -> list[dict[str, Any]]:
    """How it stands now is asked, and the latest word is old."""
    found = _times(teller, material)
    latest = max(found, default=0.0)
    if not intent.now or not latest or teller.now.timestamp() - latest < OLD_DAYS * 86400:
        return []
    day = teller.now.fromtimestamp(latest, teller.scope.zone).date()
    reason = f"{day} 之后没有相关记录" if zh else f"nothing about it after {day}"
    return [_gap(intent.words.strip()[:120], "user", reason)]


def confidence(material: Material, intent: Intent, known: set[str], every: bool) -> float:
    """From 0 to 1: how much of the question the best finds speak of, more where a fact says it. `every`: whatever was
    found is asked for."""
    asked = [set(stems_of(word)) for word in intent.matter or intent.telling]
    if not asked or not (material.facts or material.evidence or material.notes):
        return 0.0
    if every:
        return 1.0
    best: set[str] = set()
    for each in material.evidence[:3]:
        best |= each.spoken.stems
    for one in (*material.facts[:3], *material.notes[:2]):
        best |= noted(one.note)
    covered = sum(1 for stems in asked if stems & best) / len(asked)
    near = sum(1 for stems in asked if stems & known) / len(asked)
    sure = max((each.shared for each in material.facts[:3]), default=0.0)
    return round(min(1.0, 0.5 * covered + 0.25 * near + 0.25 * sure), 3)


def recommended(teller: Teller, material: Material, intent: Intent, sure: float) -> dict[str, Any]:
    """`recommended_next_step` and `recommended_next_source`."""
    zh = is_chinese(intent.words)
    if not (material.facts or material.evidence or material.notes or material.profile):
        reason = "记忆里没有答案" if zh else "memory holds no answer"
        return _step("ask_user", "user", reason)
    for each in material.facts[:3]:
        if each.shared > 0 and (old := teller.stale(each.note)):
            why = f"最后一次说起是 {old.said}，可能已过时" if zh else old.reason
            return _step("verify_live_state", old.source, f"{old.verification}: {why}")
    if sure < 0.2:
        reason = "找到的内容与问题关系不大" if zh else "what was found hardly speaks of the question"
        return _step("ask_user", "user", reason)
    made = max((*material.facts[:1], *material.notes[:1]), key=lambda each: each.shared, default=None)
    best = made if made and (made.shared or not material.evidence) else next(iter(material.evidence), None)
    source = best.note.path if best else "profile"
    return _step("answer_from_memory", source, "记忆里有依据" if zh else "memory holds words that answer it")


def _step(kind: str, source: str, reason: str) -> dict[str, Any]:
    return {
        "recommended_next_source": source,
        "recommended_next_step": {"type": kind, "source": source, "reason": reason},
    }
