"""What may have changed, as a hint: watchdog's events turned into relative paths.

Knows names and when the hints cannot be relied on. Reads nothing and decides nothing: the listing and the hash do. The
only importer of watchdog. Its threads die while they say that they live, its queue overflows, its folders go blind
(research: reliability), so everything here can be asked for its health and started again.
"""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import threading
import time
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

Touched = Callable[[frozenset[str]], None]

EVERYTHING = frozenset({""})
BATCH = 512
"""So many paths at once are told as "everything": a scan is cheaper than as many look-ups."""

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
    """`touched` gets relative paths of files and folders, or {""} for "look at everything"; it is called from foreign
    threads and must only enqueue. It gets {""} whenever hints may have been lost."""

    def __init__(self, root: str, touched: Touched, ignore: Ignore | None = None) -> None:
        self.root = os.path.realpath(root)
        self._touched = touched
        self._ignore = ignore or Ignore()
        self._observer: BaseObserver | None = None
        self._identity: Identity | None = None
        self._state = State("stopped")
        self._canary = threading.Event()
        self._overflow = _Overflow(self._lost)

    def start(self) -> State:
        """Starts to watch, or says why it cannot. Never raises on what the system refuses."""
        self._identity = identify(self.root)
        self._canary.clear()
        _LOGGER.setLevel(min(_LOGGER.level or logging.WARNING, logging.WARNING))
        _LOGGER.addHandler(self._overflow)
        try:
            observer = Observer()
            self._observer = observer
            handler = _Handler(self.root, self._ignore, observer, self._tell, self._canary)
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
        alive = watches.threads(self._observer) and same and self._sings(wait)
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

    def _tell(self, paths: frozenset[str]) -> None:
        with contextlib.suppress(RuntimeError):  # whoever listened has gone
            self._touched(paths)

    def _lost(self) -> None:
        self._tell(EVERYTHING)

    def _release(self) -> None:
        _LOGGER.removeHandler(self._overflow)
        observer, self._observer = self._observer, None
        if observer is None:
            return
        # Its books may be in disorder, which is why it is stopped.
        with contextlib.suppress(KeyError, OSError, RuntimeError):
            observer.stop()
        if observer.is_alive():
            observer.join(2.0)
        watches.release(observer)


class _Overflow(logging.Handler):
    """watchdog tells of lost events only in its log."""

    def __init__(self, lost: Callable[[], None]) -> None:
        super().__init__(logging.WARNING)
        self._lost = lost

    def emit(self, record: logging.LogRecord) -> None:
        if "overflow" in record.getMessage().lower():
            self._lost()


class _Handler(FileSystemEventHandler):
    """Collects paths until watchdog's queue is empty, then tells them at once. Only its own thread calls it."""

    def __init__(
        self, root: str, ignore: Ignore, observer: BaseObserver, tell: Touched, canary: threading.Event
    ) -> None:
        self._root = root
        self._prefix = root.rstrip("/") + "/"
        self._ignore = ignore
        self._queue = observer.event_queue
        self._tell = tell
        self._canary = canary
        self._paths: set[str] = set()
        self._since = 0.0

    def dispatch(self, event: FileSystemEvent) -> None:
        if os.fsdecode(event.src_path) == self._root:
            self._canary.set()
            if isinstance(event, events.DirAttribEvent):
                return self._flush()
            self._paths.add("")
        for path in (event.src_path, event.dest_path):
            self._add(os.fsdecode(path), event.is_directory)
        return self._flush()

    def _add(self, path: str, folder: bool) -> None:
        """A path outside the root (a folder that moved out goes on reporting) or of no note is dropped."""
        if not path.startswith(self._prefix):
            return
        inner = path[len(self._prefix) :]
        if not self._ignore.hides(inner, folder=folder):
            self._paths.add(inner)

    def _flush(self) -> None:
        if not self._paths:
            return
        now = time.monotonic()
        self._since = self._since or now
        if self._queue.empty() or len(self._paths) >= BATCH or now - self._since > 0.1:
            paths = frozenset(self._paths)
            self._paths.clear()
            self._since = 0.0
            self._tell(EVERYTHING if "" in paths or len(paths) >= BATCH else paths)
