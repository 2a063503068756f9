"""The files that memd writes."""

from __future__ import annotations

from datetime import UTC

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.parse import render
from memd.parse.frontmatter import load, split
from memd.parse.note import parse_note


def read(keys):
    values, problems = load(split(render.file(keys, "body\n").decode()))
    assert problems == ()
    return values


HOSTILE = ["- key: [v # not a comment", "null", "Null", "~", "", " ", "1.10", "0777", "12:30:45", "no", "Yes", "on", "true", "0x1F", "1_000", "1e3", ".inf", "+5", "-", "a: b", "a #b", "a:", "#a", "'q'", '"q"', "it's", "line\nbreak", "tab\tx", "cr\rx", "\\n", "😀 x", "e\u0301", "\u202eabc", "\u200bx", "\ufeffx", "\x00\x07", "\x85\u2028", "[[A]]", "see [[A]]", "[a]", "{a}", "{{date}}", "*a", "&a", "!a", "%a", "@a", "`a`", "|", ">", "? a", ": a", "---", "...", "---\n", "<<", "=", " lead", "trail ", "a, b", "a]b", "x" * 5000, "中文：标点，（括号）", "2026-04-02", "2026-04-02T09:12:31+08:00", "2026-04-02 09:12", "2026-13-45", "\u00a0", "y", "N"]  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_any_string_comes_back_as_it_is(text):
    """As a value, in a list, in a mapping, and as a key; by memd's reading and by YAML 1.1's."""
    keys = {"title": text, "plain": text, "list": [text, "x"], "map": {"k": text}, "deep": [{"k": text}]}
    assert read(keys) == keys
    if text.strip() and len(text) < 1000:
        assert read({text: 1}) == {text: 1}
    other = yaml.safe_load(split(render.file(keys, "").decode()).block)
    if not text.startswith("2026-04-02"):
        assert other == keys


def test_dates_stay_bare_and_wikilinks_are_quoted():
    """So that Obsidian shows a date as a date and a link as a link."""
    keys = {"date": "2026-04-02", "created": "2026-04-02T09:12:31+08:00", "up": "[[A]]", "entities": ["[[小林]]", "b"]}
    assert render.frontmatter(keys) == (
        '---\ndate: 2026-04-02\ncreated: 2026-04-02T09:12:31+08:00\nup: "[[A]]"\nentities: ["[[小林]]", b]\n---\n'
    )


def test_the_form_of_a_memory_file():
    """Flow lists and mappings, a line for each of a list of mappings, the order as given, one line end at the end."""
    keys = {
        "type": "leaf",
        "tree": "interaction:小林",
        "owner": True,
        "turns": 2,
        "confidence": {"admission": 0.91, "create": 0.0},
        "quotes": [{"turn": "[[s#^t1]]", "text": "我准备去, 真的"}],
        "none": None,
        "labels": [],
    }
    assert render.file(keys, "words").decode() == (
        "---\ntype: leaf\ntree: interaction:小林\nowner: true\nturns: 2\nconfidence: {admission: 0.91, create: 0.0}\n"
        'quotes:\n  - {turn: "[[s#^t1]]", text: "我准备去, 真的"}\nnone:\nlabels: []\n---\nwords\n'
    )


TEXT = st.one_of(st.text(st.characters(exclude_categories=["Cs"]), max_size=30), st.sampled_from(HOSTILE))
SCALAR = st.one_of(
    TEXT, st.integers(-(2**63), 2**63 - 1), st.booleans(), st.floats(allow_nan=False, allow_infinity=False)
)
VALUE = st.recursive(
    SCALAR,
    lambda v: st.lists(v, max_size=3) | st.dictionaries(TEXT.map(lambda k: k[:100]), v, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXT.map(lambda k: "k" + k[:100]), VALUE, max_size=4), TEXT)
@settings(max_examples=500)
def test_keys_come_back_from_a_note(keys, title):
    """Whatever JSON values a header holds, the note that is written reads the same."""
    note, _ = parse_note("x.md", render.file({"title": title} | keys, "body"), 0.0, UTC)
    assert note.problems == ()
    assert note.frontmatter == {"title": title} | keys


@given(VALUE)
def test_a_value_alone_can_be_put_behind_a_key(value):
    """As splices do."""
    assert load(split(f"---\nk: {render.value(value)}\n---\n"))[0] == {"k": value}


def test_what_no_file_can_hold_is_replaced():
    """A lone surrogate does not stop a write."""
    assert b"?" in render.file({"a": "\ud800"}, "x\udcff")
