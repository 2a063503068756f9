"""Where a crash test kills the process: before or after the n-th durable act of the writer.

`MEMD_FAULT=rename:before:3` kills at the third rename (also `fsync`, `unlink`, or `any` of them; `after`). Read once, at
import; without the variable nothing is counted.
"""

from __future__ import annotations

import os
import signal

_KINDS = ("any", "fsync", "rename", "unlink")


class _Fault:
    def __init__(self, text: str) -> None:
        self.kind, self.when, number = text.split(":")
        self.left = int(number)
        assert self.kind in _KINDS, text
        assert self.when in ("before", "after"), text

    def at(self, kind: str, when: str) -> None:
        if when == self.when and self.kind in ("any", kind):
            self.left -= 1
            if self.left == 0:
                os.kill(os.getpid(), signal.SIGKILL)


_fault = _Fault(os.environ["MEMD_FAULT"]) if os.environ.get("MEMD_FAULT") else None


def before(kind: str) -> None:
    if _fault:
        _fault.at(kind, "before")


def after(kind: str) -> None:
    if _fault:
        _fault.at(kind, "after")
