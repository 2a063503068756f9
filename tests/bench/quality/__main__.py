"""`python -m tests.bench.quality [locomo|realmem|cmrc …] [--text] [--ladder]`: prints the tables, never fails by a figure."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from itertools import islice
from typing import Any

from memd.recall import weights
from memd.recall.retrieve import retrieve
from memd.recall.search import search
from memd.serve import params as p
from tests.bench.quality import sets
from tests.bench.quality.measure import Table
from tests.bench.quality.plain import Plain
from tests.bench.quality.world import World, spoken

NOW = datetime(2026, 11, 30, 12, tzinfo=sets.ZONE)

LADDER: tuple[tuple[str, dict[str, float]], ...] = (
    ("words with neighbours, stop words .05", {"MEANING_SHARE": 0.0, "NAMED_SPEAKER": 0.0, "TELLING": 0.0, "ASKS": 0.0, "SAYS_WHEN": 0.0, "RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ vectors", {"NAMED_SPEAKER": 0.0, "TELLING": 0.0, "ASKS": 0.0, "SAYS_WHEN": 0.0, "RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ speaker named", {"TELLING": 0.0, "ASKS": 0.0, "SAYS_WHEN": 0.0, "RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ how much it says", {"ASKS": 0.0, "SAYS_WHEN": 0.0, "RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ questions stand back", {"SAYS_WHEN": 0.0, "RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ times for when", {"RECENT": 0.0, "SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ recency of one's own matters", {"SESSION": 0.0, "IN_PERIOD": 0.0}),
    ("+ words of the session", {"IN_PERIOD": 0.0}),
)  # fmt: skip


@contextmanager
def weighed(changes: dict[str, float]) -> Iterator[None]:
    """Weights as given for a while."""
    held = {name: getattr(weights, name) for name in changes}
    for name, value in changes.items():
        setattr(weights, name, value)
    try:
        yield
    finally:
        for name, value in held.items():
            setattr(weights, name, value)


def steps(options: set[str]) -> list[tuple[str, dict[str, float], bool]]:
    """(row, weights that are other than they are, whether vectors take part)."""
    whole: list[tuple[str, dict[str, float], bool]] = [("retrieve, text", {}, False)]
    if "--text" not in options:
        whole.append(("retrieve, hybrid", {}, True))
    if "--ladder" in options:
        whole = [(name, changes, at > 0) for at, (name, changes) in enumerate(LADDER)] + whole
    return whole


def evidence(world: World, question: sets.Question, **more: Any) -> list[dict[str, Any]]:
    asked = p.Retrieve(query=question.text, max_results=50, **more)
    return list(retrieve(world.vault, world, world, asked, NOW)["evidence"])


def locomo(options: set[str]) -> Table:
    table = Table("LoCoMo turns", (5, 10, 20))
    for dialogue in sets.locomo(sets.root() / "locomo"):
        events = [event for _, some in dialogue.sessions for event in some]
        plain = Plain([f"{event.speaker}: {event.text}" for event in events])
        with tempfile.TemporaryDirectory() as folder:
            world = World(spoken(dialogue), folder, "--text" not in options)
            world_warm(world, dialogue)
            for question in dialogue.questions:
                order = [events[at].id for at in islice(plain.order(question.text, len(events)), 50)]
                table.count("plain BM25, stemmed", order, question.gold, question.category)
                for row, changes, vectors in steps(options):
                    world.vector = vectors and "--text" not in options
                    with weighed(changes):
                        found = [hit["event_id"] for hit in evidence(world, question)]
                    table.count(row, found, question.gold, question.category)
    return table


def world_warm(world: World, dialogue: sets.Dialogue) -> None:
    """The questions' vectors in one go, as the index asks for them."""
    from memd.recall.intent import understood

    world.warm([understood(question.text, NOW.date()).words for question in dialogue.questions])


def realmem(options: set[str]) -> Table:
    table = Table("RealMem sessions, past only", (5, 10))
    for dialogue in sets.realmem(sets.root() / "realmem"):
        plain = Plain(["\n".join(f"{e.speaker}: {e.text}" for e in events) for _, events in dialogue.sessions])
        with tempfile.TemporaryDirectory() as folder:
            world = World(spoken(dialogue), folder, "--text" not in options)
            world_warm(world, dialogue)
            for question in dialogue.questions:
                past = [dialogue.sessions[at][0] for at in plain.order(question.text, question.before)]
                table.count("plain BM25, stemmed", list(dict.fromkeys(past)), question.gold)
                last = dialogue.sessions[question.before - 1][1][-1].at
                until = p.TimeRange(until=last.isoformat(timespec="milliseconds"))
                for row, changes, vectors in steps(options):
                    world.vector = vectors and "--text" not in options
                    with weighed(changes):
                        found = [hit["session"] for hit in evidence(world, question, time_range=until)]
                    table.count(row, list(dict.fromkeys(found)), question.gold)
    return table


def cmrc(options: set[str]) -> Table:
    table = Table("CMRC passages, zh", (1, 5))
    passages, questions = sets.cmrc(sets.root() / "cmrc2018")
    texts = {f"{id}.md": text + "\n" for id, text in passages}
    plain = Plain([text for _, text in passages])
    with tempfile.TemporaryDirectory() as folder:
        world = World(texts, folder, "--text" not in options)
        world.warm([question.text for question in questions])
        for question in questions:
            order = [passages[at][0] for at in islice(plain.order(question.text, len(passages)), 20)]
            table.count("plain BM25, uni- and bigrams", order, question.gold)
            for mode in ("text",) if "--text" in options else ("text", "hybrid"):
                asked = p.Search(query=question.text, mode=mode, limit=20)
                hits = search(world.vault, world, world, asked, NOW)["hits"]
                table.count(f"search, {mode}", [hit["path"][:-3] for hit in hits], question.gold)
    return table


BENCHES = {"locomo": locomo, "realmem": realmem, "cmrc": cmrc}


def main(argv: list[str]) -> int:
    options = {each for each in argv if each.startswith("--")}
    for name in [each for each in argv if not each.startswith("--")] or list(BENCHES):
        if not (sets.root() / ("cmrc2018" if name == "cmrc" else name)).is_dir():
            print(f"{name}: no data; set MEMD_DATA to the folder that has it")
            continue
        print(BENCHES[name](options).shown(), "", sep="\n", flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
