"""What is forgotten leaves nothing behind: the vault after `forget X` equals one that never saw X (design 4).

A history is a list of days; on each something is said or a person puts a hand to memory, and on one of them something
is forgotten. Compared is what is known, not what files are called: turns that never came leave other numbers.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from memd.form import correct, handedits, human
from memd.form.profile_text import read as profile_lines
from memd.model.memory import Atom
from memd.parse.memory import turns
from tests.fakes.driver import NOW, Driver, atom, owned

SUBJECTS = ("Larch trail", "user", "青禾图书馆")
ASPECTS = ("access", "seat preference", "开放时间")
VALUES = ("open", "shut", "周三开放", "aisle", "window")
EXAMPLES = int(os.environ.get("MEMD_HISTORIES", "25"))
"""Histories tried of each kind of target."""
KINDS = ("turn", "episode", "evidence", "session", "source", "leaf", "entity")

Place = tuple[int, int, int]
"""(day, episode, fact) of a turn in a history."""


class Fact(Struct, frozen=True):
    subject: str
    aspect: str
    value: str
    sure: float = 0.95
    kind: str = "state"
    until: str = ""

    @property
    def text(self) -> str:
        return f"{self.subject} {self.aspect}: {self.value} ({self.kind})"

    def atom(self) -> Atom:
        return atom(
            self.text, self.subject, self.aspect, self.kind, self.sure, quotes=(self.text,), valid_to=self.until
        )


class Said(Struct, frozen=True):
    """One session: the day it speaks of, where it came from, and what each of its episodes says, a turn a fact."""

    on: int
    source: str
    episodes: tuple[tuple[Fact, ...], ...]


class Hand(Struct, frozen=True):
    """A person corrects or confirms a leaf over the API, or edits or deletes its file; `number` picks one that is current."""

    act: str
    number: int
    value: str


Day = Said | Hand

facts = st.builds(
    Fact,
    st.sampled_from(SUBJECTS),
    st.sampled_from(ASPECTS),
    st.sampled_from(VALUES),
    st.sampled_from((0.95, 0.95, 0.95, 0.7, 0.02)),
    st.sampled_from(("state", "state", "claim", "event")),
    st.sampled_from(("", "", "2026-12-20", "2026-12-24")),
)
episodes = st.lists(facts, min_size=1, max_size=3, unique_by=lambda f: f.text).map(tuple)
sessions = st.builds(
    Said, st.integers(1, 28), st.sampled_from(("chat", "mail")), st.lists(episodes, min_size=1, max_size=2).map(tuple)
)
hands = st.builds(
    Hand, st.sampled_from(("correct", "confirm", "edit", "delete")), st.integers(0, 5), st.sampled_from(VALUES)
)
histories = st.lists(st.one_of(sessions, sessions, hands), min_size=1, max_size=6)


class Built(Struct):
    """A vault that took a history in, day by day. `done`: what the person's hand met on each day, in words."""

    driver: Driver
    method: str
    done: dict[int, str]


def built(
    history: list[Day],
    patched: frozenset[int],
    method: str,
    never: Callable[[Place], bool] = lambda place: False,
    unsaid: Callable[[Place], bool] = lambda place: False,
    forget: Callable[[Built, int], None] = lambda built, day: None,
) -> Built:
    """`never`: turns that do not come; `unsaid`: turns that come and of which nothing is drawn."""
    made = Built(Driver(owned(seal=2)), method, {})
    for day, happens in enumerate(history):
        made.driver.now = NOW + timedelta(hours=day)
        if isinstance(happens, Said):
            take(made, day, happens, never, unsaid)
        elif not never((day, 0, 0)):
            hand(made, day, happens)
        forget(made, day)
        made.driver.now = NOW + timedelta(hours=day, minutes=30)
        if day in patched:
            made.driver.patch()
            made.driver.seal()
    made.driver.weave()
    made.driver.patch()
    return made


