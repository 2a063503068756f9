"""A client's change, from decision to answer: decided on the newest bytes, applied, and decided anew where a save came between.

Knows dry runs, confirmation tokens, idempotency keys and undo stamps. Never knows what a change means.
"""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any
from weakref import WeakValueDictionary

from msgspec import Struct

from memd.daemon.core import Core
from memd.edit.diff import unified
from memd.model.errors import Refused
from memd.model.fingerprint import fingerprint
from memd.model.plan import Displaced, Plan, Receipt
from memd.serve.handlers.context import Context, Decision
from memd.serve.messages import Call
from memd.serve.peers import Peer

ATTEMPTS = 8
TOKEN_LIVES = 60.0
"""Seconds for which a confirmation token is good (contract)."""
KEPT_ANSWERS = 1000

Decide = Callable[[Context], Decision]
Carry = Callable[[], Awaitable[dict[str, Any]]]


class _Shown(Struct, frozen=True):
    """A plan that was shown, what asked for it, and until when its token is good."""

    asked: str
    plan: Plan
    answer: Any
    until: float


class Tokens:
    """Plans shown to somebody who has yet to confirm them; a token is good once, for a minute, for what it was shown for."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._shown: OrderedDict[str, _Shown] = OrderedDict()

    def issue(self, asked: str, plan: Plan, answer: Any = None) -> str:
        token = fingerprint(asked, plan.token)
        self._shown[token] = _Shown(asked, plan, answer, self._clock() + TOKEN_LIVES)
        self._shown.move_to_end(token)
        while len(self._shown) > KEPT_ANSWERS or next(iter(self._shown.values())).until < self._clock():
            self._shown.popitem(last=False)
        return token

    def redeem(self, token: str, asked: str) -> tuple[Plan, Any]:
        """Raises Refused: confirm_required for a token that is unknown, too old, or of another call."""
        shown = self._shown.pop(token, None)
        if shown is None or shown.until < self._clock() or shown.asked != asked:
            raise Refused("confirm_required", "this token is not good for this call (any more): ask for the plan again")
        return shown.plan, shown.answer


class Once:
    """Answers by idempotency key: a retry after a lost answer gets the first answer, and does nothing twice."""

    def __init__(self) -> None:
        self._answers: OrderedDict[str, tuple[str, dict[str, Any]]] = OrderedDict()
        self._under_way: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def through(self, key: str, asked: str, work: Carry) -> dict[str, Any]:
        """The first answer to the key, or that of `work`; a retry waits for a call that is still under way."""
        if not key:
            return await work()
        lock = self._under_way.get(key) or asyncio.Lock()
        self._under_way[key] = lock
        async with lock:
            if (answer := self.known(key, asked)) is None:
                answer = await work()
                self.keep(key, asked, answer)
        return answer

    def known(self, key: str, asked: str) -> dict[str, Any] | None:
        if not key or key not in self._answers:
            return None
        before, answer = self._answers[key]
        if before != asked:
            raise Refused("invalid_params", "this idempotency_key was used for another call: use a new one")
        return answer

    def keep(self, key: str, asked: str, answer: dict[str, Any]) -> None:
        if key:
            self._answers[key] = (asked, answer)
            while len(self._answers) > KEPT_ANSWERS:
                self._answers.popitem(last=False)


def signature(call: Call) -> str:
    """The call without what is said about its being repeated or confirmed."""
    fields = (name for name in call.params.__struct_fields__ if name not in ("idempotency_key", "dry_run", "token"))
    return fingerprint(call.method.name, *(f"{name}={getattr(call.params, name)!r}" for name in fields))


def must_confirm(call: Call, peer: Peer, config_confirm: str) -> bool:
    confirm = peer.gate.confirm or config_confirm
    return confirm == "all" or (confirm == "destructive" and call.method.destructive)


class Desk:
    """Where changes are made, one after another: the turn is held from the first read to the snapshot that has the change."""

    def __init__(self, core: Core, now: Callable[[], datetime], clock: Callable[[], float]) -> None:
        self._core = core
        self._now = now
        self.tokens = Tokens(clock)
        self.once = Once()

    async def change(
        self, call: Call, peer: Peer, confirm: str, context: Callable[[], Context], decide: Decide
    ) -> dict[str, Any]:
        """The contract's answer of a write method. Raises what `decide` raises, and `conflict` where saves never cease."""
        asked = signature(call)
        async with self._core.turn:
            if (answer := self.once.known(call.params.idempotency_key, asked)) is not None:
                return answer
            decision = await self._decided(call, asked, context, decide)
            if call.params.dry_run:
                return await self._shown(asked, decision)
            if must_confirm(call, peer, confirm) and not call.params.token and decision.plan:
                shown = await self._shown(asked, decision)
                raise Refused("confirm_required", "show this plan to the user, then call again with its token", **shown)
            answer = await self._carry_out(decision, context, decide, bool(call.params.token))
            self.once.keep(call.params.idempotency_key, asked, answer)
            return answer

    async def _decided(self, call: Call, asked: str, context: Callable[[], Context], decide: Decide) -> Decision:
        if call.params.token and not call.params.dry_run:
            plan, answer = self.tokens.redeem(call.params.token, asked)
            return Decision(plan, answer)
        return await self._core.in_reader(decide, context())

    async def _shown(self, asked: str, decision: Decision) -> dict[str, Any]:
        plan = decision.plan
        diff = await self._core.in_reader(unified, plan, self._core.bodies.anything)
        return {"plan": diff, "token": self.tokens.issue(asked, plan, decision.answer), "reasons": list(plan.reasons)}

    async def _carry_out(
        self, decision: Decision, context: Callable[[], Context], decide: Decide, confirmed: bool
    ) -> dict[str, Any]:
        for _ in range(ATTEMPTS):
            receipts = await self._core.apply(decision.plan, self._core.stamp(self._now()))
            if not any(isinstance(receipt, Displaced) for receipt in receipts):
                return dict(decision.answered(receipts))
            if confirmed:
                raise Refused("conflict", f"{_where(receipts)} has changed since the plan was shown: ask for it again")
            decision = await self._core.in_reader(decide, context())
        raise Refused("conflict", f"{_where(receipts)} keeps changing: nothing was written, try again")


def _where(receipts: tuple[Receipt, ...]) -> str:
    return next(receipt.path for receipt in receipts if isinstance(receipt, Displaced))
