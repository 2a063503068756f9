"""What is indexed of a note: units for the text index, passages for the embedder. Pure: a note and its text in, records out.

Knows which words of a file stand for it, and where they are. Never knows an engine, a model, or whether either is there.
A passage's hash is made of its words alone: a note that moves keeps its embeddings.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from msgspec import structs

from memd.index import fields
from memd.index.port import Passage, Unit
from memd.model.fingerprint import fingerprint, fold
from memd.model.memory import Said
from memd.model.note import Note
from memd.parse import memory
from memd.parse.header import split

BUDGET = 200
"""Tokens of a passage, counted as `cost` does: what a small embedder takes in without dulling."""

MOST = 500
"""Passages of one note; what lies beyond is found by its words."""

_CJK = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff]")
_LINK = re.compile(r"!?\[\[([^\]|\n]*)(?:\|([^\]\n]*))?\]\]")
_MARKS = re.compile(r"\*\*|__|`+|^[ \t]*(?:#{1,6}|>)[ \t]+|\s\^[A-Za-z0-9-]+[ \t]*$", re.M)
_SENTENCE = re.compile(r"(?<=[.!?。！？；])\s*|\n")
_OWN_PLACE = frozenset("id type title tags aliases permalink created modified origin sensitivity status".split())
_SAID = {
    "leaf": ("subject", "aspect"),
    "chain": ("subject", "aspect"),
    "episode": ("topic", "participants"),
    "entity": ("name",),
}


def units(note: Note, text: str) -> tuple[Unit, ...]:
    """A unit for the file, or one for each turn of evidence. A digest has none: it only repeats what others say."""
    if note.kind == "digest":
        return ()
    if note.kind == "evidence":
        return tuple(_turns(note, memory.turns(note, text)))
    names = [note.title, *(alias for alias in note.aliases if fold(alias) != fold(note.title))]
    return (
        Unit(
            key=note.path,
            path=note.path,
            kind=note.kind,
            title="\n".join(names),
            text=_words(note, text),
            permalink=note.permalink,
            tags=note.tags + _labels(note),
            language=note.language,
        ),
    )


def _labels(note: Note) -> tuple[str, ...]:
    return tuple(_strings(note.frontmatter.get("labels"))) if note.kind == "leaf" else ()


def _words(note: Note, text: str) -> str:
    """The words that a note is found by: its body and what its header says that has no field of its own."""
    head = split(text)
    body = text[head.body :]
    if note.kind == "note":
        said = [word for key, value in note.frontmatter.items() if key not in _OWN_PLACE for word in _strings(value)]
        return "\n".join([body, *said]) if note.frontmatter or not head else "\n".join((body, head.block))
    keys = _SAID.get(note.kind, ())
    said = [word for key in keys for word in _strings(note.frontmatter.get(key))]
    if note.kind == "leaf":
        quotes = note.frontmatter.get("quotes")
        said += [str(q.get("text", "")) for q in quotes if isinstance(q, dict)] if isinstance(quotes, list) else []
        body = note.lead or body
    return "\n".join([body, *said])


def _strings(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple | dict) and depth < 4:
        for item in value.values() if isinstance(value, dict) else value:
            yield from _strings(item, depth + 1)


def _turns(note: Note, turns: tuple[Said, ...]) -> Iterator[Unit]:
    """Turns with the words of two neighbours each way, nearer ones counted more; sensitive words lend nothing."""
    said = [f"{turn.speaker}: {turn.text}" for turn in turns]
    lent = ["" if turn.sensitive else words for turn, words in zip(turns, said, strict=True)]
    for at, turn in enumerate(turns):
        around = []
        for distance, times in ((1, fields.NEAR), (2, fields.FAR)):
            for other in (at - distance, at + distance):
                if 0 <= other < len(turns) and lent[other]:
                    around += [lent[other]] * times
        yield Unit(
            key=f"{note.path}#{turn.id.rpartition('#')[2]}",
            path=note.path,
            kind="turn",
            title="",
            text=said[at],
            around="\n".join(around),
            language=note.language,
            line=turn.line,
        )


def cost(text: str) -> int:
    """Tokens of a text as we count them: a CJK character is one, four other characters are one."""
    cjk = 0 if text.isascii() else len(_CJK.findall(text))
    return cjk + (len(text) - cjk + 3) // 4


def passages(note: Note, text: str, units: Iterable[Unit]) -> tuple[Passage, ...]:
    """The pieces of these units, in the order of the file; at most `MOST`."""
    found = list(units)
    if note.kind == "evidence":
        return tuple(_spoken(note, found))[:MOST]
    if not found:
        return ()
    pieces = _leaf(note) if note.kind == "leaf" else _pieces(note, text)
    return tuple(
        _passage(found[0], number, head, plain, line, rank)
        for number, (head, plain, line, rank) in enumerate(pieces)
        if number < MOST
    )


def _passage(unit: Unit, number: int, head: str, text: str, line: int, rank: int) -> Passage:
    key, hash = f"{unit.key}|{number}", fingerprint(head, text)
    return Passage(
        key=key, unit=unit.key, path=unit.path, kind=unit.kind, head=head, text=text, hash=hash, line=line, rank=rank
    )


Piece = tuple[str, str, int, int]
"""head, text, line, rank"""


def _leaf(note: Note) -> Iterator[Piece]:
    yield str(note.frontmatter.get("subject") or ""), note.lead or note.title, 1, 0


def _spoken(note: Note, turns: list[Unit]) -> Iterator[Passage]:
    """A turn with the end of the one before and the beginning of the next; a long one in pieces of its own.

    LoCoMo through `retrieve`, R@5/R@10: so .760/.829; a turn's own words only, whose vector borrows from its neighbours'
    in any case, .751/.829. A sensitive turn gives its neighbours neither words nor vector.
    """
    hidden = {f"{note.path}#{turn.id}" for turn in note.turns if turn.sensitive}
    for at, turn in enumerate(turns):
        parts = _cut(turn.text)
        if len(parts) == 1:
            near = [
                turns[i].text if 0 <= i < len(turns) and turns[i].key not in hidden else "" for i in (at - 1, at + 1)
            ]
            before = _cut(near[0])[-1] if near[0] else ""
            after = _cut(near[1])[0] if near[1] else ""
            parts = ["\n".join(part for part in (before, turn.text, after) if part)]
        for number, part in enumerate(parts):
            passage = _passage(turn, number, "", part, turn.line, 2)
            yield structs.replace(passage, lends=turn.key not in hidden)


def _pieces(note: Note, text: str) -> Iterator[Piece]:
    """The title, where the note is more than one passage; sections packed to the budget; short observations once more."""
    body = list(_sections(note, text))
    first = 0 if len(body) < 2 else 1
    if len(body) != 1:
        yield "", "\n".join((note.title, *note.aliases)), 1, 0
    for head, plain, line in body:
        yield head, plain, line, first
    for seen in note.observations:
        said = f"{seen.category}: {seen.text}" + (f" ({seen.context})" if seen.context else "")
        if len(body) > 1 and cost(said) <= BUDGET:
            yield note.title, said, seen.line, 1


def _sections(note: Note, text: str) -> Iterator[tuple[str, str, int]]:
    """(head, text, line) of each run of blocks beneath one heading that fits the budget."""
    lines = text.split("\n")
    begin = text.count("\n", 0, split(text).body) + 1
    at = {heading.line: heading for heading in note.headings if heading.line >= begin}
    path: list[tuple[int, str]] = []
    for start, end in pairwise([begin, *sorted(at), len(lines) + 1]):
        if heading := at.get(start):
            path = [(level, words) for level, words in path if level < heading.level] + [(heading.level, heading.text)]
        first = start + 1 if heading else start
        titles = [note.title, *(words for _, words in path if words != note.title)]
        for plain, line in _packed(lines, first, end):
            yield " › ".join(titles), plain, line


def _packed(lines: list[str], start: int, end: int) -> Iterator[tuple[str, int]]:
    """Blocks between blank lines, put together while they fit; one that does not fit is cut at sentences."""
    held: list[str] = []
    size, line = 0, start
    for block, at in _blocks(lines, start, end):
        need = cost(block)
        if held and size + need > BUDGET:
            yield "\n".join(held), line
            held, size = [], 0
        if need > BUDGET:
            for part in _cut(block):
                yield part, at
            continue
        line = line if held else at
        held.append(block)
        size += need
    if held:
        yield "\n".join(held), line


def _blocks(lines: list[str], start: int, end: int) -> Iterator[tuple[str, int]]:
    held: list[str] = []
    for number in range(start, end):
        if lines[number - 1].strip():
            held.append(lines[number - 1])
        if held and (number == end - 1 or not lines[number - 1].strip()):
            first = number - len(held) + (1 if lines[number - 1].strip() else 0)
            if plain := bare("\n".join(held)):
                yield plain, first
            held = []


def bare(text: str) -> str:
    """The words of markdown: links as what they show, without emphasis, heading marks and block ids."""
    return _MARKS.sub("", _LINK.sub(lambda m: m[2] or m[1], text)).strip()


def _cut(text: str) -> list[str]:
    """Pieces within the budget, at sentence ends where there are any; never empty."""
    if cost(text) <= BUDGET:
        return [text]
    out: list[str] = []
    held, size = "", 0
    for sentence in _SENTENCE.split(text):
        for part in _hard(sentence or ""):
            need = cost(part)
            if held and size + need > BUDGET:
                out.append(held)
                held, size = "", 0
            held, size = f"{held} {part}".strip(), size + need
    return [*out, held] if held else out or [text]


def _hard(sentence: str) -> list[str]:
    """A sentence in pieces that fit: by characters, as nothing else is left to cut at."""
    width = BUDGET if _CJK.search(sentence) else BUDGET * 4
    return [sentence[at : at + width] for at in range(0, len(sentence), width)]
