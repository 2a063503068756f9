"""Text search over the socket: idle, while ten thousand notes are being indexed, and by the size of the vault."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from tests.bench import vaults, yardsticks
from tests.bench.figures import Figure, ms, quantile, spread, times
from tests.bench.ground import Ground, Indexed
from tests.fakes.home import Home

COUNT, QUERIES, PAUSE = 10_000, 1000, 0.005


def ask(
    home: Home, queries: Sequence[str], pause: float = 0.0, until: Callable[[], bool] = lambda: False
) -> list[float]:
    """Seconds of each search; `pause` between two is what a client does with an answer."""
    out = []
    for query in queries:
        began = time.perf_counter()
        home.call("memory.search", query=query, mode="text")
        out.append(time.perf_counter() - began)
        if until():
            break
        if pause:
            time.sleep(pause)
    return out


def idle(ground: Ground) -> list[Figure]:
    found = ground.indexed(COUNT)
    queries = vaults.Writer(COUNT).queries(QUERIES)
    bare = yardsticks.Bare(ground.base / "bare-search", found.home.vault)
    ask(found.home, queries[:200])
    hellos = [_hello(found.home) for _ in range(QUERIES)]
    own, base = [], []
    for at in range(0, QUERIES, 50):  # by turns, so that both meet the same noise
        own += ask(found.home, queries[at : at + 50])
        base += bare.times(queries[at : at + 50])
    p50, p99, bare50 = quantile(own, 0.5), quantile(own, 0.99), quantile(base, 0.5)
    return [
        Figure(
            "search, 10k notes, p50",
            ms(p50),
            f"bare tantivy {ms(bare50)}",
            f"+ {ms(p50 - bare50)}",
            "≤ + 0.5 ms",
            p50 <= bare50 + 5e-4,
        ),
        Figure(
            "the same, p99",
            ms(p99),
            f"bare tantivy {ms(quantile(base, 0.99))}",
            times(p99, p50),
            "≤ 3 × p50 + 2 ms",
            p99 <= 3 * p50 + 2e-3,
        ),
        Figure("p50 / p95 / p99", spread(own), spread(base)),
        Figure("hello over the socket", spread(hellos)),
    ]


def _hello(home: Home) -> float:
    began = time.perf_counter()
    home.call("hello")
    return time.perf_counter() - began


def busy(ground: Ground) -> list[Figure]:
    """Ten thousand notes appear at once beside a thousand that are known; searches go on at the pace of a hurried client."""
    home = ground.home("busy")
    vaults.make(home.vault, 1000)
    home.start().settled()
    vaults.make(home.base / "incoming", COUNT, seed=2, start=1000)
    queries = vaults.Writer(1000).queries(400) * 100
    before = ask(home, queries[:300], PAUSE)
    (home.base / "incoming").rename(home.vault / "incoming")
    began, last = time.perf_counter(), 0.0

    def over() -> bool:
        nonlocal last
        if time.perf_counter() - last < 0.5:
            return False
        last = time.perf_counter()
        return bool(home.call("status")["text"]["units"] >= 1000 + COUNT)

    during = ask(home, queries, PAUSE, over)
    took = time.perf_counter() - began
    p99 = quantile(during, 0.99)
    home.end()
    return [
        Figure(
            "search while 10k are indexed, p99",
            ms(p99),
            f"just before {ms(quantile(before, 0.99))}",
            "",
            "≤ 25 ms",
            p99 <= 0.025,
        ),
        Figure("p50 / p95 / p99", spread(during), spread(before)),
        Figure("searches, largest", f"{len(during)}, {ms(max(during))}", f"{COUNT / took:.0f} notes/s meanwhile"),
    ]


def scale(ground: Ground, sizes: Sequence[int] = (1000, 10_000, 100_000)) -> list[Figure]:
    found = [ground.indexed(size) for size in sizes]
    queries = vaults.Writer(COUNT).queries(400)
    samples: list[list[float]] = [[] for _ in found]
    for each in found:
        ask(each.home, queries[:100])
    for at in range(0, len(queries), 40):
        for each, sample in zip(found, samples, strict=True):
            sample += ask(each.home, queries[at : at + 40])
    least = quantile(samples[0], 0.5)
    return [_line(each, sample, least) for each, sample in zip(found, samples, strict=True)]


def _line(each: Indexed, sample: Sequence[float], least: float) -> Figure:
    p50, last = quantile(sample, 0.5), each.count >= 100_000
    pace = f"first index {each.count / each.wall:.0f} notes/s"
    return Figure(
        f"search, {each.count} notes",
        spread(sample),
        pace,
        times(p50, least),
        "p50 ≤ × 3" if last else "",
        p50 <= 3 * least if last else None,
    )
