"""What MCP shows beside tools: notes, the profile and the last digest as resources, and prompts with what is known in them.

What memd says by itself stands in `<memd-context>`. Knows the wire; never knows the SDK.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

from memd.bridge.mcp_calls import Line
from memd.bridge.mcp_words import NO_DIGEST, context
from memd.model.errors import Refused

MIME = "text/markdown"
NOTE = "memd://note/"
PROFILE = "memd://profile"
DIGEST = "memd://digest"
LISTED = 50
"""Newest notes that stand in the list of resources; all others are read by the template."""
WHOLE = 8 * 1024 * 1024


async def listed(line: Line) -> list[tuple[str, str, str]]:
    """(uri, name, title): profile, digest, and the newest notes."""
    answer = await line.call("memory.list", {"limit": LISTED})
    notes = [(NOTE + quote(row["permalink"]), row["permalink"], row["title"]) for row in answer["notes"]]
    first = [(PROFILE, "profile", "What is known of the vault's owner"), (DIGEST, "digest", "The last digest")]
    return first + notes


async def read(line: Line, uri: str) -> str:
    """The text of a resource. Raises Refused: not_found for what is none."""
    if uri == PROFILE:
        return context(profile(await line.call("memory.profile", {})))
    if uri == DIGEST:
        return context(await _digest(line))
    if uri.startswith(NOTE) and len(uri) > len(NOTE):
        return await _note(line, {"permalink": unquote(uri.removeprefix(NOTE))})
    raise Refused("not_found", f"no resource {uri[:200]!r}: there are {PROFILE}, {DIGEST} and {NOTE}<permalink>")


async def _note(line: Line, name: dict[str, Any]) -> str:
    answer = await line.call("memory.read", {**name, "max_bytes": WHOLE})
    return str(answer["content"])


async def _digest(line: Line) -> str:
    answer = await line.call("memory.list", {"type": "digest", "limit": 1})
    return await _note(line, {"path": answer["notes"][0]["path"]}) if answer["notes"] else NO_DIGEST


def profile(answer: dict[str, Any]) -> str:
    """The profile as markdown, each line with what it stands on."""
    parts = []
    for heading, name in (("## Stable", "stable"), ("## Recent", "recent")):
        rows = [_line(row) for row in answer.get(name, ())]
        parts.append("\n".join([heading, *rows]) if rows else "")
    return "\n\n".join(filter(None, parts)) or "Nothing is known of the vault's owner yet."


def _line(row: dict[str, Any]) -> str:
    known = [str(row[name]) for name in ("status", "last_confirmed") if row.get(name)]
    until = [f"until {row['until']}"] if row.get("until") else []
    about = ", ".join(known + until)
    return f"- {row['text']}" + (f" ({about})" if about else "")


async def beginning(line: Line, value: str) -> list[str]:
    """Permalinks that begin so."""
    answer = await line.call("memory.list", {"permalink": f"{value}*", "limit": 50})
    return [row["permalink"] for row in answer["notes"]]


async def prompt(line: Line, name: str, text: str, given: dict[str, str]) -> list[str]:
    """The messages of a prompt."""
    if name == "wrap_up_session":
        session = given.get("session", "").strip() or f"mcp-{datetime.now(UTC):%Y%m%d-%H%M%S}"
        return [text.replace("{session}", session)]
    if name == "recall":
        answer = await line.call("memory.retrieve", {"query": given["query"]})
        return [text.replace("{query}", given["query"]), context(str(answer.get("text", "")))]
    return [text.replace("{text}", given["text"])]
