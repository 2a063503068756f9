"""Who asks, through which socket, and what that socket allows: rights, sensitive notes, a folder, when to confirm.

`admit` is the one gate between a readable request and a handler. Knows no sockets and no notes.
"""

from __future__ import annotations

from contextvars import ContextVar

from msgspec import Struct

from memd.model.config import SocketConfig
from memd.model.errors import Refused
from memd.serve.frames import Request
from memd.serve.messages import RIGHTS, Call, Right, needed, understand

ASKER: ContextVar[object] = ContextVar("asker", default=None)
"""The connection for which something is done; None: memd itself."""


class Gate(Struct, frozen=True):
    """What one socket allows. The daemon's own socket allows everything; a `[[socket]]` says what it allows.

    `folder` limits what is seen and written ("" is the whole vault); `confirm` overrides `[agents] confirm` ("": does not).
    """

    rights: frozenset[str] = frozenset(RIGHTS)
    sensitive: bool = True
    folder: str = ""
    confirm: str = ""


class Peer(Struct, frozen=True):
    """One connection's other end; `pid` is 0 where the system does not say."""

    uid: int
    pid: int = 0
    gate: Gate = Gate()


def gate_of(config: SocketConfig) -> Gate:
    return Gate(frozenset(config.rights), config.sensitive, config.folder.strip("/"), config.confirm)


def admit(request: Request, peer: Peer, deadline: float | None = None) -> Call:
    """The request understood and allowed. Raises Refused: unknown_method, invalid_params, read_only, permission_denied."""
    call = understand(request, deadline)
    right = needed(call.method, call.params)
    if request.method != "hello" and right not in peer.gate.rights:
        raise _lacks(right, request.method)
    if getattr(call.params, "include_sensitive", False) and not peer.gate.sensitive:
        raise Refused("permission_denied", "this socket does not give sensitive notes: leave out include_sensitive")
    return call


def _lacks(right: Right, method: str) -> Refused:
    code = "permission_denied" if right == "read" else "read_only"
    return Refused(code, f"this socket has no right to {right}: {method} needs one that has", right=right)


def inside(path: str, folder: str) -> bool:
    """Whether a path is in a folder or is it; "" is the whole vault."""
    return not folder or path == folder or path.startswith(folder + "/")
