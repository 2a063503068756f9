"""Where soft-deleted notes lie, and where they come back to: `.trash/memd/<stamp>/<original path>`.

Knows paths and the order of stamps. Never knows what is on disk: callers tell what is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from itertools import count

ROOT = ".trash/memd"
_MOMENT = "%Y-%m-%dT%H%M%S.%f"


def stamp_after(last: str, now: datetime) -> str:
    """The stamp of a moment; later than `last` even where the clock or the zone went back, as all in the trash sorts by it."""
    stamp = now.strftime(_MOMENT)
    if stamp > last:
        return stamp
    return (datetime.strptime(last, _MOMENT) + timedelta(microseconds=1)).strftime(_MOMENT)


def latest(stamps: Iterable[str]) -> str:
    """The last of those that `stamp_after` gave, "" where there is none; in the trash a person may have folders, too."""
    return next(filter(_own, sorted(set(stamps), reverse=True)), "")


def _own(stamp: str) -> bool:
    try:
        return stamp == datetime.strptime(stamp, _MOMENT).strftime(_MOMENT) < "9999"
    except ValueError:
        return False


def place(path: str, now: datetime, stamps: Iterable[str] = ()) -> str:
    """Where a note goes that is deleted now: after all that lies in the trash under `stamps`."""
    return f"{ROOT}/{stamp_after(latest(stamps), now)}/{path}"


def original(trashed: str) -> str | None:
    """Where a trashed note lay; None for a path that is not in memd's trash."""
    head, _, rest = trashed.removeprefix(ROOT + "/").partition("/")
    return rest if trashed.startswith(ROOT + "/") and head and rest and ".." not in rest.split("/") else None


def back(path: str, taken: Callable[[str], bool]) -> str:
    """Where a note comes back to: its own place, or beside the one that has it now, so that both stay."""
    if not taken(path):
        return path
    stem = path[:-3] if path.lower().endswith(".md") else path
    names = (f"{stem} (restored).md" if n == 1 else f"{stem} (restored {n}).md" for n in count(1))
    return next(name for name in names if not taken(name))
