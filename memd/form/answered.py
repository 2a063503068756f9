"""An answer to a `Judge` question as the type it must have. Knows types. Never knows who answered."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

T = TypeVar("T")


def as_answer(answer: Any, type: type[T]) -> T | None:
    """The value, whatever gave it (a record, JSON values); None where nobody answered or it does not fit."""
    if answer is None:
        return None
    try:
        return msgspec.convert(answer, type, from_attributes=True, strict=False)
    except msgspec.ValidationError:
        return None
