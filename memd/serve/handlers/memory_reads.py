"""`memory.retrieve`, `memory.browse`, `memory.trace`, `memory.profile`: what looks at memory and changes nothing.

Knows what the peer may see. Never knows how an answer is found.
"""

from __future__ import annotations

from typing import Any, TypeVar

from memd.form import profile_page, profile_text, view
from memd.form import trace as lineage
from memd.index.port import Bodies, Index
from memd.model.errors import Refused
from memd.model.memory import ProfileLine
from memd.model.note import Note
from memd.recall.browse import browse as browsed
from memd.recall.intent import Judged
from memd.recall.names import clean, find, shown_path
from memd.recall.retrieve import retrieve as retrieved
from memd.serve import params as p
from memd.serve.handlers.context import Context

P = TypeVar("P", p.Retrieve, p.Browse, p.Trace, p.Profile)

HISTORY = 50
"""Earlier versions of the profile that are listed, the latest first."""


def retrieve(
    ctx: Context, index: Index, bodies: Bodies, params: p.Retrieve, judged: Judged | None = None
) -> dict[str, Any]:
    """Raises Refused: invalid_params, permission_denied."""
    return retrieved(ctx.vault, index, bodies, _within_rights(ctx, params), ctx.now, ctx.folder, judged)


def browse(ctx: Context, index: Index, bodies: Bodies, params: p.Browse) -> dict[str, Any]:
    """Raises Refused: not_found, invalid_params, permission_denied."""
    return browsed(ctx.vault, _within_rights(ctx, params), ctx.now, ctx.folder)


def trace(ctx: Context, index: Index, bodies: Bodies, params: p.Trace) -> dict[str, Any]:
    """Raises Refused: not_found, permission_denied."""
    asked = _within_rights(ctx, params)
    memory = view.of(ctx.vault)
    id = asked.id or find(ctx.vault, asked).id
    if not id:
        raise Refused(
            "not_found", "that note is no file of memory: trace takes the id of a leaf, chain, summary or turn"
        )
    note = memory.note(id)
    if note is not None and not ctx.sees(note.path):
        raise Refused("not_found", "no such id in the folder that this connection sees")
    lines = _lines(ctx, bodies, memory.profile, asked.include_sensitive)
    return lineage.trace(memory, ctx.now, id, asked.direction, lines, asked.include_sensitive)


def profile(ctx: Context, index: Index, bodies: Bodies, params: p.Profile) -> dict[str, Any]:
    """Raises Refused: permission_denied."""
    asked = _within_rights(ctx, params)
    memory = view.of(ctx.vault)
    note = memory.profile
    shown: dict[str, Any] = {"stable": [], "recent": [], "up_to": ""}
    if note is not None and _open(ctx, note, asked.include_sensitive):
        shown = profile_page.show(bodies.text(note.path) or "", ctx.now, memory, note.frontmatter)
        if not asked.include_sensitive:
            for section in ("stable", "recent"):
                shown[section] = [line for line in shown[section] if not _hidden(memory, line["sources"])]
    return shown | ({"history": _history(ctx, bodies)} if asked.history else {})


def _hidden(memory: view.Memory, sources: list[str]) -> bool:
    return any((file := memory.note(id)) is not None and file.sensitive for id in sources)


def _within_rights(ctx: Context, asked: P) -> P:
    """The params as far as the peer may go. Raises Refused: permission_denied where it asks for more."""
    if asked.include_sensitive and not ctx.sensitive:
        raise Refused("permission_denied", "this connection may not see sensitive notes: ask without include_sensitive")
    return asked


def _open(ctx: Context, note: Note, sensitive: bool) -> bool:
    return ctx.sees(note.path) and (not note.sensitive or sensitive)


def _lines(ctx: Context, bodies: Bodies, note: Note | None, sensitive: bool) -> tuple[ProfileLine, ...]:
    if note is None or not _open(ctx, note, sensitive):
        return ()
    return profile_text.read(bodies.text(note.path) or "")


def _history(ctx: Context, bodies: Bodies) -> list[dict[str, Any]]:
    """Earlier versions that memd kept, the latest first, each with its words."""
    folder = profile_page.history(ctx.config.formation.folder)
    paths = sorted((path for path in ctx.vault.notes if path.startswith(folder) and ctx.sees(path)), reverse=True)
    return [
        {
            "version": ctx.vault.notes[path].frontmatter.get("version"),
            "path": shown_path(ctx.vault, path),
            "text": clean(bodies.text(path) or ""),
        }
        for path in paths[:HISTORY]
        if not ctx.vault.notes[path].sensitive
    ]
