"""`memd service install|uninstall|status`: a vault's daemon under systemd's user manager, or launchd's, and what was done."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import Any

from msgspec import Struct

from memd.bridge.cli_arguments import options_of, parser_for
from memd.bridge.cli_shell import Shell
from memd.bridge.cli_words import OWN
from memd.bridge.service_units import (
    UNITS,
    agent_file,
    drop_ins,
    label_of,
    launchd,
    systemd,
    unit_folder,
    units_of,
)
from memd.model.errors import Refused
from memd.serve.places import read_config

ACTIONS = ("install", "uninstall", "status")


class Did(Struct):
    """What was done, in order: files, commands that were run, and what went wrong (the commands' own words)."""

    wrote: list[str] = []
    removed: list[str] = []
    ran: list[str] = []
    failed: list[str] = []


def service(word: str, argv: list[str]) -> int:
    """Exit 1 where the service manager refused something; what was done until then is told."""
    parser = parser_for(word, OWN[word].doc)
    parser.add_argument("action", choices=ACTIONS)
    parser.add_argument("--dry-run", action="store_true", help="print the files, change nothing")
    parsed = parser.parse_args(argv)
    shell = Shell(options_of(parsed))
    if not shell.place.vault:
        raise Refused("not_found", "name the vault, not only its socket: a service runs over a folder")
    if parsed.action == "status":
        return _status(shell)
    if parsed.dry_run:
        return _show(shell, parsed.action)
    did = Did()
    try:
        (_install if parsed.action == "install" else _uninstall)(shell, did)
    except OSError as error:
        raise Refused("unavailable", f"{error.filename}: {error.strerror}") from error
    return _tell(shell, did)


def _files(shell: Shell) -> dict[str, bytes]:
    """path → content of what an installation consists of."""
    place = shell.place
    command = [sys.executable, "-P", "-m", "memd", "run", "--vault", place.vault]
    command += ["--config", place.config] if shell.options.config else []
    if sys.platform == "darwin":
        command += ["--socket", place.socket]
        return {agent_file(place.name, shell.environ): launchd(place, command)}
    config, _ = read_config(place.config)
    texts = systemd(place, config, command, shell.environ)
    return {path: os.fsencode(text) for path, text in texts.items()}


def _install(shell: Shell, did: Did) -> None:
    _manager()
    for path, content in _files(shell).items():
        if _write(path, content):
            did.wrote.append(path)
    name = shell.place.name
    if sys.platform == "darwin":
        _run(did, "launchctl", "bootout", f"gui/{os.getuid()}/{label_of(name)}", quietly=True)
        _run(did, "launchctl", "bootstrap", f"gui/{os.getuid()}", agent_file(name, shell.environ))
        return
    _run(did, "systemctl", "--user", "daemon-reload")
    service, socket = units_of(name)
    _run(did, "systemctl", "--user", "enable", "--now", socket, service)


def _uninstall(shell: Shell, did: Did) -> None:
    _manager()
    name, environ = shell.place.name, shell.environ
    if sys.platform == "darwin":
        _run(did, "launchctl", "bootout", f"gui/{os.getuid()}/{label_of(name)}", quietly=True)
        _remove(did, agent_file(name, environ))
        return
    own = drop_ins(name, environ)
    if not any(map(os.path.exists, own)):
        raise Refused("not_found", f"no unit is installed for the vault {name!r}; `memd service install` does it")
    service, socket = units_of(name)
    _run(did, "systemctl", "--user", "disable", "--now", socket, service)
    for path in own:
        _remove(did, path)
        if not os.listdir(os.path.dirname(path)):
            os.rmdir(os.path.dirname(path))
    folder = unit_folder(environ)
    if not any(each.startswith("memd@") and each.endswith(".d") for each in os.listdir(folder)):
        for unit in UNITS:
            _remove(did, os.path.join(folder, unit))
    _run(did, "systemctl", "--user", "daemon-reload")


def _manager() -> str:
    """The service manager's command. Raises Refused where there is none."""
    name = "launchctl" if sys.platform == "darwin" else "systemctl"
    found = shutil.which(name)
    if found is None:
        raise Refused("unavailable", f"there is no {name} here: start `memd run` from what starts your other programs")
    return found


def _write(path: str, content: bytes) -> bool:
    """False where it was so already."""
    try:
        with open(path, "rb") as file:
            if file.read() == content:
                return False
    except FileNotFoundError:
        os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)
    return True


def _remove(did: Did, path: str) -> None:
    if os.path.exists(path):
        os.remove(path)
        did.removed.append(path)


def _run(did: Did, *command: str, quietly: bool = False) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    did.ran.append(" ".join(command))
    if done.returncode and not quietly:
        did.failed.append(f"{' '.join(command)}: {done.stderr.strip() or f'exit {done.returncode}'}")


def _tell(shell: Shell, did: Did) -> int:
    if shell.options.json:
        shell.print_json(did)
        return int(bool(did.failed))
    for path in did.wrote:
        shell.say(f"wrote {path}")
    for path in did.removed:
        shell.say(f"removed {path}")
    for command in did.ran:
        shell.say(f"ran {command}")
    for words in did.failed:
        shell.complain(words)
    return int(bool(did.failed))


def _show(shell: Shell, action: str) -> int:
    """The files of an installation, as they would be written or removed."""
    files = _files(shell)
    if shell.options.json:
        shell.print_json({"action": action, "files": {path: os.fsdecode(text) for path, text in files.items()}})
        return 0
    for path, content in files.items():
        shell.print(f"# {path}")
        shell.print(os.fsdecode(content))
    return 0


def _status(shell: Shell) -> int:
    """Whether it is installed, on, and running; exit 1 where it is not running."""
    name, environ = shell.place.name, shell.environ
    found: dict[str, Any]
    if sys.platform == "darwin":
        file = agent_file(name, environ)
        running, _ = _says("launchctl", "print", f"gui/{os.getuid()}/{label_of(name)}")
        found = {"agent": label_of(name), "installed": os.path.exists(file), "running": running}
    else:
        service, socket = units_of(name)
        installed = all(map(os.path.exists, drop_ins(name, environ)))
        _, enabled = _says("systemctl", "--user", "is-enabled", service)
        _, active = _says("systemctl", "--user", "is-active", service)
        _, listens = _says("systemctl", "--user", "is-active", socket)
        states = {"enabled": enabled, "active": active, "socket": listens}
        found = {"unit": service, "installed": installed, **states, "running": active == "active"}
    if shell.options.json:
        shell.print_json(found)
    else:
        shell.print(_in_words(found))
    return 0 if found["running"] else 1


def _in_words(found: dict[str, Any]) -> str:
    """One line, like `memd@work.service: installed, enabled, active; its socket is active`."""
    name = found.get("agent") or found["unit"]
    if not found["installed"]:
        return f"{name}: not installed; `memd service install` does it"
    if "agent" in found:
        return f"{name}: installed, {'running' if found['running'] else 'not running'}"
    return f"{name}: installed, {found['enabled']}, {found['active']}; its socket is {found['socket']}"


def _says(*command: str) -> tuple[bool, str]:
    """Whether the manager agrees, and its word for it: of a failure the first line."""
    if shutil.which(command[0]) is None:
        return False, "unavailable"
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    said = (done.stdout.strip() or done.stderr.strip()).split("\n")[0]
    return done.returncode == 0, said or ("" if done.returncode == 0 else "unknown")
