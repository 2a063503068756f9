"""Frontmatter: where it is, what it says, and where its values stand."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.parse import simple, yaml_header
from memd.parse.frontmatter import key_place, load, spans, split
from memd.parse.header import Head


def keys(block: str):
    """The values and problem codes with lines of a block between fences."""
    values, problems = load(split(f"---\n{block}---\nbody\n"))
    return values, [(p.code, p.line) for p in problems]


def test_the_block_lies_between_two_rules_on_the_first_lines():
    """Offsets are the text's; the body begins after the closing fence."""
    text = "---\r\ntitle: x\r\n---\r\nbody"
    head = split(text)
    assert text[head.start : head.end] == head.block == "title: x\r\n"
    assert text[head.body :] == "body"
    assert head.line == 2


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("no header\n", ""),
        ("---\ntitle: x\nbody never closes\n", "unterminated"),
        ("---\ntitle: x\n...\nbody\n", "unterminated"),
        ("---\n\nA rule, not frontmatter\n\n---\n\nrest\n", ""),
        ("---\njust text\n---\nb\n", "not_mapping"),
        ("---\n- a\n- b\n---\nb\n", "not_mapping"),
        ("----\na: b\n----\n", ""),
        ("intro\n---\na: b\n---\n", ""),
        ("---", ""),
        ("", ""),
    ],
)
def test_what_is_no_header_is_body(text, fault):
    """Text between rules, or a block that nobody closed, is kept as body and told where it looks like a mistake."""
    head = split(text)
    assert (bool(head), head.fault) == (False, fault)
    assert [p.code for p in load(head)[1]] == ([f"frontmatter_{fault}"] if fault else [])


def test_blank_lines_may_stand_before_the_header_and_rules_inside_values():
    """Leading blank lines are passed over; an indented rule belongs to a value."""
    assert split("\n\n---\ntitle: x\n---\n").line == 4
    assert keys("text: |\n  a\n  ---\n  b\n")[0] == {"text": "a\n---\nb\n"}


def test_values_keep_what_was_written():
    """Numbers with a leading zero, times, dates, YAML 1.1's truth values and signs stay text."""
    block = "a: 0777\nb: 12:30:45\nc: 2026-04-02\nd: no\ne: +49123\nf: 2026-13-45\ng: 1_000\nh: 0x1F\n"
    assert keys(block) == (
        {
            "a": "0777",
            "b": "12:30:45",
            "c": "2026-04-02",
            "d": "no",
            "e": "+49123",
            "f": "2026-13-45",
            "g": "1_000",
            "h": "0x1F",
        },
        [],
    )


def test_numbers_truth_and_nothing_are_values():
    """The rest of the core schema gives JSON values; what JSON cannot hold stays text."""
    block = "a: 5\nb: -1.5\nc: true\nd: null\ne:\nf: 1e3\ng: .inf\nh: 1e999\ni: 99999999999999999999\nj: ~\n"
    assert keys(block)[0] == {
        "a": 5, "b": -1.5, "c": True, "d": None, "e": None, "f": 1000.0, "g": ".inf", "h": "1e999", "i": "9" * 20, "j": None,
    }  # fmt: skip


def test_titles_tags_and_aliases_are_text_as_written():
    """`1.10` as a title is no number, nor is a year among tags."""
    assert keys("title: 1.10\ntags: [2026, a]\naliases:\n  - 007\n  - 1.0\ntype: true\nv: 1.10\n")[0] == {
        "title": "1.10", "tags": ["2026", "a"], "aliases": ["007", "1.0"], "type": "true", "v": 1.1,
    }  # fmt: skip


def test_keys_are_text():
    """Numbers, nulls and lists as keys are the text they were written with."""
    assert keys("1: a\nnull: b\n? [x, y]\n: c\n")[0] == {"1": "a", "null": "b", "[x, y]": "c"}


def test_the_last_of_equal_keys_wins_and_is_told():
    """The problem names the line of the second."""
    assert keys("title: a\nb: 1\ntitle: c\n") == ({"title": "c", "b": 1}, [("frontmatter_duplicate", 4)])


def test_a_wikilink_without_quotes_is_text():
    """YAML takes it for a list in a list; people mean a link."""
    block = "a: [[A]]\nb: [[A, B]]\nc: [[A: b]]\nd:\n  - [[X|y]]\n  - z\ne: [[[A]], [[B]]]\nf: [[1, 2], [3]]\n"
    assert keys(block)[0] == {
        "a": "[[A]]", "b": "[[A, B]]", "c": "[[A: b]]", "d": ["[[X|y]]", "z"], "e": ["[[A]]", "[[B]]"], "f": [[1, 2], [3]],
    }  # fmt: skip


