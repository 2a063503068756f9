"""Exports of hosted assistants: ChatGPT's and Claude's `conversations.json`. What a person and the assistant said, no more."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, clean, event, moment, problem


def chatgpt(value: Any, name: str) -> tuple[list[Session], list[Problem]]:
    sessions: list[Session] = []
    problems: list[Problem] = []
    for number, talk in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(talk, dict) or not isinstance(talk.get("mapping"), dict):
            problems.append(problem(name, 0, f"conversation {number} has no messages"))
            continue
        id = clean(talk.get("conversation_id") or talk.get("id") or talk.get("title") or str(number))
        sessions.append(Session(f"chatgpt-{id}", "chatgpt", "interaction", tuple(_thread(talk)), ""))
    return [s for s in sessions if s.events], problems


def _thread(talk: dict[str, Any]) -> Iterator[Event]:
    """The branch that the person last saw, from its first message on."""
    mapping = talk["mapping"]
    way: list[dict[str, Any]] = []
    seen: set[str] = set()
    at = talk.get("current_node")
    if not isinstance(at, str) or at not in mapping:
        at = next(
            (key for key, node in reversed(mapping.items()) if isinstance(node, dict) and not node.get("children")),
            None,
        )
    while isinstance(at, str) and at in mapping and at not in seen and isinstance(mapping[at], dict):
        seen.add(at)
        way.append(mapping[at])
        at = mapping[at].get("parent")
    for node in reversed(way):
        if isinstance(node.get("message"), dict):
            yield from _message(node["message"])


def _message(message: dict[str, Any]) -> Iterator[Event]:
    author = message.get("author") if isinstance(message.get("author"), dict) else {}
    content = message.get("content") if isinstance(message.get("content"), dict) else {}
    meta = message.get("metadata") if isinstance(message.get("metadata"), dict) else {}
    assert isinstance(author, dict)
    assert isinstance(content, dict)
    assert isinstance(meta, dict)
    role = author.get("role")
    if (
        role not in ("user", "assistant")
        or meta.get("is_visually_hidden_from_conversation")
        or meta.get("is_user_system_message")
    ):
        return
    if message.get("recipient") not in (None, "all") or content.get("content_type") not in ("text", "multimodal_text"):
        return
    parts = content.get("parts") if isinstance(content.get("parts"), list) else []
    text = "\n\n".join(part for part in parts or () if isinstance(part, str))
    yield from event(
        str(role), text, id=clean(message.get("id")), role=str(role), at=moment(message.get("create_time"))
    )


def claude(value: Any, name: str) -> tuple[list[Session], list[Problem]]:
    sessions: list[Session] = []
    problems: list[Problem] = []
    for number, talk in enumerate(value if isinstance(value, list) else [value], 1):
        if not isinstance(talk, dict) or not isinstance(talk.get("chat_messages"), list):
            problems.append(problem(name, 0, f"conversation {number} has no messages"))
            continue
        id = clean(talk.get("uuid") or talk.get("name") or str(number))
        events = tuple(e for one in talk["chat_messages"] if isinstance(one, dict) for e in _said(one))
        sessions.append(Session(f"claude-{id}", "claude", "interaction", events))
    return [s for s in sessions if s.events], problems


def _said(message: dict[str, Any]) -> Iterator[Event]:
    role = {"human": "user", "assistant": "assistant"}.get(str(message.get("sender")), "")
    if not role:
        return
    blocks = message.get("content")
    parts = (
        [b.get("text") for b in blocks if isinstance(b, dict) and b.get("type") == "text"]
        if isinstance(blocks, list)
        else []
    )
    text = "\n\n".join(p for p in parts if isinstance(p, str) and p) or clean(message.get("text"))
    yield from event(role, text, id=clean(message.get("uuid")), role=role, at=moment(message.get("created_at")))
