"""A daemon where none answers: through the service manager where a unit is installed, else in the background.

Knows how to start and when it is up: `hello` answers. Never knows what a daemon does. Its log is in the state folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING

from memd.bridge.stream import Stream, Unreachable
from memd.model.errors import Refused
from memd.serve.binding import answers
from memd.serve.places import Environ, Place, read_config

if TYPE_CHECKING:
    from memd.bridge.cli_shell import Shell

PATIENCE = 60.0
"""Seconds for a daemon to say hello."""


def start(shell: Shell) -> None:
    """Returns when the vault's daemon answers. Raises Unreachable where none may be started or it does not come up."""
    place = shell.place
    if not place.vault:
        raise Unreachable(f"no daemon answers at {place.socket}: name the vault too (--vault), and one is started")
    if not os.path.isdir(place.vault):
        raise Refused("not_found", f"{place.vault} is not a folder: `memd init {place.vault}` makes a vault")
    config, _ = read_config(place.config)
    if not config.daemon.spawn:
        raise Unreachable(f"no daemon answers at {place.socket} and [daemon] spawn is false: start one with `memd run`")
    if not shell.options.socket and _by_service(place, shell.environ) and _wait(place, None, PATIENCE / 4):
        return
    child = _in_background(shell, config.daemon.idle_exit)
    if not _wait(place, child, PATIENCE):
        raise Unreachable(f"the daemon did not come up: {_last_words(place.log)}")


def _by_service(place: Place, environ: Environ) -> bool:
    """Asks the user's service manager, where a unit for this vault is installed; False where that was not possible."""
    from memd.bridge.service_units import agent_file, drop_ins, label_of, units_of

    if os.path.exists(drop_ins(place.name, environ)[0]) and shutil.which("systemctl"):
        command = ["systemctl", "--user", "start", units_of(place.name)[0]]
    elif sys.platform == "darwin" and os.path.exists(agent_file(place.name, environ)):
        command = ["launchctl", "kickstart", f"gui/{os.getuid()}/{label_of(place.name)}"]
    else:
        return False
    return subprocess.run(command, capture_output=True, check=False, env=dict(environ)).returncode == 0


def _in_background(shell: Shell, idle_exit: int) -> subprocess.Popen[bytes]:
    """`memd run` in a session of its own; `-P`: a module in the folder somebody stands in is never imported."""
    place = shell.place
    command = [sys.executable, "-P", "-m", "memd", "run", "--vault", place.vault, "--socket", place.socket]
    command += ["--idle-exit", str(idle_exit)]
    if shell.options.config:
        command += ["--config", place.config]
    os.makedirs(os.path.dirname(place.log), mode=0o700, exist_ok=True)
    log = os.open(place.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_CLOEXEC, 0o600)
    try:
        shell.say("starting the daemon…")
        return subprocess.Popen(
            command,
            env=dict(shell.environ),
            cwd="/",
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    finally:
        os.close(log)


def _wait(place: Place, child: subprocess.Popen[bytes] | None, patience: float) -> bool:
    """Whether hello is answered in time. A child that ends may have lost to another daemon: that one gets 2 s more."""
    end, step = time.monotonic() + patience, 0.005
    ended = False
    while time.monotonic() < end:
        if answers(place.socket) and _greets(place.socket):
            return True
        if child is not None and child.poll() is not None and not ended:
            ended, end = True, min(end, time.monotonic() + 2.0)
        time.sleep(step)
        step = min(0.1, step * 1.5)
    return False


def _greets(socket: str) -> bool:
    try:
        stream = Stream(socket, PATIENCE)
    except (Unreachable, TimeoutError):
        return False
    try:
        stream.send(1, "hello", {"client": "memd"})
        return stream.receive().ok
    except (Unreachable, TimeoutError, Refused):
        return False
    finally:
        stream.close()


def _last_words(log: str) -> str:
    try:
        with open(log, "rb") as file:
            lines = file.read()[-2000:].decode("utf-8", "replace").split("\n")
    except OSError:
        lines = []
    said = [line for line in lines if line.strip()]
    return f"{said[-1][-400:]} (its log: {log})" if said else f"its log is {log}"
