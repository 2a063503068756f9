"""The words that are more than one call: init, status, ingest, forget, reindex, watch, model, completion, help."""

from __future__ import annotations

import argparse
import os
import sys
import time
from contextlib import redirect_stdout
from io import StringIO
from typing import Any

from memd.bridge.cli_arguments import Parser, add_params, collect, options_of, parser_for
from memd.bridge.cli_shell import Shell, safe
from memd.bridge.cli_show import outline, plan, show
from memd.bridge.cli_words import OWN, docs
from memd.model.config import FORMATS
from memd.serve.messages import METHODS, nearest
from memd.serve.places import shared


def _parser(word: str) -> Parser:
    return parser_for(word, OWN[word].doc)


def _opened(parser: Parser, argv: list[str]) -> tuple[Shell, argparse.Namespace]:
    parsed = parser.parse_args(argv)
    return Shell(options_of(parsed)), parsed


def _out(shell: Shell, word: str, answer: dict[str, Any]) -> int:
    if shell.options.json:
        shell.print_json(answer)
    else:
        show(shell, word, answer)
    return 0


def init(word: str, argv: list[str]) -> int:
    from memd.bridge.cli_init import init as begin

    parser = _parser(word)
    parser.add_argument("folder", metavar="VAULT", nargs="?", help="the folder; the current one if none is given")
    shell, parsed = _opened(parser, argv)
    done = begin(shell, parsed.folder or shell.options.vault or os.getcwd())
    if shell.options.json:
        shell.print_json(done)
        return 0
    added = done["added"]
    assert isinstance(added, list)
    what = "adopted as it is, nothing was added" if done["adopted"] else f"{len(added)} files from the template"
    shell.say(f"{done['vault']}: {what}")
    shell.say(f"it is called {done['name']!r}" + (f" in {done['config']}" if done["config"] else ""))
    shell.say("next: `memd run` in the foreground, or just `memd search …`, which starts a daemon")
    return 0


def status(word: str, argv: list[str]) -> int:
    parser = _parser(word)
    parser.add_argument("--watch", action="store_true", help="again every two seconds")
    shell, parsed = _opened(parser, argv)
    if not parsed.watch:
        return _out(shell, word, shell.call("status", {}))
    while True:
        answer = shell.call("status", {})
        if shell.terminal and not shell.options.json:
            shell.print("\x1b[2J\x1b[H")
        _out(shell, word, answer)
        shell.out.flush()
        time.sleep(2)


def ingest(word: str, argv: list[str]) -> int:
    from memd.bridge.cli_ingest import ingest as take_in

    parser = _parser(word)
    method = METHODS["memory.ingest"]
    parser.add_argument("file", metavar="FILE", help="the file, - for standard input")
    parser.add_argument("--format", choices=FORMATS, default="auto", help="what the file is")
    parser.add_argument("--open", action="store_true", help="more of the session is to come")
    add_params(parser, method, frozenset(("events", "close", "idempotency_key", "token", "dry_run")))
    shell, parsed = _opened(parser, argv)
    answer = take_in(shell, parsed.file, parsed.format, collect(parser, method, parsed), leave_open=parsed.open)
    if shell.options.json:
        shell.print_json(answer)
        return 0
    kept = {name: value for name, value in answer.items() if name in ("sessions", "events", "problems")}
    kept |= {name: len(answer[name]) for name in ("episodes", "redacted") if answer.get(name)}
    outline(shell, kept)
    for leaf in answer.get("leaves", []):
        if leaf.get("outcome") in ("created", "superseding"):
            shell.print(f"{leaf['outcome']} {safe(str(leaf.get('path', '')))}")
    return 0


def forget(word: str, argv: list[str]) -> int:
    """Shows the plan and asks; in scripts `--yes`. Nothing is forgotten without one of the two."""
    parser = _parser(word)
    method = METHODS["memory.forget"]
    add_params(parser, method, frozenset(("dry_run", "idempotency_key")))
    parser.add_argument("--yes", action="store_true", help="do not ask")
    parser.add_argument("--dry-run", action="store_true", help="show the plan and stop")
    shell, parsed = _opened(parser, argv)
    params = collect(parser, method, parsed)
    if parsed.yes and not parsed.dry_run:
        return _out(shell, word, shell.call(method.name, {**params, "dry_run": False}, None))
    planned = shell.call(method.name, {**params, "dry_run": True}, None)
    if parsed.dry_run:
        return _out(shell, word, planned)
    if shell.options.json or not _agreed(shell, planned):
        if shell.options.json:
            shell.print_json(planned)
        shell.complain("nothing was forgotten; --yes does it")
        return 1
    token = params.get("token") or planned.get("token", "")
    return _out(shell, word, shell.call(method.name, {**params, "dry_run": False, "token": token}, None))


