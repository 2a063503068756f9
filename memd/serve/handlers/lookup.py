"""Which note a caller means to change, strictly: a name that could mean two notes is refused with both, never guessed.

Knows permalinks, paths, ids, titles and `memory://`. Paths are judged by their letters alone; disk judges them again.
"""

from __future__ import annotations

import re
from urllib.parse import unquote

from memd.edit import copies
from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.model.vault import Vault
from memd.parse.note import parse_note
from memd.recall.asked import Named
from memd.recall.names import clean, inside
from memd.serve.handlers.context import Context

SCHEME = "memory://"
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_ENDING = re.compile(r"\.(?=\w*[A-Za-z])\w{1,5}")


def new_place(path: str, what: str = "path") -> str:
    """The same for a place where something will be made: no part is a device's name on any system."""
    inner = inside(path, what)
    if any(_DEVICE.fullmatch(part) for part in inner.split("/")):
        raise Refused("outside_vault", f"the {what} has a name that Windows keeps for devices: choose another")
    return inner


def note_path(path: str) -> str:
    """The path of a note, `.md` added where it has no ending. Raises Refused: outside_vault, invalid_params."""
    inner = inside(path)
    name = inner.rsplit("/", 1)[-1]
    if not name:
        raise Refused("invalid_params", "the path is empty: name a note, like folder/name.md")
    if name.lower().endswith(".md"):
        return inner
    if "." in name and _ENDING.fullmatch(name[name.rindex(".") :]):
        raise Refused("outside_vault", "the path is not a markdown note: name a file that ends in .md")
    return inner + ".md"


def find(ctx: Context, params: Named) -> Note:
    """The one note that the params name, and that the peer may change.

    Raises Refused: not_found (with `paths` where several are meant), outside_vault, permission_denied.
    """
    if params.path:
        note = at(ctx.vault, params.path)
        return ctx.open(_there(note, f"no note at {clean(params.path[:120])!r}: memory.list shows paths"))
    if params.id:
        note = ctx.vault.by_id(params.id.split("#", 1)[0])
        return ctx.open(_there(note, f"nothing has the id {params.id[:120]!r}: search for its words"))
    return ctx.open(named(ctx, params.permalink.strip().removeprefix(SCHEME)))


def at(vault: Vault, path: str) -> Note | None:
    """The note at a path, as it is or as answers show it (NFC, bytes that are not UTF-8 percent-escaped)."""
    inner = inside(path)
    if note := vault.at(inner):
        return note
    if "%" in inner and (note := vault.at(unquote(inner, errors="surrogateescape"))):
        return note
    return vault.at(note_path(inner))


def named(ctx: Context, name: str) -> Note:
    """The note of a permalink, path or id, else of a title, alias or file name that one note alone has."""
    if found := called(ctx, name):
        return _only(ctx.vault, found, name)
    moved = ctx.vault.moved.get(name) or ctx.vault.moved.get(fold(name))
    note = ctx.vault.notes.get(moved) if moved else at(ctx.vault, name) if name else None
    return _there(note, f"no note has the permalink {clean(name[:120])!r}: memory.search finds it by words")


def called(ctx: Context, name: str) -> tuple[str, ...]:
    """Paths of what is called so, by the surest kind of name that anything has."""
    kinds = ("permalink", "path", "id", "title", "alias", "stem")
    return next(filter(None, (_visible(ctx, ctx.vault.named(kind, name)) for kind in kinds)), ())


def _visible(ctx: Context, paths: tuple[str, ...]) -> tuple[str, ...]:
    """Paths that the peer sees; a sync engine's copy only where nothing else has the name."""
    seen = tuple(path for path in paths if ctx.sees(path))
    return tuple(path for path in seen if not copies.is_copy(path)) or seen


def _only(vault: Vault, paths: tuple[str, ...], name: str) -> Note:
    if len(paths) > 1:
        shown = ", ".join(map(clean, paths[:5]))
        candidates = [clean(vault.notes[path].permalink) for path in paths[:20]]
        message = f"{len(paths)} notes are called {clean(name[:120])!r} ({shown}): give the path"
        raise Refused("not_found", message, candidates=candidates, paths=list(map(clean, paths[:20])))
    return vault.notes[paths[0]]


def _there(note: Note | None, otherwise: str) -> Note:
    if note is None:
        raise Refused("not_found", otherwise)
    return note


def parsed(ctx: Context, path: str, data: bytes) -> Note:
    """A file that the snapshot may not know yet, as a note."""
    zone = ctx.now.tzinfo
    assert zone is not None
    return parse_note(path, data, 0.0, zone, ctx.config.formation.folder)[0]


def existing_folder(vault: Vault, folder: str) -> str:
    """The folder as notes in the vault spell it, as far as it is there, where they do so but for case or Unicode form."""
    if not folder or any(path.startswith(folder + "/") for path in vault.notes):
        return folder
    head, _, rest = folder.rpartition("/")
    want = fold(folder) + "/"
    like = next((path for path in vault.notes if fold(path).startswith(want)), None)
    if like:
        return "/".join(like.split("/")[: folder.count("/") + 1])
    return f"{existing_folder(vault, head)}/{rest}" if head else folder
