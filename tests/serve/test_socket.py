"""The server over a real socket: any order, deadlines, slow and hostile clients, events, and a clean end."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest

from memd.serve import frames
from memd.serve.connection import Limits
from memd.serve.frames import Inbox, Reply, read_reply
from memd.serve.peers import Gate
from tests.fakes.daemon import FakeDaemon, daemon, refuse


class Caller:
    """A bare client."""

    def __init__(self, path: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(10)
        self.socket.connect(path)
        self.inbox = Inbox(frames.ANSWER_LIMIT)

    def send(self, id: int, method: str, params: dict[str, Any] | None = None, deadline_ms: int | None = None) -> None:
        self.socket.sendall(frames.request(id, method, params or {}, deadline_ms))

    def reply(self) -> Reply:
        while (body := self.inbox.take()) is None:
            data = self.socket.recv(1 << 18)
            if not data:
                raise EOFError
            self.inbox.feed(data)
        assert isinstance(body, bytes)
        found = read_reply(body)
        assert isinstance(found, Reply)
        return found

    def call(self, id: int, method: str, params: dict[str, Any] | None = None, deadline_ms: int | None = None) -> Reply:
        self.send(id, method, params, deadline_ms)
        return self.reply()

    def read_whole(self) -> bool:
        """Whether the answer that waits comes whole."""
        try:
            return self.reply().ok
        except (EOFError, ConnectionResetError):
            return False

    def closed(self) -> bool:
        """Whether the other side hangs up after what it has said."""
        try:
            return self.socket.recv(1) == b""
        except ConnectionResetError:
            return True


@pytest.fixture
def path(tmp_path: Any) -> str:
    return str(tmp_path / "s")


class Gates:
    """Handlers that wait until the test lets them go, by query."""

    def __init__(self) -> None:
        self._open: dict[str, threading.Event] = {}
        self.began: list[str] = []
        self.ended: list[str] = []

    def event(self, name: str) -> threading.Event:
        return self._open.setdefault(name, threading.Event())

    async def __call__(self, params: Any, peer: Any) -> dict[str, Any]:
        name = getattr(params, "query", "") or getattr(params, "title", "")
        self.began.append(name)
        while not self.event(name).is_set():  # noqa: ASYNC110  the test sets it from another thread
            await asyncio.sleep(0.002)
        self.ended.append(name)
        return {"name": name}


@pytest.fixture
def gates() -> Gates:
    return Gates()


@pytest.fixture
def held(path: str, gates: Gates) -> Iterator[FakeDaemon]:
    """A daemon whose searches and writes wait."""
    limits = Limits(in_flight=6, per_connection=4, reserve=0)
    with daemon(path, {"memory.search": gates, "memory.write": gates}, limits) as running:
        yield running


def until(holds: Any) -> None:
    """Waits for a state that another thread reaches."""
    for _ in range(2_000):
        if holds():
            return
        threading.Event().wait(0.005)
    raise AssertionError("it never came to pass")


def test_answers_come_in_the_order_they_are_ready(held: FakeDaemon, gates: Gates, path: str) -> None:
    """A quick request sent after a slow one is answered first, each with its id."""
    caller = Caller(path)
    caller.send(1, "memory.search", {"query": "slow"})
    caller.send(2, "hello")
    assert caller.reply().id == 2
    gates.event("slow").set()
    assert caller.reply().id == 1


def test_a_connection_at_its_cap_waits_and_loses_nothing(held: FakeDaemon, gates: Gates, path: str) -> None:
    """Of ten pipelined requests four run at once; the others wait their turn and all are answered."""
    caller = Caller(path)
    for n in range(10):
        caller.send(n, "memory.search", {"query": f"q{n}"})
    until(lambda: len(gates.began) == 4)
    assert Caller(path).call(1, "hello").ok
    assert len(gates.began) == 4
    for n in range(10):
        gates.event(f"q{n}").set()
    assert sorted(caller.reply().id for _ in range(10)) == list(range(10))


def test_too_much_at_once_is_busy(held: FakeDaemon, gates: Gates, path: str) -> None:
    """Over the whole daemon's cap a request is refused at once with `busy`, and others are still answered after."""
    first, second, third = Caller(path), Caller(path), Caller(path)
    for n in range(4):
        first.send(n, "memory.search", {"query": "a"})
    until(lambda: len(gates.began) == 4)
    for n in range(2):
        second.send(n, "memory.search", {"query": "a"})
    until(lambda: len(gates.began) == 6)
    assert third.call(1, "hello").error["code"] == "busy"
    gates.event("a").set()
    assert all(first.reply().ok for _ in range(4))
    assert third.call(2, "hello").ok


