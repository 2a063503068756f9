"""Text to vectors: the fake, the model that travels with the package, and its process, all held to one contract."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.index.child import Child
from memd.index.embed import BATCH_TEXTS, BATCH_TOKENS, OnnxEmbedder, batches
from memd.index.models import Choice, Unavailable, bundled, choose, folder_choice
from tests.fakes.embedder import FakeEmbedder
from tests.index.embedder_contract import EmbedderContract, dot


class TestFake(EmbedderContract):
    @pytest.fixture
    def embedder(self):
        return FakeEmbedder()


@pytest.fixture(scope="module")
def model():
    return OnnxEmbedder(choose("auto", ""), threads=1)


class TestBundled(EmbedderContract):
    @pytest.fixture
    def embedder(self, model):
        return model

    def test_it_reads_both_languages_across(self, model):
        """A question in one language finds its answer in the other."""
        (question,) = model.embed(["When does the library close?"], query=True)
        near, far = model.embed(["图书馆晚上九点关门。", "小猫喜欢吃鱼。"])
        assert dot(question, near) > dot(question, far)

    def test_scripts_outside_its_vocabulary_are_not_embedded(self, model):
        """Runes are nothing but unknown tokens: no vector rather than a meaningless one. Unknown share measured: LoCoMo
        turns mean .000006, most .018; CMRC passages mean .002, most .041; Korean, Thai, Arabic, Hindi 0 (single characters);
        emoji alone .33; runes, cuneiform, syllabics, Javanese .5 (a run of unknowns counts once)."""
        assert model.embed(["ᚠᚢᚦᚨᚱᚲᚷᚹ 𐎠𐎡𐎢𐎣", "한국어 문장입니다"])[0] is None

    def test_a_long_text_is_read_by_its_beginning(self, model):
        """A text far beyond 512 tokens has a vector."""
        assert model.embed(["摄影" * 4000])[0] is not None


@pytest.fixture(scope="module")
def process():
    child = Child(choose("auto", ""), threads=1)
    yield child
    child.close()


class TestProcess(EmbedderContract):
    @pytest.fixture
    def embedder(self, process):
        process.load()
        return process


def test_a_process_that_died_is_started_again():
    """Killing the process costs one refusal at most; the next call is answered."""
    child = Child(choose("auto", ""), threads=1)
    child.load()
    os.kill(child.pid, 9)
    for _ in range(2):
        try:
            rows = child.embed(["tea"])
            break
        except Unavailable:
            continue
    assert rows[0] is not None
    child.close()
    with pytest.raises(Unavailable):
        child.embed(["tea"])


def test_a_model_that_cannot_be_loaded_is_a_sentence(tmp_path):
    """Files that are no model end in a reason, in the process as here."""
    for name in ("model.onnx", "tokenizer.json", "tokenizer_config.json", "config.json"):
        (tmp_path / name).write_text('{"hidden_size": 8}')
    choice = folder_choice(str(tmp_path))
    with pytest.raises(Unavailable, match="could not be loaded"):
        OnnxEmbedder(choice)
    child = Child(choice)
    with pytest.raises(Unavailable, match="could not be loaded"):
        child.load()
    child.close()


def test_a_model_that_was_never_fetched_does_not_wait_for_a_network(tmp_path):
    """fastembed is told to look at local files only: what is not there is said at once."""
    with pytest.raises(Unavailable):
        OnnxEmbedder(Choice("cached", name="x", title="BAAI/bge-small-en-v1.5", place=str(tmp_path)))


@given(st.lists(st.integers(1, 512), max_size=80))
def test_batches_hold_every_text_once_within_their_bounds(lengths):
    """Every index is in one batch; no batch is over its tokens (a lone long text apart) or its texts."""
    made = list(batches([(length, i) for i, length in enumerate(lengths)]))
    assert sorted(i for batch in made for i in batch) == list(range(len(lengths)))
    for batch in made:
        assert len(batch) <= BATCH_TEXTS
        assert len(batch) == 1 or max(lengths[i] for i in batch) * len(batch) <= BATCH_TOKENS


def test_the_bundled_model_is_a_folder_with_its_own_prefixes():
    """Its manifest says how questions and passages are introduced."""
    choice = folder_choice(bundled())
    assert (choice.query, choice.passage, choice.dim) == ("query: ", "passage: ", 384)
