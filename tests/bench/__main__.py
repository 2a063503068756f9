"""Prints figures, each beside its yardstick of the same run: `python -m tests.bench [NAME …]`. Never fails by the clock.

Without names all run but those that take minutes (`vectors`, `retrieve`, `scale`); `python -m tests.bench.peers` is a table of its own.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable

from tests.bench import command, following, indexing, ingesting, meaning, retrieving, searching, starting
from tests.bench.figures import Figure, show
from tests.bench.ground import Ground

BENCHES: dict[str, tuple[str, Callable[[Ground], list[Figure]]]] = {
    "first": ("first index, memory, size on disk", indexing.run),
    "restart": ("start again", starting.run),
    "search": ("text search, idle", searching.idle),
    "edit": ("a change is found", following.run),
    "busy": ("text search while 10k notes are indexed", searching.busy),
    "command": ("the command line", command.run),
    "ingest": ("from talk to memory", ingesting.run),
    "vectors": ("search by meaning", meaning.run),
    "retrieve": ("retrieve over 10k leaves and 10k turns, with vectors", retrieving.run),
    "scale": ("1k, 10k, 100k notes", searching.scale),
}
LONG = ("vectors", "retrieve", "scale")


def main(names: list[str]) -> int:
    unknown = [name for name in names if name not in BENCHES]
    if unknown:
        print(f"no bench {', '.join(unknown)}; there are {', '.join(BENCHES)}", file=sys.stderr)
        return 2
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}, {time.strftime('%Y-%m-%d %H:%M')}\n")
    ground = Ground()
    try:
        for name in names or [name for name in BENCHES if name not in LONG]:
            title, bench = BENCHES[name]
            began = time.perf_counter()
            figures = bench(ground)
            print(
                show(f"{name}: {title} ({time.perf_counter() - began:.0f} s, load {os.getloadavg()[0]:.1f})", figures),
                flush=True,
            )
    finally:
        ground.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
