"""What Obsidian's own settings say of a vault: excluded files and the folders that hold templates.

Knows two or three small JSON files under `.obsidian/`. Never writes there. Settings that cannot be read are problems.
"""

from __future__ import annotations

import os
from typing import Any

import msgspec
from msgspec import Struct

from memd.disk.paths import open_beneath, open_root
from memd.model.errors import Refused
from memd.model.problem import Problem

_LIMIT = 1 << 20
_APP = ".obsidian/app.json"
_TEMPLATES = (
    (".obsidian/templates.json", "folder"),
    (".obsidian/plugins/templater-obsidian/data.json", "templates_folder"),
)


class Obsidian(Struct, frozen=True):
    """`filters` as `disk.ignore.Ignore` takes them; `templates` are folders without a closing slash."""

    filters: tuple[str, ...] = ()
    templates: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def settings(root: str) -> Obsidian:
    """The settings as they stand; a vault that Obsidian never opened has none. Never raises."""
    problems: list[Problem] = []
    filters = _load(root, _APP, problems).get("userIgnoreFilters")
    folders = [_load(root, path, problems).get(key) for path, key in _TEMPLATES]
    return Obsidian(
        tuple(f for f in filters if isinstance(f, str)) if isinstance(filters, list) else (),
        tuple(dict.fromkeys(f.strip("/") for f in folders if isinstance(f, str) and f.strip("/"))),
        tuple(problems),
    )


def _load(root: str, path: str, problems: list[Problem]) -> dict[str, Any]:
    try:
        data = _bytes(root, path)
        value = msgspec.json.decode(data) if data else {}
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, Refused, msgspec.DecodeError, RecursionError) as error:
        hint = "open the vault in Obsidian and save the setting again"
        problems.append(Problem("obsidian_settings", path, 0, f"cannot be read: {error}", hint))
        return {}
    return value if isinstance(value, dict) else {}


def _bytes(root: str, path: str) -> bytes:
    base = open_root(root)
    try:
        fd = open_beneath(base, path, os.O_RDONLY | os.O_NONBLOCK)
    finally:
        os.close(base)
    with os.fdopen(fd, "rb") as file:
        return file.read(_LIMIT)
