"""What somebody typed, read as people type: words, "phrases", -not, OR, path: tag: [property:value]; all else is words.

Pure and linear in the length of the text; no text is refused. Never knows what is indexed, or how.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Literal

from msgspec import Struct, structs

from memd.index import tokens
from memd.index.port import Phrase, Query, Term
from memd.recall import weights
from memd.recall.stopwords import is_stop

_TOKEN = re.compile(
    r"""(?P<no>-)?(?:
      (?P<field>path|tag):(?:"(?P<quoted>[^"]*)"|(?P<bare>[^\s"]+))
      |\[(?P<prop>[\w-]+)(?::[ ]*(?:"(?P<said>[^"\]]*)"|(?P<value>[^\]\["]*)))?\](?!\])
      |"(?P<phrase>[^"]+)"
      |(?P<word>[^\s"]+)
    )""",
    re.X,
)


class Inline(Struct, frozen=True):
    """A filter typed into the query. `key` is a property's name; `value` None asks only whether it is there."""

    kind: Literal["path", "tag", "prop"]
    key: str
    value: str | None
    negated: bool = False


class Typed(Struct, frozen=True):
    """`words` is what remains as plain text, for the embedder; `asked` are the folded words, for snippets."""

    query: Query = Query()
    filters: tuple[Inline, ...] = ()
    words: str = ""
    asked: tuple[str, ...] = ()


class _Item(Struct):
    text: str
    phrase: bool
    negated: bool
    either: bool = False


def parse_query(text: str) -> Typed:
    """The query that a text means. One that says only what is not wanted, and filters nothing, is read as words."""
    items: list[_Item] = []
    filters: list[Inline] = []
    last = ""
    for found in islice(_TOKEN.finditer(text), weights.MOST_ITEMS):
        negated = bool(found["no"])
        last = found.lastgroup or ""
        if inline := _inline(found, negated):
            filters.append(inline)
        elif not negated or tokens.words(found["phrase"] or found["word"]):
            items.append(_Item(found["phrase"] or found["word"], bool(found["phrase"]), negated))
    items = _joined(items)
    if items and not filters and all(item.negated for item in items):
        for item in items:
            item.negated = False
    return _typed(items, tuple(filters), last == "word")


def _inline(found: re.Match[str], negated: bool) -> Inline | None:
    if found["field"]:
        value = found["bare"] if found["quoted"] is None else found["quoted"]
        return Inline("tag" if found["field"] == "tag" else "path", "", value.lstrip("#"), negated)
    if found["prop"]:
        value = found["value"] if found["said"] is None else found["said"]
        return Inline("prop", found["prop"], value.strip() if value is not None else None, negated)
    return None


def _joined(items: list[_Item]) -> list[_Item]:
    """`a OR b` makes both optional; an OR with nothing on one side is a word."""
    out: list[_Item] = []
    for at, item in enumerate(items):
        inner = 0 < at < len(items) - 1
        if item.text == "OR" and not item.phrase and not item.negated and inner and out and items[at + 1].text != "OR":
            out[-1].either = items[at + 1].either = True
        else:
            out.append(item)
    return out


def _typed(items: list[_Item], filters: tuple[Inline, ...], ends_in_word: bool) -> Typed:
    said = [item for item in items if not item.negated]
    loose = [item for item in said if not item.phrase]
    must = [Phrase(item.text) for item in said if item.phrase and not item.either and tokens.words(item.text)]
    some = [Phrase(item.text) for item in said if item.phrase and item.either]
    last = loose[-1] if loose and ends_in_word and items[-1] is loose[-1] else None
    any = (*some, *_terms(loose, last))
    none = tuple(Phrase(item.text) if item.phrase else Term(item.text) for item in items if item.negated)
    words = [word for item in said for word in tokens.words(item.text)]
    return Typed(
        query=Query(any=any, must=tuple(must[: weights.MOST_WORDS]), none=none[: weights.MOST_WORDS]),
        filters=filters,
        words=" ".join(item.text for item in said),
        asked=tuple(dict.fromkeys(words))[: weights.MOST_WORDS],
    )


def _terms(items: list[_Item], last: _Item | None) -> tuple[Term | Phrase, ...]:
    """Words as weighted terms: stop words count little beside others; what is written as one word is one, too."""
    plain: dict[str, None] = {}
    compounds: dict[str, None] = {}
    final = ""
    for item in items:
        found = tokens.words(item.text)
        plain |= dict.fromkeys(found)
        if len(found) > 1 and len(found) < 8 and not any(map(tokens.is_run, found)):
            compounds[" ".join(found)] = None
        if item is last and found and not _closed(item.text):
            final = found[-1]
        if len(plain) > 4 * weights.MOST_WORDS:
            break
    telling = [word for word in plain if not is_stop(word)][: weights.MOST_WORDS]
    stops = [word for word in plain if is_stop(word)][: weights.MOST_WORDS]
    weight = weights.STOP if telling else 1.0
    if len(telling) > weights.MANY_WORDS:
        stops = []
    kept = set(telling) | set(stops)
    terms = [
        Term(word, prefix=word == final, weight=weight if is_stop(word) else 1.0) for word in plain if word in kept
    ]
    return (*terms, *(Phrase(text) for text in list(compounds)[:8]))


def telling(query: Query) -> Query:
    """Without stop words: what shares no more than "the" with a question is no rival of what is meant."""
    return structs.replace(query, any=tuple(item for item in query.any if getattr(item, "weight", 1.0) >= 1.0))


def _closed(text: str) -> bool:
    """Whether the last word typed is finished: something that is no letter follows it."""
    return not text[-1:].isalnum()
