"""What becomes of single files when something they rest on is forgotten: evidence, episodes, leaves, and lines that cite.

Knows one file at a time and what is gone. Never knows why, or what else changes.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping
from itertools import pairwise
from typing import Any

from memd.edit.sensitivity import sensitivity
from memd.form import files
from memd.form.facts import extracted, refused, statements
from memd.form.keys import (
    ID,
    day,
    earliest,
    folded,
    inner,
    is_chinese,
    latest,
    link,
    listed,
    proposition_print,
    shortened,
)
from memd.form.quoting import plain
from memd.form.view import Memory
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.vault import stem
from memd.parse.memory import spans


def evidence_without(data: bytes, gone: Collection[str]) -> bytes:
    """The file without the blocks of these turns (`t3`); the others keep their ids, bytes and order."""
    text = files.decoded(data)
    left = [span for span in spans(text) if span.turn.id not in gone]
    for span in sorted(spans(text), key=lambda s: -s.start):
        if span.turn.id in gone:
            text = text[: span.start] + text[span.end :]
    sensitive = any(span.turn.sensitive for span in left)
    changes: dict[str, Any] = {"turns": len(left)}
    if not sensitive and re.search(r"^sensitivity: *sensitive", files.split(text)[0], re.M):
        if any(span.turn.id in gone and span.turn.sensitive for span in spans(files.decoded(data))):
            changes["sensitivity"] = "normal"
    return files.with_keys(text.encode("utf-8", "surrogateescape"), changes)


def episode_without(note: Note, data: bytes, said: tuple[Said, ...], states: Iterable[str], memory: Memory) -> bytes:
    """The episode over the turns that are left (`said`), told in their own words: what it said of the others is gone."""
    kept = set(states)
    known = [plain(turn.text) for turn in said]
    topic = shortened(said[0].text, 60) if said else ""
    signature = dict(extracted(note))
    signature["admitted"] = len(kept)
    signature["refused"] = [r for r in refused(note) if any(plain(str(r.get("text", ""))) in text for text in known)]
    signature["statements"] = _statements(note, kept, {turn.link for turn in said}, memory)
    links = {turn.link for turn in said}
    changes: dict[str, Any] = {
        "title": topic,
        "topic": topic,
        "from": earliest(t.at for t in said) or None,
        "to": latest(t.at for t in said) or None,
        "participants": list(dict.fromkeys(t.speaker for t in said)),
        "turns": [link(t.link) for t in said],
        "set_aside": [t for t in listed(note.frontmatter.get("set_aside")) if inner(t) in links] or None,
        "states": [s for s in listed(note.frontmatter.get("states")) if memory.refer(s, note.path) in kept],
        "method": "rules",
    }
    if extracted(note):
        changes["extracted"] = {key: value for key, value in signature.items() if value not in ([], None)}
    if any(t.sensitive for t in said) or sensitivity(t.text for t in said) == "sensitive":
        changes["sensitivity"] = "sensitive"
    return files.with_body(data, narrative(said), changes)


def _statements(note: Note, kept: set[str], links: set[str], memory: Memory) -> list[dict[str, Any]]:
    found = []
    for item in statements(note):
        if memory.refer(str(item.get("leaf", "")), note.path) not in kept:
            continue
        item = dict(item)
        if isinstance(item.get("quotes"), list):
            item["quotes"] = [
                q for q in item["quotes"] if isinstance(q, dict) and inner(str(q.get("turn", ""))) in links
            ]
        found.append({key: value for key, value in item.items() if value != []})
    return found


def narrative(said: tuple[Said, ...]) -> str:
    """The turns told one after the other, each with its day and speaker: no words but theirs."""
    rows, last = [], ""
    for turn in said:
        on = day(turn.at)
        lead = (f"{on}，" if is_chinese(turn.text) else f"{on}, ") if on and on != last else ""
        rows.append(
            f"{lead}{turn.speaker}：“{plain(turn.text)}”"
            if is_chinese(turn.text)
            else f"{lead}{turn.speaker}: “{plain(turn.text)}”"
        )
        last = on or last
    return "\n".join(rows) + "\n"


def episode_forgets(note: Note, data: bytes, gone: Collection[str], prints: Iterable[str], memory: Memory) -> bytes:
    """The episode no longer states these leaves, and does not bring them up again (`extracted.forgotten`, hashes)."""
    left = [s for s in listed(note.frontmatter.get("states")) if _id(memory, s, note) not in gone]
    signature = dict(extracted(note))
    signature["admitted"] = len(left)
    if "statements" in signature:
        signature["statements"] = [s for s in statements(note) if _id(memory, str(s.get("leaf", "")), note) not in gone]
        if not signature["statements"]:
            del signature["statements"]
    if forgotten := dict.fromkeys((*listed(signature.get("forgotten")), *prints)):
        signature["forgotten"] = list(forgotten)
    return files.with_keys(data, {"states": left, "extracted": signature})


def is_of(item: Mapping[str, Any], names: Collection[str], prints: Collection[str]) -> bool:
    """Whether an atom that was refused says one of these propositions, or names one of these entities (folded)."""
    text = str(item.get("text", ""))
    return proposition_print(text) in prints or any(
        re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", folded(text)) for name in names
    )


def episode_unasked(note: Note, data: bytes, names: Collection[str], prints: Collection[str]) -> bytes:
    """The episode without what it was refused of these; it does not bring that up again."""
    signature = dict(extracted(note))
    gone = [item for item in refused(note) if is_of(item, names, prints)]
    left = [item for item in refused(note) if item not in gone]
    hashes = (proposition_print(str(item.get("text", ""))) for item in gone)
    signature |= {"refused": left, "forgotten": list(dict.fromkeys((*listed(signature.get("forgotten")), *hashes)))}
    return files.with_keys(data, {"extracted": {key: value for key, value in signature.items() if value != []}})


def episode_doubts(note: Note, data: bytes, gone: Collection[str], memory: Memory) -> bytes:
    """The episode stated these leaves only because another did too: its words are refused again, until another does."""
    left = [s for s in listed(note.frontmatter.get("states")) if _id(memory, s, note) not in gone]
    signature = dict(extracted(note))
    back = [s for s in statements(note) if _id(memory, str(s.get("leaf", "")), note) in gone]
    rest = [s for s in statements(note) if s not in back]
    again = [
        {
            "text": memory.files[_id(memory, str(s["leaf"]), note)].lead,
            "reason": "nothing else says it any more; it stays evidence until it is said again",
            "confidence": s.get("weak", 0.0),
        }
        for s in back
    ]
    signature |= {"admitted": len(left), "refused": [*refused(note), *again], "statements": rest}
    kept = {key: value for key, value in signature.items() if value != []}
    return files.with_keys(data, {"states": left, "extracted": kept})


def repointed(memory: Memory, gone: Collection[str]) -> dict[str, dict[str, Any]]:
    """Leaf -> its `supersedes` and `precedes` once these leaves are gone. What they stood between is joined directly,
    where it is of one slot: the later one names the earlier."""
    names: dict[str, dict[str, list[str]]] = {}
    joined: dict[str, list[str]] = {}
    for id in memory.files:
        if memory.files[id].kind == "leaf" and id not in gone:
            facts, note = memory.facts(id), memory.files[id]
            for key, links in (("supersedes", facts.supersedes), ("precedes", facts.precedes)):
                left = [s for s in links if _id(memory, s, note) not in gone]
                if len(left) != len(links):
                    names.setdefault(id, {})[key] = left
    for matter in {memory.versions(id) for id in gone if id in memory.files}:
        left = [id for id in matter if id not in gone]
        for older, newer in pairwise(left):
            if memory.slot(older) == memory.slot(newer) and newer not in joined:
                joined.setdefault(newer, []).append(older)
    for newer, olders in joined.items():
        there = names.setdefault(newer, {}).setdefault("supersedes", list(memory.facts(newer).supersedes))
        there += [
            link(stem(memory.files[o].path))
            for o in olders
            if not any(_id(memory, s, memory.files[newer]) == o for s in there)
        ]
    return {id: {key: _one_or_many(links) for key, links in keys.items()} for id, keys in names.items()}


def _one_or_many(links: list[str]) -> str | list[str] | None:
    return links[0] if len(links) == 1 else links or None


def lines_without(data: bytes, gone: Collection[str]) -> bytes | None:
    """The file without the lines that cite something gone (ids), and without lines indented under them; None: no change."""
    rows, found, inside = [], False, -1
    for row in files.decoded(data).split("\n"):
        indent = len(row) - len(row.lstrip())
        if inside >= 0 and row.strip() and indent > inside:
            found = True
            continue
        inside = -1
        if any(id in gone for id in ID.findall(row)):
            found, inside = True, indent
            continue
        rows.append(row)
    return "\n".join(rows).encode("utf-8", "surrogateescape") if found else None


def _id(memory: Memory, name: str, note: Note) -> str:
    """The id that a link names, whether or not its file is there."""
    return memory.refer(name, note.path) or next(iter(reversed(ID.findall(name))), "")
