"""A daemon that starts again over a vault it knows: what it costs, what it reads, when it answers."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import suppress

from memd.bridge.client import Client
from memd.bridge.stream import Unreachable
from tests.bench import process, yardsticks
from tests.bench.figures import Figure, mb, median, ms, times
from tests.bench.ground import Ground, wait
from tests.fakes.home import Home

COUNT, ROUNDS = 10_000, 5


def run(ground: Ground) -> list[Figure]:
    home = ground.indexed(COUNT).home
    home.end()
    hellos = [_first(home, "hello") for _ in range(ROUNDS)]
    searches = [_first(home, "memory.search", query="bade", mode="text") for _ in range(ROUNDS)]
    with process.opened(home.vault) as opened:
        home.start()
        wait(home, COUNT)
        assert home.process is not None
        used, rss, read = process.cpu(home.process.pid), process.resident(home.process.pid), opened.count()
    imports, imports_cpu = yardsticks.python(yardsticks.ENGINE_IMPORTS)
    walk, walk_cpu = yardsticks.stat_walk(home.vault)
    hello, search = median(hellos), median(searches)
    return [
        Figure(
            "restart, nothing changed: CPU",
            f"{used:.2f} s",
            f"stat walk {walk_cpu:.2f} s",
            times(used, walk_cpu),
            "≤ 1 s",
            used <= 1,
        ),
        Figure("files opened by it", str(read), "", "", "0", read == 0),
        Figure("resident memory after it", mb(rss), "", "", "≤ 130 MB", rss <= 130e6),
        Figure(
            "first answer (hello)",
            ms(hello),
            f"imports {ms(imports)}",
            times(hello, imports),
            "≤ × 2",
            hello <= 2 * imports,
        ),
        Figure("first answer (search, all notes known)", ms(search), f"imports {ms(imports)}", times(search, imports)),
        Figure("the imports' CPU, a stat walk's wall", f"{imports_cpu:.2f} s, {ms(walk)}"),
    ]


def _first(home: Home, method: str, **params: object) -> float:
    """Seconds from starting the command to its first answer."""
    argv = [sys.executable, "-m", "memd", "run", "--vault", str(home.vault), "--socket", home.socket]
    began = time.perf_counter()
    daemon = subprocess.Popen(
        [*argv, "--config", str(home.config)], env=home.env, cwd=home.base, stderr=subprocess.DEVNULL
    )
    client = Client(home.socket, 60)
    while True:
        assert daemon.poll() is None, "memd run ended at once"
        with suppress(Unreachable, OSError):
            if os.path.exists(home.socket):
                client.call(method, params)
                break
        time.sleep(0.001)
    took = time.perf_counter() - began
    client.close()
    daemon.terminate()
    daemon.wait()
    return took
