"""What only looks at memory: answered in a reader's thread, a question's kind judged before where the settings want it.

Knows which methods those are. Never knows how an answer is found.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from memd.daemon.core import Core
from memd.daemon.intents import Intents
from memd.model.config import Config
from memd.serve.handlers.context import Context
from memd.serve.messages import Call


class Looking:
    METHODS = ("retrieve", "browse", "trace", "profile")

    def __init__(self, core: Core, config: Callable[[], Config]) -> None:
        self._core = core
        self._intents = Intents(config)

    async def answer(self, name: str, call: Call, ctx: Context) -> dict[str, Any]:
        from memd.serve.handlers import memory_reads

        await self._core.visible()
        ask = getattr(memory_reads, name)
        if name == "retrieve":
            ask = partial(ask, judged=await self._intents.judged(call.params.query))
        answer: dict[str, Any] = await self._core.in_reader(
            ask, ctx, self._core.library, self._core.bodies, call.params
        )
        return answer

    def close(self) -> None:
        self._intents.close()
