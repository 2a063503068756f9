"""One daemon a vault: a name that this machine's kernel keeps for the vault's real path, and a lock on its cache folder.

The name holds for daemons with other caches and homes as well, leaves no file, and keeps no disk from being unmounted.
Where there are no such names (macOS) the lock on the cache folder is all.
"""

from __future__ import annotations

import errno
import fcntl
import hashlib
import json
import os
import socket
import sys

from memd.model.errors import Refused
from memd.serve.binding import peer


class Lock:
    """Held as long as this process lives; a killed process leaves no lock behind."""

    def __init__(self, cache: str, vault: str, socket: str) -> None:
        try:
            os.makedirs(cache, mode=0o700, exist_ok=True)
            self._fd = os.open(
                os.path.join(cache, "lock"), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, 0o600
            )
        except OSError as error:
            raise Refused("unavailable", f"the cache folder {cache} cannot be used: {error.strerror}") from error
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            advice = "stop it first, or reach it with --socket"
            raise Refused("exists", f"another daemon serves {vault}{self._holder()}; {advice}") from None
        self._name = _claim(vault)
        os.truncate(self._fd, 0)
        os.pwrite(self._fd, json.dumps({"pid": os.getpid(), "socket": socket}).encode(), 0)

    def _holder(self) -> str:
        try:
            said = json.loads(os.pread(self._fd, 4096, 0))
            return f" (process {int(said['pid'])}, socket {said['socket']})"
        except (ValueError, KeyError, TypeError, OSError):
            return ""

    def release(self) -> None:
        os.close(self._fd)
        if self._name is not None:
            self._name.close()


def _claim(vault: str) -> socket.socket | None:
    """The vault's name among this user's processes. Raises Refused: exists, where another of them has it.

    A name held by another user is no lock of ours, and is passed over.
    """
    if not sys.platform.startswith("linux"):
        return None
    digest = hashlib.blake2b(os.fsencode(os.path.realpath(vault)), digest_size=16).hexdigest()
    name = f"\0memd-{os.geteuid()}-{digest}"
    holder = socket.socket(socket.AF_UNIX)
    try:
        holder.bind(name)
        holder.listen(8)
    except OSError as error:
        holder.close()
        if error.errno == errno.EADDRINUSE and (pid := _ours(name)) is not None:
            raise Refused("exists", f"another daemon serves {vault} (process {pid}); stop it first") from None
        return None
    return holder


def _ours(name: str) -> int | None:
    """The process of this user that holds a name; None where it is another user's, or gone by now."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1)
        try:
            probe.connect(name)
            who = peer(probe)
        except OSError:
            return None
    return who[1] if who is not None and who[0] == os.geteuid() else None
