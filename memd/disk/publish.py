"""A prepared plan put in place, in its order, each step compared after the fact.

A crash leaves a prefix of the plan, each file whole. A step that finds its result already there counts as done: the
same plan, or the same formation, run again completes it. Folders are flushed once, at the end, before anything is told.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable

from memd.disk import act
from memd.disk.aside import Asides
from memd.disk.exchange import Way, fsync, has_syncfs, syncfs
from memd.disk.move import move
from memd.disk.paths import open_folder, show
from memd.disk.prepare import MANY, Item, Preparation
from memd.disk.refusal import refusal
from memd.disk.site import Site, opened, side, split, stands
from memd.model.errors import Refused
from memd.model.plan import ABSENT, Displaced, Done, Move, Receipt, Remove, Write


def publish(ready: Preparation, way: Callable[[int], Way], asides: Asides) -> tuple[Receipt, ...]:
    """One receipt a step; the first Displaced is the last one. What is put in place is taken out of `ready`.

    Raises Refused with `done` (paths of the steps before it) in its data: those stand.
    """
    receipts: list[Receipt] = []
    folders: set[str] = set()
    path = ""
    try:
        for queue, told in ((ready.kept, False), (ready.items, True)):
            while queue:
                path = queue[0].step.path
                receipt = _put(ready.base, queue[0], way, asides, folders)
                del queue[0]
                if told:
                    receipts.append(receipt)
                    if isinstance(receipt, Displaced):
                        break
                elif isinstance(receipt, Displaced):
                    raise Refused("conflict", f"{show(path)} was created meanwhile; try again")
        _sync(ready.base, folders)
    except (OSError, Refused) as error:
        with contextlib.suppress(OSError):
            _sync(ready.base, folders)
        refused = error if isinstance(error, Refused) else refusal(error, path)
        refused.data["done"] = [r.path for r in receipts if isinstance(r, Done)]
        raise refused from error
    return tuple(receipts)


def _put(base: int, item: Item, way: Callable[[int], Way], asides: Asides, folders: set[str]) -> Receipt:
    step = item.step
    if item.done is not None:
        return item.done
    for path in (step.path, *((step.to,) if isinstance(step, Move) else ())):
        folders |= {split(path)[0], side(path)}
    with opened(base, step.path, way) as site:
        if isinstance(step, Move):
            with opened(base, step.to, way) as to:
                return move(site, to, step.expect, asides)
        if isinstance(step, Remove):
            return act.remove(site, step.expect, asides)
        return _write(site, step, item, asides)


def _write(site: Site, step: Write, item: Item, asides: Asides) -> Receipt:
    new = step.expect == ABSENT or (step.expect is None and not stands(site.target))
    if new:
        return act.create(site, item.hand, item.sha)
    return act.overwrite(site, item.hand, item.sha, step.expect, asides)


def _sync(base: int, folders: set[str]) -> None:
    """The names are on disk: an fsync a folder, or one flush a file system for many."""
    flushed: set[int] = set()
    many = len(folders) > MANY and has_syncfs()
    for folder in sorted(folders):
        try:
            fd = open_folder(base, folder)
        except (FileNotFoundError, NotADirectoryError, Refused):
            continue
        try:
            dev = os.fstat(fd).st_dev
            if not many:
                fsync(fd)
            elif dev not in flushed:
                syncfs(fd)
                flushed.add(dev)
        finally:
            os.close(fd)
    folders.clear()
