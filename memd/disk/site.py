"""Where a step acts: the folder of the file, and the folder beside it for temporaries and asides."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memd.disk import stage
from memd.disk.exchange import Spot, Way
from memd.disk.paths import CONFLICT, TRASH


class Site(NamedTuple):
    """`fd`, `name`: the file's folder and name. `side`, `folder`: where its temporaries and asides are."""

    path: str
    fd: int
    name: str
    side: int
    folder: str
    way: Way

    @property
    def target(self) -> Spot:
        return (self.fd, self.name)

    def aside(self, ours: str, expect: str | None) -> Spot:
        """A new name for what is displaced here (see `stage.aside`)."""
        within = self.fd == self.side
        return (self.side, stage.aside(self.name if within else "", ours, expect, cut=self.way == "take"))


def split(path: str) -> tuple[str, str]:
    folder, _, name = path.rpartition("/")
    return folder, name


def side(path: str) -> str:
    """The file's own folder; for memd's own places their top, which is swept without a walk."""
    for top in (TRASH, CONFLICT):
        if path.startswith(top + "/"):
            return top
    return split(path)[0]


@contextlib.contextmanager
def opened(base: int, path: str, way: Callable[[int], Way]) -> Iterator[Site]:
    """The site of a path, its folders made where they were not there. Raises as `paths.open_folder`."""
    folder, name = split(path)
    fd = stage.make_folder(base, folder)
    try:
        beside = side(path)
        other = fd if beside == folder else stage.make_folder(base, beside)
        try:
            yield Site(path, fd, name, other, beside, way(fd))
        finally:
            if other != fd:
                os.close(other)
    finally:
        os.close(fd)


def stands(spot: Spot) -> bool:
    """Whether anything has that name, a dangling link included."""
    try:
        os.stat(spot[1], dir_fd=spot[0], follow_symlinks=False)
    except FileNotFoundError:
        return False
    return True
