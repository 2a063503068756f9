"""The blocking client: typed calls, pipelines and subscriptions that outlive a restart of the daemon.

A lost answer is asked for again: reading is harmless, and every write carries an `idempotency_key`, so that asking again
does nothing twice.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from memd.bridge.calls import Answer, Calls, arguments
from memd.bridge.stream import Stream, Unreachable, refused
from memd.model.errors import Refused
from memd.model.pauses import doubling
from memd.serve.bases import Params, Writing
from memd.serve.messages import METHODS, OF_PARAMS

TRIES = 3
WINDOW = 24
"""Requests of one pipeline under way at once: under what a daemon reads before it answers."""


class Event(Struct, frozen=True):
    """What happened: `changed removed formed problem index`; `data["code"] == "lagged"`: some were missed, look again."""

    name: str
    data: dict[str, Any]


def keyed(method: str, params: dict[str, Any]) -> dict[str, Any]:
    """The params of a write with an idempotency key, so that it may be sent again."""
    known = METHODS.get(method)
    if known is None or not issubclass(known.params, Writing) or params.get("idempotency_key"):
        return params
    return {**params, "idempotency_key": os.urandom(12).hex()}


def pause(attempt: int) -> float:
    """Seconds before trying again: 0, then doubling from 50 ms to 2 s."""
    return doubling(0.05, 2.0, attempt)


class Client(Calls[Answer]):
    """Threads may share one; their calls take turns. Connects at the first call. `timeout` in seconds, None waits.

    Calls raise Refused (the daemon's refusal), Unreachable (no daemon) or TimeoutError.
    """

    def __init__(self, socket: str, timeout: float | None = 120.0) -> None:
        self._path = socket
        self._timeout = timeout
        self._stream: Stream | None = None
        self._last_id = 0
        self._lock = threading.Lock()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        if self._stream is not None:
            self._stream.close()
            self._stream = None

    def _ask(self, method: str, given: dict[str, Any]) -> Answer:
        return self.call(method, arguments(given))

    def ask(self, params: Params) -> Answer:
        """A message of `memd.serve.params` as a call."""
        return self.call(OF_PARAMS[type(params)].name, {n: getattr(params, n) for n in params.__struct_fields__})

    def call(self, method: str, params: Mapping[str, Any] | None = None, deadline_ms: int | None = None) -> Answer:
        [found] = self.many([(method, params or {})], deadline_ms)
        if isinstance(found, Refused):
            raise found
        return found

    def many(
        self, calls: Iterable[tuple[str, Mapping[str, Any]]], deadline_ms: int | None = None
    ) -> list[Answer | Refused]:
        """Calls sent without waiting for one another; answers in the order of the calls, refusals among them."""
        with self._lock:
            waiting = {}
            for method, params in calls:
                self._last_id += 1
                waiting[self._last_id] = (method, keyed(method, dict(params)))
            answers: dict[int, Answer | Refused] = {}
            for attempt in range(TRIES):
                try:
                    self._exchange(waiting, answers, deadline_ms)
                    break
                except Unreachable:
                    self.close()
                    if attempt == TRIES - 1:
                        raise
                    time.sleep(pause(attempt))
                except (TimeoutError, KeyboardInterrupt):
                    self.close()
                    raise
            return [answers[id] for id in waiting]

    def _exchange(
        self,
        waiting: Mapping[int, tuple[str, dict[str, Any]]],
        answers: dict[int, Answer | Refused],
        deadline_ms: int | None,
    ) -> None:
        """Sends what is not answered yet and reads until it is, never more than a window under way."""
        stream = self._stream = self._stream or Stream(self._path, self._timeout)
        todo = [id for id in waiting if id not in answers]
        under_way: set[int] = set()
        while todo or under_way:
            while todo and len(under_way) < WINDOW:
                stream.send(todo[0], *waiting[todo[0]], deadline_ms)
                under_way.add(todo.pop(0))
            reply = stream.receive()
            if reply.id is None and reply.error:
                self.close()
                raise refused(reply.error)
            if isinstance(reply.id, int) and reply.id in under_way:
                under_way.discard(reply.id)
                answers[reply.id] = reply.result if reply.ok else refused(reply.error)

    def subscribe(self, kinds: Iterable[str] = (), folder: str = "") -> Iterator[Event]:
        """Events for ever, on a connection of its own; after a lost connection it subscribes again and says `lagged`."""
        params = {"kinds": list(kinds), "folder": folder}
        attempt = 0
        while True:
            try:
                stream = Stream(self._path, None)
            except Unreachable:
                if attempt == 0:
                    raise
                time.sleep(pause(attempt))
                attempt += 1
                continue
            try:
                yield from _events(stream, params, again=attempt > 0)
            except Unreachable:
                attempt = 1
            finally:
                stream.close()


def _events(stream: Stream, params: dict[str, Any], *, again: bool) -> Iterator[Event]:
    stream.send(1, "subscribe", params)
    while True:
        reply = stream.receive()
        if reply.event:
            yield Event(reply.event, reply.data)
        elif not reply.ok:
            raise refused(reply.error)
        elif again:
            yield lagged()


def lagged() -> Event:
    hint = "the connection was lost for a while: ask memory.recent for what changed"
    return Event("problem", {"code": "lagged", "hint": hint})
