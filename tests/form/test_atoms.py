"""Atoms rest on words that were said: handed over, judged by a model or read by rules, they have one shape."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import msgspec

from memd.form.atoms import Atoms, extract, share_out, verbatim
from memd.form.episodes import segment
from memd.form.evidence import Material, register
from memd.model.config import Config, FormationConfig, LlmConfig, VaultConfig
from memd.model.memory import Atom, Event
from tests.fakes.talk import Desk

NOW = datetime(2026, 5, 6, 9, 0, tzinfo=timezone(timedelta(hours=8)))
CONFIG = Config(vault=VaultConfig(timezone="Asia/Shanghai"))
LLM = msgspec.structs.replace(CONFIG, formation=FormationConfig(method="llm"), llm=LlmConfig(model="m"))
TALK = (
    Event(
        "user", "We keep the spare oars\nunder the Tamsin jetty.", id="t1", role="user", at="2026-03-05T18:00:00+08:00"
    ),
    Event("assistant", "You could paint the jetty.", id="t2", role="assistant", at="2026-03-05T18:01:00+08:00"),
    Event("user", "The regatta is next Saturday.", id="t3", role="user", at="2026-03-05T18:02:00+08:00"),
)


def desk_with(config: Config = CONFIG, events=TALK, **more) -> tuple[Desk, object]:
    desk = Desk(config, NOW)
    registered = desk.do(register, Material("s", events, **more))
    desk.do(segment, "s", True)
    return desk, registered


def episode(desk: Desk):
    return desk.note(desk.paths("episode")[0])


def test_a_quote_is_found_word_for_word_whatever_its_white_space():
    """What stands in the leaf is what stands in the evidence."""
    assert verbatim("the spare  oars under", "We keep the spare oars\nunder the jetty") == "the spare oars\nunder"
    assert verbatim("“Ame\u0301lie”", "Am\u00e9lie came") == "Am\u00e9lie"
    assert verbatim("brilliant cobalt", "a jetty") == ""


def test_a_quote_that_nobody_said_is_dropped_and_that_is_recorded():
    """The atom stays, with the turns it named; its rationale tells what is missing."""
    desk, registered = desk_with()
    told = desk.do(
        extract,
        episode(desk),
        [Atom("painted", quotes=("brilliant cobalt", "spare oars under the"), turns=(2,))],
        registered,
    )
    atom = told.atoms[0]
    assert told.method == "agent"
    assert atom.quotes == ("spare oars\nunder the",)
    assert atom.turns == ("2026-03-05-s#^t1", "2026-03-05-s#^t3")
    assert atom.rationale == "a quote was dropped: nobody said it"


def test_handed_atoms_go_to_the_episode_of_their_words():
    """By turn, by quote, else the last episode; what has no episode yet waits."""
    later = Event("user", "My kiln broke.", id="k", role="user", at="2026-03-09T18:00:00+08:00")
    desk, _ = desk_with()
    desk.now = NOW + timedelta(minutes=1)
    registered = desk.do(register, Material("s", (later,)))
    atoms = [Atom("a", turns=("t1",)), Atom("b", quotes=("My kiln broke",)), Atom("c", turns=(0,)), Atom("d")]
    told = desk.do(share_out, "s", atoms, registered)
    first = episode(desk).id
    assert (told.episodes, told.open) == (((first, (0, 3)),), (1, 2))
    desk.do(segment, "s", True)
    told = desk.do(share_out, "s", atoms, registered)
    assert dict(told.episodes)[first] == (0,)
    assert told.open == ()


def test_rules_read_what_is_stated_with_its_days():
    """The assistant's idea is nobody's; the day is that of the words."""
    desk, _ = desk_with()
    told = desk.do(extract, episode(desk))
    assert told.method == "rules"
    assert [a.text for a in told.atoms] == [
        "The user and others keep the spare oars under the Tamsin jetty.",
        "The regatta is next Saturday.",
    ]
    last = told.atoms[-1]
    assert (last.valid_from, last.quotes, last.turns) == (
        "2026-03-14",
        ("The regatta is next Saturday.",),
        ("2026-03-05-s#^t3",),
    )


def test_a_models_atoms_are_located_too():
    """Numbers of turns become links; without an answer nothing is signed."""
    desk, _ = desk_with(LLM)
    assert desk.do(extract, episode(desk)).pending
    desk.judge = lambda question: Atoms(
        (Atom("Spare oars are under the jetty", quotes=("spare oars",), turns=(0,)), Atom(" "))
    )
    told = desk.do(extract, episode(desk))
    assert (told.method, [(a.text, a.turns) for a in told.atoms]) == (
        "llm:m",
        [("Spare oars are under the jetty", ("2026-03-05-s#^t1",))],
    )
    asked = next(q for q in desk.asked if q.task == "atoms")
    assert asked.inputs["turns"][0]["text"].startswith("We keep")


def test_focus_changes_the_order_and_nothing_else():
    """What the caller cares for comes first; the rest is there."""
    plain, _ = desk_with()
    focused, _ = desk_with(focus="regatta dates")
    a, b = plain.do(extract, episode(plain)).atoms, focused.do(extract, episode(focused)).atoms
    assert b[0].text == "The regatta is next Saturday."
    assert sorted(x.text for x in a) == sorted(x.text for x in b)


def test_a_record_of_a_source_is_one_proposition():
    """Sections and mails are told by heading and beginning, owned by their source."""
    events = (
        Event(
            "desk", "# Hold ready\n\nYour hold on the Atlas of Mosses is ready.", id="m", at="2026-03-01T09:00:00+08:00"
        ),
    )
    desk, _ = desk_with(events=events, source="gmail:primary", category="integration")
    atom = desk.do(extract, episode(desk)).atoms[0]
    assert atom.text == "Hold ready: Your hold on the Atlas of Mosses is ready."
    assert (atom.subject, atom.aspect) == ("gmail:primary", "Hold ready")
