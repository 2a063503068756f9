"""Evidence is written once, under its own date, whatever is said and however often it is handed over."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.form.evidence import Material, register, remembered
from memd.model.config import Config, VaultConfig
from memd.model.errors import Refused
from memd.model.memory import Event
from tests.fakes.talk import Desk

NOW = datetime(2026, 5, 6, 9, 0, tzinfo=timezone(timedelta(hours=8)))
CONFIG = Config(vault=VaultConfig(timezone="Asia/Shanghai"))


def material(*events: Event, session: str = "s-118", **more) -> Material:
    return Material(session, events, **more)


def said(text: str, id: str = "", at: str = "2026-04-02T09:12:00+08:00", speaker: str = "小林", **more) -> Event:
    return Event(speaker, text, id=id, at=at, **more)


@pytest.fixture
def desk() -> Desk:
    return Desk(CONFIG, NOW)


def test_turns_stand_under_the_day_they_were_said(desk):
    """The file's name and folder are those of the material's date, not of the import's."""
    told = desk.do(register, material(said("我准备每周三学摄影。", id="1")))
    assert desk.paths("evidence") == ["memory/evidence/2026/04/2026-04-02-s-118.md"]
    assert told.kept[0].link == "2026-04-02-s-118#^t1"
    assert desk.note(told.kept[0].path).frontmatter["turns"] == 1


def test_the_same_input_twice_changes_no_byte(desk):
    """A second run is a no-op, told with the same ids."""
    twice = material(said("a", id="1"), said("b"), said("b"), said("c", at=""))
    first = desk.do(register, twice)
    before = dict(desk.files)
    again = desk.do(register, twice)
    assert desk.files == before
    assert [k.id for k in again.kept] == [k.id for k in first.kept]
    assert not any(k.new for k in again.kept)


def test_people_repeat_themselves(desk):
    """The same words with another id, at another time, or twice in one call are kept; without an id once more is not."""
    desk.do(register, material(said("ok", id="1"), said("ok", id="2"), said("ok", at="2026-04-02T10:00:00+08:00")))
    desk.do(register, material(said("ok"), said("ok", at="2026-04-02T10:00:00+08:00")))
    assert [t.text for t in desk.turns("s-118")] == ["ok", "ok", "ok"]


def test_an_event_id_is_known_wherever_its_turn_stands(desk):
    """A retry that gives another time for a known id adds nothing."""
    desk.do(register, material(said("a", id="1")))
    told = desk.do(register, material(said("a", id="1", at="2026-04-09T09:00:00+08:00")))
    assert (told.kept[0].new, len(desk.paths("evidence"))) == (False, 1)


def test_a_turn_of_unknown_time_is_recognised_on_another_day(desk):
    """It was filed under the day it was taken in; taken in again later it is still the same turn."""
    desk.do(register, material(said("no time", at="")))
    desk.now = NOW + timedelta(days=2)
    told = desk.do(register, material(said("no time", at="")))
    assert (told.kept[0].new, desk.paths("evidence")) == (False, ["memory/evidence/2026/05/2026-05-06-s-118.md"])


def test_an_unknown_time_is_written_as_unknown(desk):
    """No time is invented: a turn without one goes with its neighbour's file and says that it has none."""
    desk.do(register, material(said("first", id="1"), said("second", id="2", at="")))
    turns = desk.turns("s-118")
    assert [(t.text, t.at) for t in turns] == [("first", "2026-04-02T09:12:00+08:00"), ("second", "")]
    assert len(desk.paths("evidence")) == 1


def test_a_batch_is_written_in_the_order_of_time(desk):
    """Events handed over out of order stand in order."""
    desk.do(
        register, material(said("late", at="2026-04-02T11:00:00+08:00"), said("early", at="2026-04-02T10:00:00+08:00"))
    )
    assert [t.text for t in desk.turns("s-118")] == ["early", "late"]


