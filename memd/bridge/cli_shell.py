"""What a command works in: its options, environment, streams, vault and client. Knows terminals; starts a daemon if allowed.

Data goes to stdout, messages for people to stderr, colour only to a terminal and never with NO_COLOR.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import Any, TextIO

import msgspec
from msgspec import Struct

from memd.bridge.client import Client
from memd.bridge.stream import Unreachable
from memd.serve.binding import answers
from memd.serve.places import Place, locate

PATIENCE = 120.0
"""Seconds that a command waits for an answer, save those that may work long."""


class Options(Struct):
    """The global options, wherever they stand on the line."""

    vault: str = ""
    socket: str = ""
    config: str = ""
    json: bool = False
    quiet: bool = False
    no_spawn: bool = False


class Shell:
    def __init__(
        self,
        options: Options,
        environ: Mapping[str, str] | None = None,
        out: TextIO | None = None,
        err: TextIO | None = None,
    ) -> None:
        self.options = options
        self.environ = os.environ if environ is None else environ
        self.out = out or sys.stdout
        self.err = err or sys.stderr
        self._client: Client | None = None
        self._place: Place | None = None

    @property
    def place(self) -> Place:
        """The vault that is meant. Raises Refused where none is."""
        if self._place is None:
            named = self.options
            self._place = locate(self.environ, os.getcwd(), named.vault, named.socket, named.config)
        return self._place

    def client(self, timeout: float | None = PATIENCE) -> Client:
        """A client of the vault's daemon, which is started if none answers. Raises Unreachable where that may not be."""
        if self._client is None:
            self._client = Client(self.answering(), timeout)
        return self._client

    def answering(self) -> str:
        """The socket of the vault's daemon, which is started if none answers. Raises Unreachable where that may not be."""
        if not answers(self.place.socket):
            self._start()
        return self.place.socket

    def _start(self) -> None:
        from memd.bridge.cli_spawn import start

        if self.options.no_spawn:
            raise Unreachable(f"no daemon answers at {self.place.socket}: start one with `memd run`")
        start(self)

    def call(self, method: str, params: dict[str, Any], timeout: float | None = PATIENCE) -> dict[str, Any]:
        return self.client(timeout).call(method, params)

    # words out

    @property
    def terminal(self) -> bool:
        return self.out.isatty() and self.environ.get("TERM", "") != "dumb"

    def paint(self, text: str, style: str, stream: TextIO | None = None) -> str:
        """The text in an ANSI style (`1` bold, `2` dim, `31` red…) where that is wanted."""
        to = stream or self.out
        plain = self.environ.get("NO_COLOR") or self.environ.get("TERM") == "dumb" or not to.isatty()
        return text if plain else f"\x1b[{style}m{text}\x1b[0m"

    def say(self, message: str) -> None:
        """A message for a person, after what was printed before it."""
        if not self.options.quiet:
            self.out.flush()
            print(safe(message), file=self.err, flush=True)

    def complain(self, message: str) -> None:
        """What went wrong: said even with --quiet."""
        print(f"{self.paint('memd:', '31', self.err)} {safe(message)}", file=self.err, flush=True)

    def print(self, text: str = "") -> None:
        print(text, file=self.out)

    def print_json(self, value: Any) -> None:
        raw = msgspec.json.encode(value)
        text = safe(msgspec.json.format(raw, indent=2).decode()) if self.out.isatty() else raw.decode()
        print(text, file=self.out, flush=True)


_DIRECTION = (0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
_CONTROL = dict.fromkeys((*range(32), *range(127, 160), *_DIRECTION), "�")
_CONTROL[0x0A] = "\n"
_CONTROL[0x09] = "\t"


def safe(text: str) -> str:
    """Text that cannot steer a terminal: control characters and direction overrides of a title are made visible."""
    return text.translate(_CONTROL)
