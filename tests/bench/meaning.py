"""Vectors: pace beside a bare fastembed loop, hybrid beside text, memory and disk with some 28,000 of them."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from memd.daemon.reading import How, Wanted, read_some
from memd.index import seal
from memd.index.embed import OnnxEmbedder
from memd.index.embeddings import Embeddings, digest, open_store
from memd.index.feeding import words
from memd.index.models import choose
from memd.index.port import Passage
from tests.bench import process, vaults
from tests.bench.figures import Figure, mb, ms, quantile, spread, times
from tests.bench.ground import TEXT_ONLY, Ground, wait
from tests.fakes.home import Home

WITH = TEXT_ONLY.replace('"off"', '"auto"')
SMALL, LARGE, TEXTS, QUERIES = 60, 3700, 256, 60


def run(ground: Ground) -> list[Figure]:
    choice = choose("auto", "")
    if choice.kind == "off":
        return [Figure("vectors", f"skipped: {choice.reason}")]
    return [*_pace(ground), *_large(ground)]


def passages_of(vault: Path) -> list[Passage]:
    paths = sorted(str(file.relative_to(vault)) for file in vault.rglob("*.md"))
    how = How(str(vault), "memory", 8 << 20, "Asia/Shanghai")
    return [piece for found in read_some(how, [Wanted(path) for path in paths]) for piece in found.passages or ()]


def _pace(ground: Ground) -> list[Figure]:
    """The daemon embeds while 20 text queries a second are asked; then the bare loop over texts of the same kind."""
    home = ground.home("pace", WITH)
    vaults.make(home.vault, SMALL)
    texts = [words(piece) for piece in passages_of(home.vault)]
    home.start()
    until(home, "building", 120)
    queries = vaults.Writer(SMALL).queries(200)
    asked, began, first = [], time.perf_counter(), _done(home)
    while home.call("hello")["capabilities"]["vector"]["state"] != "ready" and time.perf_counter() - began < 180:
        start = time.perf_counter()
        home.call("memory.search", query=queries[len(asked) % 200], mode="text")
        asked.append(time.perf_counter() - start)
        time.sleep(0.05)
    pace = (_done(home) - first) / (time.perf_counter() - began)
    bare = _bare(texts[:TEXTS])
    p99 = quantile(asked, 0.99)
    home.end()
    return [
        Figure(
            "embedding, passages/s",
            f"{pace:.1f}",
            f"bare fastembed {bare:.1f}",
            times(pace, bare),
            "≥ × 0.85",
            pace >= 0.85 * bare,
        ),
        Figure("text search meanwhile, p99", ms(p99), spread(asked), "", "≤ 25 ms", p99 <= 0.025),
    ]


def _bare(texts: list[str]) -> float:
    """Texts a second of fastembed alone, by length, sixteen at a time: the best that was measured."""
    model = OnnxEmbedder(choose("auto", ""))._model
    prefixed = sorted((f"passage: {text}" for text in texts), key=len)
    began = time.perf_counter()
    list(model.embed(prefixed, batch_size=16))
    return len(texts) / (time.perf_counter() - began)


def _large(ground: Ground) -> list[Figure]:
    """Vectors of a large vault, made up (the model would take half an hour) and put where the daemon finds them."""
    home = ground.home("large", WITH)
    home.start()
    until(home, "ready", 120)
    home.end()
    vaults.make(home.vault, LARGE)
    [file] = home.cache.rglob("embeddings.db")
    fill(file, passages_of(home.vault))
    home.start()
    wait(home, LARGE)
    until(home, "ready", 240)
    assert home.process is not None
    process.rest(home.process.pid)
    home.call("memory.search", query="bade lomi", mode="hybrid")
    held, vectors = process.memory(home.process.pid), home.call("status")["vectors"]
    fresh, cached, text = _modes(home)
    home.end()
    size, own = process.size(file.parent), _model_alone()
    count = max(1, vectors["total"])
    return [
        Figure(f"memory with {vectors['done']} vectors, all processes", mb(held), "", "", "≤ 450 MB", held <= 450e6),
        Figure("vectors on disk a passage", f"{size / count / 1000:.2f} KB", "", "", "≤ 2.5 KB", size / count <= 2500),
        Figure(
            "hybrid, query embedding cached, p50",
            ms(cached),
            f"text {ms(text)}",
            f"+ {ms(cached - text)}",
            "≤ text + 1 ms",
            cached <= text + 1e-3,
        ),
        Figure(
            "hybrid, a fresh query, p50",
            ms(fresh),
            f"the model's own {ms(own)}",
            times(fresh - cached, own),
            "≤ + 1.3 × the model",
            fresh <= cached + 1.3 * own,
        ),
    ]


def fill(file: Path, passages: list[Passage]) -> None:
    """Vectors for all: mixtures of two real ones with a little noise, as near to each other as those of a model are."""
    import numpy as np

    rng = np.random.default_rng(3)
    store = open_store(str(file))
    embeddings = Embeddings(store)
    serving = embeddings.serving()
    assert serving is not None, "the model never answered"
    found = OnnxEmbedder(choose("auto", "")).embed([words(piece) for piece in passages[::97]])
    real = np.array([row for row in found if row is not None])
    pairs, share = rng.integers(0, len(real), (2, len(passages))), rng.random((len(passages), 1))
    mixed = share * real[pairs[0]] + (1 - share) * real[pairs[1]] + rng.normal(0, 0.01, (len(passages), real.shape[1]))
    halves = mixed.astype("<f2")
    embeddings.put(
        serving[0], [(digest(piece.hash), half.tobytes()) for piece, half in zip(passages, halves, strict=True)]
    )
    store.close()
    seal.sign(str(file))


def _modes(home: Home) -> tuple[float, float, float]:
    """Median seconds of a hybrid search with a fresh query, the same again, and by text alone."""
    samples: tuple[list[float], ...] = ([], [], [])
    for query in vaults.Writer(LARGE).queries(QUERIES):
        for sample, mode in zip(samples, ("hybrid", "hybrid", "text"), strict=True):
            began = time.perf_counter()
            home.call("memory.search", query=query, mode=mode)
            sample.append(time.perf_counter() - began)
    return quantile(samples[0], 0.5), quantile(samples[1], 0.5), quantile(samples[2], 0.5)


def _model_alone() -> float:
    """Median seconds of one query in the model, on one thread as the daemon's handle has it."""
    model, samples = OnnxEmbedder(choose("auto", ""), 1), []
    for query in vaults.Writer(LARGE).queries(QUERIES):
        began = time.perf_counter()
        model.embed([query], query=True)
        samples.append(time.perf_counter() - began)
    return quantile(samples, 0.5)


def _done(home: Home) -> int:
    return int(home.call("status")["vectors"]["done"])


def until(home: Home, state: str, patience: float) -> None:
    end = time.monotonic() + patience
    while (now := home.call("hello")["capabilities"]["vector"])["state"] not in (state, "ready"):
        if time.monotonic() > end:
            print(f"vectors are {now['state']} after {patience:.0f} s: {now['reason']}", file=sys.stderr)
            return
        time.sleep(0.05)
