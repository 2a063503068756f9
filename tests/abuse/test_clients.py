"""Clients that mean harm: whatever they send, the daemon lives, answers others in time, and its memory stays bounded.

`MEMD_FRAMES=100000` asks for more frames than each run makes.
"""

from __future__ import annotations

import os
import random
import resource
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from memd.bridge.client import Client
from memd.model.errors import Refused
from memd.serve import frames
from tests.fakes.abuse import Figures
from tests.fakes.disk import let_others_in
from tests.fakes.home import Home

FRAMES = int(os.environ.get("MEMD_FRAMES", "3000"))
SEED = int(os.environ.get("MEMD_SEED", "1"))
METHODS = [
    "memory.search",
    "memory.read",
    "memory.list",
    "hello",
    "status",
    "memory.context",
    "memory.write",
    "nonsense",
]
PATIENCE_MS = 12_000.0


def connect(home: Home, timeout: float = 60.0) -> socket.socket:
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(timeout)
    while True:
        try:
            made.connect(home.socket)
            return made
        except BlockingIOError:
            time.sleep(0.01)


def resident(home: Home, which: str = "VmRSS") -> float:
    """Megabytes of memory that the daemon holds, or (`VmHWM`) has held at most."""
    assert home.process is not None
    with open(f"/proc/{home.process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(which)) / 1024


def asked_in(home: Home) -> float:
    """Milliseconds until another client's search is answered."""
    began = time.monotonic()
    with Client(home.socket, 30) as client:
        client.call("memory.search", {"query": "heron", "mode": "text"})
    return (time.monotonic() - began) * 1000


def vault(home: Home, count: int = 200) -> Home:
    for n in range(count):
        home.write(
            f"{n % 7}/{n}.md", f"# Note {n}\n\nheron weir 苍鹭 {'river ' * (n % 40)}\n\n- [fact] lantern {n} #birds\n"
        )
    return home.start().settled()


# frames ----------------------------------------------------------------------------------------------------------------


def value(chance: random.Random, depth: int = 0) -> Any:
    """Something that MessagePack can say, fit or unfit."""
    kinds: list[Callable[[], Any]] = [
        lambda: None,
        lambda: chance.choice((True, False)),
        lambda: chance.choice((-1, 0, 2**31, 2**63 - 1, -(2**63), 2**64 - 1)),
        lambda: chance.choice((float("nan"), float("inf"), -1e308, 0.5)),
        lambda: chance.choice(
            ("", "a" * chance.randrange(3000), "../../etc/passwd", "memory://x", "\x00", "苍鹭", "*")
        ),
        lambda: os.urandom(8),
        lambda: msgspec.msgpack.Ext(chance.randrange(-128, 128), b"x" * chance.randrange(40)),
    ]
    if depth < 4:
        kinds.append(lambda: [value(chance, depth + 1) for _ in range(chance.randrange(5))])
        kinds.append(lambda: {str(n): value(chance, depth + 1) for n in range(chance.randrange(5))})
    return chance.choice(kinds)()


PARAMS = (
    "query permalink path limit cursor where tags kinds since mode title body text folder depth find replace".split()
)


def body(chance: random.Random) -> bytes:
    """A request that may be anything from right to hopeless."""
    request: dict[Any, Any] = {"v": 1, "id": chance.randrange(3), "method": chance.choice(METHODS)}
    request["params"] = {chance.choice(PARAMS): value(chance) for _ in range(chance.randrange(4))} | {"dry_run": True}
    if chance.random() < 0.5:
        request["params"].pop("dry_run")
        request["method"] = chance.choice(METHODS[:6])
    for _ in range(chance.choice((0, 0, 0, 1, 2))):
        request[chance.choice(("v", "id", "method", "params", "deadline_ms", "more", 7))] = value(chance)
    data = bytearray(msgspec.msgpack.encode(request))
    for _ in range(chance.choice((0, 0, 1, 5))):
        data[chance.randrange(len(data))] = chance.randrange(256)
    return bytes(data[: chance.randrange(1, len(data) + 1)] if chance.random() < 0.1 else data)


BOMBS = [
    b"\x81\xa1v" * 2000,
    b"\x91" * 100_000,
    b"\xdd\xff\xff\xff\xff",
    b"\xdf\xff\xff\xff\xff\x01",
    b"\xc6\xff\xff\xff\xff",
    b"\x85\xa1v\x01\xa2id\x01\xa6method\xa5hello\xa6params" + b"\x81\xa1x" * 5000 + b"\xc0\xa1v\x01",
    b"\xc7\xff\x01" + b"x" * 255,
    b"\x80" * 500_000,
]


def outcome(home: Home, data: bytes) -> str:
    """The code of the answer to these bytes on a connection of their own; `closed` where it was hung up on."""
    with connect(home) as client:
        try:
            client.sendall(data)
            client.shutdown(socket.SHUT_WR)
            answer = b""
            while part := client.recv(65536):
                answer += part
        except TimeoutError:
            return "hung"
        except OSError:
            return "closed"
    if not answer:
        return "closed"
    reply = frames.read_reply(answer[4 : 4 + int.from_bytes(answer[:4], "big")])
    return "ok" if getattr(reply, "ok", False) else str(getattr(reply, "error", {}).get("code", "?"))


def test_no_frame_breaks_it(home: Home, figures: Figures) -> None:
    """Random, broken, bottomless and lying frames get an answer or a closed connection; never `internal`, never silence."""
    vault(home)
    chance, before = random.Random(SEED), resident(home)
    seen: dict[str, int] = {}
    for number in range(FRAMES):
        inner = BOMBS[number % len(BOMBS)] if number % 40 == 0 else body(chance)
        size = len(inner) if chance.random() < 0.93 else chance.choice((0, 1, 2**20, 2**20 + 1, 2**31, 2**32 - 1))
        code = outcome(home, size.to_bytes(4, "big") + inner)
        seen[code] = seen.get(code, 0) + 1
        assert code != "internal", (SEED, number, inner[:200], home.log())
    figures.add(frames=FRAMES, hung=seen.pop("hung", 0), wrong=seen.get("internal", 0) + seen.get("?", 0))
    figures.say(
        rss_mb=f"{before:.0f} → {resident(home):.0f}",
        other_ms=round(asked_in(home)),
        answers=dict(sorted(seen.items())),
    )
    assert resident(home) < before + 100
    assert asked_in(home) < PATIENCE_MS


def test_requests_of_one_id_are_each_answered(home: Home, figures: Figures) -> None:
    """Fifty requests of the same id on one connection get fifty answers of that id."""
    vault(home, 10)
    with connect(home) as client:
        client.sendall(b"".join(bytes(frames.request(7, "memory.search", {"query": "heron"})) for _ in range(50)))
        inbox, got = frames.Inbox(frames.ANSWER_LIMIT), 0
        while got < 50:
            inbox.feed(client.recv(65536))
            while isinstance(taken := inbox.take(), bytes):
                reply = frames.read_reply(taken)
                assert getattr(reply, "id", None) == 7
                got += 1
    figures.add(frames=50)


# crowds and sloths -----------------------------------------------------------------------------------------------------


def test_a_thousand_idle_connections_keep_nobody_out(home: Home, figures: Figures) -> None:
    """Idle and half-frame connections cost little, and others are answered beside them; gone, they are given back."""
    vault(home)
    before, fds = resident(home), descriptors(home)
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096) if hard > 0 else 4096, hard))
    idle = [connect(home) for _ in range(1000)]
    for n, one in enumerate(idle):
        if n % 2:
            one.sendall(b"\x00\x00\x40\x00" + b"x" * 100)
    took, full = asked_in(home), resident(home)
    for one in idle:
        one.close()
    home.until(lambda: descriptors(home) < fds + 20)
    figures.add(connections=1000)
    figures.say(other_ms=round(took), rss_mb=f"{before:.0f} → {full:.0f}")
    assert took < PATIENCE_MS
    assert full < before + 100


