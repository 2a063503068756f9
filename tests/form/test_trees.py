"""Sealing: fixed groups, heights, a root, stale summaries replaced by new files, one path to the root (design 4)."""

from __future__ import annotations

import time

import pytest

from memd.form.files import edited
from memd.form.summaries import Child, Sentence, Summary, acceptable, dropped, extract, worded
from memd.model.config import Config, FormationConfig
from memd.model.errors import Refused
from tests.fakes.driver import Driver, atom

TREE = "interaction:harbor-kiosk"


def filled(count: int, config: Config | None = None, start: int = 0) -> Driver:
    vault = Driver(config)
    add(vault, count, start)
    return vault


def add(vault: Driver, count: int, start: int = 0) -> None:
    for group in range(start, start + count, 40):
        episode = vault.said(f"s{group}", ("user", f"list {group}"))
        rows = range(group, min(group + 40, start + count))
        vault.admit(
            episode, *(atom(f"Drawer {n} holds stamps of kind {n}", "Harbor kiosk", f"drawer {n}") for n in rows)
        )


def heights(vault: Driver) -> dict[int, int]:
    return {height: len(notes) for height, notes in vault.canopy.summaries(TREE).items()}


def test_seven_leaves_make_no_summary_and_the_eighth_makes_one() -> None:
    """Below a full group there is nothing; a second run adds nothing."""
    vault = filled(7)
    vault.seal(TREE)
    assert not vault.paths("/summaries/")
    add(vault, 1, 7)
    vault.seal(TREE)
    assert len(vault.paths("/summaries/h1/")) == 1
    assert not vault.paths("/summaries/h2/")
    before = dict(vault.files)
    vault.seal(TREE)
    assert not vault.plans[-1]
    assert vault.reopened().files == before


def test_sixty_four_leaves_make_eight_summaries_one_above_them_and_a_root() -> None:
    """Sealing goes up by height in one run."""
    vault = filled(64)
    vault.seal(TREE)
    assert heights(vault) == {1: 8, 2: 1}
    root = vault.canopy.roots[TREE]
    assert root.frontmatter["root"] is True
    (top,) = vault.canopy.children[root.id]
    assert vault.canopy.level(root.id) == 1
    assert vault.canopy.level(top) == 2
    leaf = vault.memory.leaves(TREE)[0].id
    assert vault.canopy.level(leaf) == 4
    assert not vault.canopy.stale


def test_two_devices_write_the_same_bytes() -> None:
    """Ids, names and bytes are functions of the children."""
    one, two = filled(24), filled(24)
    one.seal()
    two.seal()
    assert one.files == two.files


def test_appending_a_leaf_touches_one_path_to_the_root() -> None:
    """The eight groups before keep their files; only what is above the new group is written."""
    vault = filled(71)
    vault.seal()
    before = {p: d for p, d in vault.files.items() if "/summaries/" in p}
    add(vault, 1, 71)
    vault.seal()
    written = {p for p, d in vault.files.items() if "/summaries/" in p and before.get(p) != d}
    assert len([p for p in written if "/h1/" in p]) == 1
    assert len(written) == 2
    assert all(vault.files[p] == d for p, d in before.items() if "/h" in p)


def test_a_superseded_child_makes_its_parents_stale_and_they_are_replaced_by_new_files() -> None:
    """Readable until then; the old file is not edited, the group stays the same."""
    vault = filled(64)
    vault.seal()
    old = {p: d for p, d in vault.files.items() if "/summaries/h" in p}
    vault.take(
        "x", "now string", atom("Drawer 3 holds string", "Harbor kiosk", "drawer 3"), at="2026-05-01T09:00:00+08:00"
    )
    first = vault.canopy.parent[vault.memory.leaves(TREE)[3].id]
    assert first in vault.canopy.stale
    assert {p: d for p, d in vault.files.items() if "/summaries/h" in p} == old
    group = vault.canopy.children[first]
    told = vault.seal()
    assert first in told.replaced
    assert heights(vault) == {1: 8, 2: 1}
    assert not vault.canopy.stale
    assert all(old[p] == d for p, d in vault.files.items() if p in old)
    renewed = vault.canopy.parent[group[3]]
    assert renewed != first
    assert vault.canopy.children[renewed] == group
    assert "Before: Drawer 3" in vault.text(vault.memory.files[renewed].path)


def test_a_forgotten_child_leaves_a_smaller_group_that_is_not_filled_up() -> None:
    """Fixed groups for ever."""
    vault = filled(17)
    vault.seal()
    leaf = vault.memory.leaves(TREE)[2]
    vault.forget(leaf=leaf.id)
    vault.seal()
    assert sorted(
        len(c) for s, c in vault.canopy.children.items() if s in {n.id for n in vault.canopy.summaries(TREE)[1]}
    ) == [7, 8]
    assert not any(b"Drawer 2 holds" in d for p, d in vault.files.items() if not p.startswith("."))


def test_a_child_that_lost_its_support_by_hand_is_told_no_longer() -> None:
    """The person deleted the episode: the summary is stale, and its successor is made without the leaf."""
    vault = filled(8)
    vault.take("x", "w", atom("Osprey sleeps in the kiosk", "Harbor kiosk", "guest"))
    add(vault, 7, 40)
    vault.seal()
    assert any(b"Osprey" in vault.files[p] for p in vault.paths("/summaries/"))
    vault.put(vault.memory.files[vault.memory.episodes[1].id].path, None)
    assert vault.canopy.stale
    vault.seal()
    assert not any(b"Osprey" in vault.files[p] for p in vault.paths("/summaries/"))


