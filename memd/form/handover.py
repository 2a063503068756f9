"""Episodes that a caller hands over: taken as they are, where nobody else has segmented the session.

Knows the turns they name. Never judges a boundary.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from memd.form import view
from memd.form.episode_files import Made, Narrative, Segmented, episode_write
from memd.form.evidence import Material, Registered, session_files
from memd.form.moments import rfc3339, zone_of
from memd.form.rules import METHOD, narrating
from memd.form.said import said_in
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import make_id
from memd.model.memory import Handed, Said
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking
from memd.model.vault import Vault


def hand_over(
    vault: Vault,
    config: Config,
    now: datetime,
    material: Material,
    handed: Sequence[Handed],
    registered: Registered | None = None,
) -> Asking:
    """Takes a caller's episodes of the material's session. `turns` of each are event ids, or numbers of the events of
    `registered`'s call.

    Told: `Segmented`. Refuses: `conflict` where memd segmented the session, or a turn is in another episode;
    `not_found` for a turn that is not there.
    """
    memory, session = view.of(vault), material.session
    notes = session_files(vault, session)
    if (first := segmented_by(memory, notes)) not in ("", "agent"):
        raise Refused(
            "conflict", f"memd has segmented session {session!r} ({first}): hand over atoms, or use another session"
        )
    said = {turn.id: turn for turn in (yield from said_in(notes))}
    steps: list[Write] = []
    made: list[Made] = []
    for number, one in enumerate(handed):
        turns = tuple(said[id] for id in _ids(one, number, notes, registered, said))
        _unclaimed(memory, turns, session)
        write, told = _taken(vault, config, now, material, one, turns)
        made.append(told)
        steps += [write] if write else []
    reasons = (f"{len(steps)} episodes handed over",) if steps else ()
    return Plan(tuple(steps), reasons), Segmented(tuple(made), 0, "agent")


def _taken(
    vault: Vault, config: Config, now: datetime, material: Material, one: Handed, turns: tuple[Said, ...]
) -> tuple[Write | None, Made]:
    zone = zone_of(config, now)
    more: dict[str, Any] = {
        key: rfc3339(text, zone, f"episodes.{key}") for key, text in (("from", one.from_), ("to", one.to)) if text
    }
    own = [turn.id for turn in turns] or ["none", material.session, one.topic, one.narrative]
    id = make_id("ep", *own)
    if there := vault.by_id(id):
        return None, Made(id, there.path, str(there.frontmatter.get("topic") or there.title), False)
    if not turns:
        more |= {"session": material.session, "source": material.source, "category": material.category}
        more["created"] = now.isoformat(timespec="seconds")
    told = Narrative(one.topic.strip() or narrating.topic(turns), one.narrative.strip() or narrating.narrative(turns))
    write = episode_write(config, id, told, turns, "agent", material.origin, more)
    return write, Made(id, write.path, told.topic)


def _ids(
    one: Handed, number: int, notes: Sequence[Note], registered: Registered | None, said: dict[str, Said]
) -> list[str]:
    """Ids of the turns that a handed episode names; none for `turns: null`."""
    if one.turns is None:
        return []
    by_event = {t.event_id: f"{n.id}#{t.id}" for n in notes for t in n.turns if t.event_id}
    found: list[str] = []
    for name in one.turns:
        if isinstance(name, int) and registered and 0 <= name < len(registered.places):
            found += [registered.kept[place].id for place in registered.places[name]]
        elif isinstance(name, str) and (id := by_event.get(name) or (name if name in said else "")):
            found.append(id)
        else:
            raise Refused(
                "not_found",
                f"episodes[{number}] names a turn that is not there: {name!r}; give event ids or numbers of this call's events",
            )
    return [id for id in dict.fromkeys(found) if id in said]


def _unclaimed(memory: view.Memory, turns: Sequence[Said], session: str) -> None:
    mine = tuple(turn.id for turn in turns)
    for turn in turns:
        for id in memory.episodes_of_turn.get(turn.id, ()):
            if memory.turns_of[id] != mine:
                raise Refused(
                    "conflict",
                    f"a turn of session {session!r} is in another episode: {memory.files[id].title!r}",
                    episode=id,
                )


def segmented_by(memory: view.Memory, notes: Sequence[Note]) -> str:
    """The method of the first episode made of these evidence files, "" where there is none."""
    for note in notes:
        for turn in note.turns:
            for id in memory.episodes_of_turn.get(f"{note.id}#{turn.id}", ()):
                return str(memory.files[id].frontmatter.get("method") or METHOD)
    return ""
