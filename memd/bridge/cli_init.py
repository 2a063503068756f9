"""`memd init`: a new vault from the template, or a folder of notes adopted as it is; then the config names it.

Overwrites nothing, adds nothing to a folder that has a note, and running it twice changes nothing.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator

import msgspec

from memd.bridge.cli_shell import Shell
from memd.model.errors import Refused
from memd.serve.places import config_folder, home, named_vaults, read_config, shared, slug

_HEADER = """# memd's settings. Every key has a default; they are listed, with what they mean, in
# {reference}

"""


def init(shell: Shell, folder: str) -> dict[str, object]:
    """What was done: vault, name, adopted, added (files), config (file written, "" where it said so already)."""
    vault = os.path.realpath(os.path.expanduser(folder))
    if vault in ("/", os.path.realpath(home(shell.environ))):
        raise Refused(
            "outside_vault",
            f"{vault} is more than a vault: give a folder for notes, `memd init {vault.rstrip('/')}/notes`",
        )
    if os.path.lexists(vault) and not os.path.isdir(vault):
        raise Refused("invalid_params", f"{vault} is no folder: give the folder that the notes are in")
    try:
        os.makedirs(vault, exist_ok=True)
        adopted = any(True for _ in notes(vault))
        added = [] if adopted else sorted(_copy(shared("vault-template"), vault))
        name, written = _name_it(shell, vault)
    except OSError as error:
        raise Refused("unavailable", f"{error.filename or vault}: {error.strerror}") from error
    return {"vault": vault, "name": name, "adopted": adopted, "added": added, "config": written}


def notes(vault: str) -> Iterator[str]:
    """Paths of notes, dot folders aside."""
    for folder, folders, files in os.walk(vault):
        folders[:] = [each for each in folders if not each.startswith(".")]
        yield from (os.path.join(folder, each) for each in files if each.lower().endswith(".md"))


def _copy(template: str, vault: str) -> Iterator[str]:
    """Copies what is not there yet; yields the paths it added."""
    for folder, _, files in os.walk(template):
        inner = os.path.relpath(folder, template)
        os.makedirs(os.path.join(vault, inner), exist_ok=True)
        for each in files:
            to = os.path.normpath(os.path.join(vault, inner, each))
            if not os.path.lexists(to):
                shutil.copyfile(os.path.join(folder, each), to)
                yield os.path.relpath(to, vault)


def _name_it(shell: Shell, vault: str) -> tuple[str, str]:
    """(the vault's name, the config file if it was written). A person's config is added to, never rewritten."""
    file = shell.options.config or os.path.join(config_folder(shell.environ), "memd.toml")
    config, _ = read_config(file)
    known = named_vaults(config, shell.environ)
    for name, path in known.items():
        if path == vault:
            return name, ""
    name, taken = slug(os.path.basename(vault)), 2
    while name in known:
        name, taken = f"{slug(os.path.basename(vault))}-{taken}", taken + 1
    try:
        block = f"[[vaults]]\nname = {_toml(name)}\npath = {_toml(vault)}\n"
    except UnicodeEncodeError:
        shell.say("the folder's name is not UTF-8, which a config cannot hold: name the vault with --vault each time")
        return name, ""
    _append(file, block)
    return name, file


def _append(file: str, block: str) -> None:
    os.makedirs(os.path.dirname(os.path.abspath(file)), mode=0o700, exist_ok=True)
    try:
        with open(file, encoding="utf-8", errors="replace") as reading:
            before = reading.read()
    except FileNotFoundError:
        before = ""
    head = "" if before else _HEADER.format(reference=os.path.join(shared("config"), "memd.toml"))
    gap = "\n" if before and not before.endswith("\n\n") else ""
    line_end = "\n" if before and not before.endswith("\n") else ""
    with open(file, "a", encoding="utf-8") as writing:
        writing.write(head + line_end + gap + block)


def _toml(text: str) -> str:
    """A TOML basic string: JSON's, which also escapes control characters; DEL as TOML wants it."""
    return msgspec.json.encode(text).decode().replace("\x7f", "\\u007f")
