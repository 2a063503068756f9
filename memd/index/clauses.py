"""What a `port.Query` asks of the engine, as plain data: which term in which field at what weight.

Knows tokens, stems and fields. Never knows an engine: it is told which languages are indexed and how words go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from memd.index import fields, tokens
from memd.index.port import Phrase, Query, Term

Complete = Callable[[str], list[str]]
"""Words of the index that begin with this one, most frequent first, itself excluded."""


class Clause(Struct, frozen=True, array_like=True):
    """One look-up: several `words` are a phrase."""

    field: str
    words: tuple[str, ...]
    weight: float


class Clauses(Struct, frozen=True):
    """Any of `should` (weights add up), one clause at least of each group in `must`, no clause of `none`."""

    should: tuple[Clause, ...] = ()
    must: tuple[tuple[Clause, ...], ...] = ()
    none: tuple[Clause, ...] = ()


def clauses(query: Query, weights: Mapping[str, float], languages: tuple[str, ...], complete: Complete) -> Clauses:
    """`weights` are the fields that words are looked up in; phrases are looked up where order is kept."""
    should: dict[tuple[str, tuple[str, ...]], float] = {}
    for item in query.any:
        for clause in _wanted(item, weights, languages, complete):
            at = clause.field, clause.words
            should[at] = max(should.get(at, 0.0), clause.weight)
    most = fields.MOST_TERMS * len(weights)
    return Clauses(
        should=tuple(Clause(field, words, weight) for (field, words), weight in list(should.items())[:most]),
        must=tuple(group for item in query.must[: fields.MOST_TERMS] for group in _groups(item, weights, languages)),
        none=tuple(
            clause for item in query.none[: fields.MOST_TERMS] for clause in _whole(item.text, weights, languages)
        ),
    )


def _ordered(weights: Mapping[str, float]) -> Mapping[str, float]:
    """The fields that keep the order of words: a turn's own words stand in `body`."""
    return {"title": fields.NAMES["title"], "body": fields.NAMES["body"]} if "body" in weights else {"body": 1.0}


def _exact(weights: Mapping[str, float]) -> Mapping[str, float]:
    """The fields that say whether a unit has a word: never its neighbours'."""
    return weights if "body" in weights else {"body": 1.0}


def _wanted(
    item: Term | Phrase, weights: Mapping[str, float], languages: tuple[str, ...], complete: Complete
) -> Iterator[Clause]:
    """An item's terms in every field, a phrase where order is kept."""
    if isinstance(item, Phrase):
        yield from _whole(item.text, weights, languages)
        return
    for word, weight in _weighed(item, languages, complete).items():
        pair = len(word) == 2 and tokens.is_run(word)
        for field, value in weights.items():
            yield Clause("pair" if pair and field == "body" else field, (word,), weight * value)


def _weighed(item: Term, languages: tuple[str, ...], complete: Complete) -> dict[str, float]:
    """Terms of an item with their weights."""
    found = tokens.words(item.text)
    out: dict[str, float] = {}
    for token in dict.fromkeys(found):
        if tokens.is_run(token):
            out |= {gram: weight * item.weight for gram, weight in run_weights(token).items()}
        else:
            out |= {tokens.stem(token, language): item.weight for language in languages}
    if item.prefix and found and not tokens.is_run(found[-1]):
        for word in complete(found[-1])[: fields.COMPLETIONS]:
            for language in languages:
                out.setdefault(tokens.stem(word, language), item.weight * fields.COMPLETION)
    return out


def run_weights(run: str) -> dict[str, float]:
    """Unigrams and bigrams of a run of CJK with their weights; of function characters alone, all at full weight."""
    if len(run) == 1:
        return {run: 1.0}
    out: dict[str, float] = {}
    for at in range(len(run) - 1):
        pair = run[at : at + 2]
        out[pair] = fields.FUNCTION_BIGRAM[(pair[0] in tokens.FUNCTION) + (pair[1] in tokens.FUNCTION)]
        if len(out) >= 2 * fields.MOST_TERMS:
            break
    for char in run[: 2 * fields.MOST_TERMS]:
        out[char] = fields.FUNCTION_UNIGRAM if char in tokens.FUNCTION else fields.UNIGRAM
    some = {gram: weight for gram, weight in out.items() if weight > 0}
    return dict.fromkeys(out, 1.0) if all(char in tokens.FUNCTION for char in run) else some


def _phrases(text: str, field: str, languages: tuple[str, ...]) -> list[tuple[str, ...]]:
    """The words of a text as they stand in a field, one variant for each way in which they may have been stemmed."""
    taken = tuple if field == "body" else tokens.grams
    found = tokens.words(text)[: fields.MOST_TERMS]
    variants: dict[tuple[str, ...], None] = {}
    for language in languages:
        words = [w for word in found for w in (taken(word) if tokens.is_run(word) else (tokens.stem(word, language),))]
        variants[tuple(words)] = None
    return [variant for variant in variants if variant]


def _whole(text: str, weights: Mapping[str, float], languages: tuple[str, ...]) -> tuple[Clause, ...]:
    """One clause for each field and variant in which the text may stand as a whole."""
    single = all(len(words) == 1 for words in _phrases(text, "body", languages))
    where = _exact(weights) if single else _ordered(weights)
    return tuple(
        Clause(field, words, weight) for field, weight in where.items() for words in _phrases(text, field, languages)
    )


def _groups(item: Term | Phrase, weights: Mapping[str, float], languages: tuple[str, ...]) -> list[tuple[Clause, ...]]:
    """What must be there: a phrase as a whole, a term word by word."""
    texts = [item.text] if isinstance(item, Phrase) else tokens.words(item.text)
    return [group for text in texts if (group := _whole(text, weights, languages))]
