"""The vector index: one shard a kind of unit and a script, exact while it is small, a graph when it is large; one lock round all.

Knows which unit, file and line a label stands for. A shard a kind means that a search for notes never wades through a
hundred thousand turns. Searches may come from any thread; changes one at a time (the caller's
lock), and none keeps searches waiting for more than some milliseconds: what takes longer is built aside.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, nullcontext
from itertools import chain

import msgspec

from memd.index import durable, lacks
from memd.index.exact import Exact, Matrix, Scored, among, row
from memd.index.holdings import Held
from memd.index.lock import ReadWrite
from memd.index.port import Only
from memd.index.vectors import Graph

SWITCH = 10_000
"""Rows at which a shard becomes a graph: there exact search costs 0.9 ms and the graph 0.16 (see exact.Exact, vectors.EF)."""

SLICE = 16
"""Rows put into a graph under one hold of the lock: 3 to 5 ms."""

WIDER = 4
"""How many times as much is looked at first where a filter leaves a good share."""

MANIFEST = "graphs.json"

Shard = Exact | Graph
Name = tuple[str, str]
"""Kind of unit and script."""


class Shards:
    """`dim` is fixed; another model has another index."""

    def __init__(self, dim: int, switch: int = SWITCH) -> None:
        self.dim = dim
        self._switch = switch
        self._lock = ReadWrite()
        self._places: dict[int, Held] = {}
        self._shards: dict[Name, Shard] = {}
        self._touched: set[int] = set()
        self.changed = False

    def __len__(self) -> int:
        return len(self._places)

    def search(
        self,
        vector: Sequence[float],
        limit: int,
        kinds: tuple[str, ...] = (),
        script: str = "",
        only: Only | None = None,
    ) -> Scored:
        """Labels with their cosine similarity, best first; of one script and among `only` where they are given.

        Raises ValueError for a vector that is no direction."""
        query = row(vector)
        if query.shape != (self.dim,):
            raise ValueError(f"a vector of {len(vector)} numbers in an index of {self.dim}")
        with self._lock.reading():
            found = [
                shard.search(query, limit) if only is None else self._chosen(shard, query, limit, only)
                for (kind, written), shard in self._shards.items()
                if (not kinds or kind in kinds) and script in ("", written)
            ]
        if len(found) == 1:
            return found[0]
        return sorted(chain.from_iterable(found), key=lambda pair: (-pair[1], pair[0]))[:limit]

    def place(self, label: int) -> Held | None:
        """Where a label that was found stands; None where it went meanwhile."""
        return self._places.get(label)

    def _chosen(self, shard: Shard, query: Matrix, limit: int, only: Only) -> Scored:
        """The best of those that may be found: left over from a wider search where that is enough, else looked for among them.
        Where many are named nobody counts first how many of them stand here."""
        places, paths, units = self._places, only.paths, only.units

        def may(labels: Iterable[int]) -> list[int]:
            return [label for label in labels if places[label].path in paths or places[label].unit in units]

        many = (len(paths) + len(units)) * WIDER >= len(shard)
        labels = [] if many else may(shard.labels())
        if many or len(labels) * WIDER >= len(shard):
            wide = dict(shard.search(query, limit * WIDER))
            found = may(wide)
            if len(found) >= limit or len(wide) == len(shard):
                return [(label, wide[label]) for label in found[:limit]]
        labels = labels or may(shard.labels())
        return among(shard.rows(labels), labels, query, limit)

    def put(self, items: Sequence[Held], rows: Matrix) -> None:
        """Adds passages with their rows of length one, or replaces the rows of labels that are there."""
        by_name: dict[Name, list[int]] = {}
        for at, held in enumerate(items):
            by_name.setdefault((held.kind, held.script), []).append(at)
        for name, all_at in by_name.items():
            shard = self._shards.get(name) or self._begin(name)
            step = SLICE if isinstance(shard, Graph) else 1024
            for start in range(0, len(all_at), step):
                some = all_at[start : start + step]
                with self._lock.writing():
                    shard.put([items[at].label for at in some], rows[some])
                    self._places.update((items[at].label, items[at]) for at in some)
            self._touched.update(items[at].label for at in all_at)
            self.changed |= isinstance(shard, Graph)

    def _begin(self, name: Name) -> Shard:
        with self._lock.writing():
            return self._shards.setdefault(name, Exact(self.dim))

    def drop(self, labels: Iterable[int]) -> None:
        """Labels that are not there are passed over."""
        by_name: dict[Name, list[int]] = {}
        for label in labels:
            if held := self._places.get(label):
                by_name.setdefault((held.kind, held.script), []).append(label)
        with self._lock.writing():
            for name, gone in by_name.items():
                self._shards[name].drop(gone)
                self.changed |= isinstance(self._shards[name], Graph)
                for label in gone:
                    del self._places[label]

    def moved(self, items: Iterable[Held]) -> None:
        """The same passages stand at another line now."""
        with self._lock.writing():
            self._places.update((held.label, held) for held in items if held.label in self._places)

    def has(self, label: int) -> bool:
        return label in self._places

    def tend(self, changing: AbstractContextManager[object], stop: Callable[[], bool] = lambda: False) -> bool:
        """Builds anew one shard that outgrew its form or is worn, and says whether it did. Searches and changes go on
        meanwhile; `changing` keeps changes out for the last moment, when what they did is repeated."""
        for name, shard in list(self._shards.items()):
            size = len(shard)
            grown = isinstance(shard, Exact) and size > self._switch
            shrunk = isinstance(shard, Graph) and size < self._switch // 2
            if grown or shrunk or shard.worn:
                return self._rebuild(name, shard, changing, stop)
        return False

    def purge(self) -> None:
        """Builds every graph anew that keeps anything deleted: afterwards nothing of it is in memory. Changes must wait."""
        for name, shard in list(self._shards.items()):
            if isinstance(shard, Graph) and shard.dirty:
                self._rebuild(name, shard, nullcontext(), lambda: False)

    def _rebuild(
        self, name: Name, old: Shard, changing: AbstractContextManager[object], stop: Callable[[], bool]
    ) -> bool:
        self._touched = set()
        labels = sorted(old.labels())
        new: Shard = (
            Graph(self.dim, len(labels) * 5 // 4) if len(labels) > self._switch else Exact(self.dim, len(labels))
        )
        for start in range(0, len(labels), 256):
            if stop():
                return False
            self._copy(old, new, labels[start : start + 256])
        with changing:
            late = [label for label in old.labels() if label not in new or label in self._touched]
            self._copy(old, new, late)
            new.drop([label for label in new.labels() if label not in old])
            with self._lock.writing():
                self._shards[name] = new
            self.changed = True
        return True

    def _copy(self, old: Shard, new: Shard, labels: Sequence[int]) -> None:
        with self._lock.reading():
            there = [label for label in labels if label in old]
            rows = old.rows(there) if there else None
        if rows is not None:
            new.put(there, rows)

    def save(self, folder: str, model: str) -> None:
        """Writes each graph and a manifest; small shards are not written, they come from the embeddings in no time. Until
        the new manifest stands, the old one and its graphs do."""
        os.makedirs(folder, exist_ok=True)
        graphs = [
            {"kind": kind, "script": script, **shard.save(os.path.join(folder, f"{kind}.{script}"))}
            for (kind, script), shard in self._shards.items()
            if isinstance(shard, Graph)
        ]
        data = msgspec.json.encode({"model": model, "dim": self.dim, "graphs": graphs})
        durable.put(os.path.join(folder, MANIFEST), data)
        for name in set(os.listdir(folder)) - {MANIFEST, *(graph["file"] for graph in graphs)}:
            os.unlink(os.path.join(folder, name))
        self.changed = False

    def load(self, folder: str, model: str, held: Iterable[Held], doubt: bool) -> None:
        """Takes up the saved graphs of this model as far as they are whole, and only the passages that still stand. Raises
        OSError where the system has nothing to read them with."""
        try:
            with open(os.path.join(folder, MANIFEST), "rb") as source:
                manifest = msgspec.json.decode(source.read())
            fits = manifest["model"] == model and manifest["dim"] == self.dim
            graphs = manifest["graphs"] if fits else []
        except (OSError, msgspec.DecodeError, KeyError, TypeError) as error:
            lacks.reraised(error)
            return
        standing: dict[Name, dict[int, Held]] = {}
        for passage in held if graphs else ():
            standing.setdefault((passage.kind, passage.script), {})[passage.label] = passage
        for entry in graphs:
            try:
                name = (entry["kind"], entry["script"])
                graph = Graph.load(os.path.join(folder, entry["file"]), self.dim, entry, doubt)
            except (OSError, ValueError, KeyError, TypeError) as error:
                lacks.reraised(error)
                continue
            there = standing.get(name, {})
            graph.drop([label for label in graph.labels() if label not in there])
            with self._lock.writing():
                self._shards[name] = graph
                self._places.update((label, there[label]) for label in graph.labels())
