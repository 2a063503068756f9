"""The profile: patches with sources, a person's lines untouched, refusals visible, versions kept (design 4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.form import backlog, profile_mark, profile_page
from memd.form.profile_text import Edit, edited, line_id, read, row_of
from memd.model.config import Config, FormationConfig
from tests.fakes.driver import NOW, Driver, atom, owned

PATH = "memory/profile.md"
LATER = "2026-11-20T09:00:00+08:00"


def aisle(vault: Driver) -> None:
    vault.take(
        "pf1",
        "I prefer aisle seats",
        atom("The user prefers aisle seats", "user", "seat preference", quotes=("I prefer aisle seats",)),
    )


def window(vault: Driver) -> None:
    vault.take(
        "pf2",
        "Window seats are better",
        atom("The user prefers window seats", "user", "seat preference", quotes=("Window seats are better",)),
        at=LATER,
    )


def shown(vault: Driver, now=NOW) -> dict:
    return profile_page.show(vault.text(PATH), now, vault.memory, vault.vault.notes[PATH].frontmatter)


def texts(vault: Driver, section: str) -> list[str]:
    return [line["text"] for line in shown(vault)[section]]


def test_a_line_leads_to_its_source_and_says_how_it_is_known() -> None:
    """Text, status, first seen, last confirmed, links, a block id of the text's hash."""
    vault = Driver()
    aisle(vault)
    told = vault.patch()
    assert told.added == ("The user prefers aisle seats",)
    (line,) = shown(vault)["stable"]
    assert line["status"] == "stated"
    assert line["first_seen"] == "2026-03-01"
    assert vault.leaf(line["sources"][0]).lead == line["text"]


def test_a_newer_value_rewrites_the_line_and_keeps_the_old_source() -> None:
    """One matter, one line."""
    vault = Driver()
    aisle(vault)
    vault.patch()
    window(vault)
    told = vault.patch()
    assert told.rewritten == ("The user prefers window seats",)
    (line,) = shown(vault)["stable"]
    assert len(line["sources"]) == 2
    assert line["last_confirmed"] == "2026-11-20"


def late(vault: Driver) -> None:
    """From a device that was away: captured before what the profile has read, here after it."""
    vault.take(
        "pf0",
        "I play the oboe",
        atom("The user plays the oboe", "user", "instrument", quotes=("I play the oboe",)),
        created="2026-06-01T09:00:00+08:00",
    )


def test_an_episode_that_arrives_behind_later_ones_is_read_too() -> None:
    """It waits, is taken in once, and brings back no line that a person took away."""
    vault = Driver()
    aisle(vault)
    vault.patch()
    vault.put(PATH, "".join(r for r in vault.text(PATH).splitlines(True) if "aisle" not in r))
    late(vault)
    assert len(backlog.backlog(vault.memory, vault.config).profile) == 1
    assert vault.patch().added == ("The user plays the oboe",)
    assert backlog.backlog(vault.memory, vault.config).profile == ()
    assert vault.patch() == vault.reopened().patch()
    assert texts(vault, "stable") == ["The user plays the oboe"]


