"""Times in text."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.parse import times

SHANGHAI = timezone(timedelta(hours=8))


@pytest.mark.parametrize(
    ("written", "iso"),
    [
        ("2026-04-02", "2026-04-02T00:00:00+08:00"),
        ("2026-4-2", "2026-04-02T00:00:00+08:00"),
        ("2026/04/02", "2026-04-02T00:00:00+08:00"),
        ("2026年4月2日", "2026-04-02T00:00:00+08:00"),
        ("2026-04-02 09:12", "2026-04-02T09:12:00+08:00"),
        ("2026-04-02T09:12:31", "2026-04-02T09:12:31+08:00"),
        ("2026-04-02T09:12:31Z", "2026-04-02T09:12:31+00:00"),
        ("2026-04-02T09:12:31-05:30", "2026-04-02T09:12:31-05:30"),
        ("2026-04-02T09:12:31.250+0100", "2026-04-02T09:12:31.250000+01:00"),
    ],
)
def test_times_are_read_as_people_write_them(written, iso):
    """A date alone is its midnight; a time without an offset is in the vault's zone."""
    assert times.parse(written, SHANGHAI).isoformat() == iso


@pytest.mark.parametrize(
    "written",
    ["", "soon", "2026", "2026-13-45", "2026-02-30", "2026-04-02T25:00", "2026-04-02 1:00 +99:99", "9" * 5000],
)
def test_what_is_no_time_is_none(written):
    """Text that names no time, or one that does not exist, is None and raises nothing."""
    assert times.parse(written, SHANGHAI) is None
    assert times.seconds(written, SHANGHAI) == 0


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1), timezones=st.just(UTC)))
def test_text_and_seconds_agree(moment):
    """What is written of a time gives that time back, to the second."""
    moment = moment.replace(microsecond=0)
    assert times.parse(times.text(moment, SHANGHAI), UTC) == moment
    assert times.from_seconds(times.stamp(moment), SHANGHAI) == times.text(moment, SHANGHAI)


def test_no_time_is_no_text():
    """0 seconds and absurd ones are written as nothing."""
    assert times.from_seconds(0, UTC) == times.from_seconds(1e30, UTC) == ""
