"""Atoms: the propositions of an episode that may become leaves, each with the words that it rests on.

Three sources, one shape: the caller hands them over, a model answers, the rules read. Quotes are located in the evidence
word for word; one that nobody said is dropped and the rationale says so. Never decides what is admitted, or whose it is.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime

import msgspec
from msgspec import Struct

from memd.form import asked, view
from memd.form.evidence import Registered, session_files
from memd.form.keys import shortened
from memd.form.quoting import plain, turn_named
from memd.form.rules import METHOD, atoms_of
from memd.form.rules.boundaries import words_of
from memd.form.rules.sentences import split
from memd.form.said import said_in, said_of
from memd.model.config import Config
from memd.model.fingerprint import one_line
from memd.model.memory import Atom, Confidence, Said
from memd.model.note import Note
from memd.model.plan import Plan
from memd.model.question import Asking
from memd.model.vault import Vault

WINDOW = 40
"""Turns that a model reads at once."""
RECORD = 480
"""Characters of a record that its leaf tells."""


class Atoms(Struct, frozen=True):
    """Answer to the task `atoms`. `turns` of each atom are the numbers that the turns were shown with."""

    atoms: tuple[Atom, ...] = ()


ANSWERS: dict[str, type] = {"atoms": Atoms}
"""The type of the answer to the task of this step; the prompt is `config/prompts/atoms.md`."""


class Extracted(Struct, frozen=True):
    """`method` signs the episode. `pending`: nobody could answer; the episode stays due and nothing is signed."""

    atoms: tuple[Atom, ...]
    method: str
    pending: bool = False


class Shared(Struct, frozen=True):
    """Handed atoms by episode: (episode id, numbers of the atoms). `open`: numbers of those whose turns have none yet."""

    episodes: tuple[tuple[str, tuple[int, ...]], ...] = ()
    open: tuple[int, ...] = ()


def extract(
    vault: Vault,
    config: Config,
    now: datetime,
    episode: Note,
    handed: Sequence[Atom] = (),
    registered: Registered | None = None,
) -> Asking:
    """The candidate atoms of an episode. Told: `Extracted`, quotes verbatim, turns as links (`stem#^t3`), those of the
    quotes first and in their order.

    Handed atoms are taken as they are; else the configured method reads the turns. `focus` changes the order only.
    """
    said: tuple[Said, ...] = yield from said_of(vault, episode)
    notes = _evidence(vault, episode)
    if handed:
        named = [_renamed(atom, registered, said) for atom in handed]
        return Plan(), Extracted(tuple(_located(atom, said) for atom in named), "agent")
    if any(note.frontmatter.get("category") == "integration" for note in notes):
        source = str(notes[0].frontmatter.get("source") or "source")
        return Plan(), Extracted(tuple(_record(turn, source) for turn in said if turn.text.strip()), METHOD)
    focus, owner = asked.focus_of(notes), _owner(notes, config)
    if config.formation.method == "llm":
        found = yield from _by_model(said, focus, owner)
        if found is None:
            return Plan(), Extracted((), "", pending=True)
        return Plan(), Extracted(_focused(found, focus), asked.method_of(config))
    return Plan(), Extracted(_focused(atoms_of(said, owner), focus), METHOD)


def share_out(
    vault: Vault,
    config: Config,
    now: datetime,
    session: str,
    handed: Sequence[Atom],
    registered: Registered | None = None,
) -> Asking:
    """Which episode each handed atom belongs to: that of its turns, else of its quotes, else the session's last one.

    Told: `Shared`.
    """
    memory = view.of(vault)
    notes = session_files(vault, session)
    said = yield from said_in(notes)
    latest = _latest(memory, session, said)
    found: dict[str, list[int]] = defaultdict(list)
    waiting: list[int] = []
    for number, atom in enumerate(handed):
        turn = next(iter(_turns(_renamed(atom, registered, said), said)), None)
        if turn is None:
            turn = next((t for q in atom.quotes for t in said if plain(q) and plain(q) in plain(t.text)), None)
        holding = memory.episodes_of_turn.get(turn.id, ()) if turn else (latest,) if latest else ()
        if holding:
            found[holding[-1]].append(number)
        else:
            waiting.append(number)
    return Plan(), Shared(tuple((id, tuple(numbers)) for id, numbers in found.items()), tuple(waiting))


def _latest(memory: view.Memory, session: str, said: Sequence[Said]) -> str:
    """The session's last episode, one without turns included; "" where it has none."""
    for turn in reversed(said):
        if found := memory.episodes_of_turn.get(turn.id):
            return found[-1]
    bare = [e for e in memory.episodes if e.frontmatter.get("session") == session]
    return bare[-1].id if bare else ""


