"""What a process and its children cost, from /proc; which files somebody opens, from inotify; how long a command takes."""

from __future__ import annotations

import ctypes
import os
import select
import struct
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
IN_OPEN, IN_ISDIR, IN_NONBLOCK = 0x20, 0x40000000, 0o4000


def tree(pid: int) -> list[int]:
    """A process and all below it that still live."""
    parents: dict[int, list[int]] = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit() and (fields := _stat(int(entry))):
            parents.setdefault(int(fields[1]), []).append(int(entry))
    found = [pid]
    for each in found:
        found += parents.get(each, [])
    return found


def _stat(pid: int) -> list[str]:
    """The fields of /proc/PID/stat from the state on; empty for a process that is gone."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def cpu(pid: int) -> float:
    """Seconds of CPU, of children that live and of those that were waited for too."""
    stats = [fields for each in tree(pid) if (fields := _stat(each))]
    return sum(sum(map(int, fields[11:15])) for fields in stats) / TICKS


def rest(pid: int, patience: float = 120.0) -> None:
    """Waits until it does nothing: until a second costs less than a tenth of one."""
    before, end = cpu(pid), time.monotonic() + patience
    while time.monotonic() < end:
        time.sleep(1.0)
        now = cpu(pid)
        if now - before < 0.1:
            return
        before = now


def memory(pid: int) -> int:
    """Resident bytes of a process and its children; what they share is counted once (Pss)."""
    return sum(_pss(each) for each in tree(pid))


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _pss(pid: int) -> int:
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))


def timed(argv: Sequence[str], env: Mapping[str, str], rounds: int) -> tuple[float, float]:
    """(median seconds, median CPU seconds) of a command."""
    walls, cpus = [], []
    for _ in range(rounds):
        before, began = os.times(), time.perf_counter()
        subprocess.run(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        walls.append(time.perf_counter() - began)
        after = os.times()
        cpus.append(after.children_user + after.children_system - before.children_user - before.children_system)
    return sorted(walls)[rounds // 2], sorted(cpus)[rounds // 2]


class Opened:
    """How many times files below a folder were opened since `since_then`."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def count(self) -> int:
        total = 0
        while select.select([self._descriptor], [], [], 0)[0]:
            data, at = os.read(self._descriptor, 1 << 20), 0
            while at < len(data):
                _, mask, _, length = struct.unpack_from("iIII", data, at)
                total += bool(mask & IN_OPEN) and not mask & IN_ISDIR
                at += 16 + length
        return total


@contextmanager
def opened(folder: Path) -> Iterator[Opened]:
    """Watches every open below a folder: the proof that bodies were not read."""
    libc = ctypes.CDLL(None, use_errno=True)
    descriptor = libc.inotify_init1(IN_NONBLOCK)
    for where, _, _ in os.walk(folder):
        if libc.inotify_add_watch(descriptor, os.fsencode(where), IN_OPEN) < 0:
            raise OSError(ctypes.get_errno(), f"inotify_add_watch {where}")
    try:
        yield Opened(descriptor)
    finally:
        os.close(descriptor)


def size(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())