def test_appending_leaves_what_is_there(desk):
    """Every byte behind the frontmatter stays as it was, a person's line included."""
    desk.do(register, material(said("a", id="1")))
    path = desk.paths("evidence")[0]
    desk.edit(path, lambda text: text + "A note of mine.\n")
    before = desk.files[path].split(b"---\n", 2)[2]
    desk.do(register, material(said("b", id="2")))
    assert desk.files[path].split(b"---\n", 2)[2].startswith(before)
    assert [t.text for t in desk.turns("s-118")] == ["a", "b"]
    assert b"turns: 2\n" in desk.files[path]


def test_universal_times_are_told_in_the_vaults_zone(desk):
    """An export's Z becomes local time; an offset of its own stays, so that the day is the speaker's."""
    desk.do(register, material(said("z", at="2026-04-02T20:00:00Z"), said("own", at="2026-04-02T23:00:00-05:00")))
    assert [t.at for t in desk.turns("s-118")] == ["2026-04-02T23:00:00-05:00", "2026-04-03T04:00:00+08:00"]


def test_what_is_no_time_is_refused(desk):
    """A caller's bad time names its event and says what to give."""
    with pytest.raises(Refused, match=r"events\[0\].at"):
        desk.do(register, material(said("x", at="yesterday")))


def test_a_document_is_kept_by_sections(desk):
    """Sections are chunks; a section that changed is another turn, the others are not doubled."""
    doc = "---\ntitle: x\n---\n# One\n\nalpha\n\n# Two\n\nbeta\n"
    told = desk.do(register, material(Event("doc", doc, id="d", at="2026-04-02", modality="text/markdown")))
    assert [len(p) for p in told.places] == [2]
    again = desk.do(
        register, material(Event("doc", doc.replace("beta", "gamma"), id="d", at="2026-04-02", modality="markdown"))
    )
    assert [k.new for k in again.kept] == [False, True]


def test_a_session_has_a_safe_name_of_its_own(desk):
    """Sessions that look alike as file names have different files, and no session leaves the folder."""
    for session in ("../../etc/x", "A b", "a b", "a-b", "名字", "con", "." * 300):
        desk.do(register, material(said("x", id="1"), session=session))
    paths = desk.paths("evidence")
    assert len(paths) == 7
    assert len({p.casefold() for p in paths}) == 7
    assert all(p.startswith("memory/evidence/2026/04/2026-04-02-") and len(p.encode()) < 250 for p in paths)


def test_a_sensitive_turn_makes_its_file_sensitive(desk):
    """The mark stands at the turn and on the file."""
    desk.do(register, material(said("plain", id="1")))
    desk.do(register, material(said("secretive", id="2", sensitivity="sensitive")))
    note = desk.note(desk.paths("evidence")[0])
    assert note.sensitivity == "sensitive"
    assert [t.sensitive for t in desk.turns("s-118")] == [False, True]


def test_remember_is_one_turn_and_an_atom_where_it_is_told_of_what(desk):
    """Words to remember are evidence first; subject or aspect make an atom that quotes them."""
    made, atoms = remembered("I park on level 3", NOW, CONFIG, subject="car", aspect="place")
    desk.do(register, made)
    assert [t.text for t in desk.turns("remembered")] == ["I park on level 3"]
    assert (atoms[0].quotes, atoms[0].aspect) == (("I park on level 3",), "place")
    assert remembered("x", NOW, CONFIG)[1] == ()


@settings(max_examples=60, deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from("ab"), st.sampled_from(["", "x", "y\n^t1", "**a** · b · c"]), st.integers(0, 3)),
        max_size=8,
    )
)
def test_two_runs_are_one(rows):
    """Whatever is handed over, in one call or again in a second, the vault is the same."""
    events = [Event(s, t, at=f"2026-04-0{d}T09:00:00+08:00" if d else "") for s, t, d in rows]
    once, twice = Desk(CONFIG, NOW), Desk(CONFIG, NOW)
    once.do(register, Material("s", tuple(events)))
    twice.do(register, Material("s", tuple(events)))
    twice.do(register, Material("s", tuple(events)))
    assert once.files == twice.files
    assert len(once.turns("s")) == len(events)
