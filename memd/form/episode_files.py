"""An episode as a file: its keys and path from its turns alone, so that two devices write the same.

Knows the shape of the file. Never knows who drew its boundaries, or why.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from memd.form import files
from memd.form.keys import link, seconds
from memd.model.config import Config
from memd.model.memory import Said
from memd.model.plan import Write
from memd.model.vault import stem


class Narrative(Struct, frozen=True):
    """Answer to the task `narrate`."""

    topic: str
    narrative: str
    set_aside: tuple[int, ...] = ()


class Made(Struct, frozen=True):
    """An episode that stands: `new` is false for one that stood before."""

    id: str
    path: str
    topic: str
    new: bool = True


class Segmented(Struct, frozen=True):
    """`open`: turns that wait for what comes next. `kept_by`: the method that segmented the session, "" for nobody."""

    episodes: tuple[Made, ...] = ()
    open: int = 0
    kept_by: str = ""


def episode_write(
    config: Config,
    id: str,
    told: Narrative,
    turns: Sequence[Said],
    method: str,
    origin: str,
    more: dict[str, Any] | None = None,
) -> Write:
    """The episode's file: its keys from its turns alone, so that two devices write the same."""
    more = more or {}
    known = [turn.at for turn in turns if turn.at]
    created = max((turn.captured_at for turn in turns), key=lambda t: seconds(t) or 0.0, default="")
    sensitive = any(turn.sensitive for turn in turns)
    keys: dict[str, Any] = {
        "id": id,
        "type": "episode",
        "title": told.topic,
        "topic": told.topic,
        "from": more.get("from") or (min(known, key=lambda t: seconds(t) or 0.0) if known else ""),
        "to": more.get("to") or (max(known, key=lambda t: seconds(t) or 0.0) if known else ""),
        "participants": list(dict.fromkeys(turn.speaker for turn in turns)),
        "turns": [link(*link_parts(turn)) for turn in turns],
        "set_aside": [link(*link_parts(turns[n])) for n in told.set_aside if 0 <= n < len(turns)],
        "evidence": "full" if turns else "none",
        "session": more.get("session"),
        "source": more.get("source"),
        "category": more.get("category"),
        "method": method,
        "origin": origin,
        "created": more.get("created") or created,
        "sensitivity": "sensitive" if sensitive else "normal",
    }
    day = str(keys["from"] or keys["created"])[:10]
    name = files.named(_called(told.topic, turns, day), id, sensitive)
    path = f"{config.formation.folder}/episodes/{day[:4]}/{day[5:7]}/{day}-{name}.md"
    return files.signed(path, keys, told.narrative.strip() + "\n")


def _called(topic: str, turns: Sequence[Said], day: str) -> str:
    """The words in a file's name: its session. A topic is somebody's words; a turn of several that is forgotten must not
    live on in the name of the file that the others keep. One without turns goes as a whole."""
    return link_parts(turns[0])[0].removeprefix(f"{day}-") if turns else topic


def link_parts(turn: Said) -> tuple[str, str, str]:
    name, _, block = turn.link.partition("#^")
    return stem(name), "", block
