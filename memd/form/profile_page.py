"""The profile as it is answered: what is not over, by section; and the line that an id means. Pure text and ids."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from memd.form import view
from memd.form.profile_text import line_id, read
from memd.model.memory import ProfileLine


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
