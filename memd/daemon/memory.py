"""Memory's methods: which formation steps a call sets going."""

from __future__ import annotations

from typing import Any

from memd.serve.handlers.context import Context
from memd.serve.messages import Call


class Memories:
    METHODS: tuple[str, ...] = ()
    model = ""

    def __init__(self, core: Any, config: Any, now: Any, stamp: Any) -> None:
        self.config = config

    def changed(self, change: Any) -> None:
        return

    def concerns(self, call: Call) -> bool:
        return False

    async def answer(self, name: str, call: Call, ctx: Context, confirm: bool) -> dict[str, Any]:
        raise AssertionError(name)

    def job(self, id: str) -> dict[str, Any]:
        raise AssertionError(id)

    def backlog(self) -> dict[str, int]:
        return {}
