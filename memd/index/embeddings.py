"""Embeddings by (model, text hash), as float16, in one SQLite file outside any graph.

Knows hashes and vectors, never a word of text: what was forgotten can be proved gone. Because a vector is found again by
what was said, a move, a rename, a rebuild or a lost graph embeds nothing. The caller sees to it that one thread at a
time is here. Sizes: 768 bytes of vector and about 85 of row and index a text with 384 dimensions.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import struct
from collections.abc import Iterable, Sequence

import msgspec

from memd.index import lacks
from memd.index.models import Choice
from memd.index.transactions import transaction
from memd.model.errors import Refused

SCHEMA = 1
GRACE = 7 * 24 * 3600.0
"""Seconds that a vector nobody uses is kept: a branch may be checked out again, a folder come back."""

_TABLES = """
create table if not exists models(id integer primary key, name text unique, choice blob, serving integer default 0, since real);
create table if not exists vectors(id integer primary key, model integer, hash blob, vector blob);
create unique index if not exists vectors_by_hash on vectors(model, hash);
create table if not exists unused(hash blob primary key, since real) without rowid;
create table if not exists files(id integer primary key, path blob unique);
create table if not exists passages(label integer primary key autoincrement, file integer, unit blob, kind text,
    script text, hash blob, line integer, rank integer, lends integer);
create index if not exists passages_by_file on passages(file);
create index if not exists passages_by_hash on passages(hash);
"""


def open_store(file: str) -> sqlite3.Connection:
    """The store's connection. A file that is damaged or of another schema is removed and begun anew. Raises OSError where
    the system has nothing to open it with."""
    try:
        return _connect(file)
    except sqlite3.DatabaseError as error:
        lacks.reraised(error)
        for end in ("", "-wal", "-shm"):
            if os.path.exists(file + end):
                os.unlink(file + end)
        return _connect(file)


def _connect(file: str) -> sqlite3.Connection:
    os.makedirs(os.path.dirname(file), exist_ok=True)
    store = sqlite3.connect(file, check_same_thread=False, isolation_level=None)
    try:
        store.execute("pragma secure_delete = on")
        store.execute("pragma journal_mode = wal")
        store.execute("pragma synchronous = full")
        (version,) = store.execute("pragma user_version").fetchone()
        if version not in (0, SCHEMA):
            raise sqlite3.DatabaseError("another schema")
        (verdict,) = store.execute("pragma quick_check(1)").fetchone()
        if verdict != "ok":
            raise sqlite3.DatabaseError(verdict)
        store.executescript(_TABLES)
        store.execute(f"pragma user_version = {SCHEMA}")
    except sqlite3.DatabaseError:
        store.close()
        raise
    return store


def digest(hash: str) -> bytes:
    """The 16 bytes under which a passage's hash is kept."""
    return hashlib.blake2b(hash.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def to_half(vector: Sequence[float]) -> bytes:
    """Little-endian float16. Raises ValueError for numbers that are not finite."""
    try:
        data = struct.pack(f"<{len(vector)}e", *vector)
    except OverflowError as error:
        raise ValueError("a vector with a number out of range") from error
    if any(x != x for x in vector):
        raise ValueError("a vector that holds NaN")
    return data


class Embeddings:
    """Vectors of the models that this store has known; `model` is an id given by `model_id`."""

    def __init__(self, store: sqlite3.Connection) -> None:
        self._store = store

    def model_id(self, choice: Choice) -> int:
        """The id of a model, entered when new. The choice is kept (without its key), to load it again another day."""
        kept = msgspec.json.encode(msgspec.structs.replace(choice, key=""))
        self._store.execute(
            "insert into models(name, choice) values(?, ?) on conflict(name) do update set choice = excluded.choice",
            (choice.name, kept),
        )
        (found,) = self._store.execute("select id from models where name = ?", (choice.name,)).fetchone()
        return int(found)

    def serving(self) -> tuple[int, Choice] | None:
        """The model whose vectors answered last."""
        row = self._store.execute("select id, choice from models where serving = 1").fetchone()
        return (row[0], msgspec.json.decode(row[1], type=Choice)) if row else None

    def serve(self, model: int, now: float) -> None:
        """From now on this model answers; the vectors of the others are kept for `GRACE` seconds."""
        self._store.execute("update models set serving = 0, since = ? where id <> ? and since is null", (now, model))
        self._store.execute("update models set serving = 0 where id <> ?", (model,))
        self._store.execute("update models set serving = 1, since = null where id = ?", (model,))

    def put(self, model: int, rows: Iterable[tuple[bytes, bytes | None]]) -> None:
        """(digest, float16 bytes), or None for a text that the model cannot read."""
        with transaction(self._store):
            self._store.executemany(
                "insert or replace into vectors(model, hash, vector) values(?, ?, ?)", ((model, h, v) for h, v in rows)
            )

    def get(self, model: int, hashes: Sequence[bytes]) -> dict[bytes, bytes | None]:
        """What is known of these digests; None: known as unreadable; absent: not embedded yet."""
        found: dict[bytes, bytes | None] = {}
        for start in range(0, len(hashes), 500):
            part = hashes[start : start + 500]
            marks = ",".join("?" * len(part))
            found.update(
                self._store.execute(
                    f"select hash, vector from vectors where model = ? and hash in ({marks})",  # noqa: S608 - question marks
                    (model, *part),
                )
            )
        return found

    def dim(self, model: int) -> int:
        """Numbers of this model's vectors; 0 while it has none."""
        row = self._store.execute(
            "select length(vector) from vectors where model = ? and vector is not null limit 1", (model,)
        ).fetchone()
        return row[0] // 2 if row else 0

    def count(self, model: int) -> int:
        return int(self._store.execute("select count(*) from vectors where model = ?", (model,)).fetchone()[0])

    def collect(self, now: float, grace: float = GRACE) -> int:
        """Removes what no passage has used for `grace` seconds, and models that long retired. Returns rows removed."""
        run = self._store.execute
        with transaction(self._store):
            run("delete from unused where hash in (select hash from passages)")
            run(
                "insert or ignore into unused select distinct hash, ? from vectors where hash not in (select hash from passages)",
                (now,),
            )
            gone = run(
                "delete from vectors where hash in (select hash from unused where since <= ?)", (now - grace,)
            ).rowcount
            run("delete from unused where hash not in (select hash from vectors)")
            gone += run(
                "delete from vectors where model in (select id from models where since <= ?)", (now - grace,)
            ).rowcount
            run("delete from models where since <= ?", (now - grace,))
        return gone

    def erase(self, hashes: Iterable[str] | None) -> int:
        """Removes these texts' vectors of every model at once, or (None) all that no passage uses; nothing of them is left
        in the file or its log. Returns how many there were. Raises Refused: unavailable."""
        try:
            return self._erase(hashes)
        except sqlite3.Error as error:
            raise Refused("unavailable", f"the vectors cannot be erased: {error}; ask again") from error

    def _erase(self, hashes: Iterable[str] | None) -> int:
        if hashes is None:
            gone = self._store.execute("delete from vectors where hash not in (select hash from passages)").rowcount
        else:
            gone = sum(
                self._store.execute("delete from vectors where hash = ?", (digest(hash),)).rowcount for hash in hashes
            )
        self._store.execute("pragma wal_checkpoint(truncate)")
        return gone
