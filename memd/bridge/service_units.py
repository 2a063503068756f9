"""The files by which a service manager runs memd: systemd user units with their drop-ins, launchd agents. Renders only.

Knows unit syntax and where units live. Never runs anything and writes nothing.
"""

from __future__ import annotations

import os
import plistlib
import re
from collections.abc import Sequence

from memd.model.config import Config
from memd.serve.places import Environ, Place, home, shared

UNITS = ("memd@.service", "memd@.socket")
_PLAIN = re.compile(r"[A-Za-z0-9:_.-]")
_DROP_IN = "vault.conf"


def instance_of(name: str) -> str:
    """A vault's name as the instance of a unit: letters of other scripts as `\\xNN`, as systemd-escape writes them."""
    kept = (c if _PLAIN.match(c) else "".join(f"\\x{byte:02x}" for byte in os.fsencode(c)) for c in name)
    whole = "".join(kept)
    return "\\x2e" + whole[1:] if whole.startswith(".") else whole


def units_of(name: str) -> tuple[str, str]:
    """(service, socket) of a vault."""
    return f"memd@{instance_of(name)}.service", f"memd@{instance_of(name)}.socket"


def label_of(name: str) -> str:
    """The launchd agent's label."""
    return f"memd.{name}"


def unit_folder(environ: Environ) -> str:
    config = environ.get("XDG_CONFIG_HOME", "")
    return os.path.join(config if os.path.isabs(config) else os.path.join(home(environ), ".config"), "systemd", "user")


def agent_file(name: str, environ: Environ) -> str:
    return os.path.join(home(environ), "Library", "LaunchAgents", label_of(name) + ".plist")


def drop_ins(name: str, environ: Environ) -> tuple[str, ...]:
    """The two files that belong to one vault alone."""
    return tuple(os.path.join(unit_folder(environ), unit + ".d", _DROP_IN) for unit in units_of(name))


def systemd(place: Place, config: Config, command: Sequence[str], environ: Environ) -> dict[str, str]:
    """path → text of every file: the two templates as they come with memd, and a drop-in of each for this vault."""
    files = {}
    for unit in UNITS:
        with open(os.path.join(shared("systemd"), unit), encoding="utf-8") as template:
            files[os.path.join(unit_folder(environ), unit)] = template.read()
    service, socket = drop_ins(place.name, environ)
    files[service] = _service(place, config, command, environ)
    files[socket] = f"[Socket]\nListenStream=\nListenStream={_escaped(_under_runtime(place.socket, environ))}\n"
    return files


def _service(place: Place, config: Config, command: Sequence[str], environ: Environ) -> str:
    writes = [place.vault, *_elsewhere(config, environ)]
    lines = ["[Unit]", f"RequiresMountsFor={quoted(place.vault)}", "", "[Service]"]
    lines += ["ExecStart=", "ExecStart=" + " ".join(quoted(word, command=True) for word in command)]
    lines += ["ReadWritePaths=" + " ".join(quoted(f"-{path}") for path in dict.fromkeys(writes))]
    if any(path == "/tmp" or path.startswith(("/tmp/", "/var/tmp/")) for path in writes):  # noqa: S108
        lines.append("PrivateTmp=no")
    return "\n".join(lines) + "\n"


def _elsewhere(config: Config, environ: Environ) -> list[str]:
    """Folders outside the vault that the config lets memd write to: the metrics file's, further sockets'."""
    files = [config.daemon.metrics_file, config.daemon.socket, *(each.path for each in config.socket)]
    whole = (os.path.join(home(environ), path[2:]) if path.startswith("~/") else path for path in files if path)
    return [os.path.dirname(path) for path in whole if os.path.isabs(path)]


def _under_runtime(socket: str, environ: Environ) -> str:
    runtime = environ.get("XDG_RUNTIME_DIR", "").rstrip("/")
    return "%t" + socket[len(runtime) :] if runtime and socket.startswith(runtime + "/") else socket


def _escaped(path: str) -> str:
    head, rest = ("%t", path[2:]) if path.startswith("%t/") else ("", path)
    return head + rest.replace("%", "%%")


def quoted(text: str, command: bool = False) -> str:
    """One word of a unit's line: specifiers (and in a command variables) stay words, quotes and backslashes are escaped."""
    plain = text.replace("%", "%%").replace("\\", "\\\\").replace('"', '\\"')
    plain = plain.replace("$", "$$") if command else plain
    return f'"{plain}"' if re.search(r"[\s\"'\\;]", text) else plain


def launchd(place: Place, command: Sequence[str]) -> bytes:
    """The agent's property list: the one that comes with memd, filled in."""
    with open(os.path.join(shared("config"), "launchd", "memd.plist"), "rb") as template:
        agent = plistlib.load(template)
    agent |= {"Label": label_of(place.name), "ProgramArguments": list(command), "StandardErrorPath": place.log}
    return plistlib.dumps(agent)