def take(made: Built, day: int, said: Said, never: Callable[[Place], bool], unsaid: Callable[[Place], bool]) -> None:
    driver, created = made.driver, made.driver.now.isoformat()
    at = f"2026-11-{said.on:02}T{day:02}:{{:02}}:00+08:00"
    rows = [(e, n, f) for e, told in enumerate(said.episodes) for n, f in enumerate(told) if not never((day, e, n))]
    if not rows:
        return
    words = tuple(("user", fact.text, at.format(e)) for e, _, fact in rows)
    evidence = driver.said(f"s{day}", *words, at=at.format(0), created=created, source=said.source, episode=False)
    stem = evidence.path.rpartition("/")[2].removesuffix(".md")
    for e in range(len(said.episodes)):
        mine = [(n, row) for n, row in enumerate(rows, 1) if row[0] == e]
        if not mine:
            continue
        told = tuple(("user", row[2].text) for _, row in mine)
        note = driver.episode(f"s{day}", stem, [n for n, _ in mine], told, at.format(e), created)
        driver.admit(note, *(f.atom() for _, (_, n, f) in mine if not unsaid((day, e, n))), method=made.method)


def hand(made: Built, day: int, happens: Hand) -> None:
    driver = made.driver
    memory = driver.memory
    current = sorted((n for n in memory.of_kind("leaf") if memory.active(n.id)), key=lambda n: (n.lead, n.id))
    if not current:
        return
    leaf = current[happens.number % len(current)]
    made.done[day] = f"{happens.act} {leaf.lead}"
    text = f"{leaf.lead.partition(':')[0]}: {happens.value} (by hand)"
    if happens.act in ("correct", "edit") and text == leaf.lead:
        return
    if happens.act == "correct":
        driver.run(correct.correct(driver.vault, driver.config, driver.now, leaf.id, text))
    elif happens.act == "confirm":
        driver.run(correct.confirm(driver.vault, driver.config, driver.now, leaf.id))
    elif happens.act == "edit":
        driver.put(leaf.path, driver.text(leaf.path).replace(f"\n{leaf.lead}\n", f"\n{text}\n", 1))
        driver.run(handedits.settle(driver.vault, driver.config, driver.now, (leaf.path,)))
    else:
        driver.put(leaf.path, None)
        driver.run(handedits.settle(driver.vault, driver.config, driver.now, (), (leaf,)))


def state(driver: Driver) -> dict[str, object]:
    memory = driver.memory
    sessions = {e.id: _said_in(driver, e.id) for e in memory.episodes}
    leaves = {
        (memory.tree_of(n.id), n.lead, n.status, memory.active(n.id), n.frontmatter.get("valid_to"), tuple(sorted(sessions[e] for e in memory.support.get(n.id, ()))))
        for n in memory.of_kind("leaf")
        if memory.supported(n.id)
    }  # fmt: skip
    chains = {n.title: tuple(memory.files[i].lead for i in memory.members[n.id]) for n in memory.of_kind("chain")}
    evidence = {
        n.path: [(s.speaker, s.text, s.at) for s in turns(n, driver.text(n.path))] for n in memory.of_kind("evidence")
    }
    lines = profile_lines(driver.files.get("memory/profile.md", b"").decode())
    profile = sorted((n.section, n.text, n.status, n.first_seen, n.last_confirmed, n.until) for n in lines)
    trees = {t for t in memory.trees if memory.leaves(t)}
    return {"leaves": leaves, "chains": chains, "evidence": evidence, "profile": profile, "trees": trees}


def _said_in(driver: Driver, episode: str) -> tuple[str, ...]:
    memory = driver.memory
    stems = dict.fromkeys(turn.partition("#")[0] for turn in memory.turns_of[episode])
    return (*(memory.files[id].path for id in stems), str(memory.files[episode].frontmatter.get("from", "")))


def _places(history: list[Day]) -> dict[Place, Fact]:
    return {
        (day, e, n): fact
        for day, said in enumerate(history)
        if isinstance(said, Said)
        for e, told in enumerate(said.episodes)
        for n, fact in enumerate(told)
    }


def _target(kind: str, history: list[Day], at: Place, driver: Driver) -> dict[str, str]:
    """What a caller would name to forget the thing of this kind that the turn belongs to."""
    memory, said = driver.memory, history[at[0]]
    assert isinstance(said, Said)
    fact = said.episodes[at[1]][at[2]]
    evidence = next(n.id for n in memory.of_kind("evidence") if n.frontmatter["session"] == f"s{at[0]}")
    turn = f"{evidence}#t{1 + sum(len(told) for told in said.episodes[: at[1]]) + at[2]}"
    leaf = next((n.id for n in memory.of_kind("leaf") if n.lead == fact.text), "")
    return {
        "turn": {"turn": turn},
        "episode": {"episode": memory.episodes_of_turn[turn][0]},
        "evidence": {"evidence": evidence},
        "session": {"session": f"s{at[0]}"},
        "source": {"source": said.source},
        "leaf": {"leaf": leaf},
        "entity": {"entity": memory.tree_of(leaf) if leaf else ""},
    }[kind]


