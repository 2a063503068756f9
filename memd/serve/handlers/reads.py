"""`memory.read`: one note as it stands in its file, whole, by section or by piece.

Knows text and offsets in bytes. Never knows how a name leads to a note, or where bytes come from.
"""

from __future__ import annotations

from typing import Any

from memd.model.errors import Refused
from memd.model.fingerprint import fold, sha256
from memd.model.note import Heading, Note
from memd.parse import text as texts
from memd.recall.names import clean, find, shown_path, shown_title
from memd.serve import params
from memd.serve.handlers.context import Context
from memd.serve.handlers.lookup import SCHEME, at


def read(ctx: Context, asked: params.Read) -> dict[str, Any]:
    """The contract's answer. `offset` and `next_offset` count bytes of UTF-8 text; a cut falls between characters.

    Raises Refused: not_found, outside_vault, permission_denied.
    """
    if asked.path:
        at(ctx.vault, asked.path)
    note = find(ctx.vault, _plain(asked))
    if not ctx.sees(note.path):
        raise Refused("not_found", "no such note in the folder that this connection sees")
    if note.sensitive and not (asked.include_sensitive and ctx.sensitive):
        raise Refused("permission_denied", "the note is marked sensitive: ask with include_sensitive if it is needed")
    data = ctx.bytes_of(note.path)
    if data is None:
        raise Refused("not_found", f"{clean(note.path)} cannot be read just now; memory.doctor says why")
    whole = _as_text(data)
    part = _section(note, whole, asked.section) if asked.section else whole
    content, following = _piece(part, asked.offset, asked.max_bytes)
    return {
        "permalink": clean(note.permalink),
        "path": shown_path(ctx.vault, note.path),
        "id": note.id,
        "title": shown_title(note),
        "type": clean(note.type),
        "frontmatter": note.frontmatter,
        "content": content,
        "sha256": sha256(data),
        "size": len(data),
        "truncated": following is not None,
        "next_offset": following,
    }


def _plain(asked: params.Read) -> params.Read:
    """`memory://x` is x; a turn's id leads to the file it stands in."""
    name = asked.permalink.removeprefix(SCHEME).strip()
    return params.Read(permalink=name, path=asked.path, id=asked.id.partition("#")[0])


def _as_text(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return texts.decode(data)[0]


def _section(note: Note, text: str, name: str) -> str:
    """From a heading of that name, or a block id, to the next heading that is not below it."""
    lines = text.splitlines(keepends=True)
    if name.startswith("^"):
        block = next((b for b in note.blocks if b.id == name[1:]), None)
        if block is None:
            raise Refused("not_found", f"the note has no block {name!r}")
        return lines[block.line - 1]
    wanted = fold(name.lstrip("#").strip())
    for first, heading in enumerate(note.headings):
        if fold(heading.text) == wanted:
            return "".join(lines[heading.line - 1 : _end(note.headings[first:], len(lines))])
    known = ", ".join(heading.text for heading in note.headings[:20]) or "none"
    raise Refused("not_found", f"the note has no section {name!r}; its headings: {known}")


def _end(headings: tuple[Heading, ...], last: int) -> int:
    first = headings[0]
    return next((heading.line - 1 for heading in headings[1:] if heading.level <= first.level), last)


def _piece(text: str, offset: int, most: int) -> tuple[str, int | None]:
    """At most so many bytes from an offset, and where the rest begins; offsets inside a character go back to its start."""
    data = text.encode("utf-8", "replace")
    start = _boundary(data, min(offset, len(data)))
    end = _boundary(data, min(start + most, len(data)))
    if end <= start < len(data):
        end = start + 1
        while end < len(data) and data[end] & 0xC0 == 0x80:
            end += 1
    return data[start:end].decode("utf-8", "replace"), end if end < len(data) else None


def _boundary(data: bytes, at: int) -> int:
    while 0 < at < len(data) and data[at] & 0xC0 == 0x80:
        at -= 1
    return at
