"""What kind of answer a question wants, where the rules cannot tell and the settings let a model be asked: within a budget.

Knows the setting and the endpoint. Never knows what becomes of the kind. A question is data to the model; whatever it
says beside one of the kinds is no answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from memd.daemon.models import Model
from memd.daemon.prompts import prompt
from memd.model.config import Config, LlmConfig
from memd.model.fingerprint import sha256
from memd.recall.intent import Intended, Judged, ruled

KEPT = 512
"""Questions whose kinds are kept, by their hash."""
CROWD = 8
"""Questions under way beyond which a new one is not begun: it would be late anyway."""
LONGEST = 2000
"""Characters of a question that are shown to the model."""


class Intents:
    """`config` may change between questions. An answer that comes too late is there for the same question a moment later.

    Belongs to the event loop; the model is asked one question at a time, on a thread."""

    def __init__(self, config: Callable[[], Config]) -> None:
        self._config = config
        self._model = Model(LlmConfig())
        self._asked: dict[str, asyncio.Future[str]] = {}
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="memd-intent")

    async def judged(self, question: str) -> Judged | None:
        """None where no model is to be asked of any question."""
        config = self._config()
        retrieve, llm = config.retrieve, config.llm
        if retrieve.intent != "llm" or not llm.model:
            return None
        if ruled(question) or not question.strip():
            return Judged()
        if self._model.config != llm:
            self._model, self._asked = Model(llm), {}
        key = sha256(question.encode())
        asked = self._asked.get(key) or self._begin(key, question)
        if asked is None or not (await asyncio.wait((asked,), timeout=retrieve.intent_budget_ms / 1000))[0]:
            return Judged(why="late")
        if not asked.result():
            self._asked.pop(key, None)
            return Judged(why="unavailable")
        return Judged(asked.result())

    def _begin(self, key: str, question: str) -> asyncio.Future[str] | None:
        if sum(not one.done() for one in self._asked.values()) >= CROWD:
            return None
        if len(self._asked) >= KEPT:
            del self._asked[next(iter(self._asked))]
        loop = asyncio.get_running_loop()
        return self._asked.setdefault(key, loop.run_in_executor(self._thread, _ask, self._model, question))

    def close(self) -> None:
        self._thread.shutdown(wait=False, cancel_futures=True)


def _ask(model: Model, question: str) -> str:
    """One of the kinds; "" where the model could not be had or said none of them."""
    said: Intended | None = model.ask(prompt("intent"), {"question": question[:LONGEST]}, Intended)
    return said.kind if said else ""
