"""The socket, open before anything else is loaded: `hello` is answered at once, every other call when the daemon is ready.

Knows the listening sockets and who answers behind them. Imports little: what it needs is what the first answer waits for.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Protocol

import msgspec

from memd import __version__
from memd.daemon.measure import Measures
from memd.index.port import VectorStatus
from memd.model.config import Config
from memd.serve import binding, places, systemd
from memd.serve.connection import Limits
from memd.serve.messages import Call
from memd.serve.peers import Peer, gate_of
from memd.serve.socket import Server

PROTOCOL = 1


class Behind(Protocol):
    """Who answers calls, once it is there."""

    async def handle(self, call: Call, peer: Peer) -> dict[str, Any]: ...


class Door:
    """`about` is the vault as `hello` tells it: id, path, name."""

    def __init__(self, place: places.Place, config: Config) -> None:
        self.about = {"id": place.id, "path": os.path.realpath(place.vault), "name": place.name}
        self.measures = Measures()
        self.server = Server(self._handle, Limits(connections=binding.room_for_connections()), self.measures.observe)
        self._place = place
        self._config = config
        self._behind: Behind | None = None
        self._ready = asyncio.Event()

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        passed = systemd.inherited(os.environ)
        if passed:
            for given in passed:
                await self.server.open(given)
        else:
            await self.server.open(binding.listen(self._place.socket), path=self._place.socket)
        for further in self._config.socket:
            path = os.path.expanduser(further.path)
            await self.server.open(binding.listen(path), gate_of(further), path)
        try:
            yield
        finally:
            await self.server.close()

    def ready(self, behind: Behind) -> None:
        """From now on this one answers, also what has waited."""
        self._behind = behind
        self._ready.set()

    async def _handle(self, call: Call, peer: Peer) -> dict[str, Any]:
        if self._behind is None:
            if call.method.name == "hello":
                opening = VectorStatus("building", reason="memd is starting")
                return {**greeting(self.about, opening, "", peer), "index": {"current": False, "pending": 0}}
            await self._ready.wait()
        assert self._behind is not None
        return await self._behind.handle(call, peer)


def greeting(vault: dict[str, str], vectors: VectorStatus, model: str, peer: Peer) -> dict[str, Any]:
    """The answer to `hello`; `model` is the language model's name, "" without one."""
    capabilities = {
        "text": True,
        "vector": msgspec.to_builtins(vectors),
        "llm": model,
        "rights": sorted(peer.gate.rights),
    }
    return {
        "server": "memd",
        "version": __version__,
        "protocol": PROTOCOL,
        "vault": vault,
        "capabilities": capabilities,
    }
