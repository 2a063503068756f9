"""From a formation step's question to a model's answer: the prompt file, the answer's type, the endpoint.

Knows which tasks there are and where their prompts lie. Never knows what becomes of an answer.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import cache
from typing import Any

from memd.daemon.models import Model
from memd.form import tasks
from memd.model.config import Config
from memd.model.question import Judge
from memd.serve.places import shared


class Asker:
    """Answers `Judge` questions where `[formation] method = "llm"`; else nobody does, and steps go by rules."""

    def __init__(self, config: Callable[[], Config]) -> None:
        self._config = config
        self._model: Model | None = None

    @property
    def name(self) -> str:
        config = self._config()
        return config.llm.model if config.formation.method == "llm" else ""

    def __call__(self, question: Judge) -> Any:
        config = self._config()
        if config.formation.method != "llm" or not config.llm.model:
            return None
        if self._model is None or self._model.config != config.llm:
            self._model = Model(config.llm)
        return self._model.ask(prompt(question.task), question.inputs, tasks.TYPES[question.task])


@cache
def prompt(task: str) -> str:
    with open(os.path.join(shared("config"), "prompts", f"{task}.md"), encoding="utf-8") as file:
        return file.read()
