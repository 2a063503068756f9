"""What to do so that ledger and text index say what the files say: a pure decision over rows, stats and hashes.

Knows three states of a path: to be read, gone, or the same bytes under a new stat. Never reads, never waits, never asks
the disk. Correct for any order of hints: it compares states, not events.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from msgspec import Struct

from memd.index.ledger import Row, Stat


class Todo(Struct, frozen=True):
    """`read`: bytes are needed to decide, newest first. `gone`: units and rows go, in path order."""

    read: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class Found(Struct, frozen=True):
    """After reading. `same` get a new row with the note they have; `moved` pairs (old, new) have the same bytes."""

    changed: tuple[str, ...] = ()
    same: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()


def plan_sync(
    rows: Mapping[str, Row],
    listed: Mapping[str, Stat],
    suspects: Iterable[str] = (),
    unread: Collection[str] = (),
    trust: bool = True,
) -> Todo:
    """`suspects` are to be read whatever their stat says (they changed near the last listing, or a hint named them).

    `unread` are folders that could not be listed: what was known of them stands. `trust` is false where stats mean
    nothing (network, FUSE): then everything is read. Which rows are gone for good is the caller's to doubt (a vault
    that vanished is not an empty one).
    """
    doubted = set(suspects)
    read = [path for path, stat in listed.items() if not trust or path in doubted or _differs(rows.get(path), stat)]
    gone = [path for path in rows if path not in listed and not _beneath(path, unread)]
    read.sort(key=lambda path: (-listed[path].mtime_ns, path))
    return Todo(tuple(read), tuple(sorted(gone)))


def _differs(row: Row | None, stat: Stat) -> bool:
    return row is None or row.stat != stat


def _beneath(path: str, folders: Collection[str]) -> bool:
    return any(not folder or path == folder or path.startswith(folder + "/") for folder in folders)


def judge(rows: Mapping[str, Row], hashes: Mapping[str, str], gone: Iterable[str]) -> Found:
    """What reading showed: `hashes` are the bytes' sha256 by path. The hash decides, stats only asked."""
    same = sorted(path for path, sha in hashes.items() if path in rows and rows[path].sha256 == sha)
    known = set(same)
    changed = sorted(path for path in hashes if path not in known)
    left: dict[str, list[str]] = {}
    for path in sorted(gone, reverse=True):
        left.setdefault(rows[path].sha256, []).append(path)
    moved = tuple((left[sha].pop(), path) for path in changed if path not in rows and left.get(sha := hashes[path]))
    return Found(tuple(changed), tuple(same), moved)
