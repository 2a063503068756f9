"""Questions whose note is known, and the notes: English talks (LoCoMo, a session a note), Chinese passages (CMRC).

Read in place through `MEMD_DATA`. Knows the data sets; never who answers. A note's name says nothing of what is in it.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tests.bench.quality import sets

EACH = 20


class Asked(NamedTuple):
    """`note` is the name, without `.md`, of the one note that answers."""

    text: str
    note: str
    language: str


def make(folder: Path) -> list[Asked]:
    """Writes the notes below `folder`. No question where the data are not here."""
    notes: dict[str, str] = {}
    english = [asked for one in sets.locomo(sets.root() / "locomo") for asked in _talks(one, notes)]
    passages, questions = sets.cmrc(sets.root() / "cmrc2018")
    names = {id: _put(notes, text) for id, text in passages}
    chinese = [Asked(one.text, names[one.gold[0]], "zh") for one in questions]
    for name, text in notes.items():
        (folder / f"{name}.md").write_text(text, "utf-8")
    return [*_spread(english), *_spread(chinese)]


def _talks(dialogue: sets.Dialogue, notes: dict[str, str]) -> list[Asked]:
    where = {}
    for _, events in dialogue.sessions:
        lines = [f"{event.speaker}: {event.text}\n" for event in events]
        name = _put(notes, f"# {events[0].at:%d %B %Y}\n\n" + "\n".join(lines))
        where |= {event.id: name for event in events}
    found = [(one.text, {where[gold] for gold in one.gold}) for one in dialogue.questions]
    return [Asked(text, gold.pop(), "en") for text, gold in found if len(gold) == 1]


def _put(notes: dict[str, str], text: str) -> str:
    name = f"zq{len(notes):04d}"
    notes[name] = text
    return name


def _spread(questions: list[Asked]) -> list[Asked]:
    """So many of them, evenly over all."""
    return questions[:: max(1, len(questions) // EACH)][:EACH]
