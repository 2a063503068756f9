"""The value of a plain YAML scalar: the core schema of YAML 1.2, narrowed to what cannot lose what was written.

Dates, times, `0777`, `no`, `+49…` stay text; so does a number that JSON or 64 bits cannot hold.
"""

from __future__ import annotations

import math
import re

Scalar = str | int | float | bool | None

NULLS = frozenset(("", "~", "null", "Null", "NULL"))
_WORDS: dict[str, bool | None] = dict.fromkeys(NULLS) | {
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
_NUMBER = re.compile(
    r"-?(?:(?P<int>0|[1-9][0-9]{0,18})|(?P<float>(?:\.[0-9]+|(?:0|[1-9][0-9]*)\.[0-9]*)(?:[eE][-+]?[0-9]+)?|(?:0|[1-9][0-9]*)[eE][-+]?[0-9]+))",
    re.A,
)
_MAX = 2**63


def plain(text: str) -> Scalar:
    """The value that an unquoted scalar has."""
    first = text[:1]
    if first not in "-.0123456789~ntfNTF":
        return text
    if text in _WORDS:
        return _WORDS[text]
    if first in "-.0123456789" and len(text) < 400 and (found := _NUMBER.fullmatch(text)):
        return _number(text, found)
    return text


def _number(text: str, found: re.Match[str]) -> Scalar:
    if found["int"]:
        whole = int(text)
        return whole if -_MAX <= whole < _MAX else text
    real = float(text)
    return real if math.isfinite(real) else text
