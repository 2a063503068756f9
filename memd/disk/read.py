"""The bytes of one note, as they stood at one moment.

Opens regular files only, never waits on a pipe, never follows a link, reads no more than asked. Never decodes.
"""

from __future__ import annotations

import errno
import os
import stat
from typing import Literal

from msgspec import Struct

from memd.disk.listing import Stat, stat_of
from memd.disk.paths import check, open_beneath, open_root
from memd.model.errors import Refused

_TRIES = 3

State = Literal["whole", "too_large", "unsettled", "unreadable"]


class Body(Struct, frozen=True):
    """`data` is the file only where `state` is `whole`.

    `too_large`: more than the limit, data is empty. `unsettled`: somebody is writing it (its stats moved under the
    read, or it is empty and was not); data is what stood there, look again after some milliseconds. `unreadable`:
    the system refused, `reason` says why; what was known of the file stands.
    """

    data: bytes
    stat: Stat
    state: State = "whole"
    reason: str = ""


_NONE = Stat(0, 0, 0, 0, 0, 0)


def read(root: str, path: str, max_bytes: int, *, was: Stat | None = None, own: bool = False) -> Body | None:
    """The note at a path; None where no regular file stands there. `was`: its stat as last known, None to take an
    empty file for settled. `own` allows memd's folders. Raises Refused for a path that is outside the vault."""
    check(path, own=own)
    try:
        base = open_root(root)
    except OSError as error:
        return Body(b"", _NONE, "unreadable", error.strerror or str(error))
    try:
        return read_from(base, path, max_bytes, was=was)
    finally:
        os.close(base)


def read_from(base: int, path: str, max_bytes: int, *, was: Stat | None = None, walk: bool = False) -> Body | None:
    """As `read`, from an open root and of a path that was checked: many reads pay for one root."""
    try:
        fd = open_beneath(base, path, os.O_RDONLY | os.O_NONBLOCK, walk=walk)
    except (FileNotFoundError, NotADirectoryError, IsADirectoryError, Refused):
        return None
    except OSError as error:
        return None if error.errno == errno.ENXIO else Body(b"", _NONE, "unreadable", error.strerror or str(error))
    try:
        return _settled(fd, max_bytes, was)
    except OSError as error:
        return Body(b"", _NONE, "unreadable", error.strerror or str(error))
    finally:
        os.close(fd)


def _settled(fd: int, max_bytes: int, was: Stat | None) -> Body | None:
    before = os.fstat(fd)
    if not stat.S_ISREG(before.st_mode):
        return None
    data = b""
    for _ in range(_TRIES):
        if before.st_size > max_bytes:
            return Body(b"", stat_of(before), "too_large")
        data = all_of(fd, before.st_size)
        after = os.fstat(fd)
        if _same(before, after) and len(data) == after.st_size:
            emptied = not data and was is not None and was.size > 0
            return Body(data, stat_of(after), "unsettled" if emptied else "whole")
        before = after
    return Body(data, stat_of(before), "unsettled")


def all_of(fd: int, size: int) -> bytes:
    """The file from its start: `size` bytes and one more where it has grown."""
    os.lseek(fd, 0, os.SEEK_SET)
    parts = []
    left = size + 1
    while left > 0 and (part := os.read(fd, left)):
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _same(a: os.stat_result, b: os.stat_result) -> bool:
    return a.st_size == b.st_size and a.st_mtime_ns == b.st_mtime_ns and a.st_ctime_ns == b.st_ctime_ns
