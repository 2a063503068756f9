"""Frames without I/O: what strangers send becomes requests or faults, and what memd answers is always readable."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.serve import frames
from memd.serve.frames import Fault, Inbox, Request, read_reply, read_request

pack = msgspec.msgpack.encode
unpack = msgspec.msgpack.decode


def framed(body: bytes) -> bytes:
    return len(body).to_bytes(4, "big") + body


def take_all(inbox: Inbox) -> list[bytes | Fault]:
    found: list[bytes | Fault] = []
    while (body := inbox.take()) is not None:
        found.append(body)
        if isinstance(body, Fault):
            break
    return found


@given(st.lists(st.binary(min_size=1, max_size=200), max_size=8), st.lists(st.integers(1, 60), max_size=40))
def test_bodies_come_out_whole_however_they_are_cut(bodies: list[bytes], cuts: list[int]) -> None:
    """A stream cut at any places gives the same bodies."""
    stream = b"".join(map(framed, bodies))
    inbox, found = Inbox(), []
    for size in [*cuts, len(stream)]:
        inbox.feed(stream[:size])
        stream = stream[size:]
        found += take_all(inbox)
    assert found == bodies
    assert inbox.held == 0


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xff\xff\xff", "too_large"),
        (b"\x00\x00\x00\x00", "bad_frame"),
        (b"GET / HTTP/1.1\r\n", "too_large"),
        ((frames.REQUEST_LIMIT + 1).to_bytes(4, "big"), "too_large"),
    ],
)
def test_a_header_that_cannot_be_a_frame_ends_the_stream(data: bytes, code: str) -> None:
    """A length of nothing or over the limit is a fatal fault, nothing is kept, and nothing is read after it."""
    inbox = Inbox()
    inbox.feed(data)
    fault = inbox.take()
    assert isinstance(fault, Fault)
    assert (fault.code, fault.fatal) == (code, True)
    inbox.feed(framed(b"\x80"))
    assert inbox.take() is fault
    assert inbox.held == 0


def test_the_largest_frame_is_read() -> None:
    """A body of exactly the limit comes out."""
    inbox = Inbox()
    inbox.feed(framed(b"x" * frames.REQUEST_LIMIT))
    assert inbox.take() == b"x" * frames.REQUEST_LIMIT


@given(st.binary(max_size=400))
def test_any_bytes_are_a_request_or_a_fault(body: bytes) -> None:
    """Reading never raises."""
    assert isinstance(read_request(body), Request | Fault)


WORDS = st.text("ab é猫\U0001f600\0", max_size=9)
NESTED = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | WORDS | st.binary(max_size=9),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(WORDS, inner, max_size=4),
    max_leaves=20,
)


@given(st.dictionaries(st.sampled_from(["v", "id", "method", "params", "deadline_ms", "x"]), NESTED))
def test_any_map_is_a_request_or_a_fault(envelope: dict[str, object]) -> None:
    """Wrong types in the envelope's fields never raise."""
    assert isinstance(read_request(pack(envelope)), Request | Fault)


@pytest.mark.parametrize(
    "body",
    [
        pytest.param(b"\xc1\xc1\xc1", id="never used byte"),
        pytest.param(b"\x91" * 20_000, id="depth bomb"),
        pytest.param(b"\x81\xa1v" * 20_000, id="depth bomb of maps"),
        pytest.param(b"\x93\x01\x02\x03", id="not a map"),
        pytest.param(b"\x81\xa1\xff", id="truncated"),
        pytest.param(b"\xdf\xff\xff\xff\xff", id="map of 4 G entries"),
        pytest.param(b"\xdd\xff\xff\xff\xff\x00", id="array of 4 G entries"),
        pytest.param(b"\xc7\x04\x05abcd", id="ext type"),
        pytest.param(b"\x84\xa1v\x01\xa2id\x01\xa6method\xa1\xff\xa6params\x80", id="text that is not UTF-8"),
        pytest.param(pack({"v": 1, "id": 1, "method": "status"}) + b"\x01", id="bytes after the map"),
        pytest.param(pack({"v": 1, "method": "status"}), id="no id"),
        pytest.param(pack({"v": 1, "id": None, "method": "status"}), id="id of another type"),
        pytest.param(pack({"v": 1, "id": "x" * 1000, "method": "status"}), id="id of a thousand characters"),
    ],
)
def test_what_cannot_be_read_is_a_bad_frame(body: bytes) -> None:
    """An unreadable frame, or one whose answer could not find its request, is fatal."""
    fault = read_request(body)
    assert isinstance(fault, Fault)
    assert (fault.code, fault.fatal) == ("bad_frame", True)


