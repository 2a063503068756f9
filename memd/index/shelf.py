"""One tantivy index on disk: documents in by path, hits out. The only module that knows tantivy.

Written by one owner thread, read from any. A shelf verifies every file's checksum before tantivy opens it; what is
damaged raises `Damaged` and is never trusted. Never knows which notes belong here, or what their words weigh.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import tantivy
from tantivy import Occur
from tantivy import Query as Ask

from memd.index import fields, tokens, whole
from memd.index.clauses import Clause, Clauses
from memd.index.port import Hit, Only, Unit
from memd.model.errors import Refused

LAYOUT = 2
"""Raise it when the schema or what is put into a field changes."""
STAMP = f"{LAYOUT}.{tokens.VERSION} {getattr(tantivy, '__version__', '')}"

_ARENA = 30_000_000
"""Bytes a writer thread collects before it writes a segment. 10,000 notes of 2.5 KB: 15 MB, the least that tantivy takes,
12.9 s of CPU (hundreds of small segments, merged again and again), 20 MB 7.3, 25 MB 5.9, 30 MB 5.8, 50 MB 7.7."""
COMMITS = 2000
"""Commits after which the index is opened anew: the engine remembers the name of every file it ever mapped, 1.5 KB a commit."""
_ESCAPED = "\x00"
_FEW, _WIDER, _MOST_WIDER = 256, 6, 512
"""A filter that names more than so many files and units is first tried on so many times the hits, up to so many hits. 3,000
of 10,000 leaves, by "valid in two months": 44 ms a `retrieve` with all names looked up, 18 so."""
_KEPT = 50_000
"""Addresses whose keys a view remembers."""


@contextmanager
def _native(what: str) -> Iterator[None]:
    """Errors of the engine as refusals. A Rust panic is a BaseException by class name only."""
    try:
        yield
    except (ValueError, OSError, RuntimeError) as error:
        raise Refused("unavailable", f"the text index could not {what}: {_plain(error)}; see `memd doctor`") from error
    except BaseException as error:
        if type(error).__name__ != "PanicException":
            raise
        raise Refused("unavailable", f"the text index failed to {what}: {error}; run `memd reindex --full`") from None


def _plain(error: Exception) -> str:
    """What the system said, without the engine's records round it."""
    said = re.findall(r'message: "([^"]*)"', str(error))
    return said[-1] if said else re.split(r": '| \{", str(error), maxsplit=1)[0]


def _schema() -> tantivy.Schema:
    build = tantivy.SchemaBuilder()
    for name in ("title", "permalink", "tag", "body"):
        option = "position" if name in ("title", "body") else "freq"
        build.add_text_field(name, tokenizer_name="memd", index_option=option)
    build.add_text_field("pair", tokenizer_name="memd", index_option="freq")
    build.add_text_field("around", tokenizer_name="memd", index_option="freq")
    build.add_text_field("word", tokenizer_name="memd", index_option="basic")
    for name in ("path", "kind", "language", "batch"):
        build.add_text_field(name, tokenizer_name="raw", index_option="basic")
    build.add_text_field("key", stored=True, tokenizer_name="raw", index_option="basic")
    build.add_text_field("file", stored=True, tokenizer_name="raw", index_option="basic")
    return build.build()


