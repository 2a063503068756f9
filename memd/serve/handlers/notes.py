"""Changes to notes: write, append, edit; and by `shelving`: delete, restore, move, undo.

Params and the newest bytes in, a plan and the contract's answer out. Secrets and sensitivity are decided before any byte.
Never writes: where a file changed meanwhile, the daemon asks again and everything is decided anew.
"""

from __future__ import annotations

from typing import Any

from memd.edit import copies, create, keys, observation
from memd.edit.replace import replace_text
from memd.edit.secrets import refuse_secrets, screen
from memd.edit.sensitivity import sensitivity
from memd.edit.splice import Source, Splice, apply, newline, read
from memd.edit.titles import free_stem, permalink
from memd.model.errors import Refused
from memd.model.fingerprint import fold, one_line, sha256
from memd.model.note import Note
from memd.model.plan import ABSENT, Plan, Write
from memd.model.vault import folder as folder_of
from memd.model.vault import stem
from memd.parse import frontmatter
from memd.recall.names import clean, shown_path
from memd.serve.handlers.context import Context, Decision
from memd.serve.handlers.lookup import existing_folder, find, new_place, parsed
from memd.serve.handlers.shelving import delete, move, restore, undo
from memd.serve.handlers.similar import similar

__all__ = ["append", "delete", "edit", "move", "restore", "undo", "write"]

KEPT_BY_MEMORY = frozenset(("evidence", "summary", "digest"))
"""Files that nobody edits: ingest appends to evidence, the rest is made anew."""


def write(ctx: Context, params: Any) -> Decision:
    """A new note. Raises Refused: outside_vault, permission_denied, refused_secret, exists, invalid_params."""
    folder = new_place(params.folder, "folder") if params.folder else create.folder_of(params.type)
    folder = existing_folder(ctx.vault, folder)
    title = one_line(params.title)
    if not title:
        raise Refused("invalid_params", "the title is empty: say what the note is about")
    said = _said(params)
    mark = sensitivity(said, params.sensitivity, (seen.category for seen in params.observations))
    refuse_secrets((*said, params.folder), params.sensitivity == "sensitive")
    name = _free_name(ctx, folder, title)
    path = ctx.writable(f"{folder}/{name}.md" if folder else f"{name}.md")
    link = permalink(title, folder, lambda it: bool(ctx.vault.named("permalink", it)) or it in ctx.vault.moved)
    draft = create.Draft(
        title,
        link,
        ctx.now.isoformat(timespec="seconds"),
        params.type.strip() or "note",
        params.tags,
        params.observations,
        tuple(create.Related(r.type, _link(ctx, r.target), r.context) for r in params.relations),
        params.body,
        params.origin or "agent",
        mark,
    )
    data = create.note(draft)
    plan = Plan((Write(path, data, ABSENT),), (f"new note {title!r}",), undo=True)
    answer = {"permalink": link, "path": clean(path), "sha256": sha256(data), "action": "created"}
    return Decision(plan, {**answer, "similar": similar(ctx, title), "sensitivity": mark})


def append(ctx: Context, params: Any) -> Decision:
    """One observation more. Raises Refused: not_found, read_only, refused_secret, invalid_params, too_large."""
    note, source, data = _opened(ctx, params)
    said = (f"{params.category}: {params.text}", params.context, params.section, *params.tags)
    given = getattr(params, "sensitivity", "")
    mark = sensitivity(said, given, (params.category,))
    refuse_secrets(said, given == "sensitive" or note.sensitive)
    done = observation.append(source.text, params.category, params.text, params.tags, params.context, params.section)
    answer = {"permalink": clean(note.permalink), "path": shown_path(ctx.vault, note.path)}
    if done.duplicate:
        same = {"sha256": sha256(data), "action": "noop_duplicate", "line": done.line}
        return Decision(Plan(reads=((note.path, sha256(data)),)), {**answer, **same})
    stated = apply(source.text, done.splices)
    text = _finished(ctx, note, stated, mark == "sensitive")
    line = done.line + text.count("\n") - stated.count("\n")
    after = source.encode(text)
    plan = _over(note, data, after, f"append to {note.title!r}", append=True)
    return Decision(plan, {**answer, "sha256": sha256(after), "action": "appended", "line": line})


def edit(ctx: Context, params: Any) -> Decision:
    """Text replaced. Raises Refused: not_found, read_only, conflict, find_not_found, find_ambiguous, refused_secret."""
    note, source, data = _opened(ctx, params)
    if params.expected_sha256 and params.expected_sha256 != sha256(data):
        raise Refused("conflict", "the note has changed since it was read: read it again", sha256=sha256(data))
    splices = replace_text(source.text, params.find, params.replace, params.all)
    given = getattr(params, "sensitivity", "")
    _screen_inserted(source.text, splices, given == "sensitive" or note.sensitive)
    mark = sensitivity((params.replace,), given)
    text = apply(source.text, splices)
    if text != source.text:
        text = _finished(
            ctx, note, text, mark == "sensitive", keys.value(text, "modified") == keys.value(source.text, "modified")
        )
    after = source.encode(text)
    plan = (
        _over(note, data, after, f"edit of {note.title!r}")
        if after != data
        else Plan(reads=((note.path, sha256(data)),))
    )
    answer = {"permalink": clean(note.permalink), "path": shown_path(ctx.vault, note.path), "sha256": sha256(after)}
    return Decision(plan, {**answer, "action": "edited", "replacements": len(splices)})


