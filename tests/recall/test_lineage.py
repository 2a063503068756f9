"""Memory in search: one result a lineage, the newer in place of the older, evidence where nothing else answers."""

from __future__ import annotations

from pathlib import Path

from memd.model.memory import Event
from memd.parse import memory
from memd.recall.search import search
from tests.fakes.recall import NOW, Asked, World, world

EVIDENCE = (
    "---\nid: ev-aaaaaaaaaa\ntype: evidence\ntitle: 2026-04-02 s1\nsession: s1\ncategory: interaction\ndate: 2026-04-02\n---\n"
    + "".join(
        memory.block(Event("Lin", words, at=f"2026-04-0{n}T09:00:00+08:00"), f"t{n}")
        for n, words in enumerate(
            ("The kiln stands in the old barn.", "We moved it to the mill.", "Zinnias are blooming."), 1
        )
    )
)


def leaf(id: str, text: str, **keys: str) -> str:
    said = {
        "subject": "kiln",
        "aspect": "place",
        "tree": "interaction:kiln",
        "status": "active",
        "origin": "human",
    } | keys
    lines = "".join(f"{key}: {value}\n" for key, value in said.items())
    return f"---\nid: lf-{id}\ntype: leaf\ntitle: {text}\n{lines}---\n{text}\n"


OLD = leaf("aaaaaaaaaa", "The kiln is in the barn", observed_at="2026-04-01T09:00:00+08:00",
           quotes='[{turn: "[[2026-04-02-s1#^t1]]", text: The kiln stands}]')  # fmt: skip
NEW = leaf(
    "bbbbbbbbbb",
    "The kiln is in the mill",
    observed_at="2026-04-02T09:00:00+08:00",
    supersedes='"[[old-lf-aaaaaaaaaa]]"',
)
CHAIN = '---\nid: ch-aaaaaaaaaa\ntype: chain\ntitle: kiln place\nsubject: kiln\naspect: place\nmembers: ["[[new-lf-bbbbbbbbbb]]"]\n---\nThe kiln was in the barn, then in the mill.\n'
FILES = {
    "memory/evidence/2026/04/2026-04-02-s1.md": EVIDENCE,
    "memory/interaction/kiln/leaves/2026/04/old-lf-aaaaaaaaaa.md": OLD,
    "memory/interaction/kiln/leaves/2026/04/new-lf-bbbbbbbbbb.md": NEW,
    "barn.md": "The barn needs a roof.\n",
}
ORIGIN = {"old-lf-aaaaaaaaaa": {"origin": "human"}, "new-lf-bbbbbbbbbb": {"origin": "human"}}


def ids(at: World, query: str, **params: object) -> list[str]:
    told = search(at.vault, at.index, at.bodies, Asked(query=query, **params), NOW)  # type: ignore[arg-type]
    return [hit["id"] or hit["path"] for hit in told["hits"]]


def test_superseded_leaves_are_out_or_after(tmp_path: Path) -> None:
    """By default only the newer answers; asked for, the older comes right after it, however well it matches."""
    at = world(str(tmp_path / "w"), FILES, **ORIGIN)
    assert ids(at, "kiln barn", kinds=("leaf",)) == ["lf-bbbbbbbbbb"]
    assert ids(at, "kiln barn", kinds=("leaf",), include_superseded=True) == ["lf-bbbbbbbbbb", "lf-aaaaaaaaaa"]


def test_a_chain_and_its_leaf_are_one_result(tmp_path: Path) -> None:
    """The better one is shown."""
    files = FILES | {"memory/chains/kiln/place-ch-aaaaaaaaaa.md": CHAIN}
    at = world(str(tmp_path / "w"), files, **ORIGIN)
    for query in ("kiln mill", "then in the mill", "the kiln is in the mill", "kiln place", "kiln"):
        assert len({"lf-bbbbbbbbbb", "ch-aaaaaaaaaa"} & set(ids(at, query))) == 1, query
    assert ids(at, "kiln place")[0] == "ch-aaaaaaaaaa"


def test_a_leaf_and_the_turn_it_quotes_are_one_result(tmp_path: Path) -> None:
    """Evidence that a shown leaf quotes is not shown beside it; other turns are."""
    files = {path: text for path, text in FILES.items() if "new-lf" not in path}
    at = world(str(tmp_path / "w"), files, **ORIGIN)
    found = ids(at, "kiln barn mill", kinds=("leaf", "evidence"))
    assert len({"lf-aaaaaaaaaa", "ev-aaaaaaaaaa#t1"} & set(found)) == 1
    assert "ev-aaaaaaaaaa#t2" in found


def test_evidence_answers_where_nothing_else_does(tmp_path: Path) -> None:
    """A turn is a hit with its own id, line and words."""
    at = world(str(tmp_path / "w"), FILES, **ORIGIN)
    told = search(at.vault, at.index, at.bodies, Asked(query="zinnias"), NOW)["hits"]
    assert [(hit["id"], hit["kind"], hit["snippet"]) for hit in told[:1]] == [
        ("ev-aaaaaaaaaa#t3", "turn", "Zinnias are blooming.")
    ]
    assert EVIDENCE.split("\n")[told[0]["line"] - 1] == "Zinnias are blooming."


def test_memory_filters(tmp_path: Path) -> None:
    """Tree and category say whose it is; a period is about when it was observed or said."""
    at = world(str(tmp_path / "w"), FILES, **ORIGIN)
    assert ids(at, "kiln barn", tree="interaction:kiln") == ["lf-bbbbbbbbbb"]
    assert ids(at, "kiln barn", category="integration") == []
    assert ids(at, "kiln", kinds=("leaf",), since="2026-04-02", until="2026-04-02") == ["lf-bbbbbbbbbb"]
    assert ids(at, "kiln mill", kinds=("evidence",), since="2026-04-02", until="2026-04-02") == ["ev-aaaaaaaaaa#t2"]
