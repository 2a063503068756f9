"""What the system has not got just now (descriptors, memory), told apart from what is wrong with a file.

A file that could not be opened for want of a descriptor is as whole as it was: nobody may make it anew for that.
"""

from __future__ import annotations

import errno
import sqlite3

_SYSTEM = {errno.EMFILE, errno.ENFILE, errno.ENOMEM}
_STORE = {sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_NOMEM}


def wanting(error: Exception) -> bool:
    """Whether the system lacks something: the file is not to blame."""
    if isinstance(error, sqlite3.Error):
        return getattr(error, "sqlite_errorcode", 0) & 0xFF in _STORE
    return isinstance(error, OSError) and error.errno in _SYSTEM


def reraised(error: Exception) -> None:
    """Raises OSError where the system lacks something; returns where the file is to blame."""
    if wanting(error):
        raise error if isinstance(error, OSError) else OSError(errno.EIO, str(error)) from error
