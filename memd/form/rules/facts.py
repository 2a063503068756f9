"""The records that pass through the rules: a sentence, who a clause is about, a statement ready to be told.

Plain data. Knows no language.
"""

from __future__ import annotations

from msgspec import Struct

from memd.model.memory import Said


class Sentence(Struct, frozen=True):
    """One sentence of a turn as it was said. `lead` is true where a colon opens what follows it."""

    text: str
    chinese: bool
    lead: bool = False


class Subject(Struct, frozen=True):
    """Who or what a clause is about.

    `kind`: owner (the speaker), person, thing, pronoun, second (`you`), deictic (a bare `that`), generic (`they say`,
    `everyone`), none (no subject to be seen). `name` is without `my`; `mine` tells that it was there.
    """

    kind: str
    name: str = ""
    mine: bool = False
    end: int = 0


class Speaker(Struct, frozen=True):
    """Who speaks: `label` as a sentence names them (`The user`, `小林`), `holder` as keys do, `you` the one spoken to."""

    holder: str
    english: str
    chinese: str
    you_english: str = "the assistant"
    you_chinese: str = "助手"


class Statement(Struct, frozen=True):
    """A clause that may become an atom. `clause` is as said, `text` is self-contained, `turn` is where it was said."""

    turn: Said
    number: int
    clause: str
    quote: str
    text: str
    chinese: bool
    subject: Subject
    holder: str
    confidence: float
    correction: bool = False
    change: bool = False
    rationale: str = ""
    also: tuple[tuple[int, str], ...] = ()
    topic: str = ""
    """What else says the same or completes it: (number of the turn, quote)."""
