"""Values that change, corrections, moves and their undoing, over the whole daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from tests.fakes.home import OFF_DUTY, Home


def say(home: Home, session: str, day: str, words: str, atom: dict[str, Any]) -> dict[str, Any]:
    """One turn of a session and one atom of it; `captured` in the atom is when the turn was taken in."""
    turn = {"id": f"{session}-1", "speaker": "user", "text": words, "at": f"{day}T09:00:00+08:00"}
    given = {"kind": "claim", "confidence": 0.95, "turns": [0]} | atom
    events = [turn | {"captured_at": at} if (at := given.pop("captured", "")) else turn]
    answer = home.call(
        "memory.ingest", session=session, source="chat", events=events, atoms=[given], close=True, wait=True
    )
    return dict(answer["leaves"][0])


def memory(home: Home) -> dict[str, bytes]:
    found = {str(p.relative_to(home.vault)): p.read_bytes() for p in Path(home.vault / "memory").rglob("*.md")}
    return {path: data for path, data in found.items() if "_formation" not in path}


class Tale(Struct, frozen=True):
    """The seed's story in one language. `asked`: now, before, why, which day, whose exhibition."""

    who: str
    said: tuple[str, str, str, str]
    atoms: tuple[tuple[str, str, str], ...]
    now: str
    before: str
    reason: str
    saturday: str
    gallery: str
    asked: tuple[str, str, str, str, str]


TALES = [
    Tale("小林",
         ("我准备每周三去青禾图书馆学摄影。", "要不要改到周六？", "同学下月要在云岭美术馆办展览。", "图书馆临时闭馆，摄影学习改到松桥活动室。"),
         (("小林准备在青禾图书馆学摄影", "小林", "摄影学习地点"), ("小林准备每周三学摄影", "小林", "摄影学习时间"),
          ("小林的同学要在云岭美术馆办展览", "小林的同学", "展览地点"), ("小林学摄影改到松桥活动室", "小林", "摄影学习地点")),
         "松桥", "青禾", "临时闭馆", "周六", "云岭",
         ("小林现在在哪里学摄影？", "小林以前在哪里学摄影？", "小林学摄影为什么换地方？", "小林哪天学摄影？", "小林要在哪里办展览？")),
    Tale("Xiao Lin",
         ("I plan to study photography at Qinghe library every Wednesday.", "How about Saturday?",
          "A classmate will hold an exhibition at Yunling gallery next month.",
          "The library is closed for now, so photography moves to Songqiao hall."),
         (("Xiao Lin plans to study photography at Qinghe library", "Xiao Lin", "photography place"),
          ("Xiao Lin plans to study photography every Wednesday", "Xiao Lin", "photography day"),
          ("Xiao Lin's classmate holds an exhibition at Yunling gallery", "Xiao Lin's classmate", "exhibition place"),
          ("Xiao Lin studies photography at Songqiao hall", "Xiao Lin", "photography place")),
         "Songqiao", "Qinghe", "closed", "Saturday", "Yunling",
         ("Where does Xiao Lin study photography now?", "Where did Xiao Lin study photography before?",
          "Why did the place where Xiao Lin studies photography change?", "On which day does Xiao Lin study photography?",
          "Where does Xiao Lin hold an exhibition?")),
]  # fmt: skip


def told(home: Home, tale: Tale) -> None:
    """Two sessions a week apart: the plan, the suggestion, the classmate; then the change."""
    events = [
        {"id": str(n), "speaker": "assistant" if n == 1 else tale.who, "text": text, "at": f"2026-04-02T10:0{n}:00+08:00",
         "role": "assistant" if n == 1 else "user"}
        for n, text in enumerate(tale.said[:3])
    ]  # fmt: skip
    atoms = [
        {"text": text, "subject": subject, "aspect": aspect, "holder": subject, "kind": "claim", "confidence": 0.95}
        for text, subject, aspect in tale.atoms
    ]
    first = [atom | {"turns": [turn]} for atom, turn in zip(atoms, (0, 0, 2), strict=False)]
    ingest = {"source": "chat", "owner": tale.who, "close": True, "wait": True}
    home.call("memory.ingest", session="s-0402", events=events, atoms=first, **ingest)
    late = {"id": "4", "speaker": tale.who, "text": tale.said[3], "at": "2026-04-09T10:00:00+08:00", "role": "user"}
    home.call("memory.ingest", session="s-0409", events=[late], atoms=[atoms[3] | {"turns": [0]}], **ingest)
    home.call("memory.chains")
    home.call("memory.patch")


def asked(home: Home, question: str) -> tuple[list[str], list[dict[str, Any]], dict[str, Any]]:
    """(known facts but the profile's, leaves, the whole answer)."""
    answer = home.call("memory.retrieve", query=question)
    facts = [f["text"] for f in answer["retrieval_pack"]["known_facts"] if f["kind"] != "profile"]
    return facts, answer["leaves"], answer


@pytest.mark.parametrize("tale", TALES, ids=["zh", "en"])
def test_where_now_where_before_and_why(tmp_path: Path, tale: Tale) -> None:
    """The seed's story, question by question: the current place is a known fact; the former one is history with its
    date; the reason is told only in somebody's own words; the plan keeps its day, and the assistant's suggestion is no
    decision; what a classmate does is the classmate's."""
    home = Home(tmp_path, f'[vectors]\nmodel = "off"\n[owner]\nname = "{tale.who}"\n').start()
    try:
        told(home, tale)
        now, before, why, day, whose = tale.asked
        facts, leaves, _ = asked(home, now)
        assert any(tale.now in text for text in facts)
        assert not any(tale.before in text for text in facts)
        assert all(leaf["superseded"] for leaf in leaves if tale.before in leaf["text"])
        _, leaves, answer = asked(home, before)
        [old] = [leaf for leaf in leaves if tale.before in leaf["text"]]
        assert (old["superseded"], old["observed_at"][:10]) == (True, "2026-04-02")
        assert any(tale.before in each["quote"] and each["at"][:10] == "2026-04-02" for each in answer["evidence"])
        facts, leaves, answer = asked(home, why)
        assert any(tale.reason in each["quote"] for each in answer["evidence"])
        assert not any(tale.reason in text for text in (*facts, *(leaf["text"] for leaf in leaves)))
        facts, leaves, _ = asked(home, day)
        assert not any(tale.saturday in text for text in (*facts, *(leaf["text"] for leaf in leaves)))
        assert any(tale.atoms[1][0] in text for text in facts)
        _, leaves, _ = asked(home, whose)
        assert {leaf["subject"] for leaf in leaves if tale.gallery in leaf["text"]} == {tale.atoms[2][1]}
        [chain] = home.vault.glob("memory/chains/*/*.md")
        text = chain.read_text()
        assert text.index(f"2026-04-02{'：' if tale.who == '小林' else ':'}") < text.index("2026-04-09")
        assert tale.gallery not in text
        assert tale.gallery not in home.text("memory/profile.md")
    finally:
        home.end()


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
