"""`memd ingest FILE`: batches under the wire's limit, sessions closed at their end, one joined answer."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import memd.parse
from memd.bridge import cli
from memd.bridge.cli_ingest import BATCH, batches
from memd.model.memory import Event
from memd.model.problem import Problem
from memd.serve.frames import REQUEST_LIMIT
from tests.fakes.daemon import FakeDaemon, daemon


class Session(msgspec.Struct):
    session: str
    events: tuple[Event, ...]
    source: str = ""
    category: str = ""
    owner: str = ""


class Exports:
    """Stands in for the reader of exports: sessions of one event a line, `session|speaker|text`."""

    problems: tuple[Problem, ...] = ()

    def read(self, data: bytes, format: str, name: str) -> tuple[list[Session], tuple[Problem, ...]]:
        found: dict[str, list[Event]] = {}
        for n, line in enumerate(data.decode().splitlines()):
            session, speaker, text = line.split("|", 2)
            found.setdefault(session, []).append(Event(speaker=speaker, text=text, id=str(n)))
        return [Session(name, tuple(events)) for name, events in found.items()], self.problems


@pytest.fixture
def exports(monkeypatch: pytest.MonkeyPatch) -> Exports:
    found = Exports()
    monkeypatch.setattr(memd.parse, "exports", found, raising=False)
    monkeypatch.setitem(__import__("sys").modules, "memd.parse.exports", found)
    return found


def take_in(params: Any, peer: Any) -> dict[str, Any]:
    return {
        "job": "j",
        "evidence": [
            {"id": f"ev#{event.id}", "event_id": event.id, "path": "memory/evidence/x.md"} for event in params.events
        ],
        "leaves": [],
        "pending": [],
        "redacted": [],
    }


def run(tmp_path: Path, text: str, *argv: str) -> tuple[int, FakeDaemon]:
    file = tmp_path / "talk.txt"
    file.write_text(text)
    with daemon(str(tmp_path / "s"), {"memory.ingest": take_in}) as running:
        code = cli.main(["ingest", str(file), "--socket", str(tmp_path / "s"), *argv])
    return code, running


def test_a_session_is_sent_and_closed(exports: Exports, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """One call with what the options say, closed; the answer as one JSON value."""
    code, running = run(tmp_path, "s|小林|你好\ns|assistant|hi", "--session", "ferry", "--source", "chat", "--json")
    assert code == 0
    [(_, params)] = running.seen
    assert (params["session"], params["source"], params["close"], len(params["events"])) == ("ferry", "chat", True, 2)
    answer = json.loads(capsys.readouterr().out)
    assert [each["event_id"] for each in answer["evidence"]] == ["0", "1"]
    assert (answer["sessions"], answer["events"]) == (1, 2)


def test_open_leaves_the_session_open(exports: Exports, tmp_path: Path) -> None:
    """More is to come."""
    _, running = run(tmp_path, "s|a|b", "--open")
    assert running.seen[0][1]["close"] is False


def test_large_material_goes_in_several_calls(exports: Exports, tmp_path: Path) -> None:
    """Each under the limit, in order; only the last closes; every write has a key of its own."""
    _, running = run(tmp_path, "\n".join(f"s|a|{n} " + "猫" * 50_000 for n in range(12)))
    calls = [params for _, params in running.seen]
    assert len(calls) >= 3
    assert [event["id"] for params in calls for event in params["events"]] == [str(n) for n in range(12)]
    assert [params["close"] for params in calls] == [False] * (len(calls) - 1) + [True]
    assert len({params["idempotency_key"] for params in calls}) == len(calls)


def test_sessions_of_one_file_keep_their_names(exports: Exports, tmp_path: Path) -> None:
    """Two sessions are two; a name that was given goes before theirs."""
    _, running = run(tmp_path, "x|a|1\ny|a|2")
    assert [params["session"] for _, params in running.seen] == ["x", "y"]
    _, running = run(tmp_path, "x|a|1\ny|a|2", "--session", "trip")
    assert [params["session"] for _, params in running.seen] == ["trip-x", "trip-y"]


def test_what_could_not_be_read_is_said(exports: Exports, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Problems of the file go to stderr, the rest is taken in; a file with nothing in it is refused."""
    exports.problems = (Problem("line", "talk.txt", 3, "not JSON", "leave it out"),)
    code, _ = run(tmp_path, "s|a|b")
    assert code == 0
    assert "talk.txt:3: not JSON; leave it out" in capsys.readouterr().err
    code, running = run(tmp_path, "")
    assert (code, running.seen) == (1, [])
    assert cli.main(["ingest", "/nowhere", "--socket", str(tmp_path / "s")]) in (1, 3)


def test_batches_fit_a_request() -> None:
    """Events of any size: no batch but a single event is over the bound, and the bound leaves room for the rest."""
    events = [Event(speaker="a", text="x" * size) for size in (10, BATCH + 5, 10, BATCH // 2, BATCH // 2, 7)]
    found = list(batches(events))
    assert [event for batch in found for event in batch] == events
    assert all(len(batch) == 1 or len(msgspec.msgpack.encode(batch)) <= BATCH + 16 for batch in found)
    assert BATCH < REQUEST_LIMIT * 0.7
