"""The Python client, under the name that users import: `from memd.client import Client, AsyncClient, connect`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from memd.bridge.calls import Answer
from memd.bridge.client import Client, Event
from memd.bridge.stream import Unreachable
from memd.model.errors import Refused

if TYPE_CHECKING:
    from memd.bridge.client_async import AsyncClient

__all__ = ["Answer", "AsyncClient", "Client", "Event", "Refused", "Unreachable", "connect", "socket_of"]


def socket_of(vault: str = "", config: str = "") -> str:
    """The socket of a vault: a path, a configured name, or "" for the one the command line would take."""
    from memd.serve.places import locate

    return locate(os.environ, os.getcwd(), vault=vault, config=config).socket


def connect(vault: str = "", *, timeout: float | None = 120.0) -> Client:
    """A client of a vault's daemon; it starts none. The first call raises Unreachable where none answers."""
    return Client(socket_of(vault), timeout)


def __getattr__(name: str) -> Any:
    if name == "AsyncClient":
        from memd.bridge.client_async import AsyncClient

        return AsyncClient
    raise AttributeError(name)
