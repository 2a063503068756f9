"""How soon a change is found: a person's edit of a file, and a client's write followed at once by a search."""

from __future__ import annotations

import time

from tests.bench import yardsticks
from tests.bench.figures import Figure, ms, quantile, spread, times
from tests.bench.ground import Ground
from tests.fakes.home import Home

COUNT, ROUNDS = 10_000, 60


def run(ground: Ground) -> list[Figure]:
    home = ground.indexed(COUNT).home
    bare = yardsticks.Bare(ground.base / "bare-edit", ground.indexed(1000).home.vault)
    edits, writes, after, commits = [], [], [], []
    for number in range(ROUNDS):
        edits.append(_edit(home, number))
        wrote, seen = _write(home, number)
        writes.append(wrote)
        after.append(seen)
        commits += bare.commits(1)
    syncs = yardsticks.write_and_sync(ground.base / "sync", ROUNDS)
    both = [a + b for a, b in zip(writes, after, strict=True)]
    commit = quantile(commits, 0.5)
    e50, e95, b50 = quantile(edits, 0.5), quantile(edits, 0.95), quantile(both, 0.5)
    beside = f"bare tantivy commit {ms(commit)}"
    return [
        Figure("a file edited → found, p50", ms(e50), beside, times(e50, commit), "≤ 100 ms", e50 <= 0.1),
        Figure("the same, p95", ms(e95), "", "", "≤ 250 ms", e95 <= 0.25),
        Figure(
            "API write, then search sees it, both p50", ms(b50), beside, times(b50, commit), "≤ 150 ms", b50 <= 0.15
        ),
        Figure("of that the write; p50 / p95 / p99", spread(writes), f"write + fsync {ms(quantile(syncs, 0.5))}"),
        Figure("of that the search; p50 / p95 / p99", spread(after)),
    ]


def _edit(home: Home, number: int) -> float:
    """Seconds from the end of a save to the first answer that has it."""
    word = f"edited{number:04}zq"
    file = home.vault / f"folder-{number % 50}" / f"note-{number}.md"
    text = file.read_text() + f"\n{word}\n"
    file.write_text(text)
    began = time.perf_counter()
    while not home.paths(word, limit=1):
        time.sleep(0.002)
    took = time.perf_counter() - began
    time.sleep(0.05)
    return took


def _write(home: Home, number: int) -> tuple[float, float]:
    word = f"written{number:04}zq"
    began = time.perf_counter()
    home.call("memory.write", title=f"Bench {word}", body=f"Something about {word}.")
    between = time.perf_counter()
    found = home.paths(word, limit=1)
    ended = time.perf_counter()
    assert found, f"a search after a write does not see {word}"
    return between - began, ended - between
