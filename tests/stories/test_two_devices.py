"""One vault on two devices: what both did while apart comes together, no line lost or doubled, nothing twice."""

from __future__ import annotations

import re
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.parse.memory import spans
from tests.fakes import syncthing
from tests.fakes.home import Home

CONFIG = (
    '[vectors]\nmodel = "off"\n[owner]\nname = "Lin"\n[vault]\ntimezone = "Asia/Shanghai"\n[formation]\nhere = false\n'
)
"""Neither does scheduled work: when it is due depends on the hour, and each device would put its own name down."""
THINGS = "bicycle kettle ladder piano sextant barrow anvil lathe telescope loom".split()


@pytest.fixture
def two(tmp_path: Path) -> Iterator[tuple[Home, Home]]:
    """Two devices, each with a home, a vault and a daemon of its own."""
    homes = Home(tmp_path / "a", CONFIG), Home(tmp_path / "b", CONFIG)
    yield homes
    for home in homes:
        home.end(signal.SIGKILL)


def talk(*numbers: int, **more: str) -> list[dict[str, Any]]:
    return [
        {
            "id": f"m{n}",
            "speaker": "Lin",
            "role": "user",
            "text": f"I bought a {THINGS[n]} in Antwerp.",
            "at": f"2026-04-02T09:{n:02}:00+08:00",
            **more,
        }
        for n in numbers
    ]


def take_in(home: Home, session: str, *numbers: int, **more: str) -> dict[str, Any]:
    """A session with an atom for every turn: leaves enough for a summary where there are eight."""
    events = talk(*numbers, **more)
    atoms = [
        {
            "text": f"Lin bought a {THINGS[n]} in Antwerp",
            "subject": "Lin",
            "aspect": f"{THINGS[n]} bought",
            "kind": "event",
            "valid_from": "2026-04-02",
            "turns": [place],
            "quotes": [f"I bought a {THINGS[n]} in Antwerp."],
            "confidence": 0.95,
        }
        for place, n in enumerate(numbers)
    ]
    return home.call(
        "memory.ingest", session=session, source="chat", events=events, atoms=atoms, close=True, wait=True, owner="Lin"
    )


def tree(home: Home) -> dict[str, bytes]:
    """Every file that is not in a dot folder."""
    found = (p for p in home.vault.rglob("*") if p.is_file())
    names = ((p.relative_to(home.vault), p) for p in found)
    return {str(name): p.read_bytes() for name, p in names if not any(part.startswith(".") for part in name.parts)}


def ids(home: Home) -> list[str]:
    heads = (data.decode().split("\n---\n")[0] for path, data in tree(home).items() if path.startswith("memory/"))
    return [line for head in heads for line in head.splitlines() if line.startswith("id: ")]


def said(home: Home) -> list[str]:
    texts = (data.decode() for path, data in tree(home).items() if "/evidence/" in path)
    return [span.words for text in texts for span in spans(text)]


QUOTE = re.compile(r"turn: \"?\[\[([^#\]]+)#\^([^\]|]+)\]\]\"?, text: \"?([^\"}\n]+)")


def quoted(home: Home) -> list[tuple[str, str, str]]:
    """(evidence, turn, words) of every quote of every leaf."""
    texts = (data.decode() for path, data in tree(home).items() if "/leaves/" in path)
    return [(found[1], found[2], found[3]) for text in texts for found in QUOTE.finditer(text)]


def astray(home: Home) -> list[tuple[str, str, str]]:
    """Quotes whose link does not lead to a turn that says so, and turns of episodes that are not there."""
    turns = {
        (Path(path).stem, span.turn.id): span.words
        for path, data in tree(home).items()
        if "/evidence/" in path
        for span in spans(data.decode())
    }
    lost = [quote for quote in quoted(home) if quote[2].strip() not in turns.get(quote[:2], "")]
    texts = (data.decode() for path, data in tree(home).items() if "/episodes/" in path)
    named = ((found[1], found[2], "") for text in texts for found in re.finditer(r"\[\[([^#\]]+)#\^([^\]|]+)", text))
    return lost + [link for link in named if link[:2] not in turns]


def evidence(path: str) -> bool:
    return "/evidence/" in path


def carry(source: Home, target: Home, wanted: Callable[[str], bool]) -> None:
    """What a sync engine does that keeps the target's own: files that are missing come, others come as a conflict copy."""
    mine = tree(target)
    for path, data in tree(source).items():
        name = path if path not in mine else f"{path[:-3]}.sync-conflict-20261130-120000-ABCDEF7.md"
        if wanted(path) and mine.get(path) != data:
            target.write(name, data.decode())


