"""Two listings of one vault: which files must be read to know whether they changed, which are gone, which moved.

Pure: listings in, paths out. Never decides that a file changed; the hash of its bytes does.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

import msgspec

from memd.disk.listing import Listing, Stat

T = TypeVar("T")

GRAIN_NS = 2_000_000_000
"""The coarsest time stamp that file systems keep (FAT: two seconds; the kernel's own tick is far finer)."""


def suspects(old: Listing, new: Listing, listed_at_ns: int, trust: bool) -> tuple[list[str], list[str]]:
    """(look, gone), each in path order. `listed_at_ns` is the wall clock when `old` was taken.

    A file is looked at when size, times, inode or device differ, when it was last touched so near to the old listing
    that an edit after it may bear the same stamp, or always where stamps cannot be trusted. Placeholders are not.
    """
    edge = listed_at_ns - GRAIN_NS
    late = listed_at_ns + GRAIN_NS
    was_at = old.files.get
    look = []
    for path, now in new.files.items():
        was = was_at(path)
        near = now.ctime_ns >= edge or edge <= now.mtime_ns <= late
        if near or was is None or not trust or _differs(was, now):
            look.append(path)
    return sorted(p for p in look if p not in new.away), _gone(old, new)


def _differs(was: Stat, now: Stat) -> bool:
    return (
        was.mtime_ns != now.mtime_ns
        or was.size != now.size
        or was.ctime_ns != now.ctime_ns
        or was.ino != now.ino
        or was.dev != now.dev
    )


def _gone(old: Listing, new: Listing) -> list[str]:
    gone = sorted(old.files.keys() - new.files.keys())
    return [path for path in gone if not beneath(path, new.unread)] if new.unread else gone


def beneath(path: str, folders: Iterable[str]) -> bool:
    """Whether a path is one of these or lies in one; the root ("") holds everything."""
    return any(not f or path == f or path.startswith(f + "/") for f in folders)


def moved(old: Listing, new: Listing, look: Iterable[str], gone: Iterable[str]) -> dict[str, str]:
    """Old path → new path for files that were gone and stand elsewhere: same inode, size and mtime.

    An inode is used again soon after a deletion, hence size and mtime; the caller confirms with the hash.
    """
    there = {_key(new.files[path]): path for path in look if path not in old.files}
    pairs = ((path, there.pop(_key(old.files[path]), None)) for path in gone)
    return {path: to for path, to in pairs if to is not None}


def _key(st: Stat) -> tuple[int, int, int, int]:
    return st.dev, st.ino, st.size, st.mtime_ns


def part(listing: Listing, within: Iterable[str]) -> Listing:
    """What a listing says of these files and of what lies in these folders: the old side of a walk of hints."""
    paths = frozenset(within)
    if "" in paths:
        return listing
    if not listing.beneath(paths):
        return Listing({p: listing.files[p] for p in paths if p in listing.files})
    files = {p: s for p, s in listing.files.items() if _within(p, paths)}
    folders = {p: s for p, s in listing.folders.items() if _within(p, paths)}
    return Listing(files, folders)


def joined(old: Listing, new: Listing, within: Iterable[str]) -> Listing:
    """The whole listing after a walk of hints; what could not be read stays as it was known."""
    paths = frozenset(within)
    if "" in paths and not new.unread:
        return new
    problems = tuple(p for p in old.problems if not _within(p.path, paths)) + new.problems
    strays = tuple(p for p in old.strays if not _within(p, paths)) + new.strays
    return msgspec.structs.replace(
        new,
        files=_left(old.files, old, paths, new.unread) | new.files,
        folders=_left(old.folders, old, paths, new.unread) | new.folders,
        unread=frozenset(p for p in old.unread if not _within(p, paths)) | new.unread,
        away=frozenset(p for p in old.away if not _within(p, paths)) | new.away,
        strays=strays,
        problems=problems,
        above=None if old.above is None or new.above is None else old.above | new.above,
    )


def _left(known: dict[str, T], old: Listing, paths: frozenset[str], unread: frozenset[str]) -> dict[str, T]:
    """What is known of all but these paths and what lies in them; of what could not be read, that too. Paths that hold
    nothing (a few notes that were written) are taken out one by one: a large vault is not gone through for them."""
    if not old.beneath(paths):
        left = known.copy()
        for path in paths:
            if path in left and not beneath(path, unread):
                del left[path]
        return left
    return {p: s for p, s in known.items() if not _within(p, paths) or beneath(p, unread)}


def _within(path: str, paths: frozenset[str]) -> bool:
    """As `beneath`, by looking up each folder above the path: the set may be large."""
    if path in paths or "" in paths:
        return True
    cut = path.rfind("/")
    while cut > 0:
        if path[:cut] in paths:
            return True
        cut = path.rfind("/", 0, cut)
    return False
