"""Numbers that name a person or an account: long runs of digits, identity cards (GB 11643), bank cards (Luhn).

Knows check digits. Never knows what the number is for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

_LONG = re.compile(r"\d[\d -]{13,}[\dXx]")
_RUN = re.compile(r"\d{15,}")
_CARD = re.compile(
    r"(?<![\d-])\d{4}(?:[ -]\d{4}){2,3}(?:[ -]\d{1,4})?(?![\d-])|(?<![\d-])3[47]\d{2}[ -]\d{6}[ -]\d{5}(?![\d-])"
)
_IDENTITY = re.compile(r"(?<!\d)(\d{6})[ -]?((?:18|19|20)\d{6})[ -]?(\d{3}[\dXx])(?![\dA-Za-z])")
_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def long_numbers(text: str) -> Iterator[tuple[int, int, str]]:
    """(start, end, kind) of runs of 15 digits or more, and of cards that are written in groups or end in X."""
    for near in _LONG.finditer(text):
        start, end = near.span()
        for run in _RUN.finditer(text, start, end):
            yield *run.span(), "long number"
        for card in _CARD.finditer(text, start, end):
            digits = re.sub(r"\D", "", card[0])
            if len(digits) >= 15 and luhn(digits):
                yield *card.span(), "bank card"
        for identity in _IDENTITY.finditer(text, start, end):
            if identity_card("".join(identity.groups())):
                yield *identity.span(), "id card"


def luhn(digits: str) -> bool:
    total = 0
    for place, digit in enumerate(reversed(digits)):
        value = int(digit) * (1 + place % 2)
        total += value - 9 * (value > 9)
    return total % 10 == 0


def identity_card(number: str) -> bool:
    """Eighteen characters whose last is right for the others, by GB 11643."""
    if len(number) != 18 or not number[:17].isdecimal():
        return False
    total = sum(int(digit) * weight for digit, weight in zip(number, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == number[17].upper()
