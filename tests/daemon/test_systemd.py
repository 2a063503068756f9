"""A daemon under a service manager, as systemd does it: sockets passed by descriptor, states told to a notify socket."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.home import PATIENCE, Home

_PASS = (
    "import os, sys; fd = int(sys.argv[1]); os.set_inheritable(fd, True) if fd == 3 else os.dup2(fd, 3);"
    "os.environ['LISTEN_PID'] = str(os.getpid()); os.execv(sys.executable, [sys.executable, *sys.argv[2:]])"
)


class Managed(Home):
    """`told` is every line that the daemon said to its manager; `env` may have a watchdog."""

    def __init__(self, base: Path) -> None:
        super().__init__(base)
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.bind(str(base / "notify"))
        self.notify.settimeout(PATIENCE)
        self.env["NOTIFY_SOCKET"] = str(base / "notify")
        self.listening = socket.socket(socket.AF_UNIX)
        self.listening.bind(self.socket)
        self.listening.listen()

    def start(self, *options: str) -> Managed:
        """As socket activation does: descriptor 3 listens already, LISTEN_FDS says so."""
        run = ["-m", "memd", "run", "--vault", str(self.vault), "--config", str(self.config), *options]
        fd = self.listening.fileno()
        with open(self.base / "log", "ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-c", _PASS, str(fd), *run],
                env={**self.env, "LISTEN_FDS": "1"},
                pass_fds=(fd,),
                cwd=Path(__file__).parents[2],
                stdout=log,
                stderr=log,
            )
        return self

    def told(self) -> str:
        """The next thing it says."""
        return self.notify.recv(4096).decode()


@pytest.fixture
def managed(tmp_path: Path) -> Iterator[Managed]:
    home = Managed(tmp_path)
    try:
        yield home
    finally:
        home.end(signal.SIGKILL)
        home.notify.close()
        home.listening.close()


def test_a_socket_that_was_passed_is_served_and_left_alone(managed: Managed) -> None:
    """A client that came before the daemon did is answered; the daemon makes no socket of its own and removes none."""
    managed.write("a.md", "tea\n")
    early = socket.socket(socket.AF_UNIX)
    early.connect(managed.socket)
    managed.start()
    assert managed.call("hello")["vault"]["path"] == str(managed.vault.resolve())
    assert not list((managed.base / "run").rglob("*.sock"))
    assert managed.end() == 0
    assert os.path.exists(managed.socket)
    early.close()


def test_ready_watchdog_and_stopping_are_told_in_that_order(managed: Managed) -> None:
    """READY once requests are answered, WATCHDOG while it runs, STOPPING when it is told to leave."""
    managed.env["WATCHDOG_USEC"] = "1000000"
    managed.start()
    assert "READY=1" in managed.told()
    assert managed.call("hello")["server"] == "memd"
    assert "WATCHDOG=1" in managed.told()
    assert "WATCHDOG=1" in managed.told()
    process = managed.process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    said = managed.told()
    while "WATCHDOG=1" in said:
        said = managed.told()
    assert "STOPPING=1" in said
    assert process.wait(PATIENCE) == 0


def test_without_a_watchdog_none_is_fed(managed: Managed) -> None:
    """Where the manager does not watch, or watches another process, READY and STOPPING are all that is said."""
    managed.env |= {"WATCHDOG_USEC": "200000", "WATCHDOG_PID": "1"}
    managed.start()
    assert "READY=1" in managed.told()
    managed.call("memory.refresh")
    process = managed.process
    assert process is not None
    process.send_signal(signal.SIGTERM)
    assert "STOPPING=1" in managed.told()
    process.wait(PATIENCE)
