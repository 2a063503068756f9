"""One property against one test of `where`: dates as dates, numbers as numbers, lists by their members, links by name.

Pure values in, truth out; what cannot be compared is not matched, and nothing raises. Never knows notes.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime, timedelta, tzinfo
from typing import Any

from memd.model.fingerprint import fold
from memd.parse import times

_LINK = re.compile(r"!?\[\[([^\[\]|#]*)[^\[\]]*\]\]")
_DAY = re.compile(r"\s*\d{4}[-/]\d\d?[-/]\d\d?\s*|\s*\d{4}年\d\d?月\d\d?[日号]\s*", re.A)


def matches(value: Any, test: Any, zone: tzinfo) -> bool:
    """`test` is a value, a list (any of it), None (not there), or `{gt gte lt lte in contains exists: …}`, all of it."""
    if isinstance(test, dict):
        return all(_OPERATORS[name](value, wanted, zone) for name, wanted in test.items() if name in _OPERATORS)
    if test is None:
        return value is None
    if isinstance(test, list | tuple):
        return any(equal(value, one, zone) for one in test)
    return equal(value, test, zone)


def equal(value: Any, wanted: Any, zone: tzinfo) -> bool:
    """A list equals what one of its members equals. A date alone is the whole of its day."""
    if isinstance(value, list | tuple):
        return any(equal(one, wanted, zone) for one in value)
    if isinstance(value, bool) or isinstance(wanted, bool):
        return _truth(value) is not None and _truth(value) == _truth(wanted)
    if (a := number(value)) is not None and (b := number(wanted)) is not None:
        return a == b
    if (span := _span(wanted, zone)) and (moment := _moment(value, zone)):
        return span[0] <= moment < span[1] or moment == span[0]
    return isinstance(value, str | int | float) and _name(value) == _name(wanted)


def number(value: Any) -> float | None:
    """A number, or text that is one: a command line has only text."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value) if abs(value) < 1e300 else None
    if isinstance(value, str) and len(value) < 40 and value.strip()[:1] in "+-.0123456789":
        try:
            return float(value) if value.strip() and "_" not in value else None
        except ValueError:
            return None
    return None


def _truth(value: Any) -> bool | None:
    if isinstance(value, bool):
        return value
    return {"true": True, "false": False}.get(value.strip().casefold()) if isinstance(value, str) else None


def _name(value: Any) -> str:
    text = str(value).strip()
    return fold(_LINK.sub(r"\1", text) if "[[" in text else text).strip()


def _moment(value: Any, zone: tzinfo) -> datetime | None:
    return times.parse(value, zone) if isinstance(value, str) else None


def _span(value: Any, zone: tzinfo) -> tuple[datetime, datetime] | None:
    """From when to when a written time goes: a day, or no time at all."""
    start = _moment(value, zone)
    if start is None:
        return None
    try:
        return start, start + timedelta(days=1) if _DAY.fullmatch(value) else start
    except OverflowError:
        return start, start


def bounds(text: str, zone: tzinfo) -> tuple[float, float] | None:
    """Unix seconds at which a written time begins and ends (equal for an instant); None where it says none."""
    span = _span(text, zone)
    return (times.stamp(span[0]), times.stamp(span[1])) if span else None


def _order(value: Any, wanted: Any, zone: tzinfo) -> int | None:
    """-1, 0, 1 as the value is before, within or after what is wanted; None where the two have no order."""
    if (a := number(value)) is not None and (b := number(wanted)) is not None:
        return (a > b) - (a < b)
    if (moment := _moment(value, zone)) and (span := _span(wanted, zone)):
        return -1 if moment < span[0] else int(moment >= span[1] and moment != span[0])
    if isinstance(value, str) and isinstance(wanted, str) and not _moment(wanted, zone) and number(wanted) is None:
        return (_name(value) > _name(wanted)) - (_name(value) < _name(wanted))
    return None


def _ordered(accept: frozenset[int]) -> Callable[[Any, Any, tzinfo], bool]:
    def test(value: Any, wanted: Any, zone: tzinfo) -> bool:
        values = value if isinstance(value, list | tuple) else (value,)
        return any(_order(one, wanted, zone) in accept for one in values)

    return test


def _contains(value: Any, wanted: Any, zone: tzinfo) -> bool:
    if isinstance(wanted, list | tuple):
        return all(_contains(value, one, zone) for one in wanted)
    if isinstance(value, list | tuple):
        return equal(value, wanted, zone)
    return isinstance(value, str) and _name(wanted) in _name(value)


def _among(value: Any, wanted: Any, zone: tzinfo) -> bool:
    return any(equal(value, one, zone) for one in (wanted if isinstance(wanted, list | tuple) else (wanted,)))


def _exists(value: Any, wanted: Any, zone: tzinfo) -> bool:
    return (value is not None) == (_truth(wanted) is not False)


_OPERATORS: dict[str, Callable[[Any, Any, tzinfo], bool]] = {
    "gt": _ordered(frozenset((1,))),
    "gte": _ordered(frozenset((0, 1))),
    "lt": _ordered(frozenset((-1,))),
    "lte": _ordered(frozenset((-1, 0))),
    "in": _among,
    "contains": _contains,
    "exists": _exists,
}
