"""Progress of long work, drawn on a terminal's stderr; elsewhere nothing. The only importer of `rich`, when it draws."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from memd.bridge.cli_shell import Shell
from memd.bridge.stream import Stream, Unreachable
from memd.model.errors import Refused

AFTER = 0.3
EVERY = 0.2


def _draws(shell: Shell) -> bool:
    return shell.err.isatty() and not shell.options.quiet and shell.environ.get("TERM") != "dumb"


@contextmanager
def counting(shell: Shell, what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar that the work itself moves forward."""
    if not _draws(shell):
        yield lambda done: None
        return
    with _bar(shell) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)


def watching(shell: Shell, what: str, work: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The work's result; while it goes on, a bar of how many files wait for the index, asked on a second connection."""
    if not _draws(shell):
        return work()
    done = threading.Event()
    found: list[dict[str, Any]] = []
    failed: list[BaseException] = []

    def run() -> None:
        try:
            found.append(work())
        except (Refused, OSError) as error:
            failed.append(error)
        finally:
            done.set()

    threading.Thread(target=run, daemon=True).start()
    if not done.wait(AFTER):
        _follow(shell, what, done)
    if failed:
        raise failed[0]
    return found[0]


def _follow(shell: Shell, what: str, done: threading.Event) -> None:
    most = 0
    with _bar(shell) as bar:
        task = bar.add_task(what, total=None)
        while not done.wait(EVERY):
            waiting = _pending(shell.place.socket)
            most = max(most, waiting)
            if most:
                bar.update(task, total=most, completed=most - waiting)


def _pending(socket: str) -> int:
    """Files that are not in the index yet; 0 where the daemon is too busy to say."""
    try:
        stream = Stream(socket, 5.0)
        try:
            stream.send(1, "hello", {"client": "memd"})
            return int(stream.receive().result.get("index", {}).get("pending", 0))
        finally:
            stream.close()
    except (Unreachable, TimeoutError, Refused):
        return 0


def _bar(shell: Shell) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

    console = Console(file=shell.err, no_color=bool(shell.environ.get("NO_COLOR")))
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    return Progress(*columns, console=console, transient=True)
