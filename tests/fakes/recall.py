"""A small vault out of texts, with the real text index over it: what search is told in tests."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from msgspec import Struct, structs

from memd.index.passages import units
from memd.index.port import Hit, Only, Operations, Query, VectorAnswer
from memd.index.words import TantivyWords
from memd.model.note import Note
from memd.model.vault import Vault, stem
from memd.parse.note import parse_note

ZONE = timezone(timedelta(hours=8))
NOW = datetime(2026, 6, 1, 12, tzinfo=ZONE)


def note_of(path: str, text: str, modified: float = 0.0, **more: Any) -> Note:
    """The note as the parser reads it, with these fields instead of what it read."""
    note, _ = parse_note(path, text.encode(), modified, ZONE)
    return structs.replace(note, **more)


class FakeIndex:
    """Real words; `answer` is what search by meaning gives, whatever is asked."""

    def __init__(self, words: TantivyWords, answer: VectorAnswer | None = None) -> None:
        self.text = words
        self.answer = answer or VectorAnswer(why="off")
        self.asked: list[int] = []

    def words(self, query: Query, limit: int) -> list[Hit]:
        self.asked.append(limit)
        return self.text.search(query, limit)

    def meaning(self, text: str, limit: int, kinds: tuple[str, ...] = (), only: Only | None = None) -> VectorAnswer:
        found = [hit for hit in self.answer.hits if only is None or only.has(hit.unit, hit.path)]
        return structs.replace(self.answer, hits=tuple(found))


class FakeBodies:
    def __init__(self, texts: Mapping[str, str]) -> None:
        self.texts = texts

    def text(self, path: str) -> str | None:
        return self.texts.get(path)


class World(Struct):
    """A snapshot, its index and its words."""

    vault: Vault
    index: FakeIndex
    bodies: FakeBodies


def world(folder: str, texts: Mapping[str, str], **more: Mapping[str, Any]) -> World:
    """`more` are keys of single notes, by stem."""
    notes = [
        note_of(path, text, 1000.0 + at, **more.get(stem(path), {})) for at, (path, text) in enumerate(texts.items())
    ]
    words = TantivyWords(folder)
    words.apply(Operations(replace={note.path: units(note, texts[note.path]) for note in notes}))
    words.commit()
    return World(Vault(notes), FakeIndex(words), FakeBodies(texts))


class Asked(Struct, frozen=True, kw_only=True):
    """Params of any method of recall, with the contract's defaults."""

    query: str = ""
    where: dict[str, Any] = {}
    tags: tuple[str, ...] = ()
    tag: str = ""
    type: str = ""
    folder: str = ""
    category: str = ""
    tree: str = ""
    kinds: tuple[str, ...] = ()
    since: str = ""
    until: str = ""
    mode: str = "text"
    limit: int = 8
    cursor: str = ""
    include_sensitive: bool = False
    include_superseded: bool = False
    explain: bool = False
    permalink: str = ""
    path: str = ""
    id: str = ""
    depth: int = 1
