"""Figures of the abuse suite: each test tells what it did and what was lost; a table closes the run, cases added up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.fakes.abuse import Figures

SUMS = ("operations", "calls", "faults", "kills", "frames", "inputs", "damages", "lost", "wrong", "hung", "recovery_ms")
"""What is added up over all tests; only one tells a median time of recovery."""


@pytest.fixture
def figures(request: pytest.FixtureRequest, record_property) -> Iterator[Figures]:
    """Counts of this test; `lost`, `wrong` and `hung` must be 0."""
    made = Figures(request.node.name, record_property)
    made.say(lost=0, wrong=0, hung=0)
    yield made
    made.tell()
    assert [made._found[name] for name in ("lost", "wrong", "hung")] == [0, 0, 0], made._found


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    rows = [
        value
        for reports in terminalreporter.stats.values()
        for report in reports
        if getattr(report, "when", "") == "teardown"
        for name, value in getattr(report, "user_properties", ())
        if name == "abuse"
    ]
    whole: dict[str, dict[str, Any]] = {}
    for name, figures in rows:
        one = whole.setdefault(name.partition("[")[0], {})
        for key, value in figures.items():
            one[key] = round(one.get(key, 0) + value, 3) if isinstance(value, (int, float)) else value
    if not whole:
        return
    whole["all together"] = {key: sum(one.get(key, 0) for one in whole.values()) for key in SUMS}
    terminalreporter.section("abuse")
    for name, figures in whole.items():
        terminalreporter.line(f"{name}: " + ", ".join(f"{key} {value}" for key, value in figures.items()))
