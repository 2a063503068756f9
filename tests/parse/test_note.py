"""A file as a note."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memd.model.fingerprint import sha256
from memd.model.note import Note
from memd.parse.names import derived_permalink
from memd.parse.note import parse_note, title_only

ZONE = timezone(timedelta(hours=8))


def note(text: str | bytes, path: str = "a.md", mtime: float = 7.0) -> Note:
    data = text if isinstance(text, bytes) else text.encode()
    return parse_note(path, data, mtime, ZONE)[0]


def test_a_note_without_frontmatter_is_a_full_citizen():
    """Its title is its stem, its permalink its path, its time the file's."""
    found = note("Hello\n", "Journal/Day One.md")
    assert (found.title, found.permalink, found.permalink_given) == ("Day One", "journal/day-one", False)
    assert (found.type, found.kind, found.modified, found.created, found.id) == ("note", "note", 7.0, 0.0, "")
    assert (found.sha256, found.size) == (sha256(b"Hello\n"), 6)


@pytest.mark.parametrize(
    ("header", "title"),
    [("title: 0777", "0777"), ("title: 12:30:45", "12:30:45"), ("title: 2026-04-02", "2026-04-02"), ("title: no", "no"), ("title: 1.10", "1.10"), ("title: [A, B]", "A"), ("title:", "stem"), ("title: {{title}}", "stem"), ("title: ''", "stem"), ("Title: X", "X"), ("title: a: b", "a: b")],
)  # fmt: skip
def test_the_title_is_the_text_as_written(header, title):
    """Whatever YAML takes it for; nothing, or a template's placeholder, is no title."""
    assert note(f"---\n{header}\n---\n", "stem.md").title == title


@pytest.mark.parametrize(
    ("header", "body", "tags"),
    [
        ("tags: [a, b/c, '#d']", "", ("a", "b/c", "d")),
        ("tags: a, b c", "", ("a", "b", "c")),
        ("tags: 读书，旅行", "", ("读书", "旅行")),
        ("tags:\n  - 2026\n  - trip/coast", "", ("2026", "trip/coast")),
        ("tags: #inbox", "", ("inbox",)),
        ("tag: a", "#b", ("a", "b")),
        ("tags: [A]", "#a #B", ("A", "B")),
        ("tags:", "", ()),
        ("tags: {a: b}", "", ()),
        ("tags: [[a, b], null, 5]", "", ("a", "5")),
    ],
)
def test_tags_of_header_and_text(header, body, tags):
    """Every form of list; without signs, once each, as first written."""
    assert note(f"---\n{header}\n---\n{body}\n").tags == tags


def test_aliases_and_the_written_permalink():
    """Aliases from a list or commas; a permalink in the file stands as it is."""
    found = note("---\naliases: [the boxes, 菜箱, 1.0]\npermalink: raised-beds-77aa\n---\n", "x/Raised Beds.md")
    assert (found.aliases, found.permalink, found.permalink_given) == (
        ("the boxes", "菜箱", "1.0"),
        "raised-beds-77aa",
        True,
    )
    assert note("---\nalias: a, b\n---\n").aliases == ("a", "b")


def test_times_come_from_the_header_first():
    """In the vault's zone where they have none, and no finer than the file's own; a date that does not exist is told with its line."""
    found = note("---\ncreated: 2026-04-02\nupdated: 2026-04-02T00:00:00Z\n---\n")
    assert (found.created, found.modified) == (1775059200.0, 1775088000.0)
    finer = note("---\nupdated: 2026-04-02T00:00:00Z\n---\n", mtime=1775088000.25)
    assert finer.modified == 1775088000.25
    assert note("---\nupdated: 2026-04-02T00:00:00Z\n---\n", mtime=1775088003.0).modified == 1775088000.0
    found = note("---\na: b\ncreated: 2026-02-30\n---\n")
    assert found.created == 0
    assert [(p.code, p.path, p.line) for p in found.problems] == [("bad_date", "a.md", 3)]


@pytest.mark.parametrize(("word", "sensitive"), [("sensitive", True), ("Sensitive", True), ("normal", False), ("high", True), ("", False), ("public", False)])  # fmt: skip
def test_doubt_about_sensitivity_keeps_a_note_back(word, sensitive):
    """An unknown word counts as sensitive, and is told."""
    found = note(f"---\nsensitivity: {word}\n---\n")
    assert found.sensitive is sensitive
    assert bool(found.problems) is (word == "high")


