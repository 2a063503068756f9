"""The embedding process: `python -m memd.index.worker NICE IDLE`, fed through its stdin, answering on its stdout.

Knows one model at a time and the messages below. A frame is a 4-byte big-endian length and one MessagePack value. It
leaves when its stdin closes (the daemon is gone) or after IDLE seconds without work. It opens no network and no vault.
"""

from __future__ import annotations

import os
import select
import struct
import sys
from collections.abc import Callable, Sequence
from typing import IO, Protocol

import msgspec
from msgspec import Struct

from memd.index.models import Choice, Unavailable
from memd.index.port import Embedder

FRAME_LIMIT = 64 * 1024 * 1024


class Source(Protocol):
    """`read(n)` gives n bytes, fewer only at the end."""

    def read(self, size: int, /) -> bytes: ...

    def fileno(self) -> int: ...


class Load(Struct, frozen=True, tag="load"):
    choice: Choice
    threads: int = 0


class Embed(Struct, frozen=True, tag="embed"):
    texts: tuple[str, ...]
    query: bool = False


class Loaded(Struct, frozen=True, tag="loaded"):
    name: str
    dim: int


class Rows(Struct, frozen=True, tag="rows"):
    """One row a text: little-endian float32, None where the model cannot read the text."""

    rows: tuple[bytes | None, ...]


class Failed(Struct, frozen=True, tag="failed"):
    reason: str


Request = Load | Embed
Reply = Loaded | Rows | Failed


def send(pipe: IO[bytes], message: Request | Reply) -> None:
    data = msgspec.msgpack.encode(message)
    pipe.write(struct.pack(">I", len(data)) + data)
    pipe.flush()


def receive(pipe: Source) -> bytes | None:
    """The next frame's value; None at the end of the stream, in the middle of a frame, or for an absurd length."""
    head = pipe.read(4)
    if len(head) < 4:
        return None
    (size,) = struct.unpack(">I", head)
    data = pipe.read(size) if size <= FRAME_LIMIT else b""
    return data if len(data) == size else None


def pack(row: Sequence[float]) -> bytes:
    return struct.pack(f"<{len(row)}f", *row)


def unpack(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 4}f", data))


def serve(stdin: Source, stdout: IO[bytes], load: Callable[[Choice, int], Embedder], idle: float) -> None:
    """Answers one request after another until the stream ends or nothing comes for `idle` seconds."""
    embedder: Embedder | None = None
    decoder = msgspec.msgpack.Decoder(Request)
    while _comes(stdin, idle) and (data := receive(stdin)) is not None:
        request = decoder.decode(data)
        try:
            if isinstance(request, Load):
                embedder = load(request.choice, request.threads)
                send(stdout, Loaded(embedder.name, embedder.dim))
            elif embedder is None:
                send(stdout, Failed("No model is loaded."))
            else:
                rows = embedder.embed(request.texts, query=request.query)
                send(stdout, Rows(tuple(None if row is None else pack(row) for row in rows)))
        except Unavailable as why:
            send(stdout, Failed(str(why)))


def _comes(stdin: Source, idle: float) -> bool:
    return bool(select.select([stdin], [], [], idle)[0])


def main(arguments: list[str]) -> None:
    nice, idle = int(arguments[0]), float(arguments[1])
    os.nice(nice)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints must not stand between two frames
    from memd.index.embed import OnnxEmbedder

    stdin = os.fdopen(os.dup(0), "rb", buffering=0)
    try:
        serve(Whole(stdin), answers, OnnxEmbedder, idle)
    except BrokenPipeError:
        os._exit(0)  # the daemon is gone; nobody is left to tell


class Whole:
    """An unbuffered pipe whose `read(n)` reads on until n bytes or the end: `select` then tells the truth about it."""

    def __init__(self, raw: IO[bytes]) -> None:
        self._raw = raw

    def fileno(self) -> int:
        return self._raw.fileno()

    def read(self, size: int, /) -> bytes:
        data = bytearray()
        while len(data) < size and (piece := self._raw.read(size - len(data))):
            data += piece
        return bytes(data)


if __name__ == "__main__":
    main(sys.argv[1:])
