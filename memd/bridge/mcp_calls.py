"""Calls of an MCP server to its vault's daemon: found, started and found again; and what is shown before it is done.

Knows the wire and who must be asked. Never knows the SDK.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Literal

from msgspec import Struct

from memd.bridge.calls import Answer
from memd.bridge.cli_shell import Shell
from memd.bridge.client import keyed, pause
from memd.bridge.client_async import AsyncClient
from memd.bridge.mcp_words import NOT_ASKED
from memd.bridge.stream import Unreachable
from memd.model.errors import Refused
from memd.serve.bases import Writing
from memd.serve.messages import Method, params_of

TRIES = 4
LONGEST_PLAN = 4000
"""Characters of a plan that a person is shown."""

Confirm = Literal["never", "destructive", "all"]


class Line:
    """The daemon of one vault. A call outlives its restart; where none answers, one is started as the command line does."""

    def __init__(self, shell: Shell) -> None:
        self._shell = shell
        self._client: AsyncClient | None = None
        self._finding = asyncio.Lock()

    async def call(self, method: str, params: dict[str, Any]) -> Answer:
        """Raises Refused, or Unreachable where no daemon answers and none may be started."""
        given = keyed(method, params)
        for attempt in range(TRIES):
            client = self._client
            try:
                client = await self._found()
                return await client.call(method, given)
            except Unreachable:
                await self._drop(client)
                if attempt == TRIES - 1:
                    raise
            except Refused as refused:
                if refused.code != "unavailable" or attempt == TRIES - 1:
                    raise
            await asyncio.sleep(pause(attempt + 2))
        raise AssertionError("the loop returns or raises")

    async def _found(self) -> AsyncClient:
        async with self._finding:
            if self._client is None:
                socket = await asyncio.to_thread(self._shell.answering)
                self._client = AsyncClient(socket, None)
            return self._client

    async def close(self) -> None:
        await self._drop(self._client)

    async def _drop(self, client: AsyncClient | None) -> None:
        """Lets go of a connection that failed; one that another call has made since stays."""
        if client is self._client:
            self._client = None
        if client is not None:
            await client.close()

    async def waiting(self) -> int:
        """Files that are not in the index yet; asks a daemon that is there, starts none."""
        if self._client is None:
            return 0
        try:
            async with asyncio.timeout(2):
                answer = await self._client.call("hello")
        except (Refused, Unreachable, TimeoutError):
            return 0
        return int(answer.get("index", {}).get("pending", 0))


class Shown(Struct, frozen=True):
    """What a call would do, to be confirmed: `plan` as the daemon tells it, `token` good for a minute."""

    plan: Any
    token: str

    def refusal(self) -> Refused:
        return Refused("confirm_required", NOT_ASKED, plan=self.plan, token=self.token)

    def text(self) -> str:
        whole = self.plan if isinstance(self.plan, str) else json.dumps(self.plan, ensure_ascii=False, indent=1)
        if len(whole) <= LONGEST_PLAN:
            return whole
        return f"{whole[:LONGEST_PLAN]}\n… and {len(whole) - LONGEST_PLAN} characters more"


def guarded(method: Method, confirm: Confirm) -> bool:
    """Whether calls of this method are shown before they are done."""
    covered = (confirm == "all" and method.writes) or (confirm == "destructive" and method.destructive)
    return covered and issubclass(method.params, Writing)


def rehearses(method: Method, params: dict[str, Any]) -> bool:
    """Whether the call only asks for a plan: `dry_run` as given, else as the method has it by default."""
    default = next((param.default for param in params_of(method) if param.name == "dry_run"), False)
    given = params.get("dry_run")
    return bool(default if given is None else given)


async def attempt(line: Line, method: Method, params: dict[str, Any], guard: bool) -> Answer | Shown:
    """The answer; or the plan, where `guard` or the daemon's own settings want it confirmed first."""
    if guard and not rehearses(method, params):
        shown = await rehearse(line, method, params)
        if shown.plan:
            return shown
    try:
        return await line.call(method.name, params)
    except Refused as refused:
        token = refused.data.get("token")
        if refused.code != "confirm_required" or not isinstance(token, str):
            raise
        return Shown(refused.data.get("plan"), token)


async def rehearse(line: Line, method: Method, params: dict[str, Any]) -> Shown:
    without = {name: value for name, value in params.items() if name not in ("token", "idempotency_key")}
    answer = await line.call(method.name, {**without, "dry_run": True})
    return Shown(answer.get("plan"), str(answer.get("token", "")))


async def confirmed(line: Line, method: Method, params: dict[str, Any], token: str) -> Answer | Shown:
    """Carries out what was shown under `token`; where that is too old by now, the plan anew, to be shown if it differs."""
    agreed = {**params, "dry_run": False, "token": token}
    try:
        return await line.call(method.name, agreed)
    except Refused as refused:
        if refused.code != "confirm_required":
            raise
    shown = await rehearse(line, method, params)
    return shown if shown.token != token else await line.call(method.name, agreed)