def test_requests_may_be_heavy_only_in_sum(path: str, gates: Gates) -> None:
    """What is in flight is bounded in bytes, too."""
    with daemon(path, {"memory.search": gates}, Limits(in_flight_bytes=1_000)):
        caller = Caller(path)
        caller.send(1, "memory.search", {"query": "x" * 900})
        assert caller.call(2, "memory.search", {"query": "y" * 900}).error["code"] == "busy"
        gates.event("x" * 900).set()
        assert caller.reply().ok


def test_a_read_past_its_deadline_is_given_up(held: FakeDaemon, gates: Gates, path: str) -> None:
    """The answer is `deadline_exceeded` and the work is cancelled."""
    reply = Caller(path).call(1, "memory.search", {"query": "never"}, deadline_ms=20)
    assert reply.error["code"] == "deadline_exceeded"
    until(lambda: held.server.in_flight == 0)
    assert gates.ended == []


def test_a_write_past_its_deadline_goes_on(held: FakeDaemon, gates: Gates, path: str) -> None:
    """The client is told, the write is finished."""
    reply = Caller(path).call(1, "memory.write", {"title": "late"}, deadline_ms=20)
    assert reply.error["code"] == "deadline_exceeded"
    gates.event("late").set()
    until(lambda: gates.ended == ["late"])


def test_a_client_that_leaves_ends_its_reads_and_not_its_writes(held: FakeDaemon, gates: Gates, path: str) -> None:
    """After a hang-up searches are cancelled; a write that has begun is finished."""
    caller = Caller(path)
    caller.send(1, "memory.search", {"query": "r"})
    caller.send(2, "memory.write", {"title": "w"})
    until(lambda: len(gates.began) == 2)
    caller.socket.close()
    until(lambda: held.server.in_flight == 1)
    gates.event("w").set()
    until(lambda: held.server.in_flight == 0)
    assert gates.ended == ["w"]


def test_a_client_that_sends_no_more_is_still_answered(held: FakeDaemon, gates: Gates, path: str) -> None:
    """A half-closed connection gets its answer, then it is closed."""
    caller = Caller(path)
    caller.send(1, "memory.search", {"query": "h"})
    caller.socket.shutdown(socket.SHUT_WR)
    until(lambda: gates.began == ["h"])
    gates.event("h").set()
    assert caller.reply().ok
    assert caller.closed()


def test_refusals_and_mistakes_are_answers(path: str, caplog: pytest.LogCaptureFixture) -> None:
    """A refusal keeps its code and data; anything else is `internal`, and the log holds no word of the note."""

    def broken(params: Any, peer: Any) -> dict[str, Any]:
        raise ValueError("the diary says: secret words")

    answers = {"memory.read": refuse("not_found", "no note 'x'", tried="x"), "memory.list": broken}
    with daemon(path, answers) as running, caplog.at_level(logging.DEBUG):
        caller = Caller(path)
        error = caller.call(1, "memory.read", {"id": "x"}).error
        assert error == {"code": "not_found", "message": "no note 'x'", "data": {"tried": "x"}}
        internal = caller.call(2, "memory.list").error
        assert internal["code"] == "internal"
        assert caller.call(3, "hello").ok
        until(lambda: len(running.codes) == 3)
    assert running.codes == [("memory.read", "not_found"), ("memory.list", "internal"), ("hello", "ok")]
    assert "ValueError at test_socket.py:" in caplog.text
    assert "secret words" not in caplog.text + internal["message"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xff\xff\xff\xff", "too_large"),
        (b"\x00\x00\x00\x03\xc1\xc1\xc1", "bad_frame"),
        (b"\x00\x00\x00\x00", "bad_frame"),
        (b"\x00\x00\x4e\x20" + b"\x91" * 20_000, "bad_frame"),
        (b"GET / HTTP/1.1\r\n" * 50, "too_large"),
        ((1_100_000).to_bytes(4, "big") + b"x" * 1_100_000, "too_large"),
    ],
)
def test_an_unreadable_frame_ends_that_connection_only(path: str, data: bytes, code: str) -> None:
    """The sender is told why and hung up on, even while it is still sending; another client notices nothing."""
    with daemon(path):
        other, caller = Caller(path), Caller(path)
        caller.socket.sendall(data)
        assert caller.reply().error["code"] == code
        assert caller.closed()
        assert other.call(1, "hello").ok


