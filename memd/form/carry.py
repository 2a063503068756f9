"""From the view of one snapshot to that of the next: what a few changed files leave as it was is taken over.

Only the readings that cost are taken over (which turns and leaves an episode means, support, slots, fingerprints), and
only where that is surely the same as reading them anew: else nothing is, and the view reads. Never knows what for.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from memd.form.facts import read
from memd.model.note import Note
from memd.model.vault import stem

if TYPE_CHECKING:
    from memd.form.lineage import Lineage

FEW = 400
"""Changed files of memory up to which taking over is worth it."""


def taken_over(view: Lineage, before: Lineage) -> bool:
    """Fills `view` from `before`; False (and nothing filled) where too much changed, or two files have one id."""
    gone, new = _changes(view, before)
    if len(gone) + len(new) > FEW:
        return False
    left = {note.id for note in gone}
    ids = [note.id for note in new]
    if len(set(ids)) < len(ids) or any(id in before.files and id not in left for id in ids):
        return False
    if before.doubled or any(before.files.get(note.id) is not note for note in gone):
        return False
    _files(view, before, gone, new)
    if not _only_grew(before, gone, new):
        return True
    _evidence(view, before, gone, new)
    _lineage(view, before, gone, new)
    _leaves(view, before, gone, new)
    return True


def _changes(view: Lineage, before: Lineage) -> tuple[list[Note], list[Note]]:
    """Notes of memory that are not there any more as they were, and those that are new or different."""
    old, now = before.vault.notes, view.vault.notes
    gone = [note for path, note in old.items() if note.id and note.kind != "note" and now.get(path) is not note]
    new = [note for path, note in now.items() if note.id and note.kind != "note" and old.get(path) is not note]
    return gone, new


def _files(view: Lineage, before: Lineage, gone: Iterable[Note], new: Iterable[Note]) -> None:
    view.files, view.by_path = dict(before.files), dict(before.by_path)
    view.by_kind = {kind: dict(ids) for kind, ids in before.by_kind.items()}
    for note in gone:
        del view.files[note.id], view.by_path[note.path], view.by_kind[note.kind][note.id]
    for note in new:
        view.files[note.id] = note
        view.by_path[note.path] = read(note)
        view.by_kind.setdefault(note.kind, {})[note.id] = None


def _only_grew(before: Lineage, gone: Iterable[Note], new: Iterable[Note]) -> bool:
    """Evidence that changed has all the turns that it had, at the path that it had; new evidence has a name of its own."""
    now = {note.path: note for note in new if note.kind == "evidence"}
    if any(before.stems.get(stem(path), note.id) != note.id for path, note in now.items()):
        return False
    for note in gone:
        if note.kind == "evidence":
            later = now.get(note.path)
            if later is None or later.id != note.id or not {t.id for t in note.turns} <= {t.id for t in later.turns}:
                return False
    return True


def _lineage(view: Lineage, before: Lineage, gone: list[Note], new: list[Note]) -> None:
    """Turns and leaves of the episodes that changed, that state a leaf which came or went, or that had a link to nothing."""
    known: dict[str, Any] = vars(before)
    if not {"turns_of", "states", "support"} <= known.keys():
        return
    leaves = {note.id for note in (*gone, *new) if note.kind == "leaf"}
    went = {note.id for note in gone if note.kind == "episode"}
    again = {note.id for note in new if note.kind == "episode"}
    again |= {e for leaf in leaves for e in before.support.get(leaf, ()) if e not in went}
    again |= {e for e in before.loose if e not in went}
    turns, states, support = dict(before.turns_of), dict(before.states), dict(before.support)
    touched = {leaf for e in went | again for leaf in states.get(e, ())}
    for id in went:
        turns.pop(id, None)
        states.pop(id, None)
    for id in again:
        turns[id], states[id] = view.turns_in(view.files[id]), view.states_in(view.files[id])
        touched.update(states[id])
    changed = went | again
    for leaf in touched:
        episodes = {e for e in support.get(leaf, ()) if e not in changed}
        episodes |= {e for e in again if leaf in states[e]}
        if episodes:
            support[leaf] = tuple(sorted(episodes, key=lambda e: (view.files[e].created, e)))
        else:
            support.pop(leaf, None)
    vars(view).update(turns_of=turns, states=states, support=support)
    loose = {e for e in before.loose if e not in changed} | {e for e in again if view.is_loose(view.files[e])}
    vars(view)["loose"] = frozenset(loose)


def _evidence(view: Lineage, before: Lineage, gone: list[Note], new: list[Note]) -> None:
    """Names and turns of evidence files."""
    known: dict[str, Any] = vars(before)
    if not {"stems", "turn_ids"} <= known.keys():
        return
    stems, turns = dict(before.stems), dict(before.turn_ids)
    for note in gone:
        if note.kind == "evidence":
            del stems[stem(note.path)], turns[note.id]
    for note in new:
        if note.kind == "evidence":
            stems[stem(note.path)] = note.id
            turns[note.id] = frozenset(turn.id for turn in note.turns)
    vars(view).update(stems=stems, turn_ids=turns)


def _leaves(view: Lineage, before: Lineage, gone: list[Note], new: list[Note]) -> None:
    """Slots and fingerprints, changed where a leaf came or went."""
    known: dict[str, Any] = vars(before)
    if not {"slots", "prints"} <= known.keys():
        return
    slots: dict[tuple[str, str, str], tuple[str, ...]] = dict(known["slots"])
    prints: dict[tuple[str, str], str] = dict(known["prints"])
    for note in gone:
        if note.kind == "leaf":
            facts = before.by_path[note.path]
            slots[facts.slot] = tuple(i for i in slots[facts.slot] if i != note.id)
            if not slots[facts.slot]:
                del slots[facts.slot]
            if prints.get((facts.tree, facts.fingerprint)) == note.id:
                del prints[facts.tree, facts.fingerprint]
                _others(view, facts.tree, facts.fingerprint, prints)
    for note in new:
        if note.kind == "leaf":
            facts = view.by_path[note.path]
            slots[facts.slot] = tuple(sorted({*slots.get(facts.slot, ()), note.id}))
            key = (facts.tree, facts.fingerprint)
            prints[key] = min(prints.get(key, note.id), note.id)
    vars(view).update(slots=slots, prints=prints)


def _others(view: Lineage, tree: str, fingerprint: str, prints: dict[tuple[str, str], str]) -> None:
    """Another leaf with the same fingerprint, where there is one."""
    same = [f.note.id for f in view.leaf_facts() if (f.tree, f.fingerprint) == (tree, fingerprint)]
    if same:
        prints[tree, fingerprint] = min(same)
