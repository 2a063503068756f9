"""Notes whose titles share words with a new one's: a hint to the caller, never a decision."""

from __future__ import annotations

import re

from memd.model.fingerprint import fold
from memd.recall.names import clean
from memd.serve.handlers.context import Context

LIMIT = 5
ALIKE = 0.5

_WORD = re.compile(r"[^\W_\u3400-\u9fff\uac00-\ud7af\u3040-\u30ff]{2,}")
_CJK = re.compile(r"[\u3400-\u9fff\uac00-\ud7af\u3040-\u30ff]+")
_COMMON = frozenset("the and for with from into about over note notes my our of to in on at an is are".split())


def similar(ctx: Context, title: str) -> list[str]:
    """Permalinks of the most alike, best first: half of the words and pairs of Chinese characters are shared."""
    mine = words(title)
    scored: list[tuple[float, str]] = []
    for note in ctx.vault.notes.values():
        if note.kind not in ("note", "entity") or not ctx.sees(note.path) or note.sensitive:
            continue
        folded = fold(note.title)
        if any(word in folded for word in mine):
            theirs = words(note.title)
            score = len(mine & theirs) / (min(len(mine), len(theirs)) or 1)
            if score >= ALIKE:
                scored.append((-score, clean(note.permalink)))
    return [link for _, link in sorted(scored)[:LIMIT]]


def words(title: str) -> frozenset[str]:
    folded = fold(title)
    pairs = (run[n : n + 2] for run in _CJK.findall(folded) for n in range(max(1, len(run) - 1)))
    return frozenset((*(w for w in _WORD.findall(folded) if w not in _COMMON), *pairs))
