"""What the system's errors mean to a caller: one refusal for each, with the next step."""

from __future__ import annotations

import errno

from memd.disk.paths import show
from memd.model.errors import Refused

_SAYS = {
    errno.ENOSPC: ("unavailable", "the disk is full; free some space and try again"),
    errno.EDQUOT: ("unavailable", "the disk quota is used up; free some space and try again"),
    errno.EROFS: ("unavailable", "the vault's file system is read-only; mount it writable and try again"),
    errno.EACCES: (
        "permission_denied",
        "memd may not write there; check the owner and mode of the file and its folder",
    ),
    errno.EPERM: ("permission_denied", "memd may not write there; check the owner and mode of the file and its folder"),
    errno.ENOTDIR: ("conflict", "a file stands where a folder is needed; rename one of them"),
    errno.EISDIR: ("conflict", "a folder stands where the note would be; choose another name"),
    errno.ENAMETOOLONG: ("invalid_params", "the name is longer than the file system allows; shorten it"),
    errno.EILSEQ: ("invalid_params", "the file system does not take this name; choose another"),
    errno.EMFILE: ("busy", "too many files are open; try again"),
    errno.ENFILE: ("busy", "too many files are open; try again"),
    errno.EFBIG: ("too_large", "the file system does not take a file of that size"),
    errno.ENOENT: ("unavailable", "the folder went away meanwhile; try again"),
}


def refusal(error: OSError, path: str) -> Refused:
    """The refusal for a failed act on `path`."""
    code, says = _SAYS.get(error.errno or 0, ("unavailable", f"the system says: {error.strerror or error}"))
    return Refused(code, f"{show(path)}: {says}", path=path)
