"""Bytes to requests and back: 4-byte big-endian length, then one MessagePack map (contract, "Socket").

Sans-I/O: knows framing, the envelope and its limits. Never knows sockets, clocks, or what a method's params mean.
Whatever a stranger sends becomes a value: a request, or a `Fault` that says what to answer and whether to hang up.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta, Raw, Struct

VERSION = 1
REQUEST_LIMIT = 1024 * 1024
ANSWER_LIMIT = 16 * 1024 * 1024
DEPTH_LIMIT = 64
"""How deep a value in an answer may nest; a user's frontmatter may be deeper, what is below is left out."""

Id = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)] | Annotated[str, Meta(max_length=128)]
Bytes = bytes | bytearray


class Request(Struct, frozen=True):
    """A readable request of this protocol version; `params` is still MessagePack, for the method's own type."""

    id: int | str
    method: str
    params: Raw
    deadline_ms: int | None = None


class Fault(Struct, frozen=True):
    """What to answer to bytes that are no request. `fatal`: the stream cannot be read further, hang up after answering."""

    id: int | str | None
    code: str
    message: str
    fatal: bool = True


class Reply(Struct, frozen=True):
    """What a client reads: an answer (`id`, `ok`, `result` or `error`) or an event (`event`, `sub`, `data`)."""

    id: int | str | None = None
    ok: bool = False
    result: dict[str, Any] = {}
    error: dict[str, Any] = {}
    event: str = ""
    sub: int = 0
    data: dict[str, Any] = {}


class _Envelope(Struct, forbid_unknown_fields=True):
    v: int
    id: Id
    method: Annotated[str, Meta(max_length=128)]
    params: Raw = Raw(b"\x80")
    deadline_ms: Annotated[int, Meta(ge=1, le=86_400_000)] | None = None


class _Head(Struct):
    """What must be readable of any version's envelope, so that the answer finds its request."""

    v: int
    id: Id


_envelope = msgspec.msgpack.Decoder(_Envelope)
_head = msgspec.msgpack.Decoder(_Head)
_reply = msgspec.msgpack.Decoder(Reply)
_encoder = msgspec.msgpack.Encoder()

UNREADABLE = (msgspec.DecodeError, RecursionError, UnicodeDecodeError)
"""Everything that decoding a stranger's MessagePack raises."""


class Inbox:
    """A stream's bytes in, whole frame bodies out. After a fatal `Fault` it answers only that fault."""

    __slots__ = ("_buffer", "_fault", "_limit")

    def __init__(self, limit: int = REQUEST_LIMIT) -> None:
        self._buffer = bytearray()
        self._fault: Fault | None = None
        self._limit = limit

    @property
    def held(self) -> int:
        """Bytes that wait for the rest of their frame, or to be taken."""
        return len(self._buffer)

    def feed(self, data: Bytes) -> None:
        if self._fault is None:
            self._buffer += data

    def take(self) -> bytes | Fault | None:
        """The next body; None while it is incomplete."""
        if self._fault is not None:
            return self._fault
        if len(self._buffer) < 4:
            return None
        size = int.from_bytes(self._buffer[:4], "big")
        if size == 0 or size > self._limit:
            return self._break(size)
        if len(self._buffer) < 4 + size:
            return None
        body = bytes(memoryview(self._buffer)[4 : 4 + size])
        del self._buffer[: 4 + size]
        return body

    def _break(self, size: int) -> Fault:
        if size:
            message = (
                f"a frame is at most {self._limit} bytes, this one claims {size}: send larger material in several calls"
            )
            self._fault = Fault(None, "too_large", message)
        else:
            self._fault = Fault(None, "bad_frame", "an empty frame: after 4 bytes of length comes one MessagePack map")
        self._buffer.clear()
        return self._fault


def read_request(body: Bytes) -> Request | Fault:
    """A frame's body as a request of this version, or why it is none."""
    try:
        found = _envelope.decode(body)
    except msgspec.ValidationError as error:
        return _misfit(body, str(error))
    except UNREADABLE:
        return Fault(None, "bad_frame", "the frame is not one MessagePack map: send 4 bytes of length, then the map")
    if found.v != VERSION:
        return _other_version(found.id)
    return Request(found.id, found.method, found.params, found.deadline_ms)


