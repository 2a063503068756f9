"""An embedder that lives in a process of its own: the daemon never loads a model, so no request waits for one.

Knows how to start `memd.index.worker`, talk to it, and end it. A crash, a hang and a damaged frame are all `Unavailable`;
the next call starts a new process. A process that left because it was idle is started again without a word.
"""

from __future__ import annotations

import os
import select
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from typing import IO

import msgspec

from memd.index.models import Choice, Crashed, Unavailable
from memd.index.worker import Embed, Failed, Load, Loaded, Reply, Request, Rows, Whole, receive, send, unpack

BULK_NICE = 19
BULK_IDLE = 20.0
QUERY_IDLE = 3600.0 * 24
LOAD_SECONDS = 120.0
EMBED_SECONDS = 300.0


_REPLIES: msgspec.msgpack.Decoder[Reply] = msgspec.msgpack.Decoder(Reply)


class Child:
    """An `Embedder` (port); one call at a time (a lock sees to it). `name` is the choice's; `dim` 0 until loaded."""

    def __init__(self, choice: Choice, threads: int = 0, nice: int = 0, idle: float = QUERY_IDLE) -> None:
        self._choice = choice
        self._threads = threads
        self._nice = nice
        self._idle = idle
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()
        self._closed = False
        self.name = choice.name
        self.dim = choice.dim

    def load(self) -> None:
        """Starts the process and loads the model, where that has not been done. Raises Unavailable."""
        with self._lock:
            self._running()

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Sequence[float] | None]:
        with self._lock:
            reply = self._ask(Embed(tuple(texts), query), EMBED_SECONDS)
            if not isinstance(reply, Rows) or len(reply.rows) != len(texts):
                self._end()
                raise Unavailable("The embedding process answered something else than it was asked.")
            return [None if row is None else unpack(row) for row in reply.rows]

    def close(self) -> None:
        """Ends the process, also in the middle of a batch; the caller of that batch gets Unavailable."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        with self._lock:
            self._end()

    @property
    def pid(self) -> int | None:
        process = self._process
        return process.pid if process is not None and process.poll() is None else None

    def _ask(self, request: Request, seconds: float) -> Reply:
        process = self._running()
        return self._exchange(process, request, seconds)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._closed:
            raise Unavailable("The embedding process was closed.")
        process = self._process
        if process is not None and process.poll() is None:
            return process
        self._end()
        try:
            process = self._process = _start(self._nice, self._idle)
        except OSError as error:
            raise Unavailable(f"The embedding process cannot be started: {error.strerror}.") from error
        reply = self._exchange(process, Load(self._choice, self._threads), LOAD_SECONDS)
        if not isinstance(reply, Loaded):
            self._end()
            raise Unavailable("The embedding process did not load its model.")
        self.dim = reply.dim
        return process

    def _exchange(self, process: subprocess.Popen[bytes], request: Request, seconds: float) -> Reply:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            send(process.stdin, request)
            data = receive(Timed(process.stdout, time.monotonic() + seconds))
        except OSError:
            data = None
        if data is None:
            self._end()
            raise Crashed("The embedding process ended or did not answer in time.")
        try:
            reply = _REPLIES.decode(data)
        except msgspec.DecodeError as error:
            self._end()
            raise Unavailable("The embedding process sent a frame that cannot be read.") from error
        if isinstance(reply, Failed):
            raise Unavailable(reply.reason)
        return reply

    def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:
                continue  # what was still buffered for a dead process


class Timed(Whole):
    """A pipe that reads until a moment (monotonic seconds), then says that the stream has ended."""

    def __init__(self, raw: IO[bytes], until: float) -> None:
        super().__init__(raw)
        self._until = until

    def read(self, size: int, /) -> bytes:
        data = bytearray()
        while len(data) < size:
            left = self._until - time.monotonic()
            if left <= 0 or not select.select([self._raw], [], [], left)[0]:
                return b""
            piece = self._raw.read(size - len(data))
            if not piece:
                break
            data += piece
        return bytes(data)


def _start(nice: int, idle: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "memd.index.worker", str(nice), str(idle)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        bufsize=0,
        env={**os.environ, "TOKENIZERS_PARALLELISM": "true", "HF_HUB_OFFLINE": "1"},
    )
