"""Copies of memory's own files: evidence is joined by turn, derived files are chosen alike on every device."""

from __future__ import annotations

from datetime import datetime, timedelta

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.form import evidence, leaves, reunion, together
from memd.form.episodes import segment
from memd.form.evidence import Material
from memd.model.memory import Atom, Event
from memd.model.plan import ABSENT
from memd.parse.memory import spans
from tests.fakes.driver import NOW, Driver

DAY = "2026-04-02T09:{:02}:00+08:00"
COPY = ".sync-conflict-20261130-120000-ABCDEF7.md"


def event(n: int, id: str = "", words: str = "") -> Event:
    return Event("ann" if n % 2 else "bo", words or f"word{n} of the talk about kilns", id=id, at=DAY.format(n))


def device(*batches: tuple[Event, ...], now: datetime = NOW, form: bool = False) -> Driver:
    """A device that took in these batches of one session."""
    driver = Driver()
    driver.now = now
    for n, events in enumerate(batches):
        material = Material("s", events)
        at = now + timedelta(seconds=n)
        driver.run(evidence.register(driver.vault, driver.config, at, material))
        if form:
            driver.run(segment(driver.vault, driver.config, at, "s", True))
    return driver


def path_of(driver: Driver) -> str:
    return next(path for path in driver.files if "/evidence/" in path)


def turns(data: bytes) -> list[tuple[str, str]]:
    return [(s.turn.id, s.words) for s in spans(data.decode())]


def meet(winner: Driver, loser: Driver) -> Driver:
    """The winner's files, with the loser's as a sync engine leaves them: beside, where both have one, else as they are."""
    met = winner.reopened()
    for path, data in loser.files.items():
        if path not in met.files:
            met.put(path, data)
        elif met.files[path] != data:
            met.put(path[:-3] + COPY, data)
    return met


def settle(met: Driver) -> Driver:
    """What the daemon does with the copies: evidence first, again while there is one that can be settled."""
    for _ in range(5):
        for path in sorted(
            (p for p in met.files if COPY in p and not p.startswith(".")), key=lambda p: "evidence" not in p
        ):
            if path in met.files:
                met.run(reunion.settle(met.vault, met.config, NOW, path, path.replace(COPY, ".md")))
    return met


def living(driver: Driver) -> dict[str, bytes]:
    return {path: data for path, data in driver.files.items() if not path.startswith(".")}


def test_one_session_taken_in_twice_is_one_file_with_the_earlier_capture_times() -> None:
    """Turns that differ in their capture time alone are the same; nothing is added, whichever side won."""
    events = tuple(map(event, range(4)))
    early, late = device(events), device(events, now=NOW + timedelta(hours=2))
    path = path_of(early)
    for note, copy in ((early, late), (late, early)):
        done = together.joined(note.files[path], copy.files[path])
        assert done is not None
        assert done.content == early.files[path]
        assert done.places == {f"t{n}": f"t{n}" for n in range(1, 5)}


def test_a_turn_that_only_the_copy_has_comes_behind_under_a_free_number() -> None:
    """Turns of the note keep their numbers; `turns` counts them all."""
    one, other = device((event(0), event(1))), device((event(1), event(2), event(3)))
    path = path_of(one)
    done = together.joined(one.files[path], other.files[path])
    assert done is not None
    assert done.places == {"t1": "t2", "t2": "t4", "t3": "t3"}
    assert sorted(words for _, words in turns(done.content)) == sorted(event(n).text for n in range(4))
    assert b"\nturns: 4\n" in done.content


def test_another_file_is_not_joined() -> None:
    """Two ids are two files, whatever their names."""
    one = device((event(0),))
    other = one.files[path_of(one)].replace(b"id: ev-", b"id: ev-x")
    assert together.joined(one.files[path_of(one)], other) is None
    assert together.joined(b"a note\n", one.files[path_of(one)]) is None


TALK = st.lists(st.integers(0, 8), max_size=7, unique=True)


@settings(max_examples=60, deadline=None)
@given(TALK, TALK, st.booleans(), st.booleans())
def test_no_turn_is_lost_or_doubled(first: list[int], second: list[int], named: bool, swapped: bool) -> None:
    """Whatever each device took in, in whatever order: the union of the turns, each once, and joining again adds none."""
    sides = [
        device(tuple(event(n, f"m{n}" if named else "") for n in side), now=NOW + timedelta(minutes=k))
        for k, side in enumerate((first, second))
        if side
    ]
    if len(sides) < 2:
        return
    note, copy = (driver.files[path_of(driver)] for driver in (reversed(sides) if swapped else sides))
    done = together.joined(note, copy)
    assert done is not None
    found = turns(done.content)
    assert len({id for id, _ in found}) == len(found)
    assert sorted(words for _, words in found) == sorted(event(n).text for n in {*first, *second})
    assert {done.places[id]: words for id, words in turns(copy)}.items() <= dict(found).items()
    assert dict(turns(note)).items() <= dict(found).items()
    again = together.joined(done.content, copy)
    assert again is not None
    assert again.content == done.content


