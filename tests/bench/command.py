"""`memd search` as a command, from the shell's point of view."""

from __future__ import annotations

import sys

from tests.bench import process, yardsticks
from tests.bench.figures import Figure, ms, times
from tests.bench.ground import Ground

ROUNDS = 15


def run(ground: Ground) -> list[Figure]:
    home = ground.indexed(1000).home
    argv = [sys.executable, "-m", "memd", "search", "--socket", home.socket, "--mode", "text"]
    wall, used = process.timed([*argv, "bade lomi"], home.env, ROUNDS)
    json_wall, json_used = process.timed([*argv, "--json", "bade lomi"], home.env, ROUNDS)
    least, least_used = yardsticks.python(yardsticks.CLIENT_IMPORTS, ROUNDS)
    bare, bare_used = yardsticks.python("pass", ROUNDS)
    return [
        Figure(
            "memd search, a process",
            ms(wall),
            f"its imports {ms(least)}",
            times(wall, least),
            "≤ × 2.5",
            wall <= 2.5 * least,
        ),
        Figure(
            "its CPU",
            ms(used),
            f"its imports {ms(least_used)}",
            times(used, least_used),
            "≤ × 2.5",
            used <= 2.5 * least_used,
        ),
        Figure(
            "memd search --json: wall, CPU",
            f"{ms(json_wall)}, {ms(json_used)}",
            f"python -c pass {ms(bare)}, {ms(bare_used)}",
        ),
    ]
