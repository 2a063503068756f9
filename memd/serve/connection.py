"""One client's connection: its bytes in order, its answers as they come, and what it may cost.

Knows flow: a client that sends faster than it is answered, or reads slower than it is answered, is slowed down and in the
end hung up on; half a frame waits only so long. Never knows what a request means: the server runs it.
"""

from __future__ import annotations

import asyncio
from typing import Any, Protocol

from msgspec import Struct

from memd.model.errors import Refused
from memd.serve.binding import gone, peer
from memd.serve.frames import Fault, Inbox, Request, event, read_request, refusal
from memd.serve.peers import Gate, Peer

Task = asyncio.Task[None]


class Limits(Struct, frozen=True):
    """What strangers may cost. Counts, bytes, seconds. Over `unread` bytes of answers a client is not read from; over
    `unsent` it is hung up on, and over `unsent_by_all` whoever has been behind longest. `reserve`: requests over
    `in_flight` for clients of whom none runs yet, so that a flood by some keeps nobody else out."""

    connections: int = 4096
    in_flight: int = 256
    reserve: int = 256
    in_flight_bytes: int = 64 * 1024 * 1024
    per_connection: int = 32
    half_frame_seconds: float = 30.0
    half_frame_bytes: int = 64 * 1024 * 1024
    slow_reader_seconds: float = 30.0
    unread: int = 1024 * 1024
    unsent: int = 32 * 1024 * 1024
    unsent_by_all: int = 64 * 1024 * 1024
    subscriptions: int = 64
    linger_seconds: float = 1.0
    discarded: int = 4 * 1024 * 1024


class Host(Protocol):
    """What a connection needs of its server."""

    limits: Limits
    uid: int
    stopping: bool

    def joined(self, connection: Connection) -> bool: ...

    def left(self, connection: Connection) -> None: ...

    def run(self, connection: Connection, request: Request, size: int) -> Task | None: ...

    def held(self) -> int: ...

    def sent(self, connection: Connection, behind: bool) -> None: ...


