"""The command line: a word, its arguments, one call over the socket, the answer shown. Exit codes are decided here.

Builds only the parser of the word that was used, and imports what that word needs: `memd search` loads no asyncio, no rich
and no index.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Callable

from memd import __version__
from memd.bridge.cli_arguments import GLOBALS, Misused, add_params, collect, find_word, options_of, parser_for
from memd.bridge.cli_shell import Options, Shell
from memd.bridge.cli_show import show
from memd.bridge.cli_topics import TOPICS
from memd.bridge.cli_words import OWN, docs
from memd.bridge.stream import Unreachable
from memd.model.errors import Refused
from memd.serve.messages import OF_WORD, Method, nearest, renamed

DONE, FAILED, USAGE, NO_DAEMON = 0, 1, 2, 3
_LONG = frozenset(("seal", "patch", "chains", "refresh", "remember", "delete", "doctor", "undo", "correct", "move"))
"""Words that may work for longer than a command usually waits."""


Daemon = Callable[[argparse.Namespace], int]
"""What `memd run` does with its arguments: vault, socket, config, idle_exit (seconds), log_level; None where not given."""


def main(argv: list[str] | None = None, daemon: Daemon | None = None) -> int:
    """The exit code: 0 done, 1 refused or failed, 2 usage, 3 no daemon."""
    given = sys.argv[1:] if argv is None else argv
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115  closed by the caller: nothing is printed
    try:
        code = _outcome(given, daemon)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        _drop_output()
        return FAILED
    except OSError as error:
        _drop_output()
        return _fail(given, "unavailable", f"the output: {error.strerror or error}", FAILED)


def _outcome(given: list[str], daemon: Daemon | None) -> int:
    """What was done, or why not, told. Raises OSError where there is nobody to tell."""
    try:
        return _run(given, daemon)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else USAGE
    except Misused as misused:
        return _fail(given, "invalid_params", str(misused), USAGE, usage=misused.usage)
    except Refused as refused:
        return _fail(given, refused.code, refused.message, FAILED, refused.data)
    except Unreachable as error:
        return _fail(given, "unavailable", str(error), NO_DAEMON)
    except TimeoutError:
        return _fail(given, "deadline_exceeded", "no answer in time: `memd status` says what the daemon does", FAILED)
    except OSError as error:
        if error.filename is None:
            raise
        return _fail(given, "unavailable", f"{error.filename}: {error.strerror}", FAILED)


def _drop_output() -> None:
    """What could not be printed is not tried again when Python ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _fail(
    argv: list[str], code: str, message: str, exit_code: int, data: dict[str, object] | None = None, usage: str = ""
) -> int:
    shell = Shell(Options())
    if "--json" in argv:
        error: dict[str, object] = {"code": code, "message": message}
        shell.print_json({"error": error | ({"data": data} if data else {})})
    else:
        shell.err.write(usage)
        shell.complain(renamed(message, "memd "))
    return exit_code


def _run(argv: list[str], daemon: Daemon | None) -> int:
    word, rest = find_word(argv)
    if not word:
        return _no_word(rest)
    if word == "run":
        return _daemon(rest, daemon)
    if own := OWN.get(word):
        module, _, function = own.run.partition(":")
        found: int = getattr(importlib.import_module(f"memd.bridge.{module}"), function)(word, rest)
        return found
    if method := OF_WORD.get(word):
        return call(word, method, rest)
    raise Misused(f"no command {word!r}{nearest(word, docs())}; `memd help` lists them")


def _daemon(argv: list[str], daemon: Daemon | None) -> int:
    parser = parser_for("run", OWN["run"].doc)
    parser.add_argument("--idle-exit", type=int, metavar="SECONDS", help="leave after so long without a request")
    parser.add_argument("--log-level", choices=OWN["run"].options["--log-level"], help="how much is logged")
    parsed = parser.parse_args(argv)
    assert daemon is not None, "only __main__ runs a daemon"
    return daemon(parsed)


def _no_word(options: list[str]) -> int:
    if "--version" in options:
        print(f"memd {__version__}")
        return DONE
    if "--help" in options or "-h" in options:
        print(overview())
        return DONE
    raise Misused("which command?", overview() + "\n")


def overview() -> str:
    words = docs()
    width = max(map(len, words))
    lines = [f"  {word:{width}}  {doc}" for word, doc in words.items()]
    everywhere = " ".join(f"[{name}{' …' if value else ''}]" for name, value in GLOBALS.items())
    return "\n".join(
        [
            "memd COMMAND …",
            "",
            *lines,
            "",
            everywhere,
            "`memd help COMMAND` has its options, `memd help TOPIC` more on one of",
            " ".join(TOPICS),
        ]
    )


def call(word: str, method: Method, argv: list[str]) -> int:
    """A word that is one call."""
    parser = parser_for(word, method.doc)
    add_params(parser, method)
    parsed = parser.parse_args(argv)
    params = collect(parser, method, parsed)
    shell = Shell(options_of(parsed))
    answer = shell.client(None if word in _LONG else 120.0).call(method.name, params)
    if shell.options.json:
        shell.print_json(answer)
    else:
        show(shell, word, answer)
    return DONE
