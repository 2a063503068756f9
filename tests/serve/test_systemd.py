"""What systemd passes and hears."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from memd.serve.systemd import inherited, notify, watchdog_seconds


def test_sockets_passed_to_this_process_are_taken(tmp_path: Path) -> None:
    """A listening socket at descriptor 3 is served, and the variables are gone for children."""
    path = tmp_path / "s"
    program = (
        "import os; from memd.serve.systemd import inherited;"
        "environ = {'LISTEN_PID': str(os.getpid()), 'LISTEN_FDS': '1', 'LISTEN_FDNAMES': 'memd.socket'};"
        "[s] = inherited(environ); print(s.getsockname(), environ, os.get_inheritable(3))"
    )
    with socket.socket(socket.AF_UNIX) as passed:
        passed.bind(str(path))
        passed.listen()
        wrapper = f"import os, sys; os.dup2({passed.fileno()}, 3); os.execv(sys.executable, [sys.executable, '-c', sys.argv[1]])"
        told = subprocess.run(
            [sys.executable, "-c", wrapper, program],
            pass_fds=(passed.fileno(), 3),
            capture_output=True,
            text=True,
            check=True,
        )
    assert told.stdout.strip() == f"{path} {{}} False"


@pytest.mark.parametrize(
    "environ", [{}, {"LISTEN_PID": "1", "LISTEN_FDS": "1"}, {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "x"}]
)
def test_sockets_of_another_process_are_not_taken(environ: dict[str, str]) -> None:
    """Without the variables, or with another process's, there are none."""
    assert inherited(environ) == []


@pytest.mark.parametrize("abstract", [False, True])
def test_readiness_is_heard(tmp_path: Path, *, abstract: bool) -> None:
    """READY and STATUS arrive as one datagram, on a path and on an abstract socket."""
    address = f"@memd-test-{os.getpid()}" if abstract else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind("\0" + address[1:] if abstract else address)
        listening.settimeout(5)
        assert notify({"NOTIFY_SOCKET": address}, "READY=1", "STATUS=ready")
        assert listening.recv(100) == b"READY=1\nSTATUS=ready"


def test_where_nobody_listens_nothing_happens(tmp_path: Path) -> None:
    """No variable, or a dead socket: False, no error."""
    assert not notify({}, "READY=1")
    assert not notify({"NOTIFY_SOCKET": str(tmp_path / "gone")}, "READY=1")


@pytest.mark.parametrize(
    ("environ", "seconds"),
    [
        ({"WATCHDOG_USEC": "30000000"}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({}, None),
    ],
)
def test_the_watchdog_is_fed_twice_as_often_as_it_asks(environ: dict[str, str], seconds: float | None) -> None:
    """Half of WATCHDOG_USEC, only where this process is meant."""
    assert watchdog_seconds(environ) == seconds
