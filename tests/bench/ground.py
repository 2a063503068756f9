"""What benches stand on: daemons over seeded vaults, made once a run and shared, and what making them cost."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from tests.bench import process, vaults
from tests.fakes.home import Home

TEXT_ONLY = '[vectors]\nmodel = "off"\n[formation]\nhere = false\n[daemon]\nscan_every = 3600\n'


class Indexed(NamedTuple):
    """A running daemon whose index is in step. `wall` and `cpu` are seconds of its first index, `size` bytes of notes."""

    home: Home
    count: int
    size: int
    wall: float
    cpu: float
    started: float


class Ground:
    """One run's folder. Homes are kept running until `close`; a bench that changes a vault takes one of its own."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="memd-bench-", ignore_cleanup_errors=True)
        self.base = Path(self._folder.name)
        self._kept: dict[int, Indexed] = {}
        self._homes: list[Home] = []

    def home(self, name: str, config: str = TEXT_ONLY) -> Home:
        home = Home(self.base / name, config)
        self._homes.append(home)
        return home

    def indexed(self, count: int) -> Indexed:
        if count not in self._kept:
            self._kept[count] = self._index(count)
        return self._kept[count]

    def _index(self, count: int) -> Indexed:
        home = self.home(f"v{count}")
        size = vaults.make(home.vault, count)
        time.sleep(2.5)  # files younger than a listing are read again by rule; a vault is older
        began = time.perf_counter()
        home.start()
        started = time.perf_counter() - began
        wait(home, count)
        wall = time.perf_counter() - began
        assert home.process is not None
        return Indexed(home, count, size, wall, process.cpu(home.process.pid), started)

    def close(self) -> None:
        for home in self._homes:
            home.end()
        self._folder.cleanup()


def wait(home: Home, count: int, patience: float = 600.0) -> None:
    """Until so many notes are searchable. Asks seldom: asking costs the daemon too."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        status = home.call("status")
        if status["index"]["current"] and status["text"]["units"] >= count:
            return
        time.sleep(0.02)
    raise AssertionError(f"{count} notes were not indexed in {patience:.0f} s")
