"""The command line of one word, made from its row in `METHODS`: positional params, options named like params.

Turns what was typed into params. Knows no terminal and sends nothing.
"""

from __future__ import annotations

import argparse
import re
import sys
from typing import Any, NoReturn

from memd.bridge.cli_shell import Options
from memd.bridge.cli_values import file_name, json_value, observation, relation, target, where_of
from memd.serve.bases import Changing, Named
from memd.serve.described import about
from memd.serve.messages import Method, Param, nearest, params_of

GLOBALS = {"--vault": True, "--socket": True, "--config": True, "--json": False, "--quiet": False, "--no-spawn": False}
"""Option → whether a value follows."""

_SPREAD = {"time_range": ("since", "until", "of")}
_READ_FROM_STDIN = frozenset(("text", "body"))
_SHORTHAND = {"observations": observation, "relations": relation}
_SENTENCES = frozenset(("memory.search", "memory.retrieve", "memory.remember"))
"""Methods whose one positional is a sentence: several words need no quotes."""


class Misused(Exception):
    """The command line was not understood. `usage` is how the word is used, "" where there is none."""

    def __init__(self, message: str, usage: str = "") -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises Misused on a usage error, and says what to do about a word that looks like an option."""

    def error(self, message: str) -> NoReturn:
        if message.startswith("unrecognized arguments: -"):
            typed = message.split()[2].partition("=")[0]
            message += nearest(typed, self._option_string_actions) or "  (words that begin with - go after --)"
        raise Misused(message, self.format_usage())


def parser_for(word: str, doc: str) -> Parser:
    """A parser with the global options and nothing else."""
    parser = Parser(prog=f"memd {word}", description=f"{doc[0].upper()}{doc[1:]}.", allow_abbrev=False)
    group = parser.add_argument_group("everywhere")
    group.add_argument("--vault", metavar="PATH|NAME", default="", help="which vault")
    group.add_argument("--socket", metavar="PATH", default="", help="which socket")
    group.add_argument("--config", metavar="FILE", default="", help="which config")
    group.add_argument("--json", action="store_true", help="the wire's answer on stdout, nothing else")
    group.add_argument("--quiet", action="store_true", help="no messages")
    group.add_argument("--no-spawn", action="store_true", help="do not start a daemon")
    return parser


def options_of(parsed: argparse.Namespace) -> Options:
    return Options(**{name: getattr(parsed, name) for name in Options.__struct_fields__})


def find_word(argv: list[str]) -> tuple[str, list[str]]:
    """The first argument that is no global option, and the others. "" where there is none."""
    at = 0
    while at < len(argv):
        if not argv[at].startswith("-"):
            return argv[at], argv[:at] + argv[at + 1 :]
        at += 2 if GLOBALS.get(argv[at]) else 1
    return "", argv


def add_params(parser: Parser, method: Method, leave_out: frozenset[str] = frozenset()) -> None:
    """The method's params as arguments of the parser; absent ones are absent from the namespace."""
    for name in method.positional:
        param = next(each for each in params_of(method) if each.name == name)
        _add_positional(parser, method, param)
    for param in params_of(method):
        named = param.name in ("permalink", "path", "id")
        if param.name not in leave_out and (param.name not in method.positional or named):
            for each in _spread(param):
                _add_option(parser, method, each)


def _spread(param: Param) -> list[Param]:
    parts = _SPREAD.get(param.name)
    choices = {"of": ("said", "valid")}
    return [Param(part, "text", False, False, "", choices.get(part, ())) for part in parts] if parts else [param]


def _add_positional(parser: Parser, method: Method, param: Param) -> None:
    count: dict[str, Any] = {}
    if method.name in _SENTENCES:
        count = {"nargs": "+" if param.required else "*"}
    elif not param.required:
        count = {"nargs": "?"}
    dest = f"at_{param.name}"
    metavar = param.name.upper() if param.name != "target" else "KIND:ID"
    parser.add_argument(
        dest, metavar=metavar, help=_help(about(method.name, param.name)), default=argparse.SUPPRESS, **count
    )


def _add_option(parser: Parser, method: Method, param: Param) -> None:
    text = _help(about(method.name, param.name))
    kept: dict[str, Any] = {"dest": param.name, "default": argparse.SUPPRESS, "help": text}
    names = option_names(param)
    if param.kind == "flag":
        parser.add_argument(*names, action="store_const", const=not param.default, **kept)
        return
    metavar = param.name.upper() if not param.choices else None
    choices = param.choices or None
    kind: Any = {"integer": int, "record": str, "text": str}[param.kind]
    if param.name == "where":
        metavar = "K=V"
    repeats: dict[str, Any] = {"action": "append"} if param.many or param.name == "where" else {}
    parser.add_argument(*names, type=kind, metavar=metavar, choices=choices, **repeats, **kept)


def option_names(param: Param) -> list[str]:
    """`--include-sensitive`; a list's singular first (`--tag`, `--tags`); what is on by default is turned off (`--no-leaves`)."""
    name = param.name.replace("_", "-")
    if param.kind == "flag" and param.default:
        return [f"--no-{name.removeprefix('include-')}"]
    if param.many:
        single = re.sub("ies$", "y", name) if name.endswith("ies") else name.removesuffix("s")
        return list(dict.fromkeys((f"--{single}", f"--{name}")))
    return [f"--{name}"] if name != "tree-id" else ["--tree", "--tree-id"]


def _help(text: str) -> str:
    return text.replace("%", "%%")


def collect(parser: Parser, method: Method, parsed: argparse.Namespace) -> dict[str, Any]:
    """Params from what was typed; a value that is none is a usage error."""
    try:
        return _collect(method, parsed)
    except ValueError as error:
        parser.error(str(error))


def _collect(method: Method, parsed: argparse.Namespace) -> dict[str, Any]:
    typed = vars(parsed)
    params: dict[str, Any] = {}
    for name in method.positional:
        value = typed.get(f"at_{name}")
        if value in (None, []):
            continue
        if isinstance(value, list):
            value = " ".join(value)
        params |= (
            file_name(value)
            if name in ("permalink", "id") and "path" in method.params.__struct_fields__
            else {name: value}
        )
    for param in params_of(method):
        if param.name in _SPREAD:
            found = {part: typed[part] for part in _SPREAD[param.name] if typed.get(part)}
            params |= {param.name: found} if found else {}
        elif param.name in typed:
            params[param.name] = typed[param.name]
    if issubclass(method.params, Named | Changing) and not any(map(params.get, ("permalink", "path", "id"))):
        raise ValueError("which note? give its permalink, title or path before the rest, or --path or --id")
    return {name: _value(name, value) for name, value in params.items()}


def _value(name: str, value: Any) -> Any:
    if name == "where":
        return where_of(value)
    if name == "target":
        return target(value)
    if name in _SHORTHAND:
        return [_SHORTHAND[name](each) for each in value]
    if name in ("atoms", "episodes", "events"):
        return [item for each in value for item in json_value(each)]
    if name in _READ_FROM_STDIN and value == "-":
        return sys.stdin.read()
    return value