def _same(kind: str, history: list[Day], at: Place, until: int) -> Callable[[Place], bool]:
    """Whether a turn belongs to what is forgotten on the day `until`."""
    places = _places(history)
    fact, said = places[at], history[at[0]]
    belongs: dict[str, Callable[[Place], bool]] = {
        "turn": lambda p: p == at,
        "episode": lambda p: p[:2] == at[:2],
        "evidence": lambda p: p[0] == at[0],
        "session": lambda p: p[0] == at[0],
        "source": lambda p: getattr(history[p[0]], "source", "") == getattr(said, "source", "-"),
        "leaf": lambda p: places[p].text == fact.text,
        "entity": lambda p: places[p].subject == fact.subject,
    }
    return lambda p: p in places and p[0] <= until and belongs[kind](p)


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=EXAMPLES)
@given(histories, st.data())
def test_what_is_forgotten_was_never_there(kind: str, history: list[Day], data: st.DataObject) -> None:
    """Evidence, active leaves with their support, chains and profile lines are those of a vault that never saw it,
    whatever was said or put right by hand before and after."""
    places = sorted(_places(history))
    assume(places)
    at = data.draw(st.sampled_from(places), "forgotten")
    until = data.draw(st.integers(at[0], len(history) - 1), "on the day")
    patched = frozenset(data.draw(st.sets(st.integers(0, len(history) - 1)), "patched"))
    method = data.draw(st.sampled_from(("rules", "agent")), "method")
    gone = _same(kind, history, at, until)
    known: set[str] = set()

    def forget(made: Built, day: int) -> None:
        if day == until:
            target = _target(kind, history, at, made.driver)
            assume(all(target.values()))
            known.update(note.lead for note in made.driver.memory.of_kind("leaf"))
            made.driver.forget(**target)

    forgot = built(history, patched, method, forget=forget)
    if kind in ("leaf", "entity"):
        facts = _places(history)
        unsaid = lambda place: gone(place) and (kind == "entity" or facts[place].text in known)  # noqa: E731
        never = built(history, patched, method, unsaid=unsaid)
    else:
        never = built(history, patched, method, never=gone)
    assume(forgot.done == never.done)
    assert state(forgot.driver) == state(never.driver)
    if not any(isinstance(day, Hand) and day.act == "delete" for day in history):
        assert not forgot.driver.canopy.lost
    assert state(forgot.driver.reopened()) == state(forgot.driver)


@settings(max_examples=EXAMPLES)
@given(histories, st.data())
def test_what_a_person_said_by_hand_and_forgot_was_never_said(history: list[Day], data: st.DataObject) -> None:
    """A correction or confirmation whose turn is forgotten: the vault is that of a person who said nothing that day."""
    by_hand = [day for day, said in enumerate(history) if isinstance(said, Hand) and said.act in ("correct", "confirm")]
    assume(by_hand)
    on = data.draw(st.sampled_from(by_hand), "said")
    until = data.draw(st.integers(on, len(history) - 1), "forgotten on the day")
    patched = frozenset(data.draw(st.sets(st.integers(0, len(history) - 1)), "patched"))

    def forget(made: Built, day: int) -> None:
        if day == until:
            said = (NOW + timedelta(hours=on)).isoformat()
            turn = next((t for t in _told_by_hand(made.driver) if t[1] == said), None)
            assume(turn is not None)
            made.driver.forget(turn=turn[0] if turn else "")

    forgot = built(history, patched, "agent", forget=forget)
    never = built(history, patched, "agent", never=lambda place: place == (on, 0, 0))
    assume({day: done for day, done in forgot.done.items() if day != on} == never.done)
    assert state(forgot.driver) == state(never.driver)


def _told_by_hand(driver: Driver) -> list[tuple[str, str]]:
    """(id, said at) of what a person said to memd itself."""
    notes = (n for n in driver.memory.of_kind("evidence") if n.frontmatter["session"] == human.SESSION)
    return [(turn.id, turn.at) for note in notes for turn in turns(note, driver.text(note.path))]
