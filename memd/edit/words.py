"""What memd calls the sections that it adds, in the language of the note's own headings."""

from __future__ import annotations

import re

from msgspec import Struct

from memd.model.fingerprint import fold

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")
_KANA = re.compile(r"[\u3041-\u30ff]")
_HANGUL = re.compile(r"[\uac00-\ud7a3]")
_LATIN = re.compile(r"[A-Za-z]")


class Names(Struct, frozen=True):
    observations: str
    relations: str


ENGLISH = Names("Observations", "Relations")
CHINESE = Names("观察", "关系")

_OBSERVATIONS = frozenset(map(fold, (
    "observations", "observation", "facts", "观察", "观察记录", "觀察", "事实", "要点", "記録", "観察", "관찰",
)))  # fmt: skip


def headings_for(text: str) -> Names:
    """Chinese names where a text has more Chinese characters than a quarter of its letters, and no kana or hangul."""
    han = len(_HAN.findall(text))
    chinese = han and not _KANA.search(text) and not _HANGUL.search(text)
    return CHINESE if chinese and han * 4 > len(_LATIN.findall(text)) else ENGLISH


def says_observations(heading: str) -> bool:
    """Whether a heading, in any of the languages known here, names a section of observations."""
    return fold(re.sub(r"[(（].*", "", heading).strip(" #:：*_")) in _OBSERVATIONS
