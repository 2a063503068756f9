"""The store of vectors by text hash and the book of passages: found again, forgotten for good, never a word of text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.index.embeddings import GRACE, Embeddings, digest, open_store, to_half
from memd.index.holdings import Holdings
from memd.index.models import Choice
from memd.index.port import Passage

MODEL = Choice("folder", name="m:1", title="m", dim=4, key="secret")


def passage(path: str, text: str, line: int = 1, unit: str = "", kind: str = "note") -> Passage:
    return Passage(
        key=f"{path}|{line}", unit=unit or path, path=path, kind=kind, head="", text=text, hash=text, line=line
    )


@pytest.fixture
def file(tmp_path):
    return str(tmp_path / "v" / "embeddings.db")


@pytest.fixture
def store(file):
    store = open_store(file)
    yield store
    store.close()


@pytest.fixture
def book(store):
    return Holdings(store)


@pytest.fixture
def embeddings(store):
    return Embeddings(store)


def half(x: float) -> bytes:
    return to_half([x, 1.0, 0.0, 0.0])


class TestEmbeddings:
    def test_a_vector_is_found_by_model_and_hash(self, embeddings):
        """What one model said of a text is not what another said; unreadable is remembered as such."""
        one, other = embeddings.model_id(MODEL), embeddings.model_id(Choice("folder", name="m:2"))
        embeddings.put(one, [(digest("a"), half(1)), (digest("b"), None)])
        assert embeddings.get(one, [digest("a"), digest("b"), digest("c")]) == {digest("a"): half(1), digest("b"): None}
        assert embeddings.get(other, [digest("a")]) == {}
        assert (embeddings.dim(one), embeddings.dim(other)) == (4, 0)

    def test_the_serving_model_is_remembered_without_its_key(self, embeddings):
        """The model that answers is known after a restart; a token is never written down."""
        assert embeddings.serving() is None
        model = embeddings.model_id(MODEL)
        embeddings.serve(model, 0.0)
        assert embeddings.serving()[0] == model
        assert embeddings.serving()[1].key == ""

    def test_unused_vectors_stay_for_the_grace_and_then_go(self, book, embeddings):
        """A text that nobody says any more is kept for a week, or as soon as it is said again."""
        model = embeddings.model_id(MODEL)
        embeddings.serve(model, 0.0)
        embeddings.put(model, [(digest("a"), half(1)), (digest("b"), half(2))])
        book.replace({"n.md": [passage("n.md", "a")]})
        assert embeddings.collect(1000.0) == 0
        book.replace({"n.md": [passage("n.md", "b")]})
        assert embeddings.collect(1000.0 + GRACE) == 0
        assert embeddings.collect(1001.0 + 2 * GRACE) == 1
        assert list(embeddings.get(model, [digest("a"), digest("b")])) == [digest("b")]

    def test_a_retired_models_vectors_go_after_the_grace(self, book, embeddings):
        """The model before is kept for a week, so that changing one's mind embeds nothing."""
        old, new = embeddings.model_id(MODEL), embeddings.model_id(Choice("folder", name="m:2"))
        book.replace({"n.md": [passage("n.md", "a")]})
        embeddings.put(old, [(digest("a"), half(1))])
        embeddings.serve(old, 0.0)
        embeddings.serve(new, 10.0)
        assert embeddings.collect(10.0 + GRACE - 1) == 0
        assert embeddings.collect(10.0 + GRACE) == 1

    def test_erased_bytes_are_nowhere_in_the_files(self, file, book, embeddings, store):
        """After `erase` neither the vector's bytes nor the text are in the database or its log."""
        model = embeddings.model_id(MODEL)
        vector = os.urandom(768)
        embeddings.put(model, [(digest("the words"), vector), (digest("others"), half(1))])
        book.replace({"n.md": [passage("n.md", "the words")]})
        book.replace({}, ["n.md"])
        assert embeddings.erase(["the words"]) == 1
        data = b"".join(Path(file + end).read_bytes() for end in ("", "-wal") if os.path.exists(file + end))
        assert vector[:64] not in data
        assert b"the words" not in data
        assert embeddings.erase(None) == 1

    def test_size_on_disk(self, file, book, embeddings, store):
        """A vector of 384 numbers and its passage take less than 1,200 bytes: with a packed graph's 1,035 below 2,500."""
        model = embeddings.model_id(MODEL)
        embeddings.put(model, [(digest(str(i)), os.urandom(768)) for i in range(3000)])
        paths = [f"notes/2026/a note with a title {i}.md" for i in range(600)]
        book.replace({p: [passage(p, str(5 * i + j), j) for j in range(5)] for i, p in enumerate(paths)})
        store.execute("pragma wal_checkpoint(truncate)")
        assert os.path.getsize(file) / 3000 < 1200

    @pytest.mark.parametrize("damage", [b"not a database at all" * 300, b""])
    def test_a_damaged_file_is_begun_anew(self, file, damage):
        """What cannot be read is removed; the daemon hands everything in again."""
        os.makedirs(os.path.dirname(file))
        Path(file).write_bytes(damage)
        store = open_store(file)
        assert Holdings(store).known() == frozenset()
        store.close()

    @pytest.mark.parametrize("bad", [[float("nan")], [1e9]])
    def test_numbers_that_are_none_are_refused(self, bad):
        """NaN and numbers beyond float16 are no vector."""
        with pytest.raises(ValueError):
            to_half(bad)


