"""One sensitive thing said hides itself, not the talk around it: over the whole daemon."""

from __future__ import annotations

from typing import Any

import pytest

from memd.model.errors import Refused
from tests.fakes.home import Home


def ingest(home: Home, *texts: str, **more: Any) -> dict[str, Any]:
    events = [
        {"id": f"t{n}", "speaker": "user", "text": text, "at": f"2026-03-01T09:0{n}:00+08:00"}
        for n, text in enumerate(texts)
    ]
    events[1] |= more
    return home.call("memory.ingest", session="s1", source="chat", events=events, close=True, wait=True)


def said(home: Home, query: str, **more: Any) -> list[str]:
    hits = home.call("memory.search", query=query, kinds=["evidence"], mode="text", **more)["hits"]
    return [hit["snippet"] for hit in hits]


@pytest.mark.parametrize(
    ("plain", "detail", "word"),
    [
        ("My sister Nora lives in Porto.", "My salary is $5,200 a month at the heronry.", "heronry"),
        ("我每周三去青禾图书馆学摄影。", "我在苍鹭公司的月薪是12000元。", "苍鹭"),
    ],
)
def test_a_detail_is_hidden_by_rule_and_its_neighbours_are_found(
    home: Home, plain: str, detail: str, word: str
) -> None:
    """The turn with the detail is neither found nor retrieved, the turn before it is; the file needs include_sensitive."""
    home.start()
    [path] = {kept["path"] for kept in ingest(home, plain, detail)["evidence"]}
    assert said(home, word) == []
    assert said(home, plain)
    assert said(home, word, include_sensitive=True)
    pack = home.call("memory.retrieve", query=f"{plain} {word}")
    assert any(plain in each["quote"] for each in pack["evidence"])
    assert detail not in str(pack)
    with pytest.raises(Refused) as refused:
        home.call("memory.read", permalink=path)
    assert refused.value.code == "permission_denied"
    assert detail in home.call("memory.read", permalink=path, include_sensitive=True)["content"]


def test_what_rests_on_other_turns_is_not_hidden(home: Home) -> None:
    """A leaf that rests on a plain turn of the same talk is found; one that rests on the detail is not."""
    home.start()
    told = home.call(
        "memory.ingest",
        session="s1",
        source="chat",
        events=[
            {"id": "a", "speaker": "user", "text": "Nora lives in Porto.", "at": "2026-03-01T09:00:00+08:00"},
            {"id": "b", "speaker": "user", "text": "Nora takes sertraline.", "at": "2026-03-01T09:01:00+08:00",
             "sensitivity": "sensitive"},
        ],
        atoms=[
            {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "turns": [0], "confidence": 0.9},
            {"text": "Nora takes sertraline", "subject": "Nora", "aspect": "care", "kind": "state", "turns": [1], "confidence": 0.9},
        ],
    )  # fmt: skip
    assert [leaf["outcome"] for leaf in told["leaves"]] == ["created", "created"]
    assert home.paths("Porto", kinds=["leaf"])
    assert not home.paths("sertraline", kinds=["leaf"])
    assert home.paths("sertraline", kinds=["leaf"], include_sensitive=True)


def test_a_turn_without_an_episode_yet_gives_its_atoms_all_the_same(home: Home) -> None:
    """Atoms of turns whose stretch was still open close it: nothing that was handed over waits unseen."""
    home.start()
    event = {"id": "a", "speaker": "user", "text": "Nora lives in Porto.", "at": "2026-03-01T09:00:00+08:00"}
    home.call("memory.ingest", session="s1", source="chat", events=[event])
    atom = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "turns": ["a"],
            "confidence": 0.9}  # fmt: skip
    answer = home.call("memory.ingest", session="s1", source="chat", events=[event], atoms=[atom])
    assert [leaf["outcome"] for leaf in answer["leaves"]] == ["created"]
