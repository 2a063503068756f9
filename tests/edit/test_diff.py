"""A plan as a unified diff."""

from __future__ import annotations

from memd.edit.diff import unified
from memd.model.plan import Move, Plan, Remove, Write


def test_a_write_shows_the_lines_that_change() -> None:
    """Old and new lines with their signs; a last line without an end says so."""
    plan = Plan((Write("d.md", b"thatch roof"),))
    expected = "--- a/d.md\n+++ b/d.md\n@@ -1 +1 @@\n-slate roof\n+thatch roof\n\\ No newline at end of file\n"
    assert unified(plan, {"d.md": b"slate roof\n"}.get) == expected


def test_a_new_file_comes_from_nothing_and_a_removed_one_goes_there() -> None:
    """`/dev/null` stands for no file."""
    shown = unified(Plan((Write("n.md", b"x\n"), Remove("o.md"))), {"o.md": b"y\n"}.get)
    assert "--- /dev/null\n+++ b/n.md\n" in shown
    assert "--- a/o.md\n+++ /dev/null\n" in shown


def test_a_step_after_a_move_is_seen_where_the_file_is_then() -> None:
    """A rename, then a change under the new name."""
    shown = unified(Plan((Move("a.md", "b.md"), Write("b.md", b"two\n"))), {"a.md": b"one\n"}.get)
    assert shown == "rename from a.md\nrename to b.md\n--- a/b.md\n+++ b/b.md\n@@ -1 +1 @@\n-one\n+two\n"


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    """A diff is always text that can be sent."""
    shown = unified(Plan((Write("a.md", b"caf\xe9 au lait for two\n"),)), {}.get)
    assert "caf" in shown
    shown.encode()


def test_a_plan_without_steps_shows_nothing() -> None:
    """Nothing to do, nothing to see."""
    assert unified(Plan(), {}.get) == ""
