"""Moves remembered as text, the device that forms, tokens and idempotency keys, zones and measures."""

from __future__ import annotations

import pytest

from memd.daemon import here, moved
from memd.daemon.clock import zone_named
from memd.daemon.measure import Measures
from memd.daemon.writing import Once, Tokens
from memd.model.config import FormationConfig
from memd.model.errors import Refused
from memd.model.pauses import doubling
from memd.model.plan import Plan, Write


def test_moves_follow_each_other() -> None:
    """A note that moves twice is found under its first name."""
    first = moved.written("memory", None, {}, [("old", "old.md", "mid.md")])
    assert first is not None
    known = moved.read(first.content.decode())
    second = moved.written("memory", first.content, known, [("mid", "mid.md", "深/new.md")])
    assert second is not None
    assert moved.read(second.content.decode()) == {"old": "深/new.md", "mid": "深/new.md"}


def test_a_move_that_is_known_writes_nothing() -> None:
    """The same move again leaves the file as it is."""
    first = moved.written("memory", None, {}, [("old", "old.md", "new.md")])
    assert first is not None
    known = moved.read(first.content.decode())
    assert moved.written("memory", first.content, known, [("old", "old.md", "new.md")]) is None


def test_names_that_no_line_can_hold_are_left_out() -> None:
    """Backticks, line ends, brackets and bytes that are not UTF-8 stay out of the file."""
    bad = [("a`b", "x.md", "y.md"), ("c", "x.md", "a[1].md"), ("d\udcff", "x.md", "z.md")]
    assert moved.written("memory", None, {}, bad) is None


def test_the_first_device_with_work_puts_its_name_down() -> None:
    """`auto` is claimed once; another device then leaves scheduled work alone; the config may overrule."""
    auto = FormationConfig()
    claim = here.claim(auto, "", "desk-1a2b")
    assert claim is not None
    assert b"device: desk-1a2b" in claim.content
    assert here.claim(auto, "desk-1a2b", "phone-9z") is None
    assert here.forms(auto, "desk-1a2b", "desk-1a2b")
    assert not here.forms(auto, "desk-1a2b", "phone-9z")
    assert here.forms(FormationConfig(here=True), "desk-1a2b", "phone-9z")


def test_a_token_is_good_once_for_a_minute_and_for_its_call() -> None:
    """Another call, a second use and a minute's delay are refused."""
    now = [0.0]
    tokens = Tokens(lambda: now[0])
    plan = Plan((Write("a.md", b"x"),))
    token = tokens.issue("delete a", plan)
    with pytest.raises(Refused, match="not good"):
        tokens.redeem(token, "delete b")
    token = tokens.issue("delete a", plan)
    assert tokens.redeem(token, "delete a")[0] == plan
    with pytest.raises(Refused):
        tokens.redeem(token, "delete a")
    token = tokens.issue("delete a", plan)
    now[0] = 61.0
    with pytest.raises(Refused):
        tokens.redeem(token, "delete a")


def test_a_key_answers_the_same_call_only() -> None:
    """A retry gets the first answer; the key of another call is refused."""
    once = Once()
    once.keep("k", "append a", {"line": 3})
    assert once.known("k", "append a") == {"line": 3}
    assert once.known("", "append a") is None
    with pytest.raises(Refused, match="another call"):
        once.known("k", "append b")


def test_a_zone_that_is_none_is_refused_with_an_example() -> None:
    """The config's zone must exist; without one the system's, or UTC, is taken."""
    with pytest.raises(Refused, match="Asia/Shanghai"):
        zone_named("Mars/Olympus", {})
    assert zone_named("", {"TZ": "Asia/Shanghai"}).key == "Asia/Shanghai"


def test_measures_tell_medians_and_errors() -> None:
    """Each method has its calls, errors and milliseconds."""
    measures = Measures()
    for n in range(100):
        measures.observe("memory.search", n / 1000, "ok" if n else "internal")
    row = measures.summary()["memory.search"]
    assert (row["calls"], row["errors"], row["p50_ms"], row["p95_ms"]) == (100, 1, 50.0, 95.0)


def test_what_fails_for_weeks_is_still_tried_again() -> None:
    """The pause doubles up to the longest one and stays there, however often it failed."""
    assert [doubling(2.0, 300.0, failures) for failures in (0, 1, 2, 3, 8, 9, 5000)] == [
        0.0,
        2.0,
        4.0,
        8.0,
        256.0,
        300.0,
        300.0,
    ]
