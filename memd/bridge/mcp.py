"""`memd mcp`: an MCP server on stdio, a bridge to the vault's socket. The SDK is loaded when it is run and not before."""

from __future__ import annotations

import asyncio
from typing import get_args

from memd.bridge.cli_arguments import options_of, parser_for
from memd.bridge.cli_shell import Shell
from memd.bridge.cli_words import OWN
from memd.bridge.mcp_calls import Confirm, Line


def mcp(word: str, argv: list[str]) -> int:
    """Serves until the client closes its end. Which vault is meant is settled first: exit 1 where none is."""
    parser = parser_for(word, OWN[word].doc)
    parser.add_argument("--read-only", action="store_true", help="only tools that change nothing")
    parser.add_argument(
        "--confirm",
        choices=get_args(Confirm),
        default="destructive",
        help="which calls are shown to a person before they are done (destructive, if not given)",
    )
    parsed = parser.parse_args(argv)
    shell = Shell(options_of(parsed))
    shell.place  # noqa: B018
    from memd.bridge.mcp_server import serve

    asyncio.run(serve(Line(shell), parsed.confirm, parsed.read_only))
    return 0
