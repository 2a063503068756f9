"""The words of the command line that are more than a method: what each does, and where it is carried out.

To add one: write `function(word, argv) -> exit code` in a module of `bridge` and add its row here. Help, completion and
the dispatch in `cli` read this table; the module is imported when its word is used.
"""

from __future__ import annotations

from msgspec import Struct

from memd.model.config import FORMATS
from memd.serve.messages import OF_WORD


class Own(Struct, frozen=True):
    """`run` is `module:function` ("" for the daemon itself, which `__main__` hands in); `options` are those beside the method's and the global ones, with their choices."""

    doc: str
    run: str
    options: dict[str, tuple[str, ...]] = {}


OWN: dict[str, Own] = {
    "init": Own("create a vault from the template, or adopt a folder of notes", "cli_own:init"),
    "run": Own(
        "the daemon, in the foreground",
        "",
        {"--idle-exit": (), "--log-level": ("debug", "info", "warning", "error")},
    ),
    "status": Own("daemon, indexes, backlog, jobs and problems", "cli_own:status", {"--watch": ()}),
    "ingest": Own(
        "take in a chat export, a mailbox or a transcript",
        "cli_own:ingest",
        {"--format": FORMATS, "--category": ("interaction", "integration"), "--session": (), "--source": (), "--owner": (),
         "--focus": (), "--wait": (), "--open": ()},
    ),
    "forget": Own("forget something and all that was made of it", "cli_own:forget", {"--yes": ()}),
    "reindex": Own("bring the indexes in step with the files now", "cli_own:reindex", {"--full": ()}),
    "watch": Own("print changes as they are indexed", "cli_own:watch", {"--kind": (), "--folder": ()}),
    "mcp": Own(
        "MCP server on stdio, a bridge to the socket",
        "mcp:mcp",
        {"--read-only": (), "--confirm": ("never", "destructive", "all")},
    ),
    "service": Own("the daemon as a systemd user unit or a launchd agent", "cli_service:service", {"--dry-run": ()}),
    "model": Own("fetch an embedding model: `memd model fetch NAME`", "cli_own:model"),
    "completion": Own("a script for bash, zsh or fish", "cli_own:completion"),
    "help": Own("what a word does, or a topic", "cli_own:help_about"),
}  # fmt: skip


def docs() -> dict[str, str]:
    """Every word with what it does: the vault's first, then the methods' in their order, then the rest."""
    first = {word: OWN[word].doc for word in ("init", "run", "status")}
    methods = {word: method.doc for word, method in OF_WORD.items()}
    rest = {word: own.doc for word, own in OWN.items()}
    return (
        first
        | {word: doc for word, doc in methods.items() if word not in first}
        | {w: d for w, d in rest.items() if w not in first}
    )