def test_requests_before_a_bad_frame_are_answered(path: str) -> None:
    """What was readable counts."""
    with daemon(path):
        caller = Caller(path)
        assert caller.call(1, "hello").ok
        caller.send(2, "status")
        assert caller.reply().id == 2
        caller.socket.sendall(b"\x00\x00\x00\x00")
        assert caller.reply().error["code"] == "bad_frame"


def test_half_a_frame_waits_only_so_long(path: str) -> None:
    """A header that is never finished is hung up on; an idle connection is not."""
    with daemon(path, limits=Limits(half_frame_seconds=0.1)):
        idle, half = Caller(path), Caller(path)
        half.socket.sendall(b"\x00\x00")
        assert half.reply().error["code"] == "bad_frame"
        assert half.closed()
        assert idle.call(1, "hello").ok


def test_half_frames_are_bounded_in_sum(path: str) -> None:
    """Many large frames that are never finished do not pin memory: the one that goes over is told `busy`."""
    with daemon(path, limits=Limits(half_frame_bytes=300_000)) as running:
        callers = [Caller(path) for _ in range(4)]
        for caller in callers[:3]:
            caller.socket.sendall((900_000).to_bytes(4, "big") + b"x" * 90_000)
        until(lambda: running.server.held() >= 3 * 90_000)
        callers[3].socket.sendall((900_000).to_bytes(4, "big") + b"x" * 90_000)
        assert callers[3].reply().error["code"] == "busy"
        assert Caller(path).call(1, "hello").ok


def test_idle_connections_are_cheap(path: str) -> None:
    """Hundreds of clients that say nothing or half a header cost nothing that others would notice."""
    with daemon(path) as running:
        idle = [Caller(path) for _ in range(400)]
        for caller in idle[::2]:
            caller.socket.sendall(b"\x00")
        caller = Caller(path)
        assert caller.call(1, "hello").ok
        until(lambda: running.server.held() == 200)
        assert running.server.connections == 401
        for caller in idle:
            caller.socket.close()


def test_connections_over_the_limit_are_busy(path: str) -> None:
    """The one too many is told and hung up on; when another leaves there is room."""
    with daemon(path, limits=Limits(connections=1)) as running:
        first, second = Caller(path), Caller(path)
        assert first.call(1, "hello").ok
        assert second.reply().error["code"] == "busy"
        assert second.closed()
        first.socket.close()
        second.socket.close()
        until(lambda: running.server.connections == 0)
        assert Caller(path).call(1, "hello").ok


def test_a_reader_that_does_not_read_is_slowed_and_dropped(path: str) -> None:
    """Answers that are not read stop the requests, and after a while the connection; memory stays bounded."""
    big = {"content": "x" * 1_000_000}
    limits = Limits(slow_reader_seconds=0.2, unsent=1 << 30, unsent_by_all=1 << 30)
    with daemon(path, {"memory.read": big}, limits) as running:
        caller = Caller(path)
        for n in range(40):
            caller.send(n, "memory.read", {"id": "x"})
        until(lambda: running.seen and running.server.connections == 0)
        assert len(running.seen) <= limits.per_connection + 1
        assert Caller(path).call(1, "hello").ok


def test_what_one_client_leaves_unread_is_bounded(path: str) -> None:
    """Over the limit it is hung up on at once, however patient the daemon is with those who read slowly."""
    with daemon(path, {"memory.read": {"content": "x" * 1_000_000}}, Limits(unsent=3_000_000)) as running:
        caller = Caller(path)
        for n in range(10):
            caller.send(n, "memory.read", {"id": "x"})
        until(lambda: running.seen and running.server.connections == 0)


