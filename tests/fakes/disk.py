"""People and programs beside memd in a vault: an editor in a process of its own, folders and files in a line."""

from __future__ import annotations

import multiprocessing
import os
import threading
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection


def grow(root: os.PathLike[str] | str, files: dict[str, str | bytes]) -> str:
    """A vault with these files."""
    root = os.fspath(root)
    for path, text in files.items():
        full = os.path.join(root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "wb") as file:
            file.write(text.encode() if isinstance(text, str) else text)
    return root


def let_others_in(path: os.PathLike[str] | str) -> None:
    """Other users may reach this folder: pytest's temporary folders are private at every level."""
    here = os.path.realpath(path)
    while os.path.basename(here) and not os.path.basename(here).startswith("pytest-of"):
        os.chmod(here, 0o755)
        here = os.path.dirname(here)
    os.chmod(here, 0o755)


def contents(root: os.PathLike[str] | str) -> dict[str, bytes]:
    """Every file beneath a folder, hidden ones included."""
    root = os.fspath(root)
    return {os.path.relpath(full, root): data for full, data in _files(root)}


def _files(root: str) -> Iterator[tuple[str, bytes]]:
    for folder, _, names in os.walk(root):
        for name in names:
            full = os.path.join(folder, name)
            if os.path.isfile(full) and not os.path.islink(full):
                with open(full, "rb") as file:
                    yield full, file.read()


class Hints:
    """What a watcher told, waited for."""

    def __init__(self) -> None:
        self.seen: set[str] = set()
        self.calls = 0
        self._news = threading.Condition()

    def __call__(self, paths: frozenset[str]) -> None:
        with self._news:
            self.seen |= paths
            self.calls += 1
            self._news.notify_all()

    def forget(self) -> None:
        with self._news:
            self.seen.clear()

    def covers(self, path: str) -> bool:
        parts = path.split("/")
        return "" in self.seen or any("/".join(parts[:n]) in self.seen for n in range(1, len(parts) + 1))

    def wait(self, *paths: str, timeout: float = 60.0) -> set[str]:
        """The paths of these that no hint covered within the time; {} when all came."""
        with self._news:
            self._news.wait_for(lambda: all(self.covers(p) for p in paths), timeout)
            return {p for p in paths if not self.covers(p)}


class Editor:
    """A person's editor: saves in place (truncate, then write in pieces) or by rename, after a delay, on request."""

    def __init__(self) -> None:
        self._mine, theirs = multiprocessing.Pipe()
        self._process = multiprocessing.get_context("fork").Process(target=_edit, args=(theirs,), daemon=True)
        self._process.start()
        theirs.close()

    def save(self, path: str, data: bytes, style: str, delay: float) -> None:
        """Begins; `delay` seconds from now."""
        self._mine.send((path, data, style, delay))
        self._mine.recv()

    def saved(self) -> None:
        self._mine.recv()

    def close(self) -> None:
        self._mine.send(None)
        self._process.join(5)


def _edit(pipe: Connection) -> None:
    while (order := pipe.recv()) is not None:
        path, data, style, delay = order
        pipe.send("ready")
        until = time.perf_counter() + delay
        while time.perf_counter() < until:
            pass
        if style == "in place":
            with open(path, "wb", buffering=0) as file:
                for at in range(0, len(data), 10_000):
                    file.write(data[at : at + 10_000])
        else:
            with open(path + "~new", "wb") as file:
                file.write(data)
            os.replace(path + "~new", path)
        pipe.send("saved")
