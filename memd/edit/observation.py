"""One observation more in a note: where its like stand, in the list's own form, and never twice.

    - [category] text #tag (context)

Knows lists, sections and the note's language. Never knows what an observation means, or the file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from msgspec import Struct

from memd.edit import escape
from memd.edit.splice import Splice, apply, newline
from memd.edit.words import headings_for, says_observations
from memd.model.errors import Refused
from memd.model.fingerprint import fold
from memd.model.note import Heading, Observation
from memd.parse.blocks import BLANK
from memd.parse.markdown import Item, Scan, scan

_NO_CATEGORY = re.compile(r"[\[\]()\x00-\x1f]")
_TASK_MARKS = frozenset("xX")
_NUMBER = re.compile(r"(\d{1,8})([.)])")
_NO_TAG = re.compile(r"[^\w/-]+")


class Appended(Struct, frozen=True):
    """`line` is where the observation stands in the text after the splices; `duplicate`: it stood there before."""

    splices: tuple[Splice, ...]
    line: int
    duplicate: bool = False


def append(
    text: str, category: str, words: str, tags: Iterable[str] = (), context: str = "", section: str = ""
) -> Appended:
    """Where and how the observation goes in.

    Into the section that is named (made at the end where there is none); else after the last observation of its
    category, else after the last one, else into the section of observations. Raises Refused: invalid_params.
    """
    item = line(category, words, tuple(tags), context)
    at = scan(text)
    if stands := _same(at, category, words):
        return Appended((), stands, duplicate=True)
    for splice in _spaced(_candidates(text, at, category, item, section), newline(text)):
        after = apply(text, (splice,))
        stated = text.count("\n", 0, splice.start) + splice.text[: splice.text.index(item)].count("\n") + 1
        if _stands(at, after, item, stated):
            return Appended((splice,), stated)
    raise Refused("conflict", "the note has no place where a list item would be read: close its code or comment first")


def line(category: str, words: str, tags: tuple[str, ...] = (), context: str = "") -> str:
    """The item without its marker. Raises Refused: invalid_params for a category or text that cannot be read back."""
    name = escape.plain(category)
    if not name or _NO_CATEGORY.search(name) or name in _TASK_MARKS:
        raise Refused("invalid_params", "a category is a word or a few, without brackets, and not the mark of a task")
    text = escape.plain(words)
    if not text:
        raise Refused("invalid_params", "the text of an observation is empty: say what was observed")
    if len(name) > 1 and escape.reading(f"[{name}] x") is None:
        raise Refused(
            "invalid_params", f"{name!r} is no category that a note can have: use a word, no time and no sign"
        )
    named = tuple(word for word in dict.fromkeys(map(tag, tags)) if word)
    return f"[{name}] {escape.escaped(text, named, _enclosed(escape.plain(context)))}"


def tag(text: str) -> str:
    """A tag as notes have it: without its sign, white space as hyphens, never digits alone; "" for nothing."""
    bare = _NO_TAG.sub("", "-".join(text.strip().lstrip("#").split())).strip("/")
    return f"_{bare}" if bare.isdigit() else bare


def _enclosed(context: str) -> str:
    """A context that its brackets hold: unbalanced ones inside are made full-width, tags are none."""
    depth = 0
    for sign in context:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
    if depth:
        context = context.replace("(", "（").replace(")", "）")
    return re.sub(r"#(?=[^\s#])", r"\\#", context).replace("%%", r"%\%")


def _key(words: str) -> str:
    return fold(escape.plain(words))


def _same(at: Scan, category: str, words: str) -> int:
    """The line of an observation of that category with those words; 0 where there is none. Tags and context do not count."""
    want = (_key(category), _key(words))
    for seen in at.observations:
        if (_key(seen.category), _key(escape.unescaped(seen.text))) == want:
            return seen.line
    if len(want[0]) == 1:
        for item in at.items:
            inner = at.text[item.start : item.end]
            if fold(inner).startswith(f"[{want[0]}] ") and _key(escape.read_back(f"[xx]{inner[3:]}") or "") == want[1]:
                return item.line
    return 0


def _candidates(text: str, at: Scan, category: str, item: str, section: str) -> Iterable[Splice]:
    """Places in the order of their fitness."""
    end = newline(text)
    seen = [o.line for o in at.observations]
    like = [o.line for o in at.observations if _key(o.category) == _key(category)]
    if section:
        heading = _heading(at, lambda h: fold(h.text.strip()) == fold(section.strip().lstrip("#").strip()))
        if heading:
            first, last = _range(at, heading)
            inside = [[n for n in lines if first <= n <= last] for lines in (like, seen)]
            yield from (_after_item(at, lines[-1], item, end) for lines in inside if lines)
            yield _in_section(at, heading, item, end)
        name = section.strip().lstrip("#").strip()
    else:
        yield from (_after_item(at, lines[-1], item, end) for lines in (like, seen) if lines)
        if heading := _heading(at, lambda h: says_observations(h.text)):
            yield _in_section(at, heading, item, end)
        name = headings_for(" ".join(h.text for h in at.headings) or text).observations
    level = min((h.level for h in at.headings if h.level > 1), default=2)
    yield _new_section(text, len(text), f"{'#' * level} {name}", item, end)
    yield _new_section(text, at.head.body, f"{'#' * level} {name}", item, end)


def _heading(at: Scan, wanted: Callable[[Heading], bool]) -> Heading | None:
    return next((heading for heading in at.headings if wanted(heading)), None)


def _range(at: Scan, heading: Heading) -> tuple[int, int]:
    """Lines of a section from its heading on, subsections and all."""
    later = (h.line for h in at.headings if h.line > heading.line and h.level <= heading.level)
    return heading.line, next(later, at.first + len(at.blocks.starts)) - 1


def _after_item(at: Scan, number: int, item: str, end: str) -> Splice:
    """After a list item with all that belongs to it, with its indentation and marker."""
    like = next(i for i in at.items if i.line == number and at.text[i.start : i.start + 1] == "[")
    lines = at.blocks.starts
    last = here = number - at.first
    starts = {i.line - at.first: i.depth for i in reversed(at.items)}
    for n in range(here + 1, len(lines)):
        if at.blocks.kinds[n] == BLANK:
            continue
        if not at.blocks.listed[n] or starts.get(n, like.depth + 1) <= like.depth:
            break
        last = n
    return _line_at(at, last + 1, _prefix(at, like, lines[here]) + item, end)


def _prefix(at: Scan, like: Item, start: int) -> str:
    """What stands before an item's text on its line: indentation and marker, the next number for a numbered one."""
    before = at.text[start : like.start]
    marker = before.rindex(like.marker)
    number = _NUMBER.fullmatch(like.marker)
    mark = f"{int(number[1]) + 1}{number[2]}" if number else like.marker
    return re.sub(r"\S", " ", before[:marker]) + mark + (before[marker + len(like.marker) :] or " ")


