"""What a file was at a clean end, beside it: a checksum, so that damage which SQLite does not see is found at the next start.

SQLite's own check reads structure, not values: a flipped bit in a vector or a path would be believed. Knows bytes only.
"""

from __future__ import annotations

import hashlib
import os

_ENDINGS = ("", "-wal", "-shm")


def sign(file: str) -> None:
    """The file as it stands is whole; nobody has it open."""
    with open(_beside(file), "w", encoding="ascii") as seal:
        seal.write(_sum(file))


def broken(file: str) -> bool:
    """Whether the file is there and is not what was signed, or was not signed. Raises OSError where it cannot be read."""
    if not os.path.exists(file):
        return False
    try:
        with open(_beside(file), encoding="ascii") as seal:
            return seal.read() != _sum(file) or os.path.exists(file + "-wal")
    except (FileNotFoundError, UnicodeDecodeError):
        return True


def lift(file: str) -> None:
    """The file is going to change: the seal says nothing any more."""
    if os.path.exists(_beside(file)):
        os.unlink(_beside(file))


def remove(file: str) -> None:
    """The database with its log and its seal."""
    for path in (*(file + ending for ending in _ENDINGS), _beside(file)):
        if os.path.exists(path):
            os.unlink(path)


def _beside(file: str) -> str:
    return file + ".sum"


def _sum(file: str) -> str:
    found = hashlib.blake2b(digest_size=16)
    with open(file, "rb") as data:
        while part := data.read(1 << 20):
            found.update(part)
    return found.hexdigest()
