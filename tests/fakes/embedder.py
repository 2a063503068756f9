"""Embedders without a model: vectors from hashed words, so that texts that share words are near each other."""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Sequence

from memd.index.models import Choice, Unavailable

_WORD = re.compile(r"[a-z0-9]+|[\u4e00-\u9fff]", re.I)


class FakeEmbedder:
    """An `Embedder` and a `Handle`: a bag of hashed words of `dim` numbers, the same for the same text, for ever.

    It counts what it was asked (`texts`), cannot read a text without a letter, and does as told: `fail` raises, `gate`
    (an Event) is waited for before each call.
    """

    def __init__(self, name: str = "fake", dim: int = 64) -> None:
        self.name = name
        self.dim = dim
        self.texts: list[str] = []
        self.fail: Exception | None = None
        self.gate: threading.Event | None = None
        self.closed = False

    def load(self) -> None:
        if self.fail:
            raise self.fail

    def close(self) -> None:
        self.closed = True

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Sequence[float] | None]:
        if self.gate is not None:
            self.gate.wait(10)
        if self.closed:
            raise Unavailable("closed")
        if self.fail:
            raise self.fail
        self.texts += texts
        return [self.vector(text) for text in texts]

    def vector(self, text: str) -> list[float] | None:
        row = [0.0] * self.dim
        for word in _WORD.findall(text.lower()):
            digest = hashlib.blake2b(f"{self.name} {word}".encode(), digest_size=8).digest()
            row[digest[0] % self.dim] += 1.0 if digest[1] & 1 else -1.0
            row[digest[2] % self.dim] += 0.5
        length = math.sqrt(sum(x * x for x in row))
        return [x / length for x in row] if length else None


class FakeModels:
    """An `Opener`: one FakeEmbedder a model for bulk and one for questions, kept under (title, bulk)."""

    def __init__(self, dim: int = 64) -> None:
        self.dim = dim
        self.opened: dict[tuple[str, bool], FakeEmbedder] = {}

    def __call__(self, choice: Choice, bulk: bool, threads: int) -> FakeEmbedder:
        found = self.opened.get((choice.title, bulk))
        if found is None or found.closed:
            found = self.opened[choice.title, bulk] = FakeEmbedder(choice.name, self.dim)
        return found

    def handed(self, title: str) -> list[str]:
        """The texts that the bulk handle of a model was given so far."""
        found = self.opened.get((title, True))
        return list(found.texts) if found else []
