"""Values of a note's own header, changed in place."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

import pytest

from memd.edit.keys import set_key, touch
from memd.edit.splice import apply

NOW = datetime(2026, 11, 30, 14, 2, 5, tzinfo=timezone(timedelta(hours=8)))


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("modified: 2026-01-01", "modified: 2026-11-30"),
        ("modified: 2026-01-01T10:00:00+08:00 # by hand", "modified: 2026-11-30T14:02:05+08:00 # by hand"),
        ("modified: '2026-01-01 10:00'", "modified: '2026-11-30 14:02'"),
        ("modified:   2026-01-01T10:00", "modified:   2026-11-30T14:02"),
        ('modified: "{{date}}"', 'modified: "{{date}}"'),
        ("modified:", "modified:"),
        ("title: x", "title: x"),
    ],
)
def test_modified_is_updated_in_place_and_in_its_own_form(before: str, after: str) -> None:
    """A date stays a date and a quote a quote; what is no time, and a file without the key, is left alone."""
    text = f"---\n# kept\n{before}\nzeta: 1\n---\nbody\n"
    assert apply(text, touch(text, NOW)) == f"---\n# kept\n{after}\nzeta: 1\n---\nbody\n"


def test_a_file_that_memd_made_gets_the_key() -> None:
    """With memd's own origin and permalink a missing `modified` is added at the header's end."""
    text = "---\r\ntitle: x\r\npermalink: x-abcd\r\norigin: agent:desk\r\n---\r\n"
    assert "origin: agent:desk\r\nmodified: 2026-11-30T14:02:05+08:00\r\n---\r\n" in apply(text, touch(text, NOW))


def test_a_persons_file_without_a_header_gets_none() -> None:
    """A note without frontmatter stays without."""
    assert touch("just words\n", NOW) == ()


def test_a_key_is_set_where_it_is_and_added_only_when_told() -> None:
    """Setting an equal value changes nothing; an empty value gets its space."""
    text = "---\nstatus:\na: 1\n---\n"
    assert apply(text, set_key(text, "status", "done")) == "---\nstatus: done\na: 1\n---\n"
    assert set_key(text, "a", "1") == ()
    assert set_key(text, "b", "2") == ()
    assert apply(text, set_key(text, "b", "2", add=True)) == "---\nstatus:\na: 1\nb: 2\n---\n"
