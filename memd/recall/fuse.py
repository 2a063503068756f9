"""Hits by words and hits by meaning as one ranking: a weighted sum of scores, each on its own scale. Pure.

Knows scores and nothing of what they are scores of. The figures and what set them stand in the constants below.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter

from memd.index.port import Hit

MEANING = 0.45
"""Share of the vectors; words have the rest, so that what words alone found is never behind what meaning alone found.
LoCoMo development half, turns, R@1/5/10: words .318/.650/.732, vectors .268/.535/.638, shares .40 .360/.672/.757, .45
.359/.670/.765, .50 .347/.667/.760, .55 .337/.649/.756. CMRC R@1: words .987, vectors .960, shares .40 to .50 .990, .55 .989.
Words are the text index, vectors own words lent as in exact.NEAR, CMRC passages whole; the share was chosen on these sets.
Plain reciprocal ranks lose to words alone (.583 against .619 R@5 on all ten dialogues)."""

FOREIGN = 0.72
"""What a hit in another script than the question's is worth by meaning alone: no word could have found it, while words
find something in the question's own language for every question. Top 5 of 40 questions across, en→zh / zh→en, among 500
notes of both: .45 .38/.70, .60 .65/.88, .70 .88/.93, .72 .90/.93, .75 .93/.93, .80 .98/.93; LoCoMo among Chinese passages and those notes,
R@1/5/10 (words alone .242/.528/.607): .45 .333/.638/.724, .70 .307/.624/.707, .72 .303/.620/.707, .80 .288/.600/.695. Chosen on those 80 questions; 40
that were held out, among 540 notes: .95/.95."""


def fuse(words: Sequence[Hit], meaning: Sequence[Hit], whole: bool = True) -> tuple[list[Hit], dict[str, float]]:
    """One hit a unit, best first; of equal ones what words found first, in their order. Each list has a unit once.
    Beside it what words brought to each unit's score.

    Words count by their share of the best word score, meaning by its place between the last and the first of its hits
    (so both lists are to be fetched some 100 deep); who is missing on one side has nothing there. Where one side is empty
    the other's order stands. A hit's `line` is that of its passage. Scores are between 0 and 1. `whole`: the vectors have
    read all there is; before that the best of another script is the best of a part, and goes first of no word.
    """
    said, meant = _by_words(words), _places(meaning)
    weight = MEANING if words else 1.0
    fused = []
    for unit, hit in {hit.unit: hit for hit in (*words, *meaning)}.items():
        likeness = meant.get(unit, 0.0)
        score = said.get(unit, 0.0) + weight * likeness
        if hit.foreign and whole:
            score = max(score, FOREIGN * likeness)
        fused.append(Hit(unit, hit.path, score, hit.line, hit.foreign))
    return sorted(fused, key=attrgetter("score"), reverse=True), said


def _by_words(hits: Sequence[Hit]) -> dict[str, float]:
    """What words bring to each unit's score: its word score over the highest, weighed."""
    top = max((hit.score for hit in hits), default=0.0)
    return {hit.unit: (1 - MEANING) * (hit.score / top) if top > 0 else 0.0 for hit in hits}


def _places(hits: Sequence[Hit]) -> dict[str, float]:
    """Each unit's score between the lowest (0) and the highest (1); 1 where all are alike."""
    if not hits:
        return {}
    scores = [hit.score for hit in hits]
    low, high = min(scores), max(scores)
    span = high - low
    return {hit.unit: (hit.score - low) / span if span > 0 else 1.0 for hit in hits}
