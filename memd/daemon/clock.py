"""The clock and the vault's zone. The only place that asks what time it is for anything that is written or answered."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import UTC, datetime
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from memd.model.errors import Refused


def zone_named(name: str, environ: Mapping[str, str]) -> ZoneInfo:
    """The zone of `[vault] timezone`, else of the system. Raises Refused for a name that is no zone."""
    if name:
        try:
            return ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise Refused(
                "unavailable", f"[vault] timezone {name!r} is no time zone; try one like Asia/Shanghai"
            ) from None
    for candidate in (environ.get("TZ", "").lstrip(":"), _linked(), "UTC"):
        try:
            return ZoneInfo(candidate)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            continue
    raise Refused("unavailable", "this system has no time zones: install tzdata")


def _linked() -> str:
    try:
        target = os.readlink("/etc/localtime")
    except OSError:
        return ""
    return target.rpartition("/zoneinfo/")[2]


def now(zone: ZoneInfo) -> datetime:
    return datetime.now(UTC).astimezone(zone)
