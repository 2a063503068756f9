"""`memd run` starts the daemon; every other word goes to the command line, which never loads an index.

An interrupt is heard here and nowhere below. While modules are loaded it waits: msgspec, interrupted as it reads a type, ends
the process with a fault.
"""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130


def main() -> int:
    _interrupts(signal.SIG_BLOCK)
    from memd.bridge import cli

    try:
        _interrupts(signal.SIG_UNBLOCK)
        return cli.main(sys.argv[1:], _daemon)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        _interrupts(signal.SIG_BLOCK)  # what is left is Python's own end


def _interrupts(how: int) -> None:
    signal.pthread_sigmask(how, {signal.SIGINT})


def _daemon(parsed: argparse.Namespace) -> int:
    from memd.daemon import build

    return build.main(parsed)


if __name__ == "__main__":
    sys.exit(main())