def _said(params: Any) -> tuple[str, ...]:
    """Every text that a new note would hold."""
    seen = (t for o in params.observations for t in (f"{o.category}: {o.text}", o.context, *o.tags))
    related = (t for r in params.relations for t in (r.type, r.target, r.context))
    return (params.title, params.type, params.body, params.origin, *params.tags, *seen, *related)


def _free_name(ctx: Context, folder: str, title: str) -> str:
    """A file name that is free. Raises Refused: exists for a note of that title in that folder."""
    for path in ctx.vault.named("title", title):
        if fold(folder_of(path)) == fold(folder):
            raise _exists(ctx.vault.notes[path])

    def taken(name: str) -> bool:
        path = f"{folder}/{name}.md" if folder else f"{name}.md"
        if ctx.vault.at(path) is not None or copies.is_copy(path):
            return True
        data = ctx.bytes_of(path)
        if data is not None and fold((note := parsed(ctx, path, data)).title) == fold(title):
            raise _exists(note)
        return data is not None

    return free_stem(title, taken)


def _exists(note: Note) -> Refused:
    link = clean(note.permalink)
    advice = "append to it, or choose another title"
    return Refused(
        "exists", f"a note with that title is there, {link!r}: {advice}", permalink=link, path=clean(note.path)
    )


def _link(ctx: Context, target: str) -> str:
    """A target as Obsidian finds it too: by file name where only the title, which is not the file's name, means the note."""
    bare = create.target(target)
    path = ctx.vault.resolve(bare) if bare and not set("#|^") & set(bare) else None
    if path is None or fold(stem(path)) == fold(bare) or fold(bare) not in fold(ctx.vault.notes[path].title):
        return bare
    return f"{stem(path)}|{bare}"


def _opened(ctx: Context, params: Any) -> tuple[Note, Source, bytes]:
    """The note that is meant, and its file as it is now."""
    note = find(ctx, params)
    if note.kind in KEPT_BY_MEMORY:
        advice = "memory.correct says what is true instead, memory.forget takes it away"
        raise Refused("read_only", f"this is memory's own {note.kind} file, which is not edited: {advice}")
    ctx.writable(note.path)
    data = ctx.bytes_of(note.path)
    if data is None:
        raise Refused("not_found", "the note's file is gone or cannot be read: memory.refresh looks again")
    if len(data) > ctx.config.vault.max_note:
        raise Refused("too_large", "the note is larger than memd edits: split it, or raise [vault] max_note")
    return note, read(data), data


def _finished(ctx: Context, note: Note, text: str, sensitive: bool, touch: bool = True) -> str:
    """A changed text with what follows from the change in its header: the mark, and `modified`."""
    if sensitive and not note.sensitive:
        text = apply(text, _mark(text))
    return apply(text, keys.touch(text, ctx.now)) if touch else text


def _mark(text: str) -> tuple[Splice, ...]:
    """What marks a note sensitive: its key, else a key more, else a header. Raises Refused: conflict."""
    if keys.value(text, "sensitivity").strip("\"'") == "sensitive":
        return ()
    if splices := keys.set_key(text, "sensitivity", "sensitive", add=True):
        return splices
    head = frontmatter.split(text)
    if head or head.fault:
        raise Refused("conflict", "the note's header cannot be marked sensitive as it is: mend it, see memory.doctor")
    end = newline(text)
    return (Splice(0, 0, f"---{end}sensitivity: sensitive{end}---{end}"),)


def _screen_inserted(text: str, splices: tuple[Splice, ...], sensitive: bool) -> None:
    """Refuses what the inserted bytes are, or make of the line they stand in; what was there before is not judged."""
    after, shift = apply(text, splices), 0
    for splice in splices:
        start = splice.start + shift
        end = start + len(splice.text)
        shift += len(splice.text) - (splice.end - splice.start)
        first = after.rfind("\n", 0, start) + 1
        stop = after.find("\n", end)
        line = after[first : len(after) if stop < 0 else stop]
        found = [f.kind for f in screen(line, sensitive) if f.start + first < end and f.end + first > start]
        if found:
            refuse_secrets((line,), sensitive)


def _over(note: Note, data: bytes, after: bytes, why: str, append: bool = False) -> Plan:
    step = Write(note.path, after, sha256(data), append=append)
    return Plan((step,), (why,), ((note.path, sha256(data)),), undo=True)
