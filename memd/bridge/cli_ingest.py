"""`memd ingest FILE`: a chat export, mailbox or transcript read here, sent in calls under the wire's limit.

Evidence is the same when it comes again, so a run that broke off is simply repeated: what is there is not taken twice.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from typing import Any

import msgspec

from memd.bridge.cli_shell import Shell
from memd.model.errors import Refused
from memd.model.memory import Event

BATCH = 700_000
EVENTS = 200
"""Bytes and number of events in one call: it fits a frame, and progress is seen."""
_LISTS = ("evidence", "redacted", "episodes", "leaves", "pending")


def read_file(name: str, format: str) -> tuple[list[Any], list[Any]]:
    """(sessions, problems) of a file, `-` for standard input."""
    from memd.parse import exports

    try:
        if name == "-":
            data = sys.stdin.buffer.read()
        else:
            with open(name, "rb") as file:
                data = file.read()
    except OSError as error:
        raise Refused("not_found", f"cannot read {name}: {error.strerror}") from error
    sessions, problems = exports.read(data, format, "stdin" if name == "-" else os.path.basename(name))
    return list(sessions), list(problems)


def batches(events: list[Event]) -> Iterator[list[Event]]:
    """The events in order, in lists that fit a call each; one alone may be refused by the daemon as too large."""
    batch: list[Event] = []
    size = 0
    for event in events:
        weight = len(msgspec.msgpack.encode(event))
        if batch and (size + weight > BATCH or len(batch) == EVENTS):
            yield batch
            batch, size = [], 0
        batch.append(event)
        size += weight
    if batch:
        yield batch


def ingest(shell: Shell, name: str, format: str, params: dict[str, Any], *, leave_open: bool) -> dict[str, Any]:
    """The answers of all calls as one: lists joined, the rest from the last. A session is closed at its last batch, and
    that call answers when what was said is formed."""
    from memd.bridge.cli_progress import counting

    sessions, problems = read_file(name, format)
    for problem in problems[:20]:
        where = f"{name}:{problem.line}" if problem.line else name
        shell.complain(f"{where}: {problem.message}; {problem.hint}")
    total = sum(len(session.events) for session in sessions)
    if not total:
        doubt = "" if problems else ": is --format right?"
        raise Refused("invalid_params", f"{name} holds nothing that was said{doubt}")
    joined: dict[str, Any] = {"sessions": len(sessions), "events": total, "problems": len(problems)}
    with counting(shell, "taking in", total) as advance:
        for session in sessions:
            given = {**_of_session(session, name), **params}
            if len(sessions) > 1 and "session" in params:
                given["session"] = f"{params['session']}-{_of_session(session, name)['session']}"
            parts = list(batches(list(session.events)))
            for n, part in enumerate(parts, 1):
                close = n == len(parts) and not leave_open
                asked = {"wait": close, **given, "events": part, "close": close}
                _join(joined, shell.call("memory.ingest", asked, None))
                advance(len(part))
    return joined


def _of_session(session: Any, file: str) -> dict[str, Any]:
    """What the file itself says of a session; one without a name has the file's."""
    stem = os.path.splitext(os.path.basename(file))[0] if file != "-" else "stdin"
    found = {name: getattr(session, name, "") for name in ("session", "source", "category", "owner")}
    return {"session": stem, "source": "import", **{name: value for name, value in found.items() if value}}


def _join(joined: dict[str, Any], answer: dict[str, Any]) -> None:
    for name, value in answer.items():
        if name in _LISTS and isinstance(value, list):
            joined[name] = [*joined.get(name, []), *value]
        else:
            joined[name] = value
