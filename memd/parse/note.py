"""A file's bytes as a note: the frozen record that the rest of memd works with, and the text it was read from.

Puts together decoding, frontmatter and markdown, and decides what the keys with a meaning mean. Never raises on a
user's file: what is wrong with it stands in the note's problems, with the file's lines.
"""

from __future__ import annotations

import re
from datetime import tzinfo
from typing import Any

from memd.model.fingerprint import fold, sha256
from memd.model.note import Block, Link, Note
from memd.model.problem import Problem
from memd.parse import memory, times
from memd.parse.frontmatter import load, split
from memd.parse.header import Head
from memd.parse.inline import is_file, parts
from memd.parse.language import language
from memd.parse.lead import lead
from memd.parse.markdown import scan
from memd.parse.names import derived_permalink, readable, title_of
from memd.parse.text import decode

_PREFIXES = {"evidence": "ev-", "episode": "ep-", "leaf": "lf-", "summary": "sm-", "chain": "ch-"}
_BY_TYPE = frozenset(("profile", "digest"))
_WITH_LEAD = frozenset(("leaf", "summary", "chain"))
_NORMAL = frozenset(("", "normal", "public", "none", "no", "low", "false"))
_PLACEHOLDER = re.compile(r"\s*(?:\{\{.*\}\}|<%.*%>)\s*", re.S)
_DATE = re.compile(r"\s*\d{4}[-/]\d\d?[-/]\d")
_WIKILINK = re.compile(r"\[\[([^\[\]\n]+)\]\]")
_TAG_END = re.compile(r"[,\s，、]+")


def parse_note(path: str, data: bytes, mtime: float, zone: tzinfo, folder: str = "memory") -> tuple[Note, str]:
    """The note at a path (relative to the vault) and its text as decoded: no byte order mark, line ends as they are.

    `mtime` (Unix seconds) stands in where the file says no time of its own; times without an offset are in `zone`.
    Only files under `folder` are memory's.
    """
    text, faults = decode(data)
    head = split(text)
    keys, header_faults = load(head)
    meant = {key.lower(): value for key, value in keys.items()}
    kind = _kind(path, meant, folder)
    problems = [*faults, *header_faults]
    note = Note(
        path=path,
        kind=kind,
        id=_id(kind, meant),
        frontmatter=keys,
        language=language(text, head.body),
        sha256=sha256(data),
        size=len(data),
        **_meanings(path, meant, head, mtime, zone, problems),
        **(_turns(text) if kind == "evidence" else _body(text, head, keys, meant, kind)),
        problems=tuple(Problem(p.code, path, p.line, p.message, p.hint) for p in problems),
    )
    return note, text


def title_only(path: str, size: int, mtime: float) -> Note:
    """A note that is too large to be read: its name, and the problem that says so."""
    hint = "split the note, or raise `max_note` in the config"
    problem = Problem(
        "too_large", path, 0, f"the note has {size} bytes, more than are read; only its name is known", hint
    )
    return Note(
        path=path,
        title=title_of(path),
        permalink=derived_permalink(path),
        modified=mtime,
        size=size,
        problems=(problem,),
    )


def _kind(path: str, meant: dict[str, Any], folder: str) -> str:
    """What a file is to memory: its type and the prefix of its id, and only in memory's folder."""
    if not path.startswith(folder + "/"):
        return "note"
    type = meant.get("type")
    if type in _PREFIXES and isinstance(meant.get("id"), str) and meant["id"].startswith(_PREFIXES[type]):
        return str(type)
    if path.endswith("/_tree.md") and isinstance(meant.get("tree"), str):
        return "entity"
    if type in _BY_TYPE:
        return "digest" if path.startswith(folder + "/history/") else str(type)
    return "note"


def _id(kind: str, meant: dict[str, Any]) -> str:
    return "" if kind == "note" else _word(meant.get("tree" if kind == "entity" else "id"))


def _meanings(
    path: str, meant: dict[str, Any], head: Head, mtime: float, zone: tzinfo, problems: list[Problem]
) -> dict[str, Any]:
    """The fields that keys with a meaning fill."""
    permalink = _word(meant.get("permalink"))
    title = _word(meant.get("title"))
    return {
        "title": readable(title) if title and not _PLACEHOLDER.fullmatch(title) else title_of(path),
        "type": _word(meant.get("type")) or "note",
        "aliases": tuple(_strings(meant.get("aliases", meant.get("alias")), ",")),
        "permalink": permalink or derived_permalink(path),
        "permalink_given": bool(permalink),
        "created": _time(("created", "date"), meant, head, zone, problems),
        "modified": _modified(_time(("modified", "updated"), meant, head, zone, problems), mtime),
        "origin": _word(meant.get("origin")),
        "sensitivity": _sensitivity(meant, head, problems),
        "status": _word(meant.get("status")),
    }


