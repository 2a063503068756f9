"""The words of a summary. Extractive: sentences of the children, each with the child it is from; what does not fit is
named in `dropped`. A model may word it; an answer that brings in a number or cites nobody is not taken.

Knows children as texts with names. Never knows files or trees.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from memd.form.keys import is_chinese, link, shortened, unlinked

LENGTH = 1600
"""Characters of a summary's sentences, links aside."""
LISTED = 48
"""Entries of `dropped` at most; the last says how many more there are."""

_CITED = re.compile(r"(.+?)\s*((?:\[\[[^\]]+\]\]\s*)+)", re.S)
_END = re.compile(r"(?<=[.!?])\s+(?=[^\s])|(?<=[。！？；])\s*")
_DETAIL = re.compile(
    r"\d{4}-\d{2}-\d{2}|\d{1,2}月\d{1,2}[日号]|\d[\d,.:/%-]*|"
    r"\b(?:not|never|no longer|without|n't)\b|(?:不再|没有|从未|不要|不能|不)|"
    r"\b[A-Z][\w'-]+(?:\s+[A-Z][\w'-]+)*|《[^》]{1,40}》|“[^”]{1,40}”"
)


class Child(Struct, frozen=True):
    """`text` is a leaf's proposition or a summary's body; `name` its file's stem; `hidden`: sensitive, not to be told."""

    id: str
    name: str
    text: str
    superseded: bool = False
    hidden: bool = False


class Sentence(Struct, frozen=True):
    """`children` are places in the list of children, from 1."""

    text: str
    children: tuple[int, ...]


class Summary(Struct, frozen=True):
    """Answer to the task `summary`."""

    sentences: tuple[Sentence, ...]


class Worded(Struct, frozen=True):
    body: str
    dropped: tuple[str, ...]


def extract(children: tuple[Child, ...]) -> Summary:
    """Sentences in the children's order: the first of each, then the second of each, as long as there is room.
    What is current goes before what is superseded."""
    rows = [(place, sentences(c.text)) for place, c in enumerate(children, 1) if not c.hidden]
    rows.sort(key=lambda row: children[row[0] - 1].superseded)
    taken: list[tuple[int, int, str]] = []
    room = LENGTH
    for nth in range(max((len(found) for _, found in rows), default=0)):
        for place, found in rows:
            if nth < len(found) and (len(found[nth]) <= room or not taken):
                text = shortened(found[nth], LENGTH)
                taken.append((place, nth, text))
                room -= len(text)
    kept = [
        Sentence(_once(text, children[place - 1]), (place,)) for place, _, text in sorted(taken, key=lambda t: t[:2])
    ]
    return Summary(tuple(kept))


def _once(text: str, child: Child) -> str:
    if not child.superseded:
        return text
    return f"先前：{text}" if is_chinese(text) else f"Before: {text}"


def sentences(text: str) -> list[str]:
    """The sentences of a text, without links; what is cited is parted from its citation first."""
    parts = [m[1] for m in _CITED.finditer(text)] or [text]
    found = [s.strip() for part in parts for s in _END.split(unlinked(part)) if s.strip()]
    return [s.removeprefix("先前：").removeprefix("Before: ") if "[[" in text else s for s in found]


def acceptable(answer: Summary, children: tuple[Child, ...]) -> bool:
    """Every sentence cites children that may be told, and brings in no number that they do not have."""
    for sentence in answer.sentences:
        cited = [children[n - 1] for n in sentence.children if 1 <= n <= len(children)]
        if not cited or len(cited) < len(sentence.children) or any(c.hidden for c in cited):
            return False
        known = " ".join(unlinked(c.text) for c in cited)
        if any(number not in known for number in re.findall(r"\d+", sentence.text)):
            return False
    return bool(answer.sentences) and sum(len(s.text) for s in answer.sentences) <= LENGTH * 2


def worded(summary: Summary, children: tuple[Child, ...]) -> Worded:
    """One paragraph: each sentence, then its children's links. Then a line that says how many sensitive ones are left out."""
    parts = []
    for sentence in summary.sentences:
        links = " ".join(link(children[n - 1].name, str(n)) for n in sentence.children)
        parts.append(f"{closed(' '.join(sentence.text.split()))} {links}")
    hidden = [n for n, c in enumerate(children, 1) if c.hidden]
    body = " ".join(parts) + "\n" if parts else ""
    if hidden:
        links = " ".join(link(children[n - 1].name, str(n)) for n in hidden)
        body += ("\n" if body else "") + f"Sensitive and not told here: {links}\n"
    told = " ".join(s.text for s in summary.sentences)
    return Worded(body, dropped(told, (c for c in children if not c.hidden)))


def closed(text: str) -> str:
    if text.endswith((".", "!", "?", "。", "！", "？", "；", ";", "…")):
        return text
    return text + ("。" if is_chinese(text) else ".")


def dropped(told: str, children: Iterable[Child]) -> tuple[str, ...]:
    """Numbers, dates, names and negations of the children that the summary does not carry."""
    found: dict[str, None] = {}
    for child in children:
        for match in _DETAIL.finditer(unlinked(child.text)):
            if match[0] not in told:
                found[match[0]] = None
    rest = len(found) - LISTED
    return tuple(found) if rest <= 0 else (*list(found)[: LISTED - 1], f"… {rest + 1} more")
