"""Changes to a store of SQLite, all or nothing. Knows no table."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def transaction(store: sqlite3.Connection) -> Iterator[None]:
    """All or nothing, also where SQLite has rolled back by itself (a full disk)."""
    store.execute("begin immediate")
    with store:
        yield
