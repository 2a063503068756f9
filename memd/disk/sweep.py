"""What a crash left behind, or a folder took along when somebody moved it: unfinished files, and displaced ones.

A name says what its file was to become or had been (`stage.aside`), the file's hash says how far the step came. What
cannot be accounted for is a save, and is kept.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from memd.disk import stage
from memd.disk.aside import Asides
from memd.disk.exchange import place, swap, unlink
from memd.disk.ignore import TEMPORARY
from memd.disk.paths import CONFLICT, TRASH, open_folder
from memd.disk.quiet import Seen, look
from memd.disk.site import split
from memd.model.errors import Refused


def own_strays(base: int) -> list[str]:
    """Temporaries in the tops of memd's own folders, where no listing looks."""
    found = []
    for folder in (TRASH, CONFLICT):
        try:
            fd = open_folder(base, folder)
        except (OSError, Refused):
            continue
        try:
            found += [f"{folder}/{name}" for name in os.listdir(fd) if name.startswith(TEMPORARY)]
        finally:
            os.close(fd)
    return found


def sweep(base: int, strays: Iterable[str], asides: Asides) -> None:
    """Deletes what is unfinished, completes or takes back what was under way, hands the rest to `asides`."""
    for path in strays:
        folder, name = split(path)
        if asides.knows(name):
            continue
        try:
            fd = open_folder(base, folder)
        except (OSError, Refused):
            continue
        try:
            _sweep(fd, folder, name, asides)
        except OSError:
            continue  # unreadable or read-only: it stays for the next start
        finally:
            os.close(fd)


def _sweep(fd: int, folder: str, name: str, asides: Asides) -> None:
    aside = stage.told(name)
    seen = look(fd, name)
    if aside is None or seen is None:
        if name.startswith(f"{TEMPORARY}new-"):
            unlink((fd, name))
        return
    path = f"{folder}/{aside.name}" if folder else aside.name
    there = _there(fd, aside.name)
    if seen.sha.startswith(aside.ours) or (there is not None and _one_file(fd, name, aside.name)):
        unlink((fd, name))  # not yet put in place, or a second name of what stands
    elif aside.name and there is None and aside.cut and aside.ours != stage.GONE:
        place((fd, name), (fd, aside.name))  # taken away, and nothing put in its place
    elif aside.expect == stage.ANY or seen.sha.startswith(aside.expect):
        asides.hold(path, folder, name, seen, prune=aside.ours == stage.GONE)
    elif aside.name and there is None:
        place((fd, name), (fd, aside.name))  # a save: not what was to be removed or replaced
    elif there is not None and there.sha.startswith(aside.ours):
        swap((fd, name), (fd, aside.name))  # a save was displaced, or came late: it goes back, what memd wrote is kept
        asides.keep(path, folder, name)
    else:
        asides.keep(path if aside.name else f"{folder}/recovered.md", folder, name)


def _there(fd: int, name: str) -> Seen | None:
    if not name:
        return None
    try:
        return look(fd, name)
    except FileNotFoundError:
        return None


def _one_file(fd: int, a: str, b: str) -> bool:
    x, y = (os.stat(n, dir_fd=fd, follow_symlinks=False) for n in (a, b))
    return (x.st_dev, x.st_ino) == (y.st_dev, y.st_ino)
