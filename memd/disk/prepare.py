"""A plan made ready: every new file written aside, before anything is touched.

Meets here what can fail (no space, no permission, a plan that is stale), so that nothing is half-done. Knows what each
step replaces, and writes the versions that undo needs. Puts nothing in place.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Iterator
from typing import NamedTuple

from memd.disk import keep, stage
from memd.disk.exchange import has_syncfs, syncfs, unlink
from memd.disk.paths import open_folder, show
from memd.disk.quiet import PATIENCE, Seen, watch
from memd.disk.refusal import refusal
from memd.disk.site import side, split, stands
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Displaced, Done, Move, Plan, Remove, Step, Write
from memd.model.problem import Problem

MANY = 8
"""From more new files on, one flush of the file system is cheaper than one a file (measured: 0.3 ms each)."""


class Item(NamedTuple):
    """A step ready to be put in place. `hand`: its temporary file in the side folder; `done`: its result stands."""

    step: Step
    hand: str = ""
    sha: str = ""
    done: Done | None = None


class Preparation:
    """`kept` are to be put in place before `items`. Every method raises Refused for what the system refuses."""

    def __init__(self, base: int, plan: Plan, stamp: str) -> None:
        self.base = base
        self.plan = plan
        self.stamp = stamp
        self.items: list[Item] = []
        self.kept: list[Item] = []
        self.noted: list[Problem] = []
        self._entries: list[keep.Entry] = []
        self._touched: set[str] = set()
        self._devices: dict[int, str] = {}
        self._many = has_syncfs() and sum(isinstance(s, Write) for s in plan.steps) * (1 + plan.undo) > MANY

    def stage(self) -> Displaced | None:
        """Writes everything aside and on disk; the first step that is stale, if any, ends it."""
        for step in self.plan.steps:
            try:
                stale = self._stage(step)
            except OSError as error:
                raise refusal(error, step.path) from error
            if stale:
                return stale
        if self._entries:
            manifest = keep.Manifest(self.stamp, tuple(self._entries), self.plan.reasons, self.plan.undoes)
            path, data = keep.manifest_path(self.stamp), keep.encode(manifest)
            self._keep_file(path, data, None)
        self._flush()
        return None

    def discard(self) -> None:
        """Temporaries that were not put in place go."""
        for item in self.kept + self.items:
            if item.hand:
                with contextlib.suppress(OSError, Refused), _folder(self.base, side(item.step.path)) as fd:
                    unlink((fd, item.hand))

    def _stage(self, step: Step) -> Displaced | None:
        with self._current(step.path) as (file, seen):
            if step.path not in self._touched and (verdict := _verdict(step, seen)):
                if isinstance(verdict, Displaced):
                    return verdict
                self.items.append(Item(step, done=verdict))
                return None
            self._record(step, file, seen)
            self.items.append(self._ready(step, file, seen))
        self._touched |= {step.path, *((step.to,) if isinstance(step, Move) else ())}
        return None

    def _ready(self, step: Step, file: int | None, seen: Seen | None) -> Item:
        if isinstance(step, Move):
            for folder in (split(step.to)[0], side(step.to)):
                os.close(stage.make_folder(self.base, folder))
        if not isinstance(step, Write):
            return Item(step)
        if seen is not None:
            self._permit(step.path, seen)
        return Item(step, self._temporary(step.path, step.content, file), sha256(step.content))

    def _temporary(self, path: str, data: bytes, like: int | None) -> str:
        os.close(stage.make_folder(self.base, split(path)[0], sync=not self._many))
        fd = stage.make_folder(self.base, side(path), sync=not self._many)
        try:
            hand = stage.fresh()
            stage.write((fd, hand), data, like, sync=not self._many)
            self._devices[os.fstat(fd).st_dev] = side(path)
        finally:
            os.close(fd)
        return hand

    def _flush(self) -> None:
        for folder in self._devices.values() if self._many else ():
            try:
                with _folder(self.base, folder) as fd:
                    syncfs(fd)
            except OSError as error:
                raise refusal(error, folder) from error

    @contextlib.contextmanager
    def _current(self, path: str) -> Iterator[tuple[int | None, Seen | None]]:
        """The file that stands there, open, and its bytes; (None, None) where none does, or an earlier step decides."""
        file = None if path in self._touched else self._opened(path)
        if file is None:
            yield None, None
            return
        try:
            yield file, watch(file, PATIENCE)
        finally:
            os.close(file)

    def _opened(self, path: str) -> int | None:
        folder, name = split(path)
        try:
            with _folder(self.base, folder) as fd:
                st = os.stat(name, dir_fd=fd, follow_symlinks=False)
                if stat.S_ISREG(st.st_mode):
                    return os.open(name, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=fd)
        except FileNotFoundError:
            return None
        what = (
            "symbolic link" if stat.S_ISLNK(st.st_mode) else "folder" if stat.S_ISDIR(st.st_mode) else "pipe or device"
        )
        raise Refused("outside_vault", f"{show(path)} is a {what}, not a note; memd leaves it alone")

    def _permit(self, path: str, seen: Seen) -> None:
        folder, name = split(path)
        with _folder(self.base, folder) as fd:
            mode = os.stat(name, dir_fd=fd, follow_symlinks=False).st_mode
            allowed = os.access(name, os.W_OK, dir_fd=fd, effective_ids=os.access in os.supports_effective_ids)
        if not allowed or not mode & 0o222:
            raise Refused("permission_denied", f"{show(path)} is write-protected; make it writable and try again")
        if seen.links > 1:
            hint = "memd wrote to this name only; the others keep the old text"
            self.noted.append(Problem("hard_link", path, 0, f"the file had {seen.links} names, now one differs", hint))

    # Versions for undo

    def _record(self, step: Step, file: int | None, seen: Seen | None) -> None:
        if not self.plan.undo:
            return
        again = next((e for e in self._entries if e.path == step.path and e.op == "write"), None)
        if isinstance(step, Write) and again is not None:
            again.after = sha256(step.content)
            return
        entry = keep.Entry(type(step).__name__.lower(), step.path, seen.sha if seen else step.expect or "")
        if isinstance(step, Move):
            entry.to, entry.after = step.to, entry.before
        elif seen is not None:
            entry.kept = keep.kept_path(self.stamp, step.path, self._taken)
            self._keep_file(entry.kept, seen.data, file)
        if isinstance(step, Write):
            entry.after = sha256(step.content)
        self._entries.append(entry)

    def _keep_file(self, path: str, data: bytes, like: int | None) -> None:
        try:
            hand = self._temporary(path, data, like)
        except OSError as error:
            raise refusal(error, path) from error
        self.kept.append(Item(Write(path, data, ABSENT), hand, sha256(data)))

    def _taken(self, path: str) -> bool:
        if any(path in (item.step.path, getattr(item.step, "to", "")) for item in self.kept + self.items):
            return True
        if any(isinstance(step, Move) and step.to == path for step in self.plan.steps):
            return True
        try:
            with _folder(self.base, split(path)[0]) as fd:
                return stands((fd, split(path)[1]))
        except FileNotFoundError:
            return False


@contextlib.contextmanager
def _folder(base: int, folder: str) -> Iterator[int]:
    fd = open_folder(base, folder)
    try:
        yield fd
    finally:
        os.close(fd)


def _verdict(step: Step, seen: Seen | None) -> Displaced | Done | None:
    """What can be said of a step before it is tried: stale, or done already."""
    if isinstance(step, Move):
        return None if seen is None or step.expect in (None, seen.sha) else Displaced(step.path, seen.data)
    if seen is None:
        if isinstance(step, Remove):
            return Done(step.path, "")
        return None if step.expect in (None, ABSENT) else Displaced(step.path, None)
    if isinstance(step, Write) and seen.sha == sha256(step.content):
        return Done(step.path, seen.sha)
    return None if step.expect in (None, seen.sha) else Displaced(step.path, seen.data)
