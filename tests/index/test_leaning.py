"""Questions across languages: the model leans towards the language of the question, and the answer is found all the same."""

from __future__ import annotations

import json
import math
import threading
from pathlib import Path

import pytest

from memd.index import leaning
from memd.index.child import Child
from memd.index.embedders import open_embedder
from memd.index.meaning import Meaning
from memd.index.models import Choice, choose
from memd.index.port import Passage

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


@pytest.mark.slow
def test_forty_questions_each_way_among_five_hundred_notes(tmp_path):
    """With no word in common the answer is among the first five for at least 90 % en → zh and 80 % zh → en."""
    notes = [json.loads(line) for line in (SET / "notes.jsonl").read_text(encoding="utf-8").splitlines()]
    questions = [json.loads(line) for line in (SET / "questions.jsonl").read_text(encoding="utf-8").splitlines()]
    done = threading.Event()
    meaning = Meaning(
        str(tmp_path), "auto", models=str(tmp_path), budget=30, on_progress=lambda s: s.state == "ready" and s.done and done.set()
    )  # fmt: skip
    meaning.start()
    meaning.update({n["id"]: [passage(n["id"], n["title"], n["text"])] for n in notes})
    assert done.wait(120)
    found: dict[str, list[bool]] = {"en": [], "zh": []}
    for question in questions:
        answer = meaning.answer(question["question"], 5)
        found[question["language"]].append(question["note"] in [hit.unit for hit in answer.hits])
    meaning.stop()
    assert sum(found["en"]) >= 36
    assert sum(found["zh"]) >= 32


def passage(path: str, head: str, text: str) -> Passage:
    return Passage(key=path, unit=path, path=path, kind="note", head=head, text=text, hash=head + text, line=1)


def test_models_are_opened_where_they_belong():
    """A model folder lives in a process of its own, a server is called from here."""
    assert isinstance(open_embedder(choose("auto", ""), True, 0), Child)
    server = open_embedder(Choice("endpoint", name="n", place="http://x"), False, 1)
    assert not isinstance(server, Child)
