"""The structure of a note's body."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from memd.parse import block_scanner
from memd.parse.blocks import CODE, HTML
from memd.parse.markdown import scan

REFERENCE = MarkdownIt("commonmark", {"maxNesting": 400})
NAMES = {
    "fence": "code",
    "code_block": "code",
    "html_block": "html",
    "list_item_open": "list",
    "blockquote_open": "quote",
}


def as_markdown_it(text: str) -> list[set[str]]:
    """What each line is to markdown-it-py."""
    kinds: list[set[str]] = [set() for _ in text.split("\n")]
    for token in REFERENCE.parse(text):
        if token.map and (name := NAMES.get(token.type)):
            for n in range(token.map[0], min(token.map[1], len(kinds))):
                kinds[n].add(name)
    return kinds


def as_memd(text: str) -> list[set[str]]:
    found = block_scanner.read(text)
    return [
        {
            name
            for name, holds in (("code", kind == CODE), ("html", kind == HTML), ("list", listed), ("quote", quoted))
            if holds
        }
        for kind, listed, quoted in zip(found.kinds, found.listed, found.quoted, strict=True)
    ]


def differences(text: str) -> list[tuple[str, set[str], set[str]]]:
    return [
        (line, theirs, ours)
        for line, theirs, ours in zip(text.split("\n"), as_markdown_it(text), as_memd(text), strict=True)
        if line.strip(" \t>") and theirs != ours
    ]


PIECES = ["- ", "* ", "1. ", "2) ", "10. ", "> ", "  ", "   ", "a", "b c", "[a] ", "```", "~~~", "````", "# h", "## ", "---", "===", "***", "_ _ _", "<div>", "</div>", "<!-- x", "-->", "<pre>", "</pre>", "<?x", "?>", "<b>", '<a href="x">', "<script>", "<!X>", "- - ", "-", "+", "1.", "`x`", "- [ ] "]  # fmt: skip
LINES = st.builds("{}{}{}".format, st.sampled_from(["", "", "  ", "    ", "      "]), st.sampled_from(PIECES), st.sampled_from(["", "a", *PIECES]))  # fmt: skip


def their_own_way(text: str) -> bool:
    """Where markdown-it departs from the specification: deep indents after an empty quote or a wide marker; `getLines`
    running past the end."""
    deep = "    " in text and ">" in text
    return deep or any(wide in text for wide in ("-   ", ".   ", ")   "))


@given(st.lists(LINES, max_size=9))
@settings(max_examples=600)
def test_code_html_lists_and_quotes_are_where_markdown_it_has_them(lines):
    """Line by line the same as markdown-it-py, which reads CommonMark."""
    text = "\n".join(lines) + "\n"
    if not their_own_way(text):
        assert differences(text) == []


def test_a_real_vault_reads_as_markdown_it_reads_it(data):
    """Every note of a real vault, line by line."""
    paths = sorted((data / "vaults").rglob("*.md"))
    assert paths
    for path in paths:
        assert differences(path.read_text("utf-8").replace("%%", "pp")) == [], path


def test_headings_have_level_text_and_line():
    """Both forms, after a header; `#tag` and code are none."""
    text = "---\na: b\n---\n# One #\nText\nover two\n---\n#tag\n```\n# no\n```\n## C# and F#\n###\n> # quoted\n"
    assert [tuple(h) for h in ((h.level, h.text, h.line) for h in scan(text).headings)] == [
        (1, "One", 4), (2, "Text over two", 5), (2, "C# and F#", 12), (3, "", 13),
    ]  # fmt: skip


def links(text: str):
    return [(x.target, x.relation, x.fragment, x.label) for x in scan(text).links]


@pytest.mark.parametrize(
    ("text", "link"),
    [
        ("[[A]]", ("A", "links_to", "", "")),
        ("[[A.md]]", ("A.md", "links_to", "", "")),
        ("[[A|b]]", ("A", "links_to", "", "b")),
        ("| [[A\\|b]] |", ("A", "links_to", "", "b")),
        ("[[A#h1#h2|b]]", ("A", "links_to", "#h1#h2", "b")),
        ("[[A#^id]]", ("A", "links_to", "#^id", "")),
        ("[[A^id]]", ("A", "links_to", "^id", "")),
        ("[[#h]]", ("", "links_to", "#h", "")),
        ("[[note v1.2]]", ("note v1.2", "links_to", "", "")),
        ("[[文件夹/笔记|看]]", ("文件夹/笔记", "links_to", "", "看")),
        ("[b](sub/My%20Note.md#part)", ("sub/My Note.md", "links_to", "#part", "b")),
        ("[b](<My Note.md>)", ("My Note.md", "links_to", "", "b")),
        ("[b](a(1).md 'title')", ("a(1).md", "links_to", "", "b")),
        ("[b](#part)", ("", "links_to", "#part", "b")),
        ("![[A]]", ("A", "embeds", "", "")),
        ("![[A#h|100]]", ("A", "embeds", "#h", "100")),
        ("> [[A]]", ("A", "links_to", "", "")),
    ],
)
def test_forms_of_links(text, link):
    """Wikilinks and markdown links to notes; the fragment and label are no part of the target."""
    assert links(f"see {text} there\n" if text[0] not in "|>" else text) == [link]


@pytest.mark.parametrize("text", ["`[[A]]`", "```\n[[A]]\n```", "    [[A]]", "<!-- [[A]] -->", "%%[[A]]%%", "%%\n[[A]]\n%%", "<div>\n[[A]]\n</div>", "![[pic.png]]", "[[scan.pdf]]", "![a](b.png)", "[a](https://x.y/z.md)", "[a](mailto:x.md)", "[a](b.txt)", "\\[[A]]", "[[]]", "[[ ]]", "``[[A]] ` x``"])  # fmt: skip
def test_what_is_no_link(text):
    """Code, comments, HTML, files that are no notes, and the outside world."""
    assert links(text) == []


def test_a_code_span_ends_with_its_paragraph():
    """A stray backtick hides nothing in another paragraph or list item."""
    assert links("a ` b\n\n[[A]] ` c\n") == links("- a ` b\n- [[A]] ` c\n") == [("A", "links_to", "", "")]


def tags(text: str) -> tuple[str, ...]:
    return scan(text).tags


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("#a #b/c #中文 #0🌲 #y2026 #a-b_c", ("a", "b/c", "中文", "0🌲", "y2026", "a-b_c")),
        ("(#a) **#b**，#c。#d", ("a", "b", "c", "d")),
        ("#a#b, #c.", ("a", "b", "c")),
        ("#2026 C# a#b ## # #", ()),
        ("https://x.y/#frag [[#h]] [[A #b]] [x](#c) [#d](e.md) `#f` %%#g%% <!-- #h -->", ()),
        ("# #a\n> #b\n- #c\n| #d |", ("a", "b", "c", "d")),
        ("    #code\n\n```\n#fence\n```\n", ()),
        ("#a/ #A", ("a", "A")),
    ],
)
def test_inline_tags(text, found):
    """A tag has a character that is no digit, begins a word, and stands in no code, link or comment."""
    assert tags(text) == found


def test_block_ids_and_fields_have_lines():
    """An id ends its line; a field stands alone on its line or in brackets."""
    text = "para ^one\n- item ^two-2\n^three\nnot^this ^nor this\nx^2\n`^code`\ndue:: 2026-04-02\n- **作者**:: [[A]]\na [k:: v] (l:: w) std::x\n"
    found = scan(text)
    assert [(b.id, b.line) for b in found.block_ids] == [("one", 1), ("two-2", 2), ("three", 3)]
    assert [(f.key, f.value, f.line) for f in found.fields] == [("due", "2026-04-02", 7), ("作者", "[[A]]", 8), ("k", "v", 9), ("l", "w", 9)]  # fmt: skip


def test_a_comment_over_lines_hides_only_what_it_holds():
    """Text before its sign and after its end counts; a sign without a pair is text; code hides signs."""
    assert tags("#a %%#b\n#c\n#d%% #e\n#f\n") == ("a", "e", "f")
    assert tags("100%% #a\n") == ("a",)
    assert tags("`%%` #a\n`%%`\n") == ("a",)


def test_lines_of_links_count_in_the_file():
    """Also after a header and after a comment over several lines."""
    assert [(x.target, x.line) for x in scan("---\na: b\n---\n%%\nx\n%%\n[[A]]\n\n[[B]]\n").links] == [
        ("A", 7),
        ("B", 9),
    ]


DEEP = "".join("  " * n + f"- [fact] x{n} #t{n}\n" for n in range(200))
MEGA = 1_000_000
HOSTILE = {
    "deep list": DEEP * 3,
    "ten thousand links": "- [[A#h|b]] [c](d.md) #t\n" * 10_000,
    "one line": "word " * (MEGA // 5),
    **{
        f"{piece!r} again": piece * (MEGA // 3 // len(piece))
        for piece in [
            "[",
            "[[",
            "](",
            "](<",
            '](a "',
            "`",
            "` ``",
            "`a",
            "#",
            "#a",
            "# ",
            "^",
            "::",
            "[k::",
            "(k::",
            "%%",
            "%% ",
            "<!--",
            "<a ",
            "<a b=",
            "- ",
            "> ",
            ">",
            "* ",
            "* x",
            "(",
            "- [a] (",
            "<",
            "$",
            "\\",
            "!",
            "[[a|",
            "**",
            "a:: b\n",
            "| ",
            "\t",
            "\t- ",
            "\r",
            "\n",
            "> a\nb\n",
            "- a\n\n",
            "a\n=\n",
            "^a ",
            "```\n",
            "%%\n",
            "<!--\n\n",
            "1. ",
            "“",
            "[a](b)[[c]]",
        ]
    },
    "heading of blanks": "# " + " " * MEGA + "x",
    "observation of blanks": "- [a] b" + " " * MEGA + "c (d)",
    "observation of brackets": "- [a] " + "(" * (MEGA // 2) + ")" * (MEGA // 2),
    "label of words": "- " + "a " * (MEGA // 4) + "[[X]]",
    "label of stars": "- " + "*" * (MEGA // 4) + " [[X]]",
    "label of colons": "- " + "*:" * (MEGA // 4) + " [[X]]",
    "block of blanks": "a ^b" + " " * MEGA + "c",
    "rule and x": "* " * (MEGA // 4) + "x\n",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_more_than_linear_time(name):
    """A third of a megabyte or more of anything is read in under two seconds of CPU on a machine that is free."""
    before = time.process_time()
    found = scan(HOSTILE[name])
    assert found.links is not None
    assert found.block_ids is not None
    assert found.fields is not None
    assert time.process_time() - before < 40  # linear takes a fraction of a second, quadratic minutes


def test_two_hundred_deep_lists_are_read():
    """Every item of a deep list states its own."""
    found = scan(DEEP)
    assert [o.text for o in found.observations] == [f"x{n}" for n in range(200)]
    assert [item.depth for item in found.items] == list(range(200))


@given(st.text("ab #[]|^%`<>!-*\n():\"'\t\\~_=.1中。", max_size=80))
@settings(max_examples=500)
def test_any_text_is_read_and_every_line_is_in_it(text):
    """Nothing raises; lines are the file's; the mask is as long as the text."""
    found = scan(text)
    last = text.count("\n") + 1
    assert len(found.mask) == len(text)
    for one in (*found.links, *found.observations, *found.block_ids, *found.fields, *found.headings):
        assert 1 <= one.line <= last
