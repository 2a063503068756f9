"""The durable acts on names that the writer is made of: exchange, place, replace, link, unlink, fsync.

Knows folders by descriptor and names in them. Never knows what the files are for. Every act has a fault point.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import os
import platform
import secrets
import sys
from typing import Literal

from memd.disk import faults
from memd.disk.ignore import TEMPORARY

Spot = tuple[int, str]
"""A folder's descriptor and a name in that folder."""

Way = Literal["exchange", "link", "take"]
"""How a file system lets a file be put in place while what stood there stays in hand."""

_UNABLE = frozenset((errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EMLINK))
_RENAMEAT2 = {"x86_64": 316, "aarch64": 276, "riscv64": 276, "i686": 353, "armv7l": 382, "ppc64le": 357, "s390x": 347}
_MAC = sys.platform == "darwin"
_NEW, _SWAP = (4, 2) if _MAC else (1, 2)

_libc = ctypes.CDLL(None, use_errno=True)


def _rename(src: Spot, dst: Spot, flags: int) -> None:
    a, b = os.fsencode(src[1]), os.fsencode(dst[1])
    if _MAC:
        done = _libc.renameatx_np(src[0], a, dst[0], b, ctypes.c_uint(flags))
    elif hasattr(_libc, "renameat2"):
        done = _libc.renameat2(src[0], a, dst[0], b, ctypes.c_uint(flags))
    elif number := _RENAMEAT2.get(platform.machine()):
        done = _libc.syscall(number, src[0], a, dst[0], b, ctypes.c_uint(flags))
    else:
        raise OSError(errno.ENOSYS, "no renameat2", src[1])
    if done != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), src[1], None, dst[1])


def swap(a: Spot, b: Spot) -> None:
    """Both names stand, each with the other's file. FileNotFoundError where one is gone."""
    faults.before("rename")
    _rename(a, b, _SWAP)
    faults.after("rename")


def place(src: Spot, dst: Spot) -> None:
    """Renames without ever replacing: FileExistsError where `dst` is taken."""
    faults.before("rename")
    try:
        _rename(src, dst, _NEW)
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        _place_by_link(src, dst)
    faults.after("rename")


def _place_by_link(src: Spot, dst: Spot) -> None:
    try:
        os.link(src[1], dst[1], src_dir_fd=src[0], dst_dir_fd=dst[0], follow_symlinks=False)
        os.unlink(src[1], dir_fd=src[0])
    except OSError as error:
        if error.errno not in _UNABLE:
            raise
        # Neither flags nor links (exFAT, some FUSE): claim the name, then rename over the empty claim.
        os.close(os.open(dst[1], os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, dir_fd=dst[0]))
        os.rename(src[1], dst[1], src_dir_fd=src[0], dst_dir_fd=dst[0])


def replace(src: Spot, dst: Spot) -> None:
    """Renames over whatever is there: only for names that are memd's own."""
    faults.before("rename")
    os.rename(src[1], dst[1], src_dir_fd=src[0], dst_dir_fd=dst[0])
    faults.after("rename")


def unlink(spot: Spot) -> None:
    faults.before("unlink")
    with contextlib.suppress(FileNotFoundError):
        os.unlink(spot[1], dir_fd=spot[0])
    faults.after("unlink")


def fsync(fd: int) -> None:
    faults.before("fsync")
    os.fsync(fd)
    faults.after("fsync")


def has_syncfs() -> bool:
    return hasattr(_libc, "syncfs")


def syncfs(fd: int) -> None:
    """Everything of the file system of `fd` is on disk; one call for many files."""
    faults.before("fsync")
    if _libc.syncfs(fd) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    faults.after("fsync")


class Beaten(Exception):
    """Somebody created the name between taking the old file away and placing the new one; `spot` holds the old one."""

    def __init__(self, spot: Spot) -> None:
        super().__init__(spot[1])
        self.spot = spot


def put(hand: Spot, target: Spot, spare: Spot, way: Way) -> Spot:
    """What is in hand stands at `target`; the answer is where that which stood there is now.

    FileNotFoundError: nothing stood there, nothing was done. Beaten: see there, `hand` is still in hand.
    """
    if way == "exchange":
        swap(hand, target)
        return hand
    if way == "link":
        faults.before("rename")
        os.link(target[1], spare[1], src_dir_fd=target[0], dst_dir_fd=spare[0], follow_symlinks=False)
        faults.after("rename")
        replace(hand, target)
        return spare
    place(target, spare)
    try:
        place(hand, target)
    except FileExistsError:
        raise Beaten(spare) from None
    return spare


def probe(fd: int) -> Way:
    """What the file system of this folder can do, tried on throw-away files: some claim an exchange and do none.

    Raises OSError where no file can be made at all.
    """
    names = [f"{TEMPORARY}new-{secrets.token_hex(4)}.tmp" for _ in range(3)]
    try:
        inodes = []
        for name in names[:2]:
            made = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o600, dir_fd=fd)
            os.write(made, name.encode())
            inodes.append(os.fstat(made).st_ino)
            os.close(made)
        return _tried(fd, names, inodes)
    finally:
        for name in names:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(name, dir_fd=fd)


def _tried(fd: int, names: list[str], inodes: list[int]) -> Way:
    a, b, c = names
    try:
        _rename((fd, a), (fd, b), _SWAP)
        if _reads(fd, a) == b.encode() and _reads(fd, b) == a.encode():
            return "exchange"
    except OSError as error:
        if error.errno not in _UNABLE and error.errno != errno.ENOENT:
            raise
    try:
        os.link(a, c, src_dir_fd=fd, dst_dir_fd=fd, follow_symlinks=False)
        same = os.stat(c, dir_fd=fd).st_ino == os.stat(a, dir_fd=fd).st_ino in inodes
        return "link" if same else "take"
    except OSError:
        return "take"


def _reads(fd: int, name: str) -> bytes:
    file = os.open(name, os.O_RDONLY | os.O_CLOEXEC, dir_fd=fd)
    try:
        return os.read(file, 256)
    finally:
        os.close(file)
