"""What is forgotten leaves nothing behind: the vault after `forget X` equals one that never saw X (design 4, issue 6)."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import Struct

from memd.form.profile_text import read as profile_lines
from tests.fakes.driver import Driver, atom, owned

SUBJECTS = ("Larch trail", "user", "青禾图书馆")
ASPECTS = ("access", "seat preference", "开放时间")
VALUES = ("open", "shut", "周三开放", "aisle", "window")


class Said(Struct, frozen=True):
    """One session: its day, and what it says as (subject, aspect, value, confidence, kind)."""

    day: int
    facts: tuple[tuple[str, str, str, float, str], ...]


facts = st.tuples(
    st.sampled_from(SUBJECTS),
    st.sampled_from(ASPECTS),
    st.sampled_from(VALUES),
    st.sampled_from((0.95, 0.95, 0.95, 0.7, 0.02)),
    st.sampled_from(("state", "state", "claim", "event")),
)
sessions = st.lists(
    st.builds(Said, st.integers(1, 28), st.lists(facts, min_size=1, max_size=3).map(tuple)), min_size=1, max_size=6
)


def built(said: dict[int, Said], patches: frozenset[int], chained: bool) -> Driver:
    """A vault that took in the sessions in order, patching the profile after some of them."""
    driver = Driver(owned(seal=2))
    for number in range(max([*said, *patches], default=0) + 1):
        driver.arrivals = number * 10
        if number in said:
            ingest(driver, number, said[number])
        if number in patches:
            driver.patch()
            driver.seal()
    if chained:
        driver.weave()
    return driver


def ingest(driver: Driver, number: int, said: Said) -> None:
    texts = [f"{subject} {aspect}: {value} ({kind})" for subject, aspect, value, _, kind in said.facts]
    episode = driver.said(
        f"s{number}", *(("user", t) for t in texts), at=f"2026-11-{said.day:02}T0{number}:00:00+08:00"
    )
    atoms = [
        atom(t, subject, aspect, kind, sure, quotes=(t,))
        for t, (subject, aspect, _, sure, kind) in zip(texts, said.facts, strict=True)
    ]
    driver.admit(episode, *atoms)


def state(driver: Driver) -> dict[str, object]:
    memory = driver.memory
    leaves = {
        (
            memory.tree_of(n.id),
            n.lead,
            n.status,
            memory.active(n.id),
            tuple(sorted(memory.files[e].path for e in memory.support[n.id])),
        )
        for n in memory.of_kind("leaf")
        if memory.supported(n.id)
    }
    chains = {n.title: tuple(memory.files[i].lead for i in memory.members[n.id]) for n in memory.of_kind("chain")}
    evidence = {n.path: driver.files[n.path] for n in memory.of_kind("evidence")}
    lines = profile_lines(driver.files.get("memory/profile.md", b"").decode())
    profile = {(n.text, n.section, n.status, n.first_seen, n.last_confirmed, n.until) for n in lines}
    return {
        "leaves": leaves,
        "chains": chains,
        "evidence": evidence,
        "profile": profile,
        "trees": {t for t, n in memory.trees.items() if n},
    }


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(sessions, st.data())
def test_a_forgotten_session_was_never_there(said: list[Said], data: st.DataObject) -> None:
    """Evidence, active leaves with their support, chains and profile lines are those of a vault that never saw it."""
    numbered = dict(enumerate(said))
    gone = data.draw(st.sampled_from(sorted(numbered)), "forgotten")
    patches = frozenset(data.draw(st.sets(st.sampled_from(sorted(numbered))), "patches"))
    chained = data.draw(st.booleans(), "chained")
    driver = built(numbered, patches, chained)
    driver.forget(session=f"s{gone}")
    never = built({n: s for n, s in numbered.items() if n != gone}, patches, chained)
    assert state(driver) == state(never)
    assert not driver.canopy.lost
    left = state(driver)
    again = driver.reopened()
    assert state(again) == left
