"""A file moved to another name, never over another file, compared after the fact and moved back where it was wrong."""

from __future__ import annotations

import errno
import os

from memd.disk import act, stage
from memd.disk.aside import Asides
from memd.disk.exchange import Spot, place, replace, unlink
from memd.disk.paths import show
from memd.disk.quiet import PATIENCE, look
from memd.disk.site import Site, stands
from memd.model.errors import Refused
from memd.model.plan import Displaced, Done, Receipt


def move(site: Site, to: Site, expect: str | None, asides: Asides) -> Receipt:
    """The file with the expected hash (None: any) stands at `to`; `Done` names that path.

    Displaced names `to` where it is taken, else the old path with what is there. A move done before is as good.
    """
    try:
        place(site.target, to.target)
    except FileNotFoundError:
        there = look(*to.target) if stands(to.target) else None
        done = there is not None and there.sha == expect
        return Done(to.path, there.sha) if there and done else Displaced(site.path, None)
    except FileExistsError:
        if not _same(site.target, to.target):
            taken = look(*to.target, PATIENCE)
            return Displaced(to.path, taken.data if taken else b"")
        replace(site.target, to.target)
    except OSError as error:
        if error.errno != errno.EXDEV:
            raise
        return _across(site, to, expect, asides)
    return _checked(site, to, expect)


def _checked(site: Site, to: Site, expect: str | None) -> Receipt:
    seen = look(*to.target, PATIENCE)
    if seen is not None and (expect is None or seen.sha == expect):
        return Done(to.path, seen.sha)
    try:
        place(to.target, site.target)
    except FileExistsError:
        # The path was filled again meanwhile: both stand, the moved one at its new name.
        seen = look(*site.target, PATIENCE)
    if seen is None:
        raise Refused("outside_vault", f"{show(site.path)} is a link or a device, not a note; memd leaves it alone")
    return Displaced(site.path, seen.data)


def _same(a: Spot, b: Spot) -> bool:
    """Whether two spellings name one file: a change of case where the file system minds none."""
    x, y = (os.stat(spot[1], dir_fd=spot[0], follow_symlinks=False) for spot in (a, b))
    return (x.st_dev, x.st_ino) == (y.st_dev, y.st_ino) and x.st_nlink == 1


def _across(site: Site, to: Site, expect: str | None, asides: Asides) -> Receipt:
    """Another file system stands in between: a copy with the looks of the file, then the file is taken away."""
    like = os.open(site.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC, dir_fd=site.fd)
    try:
        seen = look(*site.target, PATIENCE)
        if seen is None or (expect is not None and seen.sha != expect):
            return Displaced(site.path, seen.data if seen else b"")
        hand = stage.fresh()
        stage.write((to.side, hand), seen.data, like, sync=True)
    finally:
        os.close(like)
    if isinstance(made := act.create(to, hand, seen.sha), Displaced):
        return made
    gone = act.remove(site, seen.sha, asides)
    if isinstance(gone, Displaced):
        unlink(to.target)
        return gone
    return made