def escape(name: str) -> str:
    """A path as text that UTF-8 can carry: bytes that are not UTF-8 come from `os.fsdecode` as lone surrogates."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return _ESCAPED + name.encode("utf-8", "surrogateescape").hex()
    return name


def unescape(name: str) -> str:
    return bytes.fromhex(name[1:]).decode("utf-8", "surrogateescape") if name.startswith(_ESCAPED) else name


class View:
    """What a search sees: one searcher, the languages in it, and the keys of addresses met so far."""

    __slots__ = ("keys", "languages", "searcher")

    def __init__(self, searcher: tantivy.Searcher) -> None:
        self.searcher = searcher
        self.languages = tuple(x for x in tokens.LANGUAGES if searcher.doc_freq("language", x)) or ("en",)
        self.keys: dict[tuple[int, int], tuple[str, str]] = {}

    def key(self, address: tantivy.DocAddress) -> tuple[str, str]:
        """(unit key, path) of a hit."""
        at = (address.segment_ord, address.doc)
        if (found := self.keys.get(at)) is None:
            stored = self.searcher.doc(address)
            key = unescape(str(stored.get_first("key")))
            path: str | None = stored.get_first("file")
            if len(self.keys) >= _KEPT:
                self.keys = {}
            found = self.keys[at] = (key, key if path is None else unescape(path))
        return found

    def complete(self, word: str) -> list[str]:
        """Words that begin with this one, itself excluded, most frequent first."""
        found = self.searcher.terms_with_prefix("word", word, limit=500)
        ranked = sorted(found, key=lambda pair: (-pair[1], pair[0]))
        return [term for term, _ in ranked[: fields.COMPLETIONS + 1] if term != word]


class Shelf:
    """`folder` is made when it is not there. Raises `Damaged` instead of opening what does not verify."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._schema = _schema()
        os.makedirs(folder, exist_ok=True)
        whole.verify(folder, STAMP)
        self._writer: Any = None
        self._added: dict[str, int] = {}
        self._batch = os.urandom(8).hex()
        try:
            self._open()
        except Refused as refused:
            raise whole.Damaged(refused.message) from refused

    def _open(self) -> None:
        with _native("open"):
            index = tantivy.Index(self._schema, path=self._folder)
            plain = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build()
            index.register_tokenizer("memd", plain)
            index.config_reader("manual")
            self._index, self._view = index, View(index.searcher())
        self._commits = 0

    def search(self, view: View, clauses: Clauses, limit: int, kinds: Sequence[str], only: Only | None) -> list[Hit]:
        """Hits of the view that `clauses` were made for; empty `kinds`: all. Where `only` names many, what may be found is
        first looked for among the best of all: to look thousands of names up costs more than the search itself."""
        with _native("search"):
            if only is not None and len(only.paths) + len(only.units) > _FEW and limit <= _MOST_WIDER:
                wide = self._hits(view, self._query(clauses, kinds, None), limit * _WIDER)
                found = [hit for hit in wide if only.has(hit.unit, hit.path)]
                if len(found) >= limit or len(wide) < limit * _WIDER:
                    return found[:limit]
            return self._hits(view, self._query(clauses, kinds, only), limit)

    def _hits(self, view: View, query: Ask, limit: int) -> list[Hit]:
        found = view.searcher.search(query, max(1, limit), count=False).hits
        return [Hit(key, path, score) for score, at in found for key, path in (view.key(at),)]

    def view(self) -> View:
        """What is searchable now; stays as it is while commits go on."""
        return self._view

    def _query(self, clauses: Clauses, kinds: Sequence[str], only: Only | None) -> Ask:
        parts = [(Occur.Should, self._clause(clause)) for clause in clauses.should]
        for group in clauses.must:
            parts.append((Occur.Must, Ask.boolean_query([(Occur.Should, self._clause(c)) for c in group])))
        parts += [(Occur.MustNot, self._clause(clause)) for clause in clauses.none]
        chosen = [self._among([("kind", kinds)])] if kinds else []
        chosen += [self._among([("path", only.paths), ("key", only.units)])] if only is not None else []
        if not clauses.should and not clauses.must:
            parts.append((Occur.Must, Ask.const_score_query(Ask.all_query(), 0.0)))
        elif chosen and not clauses.must:
            parts = [(Occur.Must, Ask.boolean_query(parts))]
        parts += [(Occur.Must, Ask.const_score_query(each, 0.0)) for each in chosen]
        return Ask.boolean_query(parts)

    def _among(self, choice: Iterable[tuple[str, Collection[str]]]) -> Ask:
        """Documents that have one of the values in one of the fields."""
        sets = [
            Ask.term_set_query(self._schema, field, list(map(escape, values))) for field, values in choice if values
        ]
        return sets[0] if len(sets) == 1 else Ask.boolean_query([(Occur.Should, each) for each in sets])

    def _clause(self, clause: Clause) -> Ask:
        if len(clause.words) > 1:
            asked = Ask.phrase_query(self._schema, clause.field, list(clause.words))
        else:
            asked = Ask.term_query(self._schema, clause.field, clause.words[0], "freq")
        return asked if clause.weight == 1.0 else Ask.boost_query(asked, clause.weight)

    def replace(self, path: str, units: Iterable[Unit]) -> None:
        """All documents of the path become these. Nothing is kept of what was applied since the last commit if it fails."""
        documents = [self._document(unit) for unit in units]
        held = path in self._added or self._view.searcher.doc_freq("path", escape(path)) > 0
        if not (held or documents):
            return
        try:
            with _native("write"):
                self._writer = self._writer or self._index.writer(_ARENA, 1)
                if held:
                    self._writer.delete_documents_by_term("path", escape(path))
                for document in documents:
                    self._writer.add_document(document)
        except Refused:
            self.rollback()
            raise
        self._added[path] = len(documents)

    def _document(self, unit: Unit) -> tantivy.Document:
        """Every value is a string made here: a value of another type would poison later commits in silence."""
        language = tokens.stems_as(unit.language)
        values: dict[str, str] = {
            "path": escape(unit.path),
            "kind": unit.kind,
            "language": language,
            "batch": self._batch,
        }
        body = tokens.terms(unit.text, language)
        plain = body.plain
        for field, text in (("title", unit.title), ("permalink", unit.permalink), ("tag", " ".join(unit.tags))):
            values[field] = " ".join(tokens.mixed(text, language))
            plain |= tokens.terms(text, language).plain
        values["body"] = " ".join(body.order)
        if unit.kind == "turn":
            own, near = tokens.mixed(unit.text, language), tokens.mixed(unit.around, language)
            values["around"] = " ".join(own * fields.OWN + near)
        else:
            values["pair"] = " ".join(body.pairs)
        values["word"] = " ".join(plain)
        values["key"] = escape(unit.key)
        if unit.key != unit.path:
            values["file"] = escape(unit.path)
        return tantivy.Document(**{name: value for name, value in values.items() if value})

    def commit(self) -> bool:
        """Make what was applied durable and searchable; False when there was nothing."""
        if not self._added:
            return False
        expected = sum(self._added.values())
        try:
            with _native("commit"):
                stamp = self._writer.commit()
                self._index.reload()
                searcher = self._index.searcher()
                mine = Ask.term_query(self._schema, "batch", self._batch, "basic")
                kept = len(searcher.search(mine, expected + 1, count=False).hits)
                self._view = View(searcher)
                whole.sign(self._folder, STAMP, stamp, self.count())
            if kept != expected:
                raise Refused(
                    "unavailable", f"the text index kept {kept} of {expected} texts; run `memd reindex --full`"
                )
        except Refused:
            self.rollback()
            raise
        self._added = {}
        self._batch = os.urandom(8).hex()
        self._commits += 1
        if self._commits >= COMMITS:
            self.close()
            with suppress(Refused):  # what was committed stands: it is tried again after the next commit
                self._open()
        return True

    def rollback(self) -> None:
        """Forget what was applied since the last commit; the writer is made anew, as a failed one loses later commits."""
        writer, self._writer, self._added = self._writer, None, {}
        if writer is not None:
            try:
                with _native("roll back"):
                    writer.rollback()
            except Refused:
                return

    def count(self) -> int:
        return int(self._view.searcher.num_docs)

    def close(self) -> None:
        """Waits for merges. What was applied and not committed is forgotten."""
        writer, self._writer = self._writer, None
        if writer is not None:
            try:
                with _native("close"):
                    writer.wait_merging_threads()
            except Refused:
                return
