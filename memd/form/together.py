"""Two versions of one evidence file as one: turns are joined by who said what when, never by line or number.

Two devices that took in one session while apart wrote the same turns with other capture times, other turns under the
same number, or both. Pure bytes in and out; the same two versions give the same file on every device. Never knows
which device wrote which.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from msgspec import Struct

from memd.form import files
from memd.form.keys import seconds
from memd.model.fingerprint import fingerprint
from memd.parse import frontmatter
from memd.parse.memory import Span, spans

_NUMBER = re.compile(r"t(\d+)")


class Joined(Struct, frozen=True):
    """`places`: block id in the copy → block id of the same turn now. Turns of the note keep their ids."""

    content: bytes
    places: Mapping[str, str]


def joined(note: bytes, copy: bytes) -> Joined | None:
    """The note with every turn that only the copy has, in the copy's order, behind its own. A turn that both have
    keeps the earlier capture time. None where the two are not one evidence file."""
    mine, other = files.decoded(note), files.decoded(copy)
    keys, theirs = (frontmatter.load(frontmatter.split(text))[0] for text in (mine, other))
    if (
        not keys.get("id")
        or keys.get("id") != theirs.get("id")
        or {keys.get("type"), theirs.get("type")} != {"evidence"}
    ):
        return None
    here, there = tuple(spans(mine)), tuple(spans(other))
    same = _same(here, there)
    places = _places(here, there, same)
    added = [_block(other, span, places[span.turn.id]) for n, span in enumerate(there) if n not in same]
    body = _captured(mine, [(here[at].turn.captured_at, there[n].turn.captured_at, here[at]) for n, at in same.items()])
    text = _ended(body, added) + "".join(added)
    changes: dict[str, object] = {"turns": len(here) + len(added)} if added else {}
    changes |= _earlier(keys, theirs)
    if theirs.get("sensitivity") == "sensitive" != keys.get("sensitivity"):
        changes["sensitivity"] = "sensitive"
    data = text.encode("utf-8", "surrogateescape")
    return Joined(files.with_keys(data, changes) if changes else data, places)


def _same(here: Iterable[Span], there: Iterable[Span]) -> dict[int, int]:
    """Turn of the copy → the same turn of the note: by the caller's event id, else speaker, moment and words, as often
    as they are said."""
    by_event: dict[str, int] = {}
    by_words: dict[tuple[str, str, str], list[int]] = defaultdict(list)
    for n, span in enumerate(here):
        by_event.setdefault(span.turn.event_id, n)
        by_words[_words(span)].append(n)
    found: dict[int, int] = {}
    taken: set[int] = set()
    waiting = list(enumerate(there))
    for n, span in [(n, s) for n, s in waiting if s.turn.event_id in by_event and s.turn.event_id]:
        if (at := by_event[span.turn.event_id]) not in taken:
            found[n] = at
            taken.add(at)
    for n, span in waiting:
        free = [at for at in by_words[_words(span)] if at not in taken]
        if n not in found and not span.turn.event_id and free:
            found[n] = free[0]
            taken.add(free[0])
    return found


def _words(span: Span) -> tuple[str, str, str]:
    return span.turn.speaker, span.turn.at, fingerprint(span.words)


def _places(here: tuple[Span, ...], there: tuple[Span, ...], same: Mapping[int, int]) -> dict[str, str]:
    """Where each turn of the copy stands now: a turn of its own keeps its number where that is free."""
    taken = {span.turn.id for span in here}
    numbers = (_NUMBER.fullmatch(span.turn.id) for span in (*here, *there))
    last = max((int(found[1]) for found in numbers if found), default=0)
    places: dict[str, str] = {}
    for n, span in enumerate(there):
        id = here[same[n]].turn.id if n in same else span.turn.id
        if n not in same and id in taken:
            last += 1
            id = f"t{last}"
        taken.add(id)
        places[span.turn.id] = id
    return places


def _block(text: str, span: Span, id: str) -> str:
    """The turn's block as it stands in the copy, under its id here, ending in a blank line."""
    block = text[span.start : span.end].rstrip("\r\n")
    head, _, _ = block.rpartition("^")
    return f"{head}^{id}\n\n"


def _ended(body: str, added: list[str]) -> str:
    if not added or body.endswith("\n\n"):
        return body
    return body.rstrip("\n") + "\n\n"


def _captured(text: str, pairs: Iterable[tuple[str, str, Span]]) -> str:
    """The text with the earlier capture time in the header line of each turn that both have."""
    for mine, other, span in sorted(pairs, key=lambda pair: -pair[2].start):
        if not other or (mine and _moment(mine) <= _moment(other)):
            continue
        end = text.index("\n", span.start)
        head, sign, more = text[span.start : end].partition(" %%{")
        front = head.rstrip().rpartition(" · ")[0]
        text = f"{text[: span.start]}{front} · {other}{sign}{more}{text[end:]}"
    return text


def _moment(time: str) -> tuple[float, str]:
    return seconds(time) or 0.0, time


def _earlier(keys: Mapping[str, object], theirs: Mapping[str, object]) -> dict[str, object]:
    mine, other = str(keys.get("created") or ""), str(theirs.get("created") or "")
    return {"created": other} if other and (not mine or _moment(other) < _moment(mine)) else {}
