"""Vectors in one matrix, searched exactly. The only importer of numpy; import this module when vectors are first used.

Knows labels and rows, never what they stand for. Not for two threads at once: whoever owns it holds a lock.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # threads of its own cost more than they bring at these sizes

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float32]
Scored = list[tuple[int, float]]

NEAR, FAR = 0.4, 0.2
"""What the neighbours of a turn lend its vector: one step away, two steps. LoCoMo development half, turns R@1/5/10, half
text of our own (BM25 with ±1 context .312/.601/.697) and half vectors: own words alone .344/.630/.728, the words of
±1 turns embedded with it .264/.631/.738, own words twice among them .331/.642/.742, vectors lent .2 .340/.645/.740,
.4 .315/.650/.741, .3 and .1 .351/.658/.751, .4 and .2 .353/.659/.757. Lending also embeds a third of the tokens."""


def matrix(halves: Sequence[bytes]) -> Matrix:
    """Rows from float16 bytes, each made one long. Raises ValueError for NaN, infinity, or a row without a direction."""
    rows = np.frombuffer(b"".join(halves), dtype="<f2").astype(np.float32).reshape(len(halves), -1)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("a vector that is not finite or has no direction")
    return np.asarray(rows / lengths, dtype=np.float32)


def row(vector: Sequence[float]) -> Matrix:
    """One query as a row of length one. Raises ValueError as `matrix`."""
    value = np.asarray(vector, dtype=np.float32)
    length = float(np.linalg.norm(value))
    if not np.isfinite(length) or not length:
        raise ValueError("a vector that is not finite or has no direction")
    return np.asarray(value / length, dtype=np.float32)


def lend(rows: Matrix, lends: Sequence[bool]) -> Matrix:
    """Rows in the order they were said, each with `NEAR` and `FAR` of its neighbours' that lend, made one long again."""
    mixed = rows.copy()
    given = rows * np.asarray(lends, dtype=np.float32)[:, None]
    for step, share in ((1, NEAR), (2, FAR)):
        if len(rows) > step:
            mixed[step:] += share * given[:-step]
            mixed[:-step] += share * given[step:]
    return np.asarray(mixed / np.maximum(np.linalg.norm(mixed, axis=1, keepdims=True), 1e-9), dtype=np.float32)


def best(scores: NDArray[np.float32], labels: NDArray[np.int64], k: int) -> Scored:
    """The k highest, best first; the lower label first where two are alike."""
    k = min(k, len(scores))
    if k <= 0:
        return []
    top = np.argpartition(scores, -k)[-k:] if k < len(scores) else np.arange(len(scores))
    order = top[np.lexsort((labels[top], -scores[top]))]
    return list(zip(labels[order].tolist(), scores[order].tolist(), strict=True))


def among(rows: Matrix, labels: Sequence[int], query: Matrix, k: int) -> Scored:
    """The best of some rows, all of which are counted."""
    return best(rows @ query, np.asarray(labels, dtype=np.int64), k)


class Exact:
    """A growing matrix. p50 of a search with k = 100, one thread, embeddings of 384 numbers (real up to
    20,842 rows, beyond those mixtures of two with noise), on a busy machine: 1,000 rows 0.04 ms,
    5,000 0.22, 10,000 0.88, 20,000 2.5, 28,000 4.4, 50,000 7.7."""

    def __init__(self, dim: int, room: int = 256) -> None:
        self._rows: Matrix = np.empty((room, dim), dtype=np.float32)
        self._labels = np.empty(room, dtype=np.int64)
        self._at: dict[int, int] = {}

    def __len__(self) -> int:
        return len(self._at)

    def __contains__(self, label: int) -> bool:
        return label in self._at

    @property
    def worn(self) -> bool:
        return False

    def labels(self) -> list[int]:
        return list(self._at)

    def rows(self, labels: Sequence[int]) -> Matrix:
        return self._rows[[self._at[label] for label in labels]]

    def put(self, labels: Sequence[int], rows: Matrix) -> None:
        """Adds, or replaces where the label is there."""
        need = len(self._at) + len(labels)
        if need > len(self._rows):
            self._grow(max(need, len(self._rows) * 3 // 2))
        for label, value in zip(labels, rows, strict=True):
            at = self._at.setdefault(label, len(self._at))
            self._rows[at] = value
            self._labels[at] = label

    def _grow(self, room: int) -> None:
        count = len(self._at)
        rows: Matrix = np.empty((room, self._rows.shape[1]), dtype=np.float32)
        labels = np.empty(room, dtype=np.int64)
        rows[:count], labels[:count] = self._rows[:count], self._labels[:count]
        self._rows, self._labels = rows, labels

    def drop(self, labels: Sequence[int]) -> None:
        """The last row takes the place of the one that goes: nothing of it stays."""
        for label in labels:
            at = self._at.pop(label)
            last = len(self._at)
            if at != last:
                self._rows[at] = self._rows[last]
                self._labels[at] = moved = int(self._labels[last])
                self._at[moved] = at
            self._rows[last] = 0.0

    def search(self, query: Matrix, k: int) -> Scored:
        count = len(self._at)
        return best(self._rows[:count] @ query, self._labels[:count], k)
