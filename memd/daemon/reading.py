"""From a path to all that the indexes and the snapshot need of it: read, parsed, cut into units and passages.

Runs in a thread for a few files and in processes for many; what crosses is bytes of MessagePack. Keeps no state.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from zoneinfo import ZoneInfo

import msgspec
from msgspec import Struct

from memd.daemon import here
from memd.disk.listing import Stat
from memd.disk.paths import open_root
from memd.disk.read import read_from
from memd.form import withdrawn
from memd.form.files import moved_path
from memd.index import passages
from memd.index.port import Passage, Unit
from memd.model.note import Note
from memd.model.problem import Problem
from memd.parse import note as parser

MANY = 300
"""From so many files on, parsing in processes pays for starting them (about 0.3 s each)."""
CHUNK = 200


class How(Struct, frozen=True):
    """What reading depends on: root, the memory folder, `[vault] max_note`, the zone's key, folders of templates."""

    root: str
    folder: str
    max_note: int
    zone: str
    templates: tuple[str, ...] = ()


class Found(Struct, frozen=True):
    """One file as it stands. `state` is `read`, `gone`, `unsettled` (look again soon) or `unreadable` (what was known stands).
    `passages` is None where nobody asked for them: they are half the work of reading, and only vectors want them."""

    path: str
    state: str
    stat: Stat | None = None
    note: Note | None = None
    units: tuple[Unit, ...] = ()
    passages: tuple[Passage, ...] | None = None
    problem: Problem | None = None


class Wanted(Struct, frozen=True, array_like=True):
    """A path to read, and its stat as last known (None: new)."""

    path: str
    was: Stat | None = None


_ENCODER = msgspec.msgpack.Encoder()
_FOUND = msgspec.msgpack.Decoder(list[Found])


def read_all(
    how: How, wanted: Sequence[Wanted], processes: Callable[[], Executor], with_passages: bool = True
) -> Iterable[Found]:
    """Each wanted file, in order; by processes, which are asked for then only, where there are many."""
    if len(wanted) < MANY:
        yield from read_some(how, wanted, with_passages)
        return
    chunks = [wanted[i : i + CHUNK] for i in range(0, len(wanted), CHUNK)]
    for found in processes().map(_in_process, ((how, chunk, with_passages) for chunk in chunks)):
        yield from _FOUND.decode(found) if isinstance(found, bytes) else found


def _in_process(work: tuple[How, Sequence[Wanted], bool]) -> bytes | list[Found]:
    """MessagePack crosses fastest; a name that is not UTF-8 has no such form."""
    found = list(read_some(*work))
    try:
        return _ENCODER.encode(found)
    except UnicodeEncodeError:
        return found


def read_some(how: How, wanted: Iterable[Wanted], with_passages: bool = True) -> Iterable[Found]:
    zone = ZoneInfo(how.zone)
    try:
        base = open_root(how.root)
    except OSError as error:
        yield from (_unreadable(each.path, error.strerror or str(error)) for each in wanted)
        return
    try:
        for each in wanted:
            yield _read(how, base, each, zone, with_passages)
    finally:
        os.close(base)


def _unreadable(path: str, why: str) -> Found:
    hint = "allow memd to read it; until then what was known of it stands"
    return Found(path, "unreadable", problem=Problem("unreadable", path, 0, f"cannot be read: {why}", hint))


def _read(how: How, base: int, wanted: Wanted, zone: ZoneInfo, with_passages: bool) -> Found:
    path = wanted.path
    body = read_from(base, path, how.max_note, was=wanted.was)
    if body is None:
        return Found(path, "gone")
    if body.state == "unreadable":
        return _unreadable(path, body.reason)
    mtime = body.stat.mtime_ns / 1e9
    if body.state == "too_large":
        note = parser.title_only(path, body.stat.size, mtime)
        return _indexed(how, path, "read", body.stat, note, "", with_passages)
    note, text = parser.parse_note(path, body.data, mtime, zone, how.folder)
    state = "unsettled" if body.state == "unsettled" else "read"
    return _indexed(how, path, state, body.stat, note, text, with_passages)


def _indexed(how: How, path: str, state: str, stat: Stat, note: Note, text: str, with_passages: bool) -> Found:
    if note.problems and any(path.startswith(f"{folder}/") for folder in how.templates):
        note = msgspec.structs.replace(note, problems=())
    if is_ledger(path, how.folder):
        return Found(path, state, stat, note, passages=())
    units = passages.units(note, text)
    pieces = passages.passages(note, text, units) if with_passages else None
    return Found(path, state, stat, note, units, pieces)


def is_ledger(path: str, folder: str) -> bool:
    """Files of memory that keep order and say nothing worth finding."""
    return path in (moved_path(folder), here.path_of(folder), withdrawn.path_of(folder))
