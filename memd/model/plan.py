"""What is to be done to the vault, decided before anything is done. Plain data: printable, comparable, hashable.

Knows paths, bytes and the hashes they were decided on. Never knows how a step is carried out.
"""

from __future__ import annotations

import msgspec
from msgspec import Struct

from memd.model.fingerprint import sha256

ABSENT = ""
"""As an expected hash: there must be no such file."""


class Write(Struct, frozen=True, tag="write"):
    """`content` becomes the file; `expect` is the sha256 of what it replaces, `ABSENT`, or None for whatever is there.

    `append` says that the change only adds lines, so that it may be merged with a person's save by line union.
    """

    path: str
    content: bytes
    expect: str | None = None
    append: bool = False


class Move(Struct, frozen=True, tag="move"):
    """The file keeps its bytes. Never overwrites: an occupied `to` is a displaced step."""

    path: str
    to: str
    expect: str | None = None


class Remove(Struct, frozen=True, tag="remove"):
    """The file is gone for good (purge, replaced derived files). Soft deletion is a `Move` into `.trash/memd/`."""

    path: str
    expect: str | None = None


Step = Write | Move | Remove


class Plan(Struct, frozen=True):
    """Ordered steps, why, and what they were decided on (`reads`: path, sha256). `undo` keeps what is replaced;
    `undoes` is the stamp of the plan that this one takes back."""

    steps: tuple[Step, ...] = ()
    reasons: tuple[str, ...] = ()
    reads: tuple[tuple[str, str], ...] = ()
    undo: bool = False
    undoes: str = ""

    def __bool__(self) -> bool:
        return bool(self.steps)

    @property
    def token(self) -> str:
        """The confirmation token: a function of the whole plan."""
        return sha256(msgspec.msgpack.encode(self))[:32]

    def __add__(self, other: Plan) -> Plan:
        return Plan(
            self.steps + other.steps, self.reasons + other.reasons, self.reads + other.reads, self.undo or other.undo
        )


class Done(Struct, frozen=True, tag="done"):
    """A step that was carried out; `sha256` of the file as it stands now, "" where none stands."""

    path: str
    sha256: str


class Displaced(Struct, frozen=True, tag="displaced"):
    """A step that was not carried out: the file was not what the plan expected. `found` is what is there (None: nothing)."""

    path: str
    found: bytes | None


Receipt = Done | Displaced
