"""What of memory a question may be answered from: the explicit filters of `memory.retrieve` as tests, before any ranking.

Knows the snapshot, who owns what and when it was said or holds. Never knows words of bodies, scores or hits.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import tzinfo
from functools import cached_property, lru_cache, partial

from memd.form import view
from memd.model.fingerprint import fold
from memd.model.note import Note, Turn
from memd.model.vault import Vault
from memd.parse import times
from memd.recall import asked, filters, values
from memd.recall.columns import Column

ALWAYS = (float("-inf"), float("inf"))
Span = tuple[float, float]


@lru_cache(maxsize=131_072)
def _seconds(text: str, zone: tzinfo) -> float:
    return times.seconds(text, zone)


def _when(zone: tzinfo, note: Note) -> float:
    """As `filters.when`, for the kinds of which there are thousands read from a cache."""
    said = note.frontmatter.get("observed_at") if note.kind == "leaf" else None
    at = _seconds(said, zone) if isinstance(said, str) else 0.0
    return at or filters.when(note, zone)


def _said(zone: tzinfo, note: Note) -> Span:
    """From the first to the last time at which something in the file was said."""
    if note.kind != "evidence" or not note.turns:
        at = _when(zone, note)
        return at, at
    times = [_seconds(turn.at, zone) if turn.at else filters.when(note, zone, turn) for turn in note.turns]
    return min(times), max(times)


def _valid(zone: tzinfo, note: Note) -> Span:
    """When a leaf holds: from its `valid_from`, else from when it was said, to before the end of its `valid_to`."""
    if note.kind != "leaf":
        return _said(zone, note)
    begin = values.bounds(str(note.frontmatter.get("valid_from") or ""), zone)
    end = values.bounds(str(note.frontmatter.get("valid_to") or ""), zone)
    first = begin[0] if begin else _when(zone, note)
    happened = note.frontmatter.get("kind") == "event" and begin
    return first, end[1] if end else begin[1] if happened and begin else float("inf")


@lru_cache(maxsize=4)
def _spans(of: str, zone: tzinfo) -> Column[Span]:
    return Column(partial(_valid if of == "valid" else _said, zone))


def forget() -> None:
    """Drops what is kept of a snapshot: after a purge nothing of it is in memory."""
    _spans.cache_clear()
    _seconds.cache_clear()


class Scope:
    """`note` and `turn` say whether a file or a turn of it may take part. Raises Refused: invalid_params when made."""

    def __init__(self, vault: Vault, params: asked.Retrieve, zone: tzinfo, within: str) -> None:
        self.vault, self.params, self.zone = vault, params, zone
        self._shown = [*filters.shown(params.include_sensitive, within), filters.ranked]
        self._said_in = [*filters.shown(params.include_sensitive, within, turns=True), filters.ranked]
        self._tests = filters.where(params.where, zone) + [filters.tagged(tag) for tag in params.tags]
        ranged = params.time_range
        self.of = ranged.of if ranged else "said"
        self.during = filters.period(ranged.since, ranged.until, zone) if ranged else ALWAYS
        self.filtered = bool(
            self._tests or within or params.categories or params.tree_id or params.entities or self.during != ALWAYS
        )
        self._known: dict[str, bool] = {}
        self._files: dict[str, bool] = {}
        self._chosen = [*self._shown, *self._asked()]

    def _asked(self) -> list[filters.Test]:
        """Of the explicit filters those that were given, save the time."""
        params, found = self.params, list[filters.Test]()
        if self._tests:
            found.append(self._labelled)
        if params.categories:
            found.append(lambda note: self.category(note) in params.categories)
        if params.tree_id:
            found.append(lambda note: self._of_tree(filters.tree(self.vault, note)))
        if params.entities:
            found.append(self._about)
        return found

    @cached_property
    def memory(self) -> view.Memory:
        return view.of(self.vault)

    def narrowed(self, first: float, last: float) -> None:
        """Keeps to a period that the question itself names; the caller's own range stays a bound."""
        self.during = (max(self.during[0], first), min(self.during[1], last))
        self.filtered = True
        self._known.clear()

    def note(self, note: Note) -> bool:
        """Whether a file that is no evidence may take part."""
        known = self._known.get(note.path)
        if known is None:
            known = self._known[note.path] = self._note(note)
        return known

    def _note(self, note: Note) -> bool:
        return self.timely(note) and self._fits(note)

    def _fits(self, note: Note) -> bool:
        return all(test(note) for test in self._chosen)

    def _labelled(self, note: Note) -> bool:
        if note.kind == "leaf" and self.params.tags:
            labels = note.frontmatter.get("labels")
            said = {fold(str(label)) for label in labels} if isinstance(labels, list | tuple) else set()
            if all(fold(tag.lstrip("#")) in said for tag in self.params.tags):
                return all(test(note) for test in filters.where(self.params.where, self.zone))
        return all(test(note) for test in self._tests)

    @cached_property
    def _of_tree(self) -> Callable[[str], bool]:
        """Trees are few and asked about for every leaf."""
        wanted = fold(self.params.tree_id)
        return lru_cache(maxsize=None)(lambda tree: fold(tree) == wanted)

    def category(self, note: Note) -> str:
        """`interaction` or `integration`; a note of a person's own is neither ("")."""
        if note.kind == "evidence":
            return str(note.frontmatter.get("category") or "interaction")
        return filters.tree(self.vault, note).partition(":")[0]

    def _about(self, note: Note) -> bool:
        keys = note.frontmatter
        linked = keys.get("entities")
        names = [str(keys.get(key) or "") for key in ("subject", "holder", "speaker", "tree", "name", "title")]
        names += [str(link) for link in linked] if isinstance(linked, list | tuple) else []
        text = fold("\n".join((note.title, *names)))
        return any(name in text for name in self._folded)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The entities asked for, with their aliases."""
        found = dict.fromkeys(self.params.entities)
        for note in self.memory.of_kind("entity"):
            own = (
                note.title,
                str(note.frontmatter.get("name") or ""),
                *note.aliases,
                str(note.frontmatter.get("tree") or ""),
            )
            if {fold(name) for name in self.params.entities} & {fold(name) for name in own}:
                found |= {name: None for name in own if name}
        return tuple(found)

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(map(fold, self._names))

    def timely(self, note: Note) -> bool:
        return self.during == ALWAYS or self._within(self._spans[note.path])

    @cached_property
    def _spans(self) -> Mapping[str, Span]:
        return _spans(self.of, self.zone).of(self.vault)

    def _within(self, span: Span) -> bool:
        return span[0] < self.during[1] and span[1] >= self.during[0]

    # turns -------------------------------------------------------------------------------------------------------

    def turn(self, note: Note, turn: Turn) -> bool:
        """Whether a turn of an evidence file may take part."""
        if not self.params.include_sensitive and filters.hidden(note, turn):
            return False
        if not self._file(note):
            return False
        if self.params.tree_id or self.params.tags or self.params.entities:
            if f"{note.id}#{turn.id}" not in self._turns and not self._speaks(turn):
                return False
        return self.during == ALWAYS or self._said(note, turn)

    def _file(self, note: Note) -> bool:
        known = self._files.get(note.path)
        if known is None:
            where = filters.where(self.params.where, self.zone)
            fits = not self.params.categories or self.category(note) in self.params.categories
            known = self._files[note.path] = fits and all(test(note) for test in (*self._said_in, *where))
        return known

    def _speaks(self, turn: Turn) -> bool:
        plain = self.params.entities and not self.params.tree_id and not self.params.tags
        return bool(plain) and fold(turn.speaker) in self._folded

    def _said(self, note: Note, turn: Turn) -> bool:
        at = _seconds(turn.at, self.zone) if turn.at else filters.when(note, self.zone, turn)
        return self.during[0] <= at < self.during[1]

    @cached_property
    def _turns(self) -> frozenset[str]:
        """Turns that bear the leaves which may take part: a tree or a tag says nothing of a turn by itself."""
        memory, found = self.memory, set()
        for leaf in memory.of_kind("leaf"):
            if self._fits(leaf):
                found |= {
                    turn for episode in memory.support.get(leaf.id, ()) for turn in memory.turns_of.get(episode, ())
                }
        return frozenset(found)

    def paths(self, may: Callable[[Note], bool], evidence: bool) -> frozenset[str] | None:
        """Files that may take part, of evidence or of all else, where filters choose; None where all may.

        Times come first: they are known of every file, and mostly leave few."""
        if not self.filtered:
            return None
        notes = self.vault.notes
        if self.during == ALWAYS:
            return frozenset(
                path for path, note in notes.items() if (note.kind == "evidence") is evidence and may(note)
            )
        since, until = self.during
        timely = (path for path, (first, last) in self._spans.items() if first < until and last >= since)
        return frozenset(path for path in timely if (notes[path].kind == "evidence") is evidence and may(notes[path]))

    def files(self, note: Note) -> bool:
        """Evidence files that may hold an answer, judged by the file."""
        return note.kind == "evidence" and self._file(note) and self.timely(note)