def test_placeholders_are_text_and_told():
    """A template's `{{…}}` stops no other key, whether YAML can read it or not."""
    assert keys("title: {{title}}\ntags:\n  - {{topic}}\nn: 1\n")[0] == {
        "title": "{{title}}",
        "tags": ["{{topic}}"],
        "n": 1,
    }
    values, problems = keys("a: {{date}}T{{time}}\nn: 1\nl: [x]\n")
    assert values == {"a": "{{date}}T{{time}}", "n": 1, "l": ["x"]}
    assert problems == [("frontmatter_placeholder", 2)]


def test_tags_that_yaml_takes_for_comments_are_tags():
    """`tags: #inbox` is read as meant, with a problem that says why."""
    assert keys("tags: #inbox\nn: 1\n") == ({"tags": "#inbox", "n": 1}, [("frontmatter_comment", 2)])
    assert keys("tags:\n  - #a\n  - b\n") == ({"tags": ["#a", "b"]}, [("frontmatter_comment", 3)])
    assert keys("note: #inbox\n")[0] == {"note": None}


def test_what_a_damaged_header_still_says_is_saved():
    """Every key that YAML can read alone is read; every plain `key: value` line is taken as written."""
    values, problems = keys("title: Evening: walk\ntags: [river, unclosed\n\ttabbed: yes\nn: 5\nlist:\n  - a\n  - b\n")
    assert values == {"title": "Evening: walk", "n": 5, "list": ["a", "b"]}
    assert problems == [("frontmatter_malformed", 2), ("frontmatter_malformed", 4)]


def test_tabs_as_indent_are_forgiven_for_lists():
    """A list indented with tabs is a list, with a problem."""
    assert keys("tags:\n\t- a\n\t- b\nn: 1\n") == ({"tags": ["a", "b"], "n": 1}, [("frontmatter_malformed", 3)])


def test_json_between_the_fences_is_legal():
    """With escapes that YAML's reader does not know, too."""
    block = '{"title": 1.10, "n": [1, 2.5, "x\\ud83d\\ude00"],\n\t"a": {"b": null}}\n'
    assert keys(block) == ({"title": "1.10", "n": [1, 2.5, "x😀"], "a": {"b": None}}, [])
    assert keys('{"a": "\\ud800"}\n')[0] == {"a": "?"}


def bomb() -> str:
    rows = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    rows += [f"{c}: &{c} [{', '.join(['*' + p] * 9)}]" for p, c in zip("abcdefg", "bcdefgh", strict=True)]
    return "\n".join([*rows, "title: kept", "last: [*h]", ""])


def test_an_alias_bomb_is_refused_before_it_is_walked():
    """Values stay near the size of their header; the other keys are there."""
    values, problems = keys(bomb())
    assert values["title"] == "kept"
    assert "last" not in values
    assert len(json.dumps(values)) < 20_000
    assert {code for code, _ in problems} == {"frontmatter_bomb"}


@pytest.mark.parametrize(
    "block", ["a: &a [*a]\nb: 1\n", "a: &a {k: *a}\nb: 1\n", "a: " + "[" * 60 + "]" * 60 + "\nb: 1\n"]
)
def test_a_value_without_end_is_left_out(block):
    """An alias to itself, or nesting too deep, costs its own key only."""
    assert keys(block) == ({"b": 1}, [("frontmatter_bomb", 2)])


def test_tags_of_yaml_build_nothing(tmp_path):
    """A tag that would run code is a word; its value is text."""
    values, problems = keys(
        f'x: !!python/object/apply:os.system ["touch {tmp_path}/owned"]\ny: !!str 12\nz: !secret q\n'
    )
    assert values == {"x": [f"touch {tmp_path}/owned"], "y": "12", "z": "q"}
    assert not (tmp_path / "owned").exists()
    assert [code for code, _ in problems] == ["frontmatter_tag"] * 2


@pytest.mark.parametrize(
    "block",
    ["x: " + "[" * 4000 + "\n", "x: " + "{" * 4000 + "\n", "- " * 4000 + "a: b\n", "a: b\x07c\n", "a: \ud800\n".encode("utf-8", "replace").decode(), ": v\n", "%YAML 9\na: b\n", "a: *x\n", "a: &\n", "a: !<\n", "a: |9\n", "a: 'x\n", "\ta: b\n", "a: " + "9" * 5000 + "\n"],
)  # fmt: skip
def test_no_header_raises(block):
    """Whatever stands between the fences, there is an answer of JSON values."""
    json.dumps(keys(block)[0], allow_nan=False)


