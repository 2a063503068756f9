"""What an index is to those who ask: units of text in, hits out. Plain data and protocols; imports no engine.

A unit is what is matched and ranked on its own: a whole note, one leaf, one turn of evidence. Its key is the path for a
whole file, `path#t3` for a turn. A passage is a piece of a unit that has a vector of its own; its key is the unit's and
a running number, so that every hit leads to a unit. Who asks, and what is shown of a hit, is never known here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, Protocol

from msgspec import Struct


class Unit(Struct, frozen=True):
    """`text` is the unit's own words; `around` the words of its neighbours (turns), indexed with less weight.

    `kind` is the note's kind, or `turn`. `language` is a code of two letters, "" when unknown (then English stemming).
    """

    key: str
    path: str
    kind: str
    title: str
    text: str
    permalink: str = ""
    tags: tuple[str, ...] = ()
    around: str = ""
    language: str = ""
    line: int = 1


class Passage(Struct, frozen=True):
    """A piece of a unit for the embedder: `head` (title, heading path) is put before `text`; `hash` names the embedding.

    `rank` orders the embedding queue: 0 titles and leaves, then the recent, then the rest. `line` is where it starts.
    `lends`: a turn's vector leans towards its neighbours'; one that is sensitive among others lends them nothing.
    """

    key: str
    unit: str
    path: str
    kind: str
    head: str
    text: str
    hash: str
    line: int
    rank: int = 1
    lends: bool = True


class Term(Struct, frozen=True, tag="term"):
    """A word or a run of text as typed; analysed as the index analyses text. `prefix`: its last token may go on."""

    text: str
    prefix: bool = False
    weight: float = 1.0


class Phrase(Struct, frozen=True, tag="phrase"):
    text: str


class Only(Struct, frozen=True):
    """What may be found: all units of these files, and these units of others."""

    paths: frozenset[str] = frozenset()
    units: frozenset[str] = frozenset()

    def __bool__(self) -> bool:
        return bool(self.paths or self.units)

    def has(self, unit: str, path: str) -> bool:
        return path in self.paths or unit in self.units


class Query(Struct, frozen=True):
    """Any of `any` (a weighted OR), all of `must`, none of `none`. Empty `kinds`: every kind.

    Where `only` is given, nothing else is found. Text is data here, never syntax.
    """

    any: tuple[Term | Phrase, ...] = ()
    must: tuple[Term | Phrase, ...] = ()
    none: tuple[Term | Phrase, ...] = ()
    kinds: tuple[str, ...] = ()
    only: Only | None = None


class Hit(Struct, frozen=True):
    """`score` is higher for better and comparable only within one answer; `line` is a vector hit's passage start (else 0).

    `foreign`: found by meaning in another script than the question's, where words cannot find anything.
    """

    unit: str
    path: str
    score: float
    line: int = 0
    foreign: bool = False


class Operations(Struct, frozen=True):
    """All units of `replace`'s paths become these; `remove` are paths whose units go."""

    replace: dict[str, tuple[Unit, ...]] = {}
    remove: tuple[str, ...] = ()


VectorState = Literal["ready", "building", "off"]


class VectorStatus(Struct, frozen=True):
    """`ready`: every note that memd has read is found by meaning; files that changed and were not read yet are what the
    text index counts as pending. `reason` says in a sentence why it is off or building; `left` is whole seconds, None when unknown."""

    state: VectorState = "off"
    model: str = ""
    reason: str = ""
    done: int = 0
    total: int = 0
    left: int | None = None


class VectorAnswer(Struct, frozen=True):
    """One hit a unit, best first. `used` is false where no vector took part (off, over budget, unreadable text); `why` says
    so in a word. `read` is the share of the passages that the model which answered had read."""

    hits: tuple[Hit, ...] = ()
    used: bool = False
    why: str = ""
    read: float = 1.0


class Words(Protocol):
    """The text index. `search` may be called from any thread; `apply` and `commit` only from its owner thread."""

    def search(self, query: Query, limit: int) -> list[Hit]: ...

    def apply(self, operations: Operations) -> None: ...

    def commit(self) -> None: ...

    def count(self) -> int: ...

    def close(self) -> None: ...


class Embedder(Protocol):
    """Text to unit vectors. `name` is the model's fingerprint: other name, other vectors. `None`: cannot read the text."""

    name: str
    dim: int

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Sequence[float] | None]: ...


class Index(Protocol):
    """Both indexes as the recall layer sees them. `meaning` embeds the text itself, within the query budget, and finds
    nothing but what is among `only`, where it is given."""

    def words(self, query: Query, limit: int) -> list[Hit]: ...

    def meaning(self, text: str, limit: int, kinds: tuple[str, ...] = (), only: Only | None = None) -> VectorAnswer: ...


class Bodies(Protocol):
    """The words of a file as they are on disk now; None where it cannot be read. Kept for a while by who implements it."""

    def text(self, path: str) -> str | None: ...
