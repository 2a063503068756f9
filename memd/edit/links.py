"""Links that a move would break, spelled anew: the target alone changes; alias, fragment, embed and encoding stay.

A link that still means its note after the move is not touched. Knows links and two snapshots, before and after; never
knows how the files are moved.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator
from urllib.parse import quote

import msgspec
from msgspec import Struct

from memd.edit.splice import Splice
from memd.model.change import Change
from memd.model.fingerprint import fold
from memd.model.note import Note
from memd.model.vault import Vault, folder, link_key, stem
from memd.parse.inline import URL, fragment_of
from memd.parse.markdown import scan
from memd.parse.names import derived_permalink

_WIKI = re.compile(r"\[\[(?P<pad>[ \t]*)(?P<inner>[^\[\]\n]+)\]\]")
_UNSPEAKABLE = re.compile(r"[\[\]|#^\n]")


class _Target(Struct, frozen=True):
    """Where a link's target stands, what it says, and how: `wiki`, or markdown's `bare` or `angle`; `raw` as written."""

    start: int
    end: int
    target: str
    style: str
    raw: str


class Shift(Struct, frozen=True):
    """A note's move and the snapshots on both sides of it."""

    old: str
    new: str
    before: Vault
    after: Vault

    def source(self, path: str) -> str:
        """Where a note that holds links is after the move."""
        return self.new if path == self.old else path


def shift(vault: Vault, note: Note, new: str) -> Shift:
    """The snapshots round a move of one note. A title that is the file's name goes with it."""
    changed = {"path": new}
    if note.title == stem(note.path) and "title" not in {key.lower() for key in note.frontmatter}:
        changed["title"] = stem(new)
    if not note.permalink_given:
        changed["permalink"] = derived_permalink(new)
    moved = msgspec.structs.replace(note, **changed)
    return Shift(note.path, new, vault, vault.after(Change((moved,), (note.path,))))


def sources(move: Shift) -> tuple[str, ...]:
    """Notes, by their paths before the move, that may hold a link to be spelled anew: the moved one, those that link to
    it, and those whose links it would now catch."""
    linking = {source for source, _ in move.before.inbound(move.old)}
    caught = {source for source, _ in move.after.inbound(move.new)} - {move.new}
    return (move.old, *sorted((linking | caught) - {move.old}))


def rewrite(text: str, path: str, move: Shift) -> tuple[Splice, ...]:
    """The splices for one note's text; `path` is the note's before the move. () where every link goes on meaning its note."""
    here, there = path, move.source(path)
    splices: list[Splice] = []
    for found in _targets(text):
        means = move.before.resolve(found.target, here)
        if means is None:
            continue
        wanted = move.new if means == move.old else means
        if move.after.resolve(found.target, there) == wanted and not _named_away(found.target, move, means):
            continue
        if spelled := _spelled(found, wanted, means, here, there, move.after):
            splices.append(Splice(found.start, found.end, spelled))
    return tuple(splices)


def _named_away(target: str, move: Shift, means: str) -> bool:
    """Whether a link that called the moved note by its file's name finds it by its title or permalink only: memd goes
    on following such a link, Obsidian does not."""
    if means != move.old:
        return False
    name, note = link_key(target), move.after.notes[move.new]
    return name == fold(stem(move.old)) != fold(stem(move.new)) and name not in map(fold, note.aliases)


def _targets(text: str) -> Iterator[_Target]:
    at = scan(text)
    for match in _WIKI.finditer(text, at.head.start, at.head.end):
        yield _wiki(match)
    for link in at.links_at:
        if not link.note or not link.target:
            continue
        wiki = _WIKI.match(text, link.start + link.embed)
        if wiki and wiki.end() == link.end:
            yield _wiki(wiki)
            continue
        for url in URL.finditer(text, link.start, link.end):
            if url.end() == link.end:
                style = "bare" if url["angle"] is None else "angle"
                start, raw = url.start(style), url[style].partition("#")[0]
                yield _Target(start, start + len(raw), link.target, style, raw)


def _wiki(match: re.Match[str]) -> _Target:
    name = match["inner"].partition("|")[0].removesuffix("\\")
    target = fragment_of(name.strip())[0]
    start = match.start("inner")
    return _Target(start, start + len(target), target, "wiki", target)


def _spelled(found: _Target, wanted: str, means: str, here: str, there: str, after: Vault) -> str | None:
    """The new target in the old one's manner; None where no spelling of that kind can mean the note."""
    ending = ".md" if found.target.lower().endswith(".md") else ""
    relative = _is_relative(found, means, here)
    for name in _names(found, wanted, there, relative):
        bare = name[:-3] if name.lower().endswith(".md") else name
        if found.style == "wiki" and _UNSPEAKABLE.search(bare):
            return None
        if after.resolve(bare + ending, there) == wanted:
            return _encoded(bare + ending, found)
    return None


def _is_relative(found: _Target, means: str, here: str) -> bool:
    """Whether a target was seen from its note's folder: by its dots, or as markdown links are."""
    if found.target.startswith(("./", "../")):
        return True
    if found.style == "wiki" or found.target.startswith("/"):
        return False
    target = found.target if found.target.lower().endswith(".md") else found.target + ".md"
    return posixpath.normpath(posixpath.join(folder(here), target)) == means


def _names(found: _Target, wanted: str, there: str, relative: bool) -> Iterator[str]:
    """Spellings of a path, in the old one's manner first."""
    if relative:
        seen = posixpath.relpath(wanted, folder(there) or ".")
        yield f"./{seen}" if found.target.startswith("./") and not seen.startswith(".") else seen
    parts = wanted.split("/")
    if "/" not in found.target.strip("/"):
        yield from ("/".join(parts[n:]) for n in range(len(parts) - 1, 0, -1))
    yield f"/{wanted}" if found.target.startswith("/") else wanted


def _encoded(name: str, found: _Target) -> str:
    """A markdown link's target as its old one was encoded; white space and brackets are encoded where they must be."""
    if found.style != "bare":
        return name
    if "%" in found.raw and found.raw.isascii():
        return quote(name, safe="/!$&'*+,;=:@~-._")
    return re.sub(r"[\s()<>%#]", lambda sign: quote(sign[0], safe=""), name)
