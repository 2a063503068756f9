"""The narrative of a chain: every value with its date and who said it, in order; corrections only where words said so.

Knows leaves and the words of their episodes. Never gives a cause, and never tells a value without its date: one whose
date is not known says that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

from memd.form.facts import quotes
from memd.form.keys import day, is_chinese, latest, link, seconds
from memd.form.quoting import plain
from memd.form.view import Memory
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.vault import stem

_CORRECTION = re.compile(
    r"\b(correction|i was wrong|i misspoke|i meant|i mean,? not|that was (wrong|a mistake)|my mistake|mistakenly|scratch that|"
    r"to correct|not .{1,40}, (but|it'?s)|i got (it|that) wrong)\b|"
    r"说错|记错|搞错|弄错|更正|纠正|口误|写错|之前(说的)?不对|不是.{1,20}(而是|[，,]是)",
    re.I,
)


class Link(Struct, frozen=True):
    """A member of a chain. `date` is when it was said (or holds), `quotes` its words, `corrected` the link of the turn
    in which it corrects what was said before ("" where none does), `replaces` the stem of the version before it."""

    id: str
    name: str
    text: str
    date: str
    quotes: tuple[str, ...]
    episodes: tuple[str, ...]
    speaker: str = ""
    corrected: str = ""
    replaces: str = ""
    superseded: bool = False

    @staticmethod
    def of(note: Note, said: tuple[Said, ...], support: tuple[str, ...], memory: Memory, replaces: str) -> Link:
        keys = note.frontmatter
        words = tuple(q["text"] for q in quotes(note) if q["text"])
        turn = next((t for t in said if _CORRECTION.search(t.text) and _holds(t, words)), None) if replaces else None
        dates = [t for q in words for s in said if q in plain(s.text) and (t := s.at)]
        return Link(
            note.id,
            stem(note.path),
            note.lead or note.title,
            day(str(keys.get("observed_at") or "") or latest(dates)),
            words,
            tuple(stem(memory.files[e].path) for e in support),
            str(keys.get("speaker") or ""),
            link(*_split(turn.link)) if turn else "",
            replaces,
            memory.superseded(note.id) is not None,
        )


class Woven(Struct, frozen=True):
    """Answer to the task `chain`: one sentence a member, in the order given. No causes, no facts beside the members'."""

    sentences: tuple[str, ...]


def _holds(turn: Said, words: tuple[str, ...]) -> bool:
    return any(q in plain(turn.text) for q in words)


def _split(turn: str) -> tuple[str, str, str]:
    name, _, block = turn.partition("#^")
    return name, "", block


def order(memory: Memory, members: Iterable[str]) -> tuple[str, ...]:
    """In order of when it holds, then of when it was said."""

    def when(id: str) -> tuple[float, tuple[float, str, int]]:
        keys = memory.files[id].frontmatter
        holds = seconds(str(keys.get("valid_from") or "")) or seconds(str(keys.get("observed_at") or ""))
        said = memory.last_stated(id)
        return (holds if holds is not None else said[0], said)

    return tuple(sorted(members, key=when))


def acceptable(answer: Woven, rows: tuple[Link, ...]) -> bool:
    """A sentence for each member, none of which brings in a number or a reason."""
    if len(answer.sentences) != len(rows):
        return False
    for sentence, row in zip(answer.sentences, rows, strict=True):
        known = " ".join((row.text, row.date, *row.quotes))
        if any(n not in known for n in re.findall(r"\d+", sentence)):
            return False
        if re.search(r"\bbecause\b|\btherefore\b|\bdue to\b|因为|因此|所以|导致", sentence) and not re.search(
            r"because|due to|因为|因此|所以|导致", known
        ):
            return False
    return True


def narrative(rows: tuple[Link, ...], woven: Woven | None = None) -> str:
    """A line a member: date, value, who said it, the words, links to the leaf and to its episodes."""
    chinese = sum(is_chinese(row.text) for row in rows) * 2 > len(rows)
    lines = [_line(row, woven.sentences[n] if woven else row.text, chinese) for n, row in enumerate(rows)]
    return "".join(f"- {line}\n" for line in lines)


def _line(row: Link, text: str, chinese: bool) -> str:
    date = row.date or ("日期未知" if chinese else "date unknown")
    text = text.rstrip("。.")
    said = "、".join(f"“{q}”" for q in row.quotes) if chinese else ", ".join(f"“{q}”" for q in row.quotes)
    words = (f"（{row.speaker}：{said}）" if chinese else f" ({row.speaker}: {said})") if said and row.speaker else ""
    correction = ""
    if row.corrected:
        correction = (
            f" 先前说法后来被纠正 {row.corrected}。"
            if chinese
            else f" What was said before was corrected {row.corrected}."
        )
    links = " ".join((link(row.name), *(link(e) for e in row.episodes)))
    end = "。" if chinese else "."
    return f"{date}{'：' if chinese else ': '}{text}{words}{end}{correction} {links}"
