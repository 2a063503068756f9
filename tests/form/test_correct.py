"""A person's word: corrections, confirmations, edits and deletions of memory files, moves and merges (design 4)."""

from __future__ import annotations

import pytest

from memd.form import correct, handedits, moves, trace
from memd.form.profile_text import read
from memd.model.errors import Refused
from tests.fakes.driver import NOW, Driver, atom

LATER = "2026-11-20T09:00:00+08:00"


def seated() -> tuple[Driver, str]:
    vault = Driver()
    (out,) = vault.take(
        "a",
        "I prefer aisle seats",
        atom("The user prefers aisle seats", "user", "seat", quotes=("I prefer aisle seats",)),
    )
    vault.patch()
    return vault, out.id


# correct and confirm


@pytest.mark.parametrize("text", ["The user prefers window seats", "用户喜欢靠窗的座位"])
def test_a_correction_is_evidence_of_its_own_and_replaces_the_leaf(text: str) -> None:
    """Old file untouched, profile and lineage follow."""
    vault, old = seated()
    before = vault.files[vault.leaf(old).path]
    told = vault.run(correct.correct(vault.vault, vault.config, NOW, old, text))
    assert told.superseded == (old,)
    assert vault.files[vault.leaf(old).path] == before
    assert vault.memory.superseded(old) == told.leaf
    assert vault.leaf(told.leaf).frontmatter["method"] == "human"
    assert text in vault.text("memory/profile.md")
    down = trace.trace(vault.memory, NOW, told.leaf, "down")
    assert "memory/evidence/" in str(down)


def test_a_profile_line_is_corrected_at_its_source() -> None:
    """The id of a line leads to the leaf."""
    vault, old = seated()
    (line,) = read(vault.text("memory/profile.md"))
    told = vault.run(correct.correct(vault.vault, vault.config, NOW, f"#{line.id}", "The user prefers window seats"))
    assert told.superseded == (old,)


def test_a_persons_own_line_changes_in_place() -> None:
    """No evidence is made of it: it is theirs."""
    vault, _ = seated()
    vault.put("memory/profile.md", "# Me\n\n- 不吃香菜 %%mine%%\n")
    (line,) = read(vault.text("memory/profile.md"))
    vault.run(correct.correct(vault.vault, vault.config, NOW, line.id, "不吃芹菜"))
    assert vault.text("memory/profile.md") == "# Me\n\n- 不吃芹菜 %%mine%%\n"


def test_what_cannot_be_corrected_is_refused_with_the_next_step() -> None:
    """History, unknown ids, the same text, credentials."""
    vault, old = seated()
    new = vault.run(correct.correct(vault.vault, vault.config, NOW, old, "The user prefers window seats")).leaf
    for id, text, code in (
        (old, "x y z", "conflict"),
        ("lf-nowhere00", "x", "not_found"),
        (new, "the user prefers window seats.", "invalid_params"),
        (new, "  ", "invalid_params"),
        (new, "Authorization: Bearer Zx9kTq3vLm7pRw2nYb5dHs8cJf", "refused_secret"),
    ):
        with pytest.raises(Refused) as fault:
            vault.plan_of(correct.correct(vault.vault, vault.config, NOW, id, text))
        assert fault.value.code == code


def test_a_value_of_history_is_put_right_as_the_refusal_says() -> None:
    """The current one corrected: it is the third; the old one forgotten: it never was so, and the current one stays."""
    vault, old = seated()
    new = vault.run(correct.correct(vault.vault, vault.config, NOW, old, "The user prefers window seats")).leaf
    with pytest.raises(Refused) as fault:
        vault.plan_of(correct.correct(vault.vault, vault.config, NOW, old, "The user prefers the front row"))
    assert f"correct {new}" in str(fault.value)
    assert f"forget {old}" in str(fault.value)
    vault.forget(leaf=old)
    assert old not in vault.memory.files
    assert vault.memory.active(new)
    newest = vault.run(correct.correct(vault.vault, vault.config, NOW, new, "The user prefers the front row")).leaf
    assert vault.memory.superseded(new) == newest


