"""Turns of evidence with their words, as ranking needs them: read once a file, kept while the file is the same.

Knows words and their stems. Never knows a question. A turn's stems are those of its own words.
"""

from __future__ import annotations

import math
import re
import threading
from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Set
from functools import lru_cache
from itertools import islice

from msgspec import Struct

from memd.index import tokens
from memd.index.port import Bodies
from memd.model.memory import Said
from memd.model.note import Note, Turn
from memd.parse import memory
from memd.recall.stopwords import is_stop

KEPT = 40_000
"""Turns kept: a few hundred bytes each beside their words."""

_TIME = re.compile(
    r"\b(?:yesterday|today|tomorrow|tonight|last|next|ago|week|weekend|month|year|monday|tuesday|wednesday|thursday|friday"
    r"|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|morning"
    r"|night|recently|just|since|\d{4})\b|[今昨明后前]天|[上下这本]个?[周月]|星期|周[一二三四五六日末]|去年|今年|明年|[\d一二三四五六七八九十]+[年月日号]|刚刚|最近",
    re.I,
)
_ASKS = re.compile(r"[?？]\W*$")


class Spoken(Struct, frozen=True):
    """A turn, its `place` in the session, and its words: `telling` is how much it says, 0 to 1.2; `asks`: it ends in a
    question; `when`: it names a time."""

    turn: Turn
    place: int
    said: Said
    stems: frozenset[str]
    telling: float
    asks: bool
    when: bool


class Session(Struct, frozen=True):
    """A file of evidence: its turns by block id, in order, and how often each stem is said in all of it."""

    turns: dict[str, Spoken]
    stems: Counter[str]
    length: int

    def near(self, place: int) -> Iterator[Spoken]:
        """A turn and the two to each side of it."""
        return islice(self.turns.values(), max(0, place - 2), place + 3)


@lru_cache(maxsize=200_000)
def stems_of(word: str) -> tuple[str, ...]:
    """What a word of a question or a turn is compared by: its English stem, or its pairs of characters."""
    if not tokens.is_run(word):
        return (tokens.stem(word, "en"),)
    if len(word) == 1:
        return (word,)
    pairs = tuple(word[at : at + 2] for at in range(len(word) - 1))
    return tuple(pair for pair in pairs if not is_stop(pair)) or pairs


@lru_cache(maxsize=200_000)
def _telling(word: str) -> tuple[str, ...]:
    return () if is_stop(word) else stems_of(word)


def telling(text: str) -> list[str]:
    """The stems of a text's telling words, in order."""
    return [stem for word in tokens.words(text) for stem in _telling(word)]


def stems(words: Iterable[str]) -> frozenset[str]:
    return frozenset(stem for word in words for stem in stems_of(word))


class Wanted:
    """Words of a question, to be compared with the stems of many texts."""

    def __init__(self, words: Iterable[str]) -> None:
        self.stems = stems(words)
        self._single = [stem for stem in self.stems if len(stem) == 1 and tokens.is_run(stem)]

    def share(self, known: Set[str]) -> float:
        """The share of them that is known; a single character of Chinese is where any pair has it."""
        found = len(self.stems & known)
        if self._single:
            found += sum(one not in known and any(one in pair for pair in known) for one in self._single)
        return found / max(1, len(self.stems))


_SAID = ("subject", "aspect", "holder", "speaker", "topic")


_notes: dict[tuple[str, str], frozenset[str]] = {}
MOST_NOTES = 40_000


def noted(note: Note) -> frozenset[str]:
    """Stems of what the snapshot itself knows of a note's words: names, headings, observations, a leaf's proposition."""
    key = (note.path, note.sha256)
    if note.sha256 and (kept := _notes.get(key)) is not None:
        return kept
    keys = note.frontmatter
    said = [str(value) for name in _SAID if (value := keys.get(name))]
    seen = [each.text for each in note.observations]
    heads = [heading.text for heading in note.headings]
    made = frozenset(telling("\n".join((note.title, note.lead, *note.aliases, *note.tags, *said, *seen, *heads))))
    if note.sha256:
        if len(_notes) >= MOST_NOTES:
            _notes.clear()
        _notes[key] = made
    return made


def _spoken(said: Said, turn: Turn, place: int) -> tuple[Spoken, list[str]]:
    found = telling(said.text)
    own = frozenset((*found, *telling(said.speaker)))
    amount = min(math.log1p(len(own)) / 3, 1.2)
    return Spoken(turn, place, said, own, amount, bool(_ASKS.search(said.text)), bool(_TIME.search(said.text))), found


class _Kept:
    """The sessions that were read last, with `KEPT` turns in all. From any thread."""

    def __init__(self) -> None:
        self._sessions: OrderedDict[tuple[str, str], Session] = OrderedDict()
        self._turns = 0
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str]) -> Session | None:
        with self._lock:
            if key in self._sessions:
                self._sessions.move_to_end(key)
            return self._sessions.get(key)

    def put(self, key: tuple[str, str], made: Session) -> None:
        with self._lock:
            if key not in self._sessions:
                self._sessions[key] = made
                self._turns += len(made.turns)
            while self._turns > KEPT and len(self._sessions) > 1:
                _, gone = self._sessions.popitem(last=False)
                self._turns -= len(gone.turns)

    def clear(self) -> None:
        with self._lock:
            self._sessions.clear()
            self._turns = 0


_kept = _Kept()


def session(note: Note, bodies: Bodies) -> Session | None:
    """The turns of an evidence note; None where it cannot be read."""
    key = (note.path, note.sha256)
    if note.sha256 and (kept := _kept.get(key)) is not None:
        return kept
    text = bodies.text(note.path)
    if text is None:
        return None
    known = {turn.id: turn for turn in note.turns}
    turns: dict[str, Spoken] = {}
    stems: Counter[str] = Counter()
    for said in memory.turns(note, text):
        block = said.id.rpartition("#")[2]
        if block not in known:
            continue
        turns[block], found = _spoken(said, known[block], len(turns))
        if not said.sensitive:
            stems.update(found)
    made = Session(turns, stems, stems.total())
    if note.sha256:
        _kept.put(key, made)
    return made


def forget() -> None:
    """Drops every word that is kept: after a purge nothing of it is in memory."""
    _kept.clear()
    _notes.clear()
    for cached in (_telling, stems_of):
        cached.cache_clear()
