"""What the system has not got just now (descriptors, memory, room on the disk), told apart from what is wrong with a file.

A file that could not be opened or written for want of them is as whole as it was: nobody may make it anew for that.
"""

from __future__ import annotations

import errno
import sqlite3

_SYSTEM = {errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENOSPC, errno.EDQUOT}
_STORE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM, sqlite3.SQLITE_FULL}
_STORE_WRITES = {
    sqlite3.SQLITE_IOERR_WRITE, sqlite3.SQLITE_IOERR_FSYNC, sqlite3.SQLITE_IOERR_TRUNCATE,
    sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMOPEN, sqlite3.SQLITE_IOERR_SHMMAP,
}  # fmt: skip


def wanting(error: Exception) -> bool:
    """Whether the system lacks something: the file is not to blame."""
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", 0)
        return code & 0xFF in _STORE or code in _STORE_WRITES
    return isinstance(error, OSError) and error.errno in _SYSTEM


def reraised(error: Exception) -> None:
    """Raises OSError where the system lacks something; returns where the file is to blame."""
    if wanting(error):
        raise error if isinstance(error, OSError) else OSError(errno.EIO, str(error)) from error
