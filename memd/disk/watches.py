"""What watchdog's observer really watches: its threads, and the kernel's own list of watches.

watchdog says nothing of a thread that died or of a folder it could not watch, so this looks behind its interface, and
is content to know nothing where the inside has changed or the system is not Linux. `observer` is a BaseObserver of
watchdog, which this module does not import.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

_WATCH = re.compile(rb"^inotify wd:(\S+) ino:(\S+)", re.MULTILINE)


def skip(observer: Any, hidden: Callable[[bytes], bool]) -> None:
    """No watch for hidden folders: `.git` and the versions that memd keeps for undo are more than all others, and each
    costs memory here and in the kernel, and counts against its limit. To be called before the observer starts.

    watchdog takes the error for a folder that it may not see, and tells of it as soon as it is moved to where it may.
    """
    reader: Any = getattr(observer, "_inotify_fd", None)
    add = getattr(reader, "add_callback", None)
    if add is None:
        return

    def asked(path: bytes, *rest: Any) -> Any:
        if hidden(path):
            raise OSError(errno.EACCES, "hidden", path)
        return add(path, *rest)

    reader.add_callback = asked


def threads(observer: Any) -> bool:
    """Whether every thread that must run does; `observer.is_alive()` alone is true after its reader died."""
    reader = getattr(observer, "_inotify_fd", None)
    running = [observer, *observer.emitters, *([reader] if isinstance(reader, threading.Thread) else [])]
    return bool(observer.emitters) and all(thread.is_alive() for thread in running)


def blind(observer: Any, root: str, folders: Mapping[str, tuple[int, int]]) -> tuple[str, ...]:
    """Folders from which no event would come under their right path, in path order; () where that cannot be told. One
    that has gone since `folders` were listed, or stands elsewhere now, needs no watch there."""
    paths, kernel = _books(observer), _kernel(observer)
    if paths is None or kernel is None:
        return ()
    found = []
    for folder, known in folders.items():
        full = os.path.join(root, folder) if folder else root
        wd = paths.get(os.fsencode(full))
        if (wd is None or kernel.get(wd) != known[1]) and _stands(full, known):
            found.append(folder)
    return tuple(sorted(found))


def _stands(folder: str, known: tuple[int, int]) -> bool:
    try:
        st = os.lstat(folder)
    except OSError:
        return False
    return (st.st_dev, st.st_ino) == known


def _books(observer: Any) -> dict[bytes, int] | None:
    """watchdog's books: path → watch."""
    found: dict[bytes, int] = {}
    for emitter in observer.emitters:
        group: Any = getattr(emitter, "_inotify", None)
        known = getattr(group, "_active_callbacks_by_path", None)
        if not isinstance(known, dict):
            return None
        found |= known.copy()
    return found


def _kernel(observer: Any) -> dict[int, int] | None:
    """The kernel's list: watch → inode."""
    fd = getattr(getattr(observer, "_inotify_fd", None), "_inotify_fd", None)
    if not isinstance(fd, int):
        return None
    try:
        with open(f"/proc/self/fdinfo/{fd}", "rb") as file:
            text = file.read()
    except OSError:
        return None
    return {int(wd, 16): int(ino, 16) for wd, ino in _WATCH.findall(text)}


def stop(observer: Any) -> None:
    """Ends every thread and gives back descriptor and watches, also of an observer whose books are in disorder.

    Then its own `stop` breaks off half-way and leaves threads that wait for ever, which is made up for here.
    """
    queues = [getattr(getattr(e, "_inotify", None), "_move_event_grouper", None) for e in observer.emitters]
    with contextlib.suppress(KeyError, OSError, RuntimeError):
        observer.stop()
    reader: Any = getattr(observer, "_inotify_fd", None)
    if isinstance(reader, threading.Thread):
        with contextlib.suppress(KeyError, OSError, AttributeError):
            if not reader.is_alive():
                reader._is_reading = False  # type: ignore[attr-defined]
            reader.stop()  # type: ignore[attr-defined]
    for queue in queues:
        with contextlib.suppress(AttributeError):
            queue.close()  # type: ignore[union-attr]
    observer.event_queue.put(observer.stop_event)
    if observer.is_alive():
        observer.join(2.0)
