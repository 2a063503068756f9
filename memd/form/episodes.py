"""Episodes: the turns of a session in bounded stretches, each with a topic and a narrative.

`segment` closes what is over and leaves the tail open; `hand_over` takes a caller's episodes; `narrate` writes a
narrative again by another method. Whoever segmented a session first keeps it. An episode's id is a function of its
turns, so what is done again comes out the same. Knows turns and their order; never what is worth remembering.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from memd.form import asked, files, view
from memd.form.evidence import Registered, rfc3339, session_files, zone_of
from memd.form.keys import link, seconds
from memd.form.rules import METHOD, narrating
from memd.form.rules.boundaries import BATCH, CAP, cut, rounds
from memd.form.said import said_in, said_of
from memd.model.config import Config
from memd.model.errors import Refused
from memd.model.fingerprint import make_id, sha256
from memd.model.memory import Handed, Said
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault, stem
from memd.parse.memory import narrative as body_of
from memd.parse.text import decode

IDLE = 1800.0
"""Seconds without a word after which a session's tail is over."""
WINDOW = 60
"""Turns that a model is shown at once."""


class Boundaries(Struct, frozen=True):
    """Answer to the task `boundaries`: numbers of the turns that begin a new episode, turn 0 left out."""

    starts: tuple[int, ...] = ()


class Narrative(Struct, frozen=True):
    """Answer to the task `narrate`."""

    topic: str
    narrative: str
    set_aside: tuple[int, ...] = ()


ANSWERS: dict[str, type] = {"boundaries": Boundaries, "narrate": Narrative}
"""The type of the answer to each task of these steps; the prompts are `config/prompts/<task>.md`."""


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


def segment(vault: Vault, config: Config, now: datetime, session: str, close: bool = False) -> Asking:
    """Makes episodes of a session's turns that have none; the last stretch stays open until `close` or idle time.

    Told: `Segmented`. A session that a caller segmented is left to the caller.
    """
    memory = view.of(vault)
    notes = session_files(vault, session)
    owner = segmented_by(memory, notes)
    if owner == "agent":
        return Plan(), Segmented(kept_by=owner)
    loose = yield from _loose(memory, notes)
    starts, method = yield from _starts(config, notes, loose)
    stretches = [loose[a:b] for a, b in zip(starts, [*starts[1:], len(loose)], strict=True)]
    waiting = _tail(stretches, close, now)
    steps: list[Write] = []
    made: list[Made] = []
    for stretch in stretches:
        if stretch is waiting:
            continue
        write, told = yield from _episode(vault, config, notes, stretch, method)
        made.append(told)
        steps += [write] if write else []
    plan = Plan(tuple(steps), (f"{len(steps)} episodes of session {session}",) if steps else ())
    return plan, Segmented(tuple(made), len(waiting or ()), owner or (method if made else ""))


def hand_over(
    vault: Vault,
    config: Config,
    now: datetime,
    session: str,
    handed: Sequence[Handed],
    registered: Registered | None = None,
    *,
    source: str = "",
    category: str = "interaction",
    origin: str = "agent",
) -> Asking:
    """Takes a caller's episodes. `turns` of each are event ids, or numbers of the events of `registered`'s call.

    Told: `Segmented`. Refuses: `conflict` where memd segmented the session, or a turn is in another episode;
    `not_found` for a turn that is not there.
    """
    memory = view.of(vault)
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
        write, told = _handed(
            vault, config, now, session, one, turns, {"source": source, "category": category, "origin": origin}
        )
        made.append(told)
        steps += [write] if write else []
    return Plan(tuple(steps), (f"{len(steps)} episodes handed over",) if steps else ()), Segmented(
        tuple(made), 0, "agent"
    )


def narrate(vault: Vault, config: Config, now: datetime, episode: Note) -> Asking:
    """Writes topic and narrative again by the wanted method. Told: whether the file changed.

    What a person wrote stays. Where the model does not answer nothing changes, and the episode stays due.
    """
    if config.formation.method != "llm" or episode.frontmatter.get("method") in ("agent", asked.method_of(config)):
        return Plan(), False
    data = yield Read(episode.path)
    if data is None or files.edited(episode, data):
        return Plan(), False
    turns = yield from said_of(vault, episode)
    answer = yield from _told_by_model(turns, "")
    if answer is None:
        return Plan(), False
    changes = {"topic": answer.topic, "method": asked.method_of(config)}
    changes["set_aside"] = [link(*_parts(turns[n])) for n in answer.set_aside if 0 <= n < len(turns)] or None
    content = files.with_body(data, answer.narrative.strip() + "\n", changes)
    write = Write(episode.path, content, sha256(data))
    return Plan((write,), (f"narrative of {answer.topic}",), ((episode.path, sha256(data)),)), True


def segmented_by(memory: view.Memory, notes: Sequence[Note]) -> str:
    """The method of the first episode made of these evidence files, "" where there is none."""
    for note in notes:
        for turn in note.turns:
            for id in memory.episodes_of_turn.get(f"{note.id}#{turn.id}", ()):
                return (
                    "agent"
                    if memory.files[id].frontmatter.get("method") == "agent"
                    else str(memory.files[id].frontmatter.get("method") or METHOD)
                )
    return ""


# turns ---------------------------------------------------------------------------------------------------------------


