"""A daemon for tests of the wire: the real server on a real socket in a thread, with handlers from a table.

`answers` maps a method to a result, to a Refused to raise, or to a function of (params, peer) that may be async.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from memd.model.errors import Refused
from memd.serve.binding import listen
from memd.serve.connection import Limits
from memd.serve.messages import Call
from memd.serve.peers import Gate, Peer
from memd.serve.socket import Server

INDEX = {"current": True, "pending": 0}
HELLO = {
    "server": "memd",
    "version": "0",
    "protocol": 1,
    "vault": {"id": "v-1", "path": "/vault", "name": "v"},
    "capabilities": {"text": True, "vector": {"state": "off"}, "llm": False, "rights": ["read", "write", "forget"]},
}


class FakeDaemon:
    """`seen` keeps (method, params as plain values) of every call that came through."""

    def __init__(
        self, path: str, answers: dict[str, Any], limits: Limits | None = None, gate: Gate | None = None
    ) -> None:
        self.path = path
        self.answers = {"hello": HELLO, "subscribe": {}, "unsubscribe": {}} | answers
        self.seen: list[tuple[str, dict[str, Any]]] = []
        self.codes: list[tuple[str, str]] = []
        self._limits = limits
        self._gate = gate
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._ready = threading.Event()
        self.loop: asyncio.AbstractEventLoop
        self.server: Server

    async def handle(self, call: Call, peer: Peer) -> dict[str, Any]:
        self.seen.append((call.method.name, _plain(call.params)))
        found = self.answers.get(call.method.name, {})
        if callable(found):
            found = found(call.params, peer)
        if inspect.isawaitable(found):
            found = await found
        if isinstance(found, BaseException):
            raise found
        return {**found, "index": INDEX}

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.server = Server(self.handle, self._limits, lambda method, seconds, code: self.codes.append((method, code)))
        self._stop = asyncio.Event()
        await self.server.open(listen(self.path), self._gate, self.path)
        self._ready.set()
        await self._stop.wait()
        await self.server.close(2.0)

    def start(self) -> FakeDaemon:
        self._thread.start()
        assert self._ready.wait(10)
        return self

    def stop(self) -> None:
        if self._thread.is_alive():
            self.loop.call_soon_threadsafe(self._stop.set)
            self._thread.join(10)

    def soon(self, function: Callable[..., Any], *args: Any, **options: Any) -> None:
        """Runs a function on the daemon's loop and waits for it."""
        done = threading.Event()

        def run() -> None:
            function(*args, **options)
            done.set()

        self.loop.call_soon_threadsafe(run)
        assert done.wait(10)

    def publish(self, event: str, data: dict[str, Any], **options: Any) -> None:
        self.soon(self.server.publish, event, data, **options)


def _plain(params: Any) -> dict[str, Any]:
    """Every param as JSON has it, defaults included."""
    return msgspec.json.decode(msgspec.json.encode({n: getattr(params, n) for n in params.__struct_fields__}))


@contextmanager
def daemon(
    path: str, answers: dict[str, Any] | None = None, limits: Limits | None = None, gate: Gate | None = None
) -> Iterator[FakeDaemon]:
    running = FakeDaemon(path, answers or {}, limits, gate).start()
    try:
        yield running
    finally:
        running.stop()


def refuse(code: str, message: str = "no", **data: Any) -> Refused:
    return Refused(code, message, **data)
