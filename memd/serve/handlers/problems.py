"""`memory.doctor`: every problem with path, line, reason and what to do. Knows the snapshot and what the parts report."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from memd.edit import copies
from memd.model.problem import Problem
from memd.model.vault import Vault
from memd.recall import cursors
from memd.recall.names import clean
from memd.serve.handlers.context import Context

PAGE = 200
_NAMED = re.compile(r"evidence/.+|profile\.md|.+/_tree\.md|.+-(?:ep|lf|sm|ch)-[a-z2-7]{10}\.md")
"""Where memory keeps its own, under its folder (`memory-files.md`): turns by place, the rest by the id that ends a name."""


def doctor(ctx: Context, reported: Iterable[Problem], conflicts: Iterable[str], cursor: str) -> dict[str, Any]:
    """`problems` in path order and `cursor`. `reported`: what disk, watcher, indexes and models say of themselves;
    `conflicts`: files in `.conflict/`, which wait for a person."""
    found = [*reported, *(p for note in ctx.vault.notes.values() for p in note.problems)]
    found += [*_copies(ctx.vault), *_twins(ctx.vault), *_disowned(ctx), *(_conflict(path) for path in conflicts)]
    seen = [p for p in dict.fromkeys(found) if not p.path or ctx.sees(p.path.removeprefix(".conflict/"))]
    seen.sort(key=lambda p: (p.path, p.line, p.code))
    keys = [f"{p.path}:{p.line}:{p.code}" for p in seen]
    position, last = cursors.opened(cursor)
    begin = cursors.start(keys, position, last) if cursor else 0
    page = seen[begin : begin + PAGE]
    end = begin + len(page)
    more = cursors.after(end, keys[end - 1]) if page and end < len(seen) else ""
    return {"problems": [_told(problem) for problem in page], "total": len(seen), "cursor": more}


def _told(problem: Problem) -> dict[str, Any]:
    return {
        "code": problem.code,
        "path": clean(problem.path),
        "line": problem.line,
        "message": clean(problem.message),
        "hint": problem.hint,
    }


def _copies(vault: Vault) -> Iterable[Problem]:
    for path in vault.notes:
        original = copies.original_of(path)
        if original is None:
            continue
        if vault.at(original) is None:
            what, advice = ", which is not there", "rename it, and it is a note of its own; or delete it"
        else:
            what, advice = ": both are kept as they are", "compare the two, take over what is missing, delete the copy"
        yield Problem("conflict_copy", path, 0, f"a sync engine's copy of {original}{what}", advice)


def _twins(vault: Vault) -> Iterable[Problem]:
    """Two files with one id: the one at the id's own path keeps it."""
    for note in vault.notes.values():
        if note.id and (kept := vault.by_id(note.id)) is not None and kept.path != note.path:
            what = f"has the id {note.id} of {kept.path}, which keeps it; this one is read as an ordinary note"
            yield Problem("id_twice", note.path, 0, what, "delete the copy, or take the id out of it")


def _disowned(ctx: Context) -> Iterable[Problem]:
    """What stands among memory's files and is none by its properties: nothing of it is remembered."""
    folder = ctx.config.formation.folder + "/"
    for path, note in ctx.vault.notes.items():
        own = note.kind == "note" and path.startswith(folder) and _NAMED.fullmatch(path.removeprefix(folder))
        if own and copies.original_of(path) is None:
            what = "one of memory's files by its name, but without the `type` and `id` of one: it is read as an ordinary note"
            yield Problem("not_memory", path, 1, what, f"put its properties back, or move it out of {folder}")


def _conflict(path: str) -> Problem:
    what = "a version that lost to a later save is kept here"
    return Problem("conflict_kept", path, 0, what, "take over what is missing in the note, then delete this file")
