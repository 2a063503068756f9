"""`memd run` starts the daemon; every other word goes to the command line, which never loads an index.

An interrupt is heard here and nowhere below; nothing is imported before, so that a command which has only begun to load
ends as quietly as a later one.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

INTERRUPTED = 130


def main() -> int:
    try:
        from memd.bridge import cli

        return cli.main(sys.argv[1:], _daemon)
    except KeyboardInterrupt:
        return INTERRUPTED
    finally:
        import signal

        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what is left is Python's own end


def _daemon(parsed: argparse.Namespace) -> int:
    from memd.daemon import build

    return build.main(parsed)


if __name__ == "__main__":
    sys.exit(main())
