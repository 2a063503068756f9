"""Agents and people in one note at one moment: every line stays, every version stays, links go on leading to their notes."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from typing import Any

import pytest

from memd.bridge.client import Client
from tests.fakes.home import Home

GUESTS = "---\npermalink: guests-a1b2\n---\n# Guests\n\n- [guest] the first\n"

APPENDER = """
    import sys
    from memd.bridge.client import Client
    socket, who, count = sys.argv[1:]
    with Client(socket) as client:
        for n in range(int(count)):
            ask = {"permalink": "guests-a1b2", "category": "guest", "text": f"visitor {who} {n:02}"}
            assert client.call("memory.append", ask)["action"] == "appended"
"""


def appender(home: Home, who: int, count: int) -> subprocess.Popen[bytes]:
    """A process of its own that appends `count` lines to the note, one after another."""
    argv = [sys.executable, "-c", textwrap.dedent(APPENDER), home.socket, str(who), str(count)]
    return subprocess.Popen(argv, env=home.env, stderr=subprocess.PIPE)


def ended(processes: list[subprocess.Popen[bytes]]) -> None:
    for process in processes:
        _, errors = process.communicate(timeout=60)
        assert process.returncode == 0, errors.decode()[-800:]


def guests(text: str) -> Counter[str]:
    return Counter(line.removeprefix("- [guest] ") for line in text.splitlines() if line.startswith("- [guest]"))


def kept(home: Home) -> list[str]:
    """What `.conflict/` holds, as doctor tells it."""
    problems = home.call("memory.doctor")["problems"]
    return [problem["path"] for problem in problems if problem["code"] == "conflict_kept"]


@pytest.fixture
def note(home: Home) -> Home:
    home.write("Guests.md", GUESTS)
    return home.start().settled()


def test_many_processes_append_at_once(note: Home) -> None:
    """Six processes, ten lines each, to one note: every line is there, once, and the file is as it was above them."""
    ended([appender(note, who, 10) for who in range(6)])
    text = note.text("Guests.md")
    assert text.startswith(GUESTS)
    wanted = ["the first", *(f"visitor {who} {n:02}" for who in range(6) for n in range(10))]
    assert guests(text) == Counter(wanted)


@pytest.mark.parametrize("way", ["rename", "in place"])
def test_an_editor_saves_while_agents_append(note: Home, way: str) -> None:
    """A person's own lines, saved over whatever their editor last read, and every line that was acknowledged: all are
    in the note, or in a version that doctor names."""
    file = note.vault / "Guests.md"
    processes = [appender(note, who, 15) for who in range(2)]
    saved: list[str] = []
    while any(process.poll() is None for process in processes):
        line = f"by hand {len(saved):03}"
        data = file.read_bytes() + f"- [guest] {line}\n".encode()
        if way == "rename":
            swap = note.vault / "Guests.md~tmp"
            swap.write_bytes(data)
            swap.replace(file)
        else:
            with open(file, "r+b") as handle:
                handle.write(data)
                handle.truncate()
        saved.append(line)
        note.call("memory.refresh")
    ended(processes)
    note.settled()
    lines = guests(note.text("Guests.md"))
    assert max(lines.values()) == 1
    elsewhere = Counter[str]()
    for path in note.vault.glob(".conflict/**/*.md"):
        elsewhere += guests(path.read_text())
    wanted = {*saved, *(f"visitor {who} {n:02}" for who in range(2) for n in range(15))}
    assert wanted <= lines.keys() | elsewhere.keys()
    assert len(kept(note)) == len(list(note.vault.glob(".conflict/**/*.md")))


def test_a_save_and_an_append_are_both_in_the_note(note: Home) -> None:
    """A person added a line since memd last looked: the append goes beside it."""
    note.write("Guests.md", GUESTS + "- [guest] by hand\n")
    note.call("memory.append", permalink="guests-a1b2", category="guest", text="by an agent")
    assert guests(note.text("Guests.md")) == Counter(["the first", "by hand", "by an agent"])
    assert kept(note) == []


def test_an_edit_against_a_persons_rewrite_is_refused_or_kept(note: Home) -> None:
    """With the fingerprint of what was read the edit is `conflict`; the person's version stands."""
    sha = note.call("memory.read", permalink="guests-a1b2")["sha256"]
    note.write("Guests.md", GUESTS.replace("the first", "the very first"))
    with pytest.raises(Exception, match="changed since") as error:
        note.call("memory.edit", permalink="guests-a1b2", find="first", replace="last", expected_sha256=sha)
    assert error.value.code == "conflict"  # type: ignore[attr-defined]
    assert "the very first" in note.text("Guests.md")


