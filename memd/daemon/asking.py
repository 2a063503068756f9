"""Drives a formation step: takes its questions one at a time, answers them, hands back what it returns.

Knows who can answer what. Never knows what a step is about.
"""

from __future__ import annotations

from typing import Any, Protocol

from memd.model.plan import Plan
from memd.model.question import Asking, Embed, Judge, Question, Read, Similar


class Answers(Protocol):
    """Who answers, one method a kind of question (see `memd.model.question` for what each returns)."""

    def read(self, path: str) -> bytes | None: ...

    def judge(self, question: Judge) -> Any: ...

    def similar(self, question: Similar) -> tuple[tuple[str, float], ...]: ...

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...] | None, ...]: ...


def drive(step: Asking, answers: Answers) -> tuple[Plan, Any]:
    """The plan a step ends with, and what it tells. The step sees its own questions answered, and nothing else."""
    try:
        question = next(step)
        while True:
            question = step.send(_answer(question, answers))
    except StopIteration as end:
        plan, told = end.value
        return plan, told


def _answer(question: Question, answers: Answers) -> Any:
    match question:
        case Read(path):
            return answers.read(path)
        case Judge():
            return answers.judge(question)
        case Similar():
            return answers.similar(question)
        case Embed(texts):
            return answers.embed(texts)
