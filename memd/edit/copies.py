"""Copies that sync engines leave beside a note when two devices changed it: known by name, settled by content.

A plain name (`Plan 2.md`, `Plan-LAPTOP.md`) is a copy only where the content says so. Knows names and lines, no clock.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

from memd.edit import merge
from memd.edit.splice import read
from memd.model.fingerprint import fold, sha256
from memd.model.plan import Move, Plan, Write
from memd.parse import frontmatter

CONFLICTS = ".conflict"

_WORDS = (
    r"conflicted copy|conflicting copy|case conflict|unicode encoding conflict|sfconflict|冲突副本|衝突副本|衝突複本|冲突的副本|衝突的複本"
    r"|競合コピー|競合したコピー|충돌된? ?(?:사본|복사본)|in Konflikt stehende Kopie|Konfliktkopie|copie en conflit|copie conflictuelle"
    r"|copia en conflicto|copia in conflitto|cópia em conflito|cópia conflitante|конфликтующая копия|kopia powodująca konflikt|kopia w konflikcie"
)
_INSIDE = r"[^()（）]*(?:[(（][^()（）]*[)）][^()（）]*)?"
"""What stands in brackets, with a number or a name in brackets of its own."""
_NAMED = (
    re.compile(r"(?P<stem>.+)\.sync-conflict-\d{8}-\d{6}(?:-[A-Z0-9]{7})?"),
    re.compile(rf"(?P<stem>.+?) ?[(（]{_INSIDE}(?:{_WORDS}){_INSIDE}[)）]", re.IGNORECASE),
    re.compile(r"(?P<stem>.+)_conflict-\d{8}-\d{6}"),
    re.compile(r"(?P<stem>.+) \[Conflict(?: \d+)?\]", re.IGNORECASE),
    re.compile(r"(?P<stem>.+)-(?:LAPTOP|DESKTOP|SURFACE|PC|WIN)-[A-Z0-9]{5,}(?:-\d+)?"),
)
_CAPITAL = r"[A-Z\u3040-\u30ff\u3400-\u9fff]"
_PART = r"[\w .'’]{2,40}"
"""Of the name that a person gave a computer, between hyphens. It begins with a capital, or in a script that has none."""
_PLAIN = (
    re.compile(r"(?P<stem>.+?) ?[(（]\d{1,2}[)）]"),
    re.compile(r"(?P<stem>.+) \d{1,2}"),
    *(
        re.compile(rf"(?P<stem>.+)-(?=[^-]*{_CAPITAL}){_PART}(?:-{_PART}){{{hyphens}}}(?:-\d{{1,2}})?")
        for hyphens in range(3)
    ),
)
_KEPT_COPY = re.compile(rf"{re.escape(CONFLICTS)}/(?P<stem>.+)__copy__[0-9a-f]{{8}}\.md", re.DOTALL)
_MARKED = re.compile(r"[)）\]]$| \d{1,2}$|-\d{6}|-[^-]*" + _CAPITAL)
"""What every such name has, to pass over most names."""


def original_of(path: str) -> str | None:
    """The path of the note that a file with a sync engine's name is a copy of; None for any other name."""
    return next(iter(_originals(path, _NAMED)), None)


def is_copy(path: str) -> bool:
    return original_of(path) is not None


def originals(path: str) -> tuple[str, ...]:
    """Where the note may be that a file is a copy of, by its name; most names give none."""
    return _originals(path, _NAMED)[:1] or perhaps_of(path)


def perhaps_of(path: str) -> tuple[str, ...]:
    """Notes that a file with a plain name may be a copy of, iCloud's and OneDrive's way; content decides."""
    return _originals(path, _PLAIN)


class Waiting:
    """Copies by the note that each may be of, its name folded: any file of that name may be the note, and one that
    comes or goes may make plain which is. A copy that is left stays among them."""

    def __init__(self, paths: Iterable[str] = ()) -> None:
        self._copies: defaultdict[str, set[str]] = defaultdict(set)
        for path in paths:
            self.add(path)

    def add(self, path: str) -> bool:
        """Whether the name is one that a copy may have."""
        names = originals(path)
        for name in names:
            self._copies[fold(name)].add(path)
        return bool(names)

    def discard(self, path: str) -> None:
        for name in map(fold, originals(path)):
            self._copies[name].discard(path)
            if not self._copies[name]:
                del self._copies[name]

    def of(self, note: str) -> frozenset[str]:
        return frozenset(self._copies.get(fold(note), ()))


def settle(path: str, original: str, copy: bytes, note: bytes) -> Plan | None:
    """What to do with a copy: the union into the note and the copy to `.conflict/`, or None: leave both to a person.

    The copy is moved, never removed; both are expected to be as they were read. Two devices that see the same pair
    make the same plan, so they converge.
    """
    if not is_copy(path) and not _same_note(note, copy):
        return None
    merged = _merged(note, copy)
    if merged is None:
        return None
    write = (Write(original, merged, sha256(note), append=True),) if merged != note else ()
    move = Move(path, kept_copy(path, copy), sha256(copy))
    reads = ((original, sha256(note)), (path, sha256(copy)))
    return Plan((*write, move), (f"{path} is a sync engine's copy of {original}: lines joined",), reads, undo=True)


def kept_copy(path: str, copy: bytes) -> str:
    """Where a copy that was taken in is kept; its mark is of its bytes, so that two devices keep it at one place."""
    return _kept(path, "copy", sha256(copy)[:8])


def copy_kept_at(path: str) -> str | None:
    """The path of the copy that is kept at this place, as it was before; None for anything else."""
    found = _KEPT_COPY.fullmatch(path)
    return f"{found['stem']}.md" if found else None


def _kept(path: str, origin: str, mark: str) -> str:
    stem = path[:-3] if path.lower().endswith(".md") else path
    who = re.sub(r"[^\w-]+", "-", origin).strip("-") or "unknown"
    return f"{CONFLICTS}/{stem}__{who}__{mark}.md"


def _originals(path: str, patterns: tuple[re.Pattern[str], ...]) -> tuple[str, ...]:
    folder, slash, name = path.rpartition("/")
    stem = name[:-3]
    if not (_MARKED.search(stem) and name.lower().endswith(".md")):
        return ()
    return tuple(f"{folder}{slash}{found['stem']}.md" for each in patterns if (found := each.fullmatch(stem)))


def _merged(note: bytes, copy: bytes) -> bytes | None:
    """The union, unless memory owns the file: its turns and hashes are no lines to be joined; then only what adds nothing."""
    merged = merge.union(note, copy)
    if (
        merged is None
        or merged == note
        or not ({"body_sha256", "turns", "id"} & frontmatter.spans(read(note).text).keys())
    ):
        return merged
    return merged if merged == copy and b"body_sha256" not in copy else None


def _same_note(note: bytes, copy: bytes) -> bool:
    """Evidence that two files are one note: they carry one permalink or id, or one is the other with lines added."""
    if note == copy:
        return True
    mine, other = (_identity(data) for data in (note, copy))
    if mine or other:
        return bool(mine) and mine == other
    if min(len(note.splitlines()), len(copy.splitlines())) < 3:
        return False
    return merge.union(note, copy) in (note, copy)


def _identity(data: bytes) -> tuple[str, ...]:
    text = read(data).text
    spans = frontmatter.spans(text)
    return tuple(text[slice(*spans[key])].strip("\"'") for key in ("permalink", "id") if key in spans)
