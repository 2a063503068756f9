"""Which note a caller means, strictly: a name that could mean two notes is refused with both, never guessed.

Knows permalinks, paths, ids, titles and `memory://`. Paths are judged by their letters alone; disk judges them again.
"""

from __future__ import annotations

import re
from typing import Protocol

from memd.edit import copies
from memd.model.errors import Refused
from memd.model.note import Note
from memd.model.vault import Vault, stem
from memd.serve.handlers.context import Context

SCHEME = "memory://"
_DRIVE = re.compile(r"[A-Za-z]:(?:[\\/]|$)")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)


class Names(Protocol):
    """Params that name a file by one of three."""

    @property
    def permalink(self) -> str: ...
    @property
    def path(self) -> str: ...
    @property
    def id(self) -> str: ...


def inside(path: str, what: str = "path") -> str:
    """The path with `.` and doubled slashes gone. Raises Refused: outside_vault for one that leaves the vault, is absolute,
    or has a hidden part or a device's name."""
    plain = path.replace("\\", "/")
    parts = [part for part in plain.split("/") if part not in ("", ".")]
    if plain.startswith(("/", "~")) or _DRIVE.match(plain) or "\0" in plain:
        raise Refused("outside_vault", f"the {what} is not in the vault: give it relative to the vault's folder")
    for part in parts:
        if part == ".." or part.startswith(".") or part.rstrip(" .") == "" or _DEVICE.fullmatch(part):
            raise Refused("outside_vault", f"the {what} leaves the vault or is hidden: name a visible folder inside it")
    return "/".join(parts)


def note_path(path: str) -> str:
    """The path of a note, `.md` added where it has no ending. Raises Refused: outside_vault, invalid_params."""
    inner = inside(path)
    name = inner.rsplit("/", 1)[-1]
    if not name:
        raise Refused("invalid_params", "the path is empty: name a note, like folder/name.md")
    if name.lower().endswith(".md"):
        return inner
    if (
        "." in name
        and re.fullmatch(r"\.\w{1,5}", name[name.rindex(".") :])
        and not name[name.rindex(".") + 1 :].isdigit()
    ):
        raise Refused("outside_vault", "the path is not a markdown note: name a file that ends in .md")
    return inner + ".md"


def find(ctx: Context, params: Names) -> Note:
    """The one note that the params name. Raises Refused: not_found, invalid_params (with `candidates`), outside_vault."""
    if params.path:
        note = ctx.vault.at(inside(params.path)) or ctx.vault.at(note_path(params.path))
        return ctx.open(_there(note, f"no note at {params.path!r}: memory.list shows paths"))
    if params.id:
        note = ctx.vault.by_id(params.id.split("#", 1)[0])
        return ctx.open(_there(note, f"nothing has the id {params.id!r}: search for its words"))
    return ctx.open(named(ctx, params.permalink.removeprefix(SCHEME).strip()))


def named(ctx: Context, name: str) -> Note:
    """The note of a permalink, path, id, or title that one note alone has."""
    for kind in ("permalink", "path", "id", "title", "alias", "stem"):
        if found := _visible(ctx, ctx.vault.named(kind, name)):
            return _only(ctx.vault, found, name)
    if moved := ctx.vault.moved.get(name):
        if note := ctx.vault.at(moved):
            return note
    where = note_path(name) if name else ""
    note = ctx.vault.at(where) if where else None
    return _there(note, f"no note has the permalink {name!r}: memory.search finds it by words")


def _visible(ctx: Context, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths that the peer sees; a sync engine's copy only where nothing else has the name."""
    seen = tuple(path for path in paths if ctx.sees(path))
    return tuple(path for path in seen if not copies.is_copy(path)) or seen


def _only(vault: Vault, paths: tuple[str, ...], name: str) -> Note:
    if len(paths) > 1:
        candidates = [vault.notes[path].permalink or path for path in paths]
        shown = ", ".join(paths[:5])
        raise Refused(
            "invalid_params", f"{name!r} could mean {shown}: give the path", candidates=candidates, paths=list(paths)
        )
    return vault.notes[paths[0]]


def _there(note: Note | None, otherwise: str) -> Note:
    if note is None:
        raise Refused("not_found", otherwise)
    return note


def existing_folder(vault: Vault, folder: str) -> str:
    """The folder as notes in the vault spell it, where they do but for case or Unicode form."""
    from memd.model.fingerprint import fold

    want = fold(folder) + "/"
    for path in vault.notes:
        if fold(path).startswith(want):
            parts = folder.count("/") + 1
            return "/".join(path.split("/")[:parts])
    return folder


def title_of(note: Note) -> str:
    return note.title or stem(note.path)
