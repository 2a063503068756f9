"""One observation more in a note."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from memd.edit import escape
from memd.edit.observation import append, line, tag
from memd.edit.splice import apply, read
from memd.model.errors import Refused
from memd.parse.markdown import scan
from tests.fakes.reversal import reverse


def appended(text: str, category: str = "fact", words: str = "new", **more: object) -> str:
    return apply(text, append(text, category, words, **more).splices)  # type: ignore[arg-type]


PIECES = [
    "# Title", "## Observations", "## 观察", "- [fact] one", "- [own] two #tag (why)", "* [own] star", "  - [fact] nested", "1. [step] first",
    "- [ ] task", "- plain", "plain words", "", "```", "    code", "> - [fact] quoted", "<!-- c", "-->", "%%", "---", "===", "| a | b |", "## Relations",
    "- part_of [[X]]", "  goes on", "\t- [own] tab", "^block", "<div>", "$$", "title: x",
]  # fmt: skip
NOTES = st.lists(st.sampled_from(PIECES), max_size=12).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).flatmap(
        lambda end: st.sampled_from(["", end]).map(lambda last: end.join(lines) + last)
    )
)
WORDS = st.text(min_size=1, max_size=30).filter(lambda t: escape.plain(t).strip() != "")
SIGNS = st.text(alphabet="a #()`\\%^[]<!->*_~x1（）:：|\n-+.'\"{}$&;=", min_size=1, max_size=14).filter(
    lambda t: escape.plain(t) != ""
)


@given(NOTES, st.sampled_from(["fact", "own", "课程", "step"]), st.sampled_from(["new words", "新的事", "x (y) #z"]))
@settings(max_examples=300)
def test_taking_the_splice_out_gives_the_note_back(text: str, category: str, words: str) -> None:
    """Whatever the note, an append changes no byte of it, what it stated it still states, and the new line is where it is told."""
    done = append(text, category, words)
    after = apply(text, done.splices)
    assert apply(after, reverse(text, done.splices)) == text
    stated = [(o.category, escape.unescaped(o.text)) for o in scan(after).observations]
    assert (category, words) in stated
    there = next(o for o in scan(after).observations if (o.category, escape.unescaped(o.text)) == (category, words))
    assert there.line == done.line
    assert append(after, category, words).duplicate


@given(st.binary(max_size=80))
def test_the_bytes_of_any_file_survive_an_append(data: bytes) -> None:
    """Bytes that are no text, a byte order mark, NUL: taken out again, the file is as it was."""
    source = read(data)
    try:
        done = append(source.text, "fact", "新 new")
    except Refused:
        return
    changed = source.encode(apply(source.text, done.splices))
    assert source.encode(apply(apply(source.text, done.splices), reverse(source.text, done.splices))) == data
    for splice in done.splices:
        assert source.encode(splice.text).removeprefix(source.bom) in changed


@given(
    WORDS | SIGNS,
    st.lists(st.sampled_from(["tag", "标签", "a/b", "#x", "two words"]), max_size=2),
    st.sampled_from(["", "why", "a) b", "(", "see #1x", "a (b) c"]),
)
@example("open (mostly)", [], "")
@example("#tag like", [], "")
@example("- leading", [], "")
@example("ends ^id", ["tag"], "")
@example("%%hidden%% and <!-- this -->", [], "")
@example("（全角） （括号）", [], "")
@example(r"C:\_dir \# `\#` \\", [], "ctx")
@settings(max_examples=500)
def test_any_words_come_back_as_they_were_given(words: str, tags: list[str], context: str) -> None:
    """Newlines, leading hyphens, words like tags, closing brackets: the parser reads the same observation back."""
    found = escape.reading(line("fact", words, tuple(tags), context))
    assert found
    assert escape.unescaped(found.text) == escape.plain(words)
    assert found.category == "fact"
    assert set(found.tags) == {tag(name) for name in tags}
    assert bool(found.context) == bool(context)


@pytest.mark.parametrize(
    "words",
    [
        "周老师 讲得慢",
        "learn C# basics",
        "open (mostly) until nine",
        "price is 5%",
        "a_b*c",
        "see [[Note]] and `code #x`",
    ],
)
def test_ordinary_words_are_written_as_they_are(words: str) -> None:
    """No backslash where nothing could be misread."""
    assert line("fact", words) == f"[fact] {words}"


def test_it_goes_after_the_last_of_its_category() -> None:
    """Observations of one category stay together, in the list's own form."""
    text = "# T\n* [own] a\n  goes on\n* [fact] b\n"
    assert appended(text, "own", "new") == "# T\n* [own] a\n  goes on\n* [own] new\n* [fact] b\n"


