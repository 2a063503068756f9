"""What every embedder promises, whoever makes the vectors. Subclasses say how one is made."""

from __future__ import annotations

import math

import pytest

from memd.index.embedders import Handle


class EmbedderContract:
    @pytest.fixture
    def embedder(self) -> Handle:
        raise NotImplementedError

    def test_one_vector_a_text_in_their_order(self, embedder):
        """Each text has its own vector at its own place, whatever the lengths of the others."""
        texts = ["a library", "the weather was " + "very " * 60 + "fine", "tea"]
        rows = embedder.embed(texts)
        assert len(rows) == 3
        for text, row in zip(texts, rows, strict=True):
            assert dot(row, embedder.embed([text])[0]) > 0.99

    def test_vectors_have_length_one_and_the_same_dimension(self, embedder):
        """Every vector has `dim` finite numbers and length one."""
        rows = embedder.embed(["a library", "我在图书馆学摄影"])
        assert {len(row) for row in rows} == {embedder.dim}
        assert all(abs(math.sqrt(sum(x * x for x in row)) - 1) < 1e-3 for row in rows)

    def test_a_question_is_near_what_it_asks_for(self, embedder):
        """A question is nearer to the text that shares its words than to another."""
        (question,) = embedder.embed(["where is the library"], query=True)
        near, far = embedder.embed(["the library is in the old town", "two eggs and some flour"])
        assert dot(question, near) > dot(question, far)

    def test_nothing_in_nothing_out(self, embedder):
        """No texts give no vectors."""
        assert embedder.embed([]) == []

    def test_a_text_that_cannot_be_read_is_none(self, embedder):
        """An empty text has no vector, and takes none away from its neighbours."""
        rows = embedder.embed(["", "a library"])
        assert rows[0] is None
        assert rows[1] is not None

    def test_the_name_stays(self, embedder):
        """`name` is not empty and does not change by use."""
        before = embedder.name
        embedder.embed(["a library"])
        assert before
        assert embedder.name == before


def dot(one, other):
    return sum(a * b for a, b in zip(one, other, strict=True))
