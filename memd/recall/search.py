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

from msgspec import Struct, structs

from memd.index.port import Bodies, Index, Only, Query
from memd.model.note import Note, Turn
from memd.model.vault import Vault
from memd.recall import asked, cursors, filters, weights
from memd.recall.hits import Candidate, Telling, bounded, tell
from memd.recall.lineage import Lineages
from memd.recall.query import Typed, parse_query
from memd.recall.ranking import Pool, in_order, pool, same
from memd.recall.snippets import needles

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

    def whole(self, note: Note) -> bool:
        """Whether the file as such may be a hit, and not only turns of it."""
        return self.may(note) and (self.params.include_sensitive or not note.sensitive)


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
    shown = filters.every(filters.shown(params.include_sensitive, within))
    telling = Telling(vault, bodies, zone, needles(question.typed.asked), shown, explain=params.explain)
    told = bounded([tell(telling, each) for each in page], params.limit)
    end = begin + len(told)
    more = cursors.after(end, keys[end - 1]) if told and end < len(keys) else ""
    answer: dict[str, Any] = {"hits": told, "cursor": more}
    if params.mode != "text":
        answer["vector"] = {"used": ranked.used, "why": ranked.why}
    return answer


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
    shown = filters.shown(params.include_sensitive, within, turns=True)
    during = filters.period(params.since, params.until, zone)
    passes = filters.every([*shown, filters.ranked(vault), *tests])

    @cache
    def may(path: str) -> bool:
        return passes(vault.notes[path])

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
        if note.kind in wanted and path not in without and question.whole(note) and _timely(question, note, None)
    ]
    found.sort(key=lambda each: (-each.note.modified, each.note.path))
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


def _found(question: _Question, kinds: tuple[str, ...], need: int) -> Ranked:
    """Ask for more and more until what was not asked for cannot be among the first `need`."""
    first = weights.FIRST_FETCH if question.params.mode == "text" else weights.FIRST_FUSED
    limit = max(first, need + need // 3)
    query = structs.replace(question.typed.query, kinds=kinds)
    while True:
        found = pool(question.index, query, question.typed.words, question.params.mode, limit)
        results = tuple(islice(_distinct(question, _passed(question, found)), need))
        enough = len(results) == need and (found.floor is None or same(results[-1].score) > found.floor)
        if enough or found.floor is None:
            return Ranked(results, found.used, found.why)
        limit *= weights.FETCH_GROWTH
        if limit > weights.MOST_FETCHED:
            if not question.filtered or query.only is not None:
                return Ranked(results, found.used, found.why)
            paths = frozenset(path for path, note in question.vault.notes.items() if question.may(note))
            query, limit = structs.replace(query, only=Only(paths)), max(limit, len(paths))


def _passed(question: _Question, found: Pool) -> Iterator[Candidate]:
    """Hits in order that are notes of the snapshot and pass the filters; the index may lag behind, never lead."""
    notes = question.vault.notes
    for hit in in_order(found.hits, lambda path: notes[path].modified if path in notes else 0.0):
        note = notes.get(hit.path)
        if note is None or not question.may(note):
            continue
        turn = None
        if hit.unit != hit.path:
            block = hit.unit[len(hit.path) + 1 :]
            turn = next((t for t in note.turns if t.id == block), None)
            if turn is None or (filters.hidden(note, turn) and not question.params.include_sensitive):
                continue
        elif not question.whole(note):
            continue
        if _timely(question, note, turn):
            yield Candidate(note, hit.unit, hit.score, turn, hit.line, *found.parts(hit))


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
