"""One request at a time, from a call to its answer: who answers it, on which snapshot, and what is true of the index.

Knows every method and which part answers it. Never knows frames or sockets; refusals are raised as they come.
"""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from memd.daemon.core import Core
from memd.daemon.door import greeting
from memd.daemon.memory import Memories
from memd.daemon.upkeep import Upkeep
from memd.daemon.writing import Desk, must_confirm, signature
from memd.model.config import Config
from memd.model.errors import Refused
from memd.recall import notes as listing
from memd.recall import search as searching
from memd.serve.handlers import notes, reads
from memd.serve.handlers.context import Context
from memd.serve.messages import Call
from memd.serve.peers import Peer, inside

Answer = dict[str, Any]
Method = Callable[[Call, Peer], Awaitable[Answer]]


class Service:
    """`config` may be replaced (SIGHUP) between requests."""

    def __init__(
        self,
        vault: dict[str, str],
        core: Core,
        desk: Desk,
        memories: Memories,
        upkeep: Upkeep,
        config: Config,
        now: Callable[[], datetime],
    ) -> None:
        self.vault = vault
        self.core = core
        self.desk = desk
        self.memories = memories
        self.upkeep = upkeep
        self.config = config
        self.now = now
        self._methods: dict[str, Method] = {
            "hello": self._hello,
            "status": self._status,
            "subscribe": self._nothing,
            "unsubscribe": self._nothing,
            "memory.search": self._search,
            "memory.read": self._read,
            "memory.list": self._looking(listing.list_notes),
            "memory.context": self._looking(listing.context),
            "memory.recent": self._looking(listing.recent),
            "memory.refresh": self._refresh,
            "memory.reindex": self._reindex,
            "memory.doctor": self._doctor,
            "memory.job": self._job,
            **{f"memory.{name}": self._changing(getattr(notes, name)) for name in NOTE_WRITES},
            **{f"memory.{name}": self._memory(name) for name in self.memories.METHODS},
        }

    async def handle(self, call: Call, peer: Peer) -> Answer:
        """The result of a call, with `index`. Raises Refused; anything else is a fault of memd's."""
        if call.method.name != "hello":
            await self.core.begun()
        answer = await self._methods[call.method.name](call, peer)
        return {**answer, "index": self.core.state()}

    def context(self, peer: Peer) -> Context:
        core, gate = self.core, peer.gate
        return Context(
            core.vault,
            self.config,
            self.now(),
            core.bodies.anything,
            self.upkeep.trashed,
            self.upkeep.undoing,
            gate.rights,
            gate.sensitive,
            gate.folder,
            self.upkeep.stamps,
        )

    # looking ---------------------------------------------------------------------------------------------------------

    async def _hello(self, call: Call, peer: Peer) -> Answer:
        return greeting(self.vault, self.core.library.vector_status(), self.memories.model, peer)

    async def _search(self, call: Call, peer: Peer) -> Answer:
        await self.core.visible()
        began = time.perf_counter()
        answer = await self.core.in_reader(
            searching.search,
            self.core.vault,
            self.core.library,
            self.core.bodies,
            call.params,
            self.now(),
            peer.gate.folder,
        )
        return {**answer, "took_ms": round((time.perf_counter() - began) * 1000, 2)}

    async def _read(self, call: Call, peer: Peer) -> Answer:
        return await self.core.in_reader(reads.read, self.context(peer), call.params)

    def _looking(self, ask: Callable[..., Answer]) -> Method:
        async def answer(call: Call, peer: Peer) -> Answer:
            return await self.core.in_reader(ask, self.core.vault, call.params, self.now(), peer.gate.folder)

        return answer

    async def _status(self, call: Call, peer: Peer) -> Answer:
        return await self.core.in_reader(self.upkeep.status, self.memories.backlog)

    async def _doctor(self, call: Call, peer: Peer) -> Answer:
        return await self.upkeep.doctor(self.context(peer), call.params)

    async def _job(self, call: Call, peer: Peer) -> Answer:
        return self.memories.job(call.params.id)

    async def _nothing(self, call: Call, peer: Peer) -> Answer:
        return {}

    # keeping in step -------------------------------------------------------------------------------------------------

    async def _refresh(self, call: Call, peer: Peer) -> Answer:
        return await self.upkeep.refresh(call.params.accept)

    async def _reindex(self, call: Call, peer: Peer) -> Answer:
        return await self.upkeep.reindex(call.params.full)

    # changing --------------------------------------------------------------------------------------------------------

    def _changing(self, decide: Callable[[Context, Any], Any]) -> Method:
        async def answer(call: Call, peer: Peer) -> Answer:
            self._refuse_while_held()
            if call.method.name == "memory.move" and self.memories.moves(call.params.to):
                self._refuse_elsewhere(peer)
                confirm = must_confirm(call, peer, self.config.agents.confirm)
                return await self._once(call, lambda: self.memories.moved(call, self.context(peer), confirm))
            return await self.desk.change(
                call, peer, self.config.agents.confirm, lambda: self.context(peer), lambda ctx: decide(ctx, call.params)
            )

        return answer

    def _memory(self, name: str) -> Method:
        async def answer(call: Call, peer: Peer) -> Answer:
            if not call.method.writes:
                return await self.memories.answer(name, call, self.context(peer), False)
            self._refuse_while_held()
            self._refuse_elsewhere(peer)
            confirm = must_confirm(call, peer, self.config.agents.confirm)
            return await self._once(call, lambda: self.memories.answer(name, call, self.context(peer), confirm))

        return answer

    async def _once(self, call: Call, work: Callable[[], Awaitable[Answer]]) -> Answer:
        """A rehearsal is no answer to keep."""
        if call.params.dry_run:
            return await work()
        return await self.desk.once.through(call.params.idempotency_key, signature(call), work)

    def _refuse_elsewhere(self, peer: Peer) -> None:
        """Memory writes in its own folder: a connection with another folder may not."""
        folder = self.config.formation.folder
        if not inside(folder, peer.gate.folder):
            raise Refused(
                "permission_denied", f"memory writes in {folder}/, and this connection may write only in its own folder"
            )

    def _refuse_while_held(self) -> None:
        hold = self.core.keeper.hold
        if hold is not None:
            raise Refused("unavailable", f"nothing is written while the vault looks lost: {hold.reason}")


NOTE_WRITES = ("write", "append", "edit", "delete", "restore", "move", "undo")
