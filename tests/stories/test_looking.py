"""Reading changes nothing, and trees hide nothing (design section 1, invariants 11 and 9)."""

from __future__ import annotations

import hashlib

from tests.fakes.home import OFF_DUTY, Home

DRAWERS = [
    {"text": f"Drawer {n} of the Harbor kiosk holds {thing}", "subject": "Harbor kiosk", "aspect": f"drawer {n}",
     "kind": "state", "confidence": 0.95}
    for n, thing in enumerate("stamps string sealing-wax candles twine lanterns marbles thimbles".split())
]  # fmt: skip


def told(home: Home) -> None:
    said = [{"id": "a", "speaker": "user", "text": "The kiosk list is attached.", "at": "2026-03-01T09:00:00+08:00"}]
    home.call("memory.ingest", session="k", source="chat", events=said, atoms=DRAWERS, close=True, wait=True)
    home.call("memory.seal")


def bytes_of(home: Home) -> dict[str, str]:
    """Every file of the vault by its hash, hidden ones too."""
    return {
        str(path.relative_to(home.vault)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in home.vault.rglob("*")
        if path.is_file()
    }


def test_reading_changes_nothing(home: Home) -> None:
    """No question leaves a mark in the vault: no counter, no hotness, no file."""
    home.config.write_text(OFF_DUTY)
    home.write("a.md", "# Quay\n\nsee [[b]]\n")
    home.write("b.md", "lamps\n")
    home.start()
    told(home)
    home.settled()
    home.until(lambda: not home.call("status")["queues"]["displaced"])
    before = bytes_of(home)
    [leaf] = home.call("memory.search", query="thimbles", kinds=["leaf"], mode="text")["hits"]
    for _ in range(3):
        for method, params in (
            ("memory.search", {"query": "lamps"}),
            ("memory.read", {"path": "a.md"}),
            ("memory.list", {}),
            ("memory.context", {"path": "a.md", "depth": 2}),
            ("memory.recent", {}),
            ("memory.retrieve", {"query": "what is in drawer 7 of the kiosk"}),
            ("memory.browse", {"node": "interaction:harbor-kiosk", "depth": 3}),
            ("memory.trace", {"id": leaf["id"], "direction": "both"}),
            ("memory.profile", {"history": True}),
            ("memory.doctor", {}),
            ("status", {}),
        ):
            home.call(method, **params)
    assert bytes_of(home) == before


def test_a_summary_hides_no_leaf(home: Home) -> None:
    """A leaf under a summary is found by its own words, by search and by retrieve, whatever the summary says."""
    home.start()
    told(home)
    for word in ("stamps", "lanterns", "thimbles"):
        assert any(word in hit["snippet"] for hit in home.call("memory.search", query=word, mode="text")["hits"])
        pack = home.call("memory.retrieve", query=f"which drawer holds {word}")
        assert any(word in leaf["text"] for leaf in pack["leaves"])
