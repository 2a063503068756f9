"""The least that a thing could cost: bare loops without memd, run beside it in the same run."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import tantivy
from tantivy import Occur, Query

from memd.index import tokens
from tests.bench import process

PYTHON = sys.executable
ENGINE_IMPORTS = "import tantivy, msgspec, asyncio"
CLIENT_IMPORTS = "import argparse, socket, msgspec"


def stat_walk(folder: Path) -> tuple[float, float]:
    """(seconds, CPU seconds) of looking at every file's stat and reading none."""
    began, before = time.perf_counter(), time.process_time()
    for where, _, names in os.walk(folder):
        for name in names:
            os.stat(os.path.join(where, name))
    return time.perf_counter() - began, time.process_time() - before


def python(code: str, rounds: int = 7) -> tuple[float, float]:
    """(median seconds, median CPU seconds) of an interpreter that runs this and ends."""
    return process.timed([PYTHON, "-c", code], dict(os.environ), rounds)


class Bare:
    """A tantivy index of the same notes, title and text, and nothing round it: terms cut as memd cuts them, OR, best eight."""

    def __init__(self, folder: Path, notes: Path) -> None:
        build = tantivy.SchemaBuilder()
        for name in ("title", "body"):
            build.add_text_field(name, tokenizer_name="bare", index_option="position")
        self.schema = build.add_text_field("path", stored=True, tokenizer_name="raw", index_option="basic").build()
        folder.mkdir(parents=True)
        self.index = tantivy.Index(self.schema, path=str(folder))
        plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
        self.index.register_tokenizer("bare", plain)
        self.writer = self.index.writer(30_000_000, 1)
        began, before = time.perf_counter(), time.process_time()
        for file in sorted(notes.rglob("*.md")):
            self.add(str(file), file.read_text())
        self.writer.commit()
        self.wall, self.cpu = time.perf_counter() - began, time.process_time() - before
        self.index.reload()
        self.searcher = self.index.searcher()

    def add(self, path: str, text: str) -> None:
        title = text[:200].partition("title: ")[2].partition("\n")[0]
        self.writer.add_document(tantivy.Document(title=_terms(title), body=_terms(text), path=path))

    def search(self, query: str, limit: int = 8) -> list[str]:
        parts = [
            (Occur.Should, Query.term_query(self.schema, field, term, "freq"))
            for term in dict.fromkeys(_terms(query).split())
            for field in ("title", "body")
        ]
        hits = self.searcher.search(Query.boolean_query(parts), limit, count=False).hits
        return [str(self.searcher.doc(address)["path"][0]) for _, address in hits]

    def times(self, queries: Sequence[str]) -> list[float]:
        out = []
        for query in queries:
            began = time.perf_counter()
            self.search(query)
            out.append(time.perf_counter() - began)
        return out

    def commits(self, rounds: int) -> list[float]:
        """Seconds from one more note to its being searchable."""
        out = []
        for number in range(rounds):
            began = time.perf_counter()
            self.add(f"new-{number}", f"title: new\nword{number} and some more")
            self.writer.commit()
            self.index.reload()
            self.searcher = self.index.searcher()
            self.search(f"word{number}")
            out.append(time.perf_counter() - began)
        return out


def _terms(text: str) -> str:
    return " ".join(tokens.mixed(text, "en"))


def write_and_sync(folder: Path, rounds: int) -> list[float]:
    """Seconds to put 2 KB on the disk for good: write, fsync, rename, fsync of the folder."""
    out, data = [], b"x" * 2048
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(rounds):
        began = time.perf_counter()
        with open(folder / "t", "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        os.replace(folder / "t", folder / f"f{number % 7}")
        descriptor = os.open(folder, os.O_RDONLY)
        os.fsync(descriptor)
        os.close(descriptor)
        out.append(time.perf_counter() - began)
    return out
