"""Times as evidence writes them: RFC 3339, with the offset that the material gave. Knows zones; never what time it is."""

from __future__ import annotations

from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from memd.model.config import Config
from memd.model.errors import Refused


def rfc3339(text: str, zone: tzinfo, where: str) -> str:
    """A time as it is written: an offset of its own is kept, universal and bare times are told in the vault's zone."""
    try:
        moment = datetime.fromisoformat(text.strip())
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=zone)
        elif not moment.utcoffset():
            moment = moment.astimezone(zone)
    except (ValueError, OverflowError) as error:
        raise Refused(
            "invalid_params", f"{where} is not a time: give RFC 3339, as 2026-04-02T09:00:00+08:00"
        ) from error
    return moment.isoformat()


def instant(text: str) -> str:
    """A key that sorts as time does, whatever the offset."""
    return f"{datetime.fromisoformat(text).timestamp():020.6f}"


def zone_of(config: Config, now: datetime) -> tzinfo:
    """The vault's zone: the configured one, else that of now."""
    return ZoneInfo(config.vault.timezone) if config.vault.timezone else now.tzinfo or ZoneInfo("UTC")
