"""Whether an index folder is whole, found out before the engine opens it: its checksums, its list of segments, its stamp.

tantivy appends a CRC of the content to each segment file and replaces its list of segments (`meta.json`) at every commit
and merge. Beside the folder, memd notes what it last committed. Knows that layout; never opens an index, never repairs.
"""

from __future__ import annotations

import os
import zlib
from typing import Any

import msgspec
from msgspec import Struct

from memd.index import durable, lacks

_MAGIC = 1337
_PARTS = ("fast", "fieldnorm", "idx", "pos", "store", "term")
_CHUNK = 1 << 20


class Damaged(Exception):
    """The files are not what the engine wrote, or are of another version: the index is to be built again."""


class _Deletes(Struct):
    num_deleted_docs: int
    opstamp: int


class _Segment(Struct):
    segment_id: str
    max_doc: int
    deletes: _Deletes | None = None


class _Meta(Struct):
    segments: list[_Segment]
    opstamp: int


class _Signed(Struct):
    """What the last commit left: `count` documents at `opstamp`; a later `opstamp` in the list was not signed yet."""

    stamp: str
    opstamp: int
    count: int


def sign(folder: str, stamp: str, opstamp: int, count: int) -> None:
    """Note what was committed, beside the folder."""
    durable.put(folder + ".json", msgspec.json.encode(_Signed(stamp, opstamp, count)))


def verify(folder: str, stamp: str) -> None:
    """Raise `Damaged` unless there is no index yet, or every file is whole and of this version; OSError where the system
    has nothing to read them with."""
    if not os.path.exists(os.path.join(folder, "meta.json")):
        if os.listdir(folder) or os.path.exists(folder + ".json"):
            raise Damaged("the list of segments is gone")
        return
    meta = _load(os.path.join(folder, "meta.json"), _Meta)
    if os.path.exists(folder + ".json"):
        _signature(_load(folder + ".json", _Signed), meta, stamp)
    elif meta.segments:
        raise Damaged("there is no note of what was committed")
    for segment in meta.segments:
        for name in _files(segment):
            _checksum(os.path.join(folder, name))


def _signature(signed: _Signed, meta: _Meta, stamp: str) -> None:
    if signed.stamp != stamp:
        raise Damaged(f"made by another version ({signed.stamp})")
    count = sum(s.max_doc - (s.deletes.num_deleted_docs if s.deletes else 0) for s in meta.segments)
    if meta.opstamp < signed.opstamp or (meta.opstamp == signed.opstamp and count != signed.count):
        raise Damaged(f"{count} texts where {signed.count} were committed")


def _files(segment: _Segment) -> list[str]:
    name = segment.segment_id.replace("-", "")
    deletes = [f"{name}.{segment.deletes.opstamp}.del"] if segment.deletes else []
    return [f"{name}.{part}" for part in _PARTS] + deletes


def _load(path: str, shape: Any) -> Any:
    try:
        with open(path, "rb") as file:
            return msgspec.json.decode(file.read(), type=shape)
    except (OSError, msgspec.DecodeError, UnicodeDecodeError) as error:
        lacks.reraised(error)
        raise Damaged(f"{os.path.basename(path)}: {error}") from error


def _checksum(path: str) -> None:
    """The last eight bytes are the footer's length and a magic number; the footer is JSON with the content's CRC."""
    try:
        with open(path, "rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 8))
            tail = file.read(8)
            length, magic = int.from_bytes(tail[:4], "little"), int.from_bytes(tail[4:], "little")
            content = size - 8 - length
            if len(tail) < 8 or magic != _MAGIC or content < 0:
                raise Damaged(f"{os.path.basename(path)} has no footer")
            file.seek(content)
            said = msgspec.json.decode(file.read(length))["crc"]
            file.seek(0)
            if _crc(file, content) != said:
                raise Damaged(f"{os.path.basename(path)} is not what was written")
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
        lacks.reraised(error)
        raise Damaged(f"{os.path.basename(path)}: {error}") from error


def _crc(file: Any, size: int) -> int:
    crc = 0
    while size > 0 and (data := file.read(min(size, _CHUNK))):
        crc, size = zlib.crc32(data, crc), size - len(data)
    return crc
