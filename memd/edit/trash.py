"""Where soft-deleted notes lie, and where they come back to: `.trash/memd/<stamp>/<original path>`.

Knows paths. Never knows what is on disk: callers tell what is taken.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from itertools import count

ROOT = ".trash/memd"


def place(path: str, now: datetime, taken: Callable[[str], bool]) -> str:
    """Where a note goes that is deleted now."""
    stamp = f"{now:%Y-%m-%dT%H%M%S}"
    stamps = (stamp if n == 1 else f"{stamp}-{n}" for n in count(1))
    return next(where for s in stamps if not taken(where := f"{ROOT}/{s}/{path}"))


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
