"""One daemon a vault: a lock on the vault's cache folder, with a word on who holds it."""

from __future__ import annotations

import fcntl
import json
import os

from memd.model.errors import Refused


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
            raise Refused("exists", f"another daemon serves {vault}{self._holder()}; stop it first") from None
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
