"""Runs formation steps one after another: asks, answers, applies, and asks again where a file changed meanwhile.

Knows how a step is answered and its plan carried out. Never knows what a step is for. A model may take its time: the
vault is not held while a step thinks; its plan is checked against the files when it is applied.
"""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from memd.daemon.asking import drive
from memd.daemon.core import Core
from memd.index.port import Query, Term
from memd.model.errors import Refused
from memd.model.plan import Displaced, Plan
from memd.model.question import Asking, Judge, Similar
from memd.model.vault import Vault

log = logging.getLogger("memd.steps")

ATTEMPTS = 4
KEPT_JUDGEMENTS = 2000

Begin = Callable[[Vault], Asking]
"""A step, given the snapshot it decides on."""


class Answerer:
    """Answers a step's questions from the files, the indexes and, where there is one, a model. Any thread."""

    def __init__(self, core: Core, ask: Callable[[Judge], Any] | None) -> None:
        self._core = core
        self._ask = ask
        self._judged: OrderedDict[tuple[str, str], Any] = OrderedDict()

    def read(self, path: str) -> bytes | None:
        return self._core.bodies.anything(path)

    def judge(self, question: Judge) -> Any:
        key = (question.task, question.key)
        if key in self._judged:
            return self._judged[key]
        answer = self._ask(question) if self._ask else None
        if answer is not None:
            self._judged[key] = answer
            while len(self._judged) > KEPT_JUDGEMENTS:
                self._judged.popitem(last=False)
        return answer

    def similar(self, question: Similar) -> tuple[tuple[str, float], ...]:
        vault = self._core.vault
        hits = self._core.library.words(Query(any=(Term(question.text),), kinds=(question.kind,)), question.limit * 4)
        best = hits[0].score if hits else 1.0
        scores = {hit.path: hit.score / best for hit in hits if best > 0}
        for hit in self._core.library.meaning(question.text, question.limit * 2, (question.kind,)).hits:
            scores[hit.path] = max(scores.get(hit.path, 0.0), hit.score)
        ranked = sorted(scores.items(), key=lambda pair: (-pair[1], pair[0]))
        notes = ((vault.notes.get(path), score) for path, score in ranked)
        owned = (
            (n.id, s) for n, s in notes if n and (not question.owner or n.frontmatter.get("tree") == question.owner)
        )
        return tuple(owned)[: question.limit]

    def embed(self, texts: tuple[str, ...]) -> tuple[tuple[float, ...] | None, ...]:
        return self._core.library.embed_texts(texts)


class Steps:
    """`run` is given what begins the step, so that it can begin again on a newer snapshot.

    Two lanes, one step at a time in each: what may ask a model, and what never does and has somebody waiting. A model that
    thinks holds up no evidence and no forgetting; what was being thought while something was forgotten is thought again.
    """

    def __init__(self, core: Core, answerer: Answerer, stamp: Callable[[], str]) -> None:
        self._core = core
        self._answerer = answerer
        self._stamp = stamp
        self._lanes = {lane: asyncio.Lock() for lane in (False, True)}
        self._threads = {lane: ThreadPoolExecutor(1, thread_name_prefix="memd-form") for lane in (False, True)}
        self._forgotten = 0

    async def decide(self, begin: Begin, quick: bool = True) -> tuple[Plan, Any]:
        """What the step would do, with nothing done. After a start it waits until every file has been looked at: a
        summary that is not seen yet is not told again, and a turn whose episode is not seen is taken for a new one."""
        await self._core.opened.wait()
        vault = self._core.vault
        return await asyncio.get_running_loop().run_in_executor(
            self._threads[quick], lambda: drive(begin(vault), self._answerer)
        )

    async def run(self, begin: Begin, quick: bool = False, forgets: bool = False) -> Any:
        """Carry the step out; what it tells. Raises Refused: conflict where the files keep changing under it.

        `quick`: it asks no model. `forgets`: what others decided before it is not to be believed any more.
        """
        displaced = [""]
        async with self._lanes[quick]:
            for _ in range(ATTEMPTS):
                forgotten = self._forgotten
                plan, told = await self.decide(begin, quick)
                if not plan:
                    return told
                async with self._core.turn:
                    if forgotten != self._forgotten:
                        continue
                    self._forgotten += forgets
                    receipts = await self._core.apply(plan, self._stamp())
                displaced = [receipt.path for receipt in receipts if isinstance(receipt, Displaced)]
                if not displaced:
                    return told
                log.info("a step begins again: %d files changed under it", len(displaced))
        raise Refused("conflict", f"{displaced[0]} keeps changing; try again when nobody edits it", path=displaced[0])

    def close(self) -> None:
        for thread in self._threads.values():
            thread.shutdown(wait=False, cancel_futures=True)