@given(st.text("ab:\n -#[]{}'\"|>&*!?,\t%@`~0.1é中\\\r\x85\u2028", max_size=40))
@settings(max_examples=400)
def test_any_block_gives_json_values_and_lines_in_the_file(block):
    """Nothing raises, and every problem points into the file."""
    text = f"---\n{block}\n---\nbody\n"
    values, problems = load(split(text))
    json.dumps(values, allow_nan=False).encode()
    assert all(0 <= p.line <= text.count("\n") + 1 for p in problems)
    assert all(text[a:b] is not None and 0 <= a <= b <= len(text) for a, b in spans(text).values())


SCALARS = st.sampled_from(
    'a|b c|x: y|[[A]]|#t|# c|a #b|a#b|\'q\'|"d"|"d: #"|\'|1|01|1.5|-3|-x|- y|true|no|~|null|2026-04-02|12:30|http://a.b/c|{a}|{{d}}'
    "|a: |:a|a:|中文|😀 x|?q|!t|&a|*a|%p|@u|`c`|>f||a, b|[a, b]|[a]|[]|[ a , b ]|['a', \"b\"]|[a, ]|[,]|[1, 01, true]|[a: b]|[#a]|[-1]|[- a]|a\tb|\u00a0|(x)|=|<<|.5|a\\n|…|x\u2028y".split(
        "|"
    )
)
ROWS = st.one_of(
    st.builds("{}:{}{}".format, st.sampled_from(["title", "tags", "k", "a b", "x-y", "键", "1", "true", "_", "k.v", "'q'"]), st.sampled_from(["", " ", "  "]), SCALARS),
    st.builds("{}- {}".format, st.sampled_from(["", "  ", "    "]), SCALARS),
    st.sampled_from(["", "# c", "  c", " ", "-", "\r", "k:", "tags:"]),
)  # fmt: skip


@given(st.lists(ROWS, max_size=5), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=1500)
def test_the_fast_road_says_what_yaml_says(rows, end):
    """Where the line reader answers at all, YAML reads the same values and finds no problem."""
    block = "".join(row + end for row in rows)
    fast = simple.read(block)
    if fast is not None:
        assert yaml_header.read(Head(4, 4 + len(block), 8 + len(block), block, 2)) == (fast, [])


def test_the_fast_road_takes_what_most_notes_hold():
    """Plain, quoted, flow and block lists, links in quotes, empty values, comments."""
    block = "# c\ntitle: A: b\n"
    assert simple.read(block) is None
    block = 'title: x\ntags: [a, b/c]\nup: "[[A]]"\nlist:\n  - "[[B]]"\n  - c\nurl: https://a.b/c\nempty:\nnone: []\ndate: 2026-04-02\n'
    assert simple.read(block) is not None


def values_at(text: str) -> dict[str, str]:
    return {key: text[a:b] for key, (a, b) in spans(text).items()}


def test_spans_cover_exactly_the_written_values():
    """Comments, line ends and what follows are outside; an empty value is an empty span after the colon."""
    text = "---\na: b  # c\nq: 'x y'\nl:\n  - one\n  - two\n\n# note\nm: {a: 1}\nt: |\n  foo\n\ne:\nz: &n [1]\ny: *n\n---\nbody\n"
    assert values_at(text) == {
        "a": "b", "q": "'x y'", "l": "- one\n  - two", "m": "{a: 1}", "t": "|\n  foo", "e": "", "z": "&n [1]", "y": "*n",
    }  # fmt: skip
    after = spans(text)["e"][0]
    assert text[after - 2 : after] == "e:"


def test_spans_of_a_damaged_header_are_those_of_single_lines():
    """So that a key is never added a second time."""
    assert values_at("---\ntitle: a: b\nl:\n\t- x\nn: 1 \r\ne:\n---\n") == {"title": "a: b", "n": "1", "e": ""}


def test_a_new_key_goes_before_the_closing_fence():
    """A header of lines has a place for one more; JSON and no header have none."""
    text = "---\na: b\n---\nbody\n"
    place = key_place(text)
    assert load(split(text[:place] + "c: d\n" + text[place:])) == ({"a": "b", "c": "d"}, ())
    assert key_place('---\n{"a": 1}\n---\n') is None
    assert key_place("body\n") is None


@given(st.lists(ROWS, min_size=1, max_size=4), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=400)
def test_a_value_put_in_its_span_is_read_back(rows, end):
    """Replacing any top-level value of a sound header changes that key and no other."""
    text = "---" + end + "".join(row + end for row in rows) + "---" + end + "body"
    before, problems = load(split(text))
    if problems:
        return
    for key, (a, b) in spans(text).items():
        if text[a - 1] == "\n":  # a block value at the margin goes on lines of its own
            continue
        after, faults = load(split(text[:a] + (" " if a == b else "") + '"new"' + text[b:]))
        assert not faults
        assert after == before | {key: "new"}