def _in_section(at: Scan, heading: Heading, item: str, end: str) -> Splice:
    """After the last line of a section's own content, before its subsections; a list goes on in its own form."""
    first = heading.line - at.first
    stop = next((h.line for h in at.headings if h.line > heading.line), at.first + len(at.blocks.starts)) - at.first
    filled = [n for n in range(first + 1, stop) if at.blocks.kinds[n] != BLANK]
    last = filled[-1] if filled else first
    tops = [i for i in at.items if first < i.line - at.first < stop and not i.quoted and i.depth == 0]
    if tops and at.blocks.listed[last]:
        return _line_at(at, last + 1, _prefix(at, tops[-1], at.blocks.starts[tops[-1].line - at.first]) + item, end)
    gap = end if filled and filled[-1] > first + _setext(at, first) else ""
    return _line_at(at, last + 1, f"{gap}{_marker(at)} {item}", end)


def _setext(at: Scan, first: int) -> int:
    """1 where a heading has a line of signs below it."""
    below = at.text[at.blocks.starts[first] :].split("\n", 2)[1:2]
    return int(bool(below and re.fullmatch(r"\s*(=+|-+)\s*", below[0].rstrip("\r"))))


def _marker(at: Scan) -> str:
    """The bullet that the note uses; a hyphen where it uses none."""
    return next((i.marker for i in at.items if i.marker in "-*+" and not i.quoted), "-")


def _line_at(at: Scan, n: int, written: str, end: str) -> Splice:
    """A line before line `n` of the body; at the end of a text without a final line end it has none either."""
    starts = at.blocks.starts
    if n < len(starts):
        return Splice(starts[n], starts[n], written + end)
    size = len(at.text)
    return Splice(size, size, end + written if at.text and not at.text.endswith("\n") else written + end)


def _new_section(text: str, place: int, heading: str, item: str, end: str) -> Splice:
    """A heading and the item, apart from what stands around them by an empty line."""
    before, after = text[:place], text[place:]
    bare = bool(before) and not before.endswith("\n")
    gap = "" if not before.strip() or re.search(r"\n[ \t]*\r?\n$", before) else end
    last = "" if bare and not after else end
    return Splice(place, place, f"{end if bare else ''}{gap}{heading}{end}- {item}{last}{end if after.strip() else ''}")


def _spaced(splices: Iterable[Splice], end: str) -> Iterator[Splice]:
    """Every place as it is or with an empty line after it, then, for what would still go on with the item, a comment."""
    places = list(splices)
    for splice in places:
        yield splice
        yield Splice(splice.start, splice.end, splice.text + end)
    for splice in places:
        yield Splice(splice.start, splice.end, f"{splice.text}{end}<!-- -->{end}{end}")


def _stands(before: Scan, after: str, item: str, number: int) -> bool:
    """Whether the text still states everything that it did, and the new item, alone, at that line."""
    now = scan(after)
    new = escape.reading(item)
    stated = [_said(o) for o in now.observations if o.line != number or new is None]
    if stated != [_said(o) for o in before.observations]:
        return False
    if not {(h.level, h.text) for h in before.headings} <= {(h.level, h.text) for h in now.headings}:
        return False
    if new is None:
        return any(i.line == number and after[i.start : i.end] == item and not i.quoted for i in now.items)
    return any(o.line == number and _said(o) == _said(new) for o in now.observations)


def _said(seen: Observation) -> tuple[object, ...]:
    return seen.category, seen.text, seen.tags, seen.context
