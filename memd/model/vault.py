"""A vault as one immutable snapshot: every note by its path, and how names lead to notes.

Knows which note a name, link, permalink or id means, and who links to whom. Never knows a note's words, or the disk.
`after(change)` gives the next snapshot; the old one stays as it was for whoever still reads it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TypeVar
from unicodedata import normalize
from urllib.parse import unquote

from memd.model.change import Change
from memd.model.fingerprint import fold
from memd.model.note import Link, Note

Names = dict[str, tuple[str, ...]]
Links = dict[str, tuple[tuple[str, int], ...]]
"""Key of a link → the notes that have such a link, and where in their `links` it stands."""
Place = TypeVar("Place", str, tuple[str, int])


def stem(path: str) -> str:
    name = path.rsplit("/", 1)[-1]
    return name[:-3] if name[-3:].lower() == ".md" else name


def folder(path: str) -> str:
    return path.rsplit("/", 1)[0] if "/" in path else ""


def names_of(note: Note) -> Iterator[tuple[str, str]]:
    """(map, folded name) for every name by which a note may be looked up."""
    yield "path", fold(note.path)
    yield "stem", fold(stem(note.path))
    yield "title", fold(note.title)
    if note.permalink:
        yield "permalink", fold(note.permalink)
    if note.id:
        yield "id", note.id
    if note.kind == "evidence":
        yield "session", fold(str(note.frontmatter.get("session", "")))
    for alias in note.aliases:
        yield "alias", fold(alias)


def link_key(target: str) -> str:
    """The last component of a link's target, folded, without `.md`: notes that share it may be meant."""
    return fold(stem(unquote(target).strip().rstrip("/")))


NAMES = ("path", "stem", "title", "permalink", "id", "alias", "session")


