"""A Unix socket of our own: bound only where no living daemon listens, in a private folder, readable by this user alone.

Knows paths, modes and peers of sockets. Never knows what is said over them.
"""

from __future__ import annotations

import errno
import fcntl
import os
import select
import socket
import stat
import struct
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from memd.model.errors import Refused

PATH_LIMIT = 103 if sys.platform == "darwin" else 107
"""Bytes that a socket's path may have."""
BACKLOG = 512


def listen(path: str) -> socket.socket:
    """A listening socket at an absolute path, mode 0600; folders made on the way are 0700.

    A stale file is replaced. Raises Refused: `exists` where a living daemon answers there or something else than a
    socket stands there, `unavailable` where the path cannot be bound.
    """
    if len(os.fsencode(path)) > PATH_LIMIT:
        raise Refused("unavailable", f"the socket's path is over {PATH_LIMIT} bytes: give a shorter --socket")
    folder = os.path.dirname(path)
    try:
        _private(folder)
        with _turn(path + ".lock"):
            _clear(path)
            return _bound(path)
    except OSError as error:
        raise Refused("unavailable", f"cannot listen at {path}: {error.strerror}") from error


def _private(folder: str) -> None:
    """The folder, made 0700 where it is missing; one named for memd is closed to others even where it was there."""
    missing = []
    at = folder
    while not os.path.isdir(at):
        missing.append(at)
        at = os.path.dirname(at)
    for each in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(each, 0o700)
    found = os.stat(folder)
    ours = os.path.basename(folder).lstrip(".") == "memd" and found.st_uid == os.geteuid()
    if ours and stat.S_IMODE(found.st_mode) & 0o077:
        os.chmod(folder, 0o700)


@contextmanager
def _turn(lock: str) -> Iterator[None]:
    """One at a time looks and binds at a path, so that a socket just bound is never taken for a stale one."""
    descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _clear(path: str) -> None:
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISSOCK(mode):
        raise Refused("exists", f"{path} is not a socket: move it away or give another --socket")
    if answers(path):
        raise Refused("exists", f"another daemon listens at {path}: stop it or give another --socket")
    os.unlink(path)


def answers(path: str) -> bool:
    """Whether somebody listens there; one too busy to accept counts."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.setblocking(False)
        code = probe.connect_ex(path)
    return code not in (errno.ECONNREFUSED, errno.ENOENT)


def _bound(path: str) -> socket.socket:
    """Bound under a umask, so that there is no moment at which others may connect."""
    ours = socket.socket(socket.AF_UNIX)
    before = os.umask(0o177)
    try:
        ours.bind(path)
        ours.listen(BACKLOG)
    except OSError:
        ours.close()
        raise
    finally:
        os.umask(before)
    ours.setblocking(False)
    return ours


def identity(path: str) -> tuple[int, int] | None:
    """Which file stands at a path: (device, inode); None where there is none."""
    try:
        found = os.lstat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def peer(connection: socket.socket) -> tuple[int, int] | None:
    """(uid, pid) of who connected, pid 0 where the system does not say; None where it says nothing at all."""
    if hasattr(socket, "SO_PEERCRED"):
        pid, uid, _ = struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12))
        return uid, pid
    if sys.platform == "darwin":
        _version, uid = struct.unpack_from("=II", connection.getsockopt(0, 1, 76))
        return uid, 0
    return None


def gone(connection: socket.socket) -> bool:
    """Whether the other end has closed altogether, not only its sending half."""
    watching = select.poll()
    watching.register(connection.fileno(), 0)
    return any(events & select.POLLHUP for _, events in watching.poll(0))


def room_for_connections(kept: int = 512, most: int = 4096) -> int:
    """How many connections leave `kept` descriptors for files; the soft limit is raised to the hard one first."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + kept
    if soft != resource.RLIM_INFINITY and soft < wanted:
        reachable = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (reachable, hard))
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return most if soft == resource.RLIM_INFINITY else max(64, min(most, soft - kept))
