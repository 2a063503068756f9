"""Two versions of a file as one, at lines: only where both sides added. Anything else is for a person to decide.

A version of a header whose `modified` or `created` alone differs counts as the same; the later `modified` and the
earlier `created` stay. Lines are compared
without their line ends; the first version's line ends are used. Knows lines, never what they mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import pairwise, takewhile

from memd.edit.splice import newline, read

Hunk = tuple[list[str], list[str], bool]
"""(lines of one side only, lines of the other only, whether this is a stretch that both share)."""
Worded = tuple[str, Counter[tuple[str, str]]]
"""A line without its ends, and each of its letters with the one behind it, as often as they stand so."""

_CLOCK = re.compile(r"(?P<key>modified|created):\s*\S.*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s")
_OBSERVATION = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[[^\[\]()]{2,}\]\s+\S")
_DATED = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\d{4}-)?\d\d-\d\d \d\d:\d\d\s+\S")
_TASK = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+\[.\]\s")
MOST_STEPS = 50_000_000
"""What aligning two stretches may take at worst: pairs of equal lines times stretches that may be shared. Some seconds."""
MOST_LETTERS = 50_000_000
"""Letters read in looking for versions of one another among the pairs of lines at one place. Some seconds."""
ALIKE = 0.5
"""Share of neighbouring letters in common from which a line may be another, edited. Of lines with a word changed, gone or new
.99 have it, of those with a third of their words changed .99, of unrelated ones .015 (difflib's ratio above .6: .99, .975, .029)."""


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
    hunks = _hunks(_lines(note), _lines(copy, end))
    if hunks is None:
        return None
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


def _hunks(mine: list[str], other: list[str]) -> list[Hunk] | None:
    """Stretches in order; `modified` and `created` lines that differ are shared. None where it would take too long."""
    spans = _aligned(list(map(_same, mine)), list(map(_same, other)))
    if spans is None:
        return None
    return [
        (list(map(_later, mine[a1:a2], other[b1:b2])), [], True) if shared else (mine[a1:a2], other[b1:b2], False)
        for shared, a1, a2, b1, b2 in spans
    ]


def _aligned(a: Sequence[str], b: Sequence[str]) -> list[tuple[bool, int, int, int, int]] | None:
    """(whether both share it, its place in `a`, its place in `b`) of each stretch, in order. Blank lines are shared beside
    others only. None where lines that stand again and again would make it take minutes."""
    head = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(a, b, strict=False)))
    rest = zip(reversed(a[head:]), reversed(b[head:]), strict=False)
    tail = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], rest))
    left, right = a[head : len(a) - tail], b[head : len(b) - tail]
    counts = Counter(filter(str.strip, right))
    if sum(counts[line] for line in left) * min(len(left), len(right)) > MOST_STEPS:
        return None
    codes = SequenceMatcher(lambda line: not line.strip(), left, right, autojunk=False).get_opcodes()
    spans = [(tag == "equal", a1 + head, a2 + head, b1 + head, b2 + head) for tag, a1, a2, b1, b2 in codes]
    if head:
        spans.insert(0, (True, 0, head, 0, head))
    if tail:
        spans.append((True, len(a) - tail, len(a), len(b) - tail, len(b)))
    return spans


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
    if not _few(left, right):
        return None
    mine, other = list(map(_worded, left)), list(map(_worded, right))
    if any(_versions(x, y) for x in mine for y in other):
        return None
    return _side_by_side(left, right)


def _few(left: list[str], right: list[str]) -> bool:
    """Whether every line of one side can be compared with every line of the other in reasonable time."""
    return len(left) * sum(map(len, right)) + len(right) * sum(map(len, left)) <= MOST_LETTERS


def _versions(left: Worded, right: Worded) -> bool:
    """Whether one line may be the other, edited: one goes on where the other ends, or they are much alike."""
    (mine, pairs), (other, others) = left, right
    if mine == other or not mine or not other:
        return False
    if mine.startswith(other.rstrip(" .。")) or other.startswith(mine.rstrip(" .。")):
        return True
    if any(kind.match(mine) and kind.match(other) for kind in (_OBSERVATION, _DATED)):
        return False
    return 2 * (pairs & others).total() > ALIKE * (pairs.total() + others.total())


def _worded(line: str) -> Worded:
    return line.strip(), Counter(pairwise(line.strip()))


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
    for shared, a1, a2, b1, b2 in _aligned(a, b) or [(False, 0, len(a), 0, len(b))]:
        merged += left[a1:a2]
        if not shared:
            merged += [line for line in right[b1:b2] if _bare(line) not in said]
    return merged