def _word(value: Any) -> str:
    """A value as one text; of a list its first, as titles and types in lists are meant."""
    if isinstance(value, list):
        value = next((one for one in value if one is not None), None)
    return "" if value is None or isinstance(value, dict) else str(value).strip()


def _strings(value: Any, splitters: str) -> list[str]:
    """A list's texts, or a text cut at commas."""
    if isinstance(value, list):
        return [text for one in value if (text := _word(one))]
    return [text for one in _word(value).split(splitters) if (text := one.strip())]


def tags_of(value: Any) -> list[str]:
    """Tags of a frontmatter value: a list, or words apart by commas or spaces, with or without `#`."""
    words = value if isinstance(value, list) else [value]
    found = [tag for word in words for tag in _TAG_END.split(_word(word))]
    return [tag for one in found if (tag := one.strip("#/ "))]


def _unique(tags: list[str]) -> tuple[str, ...]:
    """Each tag once, as first written; tags that differ in case alone are one."""
    kept: dict[str, str] = {}
    for tag in tags:
        kept.setdefault(fold(tag), tag)
    return tuple(kept.values())


def _time(names: tuple[str, ...], meant: dict[str, Any], head: Head, zone: tzinfo, problems: list[Problem]) -> float:
    for name in names:
        if written := _word(meant.get(name)):
            moment = times.parse(written, zone)
            if moment:
                return times.stamp(moment)
            if _DATE.match(written):
                hint = "write a date that exists, as 2026-04-02"
                problems.append(Problem("bad_date", "", _line(head, name), f"there is no date {written[:40]!r}", hint))
    return 0.0


def _modified(written: float, mtime: float) -> float:
    """Headers say whole seconds, before the file is written: of notes changed soon after each other the files' own times
    tell which was the later."""
    return mtime if not written or written <= mtime < written + 2 else written


def _sensitivity(meant: dict[str, Any], head: Head, problems: list[Problem]) -> str:
    """`sensitive` for every word that does not say the contrary: doubt keeps a note back."""
    written = _word(meant.get("sensitivity")).lower()
    if written in _NORMAL:
        return "normal"
    if written != "sensitive":
        message = f"the sensitivity {written[:40]!r} is not known; the note is taken for sensitive"
        problems.append(Problem("sensitivity", "", _line(head, "sensitivity"), message, "write normal or sensitive"))
    return "sensitive"


def _line(head: Head, key: str) -> int:
    found = re.search(rf"^[\"']?{re.escape(key)}[\"']?\s*:", head.block, re.M | re.I)
    return head.line + (head.block.count("\n", 0, found.start()) if found else 0)


def _turns(text: str) -> dict[str, Any]:
    """Evidence is its turns: what somebody said states nothing of its own and links to nothing."""
    turns = tuple(span.turn for span in memory.spans(text))
    return {"turns": turns, "blocks": tuple(Block(turn.id, turn.line) for turn in turns)}


def _body(text: str, head: Head, keys: dict[str, Any], meant: dict[str, Any], kind: str) -> dict[str, Any]:
    found = scan(text, head)
    header_links = _header_links(keys, head) if "[[" in head.block else ()
    return {
        "tags": _unique([*tags_of(meant.get("tags", meant.get("tag"))), *found.tags]),
        "headings": found.headings,
        "observations": found.observations,
        "links": (*header_links, *found.links),
        "blocks": found.block_ids,
        "fields": found.fields,
        "lead": lead(found) if kind in _WITH_LEAD else "",
    }


def _header_links(keys: dict[str, Any], head: Head) -> tuple[Link, ...]:
    """Wikilinks in values, as relations named like their key."""
    links: list[Link] = []
    for key, value in keys.items():
        for text in _texts(value):
            for found in _WIKILINK.finditer(text):
                target, fragment, label = parts(found[1])
                if (target or fragment) and not is_file(target):
                    at = head.block.find(found[0])
                    line = head.line + head.block.count("\n", 0, at) if at >= 0 else _line(head, key)
                    links.append(Link(target, key, fragment, label, "", line))
    return tuple(links)


def _texts(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value] if "[[" in value else []
    if isinstance(value, dict):
        value = list(value.values())
    return [text for one in value for text in _texts(one)] if isinstance(value, list) else []