def descriptors(home: Home) -> int:
    assert home.process is not None
    return len(os.listdir(f"/proc/{home.process.pid}/fd"))


def test_who_does_not_read_is_not_served_for_ever(home: Home, figures: Figures) -> None:
    """Clients that ask for 860 MB and read nothing are bounded; others are answered meanwhile; what it cost comes back."""
    home.write("big.md", "# Big\n\n" + "heron river\n" * 300_000)
    vault(home, 20)
    before = resident(home)
    ask = bytes(frames.request(1, "memory.read", {"path": "big.md", "max_bytes": 4 * 1024 * 1024}))
    deaf = [connect(home) for _ in range(30)]
    for one in deaf:
        one.sendall(ask * 8)
    took = max(asked_in(home) for _ in range(20))
    peak, left = resident(home, "VmHWM"), resident(home)
    for one in deaf:
        one.close()
    home.until(lambda: resident(home) < before + 60)
    figures.add(connections=30)
    figures.say(other_ms=round(took), rss_mb=f"{before:.0f} → {peak:.0f}, {left:.0f} held, {resident(home):.0f} after")
    assert peak < before + 250
    assert left < before + 120


def test_a_flood_of_costly_questions_is_bounded(home: Home, figures: Figures) -> None:
    """Forty clients that never wait: some are told `busy`, another client goes on being answered, memory stays."""
    vault(home, 400)
    before = resident(home)
    query = "heron weir river lantern 苍鹭 " * 40
    ask = b"".join(bytes(frames.request(n, "memory.search", {"query": query, "limit": 50})) for n in range(30))
    stop, codes = threading.Event(), {"ok": 0, "busy": 0, "other": 0}

    def shout() -> None:
        with connect(home, 60) as client:
            inbox = frames.Inbox(frames.ANSWER_LIMIT)
            while not stop.is_set():
                client.sendall(ask)
                left = 30
                while left and not stop.is_set():
                    inbox.feed(client.recv(1 << 20))
                    while isinstance(taken := inbox.take(), bytes):
                        reply = frames.read_reply(taken)
                        code = "ok" if getattr(reply, "ok", False) else getattr(reply, "error", {}).get("code")
                        codes[code if code in codes else "other"] += 1
                        left -= 1

    crowd = [threading.Thread(target=shout, daemon=True) for _ in range(40)]
    for one in crowd:
        one.start()
    worst, times, end = before, [], time.monotonic() + 6
    while time.monotonic() < end:
        began = time.monotonic()
        with Client(home.socket, 60) as client:
            while True:
                try:
                    client.call("memory.read", {"path": "0/0.md"})
                    break
                except Refused as refused:
                    codes["other"] += refused.code != "busy"
                    time.sleep(refused.data.get("retry_ms", 200) / 1000)
        times.append((time.monotonic() - began) * 1000)
        worst = max(worst, resident(home))
    stop.set()
    figures.add(answered=codes["ok"], busy=codes["busy"], wrong=codes["other"])
    figures.say(
        other_ms_median=round(sorted(times)[len(times) // 2]),
        other_ms=round(max(times)),
        rss_mb=f"{before:.0f} → {worst:.0f}",
    )
    assert codes["busy"], codes
    assert worst < before + 300
    assert max(times) < 5 * PATIENCE_MS
    home.until(lambda: asked_in(home) < PATIENCE_MS)


# who may not -----------------------------------------------------------------------------------------------------------

PYTHON = "/usr/bin/python3"
"""One that other users may run: a virtual environment below /root is closed to them."""

_STRANGER = """
import socket, sys
s = socket.socket(socket.AF_UNIX); s.settimeout(5)
try:
    s.connect(sys.argv[1])
    s.sendall(bytes.fromhex(sys.argv[2])); s.shutdown(socket.SHUT_WR)
    data = b""
    while part := s.recv(65536): data += part
    print(data)
except OSError as error:
    print(type(error).__name__)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may start a process of another user")
@pytest.mark.skipif(not os.path.exists(PYTHON), reason="no Python that other users may run")
@pytest.mark.parametrize("opened", [False, True], ids=["as it is", "mode 0666 by mistake"])
def test_another_user_is_refused(home: Home, figures: Figures, opened: bool) -> None:
    """Another uid cannot connect; where somebody opened the socket's mode, it is told `permission_denied` and nothing else."""
    vault(home, 5)
    let_others_in(home.base)
    if opened:
        os.chmod(home.socket, 0o666)
    ask = bytes(frames.request(1, "memory.search", {"query": "heron"})).hex()
    found = subprocess.run(
        [PYTHON, "-c", _STRANGER, home.socket, ask], user=65534, group=65534, extra_groups=[], capture_output=True, text=True,
        env={"PATH": os.environ["PATH"]}, cwd="/",
    )  # fmt: skip
    figures.add(strangers=1, wrong=int("hits" in found.stdout))
    assert ("permission_denied" in found.stdout) if opened else ("PermissionError" in found.stdout), found
    assert "hits" not in found.stdout


def test_a_living_socket_is_not_taken_over(home: Home, tmp_path: Any, figures: Figures) -> None:
    """Daemons of other vaults that want the same socket are refused, all at once or one by one; the first goes on answering."""
    vault(home, 5)
    others = [Home(tmp_path / f"other{n}") for n in range(4)]
    argv = [sys.executable, "-m", "memd", "run", "--socket", home.socket]
    started = [
        subprocess.Popen([*argv, "--vault", str(o.vault), "--config", str(o.config)], env=o.env, stderr=subprocess.PIPE)
        for o in others
    ]
    ends = [(one.communicate(timeout=60)[1], one.returncode) for one in started]
    figures.add(attempts=4, wrong=sum(code != 1 for _, code in ends))
    assert all(b"another daemon listens" in said for said, _ in ends), ends
    assert home.call("hello")["vault"]["path"] == str(home.vault)
