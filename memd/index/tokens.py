"""How text becomes terms, the same for what is indexed and for what is asked: folded, stemmed words and CJK n-grams.

Knows letters and languages. Never knows fields, weights or an engine. Raise `VERSION` when any text would come out as
other terms: indexes made by another version are rebuilt.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from operator import add

import Stemmer
from msgspec import Struct

VERSION = 1

LONGEST = 200
"""Characters of a term; longer ones (base64, minified code) are cut, not dropped."""

CJK = "\u2e80-\u2fdf\u3005-\u3007\u3040-\u312f\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
"""Scripts written without spaces between words, and Hangul; Thai, Lao, Burmese and Khmer are treated alike."""
_UNSPACED = CJK + "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
_EMOJI = "\u2600-\u27bf\U0001f000-\U0001faff"
_ASCII = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}
_ANY = re.compile(rf"[{_UNSPACED}]+|[{_EMOJI}]|[^\W_{_UNSPACED}]+")
_RUN = re.compile(rf"[{_UNSPACED}]")
_MARKS = re.compile("[\u0300-\u036f]")
_PLAIN = str.maketrans({"ø": "o", "đ": "d", "ł": "l", "æ": "ae", "œ": "oe", "ı": "i", "ð": "d", "þ": "th"})

_ALGORITHMS = {
    "ar": "arabic", "da": "danish", "de": "german", "el": "greek", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian", "nl": "dutch", "no": "norwegian", "pt": "portuguese",
    "ro": "romanian", "ru": "russian", "sv": "swedish", "tr": "turkish",
}  # fmt: skip
LANGUAGES = tuple(_ALGORITHMS)

FUNCTION = frozenset(
    "的了吗呢是在我你他她它们这那和与就也都很吧啊呀么什哪谁个有以及为被把对从到于之而或其所几多少何怎样时"
)
"""Chinese function characters: in nearly every text, so they tell texts apart least."""


def stems_as(language: str) -> str:
    """The language whose stemming a text gets: its own where there is one, else English (also for words in Chinese)."""
    return language if language in _ALGORITHMS else "en"


def words(text: str) -> list[str]:
    """Folded tokens in reading order: words, runs of CJK as one token, emoji. Not stemmed, never empty strings."""
    if text.isascii():
        found = text.translate(_ASCII).split()
        return [word[:LONGEST] for word in found] if max(map(len, found), default=0) > LONGEST else found
    folded = unicodedata.normalize("NFKC", text).casefold()
    return [_plain(word) for word in _ANY.findall(folded)]


def _plain(word: str) -> str:
    """A word without accents where what is left is ASCII; other scripts keep their marks."""
    if word.isascii():
        return word[:LONGEST]
    if is_run(word):
        return word
    bare = unmarked(word).translate(_PLAIN)
    return (bare if bare.isascii() else word)[:LONGEST]


def unmarked(text: str) -> str:
    """Without the accents over its letters; decomposed."""
    return _MARKS.sub("", unicodedata.normalize("NFD", text))


def is_run(token: str) -> bool:
    """Whether a token of `words` is a run of a script without spaces, to be taken apart by `grams`."""
    return _RUN.match(token) is not None


def grams(run: str) -> list[str]:
    """`abc` as `a ab b bc c`: a part of a run is a contiguous part of its grams, which is what phrases need."""
    return [gram for pair in map(add, run, run[1:]) for gram in (pair[0], pair)] + [run[-1]]


class _Stems(dict[str, str]):
    """Stems of one language, remembered: a vault's vocabulary is small beside its words."""

    LIMIT = 200_000

    def __init__(self, language: str) -> None:
        super().__init__()
        self._stemmer = Stemmer.Stemmer(_ALGORITHMS[language], 0)

    def __missing__(self, word: str) -> str:
        if len(self) > self.LIMIT:
            self.clear()
        found = self[word] = str(self._stemmer.stemWord(word)) or word
        return found


@cache
def _stems(language: str) -> _Stems:
    return _Stems(language)


def stem(word: str, language: str) -> str:
    return _stems(stems_as(language))[word]


class Terms(Struct, frozen=True):
    """What is indexed of a text. `order`: stems and single characters as they stand, for phrases; `pairs`: bigrams of
    CJK; `plain`: words as they are, for prefixes."""

    order: list[str]
    pairs: list[str]
    plain: set[str]


def terms(text: str, language: str) -> Terms:
    """The terms of a text. Each of `order` and `pairs` keeps what stands together together."""
    stems = _stems(stems_as(language))
    found = words(text)
    if text.isascii():
        return Terms(list(map(stems.__getitem__, found)), [], set(found))
    order: list[str] = []
    pairs: list[str] = []
    plain = set()
    for word in found:
        if is_run(word):
            order += word
            pairs += map(add, word, word[1:])
        else:
            order.append(stems[word])
            plain.add(word)
    return Terms(order, pairs, plain)


def mixed(text: str, language: str) -> list[str]:
    """Stems, and for CJK single characters and bigrams, in one stream."""
    stems = _stems(stems_as(language))
    return [term for word in words(text) for term in (grams(word) if is_run(word) else (stems[word],))]
