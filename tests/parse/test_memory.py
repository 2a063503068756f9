"""Evidence files: any words go in and the same words come out, and what stands beside them is kept."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from memd.model.memory import Event
from memd.model.note import Note
from memd.parse.memory import block, narrative, spans, turns

NOTE = Note(path="memory/evidence/2026/04/2026-04-02-s.md", title="s", kind="evidence", id="ev-aaaaaaaaaa")
ODD = st.sampled_from(
    [
        "**a** · b · c",
        "^t3",
        "x ^t1",
        "```",
        "~~~~",
        "```py",
        "---",
        "%%",
        "<!--",
        "\\",
        "\\^t1",
        " ",
        "",
        "\r",
        "> ```",
        "%\\%",
    ]
)
WORDS = st.lists(st.one_of(ODD, st.text(st.characters(exclude_categories=["Cs"]))), max_size=8).map("\n".join)


@given(st.lists(st.tuples(WORDS, WORDS), min_size=1, max_size=5))
@example([("```\n^t1", "**a** · b · c")])
def test_any_words_come_back(said):
    """Speaker and words of every turn survive the file, whatever they look like."""
    events = [Event(speaker or "x", text, at="2026-04-02T09:00:00+08:00") for speaker, text in said]
    text = "---\nid: ev-x\n---\n" + "".join(block(e, f"t{n}") for n, e in enumerate(events, 1))
    found = turns(NOTE, text)
    assert [(t.speaker, t.text) for t in found] == [(e.speaker, e.text) for e in events]
    assert [t.id for t in found] == [f"ev-aaaaaaaaaa#t{n}" for n in range(1, len(events) + 1)]


def test_the_example_of_the_file_contract():
    """The block of a plain turn is the one that the contract shows."""
    event = Event(
        "小林",
        "我准备每周三去青禾图书馆学摄影。",
        at="2026-04-02T09:12:00+08:00",
        captured_at="2026-04-02T09:12:31+08:00",
    )
    assert block(event, "t1") == (
        "**小林** · 2026-04-02T09:12:00+08:00 · 2026-04-02T09:12:31+08:00\n我准备每周三去青禾图书馆学摄影。\n^t1\n\n"
    )


def test_what_the_header_cannot_show_stands_in_a_comment():
    """Event id, role, modality, uri and sensitivity are read back; a `%%` inside ends no comment."""
    event = Event("u", "hi", id="m%%1", role="user", modality="image", uri="file:///a%20b", sensitivity="sensitive")
    said = turns(NOTE, block(event, "t7"))[0]
    assert (said.event_id, said.role, said.modality, said.uri, said.sensitive, said.at) == (
        "m%%1",
        "user",
        "image",
        "file:///a%20b",
        True,
        "",
    )
    assert block(event, "t7").count("%%") == 2


def test_spans_cover_the_blocks():
    """Blocks lie one after the other: cutting one leaves the others as they were."""
    blocks = [block(Event("a", f"words {n}"), f"t{n}") for n in range(1, 4)]
    text = "head\n" + "".join(blocks)
    found = list(spans(text))
    assert [text[s.start : s.end] for s in found] == blocks
    assert [s.turn.id for s in spans(text[: found[1].start] + text[found[1].end :])] == ["t1", "t3"]


def test_a_fence_that_closes_stays_a_fence():
    """Only a fence that would swallow the next turn is escaped."""
    assert "\n```py\nx\n```\n^t1" in block(Event("a", "```py\nx\n```"), "t1")
    assert "\\```" in block(Event("a", "```py\nx"), "t1")


def test_the_narrative_is_what_follows_the_frontmatter():
    """Reading an episode gives its words alone."""
    assert narrative("---\nid: ep-1\n---\n小林说：好。\n") == "小林说：好。"
    assert narrative("no head\n") == "no head"