class Vault:
    """Look-ups never raise: an unknown name is None or empty. Two notes of one name: see `resolve`."""

    __slots__ = ("_links", "_names", "moved", "notes")

    def __init__(self, notes: Iterable[Note] = (), moved: Mapping[str, str] | None = None) -> None:
        self.notes: dict[str, Note] = {}
        self._names: dict[str, Names] = {k: {} for k in NAMES}
        self._links: Links = {}
        self.moved: Mapping[str, str] = moved or {}
        self._enter(notes)

    def _enter(self, notes: Iterable[Note]) -> None:
        names: dict[str, dict[str, list[str]]] = {k: defaultdict(list) for k in self._names}
        links: dict[str, list[tuple[str, int]]] = defaultdict(list)
        for note in notes:
            self.notes[note.path] = note
            for kind, name in names_of(note):
                names[kind][name].append(note.path)
            for at, link in enumerate(note.links):
                links[link_key(link.target)].append((note.path, at))
        for kind, found in names.items():
            _merge(self._names[kind], found)
        _merge(self._links, links)

    def _forget(self, note: Note) -> None:
        del self.notes[note.path]
        for kind, name in set(names_of(note)):
            _keep(self._names[kind], name, lambda path: path != note.path)
        for key in {link_key(link.target) for link in note.links}:
            _keep(self._links, key, lambda place: place[0] != note.path)

    def after(self, change: Change, moved: Mapping[str, str] | None = None) -> Vault:
        """The snapshot after the change; `moved` maps derived permalinks of moved notes to where they are now."""
        new = Vault()
        new.notes = self.notes.copy()
        new._names = {kind: names.copy() for kind, names in self._names.items()}
        new._links = self._links.copy()
        new.moved = self.moved if moved is None else moved
        for path in (*change.removed, *(note.path for note in change.written)):
            if old := new.notes.get(path):
                new._forget(old)
        new._enter(change.written)
        return new

    def named(self, kind: str, name: str) -> tuple[str, ...]:
        """Paths with that name; kind is one of `NAMES`; every kind but id is folded."""
        return self._names[kind].get(name if kind == "id" else fold(name), ())

    def at(self, path: str) -> Note | None:
        """The note at a path, exactly or, where that names one file, folded."""
        if note := self.notes.get(path):
            return note
        found = self.named("path", path)
        if len(found) > 1:
            found = tuple(p for p in found if normalize("NFC", p) == normalize("NFC", path))
        return self.notes[found[0]] if len(found) == 1 else None

    def by_id(self, id: str) -> Note | None:
        found = self._names["id"].get(id, ())
        return (
            self.notes[min(found, key=lambda p: (stem(p).rsplit("-", 2)[-2:] != id.split("-", 1), p))]
            if found
            else None
        )

    def resolve(self, target: str, source: str = "") -> str | None:
        """The path a link's target means, as Obsidian resolves it: path, same folder, shortest unique path, alias;
        then permalink, title and id. None where nothing, or nothing unique, has that name."""
        if "/" not in target and "%" not in target and len(alone := self.named("stem", stem(target.strip()))) == 1:
            return alone[0]
        target = target.strip().strip("/") if target.strip() != "/" else ""
        if not target:
            return source or None
        plain = unquote(target) if "%" in target else target
        for name in (target, plain) if plain != target else (target,):
            if found := self._as_path(name, source) or self._as_name(name):
                return found
        return None

    def _as_path(self, name: str, source: str) -> str | None:
        found = self.named("stem", stem(name))
        if not found or (len(found) == 1 and "/" not in name):
            return found[0] if found else None
        base = name if name.lower().endswith(".md") else name + ".md"
        here = folder(source)
        relative = _join(here, base)
        for path in dict.fromkeys(p for p in (base, relative) if p):
            if note := self.at(path):
                if "/" in name or folder(note.path) == here or not any(folder(p) == here for p in found):
                    return note.path
        ends = fold("/" + base)
        fitting = [p for p in found if fold("/" + p).endswith(ends)]
        same = [p for p in fitting if folder(p) == here]
        return same[0] if same else min(fitting, key=lambda p: (p.count("/"), len(p), p), default=None)

    def _as_name(self, name: str) -> str | None:
        for kind in ("alias", "permalink", "title"):
            found = self.named(kind, name)
            if found:
                return min(found, key=lambda p: (p.count("/"), len(p), p))
        if name in self.moved and self.moved[name] in self.notes:
            return self.moved[name]
        found = self._names["id"].get(name, ())
        return found[0] if found else None

    def inbound(self, path: str) -> Iterator[tuple[str, Link]]:
        """(source path, link) for every link that means this note."""
        note = self.notes.get(path)
        if note is None:
            return
        keys = {
            fold(stem(path)),
            *(link_key(name) for name in (*note.aliases, note.permalink, note.title, note.id) if name),
        }
        for source, at in sorted(each for key in keys for each in self._links.get(key, ())):
            link = self.notes[source].links[at]
            if self.resolve(link.target, source) == path:
                yield source, link

    def of_kind(self, *kinds: str) -> Iterator[Note]:
        """Notes that memory owns, of these kinds, in path order."""
        for found in sorted({p for paths in self._names["id"].values() for p in paths}):
            if self.notes[found].kind in kinds:
                yield self.notes[found]


def _join(here: str, path: str) -> str:
    """`path` seen from a folder, `..` resolved; "" where it leaves the vault."""
    parts: list[str] = here.split("/") if here else []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return ""
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _merge(into: dict[str, tuple[Place, ...]], found: Mapping[str, list[Place]]) -> None:
    for name, more in found.items():
        alone = len(more) == 1 and name not in into
        into[name] = tuple(more) if alone else tuple(sorted(set(more).union(into.get(name, ()))))


def _keep(names: dict[str, tuple[Place, ...]], name: str, kept: Callable[[Place], bool]) -> None:
    left = tuple(filter(kept, names.get(name, ())))
    if left:
        names[name] = left
    else:
        names.pop(name, None)
