"""`memory.browse`: the tree of memory level by level, from the keys of files."""

from __future__ import annotations

from pathlib import Path

import pytest

from memd.model.errors import Refused
from tests.fakes.driver import atom
from tests.fakes.retrieval import Asker


@pytest.fixture
def at(tmp_path: Path) -> Asker:
    return Asker(str(tmp_path / "words"))


def garden(at: Asker, many: int = 9) -> str:
    for n in range(many):
        day = f"2026-03-{n + 1:02d}T09:00:00+08:00"
        at.driver.take(
            f"s{n}", f"Plot {n} grows crop{n}.", atom(f"Plot {n} grows crop{n}", "Fernhill", f"plot {n}"), at=day
        )
    return at.driver.memory.tree_of(at.driver.memory.of_kind("leaf")[0].id)


def test_root_then_category_then_tree(at: Asker) -> None:
    """The root holds the categories that have trees, a category its trees with counts and the time they span."""
    tree = garden(at, 3)
    assert [child["id"] for child in at.browse()["children"]] == ["interaction"]
    (told,) = at.browse("interaction")["children"]
    assert told["id"] == tree
    assert told["counts"] == {"leaves": 3, "active": 3, "summaries": 0}
    assert told["time_range"] == {"from": "2026-03-01T09:00:00+08:00", "to": "2026-03-03T09:00:00+08:00"}


def test_levels_and_heights(at: Asker) -> None:
    """Under a tree stands the root summary at level 1, under it summaries and leaves that are not sealed."""
    tree = garden(at)
    at.driver.seal()
    (root,) = at.browse(tree)["children"]
    assert (root["level"], root["root"], root["counts"]["children"]) == (1, True, 2)
    under = at.browse(root["id"])["children"]
    assert [(child["kind"], child["height"], child["level"]) for child in under] == [("summary", 1, 2), ("leaf", 0, 2)]
    assert [leaf["level"] for leaf in at.browse(under[0]["id"])["children"]] == [3] * 8


def test_depth(at: Asker) -> None:
    """Depth nests children as far as asked."""
    garden(at)
    at.driver.seal()
    (tree,) = at.browse("interaction", depth=3)["children"]
    assert tree["children"][0]["children"][0]["kind"] == "summary"
    assert "children" not in tree["children"][0]["children"][0]


def test_states(at: Asker) -> None:
    """A leaf says whether it is active, superseded, stale; a summary over one that changed is stale."""
    tree = garden(at, 8)
    at.driver.seal()
    at.driver.take(
        "k", "Plot 3 grows sorghum.", atom("Plot 3 grows sorghum", "Fernhill", "plot 3"), at="2026-11-29T09:00:00+08:00"
    )
    (root,) = at.browse(tree)["children"]
    assert root["state"] == "stale"
    under = at.browse(root["id"], depth=2)["children"]
    assert under[0]["state"] == "stale"
    assert [leaf["state"] for leaf in under[0]["children"]].count("superseded") == 1
    assert under[1]["state"] == "active"


def test_pages(at: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    """Many children come page by page; the pages together are all of them, once each."""
    monkeypatch.setattr("memd.recall.browse.PAGE", 4)
    tree = garden(at, 9)
    seen: list[str] = []
    cursor = ""
    while True:
        page = at.browse(tree, cursor=cursor)
        seen += [child["id"] for child in page["children"]]
        if not (cursor := page["cursor"]):
            break
    assert len(seen) == len(set(seen)) == 9


def test_sensitive_leaves_are_left_out(at: Asker) -> None:
    """Sensitive leaves are not shown or counted unless asked for."""
    at.driver.take("s", "Grade is low.", atom("The grade is low", "school"), sensitive=True)
    assert not any(tree["counts"]["leaves"] for tree in at.browse("interaction")["children"])
    (tree,) = at.browse("interaction", include_sensitive=True)["children"]
    assert tree["counts"]["leaves"] == 1


def test_unknown_node(at: Asker) -> None:
    """A node that is not there is refused with what to do."""
    with pytest.raises(Refused, match="browse the root"):
        at.browse("nowhere")


def test_a_leaf_is_a_node(at: Asker) -> None:
    """A leaf is a node without children."""
    garden(at, 1)
    answer = at.browse(at.driver.memory.of_kind("leaf")[0].id)
    assert (answer["node"]["kind"], answer["children"]) == ("leaf", [])
