"""A daemon that follows its vault: what a person does to files is what search says, asked or unasked."""

from __future__ import annotations

import os
import shutil
import signal

import pytest

from tests.fakes.home import Home


def test_a_vault_in_answers_out(home: Home) -> None:
    """A note is found by a word of it, with its line and its title."""
    home.write("birds/Herons.md", "# Herons\n\nThey stand still by the weir.\n")
    home.start().settled()
    hit = home.call("memory.search", query="weir", mode="text")["hits"][0]
    assert (hit["path"], hit["title"], hit["line"]) == ("birds/Herons.md", "Herons", 3)


def test_changes_are_found_unasked(home: Home) -> None:
    """Creating, editing, replacing, renaming and deleting files needs no refresh."""
    home.write("other.md", "something else\n")
    home.start().settled()
    home.write("a.md", "acorns\n")
    home.until(lambda: home.paths("acorns") == ["a.md"])
    home.write("a.md", "conkers\n")
    home.until(lambda: home.paths("conkers") == ["a.md"] and not home.paths("acorns"))
    home.write(".a.tmp", "chestnuts\n").replace(home.vault / "a.md")
    home.until(lambda: home.paths("chestnuts") == ["a.md"])
    (home.vault / "a.md").rename(home.vault / "A.md")
    home.until(lambda: home.paths("chestnuts") == ["A.md"])
    (home.vault / "A.md").unlink()
    home.until(lambda: not home.paths("chestnuts"))


def test_a_folder_moves_as_one(home: Home) -> None:
    """A renamed folder leaves nothing under its old name, whatever is in it."""
    for n in range(30):
        home.write(f"old/deep/{n}.md", f"marzipan {n}\n")
    home.start().settled()
    (home.vault / "old").rename(home.vault / "new")
    home.until(lambda: sorted(home.paths("marzipan")) == sorted(f"new/deep/{n}.md" for n in range(30)))


def test_an_edit_that_keeps_size_and_mtime_is_found(home: Home) -> None:
    """The hash is the judge: an edit that hides behind the same size and mtime is seen."""
    file = home.write("a.md", "plover\n")
    before = file.stat()
    home.start().settled()
    file.write_bytes(b"curlew\n")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    home.until(lambda: home.paths("curlew") == ["a.md"] and not home.paths("plover"))


def test_what_changed_while_it_was_down_is_there_after_a_start(home: Home) -> None:
    """A restart finds new, changed, moved and deleted files."""
    for name in ("keep", "gone", "moved"):
        home.write(f"{name}.md", f"{name}word\n")
    home.start().settled()
    assert home.end() == 0
    (home.vault / "gone.md").unlink()
    (home.vault / "moved.md").rename(home.vault / "elsewhere.md")
    home.write("keep.md", "otherword\n")
    home.start().settled()
    assert (home.paths("goneword"), home.paths("movedword")) == ([], ["elsewhere.md"])
    assert home.paths("otherword") == ["keep.md"]


def test_a_restart_reads_no_body(home: Home) -> None:
    """With nothing changed, a start opens no note: unreadable files go on being found."""
    home.write("a.md", "sextant\n")
    home.start().settled()
    home.end()
    os.utime(home.vault / "a.md")
    home.start().settled()
    home.end()
    home.start()
    assert home.paths("sextant") == ["a.md"]


def test_killed_it_starts_again_over_its_leftovers(home: Home) -> None:
    """kill -9 blocks nothing: stale socket, lock and temporaries are dealt with."""
    home.write("a.md", "ledger\n")
    home.start().settled()
    home.end(signal.SIGKILL)
    home.start().settled()
    assert home.paths("ledger") == ["a.md"]


def test_the_cache_may_be_deleted(home: Home) -> None:
    """Without its cache the daemon gives the same answers after a start."""
    for n in range(9):
        home.write(f"{n}.md", f"brook and weir {'x' * n}\n")
    home.start().settled()
    before = home.paths("brook weir")
    home.end()
    shutil.rmtree(home.cache)
    home.start().settled()
    assert home.paths("brook weir") == before


def test_the_cache_may_be_deleted_while_memd_runs(home: Home) -> None:
    """It is made anew from the files; a note that is written meanwhile is found, also after a start."""
    for n in range(9):
        home.write(f"{n}.md", f"brook and weir {'x' * n}\n")
    home.start().settled()
    before = home.paths("brook weir")
    (cache,) = (path.parent for path in home.cache.rglob("ledger.db"))
    shutil.rmtree(cache)
    home.call("memory.append", path="8.md", category="fact", text="a sluice")
    home.until(lambda: (cache / "ledger.db").exists() and home.paths("sluice") == ["8.md"])
    home.settled()
    assert sorted(home.paths("brook weir")) == sorted(before)
    assert "index" not in {problem["code"] for problem in home.call("memory.doctor")["problems"]}
    assert home.end() == 0
    home.start().settled()
    assert home.paths("sluice") == ["8.md"]


