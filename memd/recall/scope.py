"""What of memory a question may be answered from: the explicit filters of `memory.retrieve` as tests, before any ranking.

Knows the snapshot, who owns what and when it was said or holds. Never knows words of bodies, scores or hits.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import tzinfo
from functools import cached_property, lru_cache
from heapq import nlargest

from memd.form import view
from memd.index.port import Only
from memd.model.fingerprint import fold
from memd.model.note import Note, Turn
from memd.model.vault import Vault
from memd.recall import asked, filters, spans, subjects
from memd.recall.intent import Intent
from memd.recall.spans import ALWAYS, Span


class Scope:
    """`note` and `turn` say whether a file or a turn of it may take part. Raises Refused: invalid_params when made."""

    def __init__(self, vault: Vault, params: asked.Retrieve, zone: tzinfo, within: str) -> None:
        self.vault, self.params, self.zone = vault, params, zone
        self._where = filters.where(params.where, zone)
        self._tests = [*self._where, *map(filters.tagged, params.tags)]
        ranged = params.time_range
        self.of = ranged.of if ranged else "said"
        self.during = filters.period(ranged.since, ranged.until, zone) if ranged else ALWAYS
        self.filtered = bool(
            self._tests or within or params.categories or params.tree_id or params.entities or self.during != ALWAYS
        )
        self._named = False
        self._single = bool(params.tree_id or params.tags or params.entities)
        self._talking = bool(params.entities) and not (params.tree_id or params.tags)
        self._known: dict[str, bool] = {}
        self._files: dict[str, bool] = {}
        shown = filters.shown(params.include_sensitive, within)
        self._chosen = filters.every([*self._asked(), *shown, filters.ranked(vault), _no_echo])
        said_in = filters.shown(params.include_sensitive, within, turns=True)
        self._said_in = filters.every([*self._of_category(), *said_in, filters.ranked(vault), *self._where])

    def _asked(self) -> list[filters.Test]:
        """Of the explicit filters those that were given, save the time."""
        params, found = self.params, list[filters.Test]()
        if self._tests:
            found.append(self._labelled)
        found += self._of_category()
        if params.tree_id:
            found.append(lambda note: self._of_tree(filters.tree(self.vault, note)))
        if params.entities:
            found.append(self._about)
        return found

    def _of_category(self) -> list[filters.Test]:
        wanted = self.params.categories
        return [lambda note: self.category(note) in wanted] if wanted else []

    @cached_property
    def memory(self) -> view.Memory:
        return view.of(self.vault)

    def narrowed(self, first: float, last: float) -> None:
        """Keeps to a period that the question itself names."""
        self.during, self.filtered, self._named = (first, last), True, True

    def note(self, note: Note) -> bool:
        """Whether a file that is no evidence may take part."""
        return self._timely(note) and self._fits(note)

    @cached_property
    def spoken(self) -> list[Span]:
        """When what is kept word for word was said, file by file."""
        notes = self.vault.notes
        said = spans.spans("said", self.zone).of(self.vault)
        return [span for path, span in said.items() if notes[path].kind == "evidence"]

    def earlier(self, note: Note) -> bool:
        """Whether an earlier version of what was found may be told: it is older than a period that a question names."""
        return self._fits(note) and (self._named or self._timely(note))

    def _fits(self, note: Note) -> bool:
        known = self._known.get(note.path)
        if known is None:
            known = self._known[note.path] = self._chosen(note)
        return known

    def _labelled(self, note: Note) -> bool:
        if note.kind == "leaf" and self.params.tags:
            labels = note.frontmatter.get("labels")
            said = {fold(str(label)) for label in labels} if isinstance(labels, list | tuple) else set()
            if all(fold(tag.lstrip("#")) in said for tag in self.params.tags):
                return all(test(note) for test in self._where)
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
        text = self._subjects[note.path]
        return any(name in text for name in self._folded)

    @cached_property
    def _subjects(self) -> Mapping[str, str]:
        return subjects.NAMED.of(self.vault)

    @cached_property
    def _names(self) -> tuple[str, ...]:
        """The entities asked for, with their aliases."""
        found = dict.fromkeys(self.params.entities)
        wanted = set(map(fold, found))
        for note in self.memory.of_kind("entity"):
            own = (
                note.title,
                str(note.frontmatter.get("name") or ""),
                *note.aliases,
                str(note.frontmatter.get("tree") or ""),
            )
            if wanted & set(map(fold, own)):
                found |= {name: None for name in own if name}
        return tuple(found)

    @cached_property
    def _folded(self) -> frozenset[str]:
        return frozenset(map(fold, self._names))

    def _timely(self, note: Note) -> bool:
        if self.during == ALWAYS:
            return True
        first, last = self._spans[note.path]
        return first < self.during[1] and last >= self.during[0]

    @cached_property
    def _spans(self) -> Mapping[str, Span]:
        return spans.spans(self.of, self.zone).of(self.vault)

    # turns -------------------------------------------------------------------------------------------------------

    def turn(self, note: Note, turn: Turn) -> bool:
        """Whether a turn of an evidence file that may take part may."""
        if self._single and not self._bears(note, turn):
            return False
        if not self.params.include_sensitive and filters.hidden(note, turn):
            return False
        return self.during == ALWAYS or self.during[0] <= self.said(note, turn) < self.during[1]

    def file(self, note: Note) -> bool:
        """Whether an evidence file may take part, its turns aside."""
        known = self._files.get(note.path)
        if known is None:
            known = self._files[note.path] = self._said_in(note)
        return known

    def said(self, note: Note, turn: Turn) -> float:
        """When a turn was said, in seconds."""
        return filters.when(note, self.zone, turn)

    def _bears(self, note: Note, turn: Turn) -> bool:
        """A tree or a tag says nothing of a turn by itself: leaves that may take part rest on it, or an entity says it."""
        return turn.id in self._borne.get(note.id, ()) or (self._talking and self._speaks(turn.speaker))

    @cached_property
    def _speaks(self) -> Callable[[str], bool]:
        return lru_cache(maxsize=None)(lambda speaker: fold(speaker) in self._folded)

    @cached_property
    def _borne(self) -> Mapping[str, set[str]]:
        """Evidence by id: its turns that bear leaves which may take part."""
        memory, found = self.memory, defaultdict[str, set[str]](set)
        leaves = (leaf for leaf in self._leaves() if self._fits(leaf))
        for episode in {episode for leaf in leaves for episode in memory.support.get(leaf.id, ())}:
            for turn in memory.turns_of.get(episode, ()):
                id, _, block = turn.partition("#")
                found[id].add(block)
        return found

    def _leaves(self) -> Iterable[Note]:
        """Leaves of the tree, where one is given, else all."""
        if not self.params.tree_id:
            return self.memory.of_kind("leaf")
        return [leaf for tree in self.memory.trees if self._of_tree(tree) for leaf in self.memory.leaves(tree)]

    # choosing first ----------------------------------------------------------------------------------------------

    def files(self) -> Only | None:
        """Files that may take part, evidence aside; None where all may."""
        if not self.filtered:
            return None
        return Only(frozenset(note.path for note in self._judged[1] if self._fits(note)))

    def turns(self) -> Only | None:
        """Turns that may take part, as files all of whose turns may and single ones of others; None where all may."""
        if not self.filtered:
            return None
        paths, units = set[str](), set[str]()
        for note in self._judged[0]:
            turns = self._bearing(note)
            if not turns or not self.file(note):
                continue
            if self._throughout(note):
                paths.add(note.path)
            else:
                units.update(f"{note.path}#{turn.id}" for turn in turns if self.turn(note, turn))
        return Only(frozenset(paths), frozenset(units))

    def _throughout(self, note: Note) -> bool:
        """Whether every turn of an evidence file that may take part may."""
        if self._single or not (self.params.include_sensitive or not any(turn.sensitive for turn in note.turns)):
            return False
        if self.during == ALWAYS:
            return True
        first, last = self._spans[note.path]
        return self.during[0] <= first and last < self.during[1]

    def _bearing(self, note: Note) -> Sequence[Turn]:
        """The turns of a file that a tree or a tag leaves to be judged."""
        if not self._single or self._talking:
            return note.turns
        blocks = self._borne.get(note.id)
        return [turn for turn in note.turns if turn.id in blocks] if blocks else ()

    @cached_property
    def _judged(self) -> tuple[list[Note], list[Note]]:
        """Evidence, and all else, that has to be looked at: times are known of every file and mostly leave few, a tree
        leaves its own leaves."""
        notes = self.vault.notes
        some: Iterable[Note] = notes.values()
        if self.during != ALWAYS:
            since, until = self.during
            some = [notes[path] for path, (first, last) in self._spans.items() if first < until and last >= since]
        elif self.params.tree_id:
            some = [*self._leaves(), *(note for note in some if note.kind != "leaf")]
        said, others = list[Note](), list[Note]()
        for note in some:
            (said if note.kind == "evidence" else others).append(note)
        return said, others

    def whole(self, intent: Intent) -> bool:
        """Whether all that filters leave is asked for: the question names no matter."""
        return self.filtered and not intent.matter

    def latest(self, only: Only, most: int) -> list[Note]:
        """The last of the files that something was chosen from."""
        paths = only.paths | {unit.rpartition("#")[0] for unit in only.units}
        return nlargest(most, (self.vault.notes[path] for path in paths), key=lambda note: (self.when(note), note.path))

    def when(self, note: Note) -> float:
        return filters.when(note, self.zone)


def _no_echo(note: Note) -> bool:
    """memd's own journal says again what leaves say."""
    return not (note.type == "journal" and note.origin == "memd")
