"""Files that were displaced, kept until nobody writes them.

An editor that had the file open goes on writing what is no longer in place. Such a late save is found here, put into
`.conflict/` and told, before the displaced file is let go. Knows names, hashes and ages; merges nothing.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from msgspec import Struct

from memd.disk.exchange import unlink
from memd.disk.paths import open_folder
from memd.disk.quiet import Seen, look
from memd.model.errors import Refused

HOLD = 2.0
"""Seconds for which a displaced file is kept even when nobody has it open: an `open` may be half-way."""
HOLD_UNKNOWN = 10.0
"""The same where the system does not say who has it open."""


class Late(Struct, frozen=True):
    """A save that arrived in a file after memd had displaced it. `before`: its bytes when it was displaced (what memd
    replaced), `found`: its bytes now, `kept`: where they are, in `.conflict/`. Told again when it grows further."""

    path: str
    before: bytes
    found: bytes
    kept: str


class Held(Struct):
    """`sha`: of the bytes that are accounted for; "" for a save that must be kept whatever it holds."""

    path: str
    folder: str
    name: str
    sha: str
    data: bytes
    since: float
    prune: bool = False
    last: str = ""
    kept: str = ""


Keep = Callable[[str, bytes, str], str]
"""(path, bytes, the place kept before or "") → the place in `.conflict/`."""


class Asides:
    """`clock` gives seconds that never go back."""

    def __init__(self, clock: Callable[[], float], hold: float, unknown: float) -> None:
        self._clock = clock
        self._hold = hold
        self._unknown = unknown
        self._held: list[Held] = []

    def __len__(self) -> int:
        """How many are waited for; asked from other threads, too."""
        return len(self._held)

    def knows(self, name: str) -> bool:
        """Whether the file of this name is waited for (names are never used twice)."""
        return any(one.name == name for one in self._held)

    def hold(self, path: str, folder: str, name: str, seen: Seen, *, prune: bool = False) -> None:
        """A displaced file whose bytes were expected; `prune`: its folder goes too when it is the last in it."""
        self._held.append(Held(path, folder, name, seen.sha, seen.data, self._clock(), prune))

    def keep(self, path: str, folder: str, name: str) -> None:
        """A displaced file that holds a save nobody accounted for: it goes to `.conflict/` at the next settling."""
        self._held.append(Held(path, folder, name, "", b"", float("-inf")))

    def settle(self, base: int, keep: Keep, *, now: bool = False) -> tuple[Late, ...]:
        """Lets go of what is old enough (`now`: of everything) and unwritten; late saves are kept and told."""
        late: list[Late] = []
        for one in tuple(self._held):
            if self._old(one, now) and not self._stays(base, one, keep, late, now):
                self._held.remove(one)
        return tuple(late)

    def _old(self, one: Held, now: bool) -> bool:
        return now or self._clock() - one.since >= self._hold

    def _stays(self, base: int, one: Held, keep: Keep, late: list[Late], now: bool) -> bool:
        """Whether the aside is still there."""
        try:
            fd = open_folder(base, one.folder)
        except (FileNotFoundError, NotADirectoryError, Refused):
            return False
        try:
            seen = look(fd, one.name)
            if seen is None:
                return False
            idle = seen.busy is False or (seen.busy is None and (now or self._clock() - one.since >= self._unknown))
            if seen.sha != one.sha and (idle or seen.sha == one.last):
                one.kept = keep(one.path, seen.data, one.kept)
                late.append(Late(one.path, one.data, seen.data, one.kept))
                one.sha = seen.sha
            one.last = seen.sha
            if idle:
                unlink((fd, one.name))
        except FileNotFoundError:
            return False
        finally:
            os.close(fd)
        if idle and one.prune:
            prune(base, one.folder)
        return not idle


def prune(base: int, folder: str) -> None:
    """Removes a folder and those above it as long as they are empty; never the root."""
    while folder:
        above, _, name = folder.rpartition("/")
        try:
            fd = open_folder(base, above)
        except (OSError, Refused):
            return
        try:
            os.rmdir(name, dir_fd=fd)
        except OSError:
            return
        finally:
            with contextlib.suppress(OSError):
                os.close(fd)
        folder = above
