"""Chains: one subject, one aspect, every value with its date; corrections only where words said so (seed personos)."""

from __future__ import annotations

import pytest

from memd.form import trace
from tests.fakes.driver import NOW, Driver, atom

ZH = (
    (
        "我准备每周三去青禾图书馆学摄影。",
        "改到周六怎么样？那天人少。",
        "同学下月要在云岭美术馆办展览。",
        "图书馆临时闭馆，学摄影改到松桥活动室。",
    ),
    (
        "小林准备在青禾图书馆学摄影",
        "小林准备每周三学摄影",
        "据小林转述，同学下月要在云岭美术馆办展览",
        "小林学摄影改到松桥活动室",
    ),
    ("去青禾图书馆学摄影", "我准备每周三", "同学下月要在云岭美术馆办展览", "学摄影改到松桥活动室"),
    ("小林", "摄影学习地点", "摄影学习时间", "小林的同学", "展览地点"),
    ("青禾", "松桥", "云岭", "周六"),
)
EN = (
    ("I plan to study photography at Green Field library every Wednesday.", "How about Saturday?", "A classmate will hold an exhibition at Cloud Ridge gallery next month.", "The library is shut for now, photography moves to Pine Bridge hall."),
    ("Xiao Lin plans to study photography at Green Field library", "Xiao Lin plans to study photography every Wednesday", "Xiao Lin says that a classmate will hold an exhibition at Cloud Ridge gallery", "Xiao Lin's photography moves to Pine Bridge hall"),
    ("study photography at Green Field library", "every Wednesday", "exhibition at Cloud Ridge gallery", "photography moves to Pine Bridge hall"),
    ("Xiao Lin", "photography place", "photography time", "Xiao Lin's classmate", "exhibition place"),
    ("Green Field", "Pine Bridge", "Cloud Ridge", "Saturday"),
)  # fmt: skip


@pytest.fixture(params=[ZH, EN], ids=["zh", "en"])
def story(request: pytest.FixtureRequest) -> tuple[Driver, tuple[str, ...], str, str]:
    """The seed's story told in one language: (vault, the words looked for, old leaf, new leaf)."""
    words, texts, quotes, (who, place, when, friend, show), names = request.param
    vault = Driver()
    first = vault.said(
        "0402", (who, words[0]), ("assistant", words[1]), (who, words[2]), at="2026-04-02T10:00:00+08:00"
    )
    old, _, _ = vault.admit(
        first,
        atom(texts[0], who, place, "claim", quotes=(quotes[0],)),
        atom(texts[1], who, when, "claim", quotes=(quotes[1],)),
        atom(texts[2], friend, show, "claim", holder=friend, quotes=(quotes[2],)),
    )
    second = vault.said("0409", (who, words[3]), at="2026-04-09T10:00:00+08:00")
    (new,) = vault.admit(second, atom(texts[3], who, place, "claim", quotes=(quotes[3],)))
    vault.weave()
    return vault, names, old.id, new.id


Story = tuple[Driver, tuple[str, ...], str, str]


def chain_text(vault: Driver) -> str:
    (path,) = vault.paths("/chains/")
    return vault.text(path)


def test_where_now_is_the_chains_current_value(story: Story) -> None:
    """The newer place is current, the older superseded."""
    vault, _, old, new = story
    (note,) = vault.memory.of_kind("chain")
    assert vault.memory.refer(note.frontmatter["current"]) == new
    assert vault.memory.superseded(old) == new


def test_where_before_is_in_the_chain_with_its_date(story: Story) -> None:
    """Both values, both dates, in order."""
    vault, (before, now, *_), old, new = story
    text = chain_text(vault)
    assert text.index("2026-04-02") < text.index("2026-04-09")
    assert before in text
    assert now in text
    assert vault.memory.members[vault.memory.of_kind("chain")[0].id] == (old, new)


