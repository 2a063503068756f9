"""What an atom rests on in the evidence: its quotes, found word for word, and the turns that say it.

A quote that nobody said is dropped and counted. Knows turns with their words. Never knows what an atom is worth.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence

from msgspec import Struct

from memd.form.keys import inner, latest, link
from memd.model.fingerprint import one_line
from memd.model.memory import Atom, Said

LONGEST = 240
"""Characters of a turn that stand for it where an atom names the turn and quotes nothing."""

_MARKS = "\"'“”‘’「」『』《》 \t\n"


class Grounds(Struct, frozen=True):
    """`quotes`: `{turn: link, text}`; `lost`: quotes that are nowhere in the episode's turns."""

    quotes: tuple[dict[str, str], ...] = ()
    turns: tuple[str, ...] = ()
    speaker: str = ""
    observed_at: str = ""
    lost: int = 0
    sensitive: bool = False


def plain(text: str) -> str:
    return one_line(unicodedata.normalize("NFC", text))


def ground(atom: Atom, said: tuple[Said, ...]) -> Grounds:
    """`said`: the episode's turns in order. Turns are named by id, link, event id, or place in the episode (from 0)."""
    hinted = [turn for name in atom.turns if (turn := turn_named(name, said))]
    found: list[tuple[Said, str]] = []
    lost = 0
    for quote in atom.quotes:
        words = plain(quote).strip(_MARKS)
        turn = next((t for t in (*hinted, *said) if words and words in plain(t.text)), None)
        if turn:
            found.append((turn, words))
        elif words:
            lost += 1
    quoted = {turn.id for turn, _ in found}
    for turn in hinted:
        if turn.id not in quoted and turn.text.strip():
            found.append((turn, _opening(turn.text)))
    found = list(dict.fromkeys(found))
    turns = list(dict.fromkeys(turn for turn, _ in found))
    return Grounds(
        quotes=tuple({"turn": link(turn.link), "text": words} for turn, words in found),
        turns=tuple(turn.id for turn in turns),
        speaker=turns[0].speaker if turns else "",
        observed_at=latest(turn.at for turn in turns),
        lost=lost,
        sensitive=any(turn.sensitive for turn in turns),
    )


def located(texts: Iterable[str], said: tuple[Said, ...]) -> tuple[dict[str, str], ...]:
    """Those of the texts that a turn holds word for word, as quotes."""
    found = {}
    for text in texts:
        words = plain(text).strip(_MARKS)
        turn = next((t for t in said if words and words in plain(t.text)), None)
        if turn:
            found[turn.id, words] = {"turn": link(turn.link), "text": words}
    return tuple(found.values())


def turn_named(name: str | int, said: Sequence[Said]) -> Said | None:
    if isinstance(name, int):
        return said[name] if 0 <= name < len(said) else None
    name = inner(name)
    return next((t for t in said if name in (t.id, t.link, t.event_id) and name), None)


def _opening(text: str) -> str:
    """The turn's words from their beginning, whole sentences as far as they go."""
    words = plain(text)
    if len(words) <= LONGEST:
        return words
    cut = words[:LONGEST]
    end = max(cut.rfind(mark) for mark in ".!?。！？")
    return cut[: end + 1] if end > LONGEST // 3 else cut
