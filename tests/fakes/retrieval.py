"""Memory formed from talk, indexed, and asked: the driver's files under the real text index."""

from __future__ import annotations

from typing import Any

from memd.index.passages import units
from memd.index.port import Operations, VectorAnswer
from memd.index.words import TantivyWords
from memd.recall.browse import browse
from memd.recall.retrieve import retrieve
from memd.serve import params as p
from tests.fakes.driver import NOW, Driver
from tests.fakes.recall import FakeBodies, FakeIndex


class Asker:
    """`ask` answers `memory.retrieve` over the driver's files as they are; `meaning` is what vectors say, whatever is asked."""

    def __init__(self, folder: str, driver: Driver | None = None) -> None:
        self.folder, self.driver = folder, driver or Driver()
        self.meaning = VectorAnswer(why="off")
        self.now = NOW

    def _index(self) -> tuple[FakeIndex, FakeBodies]:
        texts = {path: data.decode() for path, data in self.driver.files.items() if not path.startswith(".")}
        words = TantivyWords(self.folder)
        words.clear()
        notes = self.driver.vault.notes
        words.apply(Operations(replace={path: units(note, texts[path]) for path, note in notes.items()}))
        words.commit()
        return FakeIndex(words, self.meaning), FakeBodies(texts)

    def ask(self, query: str, within: str = "", **params: Any) -> dict[str, Any]:
        index, bodies = self._index()
        return retrieve(self.driver.vault, index, bodies, p.Retrieve(query=query, **params), self.now, within)

    def browse(self, node: str = "", **params: Any) -> dict[str, Any]:
        return browse(self.driver.vault, p.Browse(node=node, **params), self.now)


def facts(answer: dict[str, Any]) -> list[str]:
    return [fact["text"] for fact in answer["retrieval_pack"]["known_facts"]]


def quotes(answer: dict[str, Any]) -> list[str]:
    return [turn["quote"] for turn in answer["evidence"]]