def test_an_emptied_vault_is_waited_for(home: Home) -> None:
    """A vault without a note is held: answers go on from the index, and say that they are not current."""
    for n in range(25):
        home.write(f"{n}.md", f"lantern {n}\n")
    home.start().settled()
    for n in range(25):
        (home.vault / f"{n}.md").rename(home.base / f"{n}.md")
    assert "gone at once" in home.call("memory.refresh")["held"]
    found = home.call("memory.search", query="lantern", mode="text", limit=50)
    assert (len(found["hits"]), found["index"]["current"]) == (25, False)
    for n in range(25):
        (home.base / f"{n}.md").rename(home.vault / f"{n}.md")
    home.settled()
    assert len(home.paths("lantern")) == 25


def test_the_doctor_sees_at_once_that_the_vault_is_gone(home: Home) -> None:
    """It looks by itself, long before the next scan; when the folder is back, it says nothing of it."""
    home.write("a.md", "lantern\n")
    home.start().settled()
    home.vault.rename(home.base / "away")
    codes = [problem["code"] for problem in home.call("memory.doctor")["problems"]]
    assert codes.count("held") == 1
    (home.base / "away").rename(home.vault)
    assert "held" not in [problem["code"] for problem in home.call("memory.doctor")["problems"]]
    assert home.paths("lantern") == ["a.md"]


def test_a_person_may_accept_the_loss(home: Home) -> None:
    """`refresh` with `accept` takes over that the notes are gone."""
    home.write("a.md", "lantern\n")
    home.start().settled()
    (home.vault / "a.md").unlink()
    assert home.call("memory.refresh")["held"]
    assert not home.call("memory.refresh", accept=True)["held"]
    assert home.paths("lantern") == []


def test_two_daemons_never_serve_one_vault(home: Home) -> None:
    """The second says who holds the vault and ends with 1."""
    home.start()
    second = home.cli("run")
    assert second.returncode == 1
    assert "another daemon" in second.stderr


def test_a_fifo_named_like_a_note_hangs_nobody(home: Home) -> None:
    """Pipes, dangling links and loops are listed as problems, and the rest is found."""
    os.mkfifo(home.vault / "pipe.md")
    (home.vault / "loop").symlink_to(".")
    (home.vault / "dangling.md").symlink_to("nowhere.md")
    home.write("fine.md", "tallow\n")
    home.start().settled()
    assert home.paths("tallow") == ["fine.md"]
    codes = {problem["code"] for problem in home.call("memory.doctor")["problems"]}
    assert {"not_a_file", "symlink"} <= codes


@pytest.mark.slow
def test_five_thousand_files_at_once(home: Home) -> None:
    """A checkout of 5,000 files is in the index when refresh says that it is current."""
    home.start().settled()
    for n in range(5000):
        home.write(f"{n % 50}/{n}.md", f"# Note {n}\n\nword{n} common\n")
    home.settled()
    assert home.paths("word4999") == ["49/4999.md"]
    assert home.call("status")["vault"]["notes"] == 5000


def test_what_obsidian_excludes_is_left_alone_from_then_on(home: Home) -> None:
    """A folder that is excluded while memd runs, or while it does not, is no loss of notes; taken out of the list again
    it is found again. Settings that cannot be read change nothing and are told."""
    settings = home.write(".obsidian/app.json", "{}")
    home.write("kept.md", "a heron stands\n")
    for n in range(30):
        home.write(f"archive/n{n}.md", f"a heron flew {n}\n")
    home.start().settled()
    assert len(home.paths("heron")) == 31
    settings.write_text('{"userIgnoreFilters": ["archive/"]}')
    assert home.settled().paths("heron") == ["kept.md"]
    settings.write_text('{"userIgnoreFilters": ["arch')
    assert home.settled().paths("heron") == ["kept.md"]
    assert [p["code"] for p in home.call("memory.doctor")["problems"]] == ["obsidian_settings"]
    settings.write_text("{}")
    assert len(home.settled().paths("heron")) == 31
    home.end()
    settings.write_text('{"userIgnoreFilters": ["archive/"]}')
    assert home.start().settled().paths("heron") == ["kept.md"]
    assert not home.call("status")["daemon"]["held"]