def test_who_goes_on_after_a_fatal_fault_is_not_listened_to_for_ever(path: str) -> None:
    """What still comes in is dropped so that the refusal is read; who never stops is cut off."""
    with daemon(path, limits=Limits(discarded=200_000, linger_seconds=60)):
        caller = Caller(path)
        caller.socket.sendall(b"\xff\xff\xff\xff")
        assert caller.reply().error["code"] == "too_large"
        with pytest.raises(ConnectionError):
            caller.socket.sendall(b"x" * 10_000_000)


def test_room_is_kept_for_clients_of_whom_nothing_runs(path: str, gates: Gates) -> None:
    """Who fills the daemon is refused more; another's first request still runs, until the reserve is used up, too."""
    with daemon(path, {"memory.search": gates}, Limits(in_flight=2, per_connection=4, reserve=1)):
        greedy, modest, late = Caller(path), Caller(path), Caller(path)
        for n, name in enumerate(("one", "two")):
            greedy.send(n, "memory.search", {"query": name})
        until(lambda: gates.began == ["one", "two"])
        assert greedy.call(3, "memory.search", {"query": "three"}).error["code"] == "busy"
        modest.send(1, "memory.search", {"query": "four"})
        until(lambda: "four" in gates.began)
        assert late.call(1, "memory.search", {"query": "five"}).error["code"] == "busy"
        for name in ("one", "two", "four"):
            gates.event(name).set()
        assert modest.reply().ok


def test_all_answers_that_wait_are_bounded(path: str) -> None:
    """Many clients that read nothing hold no more than the limit together, however little each; who reads is answered."""
    limits, most, deaf = Limits(unsent_by_all=2_000_000), [0], []
    with daemon(path, {"memory.read": {"content": "x" * 700_000}}, limits) as running:
        observe = running.server._observe

        def watch(method: str, seconds: float, code: str) -> None:
            most.append(running.server.unsent())
            assert observe is not None
            observe(method, seconds, code)

        running.server._observe = watch
        for n in range(30):
            deaf.append(Caller(path))
            deaf[-1].send(n, "memory.read", {"id": "x"})
            until(lambda n=n: len(running.codes) > n)
        reader = Caller(path)
        assert [reader.call(n, "memory.read", {"id": "x"}).ok for n in range(5)] == [True] * 5
        assert 1_000_000 < max(most) <= limits.unsent_by_all
        until(lambda: running.server.connections < 8)
        assert not deaf[0].read_whole()
        assert deaf[-1].read_whole()


def test_another_user_is_refused(path: str) -> None:
    """A peer of another uid gets `permission_denied` and no more."""
    with daemon(path) as running:
        running.server.uid = os.geteuid() + 1
        caller = Caller(path)
        assert caller.reply().error["code"] == "permission_denied"
        assert caller.closed()
        assert running.seen == []


def test_events_go_to_those_who_subscribed(path: str) -> None:
    """By event, by the note's kind and by folder; after unsubscribe no more."""
    with daemon(path) as running:
        caller = Caller(path)
        everything = caller.call(1, "subscribe").result["sub"]
        removed = caller.call(2, "subscribe", {"kinds": ["removed"]}).result["sub"]
        leaves = caller.call(3, "subscribe", {"kinds": ["leaf"], "folder": "memory"}).result["sub"]
        running.publish("changed", {"path": "memory/x.md"}, path="memory/x.md", kind="leaf")
        running.publish("removed", {"path": "a.md"}, path="a.md", kind="note")
        seen = [caller.reply() for _ in range(4)]
        assert [(reply.event, reply.sub) for reply in seen] == [
            ("changed", everything),
            ("changed", leaves),
            ("removed", everything),
            ("removed", removed),
        ]
        assert caller.call(4, "unsubscribe", {"sub": everything}).ok
        assert caller.call(5, "unsubscribe", {"sub": everything}).error["code"] == "not_found"
        running.publish("changed", {"path": "a.md"}, path="a.md", kind="note")
        assert caller.call(6, "hello").id == 6


def test_subscriptions_are_one_s_own_and_bounded(path: str) -> None:
    """Another connection cannot end them, and nobody has more than the limit."""
    with daemon(path, limits=Limits(subscriptions=2)):
        mine, other = Caller(path), Caller(path)
        subs = [mine.call(n, "subscribe").result["sub"] for n in range(2)]
        assert mine.call(2, "subscribe").error["code"] == "busy"
        assert other.call(1, "unsubscribe", {"sub": subs[0]}).error["code"] == "not_found"
        assert mine.call(3, "unsubscribe", {"sub": subs[0]}).ok
        assert mine.call(4, "subscribe").ok


