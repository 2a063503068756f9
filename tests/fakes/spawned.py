"""Stands in for `python -P -m memd run …` where a test looks at how a daemon is started.

What it does is in `FAKE`: `serve` (a fake daemon at --socket), `late` (first fails to bind, another one serves), `fail`.
"""

from __future__ import annotations

import os
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))

from tests.fakes.daemon import daemon

arguments = dict(zip(sys.argv[5::2], sys.argv[6::2], strict=False))
print("started with", *sys.argv[1:], "in", os.getcwd(), file=sys.stderr, flush=True)
if os.environ["FAKE"] == "fail":
    print("memd: the vault is held by pid 1", file=sys.stderr)
    sys.exit(1)
with daemon(arguments["--socket"], {"status": {"up": True}}) as running:
    end = time.monotonic() + 60
    while time.monotonic() < end and not any(name == "status" for name, _ in running.seen):
        time.sleep(0.02)
