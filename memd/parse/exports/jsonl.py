"""Events as the contract has them, one JSON object a line or one JSON list; and lists of messages under common names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, by_session, clean, event, loads, moment, problem

_TEXT = ("text", "content", "message", "body")
_SPEAKER = ("speaker", "sender_name", "user_profile", "name", "author", "from", "sender", "role", "user")
_NAME = ("nickname", "real_name", "display_name", "global_name", "name", "username")
_TIME = ("at", "date_unixtime", "timestamp", "create_time", "created_at", "time", "date", "ts")
_ID = ("id", "message_id", "uuid", "msg_id")
_ROLES = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant", "bot": "assistant"}


def read(text: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    rows: list[tuple[str, Event]] = []
    problems: list[Problem] = []
    for line, value in _values(text, name, problems):
        if not isinstance(value, dict):
            problems.append(problem(name, line, "not an event: give an object with speaker and text"))
            continue
        found = list(_event(value))
        session = clean(value.get("session") or value.get("session_id") or "") or stem
        rows += [(session, one) for one in found]
        if not found and not _by_the_tool(value) and not any(clean(value.get(key)) for key in _TEXT):
            problems.append(problem(name, line, "an event without text was passed over"))
    return by_session(rows, "conversation"), problems


def _values(text: str, name: str, problems: list[Problem]) -> Iterator[tuple[int, Any]]:
    bare = text.lstrip("\ufeff \n\r\t")
    if bare.startswith("["):
        try:
            found = loads(bare)
        except ValueError:
            found = None
        if isinstance(found, list):
            yield from enumerate(found, 1)
            return
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip("\ufeff \r\t"):
            continue
        try:
            yield number, loads(line.strip("\ufeff \r\t"))
        except ValueError as error:
            problems.append(problem(name, number, f"not JSON: {error}"))


def messages(value: Any) -> list[Any] | None:
    """The list of messages in an object of some chat tool, None where it has none."""
    if not isinstance(value, dict):
        return None
    for key in ("conversation_list", "messages", "events", "chat", "history", "conversation"):
        if isinstance(value.get(key), list):
            return list(value[key])
    return None


def read_object(value: dict[str, Any], stem: str) -> Session:
    """One object that holds its messages in a list."""
    meta = value.get("session_meta") if isinstance(value.get("session_meta"), dict) else {}
    assert isinstance(meta, dict)
    people = meta.get("user_details") if isinstance(meta.get("user_details"), dict) else {}
    session = clean(meta.get("group_id") or value.get("session") or value.get("id") or value.get("title") or "")
    if not session and isinstance(value.get("name"), str):
        session = f"{clean(value['name'])} {value.get('id', '')}".strip()
    events: list[Event] = []
    for one in messages(value) or []:
        if isinstance(one, dict):
            person = people.get(one.get("sender")) if isinstance(people, dict) else None
            role = person.get("role", "") if isinstance(person, dict) and len(people or {}) <= 2 else ""
            events += _event({"role": role, **one} if role else one)
    return Session(session or stem, "conversation", "interaction", tuple(events))


def _by_the_tool(value: dict[str, Any]) -> bool:
    """A line about the talk (who joined, what was pinned, a state), not of it."""
    subtype = str(value.get("subtype") or "")
    return value.get("type") in ("service", "system") or subtype.startswith(("channel_", "group_", "bot_add", "pinned"))


def _event(value: dict[str, Any]) -> Iterator[Event]:
    if _by_the_tool(value):
        return
    text = next((found for k in _TEXT if (found := _words(value.get(k)))), "")
    speaker = next((found for k in _SPEAKER if (found := _name(value.get(k)))), "")
    role = _ROLES.get(str(value.get("role", "")).lower(), "") or _ROLES.get(speaker.lower(), "")
    at = next((found for k in _TIME if (found := moment(value.get(k)))), "")
    id = next(
        (str(value[k]) for k in _ID if isinstance(value.get(k), (str, int)) and not isinstance(value.get(k), bool)), ""
    )
    more = {key: value[key] for key in ("modality", "uri") if isinstance(value.get(key), str) and value[key]}
    if value.get("sensitivity") in ("sensitive", "normal"):
        more["sensitivity"] = value["sensitivity"]
    captured = moment(value.get("captured_at"))
    yield from event(speaker, text, id=id, role=role, at=at, captured_at=captured, **more)


def _name(value: Any) -> str:
    """A name, or that of a record which tells of somebody."""
    if isinstance(value, dict):
        return next((value[k] for k in _NAME if isinstance(value.get(k), str) and value[k].strip()), "")
    return value if isinstance(value, str) and value.strip() else ""


def _words(content: Any) -> str:
    """A text, or the texts of a list of content blocks or of pieces with marks; what is no text is left out."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    if any(isinstance(piece, str) for piece in content):
        pieces = (p.get("text") if isinstance(p, dict) else p for p in content)
        return "".join(p for p in pieces if isinstance(p, str))
    found = (
        p.get("text", "")
        for p in content
        if isinstance(p, dict) and p.get("type") in ("text", "input_text", "output_text")
    )
    return "\n\n".join(text for text in found if isinstance(text, str))
