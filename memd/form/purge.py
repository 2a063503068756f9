"""What would show that something is not gone: the distinctive phrases of a text, and whether a text holds any.

Pure text. The daemon searches vault and cache with these; it also asks `remaining` which of the person's own notes
still say it. Phrases are words that were to be forgotten: they live in memory only and are never logged or written.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from memd.edit import journal
from memd.form.view import Memory
from memd.model.fingerprint import one_line
from memd.model.question import Asking, Read
from memd.model.vault import Vault
from memd.parse.text import decode

_WORD = re.compile(r"[^\W_]+")
_COMMON = frozenset(
    (
        "the a an and or but if then than that this these those it its is are was were be been am do does did have has had "
        "i you he she we they me my your his her our their them us of to in on at for with from by as about into not no "
        "so up out just now what when where which who how why can could will would should may might there here user "
        "assistant said told says"
    ).split()
)
CHINESE = 6
"""Characters of a Chinese phrase; shorter runs are too common to prove anything."""
WORDS = 4
"""Words of a phrase in a spaced script."""


def normal(text: str) -> str:
    """The form in which phrases are looked for: NFC, case folded, white space collapsed."""
    return one_line(unicodedata.normalize("NFC", text).casefold())


def phrases(forgotten: Iterable[str], kept: Iterable[str] = ()) -> tuple[str, ...]:
    """Distinctive phrases of the forgotten texts, longest first, none of which the kept texts hold."""
    others = "\n".join(normal(text) for text in kept)
    found: dict[str, None] = {}
    for text in forgotten:
        for phrase in _phrases_of(normal(text)):
            if phrase not in others:
                found[phrase] = None
    return tuple(sorted(found, key=lambda p: (-len(p), p)))


def _phrases_of(text: str) -> Iterable[str]:
    for run in re.findall(r"[\u3400-\u9fff]+", text):
        for start in range(0, max(1, len(run) - CHINESE + 1), CHINESE // 2):
            if len(part := run[start : start + CHINESE]) >= CHINESE:
                yield part
    for line in re.split(r"[\u3400-\u9fff\n.!?;:，。！？；：]+", text):
        words = [m for m in _WORD.finditer(line) if m[0].isascii() or not re.search(r"[\u3400-\u9fff]", m[0])]
        for start in range(0, max(0, len(words) - WORDS + 1), WORDS // 2):
            part = words[start : start + WORDS]
            if sum(len(m[0]) for m in part if m[0] not in _COMMON) >= 8:
                yield line[part[0].start() : part[-1].end()]
        for word in words:
            if len(word[0]) >= 7 and word[0] not in _COMMON and _odd(word[0]):
                yield word[0]


def _odd(word: str) -> bool:
    """A word that mixes letters and digits: an id, a number plate, a code."""
    return any(c.isdigit() for c in word) and any(c.isalpha() for c in word)


def mentions(text: str, wanted: Iterable[str]) -> tuple[str, ...]:
    """Those of the phrases that the text holds."""
    said = normal(text)
    return tuple(phrase for phrase in wanted if phrase in said)


def remaining(vault: Vault, memory: Memory, wanted: tuple[str, ...]) -> Asking:
    """Notes that memory does not own and that still say it: told as `tuple[{where, path, line}]`; the plan is no part."""
    found: list[dict[str, object]] = []
    for path, note in sorted(vault.notes.items()):
        if not wanted or (note.id in memory.files and memory.files[note.id] is note):
            continue
        data = yield Read(path)
        text = decode(data)[0] if data is not None else ""
        if note.type == "journal":
            text = journal.persons(text)
        if mentions(text, wanted):
            line = next((n for n, row in enumerate(text.split("\n"), 1) if mentions(row, wanted)), 0)
            found.append({"where": "note", "path": path, "line": line})
    return tuple(found)


def copies_to_remove(paths: Iterable[str], ids: Iterable[str], wanted: tuple[str, ...]) -> Asking:
    """Of memd's own copies (trash, conflicts, history) those that hold an id or a phrase of what is purged."""
    ids, found = tuple(ids), []
    for path in paths:
        data = yield Read(path)
        if data is None:
            continue
        text = decode(data)[0] or data.decode("utf-8", "replace")
        if any(id in path or id in text for id in ids) or mentions(text, wanted):
            found.append(path)
    return tuple(found)
