"""`memd run` starts the daemon; every other word goes to the command line, which never loads an index."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from memd.bridge import cli

if TYPE_CHECKING:
    import argparse


def main() -> int:
    return cli.main(sys.argv[1:], _daemon)


def _daemon(parsed: argparse.Namespace) -> int:
    from memd.daemon import build

    return build.main(parsed)


if __name__ == "__main__":
    sys.exit(main())
