"""What stands in the keys of memory files: links that lead to ids, times, names folded for comparing.

Knows the spelling of keys. Never knows which files there are: look-ups belong to `form.view`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from memd.model.fingerprint import fingerprint, fold, one_line

ID = re.compile(r"(?<![0-9a-z])(?:lf|ep|sm|ch|ev|en|dg)-[0-9a-z]{6,12}(?![0-9a-z])")
_CLOSING = " \t\r\n.。!！;；"
_SEEN = re.compile(r"\[\[([^\[\]|]+)(?:\|([^\[\]]*))?\]\]")


def listed(value: Any) -> tuple[str, ...]:
    """The strings of a key that holds one string or a list of them; anything else is nothing."""
    if isinstance(value, str):
        return (value,) if value else ()
    if isinstance(value, list | tuple):
        return tuple(item for item in value if isinstance(item, str) and item)
    return ()


def inner(link: str) -> str:
    """What a wikilink or a bare name leads to: `a/b#^t3` of `[[a/b#^t3|x]]`."""
    return link.strip().removeprefix("[[").removesuffix("]]").split("|", 1)[0]


def target(link: str) -> tuple[str, str]:
    """(name, block id) that a wikilink or a bare name means: `[[a/b#^t3|x]]` gives `a/b` and `t3`."""
    name, _, block = inner(link).partition("#")
    return name.strip(), block.strip().removeprefix("^")


def link(stem: str, label: str = "", block: str = "") -> str:
    """A wikilink to a file by its stem; `block` is a block id without its caret."""
    inside = f"{stem}#^{block}" if block else stem
    return f"[[{inside}|{label}]]" if label else f"[[{inside}]]"


def unlinked(text: str) -> str:
    """The words without their links: a labelled link gives its label, unless that is a number (a citation)."""
    plain = _SEEN.sub(lambda m: "" if (m[2] or "").isdigit() else m[2] or m[1], text)
    return re.sub(r"[ \t]+", " ", plain).strip()


@lru_cache(maxsize=65536)
def seconds(text: str) -> float | None:
    """Unix seconds of RFC 3339 text or of a date (midnight, UTC where no offset is given); None when it is no time."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return None
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def day(text: str) -> str:
    """The date at the front of a time, "" where there is none."""
    return text[:10] if seconds(text) is not None else ""


def earliest(times: Iterable[str]) -> str:
    """The earliest of the known times, "" when none is known."""
    return min((t for t in times if t and seconds(t) is not None), key=lambda t: seconds(t) or 0.0, default="")


def latest(times: Iterable[str]) -> str:
    return max((t for t in times if t and seconds(t) is not None), key=lambda t: seconds(t) or 0.0, default="")


def folded(text: str) -> str:
    """The form in which subjects, aspects and names are compared."""
    return one_line(fold(text)).strip(_CLOSING)


def proposition_print(text: str, kind: str = "claim", valid_from: str = "") -> str:
    """The fingerprint of a proposition. An event said of another day is another event, in the same words or not."""
    when = valid_from[:10] if kind == "event" else ""
    return fingerprint(folded(text), when) if when else fingerprint(folded(text))


def shortened(text: str, limit: int) -> str:
    """At most `limit` characters, cut between words where there are words."""
    text = one_line(text)
    if len(text) <= limit:
        return text
    cut = text[:limit]
    space = cut.rfind(" ")
    return cut[:space] if space > limit // 2 else cut


def is_chinese(text: str) -> bool:
    """More than a fifth of the letters are Chinese characters."""
    letters = [c for c in text if c.isalpha()]
    return sum("\u4e00" <= c <= "\u9fff" for c in letters) * 5 > len(letters) if letters else False