def _loose(memory: view.Memory, notes: Sequence[Note]) -> Asking:
    """Turns that no episode holds. Files whose turns all have one are not read."""
    due = [n for n in notes if any(f"{n.id}#{t.id}" not in memory.episodes_of_turn for t in n.turns)]
    said = yield from said_in(due)
    return tuple(turn for turn in said if turn.id not in memory.episodes_of_turn)


def _starts(config: Config, notes: Sequence[Note], loose: Sequence[Said]) -> Asking:
    """Where episodes begin, and by which method: a model's boundaries moved to the rounds they fall into."""
    if (
        config.formation.method != "llm"
        or len(loose) < 2
        or any(n.frontmatter.get("category") == "integration" for n in notes)
    ):
        return cut(loose), METHOD
    firsts = [first for first, _ in rounds(loose)]
    starts = {0}
    for at in range(0, len(loose), WINDOW):
        shown = loose[at : at + WINDOW]
        inputs = {"turns": asked.shown(shown), "focus": asked.focus_of(notes)}
        answer = yield asked.judge("boundaries", inputs)
        if answer is None:
            return cut(loose), METHOD
        wanted = {
            at + n for n in msgspec.convert(answer, Boundaries, from_attributes=True).starts if 0 < n < len(shown)
        }
        starts |= {max(f for f in firsts if f <= n) for n in wanted}
    return _capped(sorted(starts), firsts, len(loose)), asked.method_of(config)


def _capped(starts: list[int], firsts: list[int], length: int) -> list[int]:
    """No episode beyond the hard cap, whatever was judged."""
    kept: list[int] = []
    for start, end in zip(starts, [*starts[1:], length], strict=True):
        kept.append(start)
        for first in firsts:
            if kept[-1] < first < end and first - kept[-1] >= CAP:
                kept.append(first)
    return kept


def _tail(stretches: list[Sequence[Said]], close: bool, now: datetime) -> Sequence[Said] | None:
    """The last stretch, where more may still come to it."""
    if close or not stretches or not stretches[-1]:
        return None
    last = stretches[-1][-1]
    heard = seconds(last.captured_at) or 0.0
    return stretches[-1] if now.timestamp() - heard < IDLE and len(stretches[-1]) < CAP + BATCH else None


# files ---------------------------------------------------------------------------------------------------------------


def _episode(vault: Vault, config: Config, notes: Sequence[Note], turns: Sequence[Said], method: str) -> Asking:
    id = make_id("ep", *(turn.id for turn in turns))
    if there := vault.by_id(id):
        return None, Made(id, there.path, there.title, False)
    told = None
    if config.formation.method == "llm":
        told = yield from _told_by_model(turns, asked.focus_of(notes))
    if told is None:
        owner = (
            str(next((n.frontmatter["owner"] for n in notes if n.frontmatter.get("owner")), "")) or config.owner.name
        )
        told = Narrative(narrating.topic(turns, owner), narrating.narrative(turns), tuple(narrating.set_aside(turns)))
        method = METHOD
    write = _write(config, id, told, turns, method, "memd")
    return write, Made(id, write.path, told.topic)


def _handed(
    vault: Vault,
    config: Config,
    now: datetime,
    session: str,
    one: Handed,
    turns: tuple[Said, ...],
    given: dict[str, str],
) -> tuple[Write | None, Made]:
    zone = zone_of(config, now)
    bounds = {
        key: rfc3339(text, zone, f"episodes.{key}") for key, text in (("from", one.from_), ("to", one.to)) if text
    }
    id = make_id("ep", *((t.id for t in turns) if turns else ("none", session, one.topic, one.narrative)))
    if there := vault.by_id(id):
        return None, Made(id, there.path, str(there.frontmatter.get("topic") or there.title), False)
    told = Narrative(one.topic.strip() or narrating.topic(turns), one.narrative.strip() or narrating.narrative(turns))
    more: dict[str, Any] = dict(bounds)
    if not turns:
        more |= {
            "session": session,
            "source": given["source"],
            "category": given["category"],
            "created": now.isoformat(timespec="seconds"),
        }
    write = _write(config, id, told, turns, "agent", given["origin"], more)
    return write, Made(id, write.path, told.topic)


def _write(
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
        "turns": [link(*_parts(turn)) for turn in turns],
        "set_aside": [link(*_parts(turns[n])) for n in told.set_aside if 0 <= n < len(turns)],
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
    name = files.named(told.topic, id, sensitive)
    path = f"{config.formation.folder}/episodes/{day[:4]}/{day[5:7]}/{day}-{name}.md"
    return files.signed(path, keys, told.narrative.strip() + "\n")


def _parts(turn: Said) -> tuple[str, str, str]:
    name, _, block = turn.link.partition("#^")
    return stem(name), "", block


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


# models --------------------------------------------------------------------------------------------------------------


def _told_by_model(turns: Sequence[Said], focus: str) -> Asking:
    answer = yield asked.judge("narrate", {"turns": asked.shown(turns, 2000), "focus": focus})
    if answer is None:
        return None
    told = msgspec.convert(answer, Narrative, from_attributes=True)
    return told if told.topic.strip() and told.narrative.strip() else None


def narrative_of(vault: Vault, episode: Note) -> Asking:
    """The narrative of an episode as its file has it now. Told: text, "" where there is no file."""
    data = yield Read(episode.path)
    return body_of(decode(data)[0]) if data is not None else ""
