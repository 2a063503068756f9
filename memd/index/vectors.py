"""Vectors in a graph, searched nearly exactly. The only importer of hnswlib.

Knows labels and rows, never what they stand for, and never the lock that whoever owns it must hold: many searches, or
one change. What hnswlib gets wrong is answered here: it saves without telling of a full disk (size is compared), loads a
damaged file into a crash (hash first, and a child tries it when in doubt), forgets its `ef`, keeps what was deleted.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
import zlib
from collections.abc import Sequence
from typing import Any

from memd.index import durable
from memd.index.exact import Matrix, Scored, among, best

M = 16
BUILD_EF = 100
EF, EF_LARGE, LARGE = 200, 300, 30_000
"""Recall of the 100 nearest (of the 10 nearest) against exact search and p50, M = 16, build ef 100
(real embeddings up to 20,842 rows, beyond those mixtures of two with noise):
10,000 rows ef 128 .982 (.997) 0.11 ms, 200 .993 (.997) 0.16; 28,000 rows ef 128 .963 (.994) 0.31 ms, 200 .985 (.997) 0.44,
300 .995 (.999) 0.50; 50,000 rows ef 200 .969 (.994) 0.59 ms, 300 .984 (.996) 0.81. Built at 0.2–0.3 ms a row; a build ef
of 200 costs twice that for .003 of recall."""

WORN = 0.2
"""Share of deleted or replaced rows above which the graph is built anew."""


class Graph:
    """`worn` says that it should be built anew. Raises nothing of its own: labels that are absent are KeyError."""

    def __init__(self, dim: int, room: int) -> None:
        self._open(dim)
        self._index.init_index(max_elements=max(room, 16), ef_construction=BUILD_EF, M=M)
        self._live: set[int] = set()
        self._spent = 0
        self._tune()

    def _open(self, dim: int) -> None:
        import hnswlib

        self._index: Any = hnswlib.Index("ip", dim)

    def _tune(self) -> None:
        self._index.set_ef(EF if self._index.get_current_count() < LARGE else EF_LARGE)

    def __len__(self) -> int:
        return len(self._live)

    def __contains__(self, label: int) -> bool:
        return label in self._live

    @property
    def worn(self) -> bool:
        return bool(self._spent > WORN * max(1, self._index.get_current_count()))

    @property
    def dirty(self) -> bool:
        """Whether anything that was deleted or replaced is still kept somewhere."""
        return self._spent > 0

    def labels(self) -> list[int]:
        return list(self._live)

    def rows(self, labels: Sequence[int]) -> Matrix:
        found: Matrix = self._index.get_items(list(labels))
        return found

    def put(self, labels: Sequence[int], rows: Matrix) -> None:
        """Adds, or replaces where the label is there; makes room before, so that no batch is taken in half."""
        self._spent += sum(label in self._live for label in labels)
        need = self._index.get_current_count() + len(labels)
        if need > self._index.get_max_elements():
            self._index.resize_index(max(need, self._index.get_max_elements() * 3 // 2))
        self._index.add_items(rows, list(labels), num_threads=1)
        self._live.update(labels)
        self._tune()

    def drop(self, labels: Sequence[int]) -> None:
        for label in labels:
            self._live.remove(label)
            self._index.mark_deleted(label)
            self._spent += 1

    def search(self, query: Matrix, k: int) -> Scored:
        k = min(k, len(self._live))
        if not k:
            return []
        try:
            labels, distances = self._index.knn_query(query, k=k, num_threads=1)
        except RuntimeError:  # deleted rows left it with fewer than k: count them all instead
            return self._search_all(query, k)
        return best(1.0 - distances[0], labels[0], k)

    def _search_all(self, query: Matrix, k: int) -> Scored:
        live = sorted(self._live)
        return among(self.rows(live), live, query, k)

    def save(self, file: str) -> dict[str, Any]:
        """Writes the graph packed (float16 numbers leave half of each float32 empty) and returns its manifest entry. The
        entry's `file` begins like `file` and ends in a digest: what was saved before stands until somebody removes it.

        Raises OSError where the disk is full: hnswlib itself would say nothing.
        """
        raw = file + ".raw"
        try:
            self._index.save_index(raw)
            size, expected = os.path.getsize(raw), self._index.index_file_size()
            if size != expected:
                raise OSError(f"the graph was written in part: {size} of {expected} bytes")
            digest = _pack(raw, file + ".tmp")
            final = f"{file}.{digest}.graph"
            durable.replace(file + ".tmp", final)
        finally:
            if os.path.exists(raw):
                os.unlink(raw)
        dead = sorted(set(self._index.get_ids_list()) - self._live)
        name, packed = os.path.basename(final), os.path.getsize(final)
        return {"file": name, "size": packed, "raw": size, "blake2b": digest, "dead": dead, "spent": self._spent}

    @classmethod
    def load(cls, file: str, dim: int, entry: dict[str, Any], doubt: bool) -> Graph:
        """The graph of a manifest entry. Raises ValueError where the file is not as recorded, or a child dies of it."""
        if os.path.getsize(file) != entry["size"] or durable.digest(file) != entry["blake2b"]:
            raise ValueError("the graph's file is not as its manifest says")
        raw = file + ".raw"
        try:
            _unpack(file, raw)
            if os.path.getsize(raw) != entry["raw"]:
                raise ValueError("the graph's file has another size than when it was saved")
            if doubt and not survives(raw, dim):
                raise ValueError("a process that loaded the graph died of it")
            graph = cls.__new__(cls)
            graph._open(dim)
            graph._index.load_index(raw)
        except (RuntimeError, zlib.error) as error:
            raise ValueError("the graph's file cannot be read") from error
        finally:
            if os.path.exists(raw):
                os.unlink(raw)
        graph._live = set(graph._index.get_ids_list()) - set(entry["dead"])
        graph._spent = entry["spent"]
        graph._tune()
        return graph


def _pack(raw: str, out: str) -> str:
    packer, hasher = zlib.compressobj(1), hashlib.blake2b(digest_size=16)
    with open(raw, "rb") as source, open(out, "wb") as target:
        while piece := source.read(1 << 20):
            data = packer.compress(piece)
            hasher.update(data)
            target.write(data)
        data = packer.flush()
        hasher.update(data)
        target.write(data)
        durable.flush(target)
    return hasher.hexdigest()


def _unpack(file: str, raw: str) -> None:
    unpacker = zlib.decompressobj()
    with open(file, "rb") as source, open(raw, "wb") as target:
        while piece := source.read(1 << 20):
            target.write(unpacker.decompress(piece))
        target.write(unpacker.flush())


def survives(raw: str, dim: int) -> bool:
    """Whether another process loads the file and searches it without dying."""
    done = subprocess.run([sys.executable, "-m", "memd.index.vectors", raw, str(dim)], capture_output=True, timeout=120)
    return done.returncode == 0


def _try(raw: str, dim: int) -> None:
    import hnswlib

    index = hnswlib.Index("ip", dim)
    index.load_index(raw)
    ids = index.get_ids_list()
    for label in ids[:: max(1, len(ids) // 100)]:
        try:
            index.knn_query(index.get_items([label]), k=1)
        except RuntimeError:
            continue  # a deleted row


if __name__ == "__main__":
    _try(sys.argv[1], int(sys.argv[2]))
