"""Where notes are: delete, restore, move, undo. Nothing is overwritten, nothing is gone for good.

Params and a snapshot in, a plan of moves and the contract's answer out. Never knows how files are moved.
"""

from __future__ import annotations

from typing import Any

from memd.edit import keys, links, trash
from memd.edit.secrets import refuse_secrets
from memd.edit.splice import read
from memd.edit.titles import permalink
from memd.form import files, profile_page
from memd.model.errors import Refused
from memd.model.fingerprint import fold, sha256
from memd.model.note import Note
from memd.model.plan import ABSENT, Move, Plan, Remove, Step, Write
from memd.model.vault import folder as folder_of
from memd.model.vault import stem
from memd.parse import render
from memd.recall.names import clean, inside, shown_path, shown_title
from memd.serve.handlers.context import Answer, Context, Decision
from memd.serve.handlers.lookup import SCHEME, at, called, existing_folder, find, new_place, note_path, parsed


def delete(ctx: Context, params: Any) -> Decision:
    """Into the trash. Raises Refused: not_found, permission_denied, refused_secret."""
    note = find(ctx, params)
    ctx.writable(note.path)
    refuse_secrets((params.reason,), note.sensitive)
    data = _data(ctx, note)
    where = trash.place(note.path, ctx.now, ctx.stamps())
    ledger = files.moved_path(ctx.config.formation.folder)
    broken = [
        {"path": shown_path(ctx.vault, source), "line": link.line, "target": clean(link.target)}
        for source, link in ctx.vault.inbound(note.path)
        if source not in (note.path, ledger) and ctx.sees(source)
    ]
    reason = f"delete {note.title!r}" + (f": {params.reason}" if params.reason else "")
    plan = Plan((Move(note.path, where, sha256(data)),), (reason,), ((note.path, sha256(data)),), undo=True)
    answer = {"permalink": clean(note.permalink), "title": shown_title(note), "path": shown_path(ctx.vault, note.path)}
    return Decision(plan, {**answer, "trashed_path": clean(where), "broken_links": broken})


def restore(ctx: Context, params: Any) -> Decision:
    """Out of the trash, to its place or beside who has it now; of the profile, an earlier version. Raises Refused:
    not_found, exists, outside_vault."""
    name = params.path or params.permalink.removeprefix(SCHEME)
    if name.startswith(profile_page.history(ctx.config.formation.folder)):
        return _earlier_profile(ctx, find(ctx, params))
    trashed, data = _trashed(ctx, params)
    lay = trash.original(trashed)
    assert lay is not None
    there = ctx.writable(trash.back(lay, lambda path: _occupied(ctx, path)))
    note = parsed(ctx, there, data)
    steps: list[Step] = [Move(trashed, there, sha256(data))]
    link = note.permalink
    if note.permalink_given and ctx.vault.named("permalink", link):
        link = permalink(note.title, folder_of(there), lambda it: bool(ctx.vault.named("permalink", it)))
        source = read(data)
        splices = keys.set_key(source.text, "permalink", render.value(link))
        steps.append(Write(there, source.spliced(splices), sha256(data)))
    plan = Plan(tuple(steps), (f"restore {note.title!r}",), ((trashed, sha256(data)),), undo=True)
    return Decision(plan, {"path": clean(there), "permalink": clean(link), "trashed_path": clean(trashed)})


def _earlier_profile(ctx: Context, version: Note) -> Decision:
    folder = ctx.config.formation.folder
    path = ctx.writable(files.profile_path(folder))
    page = ctx.vault.notes.get(path)
    number = page.frontmatter.get("version") if page else 0
    plan = profile_page.put_back(
        folder, ctx.bytes_of(path), number if isinstance(number, int) else 0, _data(ctx, version)
    )
    return Decision(plan, {"path": clean(path), "permalink": clean(page.permalink) if page else ""})


def move(ctx: Context, params: Any) -> Decision:
    """To another path, links that would break spelled anew. Raises Refused: not_found, exists, outside_vault, refused_secret."""
    note = find(ctx, params)
    ctx.writable(note.path)
    refuse_secrets((params.to,), note.sensitive)
    new = ctx.writable(_destination(ctx, note, params.to))
    data = _data(ctx, note)
    answer = {"permalink": clean(note.permalink), "old_path": shown_path(ctx.vault, note.path), "new_path": clean(new)}
    if new == note.path:
        return Decision(Plan(reads=((note.path, sha256(data)),)), {**answer, "path": clean(new), "links": []})
    other = ctx.vault.at(new)
    if (other is not None and other.path != note.path) or (other is None and ctx.bytes_of(new) is not None):
        advice = "choose another path, or delete that note first"
        raise Refused("exists", f"a note is at {clean(new)!r} already: {advice}", path=clean(new))
    shift = links.shift(ctx.vault, note, new)
    steps: list[Step] = [Move(note.path, new, sha256(data))]
    told: list[Answer] = []
    ledger = files.moved_path(ctx.config.formation.folder)
    for path in links.sources(shift):
        # What memd notes of moves is kept by whoever moves, not respelled as a person's link.
        if path != ledger and (rewritten := _relinked(ctx, path, shift)):
            step, count = rewritten
            steps.append(step)
            told.append({"path": clean(step.path), "rewritten": count})
    reads = tuple((path, step.expect) for step in steps if (path := step.path) and step.expect)
    plan = Plan(tuple(steps), (f"move {note.title!r}",), reads, undo=True)
    link = shift.after.notes[new].permalink
    return Decision(plan, {**answer, "permalink": clean(link), "path": clean(new), "links": told})


