"""Times as text, as an aware datetime, and as Unix seconds, in a zone.

Text that memd writes is RFC 3339 with an offset; what people write is read leniently (a date alone, a space for the T,
slashes, `2026年4月2日`). A time without an offset is a time in the given zone. Never knows what time it is now.
"""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone, tzinfo

_TIME = re.compile(
    r"\s*(?P<y>\d{4})(?:-(?P<m>\d\d?)-(?P<d>\d\d?)|/(?P<m2>\d\d?)/(?P<d2>\d\d?)|年(?P<m3>\d\d?)月(?P<d3>\d\d?)[日号])"
    r"(?:(?:[Tt]|\s*)(?P<H>\d\d?):(?P<M>\d\d)(?::(?P<S>\d\d)(?:[.,](?P<f>\d{1,9}))?)?"
    r"\s*(?P<z>[Zz]|[+-]\d\d(?::?\d\d)?)?)?\s*",
    re.A,
)


def parse(text: str, zone: tzinfo) -> datetime | None:
    """The time that a text says; a date alone is its midnight. None where it says none, or one that does not exist."""
    if len(text) in (10, 25) and text[4] == text[7] == "-":  # what memd writes
        with suppress(ValueError):
            moment = datetime.fromisoformat(text)
            return moment if moment.tzinfo else moment.replace(tzinfo=zone)
    found = _TIME.fullmatch(text) if len(text) < 80 else None
    if not found:
        return None
    month = found["m"] or found["m2"] or found["m3"]
    day = found["d"] or found["d2"] or found["d3"]
    micro = int((found["f"] or "").ljust(6, "0")[:6])
    clock = (int(found["H"] or 0), int(found["M"] or 0), int(found["S"] or 0), micro)
    try:
        return datetime(int(found["y"]), int(month), int(day), *clock, tzinfo=_zone(found["z"], zone))
    except ValueError:
        return None


def _zone(written: str | None, zone: tzinfo) -> tzinfo:
    if not written:
        return zone
    if written in "Zz":
        return UTC
    digits = written[1:].replace(":", "").ljust(4, "0")
    offset = timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
    return timezone(-offset if written[0] == "-" else offset)


def seconds(text: str, zone: tzinfo) -> float:
    """Unix seconds of a written time; 0 where it says none."""
    moment = parse(text, zone)
    return stamp(moment) if moment else 0.0


def stamp(moment: datetime) -> float:
    """Unix seconds of an aware time; 0 where the platform cannot count them (year 1)."""
    try:
        return moment.timestamp()
    except (OverflowError, ValueError, OSError):
        return 0.0


def text(moment: datetime, zone: tzinfo) -> str:
    """RFC 3339 with the zone's offset, to the second."""
    return moment.astimezone(zone).isoformat(timespec="seconds")


def from_seconds(value: float, zone: tzinfo) -> str:
    """RFC 3339 text of Unix seconds; "" for 0 and for what is no time."""
    try:
        return datetime.fromtimestamp(value, zone).isoformat(timespec="seconds") if value else ""
    except (OverflowError, ValueError, OSError):
        return ""
