"""The ledger: what was indexed of each file, one row a note, so that a restart reads no body. The only user of sqlite3.

Knows stats, hashes and Note records. Never knows the files themselves, or the engine; a row says that the text index
holds this state, so it is written last. What is damaged, or belongs to another index or layout, is dropped: rows are
derived. Used by one thread at a time.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator

import msgspec
from msgspec import Struct

from memd.index import lacks
from memd.index.transactions import transaction
from memd.model.errors import Refused
from memd.model.note import Note

LAYOUT = 1
"""Raise it when a Note record comes out otherwise for the same bytes, or the table changes."""

_MADE = """
create table if not exists meta (key text primary key, value text) without rowid;
create table if not exists rows (path blob primary key, stat blob, sha256 text, note blob, units integer, sum blob)
  without rowid;
"""
_PUT = "insert or replace into rows values (?, ?, ?, ?, ?, ?)"


class Stat(Struct, frozen=True, array_like=True, gc=False):
    """What the file system said when the bytes were read. Times in nanoseconds."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    dev: int


class Row(Struct, frozen=True, gc=False):
    """`units` is how many units of the note the text index holds."""

    stat: Stat
    sha256: str
    note: Note
    units: int = 1


_STAT = msgspec.msgpack.Decoder(Stat)
_NOTE = msgspec.msgpack.Decoder(Note)
_PACK = msgspec.msgpack.Encoder()


class Ledger:
    """`index` is the identity of the text index that the rows are about. `damage` says why it was made afresh, or "".

    Raises `Refused("unavailable")` when a row cannot be written (a full disk), OSError when the system has nothing to open
    it with.
    """

    def __init__(self, file: str, index: str) -> None:
        self._file = file
        self._index = index
        self.damage = ""
        try:
            self._open()
        except sqlite3.DatabaseError as error:
            lacks.reraised(error)
            self._make(str(error))

    def _open(self) -> None:
        os.makedirs(os.path.dirname(self._file) or ".", mode=0o700, exist_ok=True)
        self._db = sqlite3.connect(self._file, check_same_thread=False, isolation_level=None)
        self._db.execute("pragma journal_mode = wal")
        self._db.execute("pragma synchronous = normal")
        self._db.executescript(_MADE)
        about = f"{LAYOUT} {self._index}"
        said = self._db.execute("select value from meta where key = 'about'").fetchone()
        if said is None or said[0] != about:
            with transaction(self._db):
                self._db.execute("delete from rows")
                self._db.execute("delete from meta where key = 'listed'")
                self._db.execute("insert or replace into meta values ('about', ?)", (about,))
            self.damage = f"rows about another index ({said[0]})" if said else ""

    def _make(self, why: str) -> None:
        self.damage = why
        if hasattr(self, "_db"):
            self._db.close()
        for ending in ("", "-wal", "-shm"):
            if os.path.exists(self._file + ending):
                os.remove(self._file + ending)
        self._open()
        self.damage = why

    def rows(self) -> dict[str, Row]:
        """Every row by path. One damaged row makes the whole ledger suspect: it is dropped, and nothing comes."""
        try:
            return dict(self._rows())
        except (sqlite3.DatabaseError, msgspec.DecodeError, ValueError, TypeError, AttributeError) as error:
            self._make(str(error) or type(error).__name__)
            return {}

    def _rows(self) -> Iterator[tuple[str, Row]]:
        for path, stat, sha256, note, units, check in self._db.execute("select * from rows"):
            if _sum(path, stat, sha256, note, units) != check:
                raise ValueError("a row is not what was written")
            yield os.fsdecode(path), Row(_STAT.decode(stat), sha256, _read_note(note), units)

    def write(self, rows: Iterable[tuple[str, Row]], removed: Iterable[str] = ()) -> None:
        """All of these or none. Raises Refused: unavailable."""
        try:
            with transaction(self._db):
                self._db.executemany("delete from rows where path = ?", ((os.fsencode(path),) for path in removed))
                self._db.executemany(_PUT, (_record(path, row) for path, row in rows))
        except sqlite3.DatabaseError as error:
            raise Refused("unavailable", f"the ledger could not be written: {error}; see `memd doctor`") from error

    def listed_at(self) -> int:
        """When the vault was last listed as a whole with nothing left to read, ns; 0: never, or not known."""
        found = self._db.execute("select value from meta where key = 'listed'").fetchone()
        return int(found[0]) if found and str(found[0]).isdigit() else 0

    def listed(self, at_ns: int) -> None:
        """Every file of the listing taken then has its row. Raises Refused: unavailable."""
        try:
            with transaction(self._db):
                self._db.execute("insert or replace into meta values ('listed', ?)", (str(at_ns),))
        except sqlite3.DatabaseError as error:
            raise Refused("unavailable", f"the ledger could not be written: {error}; see `memd doctor`") from error

    def units(self) -> int:
        """How many units the text index must hold by these rows."""
        return int(self._db.execute("select coalesce(sum(units), 0) from rows").fetchone()[0])

    def clear(self, index: str) -> None:
        """No rows, and about this index from now on; in a new file, as sqlite keeps what was deleted. Raises Refused: unavailable."""
        self._index = index
        try:
            self._make("")
        except (OSError, sqlite3.Error) as error:
            raise Refused("unavailable", f"the ledger could not be made anew: {error}; see `memd doctor`") from error

    def close(self) -> None:
        self._db.close()


def _record(path: str, row: Row) -> tuple[bytes, bytes, str, bytes, int, bytes]:
    key, stat, note = os.fsencode(path), _PACK.encode(row.stat), _note(row.note)
    return key, stat, row.sha256, note, row.units, _sum(key, stat, row.sha256, note, row.units)


def _note(note: Note) -> bytes:
    """The record in msgpack; as JSON where it holds a name that is not UTF-8 (lone surrogates have no other encoding)."""
    try:
        return _PACK.encode(note)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(note)).encode()


def _read_note(data: bytes) -> Note:
    return msgspec.convert(json.loads(data), Note) if data[:1] == b"{" else _NOTE.decode(data)


def _sum(path: bytes, stat: bytes, sha256: str, note: bytes, units: int) -> bytes:
    """A row's checksum: sqlite finds damage to its pages only by luck."""
    parts = (path, stat, sha256.encode(), note, b"%d" % units)
    return hashlib.blake2b(b"\0".join(parts), digest_size=8).digest()