def _misfit(body: Bytes, why: str) -> Fault:
    try:
        head = _head.decode(body)
    except UNREADABLE:
        return Fault(None, "bad_frame", 'a request is a map {"v": 1, "id": …, "method": …, "params": {…}}')
    if head.v != VERSION:
        return _other_version(head.id)
    return Fault(head.id, "invalid_params", f"the request's envelope: {shortened(why)}", fatal=False)


def _other_version(id: int | str) -> Fault:
    return Fault(id, "unsupported_version", f'this daemon speaks version {VERSION}: send "v": {VERSION}', fatal=False)


def read_reply(body: Bytes) -> Reply | Fault:
    """A frame's body as a client reads it."""
    try:
        return _reply.decode(body)
    except UNREADABLE:
        return Fault(None, "bad_frame", "the answer is not one that this client reads: are both memd of one version?")


def request(id: int | str, method: str, params: dict[str, Any], deadline_ms: int | None = None) -> bytearray:
    """A request as bytes. Raises ValueError where it is larger than a request may be."""
    envelope = {"v": VERSION, "id": id, "method": method, "params": params}
    if deadline_ms is not None:
        envelope["deadline_ms"] = deadline_ms
    frame = _framed(envelope)
    if len(frame) - 4 > REQUEST_LIMIT:
        raise ValueError(f"a request is at most {REQUEST_LIMIT} bytes: send larger material in several calls")
    return frame


def answer(id: int | str, result: dict[str, Any]) -> bytearray:
    """A result as bytes; a result over the limit becomes the refusal `too_large`."""
    frame = _framed({"id": id, "ok": True, "result": result})
    if len(frame) - 4 > ANSWER_LIMIT:
        message = f"the answer is over {ANSWER_LIMIT} bytes: ask for less at once (limit, max_bytes, cursor)"
        return refusal(id, "too_large", message)
    return frame


def refusal(id: int | str | None, code: str, message: str, data: dict[str, Any] | None = None) -> bytearray:
    error: dict[str, Any] = {"code": code, "message": message}
    if data:
        error["data"] = data
    return _framed({"id": id, "ok": False, "error": error})


def event(name: str, sub: int, data: dict[str, Any]) -> bytearray:
    return _framed({"event": name, "sub": sub, "data": data})


def _framed(value: dict[str, Any]) -> bytearray:
    frame = bytearray(4)
    try:
        _encoder.encode_into(value, frame, 4)
    except (UnicodeEncodeError, OverflowError, RecursionError):
        frame = bytearray(4)
        _encoder.encode_into(plain(value), frame, 4)
    frame[:4] = (len(frame) - 4).to_bytes(4, "big")
    return frame


def plain(value: Any, depth: int = 0) -> Any:
    """The value as the wire carries it: bytes that are not UTF-8 percent-escaped, integers in 64 bits, depth bounded."""
    if depth > DEPTH_LIMIT:
        return None
    if isinstance(value, str):
        return escaped(value)
    if isinstance(value, dict):
        return {plain(key, depth + 1): plain(item, depth + 1) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item, depth + 1) for item in value]
    if isinstance(value, int) and not -(2**63) <= value < 2**64:
        return str(value)
    if isinstance(value, Struct):
        return plain({name: getattr(value, name) for name in value.__struct_fields__}, depth)
    return value


def escaped(text: str) -> str:
    """`os.fsdecode` text with each byte that is not UTF-8 as `%XX` (contract, first paragraph)."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join(f"%{ord(c) - 0xDC00:02X}" if 0xDC80 <= ord(c) <= 0xDCFF else _valid(c) for c in text)
    return text


def _valid(character: str) -> str:
    return "\ufffd" if 0xD800 <= ord(character) <= 0xDFFF else character


def shortened(text: str, limit: int = 200) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"
