"""What a rule for credentials is, and how a piece of text is told from a word of the sentence.

The text that rules see has full-width characters made half-width (`：` is `:`), so one pattern serves Chinese and English.
A pattern's group `s` is the secret, else the whole match is. Knows no text and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from msgspec import Struct

Check = Callable[[str], bool]


class Rule(Struct, frozen=True):
    """`hints` are lower-case pieces of which one must be in the lower-case text; `check` judges the secret itself."""

    kind: str
    hints: tuple[str, ...]
    pattern: re.Pattern[str]
    check: Check | None = None


def has_digit(text: str) -> bool:
    return any(c.isdigit() for c in text)


def mixed(text: str) -> bool:
    """Letters and digits together, as in generated strings and unlike in words or counts."""
    return has_digit(text) and any(c.isalpha() for c in text)


def random(text: str) -> bool:
    """A run of twelve or more letters and digits with both in it: dates, paths and words joined by hyphens have none."""
    return any(mixed(run) for run in re.findall(r"[A-Za-z0-9+/=]{12,}", text))


_STATUS = frozenset(
    """required needed forgotten forgot lost reset expired wrong incorrect correct right changed unknown none null empty
    missing protected secure safe weak strong strength manager policy field below above here hidden optional true false
    yes no invalid valid bad good easy hard same different unchanged pending done todo tbd n/a redacted masked this that
    what when where which also just not only very really too always never still now stored saved written""".split()
)


def password(text: str) -> bool:
    """Something that nobody would write there as a word of the sentence."""
    bare = text.strip("\"'`“”‘’«»")
    if bare.lower().strip(".,;!?") in _STATUS or len(set(bare)) < 3 or re.fullmatch(r"[*•x.…_-]+", bare):
        return False
    if "://" in bare or bare.startswith(("<", "{", "$", "[[", "%", "‹")):
        return False
    inner = bare.strip(".,;!?")
    return (
        has_digit(inner)
        or len(inner) >= 16
        or bool(re.search(r"[!@#$%^&*+=~]", inner[1:] if inner.startswith("#") else inner))
        or bool(re.search(r"[a-z][A-Z]", inner))
    )


def assigned(text: str) -> bool:
    """After a colon or an equals sign a plain word is a password, too, unless it says how things stand."""
    bare = text.strip("\"'`“”‘’")
    return password(text) or (bare.isascii() and len(bare) >= 6 and bare.lower().strip(".,;!?") not in _STATUS)


_QUALITY = re.compile(
    r".*(ed|ing|able|ible|ous|ant|ent|ive|ful|less|al|ly|ic|ger|ter|ier|est|ary|ory|ure|ak|elf|ost)", re.IGNORECASE
)


def name_like(text: str) -> bool:
    """A plain word that does not say how a password is: `sunflower`, not `important`."""
    return text.lower() not in _STATUS and not _QUALITY.fullmatch(text)


def rule(kind: str, hints: str, pattern: str, check: Check | None = None, flags: int = 0) -> Rule:
    return Rule(kind, tuple(h.replace("␣", " ") for h in hints.split()), re.compile(pattern, flags), check)
