"""How a chosen model is opened: in a process of its own, or as a client of its server."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Protocol

from memd.index.child import BULK_IDLE, BULK_NICE, Child
from memd.index.endpoint import Endpoint
from memd.index.models import Choice
from memd.index.port import Embedder


class Handle(Embedder, Protocol):
    """An embedder with a life: `load` may take seconds and raises Unavailable; `close` ends a call that is under way."""

    def load(self) -> None: ...

    def close(self) -> None: ...


Opener = Callable[[Choice, bool, int], Handle]


def open_embedder(choice: Choice, bulk: bool, threads: int) -> Handle:
    """A handle, not loaded yet: for bulk niced, on all cores (`threads` 0) and gone when idle; for questions one thread,
    one attempt, and a server's answer awaited for two seconds."""
    if choice.kind == "endpoint":
        return Endpoint(choice) if bulk else Endpoint(choice, timeout=2.0, pause=time.sleep, retries=1)
    return Child(choice, threads, BULK_NICE, BULK_IDLE) if bulk else Child(choice, 1)
