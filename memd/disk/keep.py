"""What memd keeps of what it replaces: versions for undo under `.trash/memd/<stamp>/`, saves that lost in `.conflict/`.

Knows names and the manifest `plan.json`. Never decides what to restore.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable

import msgspec
from msgspec import Struct

from memd.disk.paths import CONFLICT, MANIFEST, NAME_MAX, TRASH, open_folder, open_root, show
from memd.disk.read import read
from memd.model.errors import Refused
from memd.model.plan import ABSENT, Move, Plan, Remove, Step, Write

LIMIT = 1 << 28
_STAMP = re.compile(r"[\w+-][\w.:+-]{0,99}", re.ASCII)
_PLAIN = re.compile(r"[^\w+.-]+")


class Entry(Struct, omit_defaults=True):
    """What one step did. `op`: write, move, remove. `before`, `after`: hashes, "" for no file. `kept`: where the
    replaced bytes are, "" where there were none. `to`: of a move."""

    op: str
    path: str
    before: str = ""
    after: str = ""
    kept: str = ""
    to: str = ""


class Manifest(Struct, frozen=True, omit_defaults=True):
    """What a plan did. `undoes`: the stamp of the plan that it took back."""

    stamp: str
    entries: tuple[Entry, ...]
    reasons: tuple[str, ...] = ()
    undoes: str = ""


def check_stamp(stamp: str) -> str:
    """The stamp itself when it may be the name of a folder. Raises Refused("invalid_params")."""
    if not _STAMP.fullmatch(stamp):
        raise Refused("invalid_params", f"{show(stamp)} is no stamp; use letters, digits, - and :")
    return stamp


def manifest_path(stamp: str) -> str:
    return f"{TRASH}/{stamp}/{MANIFEST}"


def encode(manifest: Manifest) -> bytes:
    # The standard library writes names that are not UTF-8 as escapes; msgspec refuses them.
    return json.dumps(msgspec.to_builtins(manifest), indent=1).encode()


def undo_manifest(root: str, stamp: str) -> Manifest | None:
    """What the plan with that stamp did; None where there is no such record or it cannot be read."""
    body = read(root, manifest_path(check_stamp(stamp)), LIMIT, own=True)
    if body is None or body.state != "whole":
        return None
    try:
        return msgspec.convert(json.loads(body.data), Manifest)
    except (ValueError, msgspec.ValidationError, RecursionError):
        return None


def standing(root: str) -> Manifest | None:
    """The last plan that is not taken back, an undo itself not counted: undo after undo goes back further."""
    back: set[str] = set()
    for stamp in undo_stamps(root):
        manifest = undo_manifest(root, stamp)
        if manifest is None or stamp in back:
            continue
        if not manifest.undoes:
            return manifest
        back.add(manifest.undoes)
    return None


def put_back(root: str) -> dict[str, str]:
    """Path → sha256 of what undoing moved back to where it had been."""
    undone = (m for stamp in undo_stamps(root) if (m := undo_manifest(root, stamp)) and m.undoes)
    return {entry.to: entry.before for manifest in undone for entry in manifest.entries if entry.op == "move"}


def set_aside(root: str, folder: str) -> tuple[str, ...]:
    """Paths of what `.conflict/` holds of this folder and those below it. Opens none."""
    below = os.walk(os.path.join(root, CONFLICT, folder))
    found = (os.path.join(where, name) for where, _, names in below for name in names)
    return tuple(sorted(os.path.relpath(path, root) for path in found))


def undo_stamps(root: str) -> tuple[str, ...]:
    """Stamps of what memd keeps, the last one first (they sort as they were given); some have no manifest. Opens none."""
    try:
        base = open_root(root)
    except OSError:
        return ()
    try:
        trash = open_folder(base, TRASH)
    except (OSError, Refused):
        return ()
    finally:
        os.close(base)
    try:
        return tuple(sorted(filter(_STAMP.fullmatch, os.listdir(trash)), reverse=True))
    finally:
        os.close(trash)


def undoing(root: str, manifest: Manifest) -> Plan:
    """The plan that takes everything back, last step first, each only where nobody changed it since.

    A file that the plan itself made and took away again is nothing to restore. Apply it step by step to restore what can be restored: the writer stops at the first step that is displaced.
    """
    passing = {entry.path for entry in manifest.entries if entry.op == "remove" and not entry.kept}
    lasting = [entry for entry in manifest.entries if entry.kept or entry.op == "move" or entry.path not in passing]
    steps = [step for entry in reversed(lasting) if (step := _undo(root, entry))]
    return Plan(tuple(steps), (f"undo of {manifest.stamp}",), undoes=manifest.stamp)


def _undo(root: str, entry: Entry) -> Step | None:
    if entry.op == "move":
        return Move(entry.to, entry.path, entry.before or None)
    if entry.op == "write" and not entry.kept:
        return Remove(entry.path, entry.after)
    body = read(root, entry.kept, LIMIT, own=True)
    if body is None or body.state != "whole":
        return None
    return Write(entry.path, body.data, entry.after or ABSENT)


def kept_path(stamp: str, path: str, taken: Callable[[str], bool]) -> str:
    """Where the replaced version of a file goes; `taken` tells which names are in use."""
    return _free(f"{TRASH}/{stamp}/{path}", taken)


def conflict_path(path: str, origin: str, stamp: str, taken: Callable[[str], bool]) -> str:
    """`.conflict/<path without .md>__<origin>__<time>.md`, shortened where the name would not fit."""
    plain = path.removeprefix(TRASH + "/").removeprefix(CONFLICT + "/")
    folder, _, name = plain.rpartition("/")
    tail = "".join("__" + (_PLAIN.sub("-", part).strip(".-") or "unknown") for part in (origin, stamp))
    text = _cut(name[:-3], NAME_MAX - len(os.fsencode(tail)) - 8)
    return _free("/".join(filter(None, (CONFLICT, folder, f"{text}{tail}.md"))), taken)


def _cut(text: str, limit: int) -> str:
    """At most `limit` bytes of a name, cut between characters."""
    while len(os.fsencode(text)) > limit:
        text = text[:-1]
    return text


def _free(path: str, taken: Callable[[str], bool]) -> str:
    head, dot, end = path.rpartition(".")
    number = 1
    while taken(path):
        number += 1
        path = f"{head}-{number}{dot}{end}"
    return path