def _agreed(shell: Shell, planned: dict[str, Any]) -> bool:
    if isinstance(planned.get("plan"), str):
        plan(shell, planned)
    else:
        outline(shell, planned)
    shell.out.flush()
    if not (sys.stdin.isatty() and shell.err.isatty()):
        return False
    print("forget all this? [y/N] ", end="", file=shell.err, flush=True)
    return sys.stdin.readline().strip().lower() in ("y", "yes", "是")


def reindex(word: str, argv: list[str]) -> int:
    from memd.bridge.cli_progress import watching

    parser = _parser(word)
    method = METHODS["memory.reindex"]
    add_params(parser, method)
    shell, parsed = _opened(parser, argv)
    params = collect(parser, method, parsed)
    shell.client(None)
    return _out(shell, word, watching(shell, "indexing", lambda: shell.call(method.name, params, None)))


def watch(word: str, argv: list[str]) -> int:
    parser = _parser(word)
    method = METHODS["subscribe"]
    add_params(parser, method)
    shell, parsed = _opened(parser, argv)
    params = collect(parser, method, parsed)
    for event in shell.client(None).subscribe(params.get("kinds", ()), params.get("folder", "")):
        if shell.options.json:
            shell.print_json({"event": event.name, "data": event.data})
        else:
            data = event.data
            known = str(data.get("path") or data.get("hint") or "") or " ".join(f"{k}={v}" for k, v in data.items())
            shell.print(f"{shell.paint(event.name, '1')} {safe(known)}")
        shell.out.flush()
    return 0


def model(word: str, argv: list[str]) -> int:
    """Carried out by a process of its own: the command line loads no model library."""
    from memd.serve.places import cache_folder

    parser = _parser(word)
    parser.add_argument("action", choices=("fetch", "list"))
    parser.add_argument("name", metavar="NAME", nargs="?", help="as fastembed knows it, like BAAI/bge-small-zh-v1.5")
    shell, parsed = _opened(parser, argv)
    if (parsed.action == "fetch") != bool(parsed.name):
        parser.error("write `memd model fetch NAME` or `memd model list`")
    asked = [os.path.join(cache_folder(shell.environ), "models"), parsed.action, *filter(None, (parsed.name,))]
    asked += ["--json"] if shell.options.json else []
    os.execve(sys.executable, [sys.executable, "-P", "-m", "memd.index.fetching", *asked], dict(shell.environ))  # noqa: S606


def completion(word: str, argv: list[str]) -> int:
    from memd.bridge.cli_completion import SHELLS, script

    parser = _parser(word)
    parser.add_argument("shell", choices=SHELLS)
    shell, parsed = _opened(parser, argv)
    return _text(shell, script(parsed.shell))


def help_about(word: str, argv: list[str]) -> int:
    from memd.bridge.cli import main, overview
    from memd.bridge.cli_topics import TOPICS

    parser = _parser(word)
    parser.add_argument("topic", nargs="?", default="", help=f"a command, or {', '.join(TOPICS)}")
    shell, parsed = _opened(parser, argv)
    topic = parsed.topic
    if not topic:
        return _text(shell, overview() + "\n")
    if topic not in docs() and topic not in TOPICS:
        near = nearest(topic, (*docs(), *TOPICS))
        parser.error(f"no help on {topic!r}" + (near or f": {', '.join(TOPICS)}"))
    parts = []
    if topic in docs():
        with redirect_stdout(StringIO()) as usage:
            main([topic, "--help"])
        parts.append(usage.getvalue())
    if topic in TOPICS:
        parts.append(TOPICS[topic].rstrip().replace("{config}", shared("config")) + "\n")
    return _text(shell, "\n".join(parts))


def _text(shell: Shell, text: str) -> int:
    if shell.options.json:
        shell.print_json({"text": text})
    else:
        shell.out.write(text)
    return 0
