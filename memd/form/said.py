"""Turns with their words, read back from the evidence: of files, of an episode. Knows order; never what turns mean."""

from __future__ import annotations

from collections.abc import Sequence

from memd.form import view
from memd.form.keys import seconds
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.question import Asking, Read
from memd.model.vault import Vault
from memd.parse.memory import turns as turns_in
from memd.parse.text import decode


def said_in(notes: Sequence[Note]) -> Asking:
    """The turns of evidence files with their words, by time; turns of unknown time stay behind what they followed."""
    found: list[Said] = []
    for note in notes:
        data = yield Read(note.path)
        if data is not None:
            found += turns_in(note, decode(data)[0])
    moment = 0.0
    order: list[tuple[float, int]] = []
    for place, turn in enumerate(found):
        moment = (seconds(turn.at) or moment) if turn.at else moment
        order.append((moment, place))
    return tuple(found[place] for _, place in sorted(order))


def said_of(vault: Vault, episode: Note) -> Asking:
    """The turns of an episode with their words, in its order. Told: `tuple[Said, ...]`."""
    memory = view.of(vault)
    wanted = memory.turns_of.get(episode.id, ())
    notes = [memory.files[id] for id in dict.fromkeys(turn.partition("#")[0] for turn in wanted)]
    said = {turn.id: turn for turn in (yield from said_in(notes))}
    return tuple(said[id] for id in wanted if id in said)
