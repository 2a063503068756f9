"""What rules make of small talks: `talks/*.txt` holds them, each with the statements that it carries and whose they are.

A talk is lines of `U:` (the user), `A:` (the assistant) or `Name:`; under it one line `= text | holder | days` a
statement. No such line: nothing may be stated.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

from memd.form.rules import atoms_of
from memd.model.memory import Said

HERE = os.path.join(os.path.dirname(__file__), "talks")
AT = "2026-04-02T10:00:00+08:00"
ROLES = {"U": "user", "A": "assistant"}
ASKED_FOR = (
    "suggestion not accepted",
    "third party",
    "question",
    "joke",
    "negation",
    "correction",
    "plan, habit, event",
    "relative date",
    "thanks and small talk",
    "mood",
    "task-local instruction",
    "one plan said three times",
)


def talks(name: str) -> list[tuple[str, str, list[str]]]:
    """(kind, talk, statements) of a file."""
    kind, found = "", []
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        for block in file.read().split("\n\n"):
            if block.startswith("# "):
                kind = block[2:].strip()
            elif block.strip():
                lines = block.strip().split("\n")
                talk = "\n".join(line for line in lines if not line.startswith("    = "))
                found.append((kind, talk, [line[6:] for line in lines if line.startswith("    = ")]))
    return found


EVERY = [(name, *talk) for name in ("english.txt", "chinese.txt", "mixed.txt") for talk in talks(name)]


def turns(talk: str) -> list[Said]:
    said = []
    for number, line in enumerate(talk.split("\n"), 1):
        who, _, words = line.partition(":")
        role = ROLES.get(who, "")
        said.append(
            Said(f"ev-x#t{number}", f"x#^t{number}", role or who, words.strip().replace("\\n", "\n"), at=AT, role=role)
        )
    return said


@pytest.mark.parametrize(("file", "kind", "talk", "want"), EVERY, ids=[f"{f[:2]}-{k}-{t[:24]}" for f, k, t, _ in EVERY])
def test_a_talk_states_what_its_words_carry_and_no_more(file, kind, talk, want):
    """Text, holder and days of every statement, in order."""
    found = []
    for atom in atoms_of(turns(talk)):
        days = f" | {atom.valid_from}..{atom.valid_to}" if atom.valid_from or atom.valid_to else ""
        found.append(f"{atom.text} | {atom.holder}{days}")
    assert found == want


@pytest.mark.parametrize("file", ["english.txt", "chinese.txt"])
def test_every_trap_has_five_talks(file):
    """In each language; `suggestion accepted` and the rest of the kinds are there as well."""
    count = Counter(kind for kind, _, _ in talks(file))
    assert {kind: count[kind] for kind in ASKED_FOR if count[kind] < 5} == {}
    assert count["suggestion accepted"] >= 5


def test_every_quote_was_said():
    """Each atom quotes its turn word for word, names it first, and has a subject and an aspect."""
    for _, _, talk, _ in EVERY:
        said = turns(talk)
        by_link = {turn.link: turn for turn in said}
        for atom in atoms_of(said):
            assert atom.quotes
            for link, quote in zip(atom.turns, atom.quotes, strict=True):
                assert quote in by_link[link].text
            assert atom.subject
            assert atom.speaker == by_link[atom.turns[0]].speaker


def test_a_later_value_of_one_thing_has_its_subject_and_aspect():
    """So that the leaf made of it replaces the earlier one, which stays as history."""
    for talk in (
        "U: I work at Harlow & Finch.\nU: I've left Harlow & Finch, I'm at Dunmore Press now.",
        "U: My dentist appointment is on the 9th.\nU: They've moved my dentist appointment to the 16th.",
        "U: We're a household of four.\nU: Since my nephew moved in we're five.",
        "U: 我家住三楼。\nU: 上个月搬到五楼了。",
        "U: 我在长河出版社上班。\nU: 我已经从长河出版社辞职了，现在在青木书店。",
    ):
        old, new = atoms_of(turns(talk))
        assert (old.subject, old.aspect) == (new.subject, new.aspect), talk
        assert new.kind != "event"


def test_next_week_is_the_week_after_the_saying():
    """The day of reading plays no part; where nobody knows the day of saying there is no day."""
    said = [Said("e#t1", "e#^t1", "user", "下周三我要去牙科复查。", at="2025-04-02T10:00:00+08:00", role="user")]
    assert atoms_of(said)[0].valid_from == "2025-04-09"
    unknown = [Said("e#t1", "e#^t1", "user", "下周三我要去牙科复查。", role="user")]
    assert (atoms_of(unknown)[0].valid_from, atoms_of(unknown)[0].text) == ("", "下周三用户要去牙科复查。")


def test_between_two_people_the_speaker_is_named():
    """Nobody is the user; `you` is the other one."""
    said = [
        Said("e#t1", "D1:1", "Caroline", "I went to a support group yesterday and met my mentor there.", at=AT),
        Said("e#t2", "D1:2", "Melanie", "My kids start swimming lessons on Monday.", at=AT),
    ]
    found = atoms_of(said)
    assert [(a.text, a.holder) for a in found] == [
        ("Caroline went to a support group yesterday and met Caroline's mentor there.", "Caroline"),
        ("Melanie's kids start swimming lessons on Monday.", "Melanie's kids"),
    ]


def test_the_owners_name_stands_for_the_user():
    """Where the vault knows its owner, sentences name them."""
    said = [Said("e#t1", "e#^t1", "user", "我对海鲜过敏。", at=AT, role="user")]
    assert [(a.text, a.holder) for a in atoms_of(said, "小林")] == [("小林对海鲜过敏。", "小林")]


def test_a_name_that_is_known_is_not_stated():
    """Whoever is called by their name need not be told to be called so; whoever is `user` is."""
    for name, text in (("Ines", "Hi, my name is Ines."), ("沈秋", "你好，我叫沈秋，很高兴认识你。")):
        assert atoms_of([Said("e#t1", "e#^t1", name, text, at=AT, role="user")], name) == ()
        assert len(atoms_of([Said("e#t1", "e#^t1", "user", text, at=AT, role="user")])) == 1


def test_reading_is_a_function_of_the_turns():
    """The same turns give the same atoms, and hostile ones give none and no error."""
    for text in ("(" * 5000, "我" * 5000, "I " * 5000, "，" * 3000, "a, " * 3000, "“" * 2000, "", "\n" * 200):
        said = [Said("e#t1", "e#^t1", "user", text, at=AT, role="user")]
        assert atoms_of(said) == atoms_of(said)


def test_a_question_that_lacks_its_verb_is_no_half_of_a_statement():
    """Words that only look like a question are no error; a whole one and its answer are a statement."""
    for asked in ("Do you  ?", "Where did you  ?", "What do you  ?", "Are you  ?"):
        for reply in ("yes", "Bristol"):
            assert atoms_of(turns(f"A: {asked}\nU: {reply}")) == ()
    assert [a.text for a in atoms_of(turns("A: Where did you grow up?\nU: Bristol"))] == [
        "The user grew up in Bristol."
    ]
