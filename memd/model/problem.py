"""A fault in the user's data, as a value. Never raised: parsing returns it beside what could be read."""

from __future__ import annotations

from msgspec import Struct


class Problem(Struct, frozen=True, gc=False):
    """`code` is a stable word, `line` counts from 1 (0: the whole file), `hint` says what to do next."""

    code: str
    path: str
    line: int
    message: str
    hint: str
