"""Transcripts of coding agents (JSON lines): of all that stands in them, what the person and the agent said.

Tool calls and results, summaries of a compaction, reminders and context that hooks put in, sub-agents' talk: never.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, by_session, clean, event, loads, moment, problem

_INJECTED = re.compile(
    r"<(?P<tag>system-reminder|memd-context|command-[a-z]+|local-command-[a-z]+|user-prompt-submit-hook|session-start-hook|[a-z-]*hook[a-z-]*|environment_context|"
    r"user_instructions|permissions[a-z_ -]*|INSTRUCTIONS|ide_[a-z_]+|bash-(?:input|stdout|stderr)|task-notification|function_calls|function_results|context|attached-files|system)\b[^>]*>"
    r".*?(?:</(?P=tag)\s*>|\Z)",
    re.S,
)
_NOT_SAID = re.compile(
    r"^\s*(?:\[Request interrupted|Caveat: The messages below were generated|This session is being continued from a previous conversation|"
    r"Please continue the conversation from where we left|\[Image|<bash-|API Error|No response requested|# AGENTS\.md instructions)"
)


def read(text: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    rows: list[tuple[str, Event]] = []
    problems: list[Problem] = []
    session = stem
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        try:
            value = loads(line)
        except ValueError as error:
            problems.append(problem(name, number, f"not JSON: {error}"))
            continue
        if isinstance(value, dict):
            session = _session(value) or session
            rows += [(session, one) for one in _event(value)]
    return by_session(rows, "agent"), problems


def _session(value: dict[str, Any]) -> str:
    payload = value.get("payload")
    if "instructions" in value and "type" not in value:
        return clean(value.get("id"))
    if value.get("type") == "session_meta" and isinstance(payload, dict):
        return clean(payload.get("id"))
    return clean(value.get("sessionId") or value.get("session_id"))


def _event(value: dict[str, Any]) -> Iterator[Event]:
    if any(
        value.get(mark)
        for mark in ("isMeta", "isSidechain", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage")
    ):
        return
    message = value.get("message")
    if value.get("type") == "response_item" and isinstance(value.get("payload"), dict):
        message = value["payload"]
        if message.get("type") != "message":
            return
    elif value.get("type") == "message":
        message = value
    elif value.get("type") not in ("user", "assistant"):
        return
    if not isinstance(message, dict) or message.get("role") not in ("user", "assistant"):
        return
    text = said(message.get("content"))
    if text and not _NOT_SAID.match(text):
        role = str(message["role"])
        yield from event(role, text, id=clean(value.get("uuid")), role=role, at=moment(value.get("timestamp")))


def said(content: Any) -> str:
    """The words of a message: its text blocks, without what was put into them."""
    if isinstance(content, list):
        texts = [
            b.get("text")
            for b in content
            if isinstance(b, dict) and b.get("type") in ("text", "input_text", "output_text")
        ]
        kept = [t for t in texts if isinstance(t, str) and not _NOT_SAID.match(t)]
        content = "\n\n".join(kept)
    return _INJECTED.sub("", content).strip() if isinstance(content, str) else ""