def test_confirming_adds_support_and_no_leaf() -> None:
    """The leaf was last stated now."""
    vault, leaf = seated()
    vault.run(correct.confirm(vault.vault, vault.config, NOW, leaf))
    assert len(vault.memory.support[leaf]) == 2
    assert len(vault.memory.of_kind("leaf")) == 1
    assert "last confirmed 2026-11-30" in vault.text("memory/profile.md")


def test_a_corrected_record_stays_with_its_source() -> None:
    """Integration leaves are owned by lineage, corrected ones too."""
    vault = Driver()
    (old,) = vault.take(
        "m", "ready", atom("The hold is ready", "Atlas", "hold"), source="gmail:primary", category="integration"
    )
    told = vault.run(correct.correct(vault.vault, vault.config, NOW, old.id, "The hold is cancelled"))
    assert vault.memory.tree_of(told.leaf) == "integration:gmail:primary"
    assert vault.memory.superseded(old.id) == told.leaf


# hand edits


def settle(vault: Driver, *paths: str, deleted=()):
    return vault.run(handedits.settle(vault.vault, vault.config, NOW, paths, deleted))


def test_an_edited_leaf_stays_as_the_person_left_it_and_rests_on_their_word() -> None:
    """Their text is the proposition, evidence of origin human, and the profile follows."""
    vault, leaf = seated()
    path = vault.leaf(leaf).path
    vault.put(
        path,
        vault.text(path).replace(
            "\nThe user prefers aisle seats\n", "\nThe user likes seats at the aisle, on trains only\n"
        ),
    )
    told = settle(vault, path)
    assert told.edited == (leaf,)
    assert vault.leaf(leaf).lead == "The user likes seats at the aisle, on trains only"
    assert "on trains only" in vault.text("memory/profile.md")
    vault.forget(session="a")
    assert vault.memory.active(leaf)
    assert not settle(vault, path).edited


def test_an_edited_leaf_that_was_superseded_is_current_again() -> None:
    """A person's edit says its words anew, so they are said last; the newer leaf is history, its file untouched."""
    vault, old = seated()
    words = "Window seats are better"
    (new,) = vault.take(
        "b",
        words,
        atom("The user prefers window seats", "user", "seat", quotes=(words,)),
        at="2026-03-05T09:00:00+08:00",
    )
    assert (vault.memory.active(old), vault.memory.active(new.id)) == (False, True)
    newer, path = vault.text(vault.leaf(new.id).path), vault.leaf(old).path
    vault.put(
        path, vault.text(path).replace("\nThe user prefers aisle seats\n", "\nThe user wants aisle seats again\n")
    )
    assert settle(vault, path).edited == (old,)
    assert (vault.memory.active(old), vault.memory.active(new.id)) == (True, False)
    assert vault.text(vault.leaf(new.id).path) == newer
    assert "wants aisle seats again" in vault.text("memory/profile.md")


@pytest.mark.parametrize("kind", ["episode", "chain", "summary"])
def test_an_edited_narrative_chain_or_summary_is_the_persons(kind: str) -> None:
    """Signed again as theirs; their words are evidence."""
    vault = Driver()
    for n in range(8):
        vault.take(
            f"s{n}", f"w{n}", atom(f"Rent is {n}", "Flat", "rent", quotes=(f"w{n}",)), at=f"2026-11-1{n}T09:00:00+08:00"
        )
    vault.weave()
    vault.seal()
    note = next(n for n in vault.memory.of_kind(kind))
    vault.put(note.path, vault.text(note.path) + "\nAnd the heating is extra.\n")
    assert settle(vault, note.path).edited == (note.id,)
    assert "And the heating is extra." in vault.text(note.path)
    assert any(b"heating is extra" in vault.files[p] for p in vault.paths("/evidence/"))


