"""What a file was at a clean end, beside it: a checksum, so that damage which SQLite does not see is found at the next start.

SQLite's own check reads structure, not values: a flipped bit in a vector or a path would be believed. Knows bytes only.
"""

from __future__ import annotations

import os

from memd.index import durable

_ENDINGS = ("", "-wal", "-shm")


def sign(file: str) -> None:
    """The file as it stands is whole; nobody has it open."""
    durable.put(_beside(file), durable.digest(file).encode())


def stands(file: str) -> bool:
    """Whether its last end was a clean one."""
    return os.path.exists(_beside(file))


def broken(file: str) -> bool:
    """Whether it is another than its seal says; one without a seal nothing is said of. Raises OSError where it cannot be read."""
    if not (stands(file) and os.path.exists(file)):
        return False
    with open(_beside(file), "rb") as seal:
        return seal.read() != durable.digest(file).encode() or os.path.exists(file + "-wal")


def lift(file: str) -> None:
    """Before the file is opened, which changes it."""
    durable.remove(_beside(file))


def remove(file: str) -> None:
    """The database with its log and its seal."""
    for path in (*(file + ending for ending in _ENDINGS), _beside(file)):
        if os.path.exists(path):
            os.unlink(path)


def _beside(file: str) -> str:
    return file + ".sum"