class Connection(asyncio.Protocol):
    """From accept to close. `tasks` maps what runs for this client to whether it writes (then it outlives the client)."""

    def __init__(self, host: Host, gate: Gate) -> None:
        self._host = host
        self._gate = gate
        self._inbox = Inbox()
        self._loop = asyncio.get_running_loop()
        self._half: asyncio.TimerHandle | None = None
        self._slow: asyncio.TimerHandle | None = None
        self._deaf = False
        self._ended = False
        self._paused = False
        self._discarded = 0
        self._missed: dict[int, int] = {}
        self.transport: asyncio.Transport
        self.peer = Peer(-1)
        self.tasks: dict[Task, bool] = {}

    @property
    def held(self) -> int:
        return self._inbox.held

    @property
    def unsent(self) -> int:
        return self.transport.get_write_buffer_size()

    # what asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport
        transport.set_write_buffer_limits(high=self._host.limits.unread)
        found = peer(transport.get_extra_info("socket"))
        self.peer = Peer(*(found or (self._host.uid, 0)), self._gate)
        if not self._host.joined(self):
            self._hang_up(Fault(None, "busy", "too many connections: close some, or try again in a moment"))
        elif self.peer.uid != self._host.uid:
            self._hang_up(
                Fault(None, "permission_denied", "this daemon answers the user that runs it, and nobody else")
            )

    def data_received(self, data: bytes) -> None:
        if self._deaf:
            self._discarded += len(data)
            if self._discarded > self._host.limits.discarded:
                self.transport.abort()
            return
        self._inbox.feed(data)
        self._pump()

    def eof_received(self) -> bool:
        """A client that only sends no more still gets the answers it waits for; one that is gone waits for none."""
        self._ended = True
        return bool(self.tasks) and not gone(self.transport.get_extra_info("socket"))

    def connection_lost(self, error: Exception | None) -> None:
        self._deaf = True
        for timer in (self._half, self._slow):
            if timer is not None:
                timer.cancel()
        for task, writes in list(self.tasks.items()):
            if not writes:
                task.cancel()
        self._host.left(self)

    def pause_writing(self) -> None:
        self._slow = self._loop.call_later(self._host.limits.slow_reader_seconds, self.transport.abort)
        self._flow()

    def resume_writing(self) -> None:
        if self._slow is not None:
            self._slow.cancel()
            self._slow = None
        for sub in list(self._missed):
            self._tell_missed(sub)
        self._pump()

    # requests in

    def _pump(self) -> None:
        taken = False
        while not self._deaf and not self._full():
            body = self._inbox.take()
            if body is None:
                break
            taken = True
            if isinstance(body, Fault):
                self._hang_up(body)
            else:
                self._begin(body)
        self._flow()
        self._watch_half_frame(taken)

    def _begin(self, body: bytes) -> None:
        found = read_request(body)
        if isinstance(found, Fault):
            self._refuse(found)
        elif task := self._host.run(self, found, len(body)):
            task.add_done_callback(self._done)

    def _full(self) -> bool:
        return self._slow is not None or len(self.tasks) >= self._host.limits.per_connection

    def _done(self, task: Task) -> None:
        self.tasks.pop(task, None)
        if self.transport.is_closing():
            return
        self._pump()
        if self._ended and not self.tasks:
            self.transport.close()

    def _flow(self) -> None:
        """Reads on only while there is room to answer."""
        wanted = self._full() or self._host.stopping
        if wanted != self._paused and not self.transport.is_closing() and not self._deaf:
            self._paused = wanted
            (self.transport.pause_reading if wanted else self.transport.resume_reading)()

    def _watch_half_frame(self, taken: bool) -> None:
        waiting = bool(self._inbox.held) and not self._full() and not self._deaf
        if self._half is not None and (taken or not waiting):
            self._half.cancel()
            self._half = None
        if waiting and self._host.held() > self._host.limits.half_frame_bytes:
            self._hang_up(Fault(None, "busy", "too many unfinished frames: send this one again in a moment"))
        elif waiting and self._half is None:
            self._half = self._loop.call_later(self._host.limits.half_frame_seconds, self._too_slow)

    def _too_slow(self) -> None:
        seconds = self._host.limits.half_frame_seconds
        self._hang_up(Fault(None, "bad_frame", f"half a frame for {seconds:g} s: send frames whole"))

    # answers out

    def send(self, frame: bytearray) -> None:
        if self.transport.is_closing() or self._deaf:
            return
        behind = self.unsent > 0
        self.transport.write(frame)
        if self.unsent > self._host.limits.unsent:
            self.transport.abort()
        self._host.sent(self, behind)

    def push(self, name: str, sub: int, data: dict[str, Any]) -> None:
        """An event, unless this client does not keep up: then it is told how many it missed when it does."""
        if self._slow is not None:
            self._missed[sub] = self._missed.get(sub, 0) + 1
        else:
            self.send(event(name, sub, data))

    def _tell_missed(self, sub: int) -> None:
        missed = self._missed.pop(sub)
        hint = "ask memory.recent for what changed"
        self.send(event("problem", sub, {"code": "lagged", "missed": missed, "hint": hint}))

    def _refuse(self, fault: Fault) -> None:
        if fault.fatal:
            self._hang_up(fault)
        else:
            self.send(refusal(fault.id, fault.code, fault.message))

    def _hang_up(self, fault: Fault) -> None:
        """Answers, then closes; what still comes in is read and dropped, so that the answer is not lost with it."""
        if self._deaf or self.transport.is_closing():
            return
        self.send(refusal(fault.id, fault.code, fault.message))
        self._deaf = True
        if self._half is not None:
            self._half.cancel()
        if self._paused:
            self.transport.resume_reading()
        self.transport.write_eof()
        self._loop.call_later(self._host.limits.linger_seconds, self.transport.close)

    def stop(self) -> None:
        """No more requests: those read and not yet begun are told so; what runs is answered."""
        self._flow()
        while not self._deaf and isinstance(body := self._inbox.take(), bytes):
            found = read_request(body)
            if isinstance(found, Request):
                self.send(unavailable(found.id))


def unavailable(id: int | str) -> bytearray:
    stopping = Refused("unavailable", "the daemon is stopping: ask again in a moment")
    return refusal(id, stopping.code, stopping.message)
