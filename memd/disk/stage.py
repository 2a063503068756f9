"""Temporary files, written whole before anything is touched, and the looks of the file they are to replace.

Knows names that hide (`.~memd-…tmp`), modes, owners and extended attributes. Never puts anything in place.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import secrets
import stat
import sys
from typing import NamedTuple

from memd.disk.exchange import Spot, fsync
from memd.disk.ignore import TEMPORARY
from memd.disk.paths import NAME_MAX, open_folder

GONE = "0" * 16
ANY = "any"

_ASIDE = re.compile(
    re.escape(TEMPORARY) + r"(old|cut)-[0-9a-f]{8}-([0-9a-f]{16})-([0-9a-f]{16}|any)-(.*)\.tmp", re.DOTALL
)


class Aside(NamedTuple):
    """What an aside's name says. `cut`: the name that it had may stand empty meanwhile. `ours` and `expect` are the
    starts of two hashes, of what replaces it (`GONE`: nothing does) and of what it was expected to be (`ANY`: anything).
    `name` is the name that it had, "" where that did not fit."""

    cut: bool
    ours: str
    expect: str
    name: str


def fresh() -> str:
    """A name for a file that is being written: deleted when found after a crash."""
    return f"{TEMPORARY}new-{secrets.token_hex(4)}.tmp"


def aside(name: str, ours: str, expect: str | None, *, cut: bool = False) -> str:
    """A name for a file that is, or will be, displaced from `name`: says enough to go on after a crash."""
    head = f"{TEMPORARY}{'cut' if cut else 'old'}-{secrets.token_hex(4)}-{ours[:16] or GONE}-{(expect or ANY)[:16]}-"
    fits = len(os.fsencode(head + name)) + 4 <= NAME_MAX
    return f"{head}{name if fits else ''}.tmp"


def told(name: str) -> Aside | None:
    """What an aside's name says; None for a name that is not one."""
    match = _ASIDE.fullmatch(name)
    return Aside(match[1] == "cut", match[2], match[3], match[4]) if match else None


def make_folder(base: int, folder: str, *, sync: bool = True) -> int:
    """A descriptor of the folder, made with its parents where it was not there. Raises as `open_folder`.

    Without `sync` the caller sees to it that the new folders reach the disk.
    """
    try:
        return open_folder(base, folder)
    except FileNotFoundError:
        parent, _, name = folder.rpartition("/")
    above = make_folder(base, parent, sync=sync)
    try:
        with contextlib.suppress(FileExistsError):
            os.mkdir(name, dir_fd=above)
            if sync:
                fsync(above)
    finally:
        os.close(above)
    return open_folder(base, folder)


def write(spot: Spot, data: bytes, like: int | None, sync: bool) -> None:
    """A new file with these bytes, and the mode, owner and attributes of the open file `like`; gone again on failure."""
    mode = 0o666 if like is None else 0o600
    fd = os.open(spot[1], os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, mode, dir_fd=spot[0])
    try:
        view = memoryview(data)
        while view:
            view = view[os.write(fd, view) :]
        if like is not None:
            resemble(like, fd)
        if sync:
            fsync(fd)
    except OSError:
        os.unlink(spot[1], dir_fd=spot[0])
        raise
    finally:
        os.close(fd)


def resemble(like: int, fd: int) -> None:
    """Owner where allowed, mode, extended attributes and access lists of `like`, as far as the file system takes them."""
    st = os.fstat(like)
    for owner, group in ((st.st_uid, st.st_gid), (-1, st.st_gid)):
        with contextlib.suppress(OSError):
            os.fchown(fd, owner, group)
            break
    os.fchmod(fd, stat.S_IMODE(st.st_mode))
    if sys.platform == "darwin":
        ctypes.CDLL(None).fcopyfile(like, fd, None, ctypes.c_uint32(1 | 4))
        return
    with contextlib.suppress(OSError):
        for key in os.listxattr(like):
            with contextlib.suppress(OSError):
                os.setxattr(fd, key, os.getxattr(like, key))
