"""Whom and what a file names as its matter, as one folded text, kept: for a filter that asks it of ten thousand files.

Knows the keys of memory's files. Never knows a question.
"""

from __future__ import annotations

from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.recall.columns import Column

_KEYS = ("subject", "holder", "speaker", "tree", "name", "title")


def _named(note: Note) -> str:
    keys = note.frontmatter
    linked = keys.get("entities")
    names = [note.title, *(str(keys.get(key) or "") for key in _KEYS)]
    names += map(str, linked) if isinstance(linked, list | tuple) else ()
    return fold("\n".join(names))


NAMED = Column(_named)