def test_what_is_older_than_the_last_ones_that_are_told_is_taken_for_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The page tells so many one by one and stays small, however long the vault is kept."""
    monkeypatch.setattr(profile_mark, "LAST", 1)
    vault = Driver()
    aisle(vault)
    window(vault)
    vault.patch()
    assert len(str(vault.vault.notes[PATH].frontmatter["read"])) == profile_mark.WIDTH
    assert backlog.backlog(vault.memory, vault.config).profile == ()
    late(vault)
    assert not vault.patch().added


def test_a_late_older_value_is_history_and_the_line_keeps_the_newer() -> None:
    """What was said last stands; the older statement is one of its sources."""
    vault = Driver()
    window(vault)
    vault.patch()
    vault.take(
        "pf1",
        "I prefer aisle seats",
        atom("The user prefers aisle seats", "user", "seat preference", quotes=("I prefer aisle seats",)),
        created="2026-06-01T09:00:00+08:00",
    )
    vault.patch()
    (line,) = shown(vault)["stable"]
    assert (line["text"], line["first_seen"]) == ("The user prefers window seats", "2026-03-01")
    assert len(line["sources"]) == 2


def test_a_forgotten_episode_is_no_longer_among_those_read() -> None:
    """Nothing on the page tells that it was there."""
    vault = Driver()
    aisle(vault)
    window(vault)
    vault.patch()
    before = vault.vault.notes[PATH].frontmatter["read"]
    vault.forget(session="pf1")
    after = vault.vault.notes[PATH].frontmatter["read"]
    assert len(str(after)) == profile_mark.WIDTH
    assert str(after) in str(before)


def test_a_page_that_does_not_say_what_it_has_read_goes_by_order() -> None:
    """As pages did before they said it: only what came after the last episode is new."""
    vault = Driver()
    aisle(vault)
    vault.patch()
    vault.put(PATH, "".join(r for r in vault.text(PATH).splitlines(True) if not r.startswith("read:")))
    late(vault)
    assert not vault.patch().added
    window(vault)
    assert vault.patch().rewritten == ("The user prefers window seats",)


def test_what_a_person_wrote_stays_byte_for_byte_with_and_without_frontmatter() -> None:
    """A hand-written page keeps every line; memd's own stand under their headings."""
    for page in (
        "# About me\n\n- I answer letters only in the morning %%mine%%\n- 不吃香菜\n",
        "---\ntitle: Me # a comment\ntags: [a,  b]\n---\r\nHello\r\n\r\n## Stable\r\n\r\n- 不吃香菜\r\n\r\n## Notes\r\nlast line without an end",
    ):
        vault = Driver()
        vault.put(PATH, page)
        aisle(vault)
        vault.patch()
        window(vault)
        vault.patch()
        rows = vault.files[PATH].decode().splitlines(keepends=True)
        wanted = [r for r in page.splitlines(keepends=True) if r.strip() not in ("", "---")]
        assert all(any(r.rstrip("\r\n") == w.rstrip("\r\n") for r in rows) for w in wanted)
        assert "The user prefers window seats" in vault.text(PATH)
        assert "%%mine%%" not in str(shown(vault))


def test_a_line_of_memds_that_a_person_changed_is_theirs_for_ever() -> None:
    """The hash no longer matches: neither rewritten, nor doubled, nor dropped."""
    vault = Driver()
    aisle(vault)
    vault.patch()
    vault.put(PATH, vault.text(PATH).replace("prefers aisle seats", "loves aisle seats"))
    window(vault)
    vault.patch()
    assert texts(vault, "stable") == ["The user loves aisle seats"]
    vault.forget(session="pf1")
    assert texts(vault, "stable") == ["The user loves aisle seats"]


def test_third_parties_moods_and_sensitive_details_are_never_in_it() -> None:
    """A friend's move, an assistant's idea, a mood today, a salary."""
    vault = Driver()
    vault.take(
        "a",
        "My neighbour moved to Trelliswick",
        atom("The neighbour moved to Trelliswick", "my neighbour", "home", holder="my neighbour"),
    )
    vault.take(
        "b",
        "Sign up at Corvane",
        atom("The user signs up at Corvane", "user", "course", quotes=("Sign up at Corvane",)),
        speaker="assistant",
    )
    vault.take("c", "今天不想聊天", atom("用户今天不想聊天", "用户", "心情", quotes=("今天不想聊天",)))
    vault.take("d", "my salary is $90,000", atom("The user's salary is $90,000", "user", "salary"))
    vault.patch()
    assert shown(vault)["stable"] == shown(vault)["recent"] == []


def test_a_plan_is_recent_and_no_trait_and_leaves_the_view_in_time() -> None:
    """The line goes, the leaf stays."""
    vault = Driver()
    (out,) = vault.take(
        "a",
        "I plan to learn the marimba",
        atom("The user plans to learn the marimba", "user", "learning", "claim", quotes=("plan to learn the marimba",)),
        at=LATER,
    )
    vault.patch()
    assert texts(vault, "recent") == ["The user plans to learn the marimba"]
    assert texts(vault, "stable") == []
    vault.now = NOW + timedelta(days=40)
    assert shown(vault, vault.now)["recent"] == []
    vault.patch()
    assert "marimba" not in vault.text(PATH)
    assert vault.memory.active(out.id)


