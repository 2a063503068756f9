"""Cursors: opaque to callers, plain positions here."""

from __future__ import annotations

import base64
import binascii
from collections.abc import Sequence
from typing import TypeVar

import msgspec
from msgspec import Struct

from memd.model.errors import Refused

T = TypeVar("T", bound=Struct)


class Place(Struct, frozen=True, array_like=True):
    """Where a page ended: so many results came so far, `last` is the key of the last one (bytes, as names may be)."""

    position: int = 0
    last: bytes = b""


class Told(Struct, frozen=True, array_like=True):
    """The changes that were told: all from `low` to `high`, each the time of a change and its path."""

    high: tuple[float, bytes]
    low: tuple[float, bytes]


def packed(place: Struct) -> str:
    return base64.urlsafe_b64encode(msgspec.msgpack.encode(place)).decode().rstrip("=")


def unpacked(text: str, shape: type[T]) -> T:
    """Raises Refused: invalid_params."""
    try:
        return msgspec.msgpack.decode(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)), type=shape)
    except (binascii.Error, msgspec.DecodeError, ValueError):
        raise Refused("invalid_params", "this cursor is none of memd's; ask again without it") from None


def after(position: int, key: str) -> str:
    """The cursor of a page that ended with `key` as its `position`-th result."""
    return packed(Place(position, key.encode("utf-8", "surrogateescape")))


def opened(text: str) -> tuple[int, str]:
    """(position, key of the last one); (0, "") for no cursor. Raises Refused: invalid_params."""
    place = unpacked(text, Place) if text else Place()
    return max(0, place.position), place.last.decode("utf-8", "surrogateescape")


def start(keys: Sequence[str], position: int, last: str) -> int:
    """Where the next page begins among results that may have changed since."""
    return keys.index(last) + 1 if last and last in keys else min(position, len(keys))
