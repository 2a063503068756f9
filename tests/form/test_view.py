"""The view: everything said of memory is derived from files, the same however one came to the snapshot (invariant 1)."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memd.form import view
from memd.form.view import Memory
from tests.fakes.driver import Driver, atom

LATER = "2026-04-01T09:00:00+08:00"


def everything(memory: Memory) -> dict[str, object]:
    leaves = sorted(n.id for n in memory.of_kind("leaf"))
    return {
        "files": {id: (n.path, n.sha256) for id, n in memory.files.items()},
        "turns": memory.turns_of,
        "states": memory.states,
        "support": memory.support,
        "by turn": memory.episodes_of_turn,
        "slots": memory.slots,
        "prints": memory.prints,
        "superseded": {i: memory.superseded(i) for i in leaves},
        "active": [i for i in leaves if memory.active(i)],
        "order": {t: [n.id for n in memory.leaves(t)] for t in memory.trees},
        "chains": memory.members,
        "loose": memory.loose,
    }


OPS = st.lists(
    st.tuples(
        st.sampled_from(["take", "take", "take", "forget", "delete", "rename", "edit", "weave"]),
        st.integers(0, 5),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(OPS)
def test_a_view_taken_over_from_the_last_one_is_the_view_read_anew(ops: list[tuple[str, int, int]]) -> None:
    """After any change by memd or by hand; and after a restart."""
    vault, held = Driver(), Memory(Driver().vault)
    for what, n, value in ops:
        change(vault, what, n, value)
        held = Memory(vault.vault, held)
        assert everything(held) == everything(Memory(vault.vault))
    assert everything(Memory(vault.reopened().vault)) == everything(held)


def change(vault: Driver, what: str, n: int, value: int) -> None:
    leaves = sorted(p for p in vault.files if "/leaves/" in p and not p.startswith("."))
    path = leaves[n % len(leaves)] if leaves else ""
    if what == "take":
        vault.take(
            f"s{n}-{len(vault.plans)}",
            f"w{value}",
            atom(f"Rent {n} is {value}", f"Flat {n % 2}", "rent", quotes=(f"w{value}",)),
        )
    elif what == "weave":
        vault.weave()
    elif what == "forget" and vault.memory.episodes:
        vault.forget(episode=vault.memory.episodes[n % len(vault.memory.episodes)].id)
    elif path and what == "delete":
        vault.put(path, None)
    elif path and what == "rename":
        data = vault.files[path]
        vault.put(path, None)
        vault.put(path.replace("/leaves/", f"/leaves/{value}"), data)
    elif path and what == "edit":
        vault.put(path, vault.text(path).replace("status: active", f"status: {'inactive' if value else 'active'}"))


def test_the_same_snapshot_has_the_same_view() -> None:
    """Kept for the last snapshot asked about."""
    vault = Driver()
    assert view.of(vault.vault) is view.of(vault.vault)


def test_a_leaf_stands_while_one_episode_states_it_and_nobody_set_it_aside() -> None:
    """Support, and the person's `status`."""
    vault = Driver()
    (out,) = vault.take("a", "w", atom("Rent is 9", "Flat", "rent"))
    assert vault.memory.active(out.id)
    vault.put(out.path, vault.text(out.path).replace("status: active", "status: inactive"))
    assert not vault.memory.active(out.id)
    vault.put(out.path, vault.text(out.path).replace("status: inactive", "status: active"))
    vault.put(vault.paths("/episodes/")[0], None)
    assert not vault.memory.active(out.id)


def test_a_replacement_that_is_set_aside_brings_the_old_one_back() -> None:
    """Only what stands replaces."""
    vault = Driver()
    (old,) = vault.take("a", "w", atom("Rent is 8", "Flat", "rent"))
    (new,) = vault.take("b", "w", atom("Rent is 9", "Flat", "rent"), at=LATER)
    vault.put(new.path, vault.text(new.path).replace("status: active", "status: withdrawn"))
    assert vault.memory.active(old.id)


def test_links_hold_by_id_and_by_name_after_a_rename() -> None:
    """A file moved elsewhere, or renamed with its links rewritten, is the same leaf."""
    vault = Driver()
    (out,) = vault.take("a", "w", atom("Rent is 9", "Flat", "rent"))
    data = vault.files[out.path]
    vault.put(out.path, None)
    vault.put("memory/elsewhere/My rent.md", data)
    assert vault.memory.active(out.id)
    (episode,) = vault.paths("/episodes/")
    stem = out.path.rsplit("/", 1)[-1][:-3]
    vault.put(episode, vault.text(episode).replace(stem, "My rent"))
    assert vault.memory.active(out.id)


def test_two_files_with_one_id_are_one_leaf() -> None:
    """The one at the id's own path keeps it; "Make a copy" makes no second memory."""
    vault = Driver()
    (out,) = vault.take("a", "w", atom("Rent is 9", "Flat", "rent"))
    vault.put("memory/Copy of rent.md", vault.files[out.path])
    assert len(vault.memory.of_kind("leaf")) == 1
    assert vault.leaf(out.id).path == out.path


@pytest.mark.parametrize("value", [None, 7, "x", {"a": 1}, [1, None, {"b": 2}]])
def test_nonsense_in_keys_is_passed_over(value: object) -> None:
    """A person's file never raises."""
    import json

    vault = Driver()
    vault.take("a", "w", atom("Rent is 9", "Flat", "rent"))
    for key in ("turns", "states", "extracted"):
        path = vault.paths("/episodes/")[0]
        vault.put(path, vault.text(path).replace("\n---\n", f"\n{key}: {json.dumps(value)}\n---\n", 1))
    for key in ("supersedes", "quotes", "tree", "observed_at", "fingerprint"):
        path = vault.paths("/leaves/")[0]
        vault.put(path, vault.text(path).replace("\n---\n", f"\n{key}: {json.dumps(value)}\n---\n", 1))
    everything(vault.memory)
    assert not vault.canopy.stale
