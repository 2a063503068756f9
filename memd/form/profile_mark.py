"""How far the profile has read: which episodes are in it, told by its own keys.

`up_to` names the last of them for people. `read` is what decides: five characters of the ids of the last ones, joined and
sorted, since an episode that another device made may arrive behind later ones; what is older than these is taken for read.
Knows keys and ids; never a line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from memd.form.keys import ID, link, target
from memd.form.view import Memory
from memd.model.note import Note
from memd.model.vault import stem

WIDTH = 5
"""Characters of an id that stand for an episode: of ten thousand late ones among ten thousand, three are taken for others."""
LAST = 400
"""Episodes that are told one by one: 2 KB of the page."""


def unseen(memory: Memory, keys: dict[str, Any]) -> tuple[Note, ...]:
    """Episodes that the profile has not read; by their order where its page does not say which it has."""
    last = next(reversed(ID.findall(target(str(keys.get("up_to", "")))[0])), "")
    if not last:
        return memory.episodes
    read = str(keys.get("read") or "")
    if read:
        known = {read[at : at + WIDTH] for at in range(0, len(read), WIDTH)}
        told = [at for at, e in enumerate(memory.episodes) if _short(e) in known]
        first = told[0] if told and len(read) >= LAST * WIDTH else 0
        return tuple(e for e in memory.episodes[first:] if _short(e) not in known)
    there = memory.files.get(last)
    at = there.created if there else 0.0
    return tuple(e for e in memory.episodes if (e.created, e.id) > (at, last))


def mark(seen: Iterable[Note]) -> dict[str, Any]:
    """The keys that say that these have been read, in the order of their arrival; None for one that is not there."""
    seen = tuple(seen)
    if not seen:
        return {"up_to": None, "read": None}
    return {"up_to": link(stem(seen[-1].path)), "read": "".join(sorted(map(_short, seen[-LAST:])))}


def _short(episode: Note) -> str:
    return episode.id.rpartition("-")[2][:WIDTH].ljust(WIDTH, "-")