def test_a_writer_that_keeps_the_file_open_loses_nothing(note: Home) -> None:
    """A program opened the note before memd's append and writes its line after it: both lines are in the note."""
    with open(note.vault / "Guests.md", "ab") as handle:
        note.call("memory.append", permalink="guests-a1b2", category="guest", text="by an agent")
        handle.write(b"- [guest] by a slow hand\n")
        handle.flush()
        os.fsync(handle.fileno())
    wanted = Counter(["the first", "by an agent", "by a slow hand"])
    note.until(lambda: guests(note.text("Guests.md")) == wanted and not kept(note))


def test_a_slow_writer_that_rewrote_the_file_keeps_its_version(note: Home) -> None:
    """What it wrote over the open file is no addition: it is in `.conflict/`, and doctor says where."""
    with open(note.vault / "Guests.md", "r+b") as handle:
        note.call("memory.append", permalink="guests-a1b2", category="guest", text="by an agent")
        handle.write(b"all anew\n")
        handle.truncate()
        handle.flush()
    assert "by an agent" in note.text("Guests.md")
    [path] = note.until(lambda: kept(note))
    assert note.text(path) == "all anew\n"


def test_two_clients_append_the_same_line_at_once(note: Home) -> None:
    """One is appended, the others are told that it is there."""
    actions: list[str] = []

    def send() -> None:
        with Client(note.socket) as client:
            ask = {"permalink": "guests-a1b2", "category": "guest", "text": "the same"}
            actions.append(client.call("memory.append", ask)["action"])

    threads = [threading.Thread(target=send) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(actions) == {"appended": 1, "noop_duplicate": 5}
    assert guests(note.text("Guests.md"))["the same"] == 1


# moves


LINKS = (
    "[[Guests]] ![[Guests|who came]] [[Guests#List|the list]] [[Guests^b1]] [text](Guests.md) [x](<Guests.md#List>) "
    "[[guests-a1b2]] `[[Guests]]`\n"
)


def test_a_move_rewrites_only_what_would_break(note: Home) -> None:
    """Alias, fragment, embed and spelling stay; a permalink goes on leading there and code is code."""
    note.write("sub/Links.md", LINKS.replace("Guests.md", "../Guests.md"))
    note.write("Stays.md", "[[Other]] and `[[Guests]]`\n")
    note.settled()
    told = note.call("memory.move", permalink="guests-a1b2", to="people/Visitors.md")
    assert [link["path"] for link in told["links"]] == ["sub/Links.md"]
    after = note.text("sub/Links.md")
    assert after == (
        "[[Visitors]] ![[Visitors|who came]] [[Visitors#List|the list]] [[Visitors^b1]] [text](../people/Visitors.md) "
        "[x](<../people/Visitors.md#List>) [[guests-a1b2]] `[[Guests]]`\n"
    )
    assert note.text("people/Visitors.md") == GUESTS
    assert note.call("memory.read", permalink="guests-a1b2")["path"] == "people/Visitors.md"


def test_a_move_to_another_folder_leaves_links_by_name_alone(note: Home) -> None:
    """A link by file name means the note wherever it lies: nothing is rewritten."""
    note.write("Links.md", "[[Guests]] [[Guests|who]]\n")
    note.settled()
    assert note.call("memory.move", permalink="guests-a1b2", to="people/")["links"] == []
    assert note.text("Links.md") == "[[Guests]] [[Guests|who]]\n"


def test_a_move_in_obsidian_is_followed_without_a_second_rewrite(note: Home) -> None:
    """The file is renamed and its links rewritten by the app: memd writes no byte of theirs, and knows the note."""
    note.write("Links.md", "[[Guests|who]]\n")
    note.settled()
    (note.vault / "Guests.md").rename(note.vault / "Visitors.md")
    links = note.write("Links.md", "[[Visitors|who]]\n")
    stamp = links.stat().st_mtime_ns
    note.until(lambda: note.call("memory.read", permalink="guests-a1b2")["path"] == "Visitors.md")
    note.settled()
    assert (note.text("Links.md"), links.stat().st_mtime_ns) == ("[[Visitors|who]]\n", stamp)
    assert not (note.vault / "memory/_moved.md").exists()


def test_a_note_without_a_permalink_is_found_under_its_old_one(home: Home) -> None:
    """`memory/_moved.md` leads on, through two moves, a restart and a lost cache; nothing is written into the note."""
    home.write("plain/Pots.md", "clay and glaze\n")
    home.start().settled()
    old = home.call("memory.read", path="plain/Pots.md")["permalink"]
    (home.vault / "plain/Pots.md").rename(home.vault / "plain/Jars.md")
    home.until(lambda: home.call("memory.read", permalink=old)["path"] == "plain/Jars.md")
    (home.vault / "plain/Jars.md").rename(home.vault / "Urns.md")
    home.until(lambda: home.call("memory.read", permalink=old)["path"] == "Urns.md")
    assert home.text("Urns.md") == "clay and glaze\n"
    assert "[[Urns.md]]" in home.text("memory/_moved.md")
    home.end()
    subprocess.run(["rm", "-rf", str(home.cache)], check=True)
    home.start().settled()
    assert home.call("memory.read", permalink=old)["path"] == "Urns.md"


# what sync engines leave


COPIES = [
    "Guests.sync-conflict-20261130-101010-ABCDEF7.md",
    "Guests (Ann's conflicted copy 2026-11-30).md",
    "Guests (SFConflict ann@example.org 2026-11-30-10-10-10).md",
    "Guests_conflict-20261130-101010.md",
    "Guests (Conflicted copy desk 202611301010).md",
    "Guests 2.md",
    "Guests-LAPTOP-7K2M9Q4.md",
    "Guests (1).md",
]


def test_a_copy_that_only_adds_is_merged_as_soon_as_it_is_seen(note: Home) -> None:
    """By every engine's name: lines of both, each once; the copy is in `.conflict/`; no copy is a note."""
    for n, name in enumerate(COPIES):
        head = GUESTS.replace("a1b2", f"a1b{n}")
        note.write(f"{n}/Guests.md", head + f"- [guest] from here {n}\n")
        note.write(f"{n}/{name}", head + f"- [guest] from there {n}\n")
    for n, name in enumerate(COPIES):
        wanted = Counter(["the first", f"from here {n}", f"from there {n}"])
        note.until(lambda n=n, wanted=wanted: guests(note.text(f"{n}/Guests.md")) == wanted)
        note.until(lambda n=n, name=name: not (note.vault / f"{n}/{name}").exists())
        [copy] = [path for path in note.until(lambda: kept(note)) if path.startswith(f".conflict/{n}/")]
        assert guests(note.text(copy)) == Counter(["the first", f"from there {n}"])
    assert sorted(note.settled().paths("there")) == [f"{n}/Guests.md" for n in range(len(COPIES))]


def test_a_copy_that_changes_a_line_is_left_and_told(note: Home) -> None:
    """Both files stay as they are; doctor names the copy; search does not rank it."""
    mine = "# Mill\n\nI met Ann at the old mill in May.\n\nWe spoke of bees.\n"
    other = mine.replace("in May", "in the first days of June, quietly")
    name = "Mill.sync-conflict-20261130-101010-ABCDEF7.md"
    note.write("Mill.md", mine)
    note.settled()
    note.write(name, other)
    note.settled()
    told = [p["path"] for p in note.call("memory.doctor")["problems"] if p["code"] == "conflict_copy"]
    assert told == [name]
    assert (note.text("Mill.md"), note.text(name)) == (mine, other)
    assert note.paths("bees") == ["Mill.md"]
    assert note.paths("quietly") == []


def test_a_copy_that_came_before_its_note_waits_for_it(home: Home) -> None:
    """A sync engine brings files in any order; until the note comes the copy is found, and doctor says that it is alone."""
    home.start().settled()
    home.write(COPIES[0], GUESTS + "- [guest] from there\n")
    assert home.settled().paths("from there") == [COPIES[0]]
    [told] = home.call("memory.doctor")["problems"]
    assert "Guests.md, which is not there" in told["message"]
    home.write("Guests.md", GUESTS + "- [guest] from here\n")
    home.until(lambda: guests(home.text("Guests.md")) == Counter(["the first", "from here", "from there"]))


def test_with_merging_off_a_copy_is_only_told(home: Home) -> None:
    """`[sync] merge = false`: doctor names it, nothing is written."""
    home.config.write_text('[vectors]\nmodel = "off"\n[sync]\nmerge = false\n')
    home.write("Guests.md", GUESTS)
    home.start().settled()
    home.write(COPIES[0], GUESTS + "- [guest] from there\n")
    home.settled()
    assert [p for p in home.call("memory.doctor")["problems"] if p["code"] == "conflict_copy"]
    assert (home.text("Guests.md"), (home.vault / COPIES[0]).exists()) == (GUESTS, True)


# the journal


def test_the_journal_tells_what_memory_did_and_nothing_sensitive(home: Home) -> None:
    """One line for a memory that was made; none for a sensitive one; its lines never become memory."""
    home.start().settled()

    def remember(text: str, **more: Any) -> None:
        home.call("memory.remember", text=text, subject="Ann", aspect=text[:20], **more)

    remember("Ann keeps bees behind the mill.")
    remember("Ann was diagnosed with asthma in May.")
    remember("Ann hides her key under the oak.", sensitivity="sensitive")
    [path] = home.vault.glob("journal/*.md")
    lines = [line for line in path.read_text().splitlines() if line.startswith("- ")]
    assert len(lines) == 1
    assert "remembered" in lines[0]
    assert "bees" in lines[0]
    before = path.read_text()
    remember("Ann sells honey on Sundays.")
    assert path.read_text().startswith(before)
    assert not any("remembered [[" in file.read_text() for file in home.vault.glob("memory/evidence/**/*.md"))
