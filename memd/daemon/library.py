"""The indexes as one: opened, filled, asked, closed. `index.port.Index` over tantivy and the vectors.

Knows which parts are there. Vectors come later than words, or never. Never reads the vault.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any

from memd.daemon.indexer import Indexer
from memd.index.ledger import Ledger, Row
from memd.index.port import Hit, Only, Passage, Query, VectorAnswer, VectorStatus
from memd.index.words import TantivyWords
from memd.model.errors import Refused


class Library:
    """`settled` is called from the owner thread after each commit. Raises Refused: unavailable, where they cannot be opened."""

    def __init__(self, cache: str, settled: Callable[[], None]) -> None:
        self.cache = cache
        try:
            self.text = TantivyWords(os.path.join(cache, "words"))
            self.ledger = Ledger(os.path.join(cache, "ledger.db"), self.text.identity)
        except OSError as error:
            why = f"the cache {cache} cannot be opened: {error.strerror}"
            raise Refused("unavailable", f"{why}; is its disk full, or are there no descriptors left?") from error
        self.indexer = Indexer(self.text, self._keep, self._wipe, settled, self.ledger.listed)
        self.vectors: Any = None
        self._put_off = ""

    def rows(self) -> dict[str, Row]:
        """What was indexed when memd last ran; nothing where the text index does not hold what the ledger says."""
        rows = self.ledger.rows()
        if self.ledger.units() != self.text.count():
            self._wipe()
            return {}
        return rows

    def listed_at(self) -> int:
        """When the files that the rows speak of were last listed, ns; files touched since may differ unseen."""
        return self.ledger.listed_at()

    def _wipe(self) -> None:
        self.text.clear()
        self.ledger.clear(self.text.identity)

    def _keep(self, changed: Mapping[str, object]) -> None:
        rows = [(path, row) for path, row in changed.items() if isinstance(row, Row)]
        self.ledger.write(rows, [path for path, row in changed.items() if row is None])

    def attach(self, vectors: Any) -> None:
        """From now on passages go to the vectors; what they miss of earlier ones is the caller's to bring."""
        self.vectors = vectors

    def put_off(self, why: str) -> None:
        """The vectors cannot be opened now, and come later."""
        self._put_off = why

    def detach(self) -> Any:
        """The vectors, which take no passage any more; None where there are none."""
        vectors, self.vectors = self.vectors, None
        return vectors

    def stands(self) -> bool:
        """Whether the files of the indexes are there: somebody may have deleted the cache."""
        return all(os.path.exists(os.path.join(self.cache, name)) for name in ("ledger.db", "words/identity"))

    @property
    def wanted(self) -> bool:
        """Whether passages are of any use: without vectors they are not."""
        return self.vectors is not None and bool(self.vectors.takes)

    def embed(self, passages: Mapping[str, tuple[Passage, ...]], removed: tuple[str, ...]) -> None:
        if self.vectors is not None:
            self.vectors.update(dict(passages), removed)

    def words(self, query: Query, limit: int) -> list[Hit]:
        return self.text.search(query, limit)

    def meaning(self, text: str, limit: int, kinds: tuple[str, ...] = (), only: Only | None = None) -> VectorAnswer:
        if self.vectors is None:
            return VectorAnswer()
        answer: VectorAnswer = self.vectors.answer(text, limit, kinds, only)
        return answer

    def embed_texts(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...] | None, ...]:
        if self.vectors is None:
            return (None,) * len(texts)
        found: tuple[tuple[float, ...] | None, ...] = self.vectors.embed(texts)
        return found

    def vector_status(self) -> VectorStatus:
        if self.vectors is None:
            return VectorStatus("building", reason=self._put_off or "starting")
        status: VectorStatus = self.vectors.status()
        return status

    def trouble(self) -> str:
        """What keeps the vectors from getting on, "" for nothing."""
        return self.vectors.trouble if self.vectors is not None else self._put_off

    def forget_unused(self) -> None:
        """Embeddings of texts that no passage says any more are erased."""
        if self.vectors is not None:
            self.vectors.forget()

    def close(self) -> None:
        self.indexer.stop()
        if self.vectors is not None:
            self.vectors.stop()
        self.ledger.close()
