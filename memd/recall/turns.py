"""Turns of evidence that answer a question, best first: candidates by words, by meaning and by what rests on them.

The score is a sum of parts, each with its weight and measurement in `weights`; `Found.parts` shows them. Knows a snapshot
and two ports. Never knows what is told of a turn.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from msgspec import Struct, structs

from memd.index import tokens
from memd.index.port import Bodies, Index
from memd.model.fingerprint import fold
from memd.model.note import Note, Turn
from memd.recall import days, weights
from memd.recall.intent import Intent
from memd.recall.scope import Scope
from memd.recall.spoken import Session, Spoken, Wanted, session, telling

TOLD = 10
"""Turns that an answer looks at closely."""


class Found(Struct):
    """A turn and its score. `known`: a telling word of the question is said in it or near it; found out for the first
    `TOLD` only."""

    note: Note
    spoken: Spoken
    words: float = 0.0
    meaning: float = -1.0
    score: float = 0.0
    known: bool = False
    parts: dict[str, float] = {}

    @property
    def turn(self) -> Turn:
        return self.spoken.turn

    @property
    def id(self) -> str:
        return f"{self.note.id}#{self.turn.id}"


class Turns(Struct, frozen=True):
    """`used` tells whether meaning took part; `why` says why it did not."""

    found: tuple[Found, ...] = ()
    used: bool = False
    why: str = ""


class _Pool:
    """Candidates by unit; files are read once. `every`: whatever filters leave is an answer."""

    def __init__(self, scope: Scope, bodies: Bodies, every: bool) -> None:
        self.scope, self.bodies, self.every = scope, bodies, every
        self.files: dict[str, tuple[Note, Session] | None] = {}
        self.found: dict[str, Found] = {}

    def take(self, unit: str) -> Found | None:
        """The candidate of a unit, made where it may take part; the index may lag behind, never lead."""
        if unit in self.found:
            return self.found[unit]
        path, _, block = unit.rpartition("#")
        if path not in self.files:
            self.files[path] = self._open(path)
        file = self.files[path]
        spoken = file[1].turns.get(block) if file else None
        if file is None or spoken is None or not self.scope.turn(file[0], spoken.turn):
            return None
        made = self.found[unit] = Found(file[0], spoken)
        return made

    def _open(self, path: str) -> tuple[Note, Session] | None:
        note = self.scope.vault.notes.get(path)
        if note is None or note.kind != "evidence" or not self.scope.file(note):
            return None
        read = session(note, self.bodies)
        return (note, read) if read else None

    def knows(self, each: Found, wanted: Wanted) -> bool:
        """Whether a turn has a word of what is asked, or one within two steps of it: those lend it theirs in the index."""
        if self.every or wanted.share(each.spoken.stems) > 0:
            return True
        file = self.files[each.note.path] if each.words > 0 else None
        return file is not None and any(wanted.stems & one.stems for one in file[1].near(each.spoken.place))


def turns(scope: Scope, index: Index, bodies: Bodies, intent: Intent, borne: Mapping[str, float]) -> Turns:
    """Every candidate in order. `borne` are units (path#block) that good memories rest on: they take part, too."""
    pool = _Pool(scope, bodies, scope.whole(intent))
    only = scope.turns()
    query = structs.replace(intent.query, kinds=("turn",), only=only)
    for hit in index.words(query, weights.CANDIDATES):
        if found := pool.take(hit.unit):
            found.words = hit.score
    answer = index.meaning(intent.words, weights.CANDIDATES, ("turn",), only)
    for hit in answer.hits:
        if found := pool.take(hit.unit):
            found.meaning = hit.score
    for unit in borne:
        pool.take(unit)
    for note in scope.latest(only, weights.CANDIDATES) if only and pool.every else ():
        for turn in note.turns if len(pool.found) < weights.CANDIDATES else ():
            pool.take(f"{note.path}#{turn.id}")
    near = any(found.meaning >= 0 for found in pool.found.values())
    _score(pool, intent, answer.used and near)
    wanted = Wanted((*intent.telling, *intent.matter))
    order = sorted(_worth(pool, wanted), key=lambda f: (-round(f.score, 6), f.note.path, f.spoken.turn.line))
    for found in order[:TOLD]:
        found.known = pool.knows(found, wanted)
    return Turns(tuple(order), answer.used, answer.why)


def _worth(pool: _Pool, wanted: Wanted) -> list[Found]:
    """Without a word in common a turn is an answer only where some turn has one, or the meaning is near."""
    found = list(pool.found.values())
    if any(pool.knows(each, wanted) for each in found):
        return found
    return [each for each in found if each.meaning >= weights.FAMILIAR]


def _score(pool: _Pool, intent: Intent, meant: bool) -> None:
    found = list(pool.found.values())
    likeness = [each.meaning for each in found]
    most = max([each.words for each in found], default=0.0) or 1.0
    best = max(likeness, default=0.0)
    reached = min((each for each in likeness if each >= 0), default=0.0)
    named = named_speakers(intent, {each.spoken.turn.speaker for each in found})
    share = weights.WORDS_SHARE if meant else weights.WORDS_ALONE
    aged = _ages(pool.scope, found) if intent.own else {}
    whole = _sessions(pool, intent) if intent.own else {}
    period = days.seconds(intent, pool.scope.zone) if intent.first and intent.last else None
    for each in found:
        parts = {"words": share * each.words / most}
        if meant:
            behind = (max(each.meaning, reached) - best) / weights.MEANING_WIDTH
            parts["meaning"] = weights.MEANING_SHARE * max(behind, -weights.MEANING_DEEPEST)
        _manner(parts, each, intent, named)
        if intent.own:
            parts["recent"] = weights.RECENT * aged[each.note.path]
            parts["session"] = weights.SESSION * whole.get(each.note.path, 0.0)
        if period and period[0] <= pool.scope.said(each.note, each.turn) < period[1]:
            parts["period"] = weights.IN_PERIOD
        each.parts = parts
        each.score = sum(parts.values())


def _manner(parts: dict[str, float], each: Found, intent: Intent, named: frozenset[str]) -> None:
    """What a turn brings by who says it and how."""
    spoken = each.spoken
    parts["telling"] = weights.TELLING * spoken.telling
    if spoken.turn.speaker in named:
        parts["speaker"] = weights.NAMED_SPEAKER
    if intent.role and spoken.turn.role == intent.role:
        parts["role"] = weights.ROLE
    if spoken.asks:
        parts["asks"] = weights.ASKS
    if intent.when and spoken.when:
        parts["when"] = weights.SAYS_WHEN


_ROLES = frozenset(("user", "assistant", "system", "human", "ai", "bot", "unknown", "用户", "助手"))


def named_speakers(intent: Intent, speakers: Iterable[str]) -> frozenset[str]:
    """Speakers whom the question names, as they are written; none where it names all that there are."""
    every = {speaker: fold(speaker) for speaker in set(speakers)}
    asked = " ".join(tokens.words(intent.words))
    found = set()
    for name in set(every.values()) - _ROLES:
        said = " ".join(tokens.words(name))
        if said and (f" {said} " in f" {asked} " or (tokens.is_run(said) and said in asked)):
            found.add(name)
    if len(found) == len(set(every.values())):
        return frozenset()
    return frozenset(speaker for speaker, name in every.items() if name in found)


def _ages(scope: Scope, found: list[Found]) -> dict[str, float]:
    """0 for the file with the oldest material among the candidates to 1 for the latest, by rank."""
    last: dict[str, float] = {}
    for each in found:
        at = scope.said(each.note, each.spoken.turn)
        if at > last.setdefault(each.note.path, 0.0):
            last[each.note.path] = at
    ranks = {at: rank for rank, at in enumerate(sorted(set(last.values())))}
    return {path: ranks[at] / max(1, len(ranks) - 1) for path, at in last.items()}


def _sessions(pool: _Pool, intent: Intent) -> dict[str, float]:
    """How well each candidate's whole session has the words, also those that ask ("remember when I told you"), over the best
    one: BM25 among these sessions."""
    asked = list(dict.fromkeys(telling(intent.words)))[: weights.TELLING_WORDS]
    read = {path: file[1] for path, file in pool.files.items() if file is not None and file[1].length}
    if not read or not asked:
        return {}
    average = sum(one.length for one in read.values()) / len(read)
    scores = dict.fromkeys(read, 0.0)
    for stem in asked:
        counts = {path: one.stems[stem] for path, one in read.items() if stem in one.stems}
        rarity = math.log(1 + (len(read) - len(counts) + 0.5) / (len(counts) + 0.5))
        for path, count in counts.items():
            scores[path] += rarity * count * 2.2 / (count + 1.2 * (0.25 + 0.75 * read[path].length / average))
    most = max(scores.values()) or 1.0
    return {path: score / most for path, score in scores.items()}