def test_it_goes_after_the_last_observation_of_any_category() -> None:
    """Without its like, the note's own place for observations is used; a nested one stays nested, a numbered one counts on."""
    assert appended("- x\n\t- [own] a\n\nend\n") == "- x\n\t- [own] a\n\t- [fact] new\n\nend\n"
    assert appended("3) [own] a\n") == "3) [own] a\n4) [fact] new\n"


def test_a_note_without_observations_gets_the_section_once_in_its_own_language() -> None:
    """English or Chinese by the note's headings; the second append finds the section."""
    first = appended("# Guests\n")
    assert first == "# Guests\n\n## Observations\n- [fact] new\n"
    assert appended(first, "fact", "more") == "# Guests\n\n## Observations\n- [fact] new\n- [fact] more\n"
    assert appended("# 客人\n\n来过的人。") == "# 客人\n\n来过的人。\n\n## 观察\n- [fact] new"


def test_an_empty_section_that_is_there_is_used() -> None:
    """A heading for observations in the middle of a note is filled, not repeated."""
    text = "# A\n\n## 观察\n\n## Relations\n- part_of [[X]]\n"
    assert appended(text) == "# A\n\n## 观察\n- [fact] new\n\n## Relations\n- part_of [[X]]\n"
    assert appended("## Observations\nSome words.\n\n# B\n") == "## Observations\nSome words.\n\n- [fact] new\n\n# B\n"


def test_a_section_that_is_named_is_used_or_made() -> None:
    """By its heading in any case; where there is none it is made at the end."""
    text = "# A\n- [fact] one\n\n## Exam\n- [exam] two\n\n## Z\n"
    assert appended(text, section="exam") == "# A\n- [fact] one\n\n## Exam\n- [exam] two\n- [fact] new\n\n## Z\n"
    assert appended("# A\n", section="## Later") == "# A\n\n## Later\n- [fact] new\n"


def test_crlf_and_a_missing_final_line_end_stay() -> None:
    """The note's own line ends are used, and none is added at its end."""
    assert appended("# T\r\n\r\n- [own] a\r\n") == "# T\r\n\r\n- [own] a\r\n- [fact] new\r\n"
    assert appended("- [own] a") == "- [own] a\n- [fact] new"


def test_hidden_or_quoted_lines_are_no_place_and_no_duplicate() -> None:
    """An open code block takes nothing in: the section is made where it is read."""
    assert appended("```\n- [fact] new\n") == "## Observations\n- [fact] new\n\n```\n- [fact] new\n"
    assert not append("> - [fact] new\n", "fact", "new").duplicate


@pytest.mark.parametrize(
    ("there", "words"),
    [
        ("周老师 #重要 (讲得慢，坐中间)", "周老师"),
        ("learn C# basics (evening class)", "learn C# basics"),
        ("Caf\u0065\u0301 au  lait", "café au lait"),
    ],
)
def test_the_same_words_in_the_same_category_are_not_written_twice(there: str, words: str) -> None:
    """Tags and context do not count, nor case, spaces or Unicode form; the line is told."""
    done = append(f"# T\n- [fact] {there}\n", "fact", words)
    assert (done.duplicate, done.line, done.splices) == (True, 2, ())
    assert not append(f"# T\n- [fact] {there}\n", "other", words).duplicate


@pytest.mark.parametrize("category", ["", "x", "a]b", "(b)", "12:30", "!note", "^a", "--"])
def test_what_can_be_no_category_is_refused(category: str) -> None:
    """A task's mark, brackets, a time, a callout's head."""
    with pytest.raises(Refused) as refused:
        line(category, "words")
    assert refused.value.code == "invalid_params"
