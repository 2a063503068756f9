"""A file's new bytes under its name: whatever stops the machine, it is what it was before or what it was to be, never a part.

Knows bytes and names; nobody else writes the file meanwhile. On return it is on the disk, its name too. `digest` tells
afterwards whether it is still what was put there.
"""

from __future__ import annotations

import hashlib
import os
from typing import IO


def put(file: str, data: bytes) -> None:
    temporary = file + ".tmp"
    with open(temporary, "wb") as out:
        out.write(data)
        flush(out)
    replace(temporary, file)


def flush(out: IO[bytes]) -> None:
    out.flush()
    os.fsync(out.fileno())


def replace(temporary: str, file: str) -> None:
    os.replace(temporary, file)
    _flush_names(file)


def remove(file: str) -> None:
    """A file that is not there is removed already."""
    if os.path.exists(file):
        os.unlink(file)
        _flush_names(file)


def digest(file: str) -> str:
    """32 hex digits that no other bytes have."""
    with open(file, "rb") as source:
        return hashlib.file_digest(source, lambda: hashlib.blake2b(digest_size=16)).hexdigest()


def _flush_names(file: str) -> None:
    folder = os.open(os.path.dirname(file), os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
