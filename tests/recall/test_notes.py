"""`memory.list`, `memory.context`, `memory.recent` over a snapshot."""

from __future__ import annotations

from typing import Any

import pytest

from memd.model.change import Change
from memd.model.errors import Refused
from memd.model.vault import Vault
from memd.recall.notes import context, list_notes, recent
from tests.fakes.recall import NOW, Asked, note_of


def vault(**texts: str) -> Vault:
    names = {name.replace("__", "/") + ".md": text for name, text in texts.items()}
    return Vault(note_of(path, text, 1000.0 + at) for at, (path, text) in enumerate(names.items()))


def listed(at: Vault, **params: Any) -> list[str]:
    return [note["path"] for note in list_notes(at, Asked(**params), NOW)["notes"]]


def test_lists_by_filters_newest_first() -> None:
    """Folder with its folders, tag with nested ones, type, property, glob; sensitive notes only when asked for."""
    at = vault(
        a="---\ntags: [trip/coast]\n---\n",
        d__b="---\ntype: course\nn: 3\n---\n",
        d__e__c="---\nsensitivity: sensitive\n---\n",
    )
    assert listed(at) == ["d/b.md", "a.md"]
    assert listed(at, folder="D", include_sensitive=True) == ["d/e/c.md", "d/b.md"]
    assert listed(at, tag="#Trip") == ["a.md"]
    assert listed(at, type="Course") == ["d/b.md"]
    assert listed(at, where={"n": {"gte": 3}}) == ["d/b.md"]
    assert listed(at, permalink="D/*") == ["d/b.md"]
    assert listed(at, permalink="a") == ["a.md"]


def test_list_pages_go_on_where_the_last_ended() -> None:
    """Also when a newer note has come between; the last page has no cursor."""
    at = vault(**{f"n{n}": "x\n" for n in range(5)})
    first = list_notes(at, Asked(limit=2), NOW)
    at = at.after(Change(written=(note_of("new.md", "x\n", 9000.0),)))
    second = list_notes(at, Asked(limit=9, cursor=first["cursor"]), NOW)
    assert [n["path"] for n in second["notes"]] == ["n2.md", "n1.md", "n0.md"]
    assert second["cursor"] == ""
    with pytest.raises(Refused, match="cursor"):
        list_notes(at, Asked(cursor="%%%"), NOW)


def test_context_tells_the_way() -> None:
    """Both directions, nearest first, each note once, with relation and way; never through a sensitive note."""
    at = vault(
        a="- part_of [[b]]\n",
        b="see [[c]]\n",
        c="see [[d]] and [[s]]\n",
        d="x\n",
        e="for [[a]]\n",
        s="---\nsensitivity: sensitive\n---\n[[z]]\n",
        z="x\n",
    )
    told = context(at, Asked(permalink="a", depth=3), NOW)
    assert told["note"]["path"] == "a.md"
    assert [(r["path"], r["relation"], r["direction"], r["depth"]) for r in told["related"]] == [
        ("b.md", "part_of", "out", 1),
        ("e.md", "links_to", "in", 1),
        ("c.md", "links_to", "out", 2),
        ("d.md", "links_to", "out", 3),
    ]
    assert told["related"][-1]["way"] == ["a", "b", "c", "d"]
    assert len(context(at, Asked(permalink="a", limit=2, depth=3), NOW)["related"]) == 2


def test_context_refuses_what_is_not_there_or_not_shown() -> None:
    """Unknown names, two notes of one title, and sensitive notes."""
    at = vault(
        s="---\nsensitivity: sensitive\n---\n", x__t="---\npermalink: p1\n---\n", y__t="---\npermalink: p2\n---\n"
    )
    for name, code in (("nothing", "not_found"), ("t", "not_found"), ("s", "permission_denied")):
        with pytest.raises(Refused) as refused:
            context(at, Asked(permalink=name), NOW)
        assert refused.value.code == code
    assert context(at, Asked(permalink="memory://p2"), NOW)["note"]["path"] == "y/t.md"


def test_recent_serves_for_pages_and_for_what_is_new() -> None:
    """A cursor stands for what was told: newer changes come first, then older ones, none twice and none left out."""
    at = vault(**{f"n{n}": "x\n" for n in range(5)})
    first = recent(at, Asked(limit=2), NOW)
    assert [c["path"] for c in first["changes"]] == ["n4.md", "n3.md"]
    at = at.after(Change(written=(note_of("n0.md", "y\n", 9000.0),)))
    second = recent(at, Asked(limit=2, cursor=first["cursor"]), NOW)
    assert [c["path"] for c in second["changes"]] == ["n0.md", "n2.md"]
    third = recent(at, Asked(limit=9, cursor=second["cursor"]), NOW)
    assert [c["path"] for c in third["changes"]] == ["n1.md"]
    assert recent(at, Asked(cursor=third["cursor"]), NOW)["changes"] == []


def test_recent_by_kind_and_time() -> None:
    """`since` and `kinds` narrow; times are in the vault's zone."""
    at = vault(a="---\nmodified: 2026-05-01\n---\n", b="---\nmodified: 2026-05-03T10:00:00+02:00\n---\n")
    told = recent(at, Asked(since="2026-05-02", kinds=("note",)), NOW)["changes"]
    assert [(c["path"], c["at"]) for c in told] == [("b.md", "2026-05-03T16:00:00+08:00")]
    assert recent(at, Asked(kinds=("leaf",)), NOW)["changes"] == []
