"""`memory.retrieve` over a long memory with vectors: by the whole of it, by a period, by a tree; beside text search."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from memd.index.models import choose
from tests.bench import process, remembered
from tests.bench.figures import Figure, median, ms, spread, times
from tests.bench.ground import Ground, wait
from tests.bench.meaning import WITH, fill, passages_of, until
from tests.fakes.home import Home

LEAVES, QUESTIONS = 10_000, 100
KINDS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("two months, said", {"time_range": {"since": "2025-01-01", "until": "2025-02-28"}}),
    ("two months, valid", {"time_range": {"since": "2025-01-01", "until": "2025-02-28", "of": "valid"}}),
    ("one tree", {"tree_id": "interaction:subject-3"}),
)


def run(ground: Ground) -> list[Figure]:
    """Vectors are made up (the model would take long) and stand where the daemon finds them; questions are embedded."""
    choice = choose("auto", "")
    if choice.kind == "off":
        return [Figure("retrieve with vectors", f"skipped: {choice.reason}")]
    home = ground.home("retrieve", WITH).start()
    until(home, "ready", 120)
    home.end()
    remembered.make(home.vault, LEAVES)
    [file] = home.cache.rglob("embeddings.db")
    fill(file, passages_of(home.vault))
    home.start()
    wait(home, LEAVES)
    until(home, "ready", 240)
    assert home.process is not None
    process.rest(home.process.pid)
    figures = _asked(home, remembered.Remembered().questions(QUESTIONS))
    home.end()
    return figures


def _asked(home: Home, questions: Sequence[str]) -> list[Figure]:
    assert home.process is not None
    fresh = _times(home, "memory.retrieve", questions)
    before = process.cpu(home.process.pid)
    known = _times(home, "memory.retrieve", questions)
    used = (process.cpu(home.process.pid) - before) / len(questions)
    text = _times(home, "memory.search", questions, mode="text")
    p50 = median(known)
    figures = [
        Figure("retrieve, question known, p50", ms(p50), f"text search {ms(median(text))}", times(p50, median(text)), "≤ 10 ms", p50 <= 0.01),
        Figure("p50 / p95 / p99", spread(known), spread(text)),
        Figure("its CPU, all processes", ms(used)),
        Figure("with the question's embedding", spread(fresh)),
    ]  # fmt: skip
    for name, params in KINDS:
        _times(home, "memory.retrieve", questions[:10], **params)
        some = _times(home, "memory.retrieve", questions[:40], **params)
        figures.append(Figure(name, spread(some), f"without a filter {ms(p50)}", times(median(some), p50)))
    return figures


def _times(home: Home, method: str, questions: Sequence[str], **params: Any) -> list[float]:
    out = []
    for question in questions:
        began = time.perf_counter()
        home.call(method, query=question, **params)
        out.append(time.perf_counter() - began)
    return out
