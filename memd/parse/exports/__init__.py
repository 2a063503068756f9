"""Chat exports, transcripts, documents, mail and logs as sessions of events. Whatever the bytes are, it does not raise.

Only what a person or an assistant said, or a source's record, becomes an event. Times stay as the export has them; one
without an offset is the vault's to place. Never knows a vault, nor what is remembered already.
"""

from __future__ import annotations

import io
import lzma
import os
import re
import zipfile
import zlib
from typing import Any

from memd.model.config import FORMATS
from memd.model.fingerprint import fingerprint
from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports import agents, chat, hosted, jsonl, records
from memd.parse.exports.documents import sections
from memd.parse.exports.session import Session, clean, decode, event, loads, problem
from memd.parse.text import is_text

__all__ = ["Session", "detect", "read"]

UNPACKED = 512 * 1024 * 1024
"""Bytes that an archive's `conversations.json` may have."""

_UNSOUND = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, OSError, RuntimeError, ValueError, EOFError)
"""Everything that a damaged archive raises."""
_MARKDOWN = (".md", ".markdown", ".mdx", ".txt")


def read(data: bytes, format: str, name: str) -> tuple[list[Session], list[Problem]]:
    """The sessions of a file, in its order, and what could not be read of it. `name` is its file name, for its sessions."""
    stem = clean(os.path.splitext(os.path.basename(name))[0]).strip() or "import"
    if data.startswith(b"PK\x03\x04"):
        unpacked = _unpacked(data)
        if unpacked is None:
            return [], [problem(name, 0, "the archive holds no conversations.json", "unpack it and give the file")]
        data = unpacked
    kind = detect(data, name) if format in ("", "auto") else format
    if kind == "mbox":
        return records.mbox(data, name, stem)
    if not is_text(data):
        return [], [problem(name, 0, "the file is not text", "give the talk as text, markdown or JSON")]
    text = decode(data).replace("\r\n", "\n").replace("\r", "\n")
    if kind in ("chatgpt", "claude", "json"):
        return _json(text, kind, name, stem)
    readers: dict[str, Any] = {"jsonl": jsonl.read, "chat": chat.read, "agent": agents.read, "git": records.git_log}
    if kind in readers:
        found: tuple[list[Session], list[Problem]] = readers[kind](text, name, stem)
        return found
    if kind == "markdown":
        return _document(text, stem), []
    return [], [problem(name, 0, f"unknown format {format!r}", f"give one of {', '.join(FORMATS)}")]


def detect(data: bytes, name: str) -> str:
    """The format of a file by its beginning, its name where that says nothing."""
    head = decode(data[:65536]).lstrip("\ufeff \n\r\t")
    if re.match(r"From \S+.*\d{4}", head) or name.lower().endswith(".mbox"):
        return "mbox"
    if re.match(r"commit [0-9a-f]{7,64}\b", head):
        return "git"
    if re.match(r"""\[\s*[{\]"]|\{\s*[}"]""", head):
        return _json_kind(data, head)
    if name.lower().endswith((".jsonl", ".ndjson")):
        return "jsonl"
    if chat.titled(head):
        return "chat"
    speakers = chat.speakers(head)
    if speakers >= max(2, head.count("\n\n") // 4) and not re.match(r"#|---\s*\n", head):
        return "chat"
    marked = name.lower().endswith(_MARKDOWN) or head.startswith(("#", "---"))
    return "chat" if speakers and not marked else "markdown"


def _json_kind(data: bytes, head: str) -> str:
    first = head.split("\n", 1)[0].rstrip(",")
    try:
        line = loads(first)
    except ValueError:
        line = None
    if isinstance(line, dict) and "\n" in decode(data).strip():
        return "agent" if any(map(_by_an_agent, head.split("\n")[:20])) else "jsonl"
    if '"mapping"' in head:
        return "chatgpt"
    if '"chat_messages"' in head:
        return "claude"
    if isinstance(line, dict):
        return "jsonl" if jsonl.messages(line) is None and not isinstance(line.get("chats"), dict) else "json"
    return "json"


def _by_an_agent(text: str) -> bool:
    try:
        line = loads(text)
    except ValueError:
        return False
    marks = {"sessionId", "parentUuid", "payload", "leafUuid", "record_type"}
    return isinstance(line, dict) and bool(marks & set(line)) and bool({"type", "message", "record_type"} & set(line))


def _json(text: str, kind: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    try:
        value = loads(text.lstrip("\ufeff"))
    except ValueError as error:
        return [], [problem(name, 0, f"not JSON: {error}", "is the file whole?")]
    first = value[0] if isinstance(value, list) and value else value
    if kind == "chatgpt" or (isinstance(first, dict) and "mapping" in first):
        return hosted.chatgpt(value, name)
    if kind == "claude" or (isinstance(first, dict) and "chat_messages" in first):
        return hosted.claude(value, name)
    chats = value.get("chats") if isinstance(value, dict) else None
    if isinstance(chats, dict) and isinstance(chats.get("list"), list):
        return [jsonl.read_object(one, stem) for one in chats["list"] if jsonl.messages(one) is not None], []
    if isinstance(value, dict) and jsonl.messages(value) is not None:
        return [jsonl.read_object(value, stem)], []
    return jsonl.read(text, name, stem)


def _document(text: str, stem: str) -> list[Session]:
    """A markdown document: its sections, named by what they say, so that a section that changes is another."""
    events: list[Event] = []
    for part in sections(text):
        events += event(stem, part, id=fingerprint(part)[:16], modality="text")
    return [Session(stem, f"document:{stem}", "integration", tuple(events))] if events else []


def _unpacked(data: bytes) -> bytes | None:
    """The conversations of an archive; None where there are none, or it is no sound archive."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = [info for info in archive.infolist() if os.path.basename(info.filename) == "conversations.json"]
            if not names or names[0].file_size > UNPACKED:
                return None
            with archive.open(names[0]) as member:
                return member.read(UNPACKED)
    except _UNSOUND:
        return None
