"""A long life in short: edits and questions by the thousand leave descriptors, threads and memory as they were.

`MEMD_LONG=200000` asks for more operations than the thousand that every run makes.
"""

from __future__ import annotations

import os
import time
from pathlib import Path
from statistics import median

from tests.fakes.abuse import Figures, quiet
from tests.fakes.home import Home

LONG = int(os.environ.get("MEMD_LONG", "1000"))
READINGS = 5
IDLE = 4.0
"""Seconds over which the CPU of an idle daemon is taken."""


def condition(home: Home) -> dict[str, float]:
    """Descriptors, threads, resident megabytes, cache megabytes."""
    assert home.process is not None
    base = f"/proc/{home.process.pid}"
    with open(f"{base}/status") as file:
        fields = dict(line.split(":", 1) for line in file if ":" in line)
    size = sum(p.stat().st_size for p in home.cache.rglob("*") if p.is_file())
    return {
        "fds": len(os.listdir(f"{base}/fd")),
        "threads": int(fields["Threads"]),
        "rss_mb": int(fields["VmRSS"].split()[0]) / 1024,
        "cache_mb": size / 1e6,
    }


def cpu(home: Home) -> float:
    """Seconds of processor time that the daemon's threads have used, to the nanosecond: a tick of the clock in `stat` is
    as much as an idle daemon takes in some seconds."""
    assert home.process is not None
    times = (path.read_text().split()[0] for path in Path(f"/proc/{home.process.pid}/task").glob("*/schedstat"))
    return sum(map(int, times)) / 1e9


def work(home: Home, count: int, start: int) -> None:
    """A person's saves, a client's edits, and questions about both; the notes stay as many and as large as they were, and
    so does the vault's vocabulary, whose stems are remembered."""
    for n in range(start, start + count):
        if n % 4 == 0:
            home.write(f"p/{n % 40}.md", f"# P\n\nheron number{n % 97} {n % 89}\n")
        elif n % 4 == 1:
            page = home.text("page.md").split("\n\n")[1].strip()
            home.call("memory.edit", path="page.md", find=page, replace=f"weir {n % 97} {n % 89}")
        elif n % 4 == 2:
            home.paths("heron weir")
        else:
            home.call("memory.read", path="page.md")


def lived(home: Home, count: int, start: int) -> dict[str, float]:
    """Works on, and gives the median of readings meanwhile: an index just opened anew has fewer threads and less memory."""
    seen = []
    for reading in range(READINGS):
        work(home, count // READINGS, start + reading * count // READINGS)
        seen.append(condition(home))
    quiet(home)
    return {name: median(one[name] for one in seen) for name in seen[0]}


def test_it_stays_as_it_was(home: Home, figures: Figures) -> None:
    """After thousands of operations nothing has grown, and an idle daemon does next to nothing."""
    home.write("page.md", "# Page\n\nweir start\n")
    for n in range(40):
        home.write(f"p/{n}.md", "# P\n\nheron\n")
    home.start().settled()
    quarter = LONG // 4
    work(home, quarter, 0)
    before = lived(home, quarter, quarter)
    work(home, quarter, 2 * quarter)
    after = lived(home, quarter, 3 * quarter)
    time.sleep(2.5)
    used = cpu(home)
    time.sleep(IDLE)
    idle = (cpu(home) - used) / IDLE * 100
    figures.add(operations=LONG)
    figures.say(**{name: f"{before[name]:.1f} → {after[name]:.1f}" for name in before}, idle_cpu_percent=round(idle, 2))
    assert after["fds"] <= before["fds"] + 5
    assert after["threads"] <= before["threads"] + 8, (
        "six are the text index's, which has none between its opening and a write"
    )
    assert after["rss_mb"] <= before["rss_mb"] + 60, "what the allocator keeps is some twenty, however long the run"
    assert after["cache_mb"] <= before["cache_mb"] + 5
    assert idle <= 5, "the figure is printed; a busy machine makes a wake-up dearer, a loop that spins takes a hundred"