def test_every_sentence_cites_its_children_and_times_and_labels_come_up() -> None:
    """Links lead down; the range is that of the subtree."""
    vault = Driver()
    for n in range(8):
        vault.take(
            f"s{n}",
            "w",
            atom(f"Plot {n} grows crop {n}", "Harbor kiosk", f"plot {n}", labels=("garden",)),
            at=f"2026-03-0{n + 1}T09:00:00+08:00",
        )
    vault.seal()
    (note,) = vault.canopy.summaries(TREE)[1]
    assert (note.frontmatter["from"][:10], note.frontmatter["to"][:10]) == ("2026-03-01", "2026-03-08")
    assert note.frontmatter["labels"] == ["garden"]
    body = vault.text(note.path).split("---\n")[2]
    assert body.count("[[") == 8
    assert not edited(note, vault.files[note.path])


def test_a_tree_that_is_none_is_refused() -> None:
    """Its name was misspelt: that nothing was due would be a lie."""
    with pytest.raises(Refused, match="no tree is called"):
        Driver().seal("interaction:nobody")


def test_uncategorized_does_not_seal() -> None:
    """What waits for an owner is not summarised."""
    vault = Driver()
    episode = vault.said("u", ("user", "w"))
    vault.admit(episode, *(atom(f"It rattles {n} times", "it", f"noise {n}") for n in range(9)))
    vault.seal()
    assert not vault.paths("/summaries/")


def test_sensitive_children_are_counted_and_not_told() -> None:
    """A summary says nothing of them, and what they say is not in `dropped` either."""
    vault = Driver()
    vault.admit(
        vault.said("a", ("user", "w")), *(atom(f"Plot {n} grows crop", "Harbor kiosk", f"plot {n}") for n in range(7))
    )
    vault.take("b", "w", atom("Osprey was treated on 2026-02-14", "Harbor kiosk", "treatment", sensitivity="sensitive"))
    vault.seal()
    text = "".join(vault.text(p) for p in vault.paths("/summaries/"))
    assert "Osprey" not in text
    assert "2026-02-14" not in text
    assert "Sensitive and not told here" in text
    assert not vault.canopy.summaries(TREE)[1][0].sensitive


def test_what_a_summary_does_not_carry_is_named() -> None:
    """Numbers, dates, names and negations of the children."""
    told = dropped(
        "The kiosk opens.", [Child("a", "a", "Osprey paid 1,200 on 2026-03-01 and never came. 图书馆没有开门")]
    )
    assert {"Osprey", "1,200", "2026-03-01", "never", "没有"} <= set(told)


def test_chinese_and_english_sentences_are_extracted_whole() -> None:
    """Full stops of both scripts end sentences."""
    children = (
        Child("a", "甲", "青禾图书馆周三开放。周四闭馆。"),
        Child("b", "b", "The mill is shut. It opens in May."),
    )
    body = worded(extract(children), children).body
    assert body.startswith("青禾图书馆周三开放。 [[甲|1]] 周四闭馆。 [[甲|1]] The mill is shut. [[b|2]]")


@pytest.mark.parametrize(
    ("sentence", "holds"),
    [
        (Sentence("Box 1 is full", (1,)), True),
        (Sentence("Box 9 is full", (1,)), False),
        (Sentence("Box 1 is full", ()), False),
        (Sentence("Box 1 is full", (3,)), False),
        (Sentence("Secret", (2,)), False),
    ],
)
def test_a_models_summary_may_bring_in_no_number_and_must_cite(sentence: Sentence, holds: bool) -> None:
    """An answer that fails is not taken; the extract is."""
    children = (Child("a", "a", "Box 1 is full"), Child("b", "b", "Secret", hidden=True))
    assert acceptable(Summary((sentence,)), children) is holds


def test_a_model_words_the_summary_and_signs_it() -> None:
    """`llm:<model>` stands on the file; without an answer the rules do."""
    answer = {"sentences": [{"text": "The drawers hold stamps", "children": [1, 2, 3, 4, 5, 6, 7, 8]}]}
    config = Config(formation=FormationConfig(method="llm"))
    vault = Driver(config, judge=lambda q: answer if q.task == "summary" else None)
    add(vault, 8)
    vault.seal()
    (note,) = vault.canopy.summaries(TREE)[1]
    assert note.frontmatter["method"].startswith("llm:")
    assert note.lead.startswith("The drawers hold stamps. [[")


@pytest.mark.slow
def test_ten_thousand_leaves_seal_in_bounded_steps() -> None:
    """Each run writes at most a bounded number of summaries; runs go on until there is no more; then nothing is due."""
    vault = Driver()
    for group in range(0, 10_000, 500):
        episode = vault.said(f"s{group}", ("user", f"list {group}"))
        vault.admit(
            episode,
            *(
                atom(f"Drawer {n} holds stamps of kind {n}", "Harbor kiosk", f"drawer {n}")
                for n in range(group, group + 500)
            ),
        )
    began, runs = time.monotonic(), 1
    while vault.seal(TREE).more:
        runs += 1
        assert len(vault.plans[-1].steps) <= 300
    print(f"10,000 leaves sealed in {runs} runs, {time.monotonic() - began:.1f} s")
    assert heights(vault) == {1: 1250, 2: 156, 3: 19, 4: 2}
    assert not vault.canopy.stale
