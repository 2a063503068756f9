"""Observations and relations: the grammar of design section 3."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.parse.markdown import scan


def observations(text: str):
    return [(o.category, o.text, o.tags, o.context) for o in scan(text).observations]


@pytest.mark.parametrize(
    ("item", "stated"),
    [
        ("- [teacher] 周老师 #重要 (讲得慢，坐中间)", ("teacher", "周老师", ("重要",), "讲得慢，坐中间")),
        ("- [tool] learn C# basics (evening class)", ("tool", "learn C# basics", (), "evening class")),
        ("- [hours] open (mostly) until nine", ("hours", "open (mostly) until nine", (), "")),
        ("* [a b/c]   two  spaces", ("a b/c", "two spaces", (), "")),
        ("1. [step] first", ("step", "first", (), "")),
        ("- [ fact ] trimmed", ("fact", "trimmed", (), "")),
        ("- [课] 一字也是词", ("课", "一字也是词", (), "")),
        ("- [2026] a year", ("2026", "a year", (), "")),
        ("- [fact] mid #tag of it #b/c", ("fact", "mid of it", ("tag", "b/c"), "")),
        ("- [fact] #a#b x", ("fact", "x", ("a", "b"), "")),
        ("- [fact] no #1 tag", ("fact", "no #1 tag", (), "")),
        ("- [fact] x (not the end) #tag", ("fact", "x (not the end)", ("tag",), "")),
        ("- [fact] x (see [[X]] (or Y))", ("fact", "x", (), "see [[X]] (or Y)")),
        ("- [fact] call f(x)", ("fact", "call f(x)", (), "")),
        ("- [fact] 周老师（班主任）", ("fact", "周老师（班主任）", (), "")),
        ("- [fact] 周老师 （班主任）", ("fact", "周老师", (), "班主任")),
        ("- [fact] (all of it)", ("fact", "(all of it)", (), "")),
        ("- [fact] unbalanced )", ("fact", "unbalanced )", (), "")),
        ("- [fact] with `#code` and `(x)`", ("fact", "with `#code` and `(x)`", (), "")),
        ("- [fact] x %%hidden #t%% y", ("fact", "x y", (), "")),
        ("- [fact] x (ctx) ^id-1", ("fact", "x", (), "ctx")),
        ("- [fact] first\n  goes on #t\n  (ctx)", ("fact", "first goes on", ("t",), "ctx")),
        ("- [fact] first\r\n  goes on\r\n", ("fact", "first goes on", (), "")),
        ("- [fact] first\n\n  another paragraph", ("fact", "first", (), "")),
        ("- [fact] outer\n    - no sign", ("fact", "outer", (), "")),
        ("- [fact] #only #tags", ("fact", "#only #tags", ("only", "tags"), "")),
    ],
)
def test_an_observation(item, stated):
    """Category, text without tags and closing context, tags, context."""
    assert observations(item) == [stated]


@pytest.mark.parametrize("item", ["- [ ] task", "- [x] done", "- [X] done", "- [-] off", "- [>] later", "- [!] mark", "- [a] mark", "- [00:01] clock", "- [12:30:45] clock", "- [9:05 pm] clock", "- [t](url)", "- [t][ref] x", "- [[x]] y", "- [^1] foot", "- [!tip] callout", "- [fact]no space", "- [] text", "- [fact]", "- [...] dots", "- x [fact] y", "[fact] in a paragraph", "# [fact] in a heading", "> - [fact] quoted", "> [!tip]\n> - [fact] in a callout", "- > [fact] x", "`- [fact] x`", "    - [fact] indented", "```\n- [fact] x\n```", "- a\n\n  ```\n  - [fact] x\n  ```", "%%\n- [fact] x\n%%", "%% - [fact] x %%", "<!--\n- [fact] x\n-->", "<div>\n- [fact] x\n</div>", "| - [fact] x |", "- `[fact] x`", "-     [fact] code"])  # fmt: skip
def test_no_observation(item):
    """Checkboxes of any mark, clocks, links, footnotes, callouts, quotes, code, HTML, comments, tables."""
    assert observations(item + "\n") == []


def test_nested_items_state_for_themselves():
    """Each item of a nested list, with its line."""
    text = "- [aa] one\n  - [bb] two\n\n    more\n  - [cc] three\n- [dd] four\n"
    assert [(o.category, o.text, o.line) for o in scan(text).observations] == [("aa", "one", 1), ("bb", "two", 2), ("cc", "three", 5), ("dd", "four", 6)]  # fmt: skip


def relations(text: str):
    return [(x.target, x.relation, x.context) for x in scan(text).links]


@pytest.mark.parametrize(
    ("item", "relation", "context"),
    [
        ("- belongs_to [[T]] (term one)", "belongs_to", "term one"),
        ('- "is scheduled in" [[T]]', "is scheduled in", ""),
        ("- “安排在” [[T]]", "安排在", ""),
        ("- 属于 [[T]]", "属于", ""),
        ("- 属于：[[T]]", "属于", ""),
        ("- relates_to: [[T]]", "relates_to", ""),
        ("- **relates_to** [[T]]", "relates_to", ""),
        ("- **relates_to:** [[T]]", "relates_to", ""),
        ("- *relates_to*: [[T]]", "relates_to", ""),
        ('- **"part of"**: [[T]]', "part of", ""),
        ("- author:: [[T]]", "author", ""),
        ("- uses [t](T.md)", "uses", ""),
        ("- uses [[T]] #tag (why) ^id", "uses", "why"),
        ("- uses [[T]]\n  (why)", "uses", "why"),
        ("1. uses [[T|label]]", "uses", ""),
        ("- uses [[T]] （为什么）", "uses", "为什么"),
    ],
)
def test_a_relation(item, relation, context):
    """One word, or several in quotes, before one link; colon and emphasis are no part of it."""
    (found,) = scan(item).links
    assert (found.relation, found.context) == (relation, context)


@pytest.mark.parametrize("item", ["- [[T]]", "- [ ] print [[T]]", "- [x] uses [[T]]", "- several words [[T]]", "- uses [[T]] every day", "- see [[T]].", "uses [[T]]", "> - uses [[T]]", "- [fact] uses [[T]]", "- 12:30 [[T]]", "- → [[T]]", "- #tag [[T]]", "- **part of** [[T]]", "- `uses` [[T]]", "- \"uses\" it [[T]]", "- [课] 用 [[T]]"])  # fmt: skip
def test_no_typed_relation(item):
    """A bare link, a task, several words without quotes, words after the link: `links_to`."""
    assert relations(item) == [("T", "links_to", "")]


def test_only_the_first_link_is_typed_and_embeds_are_no_relations():
    """Two links are two plain ones; an embed is told apart."""
    assert [r for _, r, _ in relations("- uses [[A]] [[B]]\n- uses ![[C]]\n- uses [[D]] (see [[E]])\n")] == ["links_to", "links_to", "embeds", "uses", "links_to"]  # fmt: skip


WORDS = st.text("ab 中é", min_size=1, max_size=12).map(lambda s: " ".join(s.split())).filter(bool)


@given(
    WORDS, WORDS, st.lists(st.sampled_from(["t", "b/c", "中"]), unique=True, max_size=2), st.one_of(st.just(""), WORDS)
)
def test_what_is_written_is_read(category, text, tags, context):
    """An observation written by the grammar gives its parts back."""
    if len(category) < 2:
        category += "aa"
    line = f"- [{category}] {text}" + "".join(f" #{t}" for t in tags) + (f" ({context})" if context else "")
    assert observations(line + "\n") == [(category, text, tuple(tags), context)]
