"""What a rule for credentials is, and how a piece of text is told from a word of the sentence.

The text that rules see is written plainly (`PLAIN`), so one pattern serves all ways to write it. A pattern's group `s` is the secret, else the whole match is. Knows no text and decides nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from unicodedata import category

from msgspec import Struct

Check = Callable[[str], bool]


class _Plain(dict[int, int]):
    """Half-width for full-width (`:` for `：`), simplified for traditional, `-` for a dash, a space for a picture or an arrow."""

    def __missing__(self, code: int) -> int:
        kind = category(chr(code)) if code > 0x7F else ""
        self[code] = 0x2D if kind == "Pd" else 0x20 if kind in ("So", "Sm", "Sk", "Cf", "Mn") else code
        return self[code]


PLAIN = _Plain({code: code - 0xFEE0 for code in range(0xFF01, 0xFF5F)})
PLAIN |= {0x3000: 0x20, 0x3001: 0x2C, 0x3002: 0x2E, ord("`"): 0x20, ord("’"): ord("'")}
PLAIN |= str.maketrans(
    "碼證驗認動態確權鑰憑據詞號帳賬戶錄啟復備為設換變寫輸還現經統這個記預條鎖別",
    "码证验认动态确权钥凭据词号帐账户录启复备为设换变写输还现经统这个记预条锁别",
)


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


def generated(text: str) -> bool:
    """What nobody would write as a word behind a short label such as `pass:`."""
    return (
        len(text) >= 6
        and mixed(text)
        and bool(re.search(r"[a-z][^a-z]*[A-Z]|[A-Z][^A-Z]*[a-z]|[!@#$%^&*+=~]|[a-z]{2}\d{2}|\d[a-z]+\d", text))
    )


def phrase(text: str) -> bool:
    """Words in a row that do not say how a phrase is: one of them may be `correct`, two may not."""
    return len(_STATUS.intersection(text.lower().split())) < 2


def random(text: str) -> bool:
    """A run of twelve or more letters and digits with both in it: dates, paths and words joined by hyphens have none."""
    return any(mixed(run) for run in re.findall(r"[A-Za-z0-9+/=]{12,}", text))


_STATUS = frozenset(
    """required needed forgotten forgot lost reset expired wrong incorrect correct right changed unknown none null empty
    missing protected secure safe weak strong strength manager policy field below above here hidden optional true false
    yes no invalid valid bad good easy hard same different unchanged pending done todo tbd n/a redacted masked this that
    what when where which also just not only very really too always never still now stored saved written string text password""".split()
)


_CALL = re.compile(r"[A-Za-z_][\w.]*(?:\(.*\)|\[.*\])[,;]?", re.ASCII)
"""A program that fetches the value: `os.environ["DB"]`, `getPassword()`."""


def _said(bare: str) -> bool:
    """A word for how a password stands, or what a program fetches it with."""
    return bare.lower().strip(".,;!?") in _STATUS or _CALL.fullmatch(bare) is not None


def password(text: str) -> bool:
    """Something that nobody would write there as a word of the sentence."""
    bare = text.strip("\"'`“”‘’«»")
    if _said(bare) or len(set(bare)) < 3 or re.fullmatch(r"[*•x.…_-]+", bare):
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
    return password(text) or (bare.isascii() and len(bare) >= 6 and not _said(bare))


_NEXT = re.compile(
    r"(?:(?<=[,;])|\s*(?:[,;/&+]|\b(?:and|or)\b|和|或|跟|与|\n\s*(?:\d{1,2}[.)]|[-*])\s))\s*(?P<s>[\w!@#$%^&*+=~-]{4,64})",
    re.ASCII,
)


def alike(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """What stands in a list behind a secret and is one, too: as many digits as it has, or letters and digits together."""
    first = text[start:end]
    while (found := _NEXT.match(text, end)) and (
        found["s"].isdigit() and len(found["s"]) == len(first)
        if first.isdigit()
        else mixed(found["s"]) and len(found["s"]) >= 6
    ):
        yield found.span("s")
        end = found.end()


_QUALITY = re.compile(
    r".*(ed|ing|able|ible|ous|ant|ent|ive|ful|less|al|ly|ic|ger|ter|ier|est|ary|ory|ure|ak|elf|ost)", re.IGNORECASE
)


def name_like(text: str) -> bool:
    """A plain word that does not say how a password is: `sunflower`, not `important`."""
    return text.lower() not in _STATUS and not _QUALITY.fullmatch(text)


def rule(kind: str, hints: str, pattern: str, check: Check | None = None, flags: int = 0) -> Rule:
    return Rule(kind, tuple(h.replace("␣", " ") for h in hints.split()), re.compile(pattern, flags), check)
