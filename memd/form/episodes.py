"""Episodes: the turns of a session in bounded stretches, each with a topic and a narrative.

`segment` closes what is over and leaves the tail open; `hand_over` takes a caller's episodes; `narrate` writes a
narrative again by another method. Whoever segmented a session first keeps it. An episode's id is a function of its
turns, so what is done again comes out the same. Knows turns and their order; never what is worth remembering.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from memd.form import asked, files, view
from memd.form.episode_files import Made, Narrative, Segmented, episode_write, link_parts
from memd.form.evidence import session_files
from memd.form.handover import hand_over, segmented_by
from memd.form.keys import link, seconds
from memd.form.rules import METHOD, narrating
from memd.form.rules.boundaries import BATCH, CAP, cut, rounds
from memd.form.said import said_in, said_of
from memd.model.config import Config
from memd.model.fingerprint import make_id, sha256
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.plan import Plan, Write
from memd.model.question import Asking, Read
from memd.model.vault import Vault

__all__ = ["ANSWERS", "Boundaries", "Narrative", "hand_over", "narrate", "segment"]

IDLE = 1800.0
"""Seconds without a word after which a session's tail is over."""


WINDOW = 60
"""Turns that a model is shown at once."""


class Boundaries(Struct, frozen=True):
    """Answer to the task `boundaries`: numbers of the turns that begin a new episode, turn 0 left out."""

    starts: tuple[int, ...] = ()


ANSWERS: dict[str, type] = {"boundaries": Boundaries, "narrate": Narrative}
"""The type of the answer to each task of these steps; the prompts are `config/prompts/<task>.md`."""


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
    if not loose:
        return Plan(), Segmented(kept_by=owner)
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
    changes["set_aside"] = [link(*link_parts(turns[n])) for n in answer.set_aside if 0 <= n < len(turns)] or None
    content = files.with_body(data, answer.narrative.strip() + "\n", changes)
    write = Write(episode.path, content, sha256(data))
    return Plan((write,), (f"narrative of {answer.topic}",), ((episode.path, sha256(data)),)), True


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
    if close:
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
    write = episode_write(config, id, told, turns, method, "memd")
    return write, Made(id, write.path, told.topic)


# models --------------------------------------------------------------------------------------------------------------


def _told_by_model(turns: Sequence[Said], focus: str) -> Asking:
    answer = yield asked.judge("narrate", {"turns": asked.shown(turns, 2000), "focus": focus})
    if answer is None:
        return None
    told = msgspec.convert(answer, Narrative, from_attributes=True)
    return told if told.topic.strip() and told.narrative.strip() else None
