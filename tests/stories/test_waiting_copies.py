"""A sync engine's copy is taken into its note whatever came first, whoever brought it, and however often it was refused."""

from __future__ import annotations

import os
import signal

import pytest

from tests.fakes.home import Home

NOTE = "# Guests\n\nThey come in May.\n\n- [guest] the first\n"
HERE, THERE = "- [guest] from here\n", "- [guest] from there\n"
OTHER = NOTE.replace("in May", "in the last days of June")
COPY = "Guests.sync-conflict-20261130-101010-ABCDEF7.md"


@pytest.fixture
def vault(home: Home) -> Home:
    return home.start().settled()


def joined(home: Home, path: str) -> bool:
    """Whether the note has the lines of both, after a look at every file."""
    home.settled()
    return all(home.text(path).count(line) == 1 for line in (HERE, THERE))


@pytest.mark.parametrize(
    ("copy", "note"),
    [
        (COPY, "GUESTS.md"),
        ("Gäste (conflicted copy 2026-11-30).md", "Ga\u0308ste.md"),
        ("Guests 2.md", "Guests.md"),
    ],
    ids=["case", "form", "plain"],
)
def test_a_copy_finds_a_note_that_comes_later(vault: Home, copy: str, note: str) -> None:
    """Its name may differ in case or in Unicode form, and the copy's may be a plain one."""
    same = "---\npermalink: guests-a1b2\n---\n" + NOTE
    vault.write(copy, same + THERE)
    vault.settled()
    vault.write(note, same + HERE)
    vault.until(lambda: joined(vault, note))
    assert not (vault.vault / copy).exists()


def test_a_copy_is_looked_at_again_when_a_twin_of_its_note_goes(vault: Home) -> None:
    """Of two notes whose names differ in case the exact one was no match; without it the other is the note."""
    vault.write("Guests.md", OTHER)
    vault.write("GUESTS.md", NOTE + HERE)
    vault.write(COPY, NOTE + THERE)
    vault.settled()
    assert (vault.vault / COPY).exists()
    (vault.vault / "Guests.md").unlink()
    vault.until(lambda: joined(vault, "GUESTS.md"))


def test_a_copy_finds_a_note_that_a_client_moves_to_it(vault: Home) -> None:
    """Whose hand brought the note is all the same."""
    vault.write("Plan.md", NOTE + HERE)
    vault.write(COPY, NOTE + THERE)
    vault.settled()
    vault.call("memory.move", path="Plan.md", to="Guests.md")
    assert joined(vault, "Guests.md")


@pytest.mark.parametrize("copy", [COPY, "Guests 2.md"], ids=["named", "plain"])
def test_a_merge_that_was_undone_stays_undone(vault: Home, copy: str) -> None:
    """The copy that the undo put back is left to the person who asked for it, by the next start too, until it changes."""
    same = "---\npermalink: guests-a1b2\n---\n" + NOTE
    vault.write("Guests.md", same + HERE)
    vault.settled()
    vault.write(copy, same + THERE)
    vault.until(lambda: joined(vault, "Guests.md"))
    vault.call("memory.undo")
    vault.settled()
    assert (vault.text("Guests.md"), vault.text(copy)) == (same + HERE, same + THERE)
    vault.end()
    vault.write("Guests.md", same + "- [guest] another\n" + HERE)
    vault.start().settled()
    assert THERE not in vault.text("Guests.md")
    vault.write(copy, same + "- [guest] a third\n" + THERE)
    vault.until(lambda: joined(vault, "Guests.md"))


def test_what_was_refused_is_done_when_the_vault_takes_it(vault: Home) -> None:
    """A note that is write-protected holds up no other copy; made writable, it gets its own at the next look at all files."""
    for folder in "ab":
        vault.write(f"{folder}/Guests.md", NOTE + HERE)
    os.chmod(vault.vault / "a/Guests.md", 0o444)
    vault.settled()
    for folder in "ab":
        vault.write(f"{folder}/{COPY}", NOTE + THERE)
    vault.until(lambda: joined(vault, "b/Guests.md"))
    assert vault.text("a/Guests.md") == NOTE + HERE
    os.chmod(vault.vault / "a/Guests.md", 0o644)
    vault.until(lambda: joined(vault, "a/Guests.md"))


def test_what_was_refused_outlives_a_kill(vault: Home) -> None:
    """The next start knows the copy from its cache, and finds it still to be settled."""
    vault.write("Guests.md", NOTE + HERE)
    os.chmod(vault.vault / "Guests.md", 0o444)
    vault.write(COPY, NOTE + THERE)
    vault.settled()
    vault.end(signal.SIGKILL)
    os.chmod(vault.vault / "Guests.md", 0o644)
    vault.start()
    vault.until(lambda: all(line in vault.text("Guests.md") for line in (HERE, THERE)))


def test_a_move_that_could_not_be_noted_is_noted_later(vault: Home) -> None:
    """The place that a note had as its name leads to it, though the file of moves was write-protected when it moved."""
    vault.write("one/Heron.md", "# Heron\n\nstands in the weir\n")
    vault.write("two/Weir.md", "# Weir\n\nholds the river\n")
    vault.settled()
    vault.call("memory.move", permalink="one/heron", to="one/Egret.md")
    vault.until(lambda: (vault.vault / "memory/_moved.md").exists())
    os.chmod(vault.vault / "memory/_moved.md", 0o444)
    vault.call("memory.move", permalink="two/weir", to="two/Dam.md")
    vault.settled()
    assert "two/weir" not in vault.text("memory/_moved.md")
    os.chmod(vault.vault / "memory/_moved.md", 0o644)
    vault.settled()
    assert vault.call("memory.read", permalink="two/weir")["path"] == "two/Dam.md"
