"""Values that change, corrections, moves and their undoing, over the whole daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.fakes.home import OFF_DUTY, Home


def say(home: Home, session: str, day: str, words: str, atom: dict[str, Any]) -> dict[str, Any]:
    events = [{"id": f"{session}-1", "speaker": "user", "text": words, "at": f"{day}T09:00:00+08:00"}]
    given = {"kind": "claim", "confidence": 0.95, "turns": [0]} | atom
    answer = home.call(
        "memory.ingest", session=session, source="chat", events=events, atoms=[given], close=True, wait=True
    )
    return dict(answer["leaves"][0])


def memory(home: Home) -> dict[str, bytes]:
    found = {str(p.relative_to(home.vault)): p.read_bytes() for p in Path(home.vault / "memory").rglob("*.md")}
    return {path: data for path, data in found.items() if "_formation" not in path}


STORIES = [
    ("Xiao Lin", "where photography is learned", "Xiao Lin learns photography at Qinghe library.", "Xiao Lin learns photography at Beishan studio.",
     "The library closed for repairs, so Xiao Lin learns photography at Beishan studio now.", "Beishan", "Qinghe",
     "Why did Xiao Lin change where photography is learned?", "closed for repairs"),
    ("小林", "摄影学习地点", "小林在青禾图书馆学摄影。", "小林在北山工作室学摄影。",
     "青禾图书馆闭馆维修，所以小林现在改在北山工作室学摄影。", "北山", "青禾", "小林为什么换了学摄影的地方？", "闭馆维修"),
]  # fmt: skip


@pytest.mark.parametrize(("who", "aspect", "first", "second", "words", "now", "before", "why", "reason"), STORIES)
def test_where_now_where_before_and_why(
    home: Home, who: str, aspect: str, first: str, second: str, words: str, now: str, before: str, why: str, reason: str
) -> None:
    """The current value is a known fact, the former one is history, and the reason is told only in somebody's own words."""
    home.start()
    say(home, "s1", "2026-04-02", first, {"text": first, "subject": who, "aspect": aspect})
    say(home, "s2", "2026-06-10", words, {"text": second, "subject": who, "aspect": aspect})
    home.call("memory.chains")
    pack = home.call("memory.retrieve", query=f"{who} {aspect}")
    facts = [fact["text"] for fact in pack["retrieval_pack"]["known_facts"]]
    assert any(now in fact for fact in facts)
    assert not any(before in fact and now not in fact for fact in facts[:1])
    old = [leaf for leaf in pack["leaves"] if before in leaf["text"]]
    assert all(leaf["superseded"] for leaf in old)
    asked = home.call("memory.retrieve", query=why)
    assert any(reason in each["quote"] for each in asked["evidence"])
    assert not any(
        reason in fact["text"] for fact in asked["retrieval_pack"]["known_facts"] if fact["kind"] != "profile"
    )


def test_a_correction_and_a_forgetting_may_be_undone(home: Home) -> None:
    """Undo puts memory's files back byte for byte after a correction, and after a forget without purge."""
    home.config.write_text(OFF_DUTY)
    home.start()
    leaf = say(
        home,
        "s1",
        "2026-04-02",
        "Nora lives in Porto.",
        {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home"},
    )
    before = memory(home)
    home.call("memory.correct", id=leaf["id"], text="Nora lives in Braga")
    assert home.paths("Braga", kinds=["leaf"])
    home.call("memory.undo")
    assert memory(home) == before
    home.call("memory.forget", target={"session": "s1"}, dry_run=False)
    assert not home.paths("Porto", kinds=["leaf"])
    home.call("memory.undo")
    assert memory(home) == before
    assert home.paths("Porto", kinds=["leaf"]) == [leaf["path"]]


def test_a_leaf_moves_to_another_tree_and_back(home: Home) -> None:
    """Moved by `memory.move` the leaf belongs to the other tree and keeps its id; two entities become one, the name an
    alias."""
    home.start()
    leaf = say(
        home,
        "s1",
        "2026-04-02",
        "Nora lives in Porto.",
        {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home"},
    )
    other = say(
        home,
        "s2",
        "2026-04-03",
        "Leonor likes figs.",
        {"text": "Leonor likes figs", "subject": "Leonor", "aspect": "food"},
    )
    home.call("memory.move", id=leaf["id"], to=other["tree"])
    assert home.paths("Porto", kinds=["leaf"], tree=other["tree"])
    home.call("memory.move", id=leaf["id"], to="interaction:nora")
    home.call("memory.move", id="interaction:nora", to=other["tree"])
    assert home.paths("Porto", kinds=["leaf"], tree=other["tree"])
    assert "Nora" in home.text("memory/interaction/interaction-leonor/_tree.md").split("---")[1]
