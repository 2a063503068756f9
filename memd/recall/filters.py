"""Which notes may be answers: every structured filter as one test of a note, before any ranking.

Knows the snapshot and what memory's files say together. Never knows words, scores or hits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import lru_cache
from typing import Any

from memd.edit.copies import original_of
from memd.form import view
from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Note, Turn
from memd.model.vault import Vault, folder
from memd.parse import times
from memd.recall import values
from memd.recall.query import Inline

Test = Callable[[Note], bool]

DEFAULT_KINDS = ("note", "leaf", "chain", "profile")
FALLBACK_KINDS = ("episode", "turn")


def kinds_of(asked: Sequence[str]) -> tuple[str, ...]:
    """The kinds of units that are asked for; evidence is found by its turns."""
    found = ["turn" if kind == "evidence" else kind for kind in asked]
    return tuple(dict.fromkeys(found)) or DEFAULT_KINDS


def every(tests: Sequence[Test]) -> Test:
    """One test that is all of them."""

    def passes(note: Note) -> bool:
        for test in tests:  # noqa: SIM110  a generator for each of hundreds of files costs more than the tests
            if not test(note):
                return False
        return True

    return passes


def period(since: str, until: str, zone: tzinfo) -> tuple[float, float]:
    """Unix seconds from and to (exclusive); a date alone is the whole day. Raises Refused: invalid_params."""
    start, end = float("-inf"), float("inf")
    if since:
        start = _bounds("since", since, zone)[0]
    if until:
        first, last = _bounds("until", until, zone)
        end = last if last > first else first + 1e-6
    return start, end


def _bounds(name: str, text: str, zone: tzinfo) -> tuple[float, float]:
    found = values.bounds(text, zone)
    if found is None:
        raise Refused(
            "invalid_params", f"{name} {text[:60]!r} is no time; write one like 2026-04-02 or 2026-04-02T09:00:00+08:00"
        )
    return found


def when(note: Note, zone: tzinfo, turn: Turn | None = None) -> float:
    """The time that a period speaks of: when memory's material was observed or said, else when the note was modified."""
    if turn is not None:
        written: tuple[Any, ...] = (turn.at, turn.captured_at)
    elif note.kind == "leaf":
        written = (note.frontmatter.get("observed_at"),)
    elif note.kind in ("episode", "summary", "digest"):
        written = (note.frontmatter.get("to"), note.frontmatter.get("from"))
    elif note.kind == "evidence":
        written = (note.frontmatter.get("date"),)
    else:
        return note.modified
    for text in written:
        if isinstance(text, str) and (at := seconds(text, zone)):
            return at
    return note.created or note.modified


@lru_cache(maxsize=131_072)
def seconds(text: str, zone: tzinfo) -> float:
    """As `times.seconds`, kept: a question asks it of thousands."""
    return times.seconds(text, zone)


def _own(note: Note) -> Mapping[str, Callable[[], Any]]:
    return {
        "title": lambda: note.title,
        "type": lambda: note.type,
        "kind": lambda: note.kind,
        "id": lambda: note.id or None,
        "path": lambda: note.path,
        "permalink": lambda: note.permalink,
        "tags": lambda: list(tags(note)) or None,
        "aliases": lambda: list(note.aliases) or None,
        "origin": lambda: note.origin or None,
        "status": lambda: note.status or None,
        "sensitivity": lambda: note.sensitivity,
    }


def field(note: Note, name: str, zone: tzinfo) -> Any:
    """A property by name, case folded: what the note is, its frontmatter, its Dataview fields; None where it has none."""
    wanted = fold(name)
    if own := _own(note).get(wanted):
        return own()
    if (value := note.frontmatter.get(name)) is not None:
        return value
    for key, value in note.frontmatter.items():
        if fold(key) == wanted:
            return value
    if wanted in ("created", "modified"):
        return times.from_seconds(getattr(note, wanted), zone) or None
    said = [each.value for each in note.fields if fold(each.key) == wanted]
    return said or None


