"""Relative paths of a vault, opened beneath its root and nowhere else.

Knows which paths a caller may name, and how to open them without following a symbolic link at any component: by
`openat2(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS)` where the kernel has it, else by walking folder descriptors with
O_NOFOLLOW. Never knows what is in a file. `resolve()` followed by `open()` is escaped by a flipping link; these are not.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import stat
import sys

from memd.model.errors import Refused

TRASH = ".trash/memd"
CONFLICT = ".conflict"
MANIFEST = "plan.json"
PATH_MAX = 4095
NAME_MAX = 255

_OPENAT2 = 437
_RESOLVE = 0x04 | 0x08
_SEARCH = getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class _How(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_libc = ctypes.CDLL(None, use_errno=True)


def is_note(name: str) -> bool:
    return name[-3:].lower() == ".md"


def owned(path: str) -> bool:
    """Whether a path lies in a folder that only memd's writer fills: `.trash/memd/`, `.conflict/`."""
    return path.startswith((TRASH + "/", CONFLICT + "/"))


def check(path: str, *, own: bool = False) -> str:
    """The path itself when it may name a note; `own` allows memd's own folders and manifests besides.

    Raises Refused: `outside_vault` for anything that is not a visible `.md` file beneath the root, `invalid_params`
    for names that no file system takes.
    """
    inner = path
    if own and owned(path):
        inner = path.removeprefix(TRASH + "/").removeprefix(CONFLICT + "/")
    _check_parts(path, inner)
    name = inner.rsplit("/", 1)[-1]
    if not is_note(name) and not (own and owned(path) and name == MANIFEST):
        raise Refused("outside_vault", f"{show(path)} is not a markdown note; name a file that ends in .md")
    return path


def _check_parts(path: str, inner: str) -> None:
    try:
        raw = os.fsencode(path)
    except UnicodeEncodeError:
        raise Refused("outside_vault", f"{show(path)} names no file; use valid text") from None
    if not path or "\0" in path or path.startswith("/"):
        raise Refused("outside_vault", f"{show(path)} is not a path inside the vault; give it relative to the vault")
    for part in inner.split("/"):
        if part in ("", ".", ".."):
            raise Refused("outside_vault", f"{show(path)} does not stay inside the vault; write it without . and ..")
        if part.startswith("."):
            raise Refused("outside_vault", f"{show(path)} is in a hidden place; choose a folder without a leading dot")
    if len(raw) > PATH_MAX or any(len(part) > NAME_MAX for part in raw.split(b"/")):
        raise Refused("invalid_params", f"{show(path)} is longer than file systems allow; shorten the name")


def show(path: str) -> str:
    """A path for a message: control characters escaped, at most 120 characters."""
    return repr(path if len(path) <= 120 else path[:117] + "…")


@functools.cache
def has_openat2() -> bool:
    if not sys.platform.startswith("linux"):
        return False
    how = _How(os.O_PATH | os.O_DIRECTORY, 0, _RESOLVE)
    root = os.open("/", os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fd: int = _libc.syscall(_OPENAT2, root, b".", ctypes.byref(how), ctypes.sizeof(how))
    finally:
        os.close(root)
    if fd >= 0:
        os.close(fd)
    return fd >= 0


def open_root(root: str) -> int:
    """A descriptor of the vault's folder. Raises OSError where it is gone."""
    return os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)


def open_beneath(base: int, path: str, flags: int, mode: int = 0, *, walk: bool = False) -> int:
    """A descriptor of `path` ("" is `base` itself) seen from the folder `base`; no component may be a symbolic link.

    `walk` asks for the way that needs no openat2. Raises OSError as open(2) does, Refused("outside_vault") for a link.
    """
    flags |= os.O_CLOEXEC
    try:
        if walk or not has_openat2():
            return _walked(base, path, flags | os.O_NOFOLLOW, mode)
        return _openat2(base, path or ".", flags, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.EXDEV):
            raise _link(path) from None
        raise


def _link(path: str) -> Refused:
    return Refused(
        "outside_vault", f"{show(path)} leads out of the vault or through a symbolic link: name the real path inside it"
    )


def _openat2(base: int, path: str, flags: int, mode: int) -> int:
    how = _How(flags, mode if flags & os.O_CREAT else 0, _RESOLVE)
    raw = os.fsencode(path)
    while True:
        fd: int = _libc.syscall(_OPENAT2, base, raw, ctypes.byref(how), ctypes.sizeof(how))
        if fd >= 0:
            return fd
        number = ctypes.get_errno()
        if number not in (errno.EINTR, errno.EAGAIN):
            raise OSError(number, os.strerror(number), path)


def _walked(base: int, path: str, flags: int, mode: int) -> int:
    if not path:
        return os.dup(base)
    *folders, name = path.split("/")
    if path.startswith("/") or ".." in (*folders, name):
        raise OSError(errno.EXDEV, os.strerror(errno.EXDEV), path)
    here = base
    try:
        for folder in folders:
            below = _step(here, folder, path)
            if here != base:
                os.close(here)
            here = below
        if flags & os.O_DIRECTORY and _is_link(here, name):
            raise _link(path)
        return os.open(name, flags, mode, dir_fd=here)
    finally:
        if here != base:
            os.close(here)


def _step(here: int, folder: str, path: str) -> int:
    try:
        return os.open(folder, _SEARCH, dir_fd=here)
    except NotADirectoryError:
        # O_DIRECTORY | O_NOFOLLOW on a link says ENOTDIR, not ELOOP.
        if _is_link(here, folder):
            raise _link(path) from None
        raise


def _is_link(here: int, name: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(name, dir_fd=here, follow_symlinks=False).st_mode)
    except OSError:
        return False


def open_folder(base: int, folder: str, *, walk: bool = False) -> int:
    """A descriptor of a folder beneath `base`, fit for scandir, for fsync and as a `dir_fd`. Raises as `open_beneath`."""
    return open_beneath(base, folder, os.O_RDONLY | os.O_DIRECTORY, walk=walk)
