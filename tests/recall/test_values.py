"""`where`: one property against one test."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.recall.values import matches
from tests.fakes.recall import ZONE


@pytest.mark.parametrize(
    ("value", "test", "found"),
    [
        ("Open", "open", True),
        (3, "3", True),
        (3, 3.0, True),
        ("3", {"gt": 2}, True),
        ("10", {"gt": "9"}, True),
        (True, "true", True),
        (True, 1, False),
        (["a", "b"], "B", True),
        (["a", "b"], ["x", "b"], True),
        (["a", "b"], {"contains": "a"}, True),
        (["a", "b"], {"contains": ["a", "c"]}, False),
        ("in the harbour", {"contains": "HARBOUR"}, True),
        ("[[Old Mill|the mill]]", "old mill", True),
        ("2026-04-02", {"gte": "2026-04-02", "lte": "2026-04-02"}, True),
        ("2026-04-02T18:00:00+08:00", "2026-04-02", True),
        ("2026-04-02T18:00:00+08:00", {"lte": "2026-04-02"}, True),
        ("2026-04-02T18:00:00+08:00", {"gt": "2026-04-02"}, False),
        ("2026-04-02T18:00:00+08:00", {"lt": "2026-04-02T10:30:00Z"}, True),
        ("2026-04-10", {"gt": "2026-04-9"}, True),
        ("soon", {"gt": "2026-04-02"}, False),
        ("pear", {"gt": "apple"}, True),
        (None, {"exists": False}, True),
        ("", {"exists": True}, True),
        (None, {"exists": "false"}, True),
        (None, None, True),
        (None, "x", False),
        ([1, 5], {"gt": 4}, True),
        ("b", {"in": ["a", "b"]}, True),
        ({"a": 1}, "a", False),
    ],
)
def test_one_test(value: Any, test: Any, found: bool) -> None:
    """Numbers compare as numbers, dates as dates (a date alone is its day), lists by members, links by their target."""
    assert matches(value, test, ZONE) is found


SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12)
VALUES = SCALARS | st.lists(SCALARS, max_size=3)
OPERATORS = st.sampled_from(["gt", "gte", "lt", "lte", "in", "contains", "exists"])


@given(VALUES, VALUES | st.dictionaries(OPERATORS, VALUES, max_size=3))
def test_any_value_against_any_test(value: Any, test: Any) -> None:
    """What cannot be compared is not matched; nothing raises."""
    assert matches(value, test, ZONE) in (True, False)
