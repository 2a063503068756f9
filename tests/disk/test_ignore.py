"""What of a vault is not a note."""

from __future__ import annotations

import pytest

from memd.disk.ignore import Ignore


@pytest.mark.parametrize("path", ["a.md", "x/语.MD", "#tag.md", "4913.md", "a.sync-conflict-1.md", "node_modules.md"])
def test_notes_are_seen(path):
    """A visible markdown file is a note, a sync engine's copy too."""
    assert not Ignore().hides(path)


DEBRIS = (
    "a.txt a.md~ #a.md# .a.md .a.md.swp ~$a.md .~lock.a.md# a.md.tmp .git/a.md x/.obsidian/p/a.md x/node_modules/y/a.md"
)


@pytest.mark.parametrize("path", DEBRIS.split())
def test_debris_and_hidden_places_are_not(path):
    """Editors' temporaries and backups, locks, dot folders and node_modules are not looked at."""
    assert Ignore().hides(path)


def test_obsidian_filters_are_prefixes_or_expressions():
    """`Archive/` hides by prefix, `/draft/` by regular expression; neither minds case."""
    ignore = Ignore(("Archive/", "/^tmp.*draft/", "old"))
    hidden = ["archive/a.md", "Archive/x/b.md", "tmp/1 Draft.md", "older.md", "Old/a.md"]
    assert [p for p in [*hidden, "x/Archive/a.md", "a tmp draft.md"] if ignore.hides(p)] == hidden


def test_gitignore_patterns_hide_files_and_folders():
    """Patterns are gitignore's: anchored, negated, folders with a slash."""
    ignore = Ignore(patterns=("*.tmp.md", "/build/", "!keep.tmp.md", "logs/**/raw.md"))
    hidden = ["a.tmp.md", "build/x.md", "logs/a/b/raw.md"]
    assert [p for p in [*hidden, "keep.tmp.md", "x/build/y.md", "raw.md"] if ignore.hides(p)] == hidden


def test_filters_that_cannot_be_read_are_left_out_and_told():
    """A broken expression or pattern is a problem and hides nothing."""
    ignore = Ignore(("/(/", "ok/"), ("!", "x/"))
    assert [p.code for p in ignore.problems] == ["ignore_filter", "ignore_pattern"]
    assert ignore.hides("ok/a.md")
    assert ignore.hides("x/a.md")
    assert not ignore.hides("a.md")


def test_obsidians_filters_do_not_hide_memorys_own_files():
    """`memory/` is kept out of the quick switcher and goes on being read; the config's own patterns hide it, if asked."""
    ignore = Ignore(["memory/", "drafts/"], own="memory")
    assert not ignore.hides("memory/profile.md")
    assert not ignore.hides("memory", folder=True)
    assert ignore.hides("drafts/a.md")
    assert Ignore(["/memory/"], own="memory").hides("memory/profile.md") is False
    assert Ignore((), ["memory/history/"], own="memory").hides("memory/history/x.md")
    assert Ignore(["memory/"], own="remembered").hides("memory/profile.md")