def test_without_a_known_owner_in_the_session_nothing_is_drawn() -> None:
    """小林 may be anybody until the config or a role says who the owner is."""
    vault = Driver()
    said = atom("小林不吃香菜", "小林", "饮食", quotes=("我不吃香菜",))
    vault.take("a", "我不吃香菜", said, speaker="小林")
    vault.patch()
    assert shown(vault)["stable"] == []
    known = Driver(owned("小林"))
    known.take("a", "我不吃香菜", said, speaker="小林")
    known.patch()
    assert texts(known, "stable") == ["小林不吃香菜"]


def test_patches_without_sources_too_long_or_of_somebody_else_are_refused_and_the_reason_is_visible() -> None:
    """The old page stays; refusals stand in its keys without the refused words."""
    bad = [
        {"action": "add", "text": "Likes trains", "sources": ["lf-nowhere00"]},
        {"action": "add", "text": "x" * 400, "sources": ["?"]},
        {"action": "rewrite", "id": "p-none", "text": "y", "sources": ["?"]},
        {"action": "explode"},
    ]
    vault = Driver(
        Config(formation=FormationConfig(method="llm")),
        judge=lambda q: {"patches": bad} if q.task == "profile" else None,
    )
    aisle(vault)
    told = vault.patch()
    assert len(told.refused) == 4
    assert shown(vault)["stable"] == []
    assert len(vault.vault.notes[PATH].frontmatter["refused"]) == 4
    assert "Likes trains" not in vault.text(PATH)


def test_every_version_is_kept_whole() -> None:
    """The bytes before each change stand behind a head of their own under `history/profile/`."""
    vault = Driver()
    vault.put(PATH, "# Me\r\n\r\n- 不吃香菜\r\n")
    before = vault.files[PATH]
    aisle(vault)
    vault.patch()
    (kept,) = vault.paths("/history/profile/")
    assert vault.files[kept].endswith(b"---\n" + before)


def test_capacity_is_bounded_and_what_is_longest_unconfirmed_makes_room() -> None:
    """At most `profile_lines`."""
    vault = Driver(owned(profile_lines=5))
    for n in range(8):
        vault.take(
            f"s{n}",
            f"w{n}",
            atom(f"The user owns bike {n}", "user", f"bike {n}", quotes=(f"w{n}",)),
            at=f"2026-11-{n + 10}T09:00:00+08:00",
        )
        vault.patch()
    assert texts(vault, "stable") == [f"The user owns bike {n}" for n in range(3, 8)]


def test_patching_again_writes_nothing() -> None:
    """`up_to` signs what was seen."""
    vault = Driver()
    aisle(vault)
    vault.patch()
    vault.patch()
    assert not vault.plans[-1]


LINES = st.lists(st.text(st.characters(exclude_characters="\n\r", exclude_categories=("Cs",)), max_size=30), max_size=8)


@given(LINES, st.sampled_from(["\n", "\r\n"]), st.sampled_from(["stable", "recent"]))
def test_adding_a_line_keeps_every_other_byte(lines: list[str], end: str, section: str) -> None:
    """Any page in: the page without the new line, heading and blank lines is the page as it was."""
    page = end.join(lines)
    row = row_of("A new line of memd", "stated", "2026-01-01", "2026-01-02", "", ("x-lf-aaaaaaaaaa",))
    after = edited(page, (Edit(0, section, row),))
    assert row in after
    left = [r.rstrip("\r") for r in after.split("\n") if r.rstrip("\r") not in (row, f"## {section.capitalize()}")]
    there = [r.rstrip("\r") for r in page.split("\n") if r.rstrip("\r") != f"## {section.capitalize()}"]
    assert [r for r in left if r] == [r for r in there if r]


def test_a_lines_id_is_the_hash_of_its_text() -> None:
    """Reading back what was written gives the line, and it is memd's."""
    row = row_of("用户 (不) 吃香菜", "inferred", "", "2026-01-02", "2026-02-01", ("a-lf-aaaaaaaaaa", "b-lf-bbbbbbbbbb"))
    (line,) = read(f"## Recent\n\n{row}\n")
    assert (line.text, line.mine, line.id) == ("用户 (不) 吃香菜", True, line_id("用户 (不) 吃香菜"))
    assert (line.section, line.status, line.until, line.sources) == (
        "recent",
        "inferred",
        "2026-02-01",
        ("a-lf-aaaaaaaaaa", "b-lf-bbbbbbbbbb"),
    )
