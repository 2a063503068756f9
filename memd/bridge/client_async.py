"""The client for asyncio: many calls at once over one connection, matched by id, and subscriptions as async iterators.

Asks again after a lost connection as the blocking client does, and for the same reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Iterable, Mapping
from typing import Any

from memd.bridge.calls import Answer, Calls, arguments
from memd.bridge.client import TRIES, WINDOW, Event, keyed, lagged, pause
from memd.bridge.stream import Unreachable, refused
from memd.model.errors import Refused
from memd.serve.bases import Params
from memd.serve.frames import ANSWER_LIMIT, Fault, Inbox, Reply, read_reply, request
from memd.serve.messages import OF_PARAMS


class _Line:
    """One connection: frames out, replies in."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._inbox = Inbox(ANSWER_LIMIT)

    @classmethod
    async def open(cls, path: str) -> _Line:
        try:
            return cls(*await asyncio.open_unix_connection(path))
        except OSError as error:
            raise Unreachable(f"no daemon answers at {path}") from error

    async def send(self, id: int, method: str, params: dict[str, Any], deadline_ms: int | None = None) -> None:
        try:
            frame = request(id, method, params, deadline_ms)
        except ValueError as error:
            raise Refused("too_large", str(error)) from error
        try:
            self._writer.write(frame)
            await self._writer.drain()
        except OSError as error:
            raise Unreachable("the daemon hung up") from error

    async def receive(self) -> Reply:
        while (body := self._inbox.take()) is None:
            try:
                data = await self._reader.read(262_144)
            except OSError as error:
                raise Unreachable("the daemon hung up") from error
            if not data:
                raise Unreachable("the daemon hung up")
            self._inbox.feed(data)
        reply = body if isinstance(body, Fault) else read_reply(body)
        if isinstance(reply, Fault):
            raise Refused(reply.code, reply.message)
        return reply

    def close(self) -> None:
        self._writer.close()


class AsyncClient(Calls[Awaitable[Answer]]):
    """Connects at the first call. `timeout` in seconds a call, None waits. Calls raise as the blocking client's do."""

    def __init__(self, socket: str, timeout: float | None = 120.0) -> None:
        self._path = socket
        self._timeout = timeout
        self._line: _Line | None = None
        self._reading: asyncio.Task[None] | None = None
        self._waiting: dict[int, asyncio.Future[Reply]] = {}
        self._last_id = 0
        self._connecting = asyncio.Lock()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        if self._reading is not None:
            self._reading.cancel()
        self._lost(Unreachable("the client was closed"))

    def _lost(self, error: Exception) -> None:
        if self._line is not None:
            self._line.close()
        self._line = self._reading = None
        waiting, self._waiting = self._waiting, {}
        for future in waiting.values():
            if not future.done():
                future.set_exception(error)

    def _ask(self, method: str, given: dict[str, Any]) -> Awaitable[Answer]:
        return self.call(method, arguments(given))

    async def ask(self, params: Params) -> Answer:
        """A message of `memd.serve.params` as a call."""
        return await self.call(OF_PARAMS[type(params)].name, {n: getattr(params, n) for n in params.__struct_fields__})

    async def call(
        self, method: str, params: Mapping[str, Any] | None = None, deadline_ms: int | None = None
    ) -> Answer:
        given = keyed(method, dict(params or {}))
        async with asyncio.timeout(self._timeout):
            for attempt in range(TRIES):
                try:
                    return await self._once(method, given, deadline_ms)
                except Unreachable:
                    if attempt == TRIES - 1:
                        raise
                    await asyncio.sleep(pause(attempt))
        raise AssertionError("the loop returns or raises")

    async def _once(self, method: str, params: dict[str, Any], deadline_ms: int | None) -> Answer:
        line = await self._connected()
        self._last_id += 1
        id = self._last_id
        future: asyncio.Future[Reply] = asyncio.get_running_loop().create_future()
        self._waiting[id] = future
        try:
            await line.send(id, method, params, deadline_ms)
            reply = await future
        finally:
            self._waiting.pop(id, None)
        if not reply.ok:
            raise refused(reply.error)
        return reply.result

    async def _connected(self) -> _Line:
        async with self._connecting:
            if self._line is None:
                self._line = await _Line.open(self._path)
                self._reading = asyncio.create_task(self._read(self._line))
            return self._line

    async def _read(self, line: _Line) -> None:
        try:
            while True:
                reply = await line.receive()
                if reply.id is None and reply.error:
                    raise refused(reply.error)
                future = self._waiting.get(reply.id) if isinstance(reply.id, int) else None
                if future is not None and not future.done():
                    future.set_result(reply)
        except (Unreachable, Refused) as error:
            self._lost(error)

    async def many(self, calls: Iterable[tuple[str, Mapping[str, Any]]]) -> list[Answer | Refused]:
        """Calls under way together, a window of them at once; answers in the order of the calls, refusals among them."""
        room = asyncio.Semaphore(WINDOW)

        async def one(method: str, params: Mapping[str, Any]) -> Answer | Refused:
            async with room:
                try:
                    return await self.call(method, params)
                except Refused as error:
                    return error

        return list(await asyncio.gather(*(one(method, params) for method, params in calls)))

    async def subscribe(self, kinds: Iterable[str] = (), folder: str = "") -> AsyncIterator[Event]:
        """Events for ever, on a connection of its own; after a lost connection it subscribes again and says `lagged`."""
        params = {"kinds": list(kinds), "folder": folder}
        attempt = 0
        while True:
            try:
                line = await _Line.open(self._path)
            except Unreachable:
                if attempt == 0:
                    raise
                await asyncio.sleep(pause(attempt))
                attempt += 1
                continue
            try:
                async for event in _events(line, params, again=attempt > 0):
                    yield event
            except Unreachable:
                attempt = 1
            finally:
                line.close()


async def _events(line: _Line, params: dict[str, Any], *, again: bool) -> AsyncIterator[Event]:
    await line.send(1, "subscribe", params)
    while True:
        reply = await line.receive()
        if reply.event:
            yield Event(reply.event, reply.data)
        elif not reply.ok:
            raise refused(reply.error)
        elif again:
            yield lagged()
