"""Judgement without a model: deterministic, offline, English and Chinese. Silence where the words do not carry it.

    turns → sentences → clauses with their subjects → statements (judged, told of their holder) → merged → atoms

`atoms_of` is the whole of it. The lists of words are data (`words_en`, `words_zh`); what a turn says only together with
another is `answers`', `offers`' and `corrections`'; what a whole turn is, `frames`'s. Never knows a vault.
"""

from __future__ import annotations

from collections.abc import Sequence

from memd.form.rules import aspects
from memd.form.rules.facts import Statement
from memd.form.rules.merge import earlier_version, merged
from memd.form.rules.reading import read
from memd.form.rules.when import said_on
from memd.model.memory import Atom, Confidence, Said

METHOD = "rules"


def atoms_of(turns: Sequence[Said], owner: str = "") -> tuple[Atom, ...]:
    """What the turns state, as atoms in the order of saying. `owner` is the name of the vault's owner, "" where unknown."""
    statements = merged(list(read(tuple(turns), owner)))
    atoms: list[Atom] = []
    fields: dict[int, tuple[str, str]] = {}
    for place, statement in enumerate(statements):
        subject, aspect = _field(statement)
        older = earlier_version(statement, statements[:place])
        if older is not None:
            subject, aspect = fields[statements.index(older)]
        fields[place] = (subject, aspect)
        kind = aspects.kind(statement.clause, statement.chinese)
        lasting = older is not None or aspect in aspects.FIELDS
        atoms.append(_atom(statement, subject, aspect, "state" if kind == "event" and lasting else kind, turns))
    return tuple(atoms)


def _field(statement: Statement) -> tuple[str, str]:
    clause = statement.topic or statement.clause
    if statement.chinese and statement.subject.kind == "person":
        clause = clause[statement.subject.end :]
    return statement.holder, aspects.aspect(clause, statement.chinese, statement.holder)


def _atom(statement: Statement, subject: str, aspect: str, kind: str, turns: Sequence[Said]) -> Atom:
    turn = statement.turn
    day = said_on(turn)
    first, last = aspects.valid(statement.clause, day, aspect)
    if first == last and aspects.repeats(statement.clause, statement.chinese):
        first = last = ""
    if kind == "state" and day and first > str(day):
        kind = "claim"
    others = tuple((turns[n].link, quote) for n, quote in statement.also)
    person = statement.subject.kind == "person"
    return Atom(
        text=statement.text,
        subject=subject,
        aspect=aspect,
        kind=kind,
        holder=statement.holder,
        speaker=turn.speaker,
        turns=(turn.link, *(link for link, _ in others)),
        quotes=(statement.quote, *(quote for _, quote in others)),
        valid_from=first,
        valid_to=last,
        labels=aspects.labels(statement.clause, statement.chinese),
        confidence=Confidence(admission=statement.confidence, create=0.72 if _named(statement) else 0.4),
        rationale=statement.rationale,
        entity_type="person" if person else "",
        sensitivity="sensitive" if turn.sensitive else "",
    )


def _named(statement: Statement) -> bool:
    """Positive evidence of a stable subject: a person, or a name."""
    subject = statement.subject
    return (
        subject.kind in ("owner", "person")
        or subject.mine
        or (any(c.isupper() for c in subject.name[:1]) and " " in subject.name)
    )
