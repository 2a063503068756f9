"""A file's bytes when nobody is writing it: the check behind "kept until nobody writes it".

Knows leases: the kernel grants a read lease only on a file that nobody has open for writing. Where leases are not to be
had (network file systems, another's file, macOS) it says that it does not know.
"""

from __future__ import annotations

import errno
import os
import signal
import stat
import sys
import time
from typing import NamedTuple

from memd.disk.read import all_of
from memd.model.fingerprint import sha256

if sys.platform.startswith("linux"):
    import fcntl

PATIENCE = 0.05
_TICK = 0.001


class Seen(NamedTuple):
    """`busy`: somebody has the file open for writing (None: cannot be told)."""

    data: bytes
    sha: str
    links: int
    busy: bool | None


def look(fd: int, name: str, patience: float = 0.0) -> Seen | None:
    """The file as it stands, waiting up to `patience` seconds for whoever writes it; None where it is no regular file.

    Raises FileNotFoundError where it is gone, OSError where it cannot be read.
    """
    try:
        file = os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO, errno.EISDIR):
            return None
        raise
    try:
        return watch(file, patience)
    finally:
        os.close(file)


def watch(file: int, patience: float = 0.0) -> Seen | None:
    """As `look`, of a file that is open for reading only."""
    if not stat.S_ISREG(os.fstat(file).st_mode):
        return None
    until = time.monotonic() + patience
    while (busy := written(file)) and time.monotonic() < until:
        time.sleep(_TICK)
    st = os.fstat(file)
    data = all_of(file, st.st_size)
    return Seen(data, sha256(data), st.st_nlink, busy)


def written(file: int) -> bool | None:
    """Whether somebody has this file open for writing; None where the system does not say."""
    if not sys.platform.startswith("linux"):
        return None
    try:
        # Somebody who opens the file while the lease stands would have us sent SIGIO, which kills; SIGURG is ignored.
        fcntl.fcntl(file, fcntl.F_SETSIG, signal.SIGURG)
        fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_RDLCK)
    except OSError as error:
        return True if error.errno == errno.EAGAIN else None
    fcntl.fcntl(file, fcntl.F_SETLEASE, fcntl.F_UNLCK)
    return False