def test_a_depth_bomb_in_the_params_does_not_raise() -> None:
    """Params nested too deep to skip are a bad frame."""
    head = b"\x84\xa1v\x01\xa2id\x01\xa6method\xa6status\xa6params"
    assert isinstance(read_request(head + b"\x91" * 20_000), Fault)


def test_another_version_is_said_even_when_its_envelope_is_unknown() -> None:
    """A newer envelope gets `unsupported_version` with its id, and the connection stays."""
    fault = read_request(pack({"v": 2, "id": "a", "call": "status"}))
    assert fault == Fault("a", "unsupported_version", fault.message, fatal=False)


@pytest.mark.parametrize(
    "extra", [{"x": 1}, {"deadline_ms": 0}, {"deadline_ms": "soon"}, {"method": 3}, {"method": "m" * 200}]
)
def test_an_envelope_that_does_not_fit_is_answered_and_the_connection_stays(extra: dict[str, object]) -> None:
    """Unknown and wrong fields beside a readable id are `invalid_params` that names the field."""
    fault = read_request(pack({"v": 1, "id": 7, "method": "status"} | extra))
    assert isinstance(fault, Fault)
    assert (fault.id, fault.code, fault.fatal) == (7, "invalid_params", False)
    assert next(iter(extra)) in fault.message


def test_requests_and_answers_read_as_written() -> None:
    """What one side writes the other reads."""
    frame = frames.request(3, "memory.search", {"query": "猫"}, 500)
    found = read_request(frame[4:])
    assert isinstance(found, Request)
    assert (found.id, found.method, unpack(found.params), found.deadline_ms) == (
        3,
        "memory.search",
        {"query": "猫"},
        500,
    )
    reply = read_reply(frames.answer(3, {"hits": []})[4:])
    assert (reply.id, reply.ok, reply.result) == (3, True, {"hits": []})
    reply = read_reply(frames.refusal(3, "not_found", "no", {"a": 1})[4:])
    assert (reply.ok, reply.error) == (False, {"code": "not_found", "message": "no", "data": {"a": 1}})
    reply = read_reply(frames.event("changed", 2, {"path": "a.md"})[4:])
    assert (reply.event, reply.sub, reply.data) == ("changed", 2, {"path": "a.md"})


def test_a_request_over_the_limit_is_not_written() -> None:
    """The client learns before it sends."""
    with pytest.raises(ValueError, match="several calls"):
        frames.request(1, "memory.write", {"body": "x" * frames.REQUEST_LIMIT})


def test_an_answer_over_the_limit_becomes_a_refusal() -> None:
    """The client gets `too_large` and what to do instead."""
    reply = read_reply(frames.answer(1, {"content": "x" * (frames.ANSWER_LIMIT + 1)})[4:])
    assert (reply.ok, reply.error["code"]) == (False, "too_large")


def test_names_that_are_not_utf8_are_percent_escaped() -> None:
    """A file name's stray bytes travel as %XX, keys included; lone surrogates are replaced."""
    reply = read_reply(frames.answer(1, {"path": "caf\udce9.md", "by": {"\udcff": 1}, "x": "\ud800"})[4:])
    assert reply.result == {"path": "caf%E9.md", "by": {"%FF": 1}, "x": "\ufffd"}


@given(NESTED)
def test_every_answer_is_readable(value: object) -> None:
    """Whatever a user's frontmatter holds, the answer is one frame that decodes."""
    frame = frames.answer(1, {"frontmatter": value, "odd": [2**80, "\udc80"]})
    assert int.from_bytes(frame[:4], "big") == len(frame) - 4
    assert read_reply(frame[4:]).result["odd"] == [str(2**80), "%80"]


def test_an_answer_nested_too_deep_is_cut() -> None:
    """A value 5,000 deep is answered without its depths."""
    deep: list[object] = []
    for _ in range(5_000):
        deep = [deep]
    assert read_reply(frames.answer(1, {"deep": deep})[4:]).ok


@given(st.binary(max_size=200))
def test_a_client_reads_any_bytes_without_raising(body: bytes) -> None:
    """An answer that cannot be read is a fault."""
    found = read_reply(body)
    assert isinstance(found, Fault | frames.Reply)
