"""Two versions of a file as one, at lines: only where both sides added. Anything else is for a person to decide.

A version of a header whose `modified` or `created` alone differs counts as the same; the later `modified` and the
earlier `created` stay. Lines are compared
without their line ends; the first version's line ends are used. Knows lines, never what they mean.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

from memd.edit.splice import newline, read

Hunk = tuple[list[str], list[str], bool]
"""(lines of one side only, lines of the other only, whether this is a stretch that both share)."""

_CLOCK = re.compile(r"(?P<key>modified|created):\s*\S.*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_OBSERVATION = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[[^\[\]()]{2,}\]\s+\S")
_DATED = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\d{4}-)?\d\d-\d\d \d\d:\d\d\s+\S")
_TASK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[.\]\s")


def three_way(base: bytes, ours: bytes, theirs: bytes) -> bytes | None:
    """The merge of two versions that grew out of `base`; None where a side took away or changed a line of it.

    Where only one side changed, that side as it is; else `theirs` with the lines that `ours` adds.
    """
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    end = newline(read(theirs).text)
    root, mine, other = _lines(base), _lines(ours, end), _lines(theirs)
    ours_grew, theirs_grew = _grown(root, mine), _grown(root, other)
    if ours_grew is None or theirs_grew is None:
        return None
    woven: list[str] = []
    for (left, line), (right, same) in zip(theirs_grew, ours_grew, strict=True):
        woven += _side_by_side(left, right)
        woven += [_later(line, same)] if line else []
    return _joined(theirs, woven, end)


def union(note: bytes, copy: bytes) -> bytes | None:
    """Both versions' lines, each once, order kept, where the two differ by additions only; else None.

    Without a common ancestor, lines that stand against each other at one place are additions only where they are
    list items with words of their own, or stand at the end and are no version of one another.
    """
    if note == copy:
        return note
    end = newline(read(note).text)
    kept: list[str] = []
    hunks = list(_hunks(_lines(note), _lines(copy, end)))
    for place, (left, right, shared) in enumerate(hunks):
        if shared or not right:
            kept += left
        elif not left:
            kept += right
        elif (pair := _both(left, right, hunks[:place], place == len(hunks) - 1)) is not None:
            kept += pair
        else:
            return None
    return _joined(note, kept, end)


def _lines(data: bytes, end: str = "") -> list[str]:
    """Lines with their line ends, made `end` where that is given. The last has none where the file has none."""
    parts = read(data).text.split("\n")
    lines = [f"{part}\n" for part in parts[:-1]] + ([parts[-1]] if parts[-1] else [])
    return [_bare(line) + end if end and line.endswith("\n") else line for line in lines]


def _joined(like: bytes, lines: list[str], end: str) -> bytes:
    """The lines as a file in another's encoding; a line that stood last without an end gets one where it is not last now."""
    ended = [line if line.endswith("\n") else line + end for line in lines[:-1]]
    return read(like).encode("".join((*ended, *lines[-1:])))


def _bare(line: str) -> str:
    return line.removesuffix("\n").removesuffix("\r")


def _hunks(mine: list[str], other: list[str]) -> Iterator[Hunk]:
    """Stretches in order; `modified` and `created` lines that differ are shared."""
    a, b = ([_same(line) for line in lines] for lines in (mine, other))
    matcher = SequenceMatcher(None, a, b, autojunk=False)
    for tag, a1, a2, b1, b2 in matcher.get_opcodes():
        if tag == "equal":
            yield [_later(x, y) for x, y in zip(mine[a1:a2], other[b1:b2], strict=True)], [], True
        else:
            yield mine[a1:a2], other[b1:b2], False


def _same(line: str) -> str:
    bare = _bare(line)
    clock = _CLOCK.fullmatch(bare)
    return clock["key"] + ":" if clock else bare


def _later(mine: str, other: str) -> str:
    """The first side's line, or the later of two `modified` lines, the earlier of two `created` lines."""
    clock = _CLOCK.fullmatch(_bare(mine))
    if not clock:
        return mine
    return max(mine, other, key=_bare) if clock["key"] == "modified" else min(mine, other, key=_bare)


def _both(left: list[str], right: list[str], before: list[Hunk], last: bool) -> list[str] | None:
    """Lines that two sides put at one place, the first's first; None where they may be two versions of the same lines."""
    if not any(line.strip() for hunk in before if hunk[2] for line in hunk[0]):
        return None
    items = all(_ITEM.match(line) and not _TASK.match(line) for line in (*left, *right) if line.strip())
    if not items and not last:
        return None
    if any(_versions(x, y) for x in left for y in right):
        return None
    return _side_by_side(left, right)


def _versions(left: str, right: str) -> bool:
    """Whether one line may be the other, edited: one goes on where the other ends, or they are much alike."""
    left, right = left.strip(), right.strip()
    if left == right or not left or not right:
        return False
    if left.startswith(right.rstrip(" .。")) or right.startswith(left.rstrip(" .。")):
        return True
    if any(kind.match(left) and kind.match(right) for kind in (_OBSERVATION, _DATED)):
        return False
    return SequenceMatcher(None, left, right, autojunk=False).ratio() > 0.6


def _grown(root: list[str], grown: list[str]) -> list[tuple[list[str], str]] | None:
    """(what stands before it, the line) for each line of the root as it is in the grown version, and what comes after
    them all; None where a line of the root is not there in its order."""
    found: list[tuple[list[str], str]] = []
    gap: list[str] = []
    wanted = [_same(line) for line in root]
    for line in grown:
        if len(found) < len(wanted) and _same(line) == wanted[len(found)]:
            found.append((gap, line))
            gap = []
        else:
            gap.append(line)
    return [*found, (gap, "")] if len(found) == len(wanted) else None


def _side_by_side(left: list[str], right: list[str]) -> list[str]:
    """Both runs of lines, stretches that they share once; a list item is not said twice."""
    a, b = list(map(_bare, left)), list(map(_bare, right))
    said = {line for line in a if _ITEM.match(line)}
    merged: list[str] = []
    for tag, a1, a2, b1, b2 in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        merged += left[a1:a2]
        if tag != "equal":
            merged += [line for line in right[b1:b2] if _bare(line) not in said]
    return merged
