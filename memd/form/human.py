"""What a person says to memd directly, as evidence: a correction, a confirmation, an edit of a memory file.

Gives the turn, and the one episode over it, of origin `human`. Knows words and whose they are. Never knows what follows.
"""

from __future__ import annotations

from datetime import datetime

from memd.edit.sensitivity import sensitivity
from memd.form import files
from memd.form.compose import Stage
from memd.form.evidence import Material, register
from memd.form.keys import link, shortened
from memd.model.config import Config
from memd.model.fingerprint import make_id
from memd.model.memory import Event
from memd.model.plan import Plan, Write
from memd.model.question import Asking

SESSION = "by hand"


def told_by_hand(
    stage: Stage, config: Config, now: datetime, text: str, tree: str = "", sensitive: bool = False
) -> Asking:
    """Stages the evidence turn and its episode. Gives the episode's note. The same words at the same moment are one."""
    owner = config.owner.name or "user"
    category, _, source = tree.partition(":")
    imported = category == "integration"
    hidden = "sensitive" if sensitive else sensitivity((text,))
    event = Event(
        owner, text, make_id("by", text, now.isoformat()), "user", now.isoformat(), now.isoformat(), sensitivity=hidden
    )
    material = Material(
        SESSION,
        (event,),
        source if imported else "hand",
        "integration" if imported else "interaction",
        owner,
        origin="human",
    )
    told = yield from stage.run(lambda vault: register(vault, config, now, material))
    stage.add(Plan((_episode(config, now, owner, text, told.kept[0].link, hidden),)))
    return next(n for n in stage.vault.of_kind("episode") if n.id == _id(told.kept[0].link))


def _id(turn: str) -> str:
    return make_id("ep", turn)


def _episode(config: Config, now: datetime, owner: str, text: str, turn: str, hidden: str) -> Write:
    id, day, at = _id(turn), now.date().isoformat(), now.isoformat(timespec="seconds")
    name, _, block = turn.partition("#^")
    title = shortened(text, files.TITLE)
    keys = {
        "id": id,
        "type": "episode",
        "title": title,
        "topic": title,
        "from": at,
        "to": at,
        "participants": [owner],
        "turns": [link(name, "", block)],
        "evidence": "full",
        "method": "human",
        "origin": "human",
        "created": at,
        "sensitivity": hidden,
    }
    path = f"{config.formation.folder}/episodes/{day[:4]}/{day[5:7]}/{day}-{files.named(title, id, hidden == 'sensitive')}.md"
    return files.signed(path, keys, f"{day}, {owner}: {text}\n", None)