class TestHoldings:
    def test_a_passage_that_stays_keeps_its_label(self, book):
        """Only what changed is entered and removed; a passage at another line is the same passage."""
        first = book.replace({"n.md": [passage("n.md", "a", 1), passage("n.md", "b", 2)]})
        delta = book.replace({"n.md": [passage("n.md", "new", 1), passage("n.md", "a", 3), passage("n.md", "b", 4)]})
        assert [held.line for held in delta.added] == [1]
        assert delta.removed == ()
        assert {held.label for held in delta.moved} == {held.label for held in first.added}

    def test_labels_are_never_used_again(self, book):
        """A label names one passage for ever, also when the last one was removed."""
        (one,) = book.replace({"n.md": [passage("n.md", "a")]}).added
        book.replace({}, ["n.md"])
        (two,) = book.replace({"n.md": [passage("n.md", "a")]}).added
        assert two.label > one.label

    def test_the_same_words_twice_are_two_passages(self, book):
        """Repetition in one note is counted, and undone one by one."""
        book.replace({"n.md": [passage("n.md", "a", 1), passage("n.md", "a", 5)]})
        assert len(book.replace({"n.md": [passage("n.md", "a", 5)]}).removed) == 1

    def test_units_and_odd_paths_come_back(self, book):
        """Turn keys, foreign keys and paths that are not UTF-8 survive."""
        path = os.fsdecode(b"x/\xff.md")
        book.replace({path: [passage(path, "a", unit=path + "#t3", kind="turn"), passage(path, "b", unit="elsewhere")]})
        assert {held.unit for held in book.of(path)} == {path + "#t3", "elsewhere"}
        assert book.known() == {path}

    def test_a_file_without_passages_is_known(self, book):
        """An empty note was handed in, too."""
        book.replace({"empty.md": []})
        assert book.known() == {"empty.md"}

    def test_no_word_is_in_the_file(self, file, book, store):
        """The book holds hashes."""
        book.replace({"n.md": [passage("n.md", "unmistakable")]})
        store.execute("pragma wal_checkpoint(truncate)")
        assert b"unmistakable" not in Path(file).read_bytes()

    @given(
        st.lists(
            st.dictionaries(
                st.sampled_from("abc"), st.lists(st.tuples(st.sampled_from("xyz"), st.integers(1, 4)), max_size=4)
            ),
            max_size=6,
        )
    )
    @settings(max_examples=40, deadline=None)
    def test_the_book_says_what_was_handed_in_last(self, rounds):
        """After any updates each file has exactly its last passages, and added minus removed is what is there."""
        store = open_store_in_memory()
        book, last, labels = Holdings(store), {}, set()
        for given_ in rounds:
            delta = book.replace({p: [passage(p, t, n) for t, n in some] for p, some in given_.items()})
            last |= given_
            labels = (labels - {held.label for held in delta.removed}) | {held.label for held in delta.added}
        for path, some in last.items():
            assert sorted((h.hash, h.line) for h in book.of(path)) == sorted((digest(t), n) for t, n in some)
        assert {held.label for held in book.all()} == labels
        store.close()


def open_store_in_memory():
    import sqlite3

    from memd.index import embeddings

    store = sqlite3.connect(":memory:", isolation_level=None)
    store.executescript(embeddings._TABLES)
    return store
