"""The profile as it is answered: what is not over, by section; the line that an id means; earlier versions, kept and put
back. Pure text and ids."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memd.form import files, view
from memd.form.profile_text import line_id, read
from memd.model.fingerprint import sha256
from memd.model.memory import ProfileLine
from memd.model.plan import ABSENT, Plan, Write
from memd.parse import render


def show(text: str, now: datetime, memory: view.Memory, keys: dict[str, Any]) -> dict[str, Any]:
    """The result of `memory.profile` for a profile's text: what is not expired, by section; sources as leaf ids."""
    today = now.date().isoformat()
    shown: dict[str, Any] = {"stable": [], "recent": [], "up_to": keys.get("up_to", "")}
    for line in read(text):
        if line.until and line.until < today:
            continue
        shown["recent" if line.section == "recent" else "stable"].append(
            {
                "id": f"#{line.id}",
                "text": line.text,
                "status": line.status or "stated",
                "sources": [memory.refer(s) or s for s in line.sources],
                "first_seen": line.first_seen,
                "last_confirmed": line.last_confirmed,
                "until": line.until,
            }
        )
    return shown


def line_of(text: str, id: str) -> ProfileLine | None:
    """The line that an id (`#p-…` or `p-…`) means."""
    wanted = id.rpartition("#")[2]
    return next((line for line in read(text) if wanted in (line.id, line_id(line.text))), None)


def history(folder: str) -> str:
    """Where earlier versions are kept."""
    return f"{folder}/history/profile/"


def kept(folder: str, data: bytes, version: int) -> Write:
    """A version before it changes, whole, behind a head of its own."""
    digest = sha256(data)
    keys = {"type": "profile", "of": "[[profile]]", "version": version, "sha256": digest}
    return Write(f"{history(folder)}{version:04d}-{digest[:8]}.md", render.file(keys, "") + data, None)


def put_back(folder: str, data: bytes | None, version: int, earlier: bytes) -> Plan:
    """The page as an earlier version (`earlier`: the kept file) had it, as the newest one; what it has seen stays seen."""
    page = files.split(files.decoded(earlier))[1]
    now = files.decoded(data) if data is not None else page
    text = files.split(now)[0] + files.split(page)[1]
    made = files.with_keys(text.encode("utf-8", "surrogateescape"), {"version": version + 1})
    write = Write(files.profile_path(folder), made, sha256(data) if data is not None else ABSENT)
    before = (kept(folder, data, version),) if data is not None else ()
    return Plan((*before, write), (f"profile version {version + 1}, as an earlier one was",), undo=True)
