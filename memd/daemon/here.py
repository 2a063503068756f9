"""Which device forms memory on a schedule, where several share one synced folder: `memory/_formation.md` names it.

Every device answers, takes in and forms on demand; only the scheduled work has one home. Pure text, but for this machine's name.
"""

from __future__ import annotations

import hashlib
import socket

from memd.model.config import FormationConfig
from memd.model.plan import ABSENT, Write
from memd.parse import render


def path_of(folder: str) -> str:
    return f"{folder}/_formation.md"


def device(root: str) -> str:
    """This device's name: the host's, and four digits for the folder, as one host may hold two copies of a vault."""
    return (
        f"{socket.gethostname() or 'device'}-{hashlib.sha256(root.encode('utf-8', 'surrogateescape')).hexdigest()[:4]}"
    )


def forms(config: FormationConfig, named: str, this: str) -> bool:
    """Whether this device does the scheduled work. `named`: who stands in the file, "" where nobody does yet."""
    return config.here if isinstance(config.here, bool) else named in ("", this)


def claim(config: FormationConfig, named: str, this: str) -> Write | None:
    """The file that names this device, where none is named and the config leaves it open."""
    if isinstance(config.here, bool) or named:
        return None
    body = "The device named above does the scheduled work of memory. To move it, write another one's name there.\n"
    keys = {"title": "Where memory is formed", "type": "formation", "device": this, "origin": "memd"}
    return Write(path_of(config.folder), render.file(keys, body), ABSENT)