def test_files_that_nobody_edited_are_passed_over() -> None:
    """Properties that Obsidian adds, other line ends and a final newline are no edit of the body."""
    vault, leaf = seated()
    path = vault.leaf(leaf).path
    vault.put(
        path,
        vault.text(path)
        .replace("labels:", "labels:")
        .rstrip("\n")
        .replace("status: active", "status: active\ncssclasses: [wide]"),
    )
    assert not settle(vault, path).edited


def test_a_deleted_leaf_file_is_a_soft_forget() -> None:
    """Its episode does not bring it up again, the profile drops it, what it replaced comes back."""
    vault, old = seated()
    (new,) = vault.take(
        "b", "window", atom("The user prefers window seats", "user", "seat", quotes=("window",)), at=LATER
    )
    vault.patch()
    note = vault.leaf(new.id)
    vault.put(note.path, None)
    assert settle(vault, deleted=[note]).forgotten == (new.id,)
    assert vault.memory.active(old)
    assert "window" not in vault.text("memory/profile.md")
    assert "aisle" in vault.text("memory/profile.md")
    (again,) = vault.take(
        "b", "window", atom("The user prefers window seats", "user", "seat", quotes=("window",)), at=LATER
    )
    assert again.outcome == "not_admitted"


# moves


def test_a_leaf_moves_to_another_tree_and_the_move_is_recorded() -> None:
    """Same id, same name: links to it hold."""
    vault = Driver()
    (leaf,) = vault.take("a", "w", atom("It rattles in the cold", "it", "noise"))
    vault.take("b", "w", atom("The heater is old", "Heater", "age"))
    vault.run(moves.move_leaf(vault.vault, vault.config, NOW, leaf.id, "interaction:heater"))
    note = vault.leaf(leaf.id)
    assert note.path.startswith("memory/interaction/interaction-heater/leaves/")
    assert note.frontmatter["moved"][0]["from"] == "interaction:uncategorized"
    assert vault.memory.active(leaf.id)


def test_merging_two_entities_keeps_names_as_aliases_and_doubles_nothing() -> None:
    """Every leaf goes over; the same proposition is one leaf with the support of both."""
    vault = Driver()
    vault.take("a", "w", atom("The hall is red", "Pine hall", "colour"))
    (kept,) = vault.take(
        "b",
        "w",
        atom("The hall is red", "Pine Bridge hall", "colour"),
        atom("It has a stage", "Pine Bridge hall", "stage"),
    )[:1]
    told = vault.run(
        moves.merge(vault.vault, vault.config, NOW, "interaction:pine-hall", "interaction:pine-bridge-hall")
    )
    assert len(told.merged) == 1
    assert len(vault.memory.support[kept.id]) == 2
    assert not vault.paths("interaction-pine-hall")
    (again,) = vault.take("c", "w", atom("Pine hall has a bar", "Pine hall", "bar"))
    assert again.tree == "interaction:pine-bridge-hall"


def test_what_waited_without_an_owner_finds_it_later() -> None:
    """Reclassification by a name that is known by now, recorded; it creates nothing."""
    vault = Driver()
    (leaf,) = vault.take("a", "w", atom("That one rattles", "that", "noise"))
    (other,) = vault.take("b", "w", atom("This one hums", "this", "noise"))
    vault.take("c", "w", atom("The heater is old", "Heater", "age"))
    path = vault.memory.trees["interaction:heater"].path
    vault.put(path, vault.text(path).replace("name: Heater", "name: Heater\naliases: [that]"))
    told = vault.run(moves.reclassify(vault.vault, vault.config, NOW))
    assert told.leaves == ((leaf.id, "interaction:uncategorized", "interaction:heater"),)
    assert vault.leaf(leaf.id).frontmatter["entity_decision"] == "reclassified"
    assert vault.memory.tree_of(other.id) == "interaction:uncategorized"
