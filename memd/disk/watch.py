"""What may have changed, as a hint: watchdog's events turned into relative paths.

Knows names and when the hints cannot be relied on. Reads nothing and decides nothing: the listing and the hash do. The
only importer of watchdog. Its threads die while they say that they live, its queue overflows, its folders go blind
(research: reliability), so everything here can be asked for its health and started again.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Callable, Mapping
from typing import Literal

from msgspec import Struct
from watchdog import events
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import BaseObserver

from memd.disk import watches
from memd.disk.ignore import Ignore
from memd.disk.root import Identity, identify
from memd.disk.teller import Teller, Touched

_EVENTS: list[type[FileSystemEvent]] = [
    events.FileCreatedEvent,
    events.FileModifiedEvent,
    events.FileClosedEvent,
    events.FileAttribEvent,
    events.FileDeletedEvent,
    events.FileMovedEvent,
    events.DirCreatedEvent,
    events.DirAttribEvent,
    events.DirDeletedEvent,
    events.DirMovedEvent,
]
"""Without opened and closed-without-write: memd's own reads would fill the kernel's queue."""

_LOGGER = logging.getLogger("watchdog.observers.inotify_c")


class Health(Struct, frozen=True):
    """`alive`: hints arrive (the canary came back). `blind`: folders of which none would. `root`: the vault's folder is
    the one that is watched. Anything but (True, (), True) calls for `restart`, or a hold where the root is wrong."""

    alive: bool
    blind: tuple[str, ...]
    root: bool

    def __bool__(self) -> bool:
        return self.alive and self.root and not self.blind


class State(Struct, frozen=True):
    """`scanning`: no hints, only the periodic scan finds changes; `reason` says why and what to do."""

    mode: Literal["watching", "scanning", "stopped"]
    reason: str = ""


class Watcher:
    """`touched` gets relative paths of files and folders, or {""} for "look at everything" (also whenever hints may have
    been lost); it is called from a foreign thread, at most fifty times a second, and must only enqueue. Another `ignore`
    holds from the next `restart` on."""

    def __init__(self, root: str, touched: Touched, ignore: Ignore | None = None) -> None:
        self.root = os.path.realpath(root)
        self._touched = touched
        self._teller = Teller(touched)
        self.ignore = ignore or Ignore()
        self._observer: BaseObserver | None = None
        self._identity: Identity | None = None
        self._state = State("stopped")
        self._canary = threading.Event()
        self._overflow = _Overflow(self._lost)

    def start(self) -> State:
        """Starts to watch, or says why it cannot. Never raises on what the system refuses."""
        self._identity = identify(self.root)
        self._canary.clear()
        self._teller = Teller(self._touched)
        self._teller.start()
        _LOGGER.setLevel(min(_LOGGER.level or logging.WARNING, logging.WARNING))
        _LOGGER.addHandler(self._overflow)
        try:
            observer = Observer()
            self._observer = observer
            watches.skip(observer, self._hidden)
            handler = _Handler(self.root, self.ignore, self._teller.add, self._canary)
            observer.schedule(handler, self.root, recursive=True, event_filter=_EVENTS, follow_symlink=False)
            observer.start()
        except OSError as error:
            self._release()
            self._state = State("scanning", f"the system gives no file events ({error}); changes are found by scanning")
            return self._state
        self._state = State("watching")
        return self._state

    def stop(self) -> None:
        self._release()
        self._state = State("stopped")

    def restart(self) -> State:
        """A new observer in place of the old one, and a hint to look at everything."""
        self._release()
        state = self.start()
        self._lost()
        return state

    def state(self) -> State:
        return self._state

    def check(self, folders: Mapping[str, tuple[int, int]] | None = None, wait: float = 0.5) -> Health:
        """Whether hints can be relied on. `folders` of the last listing (path → device, inode) tells of blind ones.

        Touches the vault's folder by giving it the mode it has: nothing is written, no time but its ctime moves, and an
        event must come back within `wait` seconds. Where that is not allowed the threads' own word is taken.
        """
        root = identify(self.root)
        same = root is not None and root == self._identity
        if self._state.mode != "watching" or self._observer is None:
            return Health(False, (), same)
        alive = self._teller.is_alive() and watches.threads(self._observer) and same and self._sings(wait)
        blind = watches.blind(self._observer, self.root, folders) if folders and alive else ()
        return Health(alive, blind, same)

    def give_up(self, blind: tuple[str, ...]) -> State:
        """Folders stay blind after a restart: the system's limit is reached. Gives its watches back, only scans."""
        self._release()
        reason = (
            f"{len(blind)} folders cannot be watched; raise fs.inotify.max_user_watches. Changes are found by scanning"
        )
        self._state = State("scanning", reason)
        return self._state

    def _sings(self, wait: float) -> bool:
        """The canary. A file for it would travel with every sync engine; the mode of the root does not."""
        self._canary.clear()
        try:
            os.chmod(self.root, stat.S_IMODE(os.stat(self.root).st_mode))
        except OSError:
            return True
        return self._canary.wait(wait)

    def _hidden(self, folder: bytes) -> bool:
        return self.ignore.hides(os.fsdecode(folder)[len(self.root) :].strip("/"), folder=True)

    def _lost(self) -> None:
        self._teller.add("")

    def _release(self) -> None:
        _LOGGER.removeHandler(self._overflow)
        self._teller.stop()
        observer, self._observer = self._observer, None
        if observer is not None:
            watches.stop(observer)


class _Overflow(logging.Handler):
    """watchdog tells of lost events only in its log."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._lost()


class _Handler(FileSystemEventHandler):
    """Turns events into relative paths."""

    def __init__(self, root: str, ignore: Ignore, add: Callable[..., None], canary: threading.Event) -> None:
        self._root = root
        self._prefix = root.rstrip("/") + "/"
        self._ignore = ignore
        self._add = add
        self._canary = canary

    def dispatch(self, event: FileSystemEvent) -> None:
        if os.fsdecode(event.src_path) == self._root:
            self._canary.set()
            if not isinstance(event, events.DirAttribEvent):
                self._add("")
            return
        for full in (event.src_path, event.dest_path):
            path = os.fsdecode(full)
            # A folder that moved out goes on reporting; what is outside the root is dropped.
            if path.startswith(self._prefix):
                inner = path[len(self._prefix) :]
                if not self._ignore.hides(inner, folder=event.is_directory):
                    self._add(inner)
