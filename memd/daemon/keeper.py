"""Keeps the snapshot in step with the files: what was touched is listed, what may differ is read, and the snapshot swapped.

Knows the vault as it was last seen and whether it still looks like the vault. The watcher, the scan and the writer's
receipts all come here as touched paths; only the bytes' hash says that a note changed. Never answers a question.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Protocol

from msgspec import Struct, structs

from memd.daemon.indexer import Indexed, Indexer
from memd.daemon.reading import Found, How, Wanted, read_all
from memd.disk import diff, root
from memd.disk.ignore import Ignore
from memd.disk.listing import Listing, stat_of, walk
from memd.disk.listing import Stat as FileStat
from memd.disk.obsidian import Obsidian
from memd.index.ledger import Row, Stat
from memd.index.port import Passage
from memd.model.change import Change
from memd.model.note import Note
from memd.model.problem import Problem
from memd.model.vault import Vault

log = logging.getLogger("memd.keeper")

SLICE = 500
"""Files read before their notes are taken over: so many can be found while the rest of a large vault is read."""
ECHO = 16
"""Paths of one hint that are worth a stat each, to tell news from what memd did itself."""
EVERYTHING = frozenset({""})


class Looked(Struct, frozen=True):
    """What a look at the files found, decided off the loop. `at_ns` is 0 for a further slice of a look, whose listing
    speaks of its own files only. `rest` is still to be read (`more`); `again`: paths that
    somebody is writing just now. `identity`: of the folder that was looked at. `whole_at_ns`: when the whole vault was
    listed, 0 where only a part was."""

    listing: Listing
    at_ns: int
    found: tuple[Found, ...] = ()
    gone: tuple[str, ...] = ()
    moved: tuple[tuple[str, str], ...] = ()
    again: frozenset[str] = frozenset()
    rest: tuple[Wanted, ...] = ()
    hold: root.Hold | None = None
    identity: root.Identity | None = None
    whole_at_ns: int = 0


class Passages(Protocol):
    """Who takes passages, if they are wanted at all: without vectors nobody does."""

    @property
    def wanted(self) -> bool: ...

    def embed(self, passages: Mapping[str, tuple[Passage, ...]], removed: tuple[str, ...]) -> None: ...


class Keeper:
    """`look` may run in any thread, one at a time; `take` swaps the snapshot; while it works nobody else looks or takes."""

    def __init__(
        self,
        how: How,
        indexer: Indexer,
        vectors: Passages,
        processes: Callable[[], Executor],
    ) -> None:
        self.how = how
        self.ignore = Ignore()
        self.heeded: tuple[Obsidian, Sequence[str]] = Obsidian(), ()
        self.vault = Vault()
        self.listing = Listing()
        self.listed_at_ns = 0
        self.hold: root.Hold | None = None
        self.identity: root.Identity | None = None
        self.problems: dict[str, Problem] = {}
        self._stale: set[str] = set()
        self._indexer = indexer
        self._vectors = vectors
        self._processes = processes
        self._trusted = root.filesystem(how.root).trusted

    def restore(
        self, rows: Mapping[str, Row], listing: Listing, listed_at_ns: int, identity: root.Identity | None
    ) -> None:
        """Begin with what the ledger kept: notes answer before a file has been looked at."""
        self.vault = Vault(row.note for row in rows.values())
        self.listing, self.listed_at_ns = listing, listed_at_ns
        self.identity = identity

    def heed(self, told: Obsidian, patterns: Sequence[str]) -> None:
        """From the next look on, what Obsidian and `[vault] ignore` exclude is left alone: that is no loss."""
        self.how = structs.replace(self.how, templates=told.templates)
        self.ignore = Ignore(told.filters, patterns, self.how.folder)
        self.heeded = told, patterns

    def version(self, path: str) -> str:
        """The sha256 of a note as the snapshot has it, "" for a path that is no note."""
        note = self.vault.notes.get(path)
        return note.sha256 if note else ""

    def echoes(self, paths: frozenset[str]) -> bool:
        """Whether these few paths stand as they were last seen, by their stats: hints of memd's own writes do. They are
        looked at all the same."""
        return len(paths) <= ECHO and all(self._stands(path) for path in paths)

    def _stands(self, path: str) -> bool:
        known = self.listing.files.get(path)
        try:
            st = os.lstat(os.path.join(self.how.root, path))
        except OSError:
            return known is None and path not in self.listing.folders
        if known is None:
            return self.listing.folders.get(path) == (st.st_dev, st.st_ino)
        return stat_of(st) == known

    def forget(self) -> None:
        """Every file is read at the next look and goes into the indexes again; the snapshot stands until then."""
        self.listing, self.listed_at_ns = Listing(), 0
        self._stale = set(self.vault.notes)

    def look(self, touched: frozenset[str], accept: bool = False, ours: int = 0) -> Looked:
        """`touched`: relative paths of files or folders, or `EVERYTHING`. `accept`: a person takes the loss over."""
        within = None if touched == EVERYTHING else touched
        at_ns = time.time_ns()
        now = root.identify(self.how.root)
        listing = walk(self.how.root, self.ignore, within)
        old = self.listing if within is None else diff.part(self.listing, within)
        look, gone = diff.suspects(old, listing, self.listed_at_ns, self._trusted)
        wanted = tuple(Wanted(path, old.files.get(path)) for path in look)
        moved = diff.moved(old, listing, look, gone)
        found = self._read(wanted[:SLICE])
        gone += [each.path for each in found if each.state == "gone" and each.path in self.vault.notes]
        if within is None:
            gone += self._unlisted(listing, gone)
        moved = self._moves(found, gone) | moved
        lost = sum(1 for path in gone if path in self.vault.notes and path not in moved and not self.ignore.hides(path))
        if within is not None and lost > root.MANY:
            return self.look(EVERYTHING, accept, ours)
        hold = None if accept else self._judge(now, listing, within, lost, ours)
        whole = listing if within is None else diff.joined(self.listing, listing, within)
        again, rest, whole_at_ns = _again(found), wanted[SLICE:], at_ns if within is None else 0
        return Looked(whole, at_ns, found, tuple(gone), tuple(moved.items()), again, rest, hold, now, whole_at_ns)

    def more(self, looked: Looked) -> Looked:
        """The next slice of what a look left to read."""
        found = self._read(looked.rest[:SLICE])
        gone = tuple(each.path for each in found if each.state == "gone" and each.path in self.vault.notes)
        files = {each.path: each.stat for each in found if each.stat}  # their folders were listed by the look
        rest, at_ns = looked.rest[SLICE:], looked.whole_at_ns
        listing = Listing(files, above=frozenset())
        return Looked(listing, 0, found, gone, (), _again(found), rest, None, looked.identity, at_ns)

    def _read(self, wanted: Sequence[Wanted]) -> tuple[Found, ...]:
        return tuple(read_all(self.how, wanted, self._processes, self._vectors.wanted))

    def _unlisted(self, listing: Listing, gone: Sequence[str]) -> list[str]:
        """Notes that stand nowhere, though no listing had them: what failed between a listing and a reading leaves such."""
        missing = self.vault.notes.keys() - listing.files.keys() - set(gone)
        return sorted(path for path in missing if not diff.beneath(path, listing.unread))

    def _judge(
        self, now: root.Identity | None, listing: Listing, within: frozenset[str] | None, lost: int, ours: int
    ) -> root.Hold | None:
        notes = len(self.vault.notes)
        left = len(listing.files) if within is None else notes - lost
        hold = root.judge(self.identity, now, notes, left, lost, ours)
        return self.hold if hold is None and self.hold and within is not None else hold

    def _moves(self, found: tuple[Found, ...], gone: list[str]) -> dict[str, str]:
        """Old path → new path of notes whose bytes stand elsewhere now."""
        new = {e.note.sha256: e.path for e in found if e.note and e.note.sha256 and e.path not in self.vault.notes}
        old = ((path, self.vault.notes[path].sha256) for path in gone if path in self.vault.notes)
        return {path: new.pop(sha) for path, sha in old if sha in new}

    def take(self, looked: Looked, urgent: bool = False, moved: Mapping[str, str] | None = None) -> tuple[Change, int]:
        """The change that was found, now in the snapshot and on its way into the indexes; and the indexer's number for it."""
        if looked.hold and looked.hold != self.hold:
            log.warning("holding: %s", looked.hold.reason)
        self.hold = looked.hold
        if looked.hold:
            return Change(), 0
        self._keep_listing(looked)
        self.identity = looked.identity
        self._keep_problems(looked)
        read = [e for e in looked.found if e.note is not None]
        notes = self.vault.notes
        differing = [e for e in read if e.note != notes.get(e.path)]
        change = Change(
            tuple(e.note for e in differing if e.note), tuple(p for p in looked.gone if p in notes), looked.moved
        )
        reindexed = [e for e in read if e.path in self._stale or not _same_words(notes.get(e.path), e.note)]
        self._stale -= {e.path for e in read} if self._stale else set()
        rows = {e.path: Indexed(e.units, _row(e)) for e in reindexed}
        restated = {e.path: _row(e) for e in read if e.path not in rows}
        rows |= {path: Indexed(None) for path in change.removed}
        if change:
            self.vault = self.vault.after(change, moved)
        number = self._indexer.submit(rows, urgent, more=bool(looked.rest))
        self._indexer.restate(restated)
        if looked.whole_at_ns and not looked.rest:
            self._indexer.listed(looked.whole_at_ns)
        if rows:
            self._embed(reindexed, change.removed)
        return change, number

    def _embed(self, found: Sequence[Found], removed: tuple[str, ...]) -> None:
        """What was read before anybody wanted passages is read again."""
        if not self._vectors.wanted:
            return
        late = tuple(Wanted(e.path) for e in found if e.passages is None)
        again = {e.path: e for e in self._read(late)} if late else {}
        pieces = ((e.path, again.get(e.path, e).passages) for e in found)
        self._vectors.embed({path: some for path, some in pieces if some is not None}, removed)

    def _keep_listing(self, looked: Looked) -> None:
        """Only what was read counts as listed: what an error leaves unread is looked at again."""
        if not looked.at_ns:
            self.listing = diff.joined(self.listing, looked.listing, looked.listing.files)
            return
        unread = {wanted.path for wanted in looked.rest}
        files = {p: s for p, s in looked.listing.files.items() if p not in unread} if unread else looked.listing.files
        self.listing = structs.replace(looked.listing, files=files | _refused(looked.found, files))
        if looked.whole_at_ns:
            self.listed_at_ns = looked.at_ns

    def _keep_problems(self, looked: Looked) -> None:
        for each in looked.found:
            self.problems.pop(each.path, None)
            if each.problem:
                self.problems[each.path] = each.problem
        for path in looked.gone:
            self.problems.pop(path, None)


def _again(found: tuple[Found, ...]) -> frozenset[str]:
    return frozenset(each.path for each in found if each.state == "unsettled")


def _refused(found: tuple[Found, ...], files: Mapping[str, FileStat]) -> dict[str, FileStat]:
    """What could not be read, with a stat that no file has: it is read as soon as that goes, whatever its own stat says."""
    names = [each.path for each in found if each.state == "unreadable" and each.path in files]
    return {path: structs.replace(files[path], ctime_ns=0) for path in names}


def _same_words(old: Note | None, new: Note | None) -> bool:
    """Whether the indexes have nothing to learn: the same bytes, read the same way."""
    return (
        old is not None
        and new is not None
        and structs.replace(old, modified=0, created=0) == structs.replace(new, modified=0, created=0)
    )


def _row(found: Found) -> Row:
    assert found.stat is not None
    assert found.note is not None
    stat = found.stat
    return Row(
        Stat(stat.size, stat.mtime_ns, stat.ctime_ns, stat.ino, stat.dev),
        found.note.sha256,
        found.note,
        len(found.units),
    )