def _evidence(vault: Vault, episode: Note) -> tuple[Note, ...]:
    memory = view.of(vault)
    ids = dict.fromkeys(turn.partition("#")[0] for turn in memory.turns_of.get(episode.id, ()))
    return tuple(memory.files[id] for id in ids)


def _owner(notes: Sequence[Note], config: Config) -> str:
    return str(next((n.frontmatter["owner"] for n in notes if n.frontmatter.get("owner")), "")) or config.owner.name


# what an atom rests on -----------------------------------------------------------------------------------------------


def _renamed(atom: Atom, registered: Registered | None, said: Sequence[Said]) -> Atom:
    """Numbers of a call's events as the ids of their turns."""
    if registered is None or not any(isinstance(name, int) for name in atom.turns):
        return atom
    turns: list[str | int] = []
    for name in atom.turns:
        if isinstance(name, int) and 0 <= name < len(registered.places):
            turns += [registered.kept[place].id for place in registered.places[name]]
        elif isinstance(name, str):
            turns.append(name)
    return msgspec.structs.replace(atom, turns=tuple(turns))


def _turns(atom: Atom, said: Sequence[Said]) -> list[Said]:
    """The turns that an atom names, by id, link, event id, or number among those shown."""
    return [turn for name in atom.turns if (turn := turn_named(name, said))]


def _located(atom: Atom, said: Sequence[Said]) -> Atom:
    """The atom with its quotes as they were said; a quote that is nowhere is dropped, and the rationale says so."""
    named = _turns(atom, said)
    quotes: list[tuple[str, str]] = []
    lost = 0
    for quote in atom.quotes:
        place = next(((t.link, v) for t in (*named, *said) if (v := verbatim(quote, t.text))), None)
        if place:
            quotes.append(place)
        elif quote.strip():
            lost += 1
    links = [link for link, _ in quotes]
    rest = [t.link for t in named if t.link not in links]
    return msgspec.structs.replace(
        atom,
        quotes=tuple(words for _, words in quotes),
        turns=(*links, *rest),
        rationale=_noted(atom.rationale, lost),
    )


def _noted(rationale: str, lost: int) -> str:
    if not lost:
        return rationale
    note = "a quote was dropped: nobody said it" if lost == 1 else f"{lost} quotes were dropped: nobody said them"
    return f"{rationale}; {note}" if rationale else note


_MARKS = "\"'“”‘’「」『』《》 \t\r\n"


def verbatim(quote: str, text: str) -> str:
    """The words of the text that a quote means, white space and outer marks aside; "" where they are not there."""
    words = plain(quote).strip(_MARKS)
    if not words or words not in plain(text):
        return ""
    found = re.search(r"\s+".join(map(re.escape, words.split(" "))), text)
    return found[0] if found else words


# the other two methods -------------------------------------------------------------------------------------------------


def _by_model(said: Sequence[Said], focus: str, owner: str) -> Asking:
    """Atoms by the model, window by window; None where one window was not answered."""
    found: list[Atom] = []
    for at in range(0, len(said), WINDOW):
        window = said[at : at + WINDOW]
        answer = yield asked.judge("atoms", {"turns": asked.shown(window, 2000), "focus": focus, "owner": owner})
        if answer is None:
            return None
        found += [_located(atom, window) for atom in msgspec.convert(answer, Atoms, from_attributes=True).atoms]
    return tuple(atom for atom in found if atom.text.strip())


def _record(turn: Said, source: str) -> Atom:
    """A record of a source as one proposition: its heading and as much of its words as a leaf tells."""
    lines = [line for line in turn.text.strip().splitlines() if line.strip()]
    heading = lines[0].lstrip("# ").strip() if lines and lines[0].startswith("#") else ""
    words = " ".join(s.text for s in split("\n".join(lines[1:] if heading else lines)))
    text = f"{heading}: {words}" if heading and words else heading or words
    kept = shortened(text, RECORD)
    return Atom(
        kept if len(kept) == len(one_line(text)) else f"{kept} …",
        subject=source,
        aspect=shortened(heading or words, 60),
        kind="claim",
        holder=turn.speaker,
        speaker=turn.speaker,
        turns=(turn.link,),
        quotes=(verbatim(shortened(words or heading, 200), turn.text),) if words or heading else (),
        confidence=Confidence(admission=0.9),
        rationale="a record of its source",
    )


def _focused(atoms: Sequence[Atom], focus: str) -> tuple[Atom, ...]:
    """Atoms near the focus first; none is left out."""
    wanted = set(words_of(focus))
    if not wanted:
        return tuple(atoms)
    return tuple(sorted(atoms, key=lambda atom: -len(wanted & set(words_of(f"{atom.text} {atom.aspect}")))))
