"""Digests that are read back, staleness by policy, the backlog, lineage as a tree."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from memd.form import backlog, digest, profile_mark, stale, trace
from memd.form.policy import days, policy_for
from memd.form.profile_text import read
from memd.model.config import FormationConfig
from memd.model.errors import Refused
from tests.fakes.driver import NOW, Driver, atom, owned

DAY = date(2026, 10, 31)
LATER = "2026-11-20T09:00:00+08:00"


def learned() -> tuple[Driver, str, str]:
    vault = Driver()
    (old,) = vault.take(
        "a", "Kiln street", atom("The depot is in Kiln street", "Depot", "address", quotes=("Kiln street",))
    )
    (new,) = vault.take(
        "b", "Mill lane", atom("The depot is in Mill lane", "Depot", "address", quotes=("Mill lane",)), at=LATER
    )
    vault.take("c", "w", atom("It rattles", "it", "noise"))
    vault.take("d", "w", atom("Osprey's dose is low", "Osprey", "dose", sensitivity="sensitive"))
    return vault, old.id, new.id


def made(vault: Driver) -> str:
    return vault.run(digest.make(vault.vault, vault.config, NOW, "daily", DAY))


def tick(vault: Driver, path: str, item: str, box: str, text: str = "") -> None:
    rows = vault.text(path).split("\n")
    at = next(n for n, row in enumerate(rows) if row.startswith("- ") and item in row)
    at = next(n for n in range(at, len(rows)) if f"[ ] {box}" in rows[n])
    rows[at] = rows[at].replace("[ ]", "[x]") + (f" {text}" if text else "")
    vault.put(path, "\n".join(rows))


def test_a_digest_tells_what_was_learned_what_changed_and_what_is_in_doubt() -> None:
    """With the value before, links and boxes; sensitive memories are not in it; the same again writes nothing."""
    vault, *_ = learned()
    path = made(vault)
    text = vault.text(path)
    assert "## Changed" in text
    assert "(before: The depot is in Kiln street" in text
    assert "## In doubt" in text
    assert "Osprey" not in text
    made(vault)
    assert not vault.plans[-1]


def test_a_ticked_box_is_done_once() -> None:
    """Correct and forget from the page; the box is marked."""
    vault, _, new = learned()
    path = made(vault)
    tick(vault, path, "Mill lane", "correct:", "The depot is in Mill road")
    told = vault.run(digest.act(vault.vault, vault.config, NOW, path))
    assert told.done == ((new, "correct"),)
    assert vault.memory.superseded(new)
    assert vault.text(path).count("✓") == 1
    vault.run(digest.act(vault.vault, vault.config, NOW, path))
    assert not vault.plans[-1]


def test_confirming_and_forgetting_from_the_page() -> None:
    """One tick supports, the other softly forgets; several at once."""
    vault, _, new = learned()
    path = made(vault)
    tick(vault, path, "Mill lane", "confirm")
    tick(vault, path, "rattles", "forget")
    told = vault.run(digest.act(vault.vault, vault.config, NOW, path))
    assert [a for _, a in told.done] == ["confirm", "forget"]
    assert len(vault.memory.support[new]) == 2
    assert not any("rattles" in n.lead for n in vault.memory.of_kind("leaf"))
    assert vault.text(path).count("✓") == 1
    vault.run(digest.act(vault.vault, vault.config, NOW + timedelta(hours=1), path))
    assert len(vault.memory.support[new]) == 2


def test_a_box_that_cannot_be_done_says_why_and_stays() -> None:
    """`correct:` without words."""
    vault, _, new = learned()
    path = made(vault)
    tick(vault, path, "Mill lane", "correct:")
    told = vault.run(digest.act(vault.vault, vault.config, NOW, path))
    assert told.refused[0][:2] == (new, "correct")
    assert "✓" not in vault.text(path)


def test_chinese_memories_make_a_chinese_page_whose_boxes_work() -> None:
    """确认, 忘记, 更正."""
    vault = Driver()
    (out,) = vault.take("a", "图书馆周三开放", atom("青禾图书馆周三开放", "青禾图书馆", "开放时间"))
    path = made(vault)
    tick(vault, path, "周三开放", "更正：", "青禾图书馆周四开放")
    assert vault.run(digest.act(vault.vault, vault.config, NOW, path)).done == ((out.id, "correct"),)


@pytest.mark.parametrize(("period", "name"), [("daily", "2026-10-31"), ("weekly", "2026-W44")])
def test_a_period_has_its_days_and_name(period: str, name: str) -> None:
    """Weeks begin on Monday."""
    first, last, found = digest.span(period, DAY)
    assert found == name
    assert first <= DAY <= last


# staleness


@pytest.mark.parametrize(
    ("kind", "aspect", "after", "how"),
    [
        ("state", "address", "P30D", "check_before_use"),
        ("state", "release procedure", "P14D", "must_reconfirm"),
        ("claim", "发布流程", "P14D", "must_reconfirm"),
        ("state", "docs link", "P7D", "check_before_use"),
        ("state", "seat preference", "never", "none"),
        ("state", "生日", "never", "none"),
        ("event", "address", "never", "none"),
    ],
)
def test_policy_is_by_kind(kind: str, aspect: str, after: str, how: str) -> None:
    """Facts 30 days, procedures 14, references 7, preferences, identity and events never."""
    found = policy_for(kind, aspect, "x", "topic", FormationConfig())
    assert (found.staleness, found.verification) == (after, how)


def test_what_is_due_is_listed_with_what_to_do_and_where() -> None:
    """By the day it was last stated; confirming makes it fresh; superseded ones are not asked about."""
    vault, _, new = learned()
    assert new not in {s.id for s in stale.due(vault.memory, NOW)}
    then = NOW + timedelta(days=25)
    found = {s.id: s for s in stale.due(vault.memory, then)}
    assert found[new].verification == "check_before_use"
    assert found[new].source == "user"
    assert days("P30D") == 30
    assert days("never") is None


# backlog


def test_the_backlog_is_what_no_step_has_signed() -> None:
    """Turns, atoms, chains, seals, stale summaries, the profile: from files alone, gone when done."""
    vault = Driver(owned(seal=2))
    vault.said("loose", ("user", "hello"), episode=False)
    vault.said("bare", ("user", "hello again"))
    for n in range(3):
        vault.take(f"s{n}", f"w{n}", atom(f"Rent is {n}", "Flat", "rent"), at=f"2026-11-1{n}T09:00:00+08:00")
    found = backlog.backlog(vault.memory, vault.config)
    assert found.counts() == {
        "turns": 1, "episodes": 0, "atoms": 1, "chains": 3, "seals": 1, "stale": 0, "profile": 4, "uncategorized": 0
    }  # fmt: skip
    vault.seal()
    vault.weave()
    vault.patch()
    vault.take("new", "w", atom("Rent is 9", "Flat", "rent"), at=LATER)
    found = backlog.backlog(vault.memory, vault.config)
    assert found.stale
    assert found.chains
    assert len(found.profile) == 1
    assert backlog.backlog(vault.reopened().memory, vault.config) == found


def test_a_better_method_that_is_wanted_makes_what_rules_read_due_again() -> None:
    """Agents and people are not read over."""
    vault, *_ = learned()
    assert not backlog.backlog(vault.memory, owned(method="llm")).atoms
    vault.admit(vault.said("r", ("user", "w")), method="rules")
    assert len(backlog.backlog(vault.memory, owned(method="llm")).atoms) == 1


# trace


def test_every_derived_thing_leads_down_to_words_and_every_turn_up_to_all_that_rests_on_it() -> None:
    """Profile line, summary, chain, leaf, episode; with the quote; no dead end."""
    vault = Driver(owned(seal=2))
    for n in range(4):
        vault.take(
            f"s{n}",
            f"window {n}",
            atom(f"The user prefers seat {n}", "user", "seat", quotes=(f"window {n}",)),
            at=f"2026-11-1{n}T09:00:00+08:00",
        )
    vault.seal()
    vault.weave()
    vault.patch()
    lines = read(vault.text("memory/profile.md"))
    ids = [n.id for kind in ("leaf", "summary", "chain", "episode") for n in vault.memory.of_kind(kind)]
    for id in (*ids, f"#{lines[0].id}"):
        found = trace.trace(vault.memory, NOW, id, "down", lines)
        assert "memory/evidence/" in str(found["down"]), id
        assert found["missing"] == ""
    up = str(trace.trace(vault.memory, NOW, f"{vault.memory.of_kind('evidence')[3].id}#t1", "up", lines)["up"])
    for kind in ("episode", "leaf", "chain", "summary", "profile_line"):
        assert f"'kind': '{kind}'" in up


def test_the_first_missing_layer_is_named() -> None:
    """Where to look when something was not remembered."""
    vault = Driver()
    loose = vault.said("loose", ("user", "hello"), episode=False)
    assert trace.trace(vault.memory, NOW, f"{loose.id}#t1")["missing"] == "episode"
    bare = vault.said("bare", ("user", "hello"))
    assert trace.trace(vault.memory, NOW, bare.id)["missing"] == "atoms"
    (out,) = vault.take("q", "hello", atom("The mill is red", "Mill", "colour", quotes=("not said",)))
    assert trace.trace(vault.memory, NOW, out.id)["missing"] == "quotes"
    with pytest.raises(Refused):
        trace.trace(vault.memory, NOW, "lf-nowhere00")


def test_a_sensitive_node_tells_nothing_unless_asked() -> None:
    """Its id and no more."""
    vault = Driver()
    (out,) = vault.take(
        "q", "w", atom("Osprey's dose is low", "Osprey", "dose", sensitivity="sensitive", quotes=("w",))
    )
    assert "dose" not in str(trace.trace(vault.memory, NOW, out.id))
    assert "dose" in str(trace.trace(vault.memory, NOW, out.id, include_sensitive=True))


def test_the_profile_has_seen_what_it_says_it_has() -> None:
    """`unseen` is what came after `up_to`."""
    vault, *_ = learned()
    vault.patch()
    assert not profile_mark.unseen(vault.memory, vault.vault.notes["memory/profile.md"].frontmatter)
