"""The one writer of the vault (design 1.3): plans in, receipts out.

Synchronous, for one thread. Reports facts (`Done`, `Displaced`), merges nothing. Never knows what a note means.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator

from memd.disk import keep, sweep
from memd.disk.aside import HOLD, HOLD_UNKNOWN, Asides, Late, prune
from memd.disk.exchange import Way, probe
from memd.disk.paths import check, open_folder, open_root, owned
from memd.disk.prepare import Preparation
from memd.disk.publish import publish
from memd.disk.quiet import look
from memd.disk.refusal import refusal
from memd.disk.root import Identity
from memd.disk.site import split
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Displaced, Done, Move, Plan, Receipt, Write
from memd.model.problem import Problem


class Writer:
    """`way`: None lets a probe decide, once a device, how files are exchanged. `clock`: seconds that never go back.

    The folder that stands at `root` now is the vault; when another stands there, every write is refused.
    """

    def __init__(
        self,
        root: str,
        *,
        way: Way | None = None,
        clock: Callable[[], float] = time.monotonic,
        hold: float = HOLD,
        unknown: float = HOLD_UNKNOWN,
    ) -> None:
        self.root = root
        self._way = way
        self._ways: dict[int, Way] = {}
        self._asides = Asides(clock, hold, unknown)
        self._noted: list[Problem] = []
        st = os.stat(root)
        self._identity = Identity(st.st_dev, st.st_ino)

    @property
    def holding(self) -> int:
        """How many displaced files wait for `settle`."""
        return len(self._asides)

    def apply(self, plan: Plan, stamp: str = "") -> tuple[Receipt, ...]:
        """Carries the plan out, in order; on disk when this returns. `stamp` names the undo record of `plan.undo`.

        One receipt a step. A step that found something else gives `Displaced`, and nothing after it is tried; where
        that shows before the first step, it is the only receipt and nothing was done. `Done` of a move names where the
        file is now. A step whose result stands already is `Done`: a plan may be applied again.

        Raises Refused: `outside_vault`, `permission_denied`, `unavailable`, `conflict`, `invalid_params`, `too_large`,
        `busy`; with nothing done, or with the paths that were in `data["done"]`.
        """
        for step in plan.steps:
            check(step.path, own=True)
            if isinstance(step, Move):
                check(step.to, own=True)
        if plan.undo and plan.steps:
            keep.check_stamp(stamp)
        with self._base() as base:
            ready = Preparation(base, plan, stamp)
            try:
                if stale := ready.stage():
                    return (stale,)
                receipts = publish(ready, self._way_of, self._asides)
            finally:
                ready.discard()
                self._noted += ready.noted
            self._tidy(base, plan, receipts)
        return receipts

    def stale(self, plan: Plan) -> tuple[Displaced, ...]:
        """The reads of a plan that are no longer what it was decided on."""
        found: list[Displaced] = []
        with self._base() as base:
            for path, sha in plan.reads:
                data = _bytes(base, check(path, own=True))
                if (sha256(data) if data is not None else ABSENT) != sha:
                    found.append(Displaced(path, data))
        return tuple(found)

    def settle(self, stamp: str, *, now: bool = False) -> tuple[Late, ...]:
        """Lets go of displaced files that nobody writes; a save found in one is kept in `.conflict/` and told.

        To be called every second or so while `holding`. `now`: without waiting, before a purge is proved or at the
        end; what somebody still has open stays on disk and is found by the next `sweep`.
        """
        if not self.holding:
            return ()
        with self._base() as base:
            return self._asides.settle(base, self._keep(base, stamp), now=now)

    def sweep(self, strays: Iterable[str], stamp: str) -> tuple[Late, ...]:
        """Deals with what a crash left: `strays` of a whole listing, and memd's own folders. To be called at start, and
        when strays are found later: a folder that is moved takes along what was displaced in it.

        Unfinished files are deleted; a save that was displaced goes back to its place or to `.conflict/`, and is told.
        """
        with self._base() as base:
            paths = [*strays, *sweep.own_strays(base)]
            sweep.sweep(base, paths, self._asides)
        return self.settle(stamp)

    def problems(self) -> tuple[Problem, ...]:
        """What was met on the way since the last call: names that were hard links of one file."""
        noted, self._noted = self._noted, []
        return tuple(noted)

    def _keep(self, base: int, stamp: str) -> Callable[[str, bytes, str], str]:
        """Keeps a person's version that lost: in the place `kept` before, or in a new one."""

        def keep_one(path: str, data: bytes, kept: str) -> str:
            while True:
                to = kept or keep.conflict_path(
                    path, "human", stamp, lambda name: _bytes(base, name) not in (None, data)
                )
                write = Write(to, data, None if kept else ABSENT)
                if isinstance(self._own(base, write), Done):
                    return to

        return keep_one

    def _own(self, base: int, write: Write) -> Receipt:
        ready = Preparation(base, Plan((write,)), "")
        try:
            stale = ready.stage()
            return stale or publish(ready, self._way_of, self._asides)[0]
        finally:
            ready.discard()

    def _tidy(self, base: int, plan: Plan, receipts: tuple[Receipt, ...]) -> None:
        """A folder of memd's own from which the last file was taken goes."""
        for step, receipt in zip(plan.steps, receipts, strict=False):
            if not isinstance(step, Write) and isinstance(receipt, Done) and owned(step.path):
                prune(base, split(step.path)[0])

    def _way_of(self, fd: int) -> Way:
        if self._way:
            return self._way
        dev = os.fstat(fd).st_dev
        if dev not in self._ways:
            self._ways[dev] = probe(fd)
        return self._ways[dev]

    @contextlib.contextmanager
    def _base(self) -> Iterator[int]:
        try:
            base = open_root(self.root)
        except OSError as error:
            raise Refused(
                "unavailable", f"the vault cannot be opened ({error.strerror}); mount or restore it"
            ) from error
        try:
            st = os.fstat(base)
            if Identity(st.st_dev, st.st_ino) != self._identity:
                raise Refused("unavailable", "another folder stands where the vault was; mount its disk, or accept it")
            yield base
        finally:
            os.close(base)


def _bytes(base: int, path: str) -> bytes | None:
    folder, name = split(path)
    try:
        fd = open_folder(base, folder)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise refusal(error, path) from error
    try:
        seen = look(fd, name)
    except FileNotFoundError:
        return None
    finally:
        os.close(fd)
    return seen.data if seen else b""


__all__ = ["Late", "Writer"]
