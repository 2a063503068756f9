"""What systemd hands to a service and wants to hear: sockets by LISTEN_FDS, readiness and watchdog by NOTIFY_SOCKET.

Knows the documented environment variables and nothing of memd. Everywhere else than under systemd it does nothing.
"""

from __future__ import annotations

import os
import socket
from collections.abc import MutableMapping

_FIRST = 3


def inherited(environ: MutableMapping[str, str]) -> list[socket.socket]:
    """Listening Unix sockets passed to this process; the variables are taken out, so that no child thinks they are its own."""
    pid, count = environ.pop("LISTEN_PID", ""), environ.pop("LISTEN_FDS", "")
    environ.pop("LISTEN_FDNAMES", None)
    if pid != str(os.getpid()) or not count.isdigit():
        return []
    found = []
    for descriptor in range(_FIRST, _FIRST + int(count)):
        os.set_inheritable(descriptor, False)
        given = socket.socket(fileno=descriptor)
        if given.family == socket.AF_UNIX and given.getsockopt(socket.SOL_SOCKET, socket.SO_ACCEPTCONN):
            given.setblocking(False)
            found.append(given)
        else:
            given.close()
    return found


def notify(environ: MutableMapping[str, str], *lines: str) -> bool:
    """`READY=1`, `STOPPING=1`, `WATCHDOG=1`, `STATUS=…` to whoever started us; False where nobody listens."""
    address = environ.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    if address.startswith("@"):
        address = "\0" + address[1:]
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as speaking:
            speaking.connect(address)
            speaking.sendall("\n".join(lines).encode())
    except OSError:
        return False
    return True


def watchdog_seconds(environ: MutableMapping[str, str]) -> float | None:
    """How often to say `WATCHDOG=1`: half of what the unit allows; None where no watchdog watches this process."""
    allowed, pid = environ.get("WATCHDOG_USEC", ""), environ.get("WATCHDOG_PID", "")
    if not allowed.isdigit() or int(allowed) == 0 or pid not in ("", str(os.getpid())):
        return None
    return int(allowed) / 2_000_000
