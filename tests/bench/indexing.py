"""The first index of 10,000 notes: how fast, how much memory, how large on disk."""

from __future__ import annotations

from tests.bench import process, yardsticks
from tests.bench.figures import Figure, mb, ms, times
from tests.bench.ground import Ground

COUNT = 10_000


def run(ground: Ground) -> list[Figure]:
    found = ground.indexed(COUNT)
    bare = yardsticks.Bare(ground.base / "bare-first", found.home.vault)
    assert found.home.process is not None
    pace, own = COUNT / found.wall, process.memory(found.home.process.pid)
    rss = process.resident(found.home.process.pid)
    [words] = [folder for folder in found.home.cache.rglob("words") if folder.is_dir()]
    index, ledger = process.size(words), process.size(words.parent) - process.size(words)
    return [
        Figure(
            f"first index of {COUNT} notes, {mb(found.size)}",
            f"{pace:.0f} notes/s",
            f"bare tantivy {COUNT / bare.wall:.0f}/s",
            times(COUNT / bare.wall, pace),
            "≥ 1500 notes/s",
            pace >= 1500,
        ),
        Figure(
            "its CPU, all processes", f"{found.cpu:.1f} s", f"bare tantivy {bare.cpu:.1f} s", times(found.cpu, bare.cpu)
        ),
        Figure("socket answers meanwhile after", ms(found.started)),
        Figure(
            "resident memory after it, no vectors",
            mb(rss),
            f"own share, children {mb(own)}",
            "",
            "≤ 130 MB",
            rss <= 130e6,
        ),
        Figure(
            "text index on disk",
            mb(index),
            f"notes {mb(found.size)}",
            times(index, found.size),
            "≤ × 1.5",
            index <= 1.5 * found.size,
        ),
        Figure("ledger on disk", mb(ledger), "", times(ledger, found.size)),
    ]
