"""Questions across languages: the model leans towards the language of the question, and the answer is found all the same."""

from __future__ import annotations

import json
import math
import threading
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memd.index import leaning, tokens
from memd.index.child import Child
from memd.index.embedders import open_embedder
from memd.index.meaning import Meaning
from memd.index.models import Choice, choose
from memd.index.passages import units
from memd.index.port import Operations, Passage
from memd.index.words import TantivyWords
from memd.model.vault import Vault
from memd.parse.note import parse_note
from memd.recall.search import search
from memd.serve import params as p

SET = Path(__file__).parents[1] / "data" / "crosslingual"


def found(*scores: float, name: str = "a") -> list[tuple[str, float]]:
    return [(f"{name}{i}", score) for i, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("text", "script"),
    [("我在图书馆", "han"), ("the library", "latin"), ("", "latin"), ("2026", "latin"), ("用 Postgres 做报表", "han"),
     ("the word 茶 means tea", "latin"), ("さくら", "han"), ("한국어", "latin")],
)  # fmt: skip
def test_a_text_has_the_script_of_most_of_its_words(text, script):
    """A character counts as a word."""
    assert leaning.script(text) == script


def test_one_script_alone_keeps_its_cosines():
    """A vault of one language is ranked as it ever was."""
    assert list(leaning.merge(found(0.9, 0.8), [])) == [("a0", 0.9, False), ("a1", 0.8, False)]


def test_each_script_is_counted_from_its_own_level():
    """A foreign answer that stands out among its own is before what is merely near by its language."""
    own = found(0.90, 0.89, 0.89, 0.88, 0.88, 0.87)
    foreign = found(0.50, 0.30, 0.30, 0.29, 0.29, 0.28, name="z")
    merged = list(leaning.merge(own, foreign))
    assert [(name, abroad) for name, _, abroad in merged[:2]] == [("z0", True), ("a0", False)]
    assert [score for _, score, _ in merged] == sorted((score for _, score, _ in merged), reverse=True)


def test_what_is_foreign_is_told_as_cosines_of_the_question_s_own_script():
    """A similarity means the same in a vault of both languages: the own hits keep theirs, and who measures how near
    something is measures the foreign ones by the same rule."""
    own, foreign = found(0.90, 0.86, 0.84, 0.80), found(0.50, 0.30, 0.28, 0.27, name="z")
    scores = {name: score for name, score, _ in leaning.merge(own, foreign)}
    assert {name: scores[name] for name, _ in own} == dict(own)
    assert max(scores.values()) < 1
    assert min(scores.values()) > 0.7


def test_a_question_less_what_is_common_has_length_one():
    """And stays as it was where nothing is known or nothing would be left."""
    assert math.hypot(*leaning.without((0.6, 0.8), (0.5, 0.5))) == pytest.approx(1)
    assert leaning.without((0.6, 0.8), ()) == (0.6, 0.8)
    assert leaning.without((0.9, 0.0), (1.0, 0.0)) == (0.9, 0.0)


@pytest.fixture(scope="module")
def across(tmp_path_factory):
    """540 notes of both languages in both indexes, as the recall layer sees them."""
    folder = str(tmp_path_factory.mktemp("across"))
    done = threading.Event()
    meaning = Meaning(
        folder, "auto", models=folder, budget=30, on_progress=lambda s: s.state == "ready" and s.done and done.set()
    )
    meaning.start()
    notes = [*rows("notes"), *rows("held_out_notes")]
    meaning.update({n["id"] + ".md": [passage(n["id"] + ".md", n["title"], n["text"])] for n in notes})
    assert done.wait(120)
    yield Both(notes, meaning, folder)
    meaning.stop()


class Both:
    """`index.port.Index` and `Bodies`; `top` is the share of questions whose note is among the first five."""

    def __init__(self, notes, meaning, folder):
        self.texts = {n["id"] + ".md": f"# {n['title']}\n\n{n['text']}\n" for n in notes}
        parsed = [parse_note(path, text.encode(), 0.0, UTC)[0] for path, text in self.texts.items()]
        self.vault, self.vectors, self.text_index = Vault(parsed), meaning, TantivyWords(folder + "/words")
        self.text_index.apply(Operations(replace={n.path: units(n, self.texts[n.path]) for n in parsed}))
        self.text_index.commit()

    def words(self, query, limit):
        return self.text_index.search(query, limit)

    def meaning(self, text, limit, kinds=(), only=None):
        return self.vectors.answer(text, limit, kinds, only)

    def vector_status(self):
        return self.vectors.status()

    def text(self, path):
        return self.texts.get(path)

    def found(self, question, mode):
        if mode == "vectors":
            return [hit.path for hit in self.vectors.answer(question, 5).hits]
        asked = p.Search(query=question, mode=mode, limit=5)
        return [hit["path"] for hit in search(self.vault, self, self, asked, datetime(2026, 12, 1, tzinfo=UTC))["hits"]]

    def top(self, questions, mode):
        right = {"en": [], "zh": []}
        for each in questions:
            right[each["language"]].append(each["note"] + ".md" in self.found(each["question"], mode))
        return {language: sum(some) / len(some) for language, some in right.items()}


@pytest.mark.slow
@pytest.mark.parametrize("mode", ["vectors", "hybrid"])
@pytest.mark.parametrize("of", ["questions", "held_out_questions"])
def test_a_question_in_the_other_language_finds_its_note(across, of, mode):
    """With no word in common the answer is among the first five for at least 90 % en → zh and 80 % zh → en. The figures
    that rank were chosen on `questions` and on nothing of what is held out."""
    shares = across.top(rows(of), mode)
    print(f"{of}, {mode}: en→zh {shares['en']:.3f}, zh→en {shares['zh']:.3f}")
    assert shares["en"] >= 0.9
    assert shares["zh"] >= 0.8


def test_questions_across_share_no_word_with_their_note():
    """Else words would find what only meaning is to find."""
    for kind in ("", "held_out_"):
        notes = {n["id"]: n["title"] + " " + n["text"] for n in rows(kind + "notes")}
        for each in rows(kind + "questions"):
            assert not {*tokens.mixed(each["question"], "en")} & {*tokens.mixed(notes[each["note"]], "en")}


def rows(name: str):
    return [json.loads(line) for line in (SET / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


def passage(path: str, head: str, text: str) -> Passage:
    return Passage(key=path, unit=path, path=path, kind="note", head=head, text=text, hash=head + text, line=1)


def test_models_are_opened_where_they_belong():
    """A model folder lives in a process of its own, a server is called from here."""
    assert isinstance(open_embedder(choose("auto", ""), True, 0), Child)
    server = open_embedder(Choice("endpoint", name="n", place="http://x"), False, 1)
    assert not isinstance(server, Child)
