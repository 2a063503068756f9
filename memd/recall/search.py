"""`memory.search`: filters first, then words and meaning, recency between equals, one result a lineage.

Knows how the parts make an answer. Never knows sockets, files or engines: those come as a snapshot and two ports.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, tzinfo
from functools import cache
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct, structs

from memd.index.port import Bodies, Hit, Index, Query
from memd.model.note import Note, Turn
from memd.model.vault import Vault
from memd.recall import asked, cursors, filters, weights
from memd.recall.hits import Candidate, Telling, tell
from memd.recall.lineage import Lineages
from memd.recall.query import Typed, parse_query
from memd.recall.snippets import needles

_ANSWER_BYTES = 8000
_BROKEN = ("inactive", "withdrawn")


class _Question(Struct, frozen=True):
    """One search as it is understood. `may` is the filters on a note; `during` is the period, seconds."""

    vault: Vault
    index: Index
    params: asked.Search
    zone: tzinfo
    typed: Typed
    may: Callable[[Note], bool]
    during: tuple[float, float]
    filtered: bool


class Scored(Struct, frozen=True):
    """A unit with its score, and the parts of it: by words and by meaning, 0 where it was not found so."""

    unit: str
    path: str
    score: float
    line: int = 0
    words: float = 0.0
    meaning: float = 0.0


class Ranked(Struct, frozen=True):
    """Candidates in order, and what became of the search by meaning ("" for `why` where it was not asked)."""

    found: tuple[Candidate, ...] = ()
    used: bool = False
    why: str = ""


def search(
    vault: Vault, index: Index, bodies: Bodies, params: asked.Search, now: datetime, within: str = ""
) -> dict[str, Any]:
    """The contract's result without `index` and `took_ms`: hits, cursor ("" at the end), and `vector` {used, why}
    unless the mode is text. `now` is in the vault's zone; nothing outside the folder `within` is shown.
    Raises Refused: invalid_params.
    """
    zone = now.tzinfo
    assert zone is not None
    question = _understood(vault, index, params, zone, within)
    position, last = cursors.opened(params.cursor)
    ranked = _answer(question, position + params.limit + 1)
    keys = [each.key for each in ranked.found]
    begin = cursors.start(keys, position, last)
    page = ranked.found[begin : begin + params.limit]
    telling = Telling(
        vault, bodies, zone, needles(question.typed.asked), _showing(params, within), explain=params.explain
    )
    told = _bounded([tell(telling, each) for each in page], params.limit)
    end = begin + len(told)
    more = cursors.after(end, keys[end - 1]) if told and end < len(keys) else ""
    answer: dict[str, Any] = {"hits": told, "cursor": more}
    if params.mode != "text":
        answer["vector"] = {"used": ranked.used, "why": ranked.why}
    return answer


def _showing(params: asked.Search, within: str) -> Callable[[Note], bool]:
    tests = filters.shown(params.include_sensitive, within)
    return lambda note: all(test(note) for test in tests)


def _understood(vault: Vault, index: Index, params: asked.Search, zone: tzinfo, within: str) -> _Question:
    typed = parse_query(params.query)
    tests = filters.where(params.where, zone) + filters.inline(typed.filters, zone)
    tests += [filters.tagged(tag) for tag in params.tags]
    if params.type:
        tests += filters.where({"type": params.type}, zone)
    if params.folder:
        tests.append(filters.beneath(params.folder))
    if params.category:
        tests.append(filters.category(vault, params.category))
    if params.tree:
        tests.append(filters.of_tree(vault, params.tree))
    shown = filters.shown(params.include_sensitive, within)
    during = filters.period(params.since, params.until, zone)
    every = [*shown, filters.ranked, *tests]

    @cache
    def may(path: str) -> bool:
        note = vault.notes[path]
        return all(test(note) for test in every)

    filtered = bool(tests or within or params.since or params.until)
    return _Question(vault, index, params, zone, typed, lambda note: may(note.path), during, filtered)


def _answer(question: _Question, need: int) -> Ranked:
    """Ranked results, `need` of them or all there are. Nothing of the default kinds: episodes and turns."""
    kinds = filters.kinds_of(question.params.kinds)
    if not question.params.query.strip() or (question.typed.filters and not _asks(question.typed)):
        return Ranked(tuple(islice(_distinct(question, _listed(question, kinds)), need)))
    ranked = _found(question, kinds, need)
    if not ranked.found and not question.params.kinds:
        return _found(question, filters.FALLBACK_KINDS, need)
    return ranked


def _asks(typed: Typed) -> bool:
    return bool(typed.query.any or typed.query.must)


def _listed(question: _Question, kinds: Sequence[str]) -> list[Candidate]:
    """Without words: all that the filters let through, the last modified first."""
    wanted = {"evidence" if kind == "turn" else kind for kind in kinds}
    without = _unwanted(question)
    found = [
        Candidate(note, path, 0.0)
        for path, note in question.vault.notes.items()
        if note.kind in wanted and path not in without and question.may(note) and _timely(question, note, None)
    ]
    found.sort(key=_order)
    return found


def _unwanted(question: _Question) -> set[str]:
    """Paths that have what is not wanted, where nothing else is asked but filters."""
    return {
        hit.path
        for each in question.typed.query.none
        for hit in question.index.words(Query(must=(each,)), max(1, len(question.vault.notes)))
    }


def _timely(question: _Question, note: Note, turn: Turn | None) -> bool:
    start, end = question.during
    if start == float("-inf") and end == float("inf"):
        return True
    return start <= filters.when(note, question.zone, turn) < end


def _order(candidate: Candidate) -> tuple[float, float, str, int]:
    return -round(candidate.score, weights.SAME), -candidate.note.modified, candidate.note.path, _line(candidate)


def _line(candidate: Candidate) -> int:
    return candidate.turn.line if candidate.turn else 0


def _found(question: _Question, kinds: tuple[str, ...], need: int) -> Ranked:
    """Ask for more and more until what was not asked for cannot be among the first `need`."""
    limit, paths = max(weights.FIRST_FETCH, 2 * need), None
    while True:
        scored, used, why, floor = _scored(question, kinds, limit, paths)
        ordered = sorted(_candidates(question, scored), key=_order)
        results = tuple(islice(_distinct(question, iter(ordered)), need))
        if floor is None or (len(results) == need and round(results[-1].score, weights.SAME) > floor):
            return Ranked(results, used, why)
        limit *= weights.FETCH_GROWTH
        if limit > weights.MOST_FETCHED and question.filtered and paths is None:
            paths = frozenset(path for path, note in question.vault.notes.items() if question.may(note))
            limit = max(limit, len(paths))


def _scored(
    question: _Question, kinds: tuple[str, ...], limit: int, paths: frozenset[str] | None
) -> tuple[list[Scored], bool, str, float | None]:
    """Hits with their scores, whether meaning took part and why not, and the score below which nothing was asked for
    (None: that was all there is)."""
    params, typed = question.params, question.typed
    query = structs.replace(typed.query, kinds=kinds, paths=paths)
    words = [] if params.mode == "vector" else question.index.words(query, limit)
    if params.mode == "text":
        floor = round(words[-1].score, weights.SAME) if len(words) >= limit else None
        return _mixed(words, []), False, "", floor
    meaning = question.index.meaning(typed.words, limit, kinds)
    hits = _allowed(question, query, list(meaning.hits), limit)
    more = len(words) >= limit or len(meaning.hits) >= limit
    return _mixed(words, hits), meaning.used, meaning.why, float("-inf") if more else None


def _mixed(words: list[Hit], meaning: list[Hit]) -> list[Scored]:
    """Both lists as one, by the weights of `recall.fuse`; without hits by meaning, words rank as in text mode."""
    if not meaning:
        return [Scored(hit.unit, hit.path, hit.score, words=hit.score) for hit in words]
    from memd.recall.fuse import fuse

    by_words = {hit.unit: hit.score for hit in words}
    best: dict[str, Hit] = {}
    for hit in meaning:
        if hit.unit not in best or hit.score > best[hit.unit].score:
            best[hit.unit] = hit
    return [
        Scored(
            unit=each.unit,
            path=each.path,
            score=each.score,
            line=best[each.unit].line if each.unit in best else 0,
            words=by_words.get(each.unit, 0.0),
            meaning=best[each.unit].score if each.unit in best else 0.0,
        )
        for each in fuse(words, meaning)
    ]


def _allowed(question: _Question, query: Query, hits: list[Hit], limit: int) -> list[Hit]:
    """Hits by meaning that what was typed allows: a phrase must be there, a word that is not wanted must not."""
    if not (query.must or query.none) or not hits:
        return hits
    paths = frozenset(hit.path for hit in hits)
    strict = Query(must=query.must, none=query.none, kinds=query.kinds, paths=paths)
    units = {hit.unit for hit in question.index.words(strict, len(paths) * 4 + limit)}
    return [hit for hit in hits if hit.unit in units]


def _candidates(question: _Question, scored: Sequence[Scored]) -> Iterator[Candidate]:
    """Hits that are notes of the snapshot and pass the filters; the index may lag behind, never lead."""
    for each in scored:
        note = question.vault.notes.get(each.path)
        if note is None or not question.may(note):
            continue
        turn = None
        if each.unit != each.path:
            block = each.unit[len(each.path) + 1 :]
            turn = next((t for t in note.turns if t.id == block), None)
            if turn is None or (turn.sensitive and not question.params.include_sensitive):
                continue
        if _timely(question, note, turn):
            yield Candidate(note, each.unit, each.score, turn, each.line, each.words, each.meaning)


def _distinct(question: _Question, ordered: Iterable[Candidate]) -> Iterator[Candidate]:
    """One a lineage. Leaves that are superseded come after the one in their place, where they are asked for at all."""
    lineages = Lineages(question.vault)
    candidates = list(ordered) if question.params.include_superseded else ordered
    there = {each.note.id for each in candidates} if isinstance(candidates, list) else set()
    waiting: dict[str, list[Candidate]] = defaultdict(list)
    shown: set[str] = set()
    for each in candidates:
        current = lineages.superseded(each.note)
        if (current or _broken(each.note)) and not question.params.include_superseded:
            continue
        if current in there and current not in shown:
            waiting[str(current)].append(each)
        elif lineages.admit(each.note, each.turn.id if each.turn else ""):
            shown.add(each.note.id)
            yield each
            yield from waiting.pop(each.note.id, ())


def _broken(note: Note) -> bool:
    return note.kind == "leaf" and note.status in _BROKEN


def _bounded(told: list[dict[str, Any]], limit: int) -> list[dict[str, Any]]:
    """At most 8 KB for eight hits: where names alone are longer, the rest comes with the next page."""
    room = _ANSWER_BYTES * max(limit, 8) // 8
    while len(told) > 1 and len(msgspec.msgpack.encode(told)) > room:
        told = told[:-1]
    return told