def undo(ctx: Context, params: Any) -> Decision:
    """What memd's plan replaced, back as it was. Raises Refused: not_found; conflict where it was changed since."""
    back = ctx.undo(params.plan)
    if not back:
        raise Refused(
            "not_found", "there is no such change of memd's to take back: .trash/memd holds those that can be"
        )
    changed = _changed(ctx, back)
    if changed:
        shown = ", ".join(map(clean, changed[:5]))
        advice = "restore by hand from .trash/memd, or edit the note"
        raise Refused("conflict", f"changed since, and left alone: {shown}; {advice}", paths=list(map(clean, changed)))
    paths = [ctx.writable(step.to if isinstance(step, Move) else step.path) for step in back.steps]
    stamps = ctx.stamps()
    # A file that memd made is not removed for good: it goes to the trash.
    steps = tuple(
        Move(step.path, trash.place(step.path, ctx.now, stamps), step.expect) if isinstance(step, Remove) else step
        for step in back.steps
    )
    plan = Plan(steps, back.reasons, back.reads, undo=True, undoes=back.undoes)
    return Decision(plan, {"restored": list(map(clean, paths)), "undone": back.undoes})


def _data(ctx: Context, note: Note) -> bytes:
    data = ctx.bytes_of(note.path)
    if data is None:
        raise Refused("not_found", "the note's file is gone or cannot be read: memory.refresh looks again")
    return data


def _occupied(ctx: Context, path: str) -> bool:
    return ctx.vault.at(path) is not None or ctx.bytes_of(path) is not None


def _trashed(ctx: Context, params: Any) -> tuple[str, bytes]:
    """The trashed file that is meant: by its own path, the path it had, its permalink, id or title; the last one first."""
    name = params.path or params.id or params.permalink.strip().removeprefix(SCHEME)
    if name.startswith(trash.ROOT + "/"):
        lay = trash.original(name)
        data = ctx.bytes_of(name) if lay and note_path(lay) == lay and ctx.sees(lay) else None
        if data is None:
            raise Refused("not_found", f"nothing is in the trash at {clean(name[:120])!r}")
        return name, data
    if params.path:
        inside(name)
    kept = sorted((p for p in ctx.trashed() if (lay := trash.original(p)) and ctx.sees(lay)), reverse=True)
    for path in kept:
        lay = trash.original(path) or ""
        data = ctx.bytes_of(path) if lay.lower().endswith(".md") else None
        if data is not None and fold(name) in _names(parsed(ctx, lay, data)):
            _refuse_living(ctx, params, lay)
            return path, data
    raise Refused(
        "not_found", f"nothing in the trash is called {clean(name[:120])!r}: it may have been restored already"
    )


def _refuse_living(ctx: Context, params: Any, lay: str) -> None:
    """Versions that edits replaced lie in the trash, too: by name only what is no longer there is restored."""
    name = params.id or params.permalink.strip().removeprefix(SCHEME)
    living = called(ctx, name) if name else (lay,) if at(ctx.vault, lay) else ()
    if living:
        where = clean(living[0])
        raise Refused("exists", f"a note of that name is at {where!r}: give the trashed path of the version to restore")


def _names(note: Note) -> set[str]:
    names = (note.permalink, note.path, note.id, note.title, *note.aliases, stem(note.path))
    return {fold(name) for name in names if name}


def _destination(ctx: Context, note: Note, to: str) -> str:
    """The path that is meant: a folder (it is there, or ends in a slash) keeps the file's name."""
    name = note.path.rsplit("/", 1)[-1]
    inner = new_place(to, "destination")
    is_folder = to.endswith("/") or any(path.startswith(inner + "/") for path in ctx.vault.notes)
    if not inner or (is_folder and not inner.lower().endswith(".md")):
        folder = existing_folder(ctx.vault, inner)
        return f"{folder}/{name}" if folder else name
    return note_path(inner)


def _relinked(ctx: Context, path: str, shift: links.Shift) -> tuple[Write, int] | None:
    """The write that spells a note's links anew, and how many; None where none would break."""
    data = ctx.bytes_of(path)
    if data is None or path not in ctx.vault.notes:
        return None
    source = read(data)
    splices = links.rewrite(source.text, path, shift)
    if not splices:
        return None
    return Write(shift.source(path), source.spliced(splices), sha256(data)), len(splices)


def _changed(ctx: Context, back: Plan) -> list[str]:
    """Paths that are not as memd's plan left them; later steps are seen on what earlier ones leave."""
    now: dict[str, str] = {}
    changed: list[str] = []

    def stands(path: str) -> str:
        if path not in now:
            data = ctx.bytes_of(path)
            now[path] = ABSENT if data is None else sha256(data)
        return now[path]

    for step in back.steps:
        found = stands(step.path)
        occupied = isinstance(step, Move) and stands(step.to) != ABSENT
        if occupied or (step.expect is not None and found != step.expect and step.path not in changed):
            changed.append(step.to if isinstance(step, Move) and occupied else step.path)
        now[step.path] = sha256(step.content) if isinstance(step, Write) else ABSENT
        if isinstance(step, Move):
            now[step.to] = found
    return changed