def tags(note: Note) -> Iterable[str]:
    """Tags of the frontmatter, of the text and of observations, once each."""
    found = dict.fromkeys(note.tags)
    for seen in note.observations:
        found |= dict.fromkeys(seen.tags)
    return found


def tagged(wanted: str) -> Test:
    """`inbox` finds `inbox` and what is nested in it, whatever its case."""
    name = fold(wanted.strip().lstrip("#").rstrip("/"))
    return lambda note: any(tag == name or tag.startswith(name + "/") for tag in map(fold, tags(note)))


def beneath(wanted: str) -> Test:
    """In the folder or in one of its folders; case and NFC folded. "" and "/" are the vault."""
    name = fold(wanted.strip().strip("/"))
    if not name or name == ".":
        return lambda note: True
    if any(part.startswith(".") for part in name.replace("\\", "/").split("/")):
        raise Refused("outside_vault", "the folder leaves the vault or is hidden: name a visible folder inside it")
    return lambda note: (place := fold(folder(note.path))) == name or place.startswith(name + "/")


def where(tests: Mapping[str, Any], zone: tzinfo) -> list[Test]:
    def one(name: str, test: Any) -> Test:
        return lambda note: values.matches(field(note, name, zone), test, zone)

    return [one(name, test) for name, test in tests.items()]


def inline(filters: Iterable[Inline], zone: tzinfo) -> list[Test]:
    """Filters typed into a query: `path:` is a part of the path, as in Obsidian."""
    return [_not(test) if each.negated else test for each in filters for test in (_inline(each, zone),)]


def _not(test: Test) -> Test:
    return lambda note: not test(note)


def _inline(each: Inline, zone: tzinfo) -> Test:
    if each.kind == "tag":
        return tagged(each.value or "")
    if each.kind == "path":
        part = fold((each.value or "").strip())
        return lambda note: part in fold(note.path)
    test = {"exists": True} if each.value is None else each.value
    return lambda note: values.matches(field(note, each.key, zone), test, zone)


def category(vault: Vault, wanted: str) -> Test:
    """`interaction` or `integration`: said by evidence, else by the tree that owns it."""
    return lambda note: (
        (
            str(note.frontmatter.get("category") or "")
            if note.kind == "evidence"
            else tree(vault, note).partition(":")[0]
        )
        == wanted
    )


def tree(vault: Vault, note: Note) -> str:
    """The id of the tree that owns a memory file, a chain by its members; "" for what no tree owns."""
    own = note.frontmatter.get("tree")
    if isinstance(own, str) and note.kind in ("leaf", "summary", "entity"):
        return own
    if note.kind == "chain" and note.id:
        memory = view.of(vault)
        return next((memory.tree_of(leaf) for leaf in memory.members.get(note.id, ())), "")
    return ""


def of_tree(vault: Vault, wanted: str) -> Test:
    name = fold(wanted)
    return lambda note: fold(tree(vault, note)) == name


def shown(include_sensitive: bool, within: str = "", turns: bool = False) -> list[Test]:
    """What may be shown at all: no sensitive note unless asked for, nothing outside `within`.

    `turns`: evidence is shown turn by turn, each judged by `hidden`; a file in which single turns are marked may take part.
    """
    tests: list[Test] = []
    if not include_sensitive:
        tests = [lambda note: not note.sensitive or (turns and any(turn.sensitive for turn in note.turns))]
    return [*tests, beneath(within)] if within else tests


def hidden(note: Note, turn: Turn) -> bool:
    """Whether a turn is sensitive: it is marked itself, or its file is and no single turn of it is."""
    return turn.sensitive or (note.sensitive and not any(each.sensitive for each in note.turns))


_original_of = lru_cache(maxsize=65536)(original_of)


def ranked(vault: Vault) -> Test:
    """A sync engine's copy of a note is no answer beside the note; where the note is not there it is what is left of it."""
    return lambda note: (original := _original_of(note.path)) is None or vault.at(original) is None
