"""`python -m tests.abuse`: every attack and one table of what was tried, lost, wrong and hung.

`--long` tries as much as is asked of a release (hours); each size can be set by its variable. What follows goes to pytest.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

LONG = {
    "MEMD_STORMS": "20x2000",
    "MEMD_CRASHES": "100",
    "MEMD_FRAMES": "100000",
    "MEMD_FUZZ": "20000",
    "MEMD_DAMAGES": "1000",
    "MEMD_MANY": "100000",
    "MEMD_LONG": "200000",
}


def main(argv: list[str]) -> int:
    if "--long" in argv:
        argv.remove("--long")
        for name, size in LONG.items():
            os.environ.setdefault(name, size)
    return int(pytest.main([str(Path(__file__).parent), *argv]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