def test_why_it_changed_is_answered_from_evidence_only(story: Story) -> None:
    """The narrative gives no cause; the words that say it are one trace away."""
    vault, _, _, new = story
    text = chain_text(vault).split("---\n")[2]
    assert not any(word in text for word in ("因为", "because", "导致", "闭馆", "shut"))
    down = trace.trace(vault.memory, NOW, new, "down")["down"]
    assert down["children"][0]["children"][0]["kind"] == "turn"


def test_time_and_place_and_a_classmate_are_other_matters(story: Story) -> None:
    """Similar words do not join; what is alone stays free; a suggestion is in no chain."""
    vault, (_, _, elsewhere, suggested), _, _ = story
    text = chain_text(vault)
    assert elsewhere not in text
    assert suggested not in text
    assert len(vault.memory.of_kind("chain")) == 1


def test_nothing_was_corrected_where_nobody_said_so(story: Story) -> None:
    """A moved place is a change and no correction."""
    vault, *_ = story
    assert "corrections" not in vault.memory.of_kind("chain")[0].frontmatter
    assert "纠正" not in chain_text(vault)
    assert "corrected" not in chain_text(vault)


@pytest.mark.parametrize(
    ("first", "second", "words", "mark"),
    [
        ("小林的生日是三月", "小林的生日是五月", "我说错了，生日是五月。", "先前说法后来被纠正"),
        ("Ann's train leaves at six", "Ann's train leaves at seven", "Correction: the train leaves at seven.", "What was said before was corrected"),
    ],
)  # fmt: skip
def test_a_correction_is_told_where_the_words_make_it(first: str, second: str, words: str, mark: str) -> None:
    """With the turn in which it was said."""
    vault = Driver()
    vault.take("a", first, atom(first, "小林", "说法", "claim", quotes=(first,)))
    (new,) = vault.take(
        "b",
        words,
        atom(second, "小林", "说法", "claim", quotes=(words[-8:].rstrip("。."),)),
        at="2026-05-01T09:00:00+08:00",
    )
    assert new.outcome == "superseding"
    vault.weave()
    (note,) = vault.memory.of_kind("chain")
    assert vault.memory.turn(note.frontmatter["corrections"][0]["turn"])
    assert mark in chain_text(vault)


def test_weaving_again_changes_nothing_and_a_persons_edit_is_left_alone(story: Story) -> None:
    """`body_sha256` tells whose text it is."""
    vault, *_ = story
    vault.weave()
    assert not vault.plans[-1]
    (path,) = vault.paths("/chains/")
    vault.put(path, vault.text(path) + "\nMy own remark.\n")
    vault.take(
        "c",
        "w",
        atom(
            "somewhere else", *[vault.memory.of_kind("chain")[0].frontmatter[k] for k in ("subject", "aspect")], "claim"
        ),
        at="2026-06-01T09:00:00+08:00",
    )
    told = vault.weave()
    assert told.left == (vault.memory.of_kind("chain")[0].id,)
    assert "My own remark." in vault.text(path)


def test_a_sensitive_member_makes_the_chain_sensitive() -> None:
    """Inherited, and the file's name says nothing."""
    vault = Driver()
    vault.take("a", "w", atom("Ann's dose is low", "Ann", "dose", sensitivity="sensitive"))
    vault.take("b", "w", atom("Ann's dose is high", "Ann", "dose"), at="2026-05-01T09:00:00+08:00")
    vault.weave()
    (note,) = vault.memory.of_kind("chain")
    assert note.sensitive
    assert "dose" not in note.path


def test_a_model_may_word_a_chain_but_brings_in_no_cause() -> None:
    """An answer with a reason that nobody gave is not taken."""
    from memd.form.weaving import Link, Woven, acceptable

    row = Link("lf-a", "a", "The mill is shut", "2026-04-02", (), ())
    assert acceptable(Woven(("The mill is shut",)), (row,))
    assert not acceptable(Woven(("The mill is shut because of rain",)), (row,))
    assert not acceptable(Woven(("The mill shut in 1999",)), (row,))
    assert not acceptable(Woven(()), (row,))
