"""One blocking connection to a daemon: frames out, replies in. Knows the socket; never knows methods or retries."""

from __future__ import annotations

import select
import socket
from typing import Any

from memd.model.errors import CODES, Refused
from memd.serve.binding import PATH_LIMIT
from memd.serve.frames import ANSWER_LIMIT, Fault, Inbox, Reply, read_reply, request


class Unreachable(ConnectionError):
    """No daemon answers at the socket, or it went away before it answered."""


class Stream:
    """Connects when made. Raises Unreachable; TimeoutError where nothing comes for `timeout` seconds (None: waits)."""

    def __init__(self, path: str, timeout: float | None) -> None:
        self._inbox = Inbox(ANSWER_LIMIT)
        self._socket = socket.socket(socket.AF_UNIX)
        self._timeout = timeout
        self._socket.settimeout(timeout)
        try:
            self._socket.connect(path)
        except TimeoutError:
            self.close()
            raise
        except OSError as error:
            self.close()
            long = f" (over {PATH_LIMIT} bytes)" if len(path.encode(errors="surrogateescape")) > PATH_LIMIT else ""
            raise Unreachable(f"no daemon answers at {path}{long}") from error

    def send(self, id: int, method: str, params: dict[str, Any], deadline_ms: int | None = None) -> None:
        try:
            frame = request(id, method, params, deadline_ms)
        except ValueError as error:
            raise Refused("too_large", str(error)) from error
        try:
            self._push(memoryview(frame))
        except TimeoutError:
            raise
        except OSError as error:
            raise Unreachable("the daemon hung up") from error

    def _push(self, left: memoryview) -> None:
        """Sends while it reads what comes meanwhile: a daemon may wait for us to read before it reads on."""
        ready = select.poll()
        ready.register(self._socket, select.POLLIN | select.POLLOUT)
        patience = None if self._timeout is None else self._timeout * 1000
        while left:
            found = ready.poll(patience)
            if not found:
                raise TimeoutError("the daemon does not read")
            if found[0][1] & select.POLLOUT:
                left = left[self._socket.send(left) :]
            else:
                self._pull()

    def _pull(self) -> None:
        data = self._socket.recv(262_144)
        if not data:
            raise Unreachable("the daemon hung up")
        self._inbox.feed(data)

    def receive(self) -> Reply:
        """The next answer or event."""
        while (body := self._inbox.take()) is None:
            try:
                self._pull()
            except TimeoutError:
                raise
            except OSError as error:
                raise Unreachable("the daemon hung up") from error
        reply = body if isinstance(body, Fault) else read_reply(body)
        if isinstance(reply, Fault):
            raise Refused(reply.code, reply.message)
        return reply

    def close(self) -> None:
        self._socket.close()


def refused(error: dict[str, Any]) -> Refused:
    """An answer's `error` as the exception; a code that a newer daemon may have is `internal` to this client."""
    code, message, data = error.get("code", ""), str(error.get("message", "")), error.get("data") or {}
    data = {key: value for key, value in data.items() if key not in ("code", "message", "self")}
    return Refused(code if code in CODES else "internal", message, **data)