def test_events_keep_to_what_a_socket_may_see(path: str) -> None:
    """Sensitive notes and other folders are not announced on a socket with fewer rights."""
    with daemon(path, gate=Gate(frozenset({"read"}), sensitive=False, folder="work")) as running:
        caller = Caller(path)
        caller.call(1, "subscribe")
        running.publish("changed", {"path": "home/a.md"}, path="home/a.md")
        running.publish("changed", {"path": "work/b.md"}, path="work/b.md", sensitive=True)
        running.publish("changed", {"path": "work/c.md"}, path="work/c.md")
        running.publish("index", {"pending": 0})
        assert caller.reply().data == {"path": "work/c.md"}
        assert caller.reply().event == "index"


def test_a_subscriber_that_falls_behind_is_told(path: str) -> None:
    """Events are dropped rather than kept without bound; when it reads again it hears how many it missed."""
    with daemon(path, limits=Limits(unread=100_000)) as running:
        caller = Caller(path)
        sub = caller.call(1, "subscribe").result["sub"]
        for n in range(2_000):
            running.soon(running.server.publish, "changed", {"n": n, "pad": "x" * 1_000})
        assert running.server.unsent() < 200_000
        names = []
        while not names or names[-1] != "problem":
            reply = caller.reply()
            assert reply.sub == sub
            names.append(reply.event)
        assert reply.data["code"] == "lagged"
        assert reply.data["missed"] == 2_000 - (len(names) - 1)


def test_the_end_answers_what_is_in_flight(path: str, gates: Gates) -> None:
    """After stop, what runs is answered, what had not begun is `unavailable`, and the socket file is gone."""
    running = FakeDaemon(path, {"memory.search": gates}, Limits(per_connection=2)).start()
    caller = Caller(path)
    caller.socket.sendall(b"".join(frames.request(n, "memory.search", {"query": "e"}, None) for n in range(3)))
    until(lambda: len(gates.began) == 2)
    ending = threading.Thread(target=running.stop)
    ending.start()
    refused = caller.reply()
    assert (refused.id, refused.error["code"]) == (2, "unavailable")
    gates.event("e").set()
    assert sorted(caller.reply().id for _ in range(2)) == [0, 1]
    assert caller.closed()
    ending.join(10)
    assert not os.path.exists(path)


def test_the_end_removes_only_its_own_socket(path: str) -> None:
    """A file that another daemon has put there stays."""
    with daemon(path):
        os.unlink(path)
        other = socket.socket(socket.AF_UNIX)
        other.bind(path)
    assert os.path.exists(path)


def test_idleness_is_known(path: str, gates: Gates) -> None:
    """While something runs or somebody is subscribed the daemon is not idle."""
    with daemon(path, {"memory.search": gates}) as running:
        assert running.server.idle_since() is not None
        caller = Caller(path)
        caller.send(1, "memory.search", {"query": "i"})
        until(lambda: gates.began == ["i"])
        assert running.server.idle_since() is None
        gates.event("i").set()
        caller.reply()
        caller.call(2, "subscribe")
        assert running.server.idle_since() is None
        caller.socket.close()
        until(lambda: running.server.idle_since() is not None)


def test_duplicate_ids_are_answered_twice(path: str) -> None:
    """An id is the client's own affair."""
    with daemon(path):
        caller = Caller(path)
        caller.send(5, "hello")
        caller.send(5, "hello")
        assert [caller.reply().id, caller.reply().id] == [5, 5]


def test_random_bytes_never_stop_the_daemon(path: str) -> None:
    """Hundreds of connections' worth of noise, then a hello."""
    import random

    noise = random.Random(7)
    with daemon(path):
        for _ in range(300):
            caller = Caller(path)
            body = noise.randbytes(noise.randrange(1, 80))
            good = msgspec.msgpack.encode({"v": 1, "id": 1, "method": "status", "params": {noise.choice("abc"): 1}})
            data = noise.choice((body, len(body).to_bytes(4, "big") + body, len(good).to_bytes(4, "big") + good))
            caller.socket.sendall(data)
            caller.socket.close()
        assert Caller(path).call(1, "hello").ok
