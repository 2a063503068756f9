"""The server: listening sockets in, answers out, events to those who subscribed.

Runs each request as a task with its deadline, bounds what runs at once (`busy`), and stops cleanly: what is in flight is
answered. This is the daemon's edge: whatever a handler raises becomes an answer here. Never knows what a method does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import sys
import traceback
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

from msgspec import Struct

from memd.model.errors import Refused
from memd.serve.binding import identity, room_for_connections
from memd.serve.connection import Connection, Limits, Task, unavailable
from memd.serve.frames import Request, answer, refusal
from memd.serve.messages import METHODS, Call
from memd.serve.peers import ASKER, Gate, Peer, admit, inside

Handle = Callable[[Call, Peer], Awaitable[dict[str, Any]]]
Observe = Callable[[str, float, str], None]
"""(method, seconds, error code or "ok"): what `status` and metrics are made of."""

_log = logging.getLogger("memd.serve")


class _Subscription(Struct, frozen=True, eq=False):
    connection: Connection
    kinds: frozenset[str]
    folder: str


class Server:
    """Serves any number of listening sockets on the running event loop, each with its gate."""

    def __init__(self, handle: Handle, limits: Limits | None = None, observe: Observe | None = None) -> None:
        self.limits = limits or Limits(connections=room_for_connections())
        self.uid = os.geteuid()
        self.stopping = False
        self.active_at = 0.0
        self._handle = handle
        self._observe = observe
        self._listening: list[tuple[asyncio.AbstractServer, str, tuple[int, int] | None]] = []
        self._connections: set[Connection] = set()
        self._behind: dict[Connection, None] = {}
        self._running: dict[Task, int] = {}
        self._bytes = 0
        self._late: set[asyncio.Task[dict[str, Any]]] = set()
        self._subscriptions: dict[int, _Subscription] = {}
        self._last_sub = 0
        self._nobody = asyncio.Event()

    async def open(self, listening: socket.socket, gate: Gate | None = None, path: str = "") -> None:
        """Accepts from a listening socket; `path` is the file to remove at the end ("" for a socket that was passed to us,
        which Python 3.13 would remove by itself: systemd could not start us again)."""
        loop = asyncio.get_running_loop()
        allowed = gate or Gate()
        ours: dict[str, Any] = {"cleanup_socket": False} if sys.version_info >= (3, 13) else {}
        server = await loop.create_unix_server(lambda: Connection(self, allowed), sock=listening, backlog=512, **ours)
        self._listening.append((server, path, identity(path) if path else None))
        self.active_at = loop.time()

    @property
    def in_flight(self) -> int:
        return len(self._running)

    @property
    def connections(self) -> int:
        return len(self._connections)

    def idle_since(self) -> float | None:
        """Loop time of the last request; None while something runs or somebody is subscribed."""
        return None if self._running or self._late or self._subscriptions else self.active_at

    # what connections need

    def joined(self, connection: Connection) -> bool:
        self._connections.add(connection)
        self._nobody.clear()
        return len(self._connections) <= self.limits.connections and not self.stopping

    def left(self, connection: Connection) -> None:
        self._connections.discard(connection)
        self._behind.pop(connection, None)
        for sub in [sub for sub, found in self._subscriptions.items() if found.connection is connection]:
            del self._subscriptions[sub]
        if not self._connections:
            self._nobody.set()

    def held(self) -> int:
        return sum(connection.held for connection in self._connections)

    def unsent(self) -> int:
        """Bytes of answers that wait to be read, over all connections."""
        return sum(connection.unsent for connection in self._behind)

    def sent(self, connection: Connection, behind: bool) -> None:
        """What waits to be read stays within its limit: who has been `behind` longest is hung up on."""
        if not behind:
            self._behind.pop(connection, None)
        if not connection.unsent:
            return
        self._behind[connection] = None
        self._behind = {found: None for found in self._behind if found.unsent}
        waiting = self.unsent()
        for longest in list(self._behind):
            if waiting <= self.limits.unsent_by_all:
                break
            waiting -= longest.unsent
            longest.transport.abort()

    def run(self, connection: Connection, request: Request, size: int) -> Task | None:
        """Begins a request; the task ends when its answer is on its way. None where it was refused at once."""
        if self.stopping:
            connection.send(unavailable(request.id))
            return None
        room = self.limits.in_flight + (0 if connection.tasks else self.limits.reserve)
        if len(self._running) >= room or self._bytes + size > self.limits.in_flight_bytes:
            message = "too much at once: ask again in a moment"
            connection.send(refusal(request.id, "busy", message, {"retry_ms": 200}))
            return None
        loop = asyncio.get_running_loop()
        self.active_at = loop.time()
        task = loop.create_task(self._serve(connection, request))
        method = METHODS.get(request.method)
        connection.tasks[task] = bool(method and method.writes)
        self._running[task] = size
        self._bytes += size
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: Task) -> None:
        self._bytes -= self._running.pop(task)

    # one request

    async def _serve(self, connection: Connection, request: Request) -> None:
        ASKER.set(connection)
        loop = asyncio.get_running_loop()
        began, code = loop.time(), "ok"
        deadline = None if request.deadline_ms is None else began + request.deadline_ms / 1000
        try:
            call = admit(request, connection.peer, deadline)
            result = await self._within(call, connection.peer)
            frame = answer(request.id, self._subscribing(connection, call, result))
        except Refused as refused:
            code = refused.code
            frame = refusal(request.id, code, refused.message, refused.data)
        except Exception as error:  # noqa: BLE001  whatever a handler raises, its client gets an answer
            code = "internal"
            _log.error("internal error in %s: %s", request.method[:60], _where(error))
            frame = refusal(
                request.id, code, "memd made a mistake; `memd status` and its log say where: please report it"
            )
        connection.send(frame)
        if self._observe is not None:
            self._observe(request.method if request.method in METHODS else "unknown", loop.time() - began, code)

    async def _within(self, call: Call, peer: Peer) -> dict[str, Any]:
        if call.deadline is None:
            return await self._handle(call, peer)
        work = asyncio.ensure_future(self._handle(call, peer))
        try:
            await asyncio.wait({work}, timeout=call.deadline - asyncio.get_running_loop().time())
        except asyncio.CancelledError:
            work.cancel()
            raise
        if work.done():
            return work.result()
        raise self._overdue(call, work)

    def _overdue(self, call: Call, work: asyncio.Future[dict[str, Any]]) -> Refused:
        """A read is given up; a write that has begun goes on, so that no half of it stands."""
        if not call.method.writes:
            work.cancel()
            return Refused("deadline_exceeded", "not done in time: give a longer deadline_ms or ask for less")
        assert isinstance(work, asyncio.Task)
        self._late.add(work)
        work.add_done_callback(self._late_done)
        message = "not done in time, the write goes on: ask again with the same idempotency_key to learn how it ended"
        return Refused("deadline_exceeded", message)

    def _late_done(self, work: asyncio.Task[dict[str, Any]]) -> None:
        self._late.discard(work)
        error = None if work.cancelled() else work.exception()
        if error is not None and not isinstance(error, Refused):
            _log.error("internal error after a deadline: %s", _where(error))

    # events

    def _subscribing(self, connection: Connection, call: Call, result: dict[str, Any]) -> dict[str, Any]:
        """The two methods that concern the connection itself; the handler's result is the rest of the answer."""
        if call.method.name == "subscribe":
            mine = sum(found.connection is connection for found in self._subscriptions.values())
            if mine >= self.limits.subscriptions:
                raise Refused("busy", f"{mine} subscriptions on one connection: unsubscribe some")
            self._last_sub += 1
            folder = call.params.folder.strip("/")
            self._subscriptions[self._last_sub] = _Subscription(connection, frozenset(call.params.kinds), folder)
            return {**result, "sub": self._last_sub}
        if call.method.name == "unsubscribe":
            found = self._subscriptions.get(call.params.sub)
            if found is None or found.connection is not connection:
                raise Refused("not_found", f"no subscription {call.params.sub} on this connection")
            del self._subscriptions[call.params.sub]
        return result

    def publish(
        self, event: str, data: dict[str, Any], *, path: str = "", kind: str = "", sensitive: bool = False
    ) -> None:
        """An event to those who asked for it and may know: `changed removed formed problem index`.

        `path` and `kind` are the note's it speaks of; an event without a path goes to whole vaults, `index` to all.
        """
        for sub, found in list(self._subscriptions.items()):
            if self._concerns(found, event, path, kind, sensitive):
                found.connection.push(event, sub, data)

    @staticmethod
    def _concerns(found: _Subscription, event: str, path: str, kind: str, sensitive: bool) -> bool:
        gate = found.connection.peer.gate
        if sensitive and not gate.sensitive:
            return False
        if found.kinds and event not in found.kinds and kind not in found.kinds:
            return False
        return event == "index" or (inside(path, gate.folder) and inside(path, found.folder))

    # the end

    async def close(self, grace: float = 5.0) -> None:
        """Stops listening, answers what runs (at most `grace` seconds), sends what is written, hangs up."""
        self.stopping = True
        for server, path, was in self._listening:
            server.close()
            if was is not None and identity(path) == was:
                with suppress(OSError):
                    os.unlink(path)
        for connection in list(self._connections):
            connection.stop()
        running = {*self._running, *self._late}
        if running:
            _done, slow = await asyncio.wait(running, timeout=grace)
            for task in slow:
                task.cancel()
        for connection in list(self._connections):
            connection.transport.close()
        if self._connections:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._nobody.wait(), 1.0)
        for connection in list(self._connections):
            connection.transport.abort()


def _where(error: BaseException) -> str:
    """The error's type and the places it passed, never its message: that may hold a note's words."""
    frames = traceback.extract_tb(error.__traceback__)[-6:]
    places = " < ".join(f"{os.path.basename(frame.filename)}:{frame.lineno}" for frame in reversed(frames))
    return f"{type(error).__name__} at {places}"
