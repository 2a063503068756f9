"""Which passages stand in which file: the vector index's own book, so that a restart reads no file.

Knows a passage's place, kind and hash, never its words. A passage's `label` is its number in the index; it is never used
twice, and a passage whose words stay keeps it when its line changes. Paths are kept as bytes: they need not be UTF-8.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from memd.index import seal
from memd.index.embeddings import digest, open_store
from memd.index.leaning import script
from memd.index.port import Passage
from memd.index.transactions import transaction

_SELECT = "select label, path, unit, kind, hash, line, rank, script, lends from passages join files on files.id = passages.file "


class Held(Struct, frozen=True, array_like=True, gc=False):
    """One passage of the book; `hash` is the digest under which its vector is kept."""

    label: int
    path: str
    unit: str
    kind: str
    hash: bytes
    line: int
    rank: int
    script: str
    lends: bool = True


class Delta(Struct, frozen=True):
    """What an update did: passages entered, passages gone, passages whose line or rank alone is another."""

    added: tuple[Held, ...] = ()
    removed: tuple[Held, ...] = ()
    moved: tuple[Held, ...] = ()


class Holdings:
    """One thread at a time; every change is one transaction."""

    def __init__(self, store: sqlite3.Connection) -> None:
        self._store = store

    def replace(self, passages: Mapping[str, Sequence[Passage]], removed: Iterable[str] = ()) -> Delta:
        """These files now have exactly these passages; the removed ones are unknown afterwards."""
        added: list[Held] = []
        gone: list[Held] = []
        moved: list[Held] = []
        with transaction(self._store):
            for path in removed:
                gone += self.of(path)
                self._drop(path)
            for path, now in passages.items():
                self._replace_file(path, now, added, gone, moved)
        return Delta(tuple(added), tuple(gone), tuple(moved))

    def _replace_file(
        self, path: str, now: Sequence[Passage], added: list[Held], gone: list[Held], moved: list[Held]
    ) -> None:
        file = self._file(path)
        old: dict[tuple[str, str, bytes], list[Held]] = {}
        for held in self.of(path):
            old.setdefault((held.unit, held.kind, held.hash), []).append(held)
        for passage in now:
            hash = digest(passage.hash)
            if same := old.get((passage.unit, passage.kind, hash)):
                held = same.pop()
                new = Held(
                    held.label,
                    path,
                    passage.unit,
                    passage.kind,
                    hash,
                    passage.line,
                    passage.rank,
                    held.script,
                    passage.lends,
                )
                if new != held:
                    place = (new.line, new.rank, new.lends, new.label)
                    self._store.execute("update passages set line = ?, rank = ?, lends = ? where label = ?", place)
                    moved.append(new)
            else:
                added.append(self._enter(file, path, passage, hash))
        left = [held for same in old.values() for held in same]
        self._store.executemany("delete from passages where label = ?", ((held.label,) for held in left))
        gone += left

    def _enter(self, file: int, path: str, passage: Passage, hash: bytes) -> Held:
        written = script(passage.text)
        row = (file, _short(path, passage.unit), passage.kind, hash, passage.line, passage.rank, written, passage.lends)
        cursor = self._store.execute(
            "insert into passages(file, unit, kind, hash, line, rank, script, lends) values(?, ?, ?, ?, ?, ?, ?, ?)",
            row,
        )
        label, line, rank = cursor.lastrowid or 0, passage.line, passage.rank
        return Held(label, path, passage.unit, passage.kind, hash, line, rank, written, passage.lends)

    def _file(self, path: str) -> int:
        name = os.fsencode(path)
        self._store.execute("insert or ignore into files(path) values(?)", (name,))
        return int(self._store.execute("select id from files where path = ?", (name,)).fetchone()[0])

    def _drop(self, path: str) -> None:
        name = os.fsencode(path)
        self._store.execute("delete from passages where file = (select id from files where path = ?)", (name,))
        self._store.execute("delete from files where path = ?", (name,))

    def of(self, path: str) -> list[Held]:
        """A file's passages in the order in which they stand."""
        return list(self._select("where files.path = ? order by line, label", (os.fsencode(path),)))

    def all(self) -> Iterator[Held]:
        """Every passage, file by file, in the order in which they stand."""
        return self._select("order by file, line, label", ())

    def waiting(self, model: int) -> Iterator[Held]:
        """Passages whose text this model has not seen, those that came last first."""
        return self._select(
            "where not exists (select 1 from vectors where model = ? and vectors.hash = passages.hash) order by label desc",
            (model,),
        )

    def using(self, hashes: Sequence[bytes]) -> list[Held]:
        """The passages that say one of these texts."""
        found: list[Held] = []
        for start in range(0, len(hashes), 500):
            part = tuple(hashes[start : start + 500])
            found += self._select(f"where hash in ({','.join('?' * len(part))})", part)
        return found

    def _select(self, clause: str, values: tuple[object, ...]) -> Iterator[Held]:
        for label, name, unit, kind, hash, line, rank, written, lends in self._store.execute(_SELECT + clause, values):
            path = os.fsdecode(name)
            yield Held(label, path, _long(path, unit), kind, hash, line, rank, written, bool(lends))

    def count(self) -> int:
        return int(self._store.execute("select count(*) from passages").fetchone()[0])

    def known(self) -> frozenset[str]:
        """Every path that was handed in, also those that had no passage."""
        return frozenset(os.fsdecode(name) for (name,) in self._store.execute("select path from files"))

    def clear(self) -> None:
        """Forgets all passages, no embedding."""
        with transaction(self._store):
            self._store.execute("delete from passages")
            self._store.execute("delete from files")


def _short(path: str, unit: str) -> bytes:
    """A unit's key without its path (`#t3`, or nothing), where it begins with it."""
    return os.fsencode(unit[len(path) :]) if unit.startswith(path) else b"\0" + os.fsencode(unit)


def _long(path: str, unit: bytes) -> str:
    return os.fsdecode(unit[1:]) if unit[:1] == b"\0" else path + os.fsdecode(unit)


def emptied(file: str) -> None:
    """The book of a store that is not in use holds no passage any more; the embeddings are kept for another day."""
    if seal.broken(file):
        seal.remove(file)
        return
    clean = seal.stands(file)
    seal.lift(file)
    store = open_store(file)
    Holdings(store).clear()
    store.close()
    if clean:
        seal.sign(file)