def test_what_two_devices_formed_of_the_same_turns_is_one_of_each() -> None:
    """Episodes and leaves that differ in their times alone: the earlier stays on both sides, nothing is left over."""

    def made(now: datetime) -> Driver:
        driver = device((event(0), event(1)), now=now, form=True)
        episode = driver.memory.episodes[0]
        atom = Atom("Ann fires kilns", subject="Ann", aspect="craft", quotes=(event(1).text,), confidence=0.95)
        driver.run(leaves.admit(driver.vault, driver.config, now, episode, (atom,)))
        return driver

    early, late = made(NOW), made(NOW + timedelta(hours=1))
    assert early.files.keys() == late.files.keys()
    for met in (settle(meet(early, late)), settle(meet(late, early))):
        assert living(met) == living(early)


def test_links_follow_turns_that_two_devices_numbered_alike() -> None:
    """An episode and a leaf of the side that lost lead to their own words under the new number, and are no twins."""

    def made(side: tuple[Event, ...], text: str, now: datetime) -> Driver:
        driver = device(side, now=now, form=True)
        episode = driver.memory.episodes[0]
        atom = Atom(text, subject="Ann", aspect=text, quotes=(side[0].text,), confidence=0.95)
        driver.run(leaves.admit(driver.vault, driver.config, now, episode, (atom,)))
        return driver

    one = made((event(1, words="Glaze is mixed on Mondays."), event(2, words="Yes, always.")), "Glaze day", NOW)
    two = made((event(3, words="The kiln was sold to Bo."),), "Kiln sold", NOW + timedelta(hours=1))
    met = settle(meet(one, two))
    memory = met.memory
    said = {f"t{n}": words for n, words in ((s.turn.id[1:], s.words) for s in spans(met.text(path_of(met))))}
    assert sorted(said.values()) == ["Glaze is mixed on Mondays.", "The kiln was sold to Bo.", "Yes, always."]
    assert len(memory.episodes) == 2
    spoken = {ep.id: [said[t.partition("#")[2]] for t in memory.turns_of[ep.id]] for ep in memory.episodes}
    assert sorted(spoken.values()) == [["Glaze is mixed on Mondays.", "Yes, always."], ["The kiln was sold to Bo."]]
    for leaf in memory.of_kind("leaf"):
        quote = leaf.frontmatter["quotes"][0]
        assert quote["text"] in said[quote["turn"].rstrip("]").partition("#^")[2]]
        assert quote["turn"][:-2] in met.text(leaf.path).partition("\n---\n")[2]
        assert memory.support[leaf.id]
    assert not [path for path in living(met) if COPY in path]
    ids = [note.id for note in met.vault.notes.values() if note.id]
    assert len(ids) == len(set(ids))


def test_what_comes_late_follows_turns_that_stand_and_no_others() -> None:
    """An episode that comes after its evidence was joined gets the numbers of now; where one of its turns was forgotten
    meanwhile, it is left as it came."""
    one, two = device((event(0), event(1)), form=True), device((event(2), event(3)), form=True)
    path, late = path_of(one), two.memory.episodes[0].path
    kept = f".conflict/{path[:-3]}{COPY[:-3]}__copy__0a1b2c3d.md"
    done = together.joined(one.files[path], two.files[path])
    assert done is not None
    for gone in ("", "t4"):
        met = one.reopened()
        met.put(path, done.content)
        if gone:
            met.put(path, done.content[: done.content.index(b"**", done.content.index(b"^t3"))])
        met.put(kept, two.files[path])
        came = late[:-3] + "-late.md"
        met.put(came, two.files[late])
        met.run(reunion.follow(met.vault, path, kept))
        found = [text for name, text in living(met).items() if "/episodes/" in name and name != late]
        linked = b"".join(found)
        assert (b"#^t3" in linked, b"#^t4" in linked) == (not gone, not gone)


def test_a_leaf_that_a_person_edited_wins() -> None:
    """The version with a person's words stays, on whichever side it was; two such versions are left to them."""
    one = device((event(0), event(1)), form=True)
    path = one.memory.episodes[0].path
    edited = one.reopened()
    edited.put(path, one.text(path) + "\nA line by hand.\n")
    for met in (settle(meet(one, edited)), settle(meet(edited, one))):
        assert living(met) == living(edited)
    both = one.reopened()
    both.put(path, one.text(path) + "\nAnother line by hand.\n")
    left = settle(meet(edited, both))
    assert path[:-3] + COPY in left.files


def test_a_note_that_changed_since_it_was_indexed_is_not_judged() -> None:
    """The plan is made on the bytes that the snapshot knows; else the copy waits."""
    one, late = device((event(0),)), device((event(1),))
    met = meet(one, late)
    path = path_of(one)
    met.files[path] += b"\n"
    plan, told = met.plan_of(reunion.settle(met.vault, met.config, NOW, path[:-3] + COPY, path))
    assert (bool(plan), told) == (False, False)
    assert ABSENT not in [sha for _, sha in plan.reads]
    assert msgspec.structs.asdict(plan)["steps"] == ()