def test_links_in_the_header_are_relations_named_by_their_key():
    """Quoted or not, in lists and mappings, each with its line."""
    found = note(
        '---\nup: "[[A|x]]"\nlist:\n  - [[B#h]]\n  - text\nq:\n  - {turn: "[[C#^t1]]"}\npic: "[[p.png]]"\n---\n[[D]]\n'
    )
    assert [(x.target, x.relation, x.fragment, x.label, x.line) for x in found.links] == [
        ("A", "up", "", "x", 2), ("B", "list", "#h", "", 4), ("C", "q", "#^t1", "", 7), ("D", "links_to", "", "", 10),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("path", "header", "kind", "id"),
    [
        ("memory/interaction/x/leaves/a.md", "type: leaf\nid: lf-3v8c1n0rzd", "leaf", "lf-3v8c1n0rzd"),
        ("elsewhere/a.md", "type: leaf\nid: lf-3v8c1n0rzd", "note", ""),
        ("memory/a.md", "type: leaf\nid: ep-3v8c1n0rzd", "note", ""),
        ("memory/a.md", "type: leaf", "note", ""),
        ("memory/a.md", "type: episode\nid: ep-1", "episode", "ep-1"),
        ("memory/a.md", "type: summary\nid: sm-1", "summary", "sm-1"),
        ("memory/a.md", "type: chain\nid: ch-1", "chain", "ch-1"),
        ("memory/interaction/小林/_tree.md", "type: entity\ntree: interaction:小林", "entity", "interaction:小林"),
        ("memory/interaction/小林/_tree.md", "type: entity", "note", ""),
        ("memory/profile.md", "type: profile", "profile", ""),
        ("memory/history/profile/1.md", "type: profile", "digest", ""),
        ("memory/digests/d.md", "type: digest", "digest", ""),
        ("memories/profile.md", "type: profile", "note", ""),
    ],
)
def test_what_a_file_is_to_memory(path, header, kind, id):
    """Its type and id say it, and only under memory's folder."""
    found = note(f"---\n{header}\n---\n", path)
    assert (found.kind, found.id) == (kind, id)


LEAF = """---
id: lf-3v8c1n0rzd
type: leaf
confidence: {admission: 0.91, match: 0.88, create: 0.0}
entities: ["[[小林]]", "[[青禾图书馆]]"]
---
小林计划每周三去青禾图书馆学摄影。
第二行。

> 我准备每周三去。 — [[2026-04-02-s-118#^t1|小林, 4月2日]]
"""


def test_the_lead_of_a_leaf_is_its_proposition():
    """The first paragraph, in any line ends; other notes have none."""
    for text in (LEAF, LEAF.replace("\n", "\r\n")):
        assert note(text, "memory/x.md").lead == "小林计划每周三去青禾图书馆学摄影。\n第二行。"
    assert note(LEAF, "x.md").lead == ""
    assert note(LEAF, "memory/x.md").language == "zh"


EVIDENCE = """---
id: ev-7k2m9q4txa
type: evidence
turns: 2
---
**小林** · 2026-04-02T09:12:00+08:00 · 2026-04-02T09:12:31+08:00
- [fact] words of a person #tag [[Link]]
^t1

**assistant** · 2026-04-02T09:12:20+08:00 · 2026-04-02T09:12:31+08:00
```
unclosed
^t2
"""


def test_evidence_is_its_turns_and_states_nothing():
    """What somebody said is no observation, tag or link of the vault's owner."""
    found = note(EVIDENCE, "memory/evidence/a.md")
    assert [(t.id, t.speaker, t.line) for t in found.turns] == [("t1", "小林", 6), ("t2", "assistant", 10)]
    assert (found.observations, found.links, found.tags) == ((), (), ())
    assert [b.id for b in found.blocks] == ["t1", "t2"]


def test_problems_carry_the_path_and_the_files_line():
    """From every step of reading."""
    found = note(b"---\r\ntitle: a\r\ntitle: b: c\r\n---\r\nCaf\xe9\r\n", "x/y.md")
    assert [(p.code, p.path, p.line) for p in found.problems] == [
        ("encoding", "x/y.md", 5),
        ("frontmatter_malformed", "x/y.md", 3),
    ]
    assert all(p.message and p.hint for p in found.problems)


def test_a_note_that_is_too_large_is_its_name():
    """With a problem that says so."""
    found = title_only("a/Big One.md", 9_000_000, 3.0)
    assert (found.title, found.permalink, found.size, found.modified) == ("Big One", "a/big-one", 9_000_000, 3.0)
    assert [p.code for p in found.problems] == ["too_large"]


@pytest.mark.parametrize(
    ("path", "permalink"),
    [
        ("Raised Beds.md", "raised-beds"),
        ("课程/线性 代数.md", "课程/线性-代数"),
        ("cafe\u0301/X.MD", "café/x"),
        ("a-b.md", "a-b"),
    ],
)
def test_permalinks_derive_from_paths(path, permalink):
    """Lower case, hyphens for spaces, CJK and folders kept, composed."""
    assert derived_permalink(path) == permalink


def test_names_that_a_permalink_cannot_carry_stay_apart():
    """`C`, `C#` and `C?` have three permalinks; undecodable bytes do not reach the wire."""
    found = {derived_permalink(p) for p in ("C.md", "C#.md", "C?.md", "\udcff.md", "?.md")}
    assert len(found) == 5
    for name in found:
        name.encode()
    assert note("x", "caf\udce9.md").title == "caf%E9"


@given(st.binary(max_size=400))
@settings(max_examples=200)
def test_any_bytes_are_a_note(data):
    """Nothing raises, and the record can be stored."""
    found = note(data, "memory/x.md")
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Note) == found


@given(st.text("ab: \n-#[]{}'\"|>%`^0.\té中(*)", max_size=120), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=300)
def test_any_text_is_a_note_whose_lines_are_its_own(text, end):
    """Nothing raises, problems and links point into the file."""
    whole = f"---\n{text}".replace("\n", end)
    found = parse_note("x.md", whole.encode(), 0.0, UTC)[0]
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(found), type=Note) == found
    assert all(0 <= one.line <= whole.count("\n") + 1 for one in (*found.problems, *found.links, *found.observations))


@pytest.mark.slow
def test_a_note_of_fifty_megabytes_is_read():
    """Without frontmatter's or markdown's cost running away."""
    assert note("- [fact] x [[A]]\n" * 10 + "words " * 8_000_000).observations[0].category == "fact"