def lines_of(home: Home, path: str) -> Counter[str]:
    return Counter(line for line in home.text(path).splitlines() if line.startswith("- ["))


def test_two_daemons_write_the_same_files_from_the_same_material(two: tuple[Home, Home]) -> None:
    """Episodes, trees, leaves, summaries and chains: the same ids, names and bytes, at whatever hour."""
    one, other = two
    for home in two:
        home.start()
        take_in(home, "s-1", *range(9), captured_at="2026-04-02T10:00:00+08:00")
        home.call("memory.seal")
        home.call("memory.chains")
    made = [
        {path: data for path, data in tree(home).items() if path.startswith("memory/") and "/evidence/" not in path}
        for home in two
    ]
    assert made[0].keys() == made[1].keys()
    assert [path for path in made[0] if made[0][path] != made[1][path]] == []
    assert sum("/leaves/" in path for path in made[0]) == 9
    assert sum("/summaries/" in path for path in made[0]) >= 1
    assert Counter(said(one)) == Counter(said(other))


@pytest.mark.parametrize("at_once", [True, False])
def test_a_copy_of_every_file_of_memory_is_taken_in_as_soon_as_it_is_seen(
    two: tuple[Home, Home], at_once: bool
) -> None:
    """Evidence joined by turn, derived files once, no file named as a copy left; links still lead to the words, also in
    files that come when the evidence has been joined already."""
    one, other = two
    for home in two:
        home.start()
    take_in(one, "s-1", *range(9))
    take_in(other, "s-1", 9, *range(8))
    for home in two:
        home.call("memory.seal")
    parts = [lambda path: True] if at_once else [evidence, lambda path: not evidence(path)]
    for part in parts:
        carry(one, other, part)
        other.until(lambda: not [path for path in tree(other) if "sync-conflict" in path])
        other.settled()
    assert Counter(said(other)) == Counter(f"I bought a {thing} in Antwerp." for thing in THINGS)
    assert max(Counter(ids(other)).values()) == 1
    assert (len(quoted(other)), astray(other)) == (10, [])


@pytest.mark.skipif(syncthing.PROGRAM is None, reason="no syncthing here: apt-get install syncthing")
def test_a_real_syncthing_between_two_vaults(two: tuple[Home, Home], tmp_path: Path) -> None:
    """Both ends append to one note and form memory from the same material while apart; reconnected they converge: no
    line lost or doubled, no twin leaves, no twin summaries."""
    one, other = two
    ends = [syncthing.End(home.base, home.vault) for home in two]
    for home in two:
        home.start()
    pair = syncthing.Pair(*ends)
    try:
        link = one.call("memory.write", title="Guests", observations=[{"category": "guest", "text": "the first"}])
        path = link["path"]
        other.until(lambda: other.call("memory.read", path=path))
        pair.apart()
        for who, home in zip("ab", two, strict=True):
            for n in range(5):
                home.call("memory.append", path=path, category="guest", text=f"visitor {who}{n}")
            home.call("memory.append", path=path, category="guest", text="both heard of this one")
            take_in(home, "s-1", *range(9))
            home.call("memory.seal")
        take_in(one, "s-2", 1, 2)
        take_in(other, "s-2", 9, 2, 3)
        pair.together()

        def converged() -> bool:
            for end in ends:
                end.scan()
            trees = [tree(home) for home in two]
            copies = [path for found in trees for path in found if "sync-conflict" in path]
            return trees[0] == trees[1] and not copies and all(end.idle() for end in ends)

        pair.until(converged)
        for home in two:
            home.settled()
            wanted = ["the first", "both heard of this one", *(f"visitor {w}{n}" for w in "ab" for n in range(5))]
            assert lines_of(home, path) == Counter(f"- [guest] {text}" for text in wanted)
            once = Counter(f"I bought a {THINGS[n]} in Antwerp." for n in (*range(9), 1, 2, 3, 9))
            assert Counter(said(home)) == once
            assert max(Counter(ids(home)).values()) == 1
            assert sum("/leaves/" in name for name in tree(home)) == 10
            assert astray(home) == []
            problems = home.call("memory.doctor")["problems"]
            assert not [p for p in problems if p["code"] in ("id_twice", "conflict_copy")]
        assert list(one.vault.glob(".conflict/**/*.md")), "they were never in conflict: the story tells nothing"
        summaries = {name for name in tree(one) if "/summaries/h1/" in name}
        assert len(summaries) == 1
        assert one.paths("visitor") == other.paths("visitor")
    finally:
        pair.end()
