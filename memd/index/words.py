"""The text index as `port.Words` promises it: shelves of kinds that are ranked together, opened whole or made afresh.

Knows which shelf a unit stands on and how their answers join. Never knows files of notes, or who asks.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from heapq import merge
from itertools import islice

from memd.index import fields, lacks
from memd.index.clauses import clauses
from memd.index.port import Hit, Operations, Query, Unit
from memd.index.shelf import Shelf
from memd.index.whole import Damaged
from memd.model.errors import Refused

_IDENTITY = "identity"


class TantivyWords:
    """`folder` belongs to the index. `damage` says in a sentence why it was made afresh, "" when it was not.

    `identity` is another one whenever the index is made: what was noted of an index of another identity says nothing
    of this one. `search` may be called from any thread; `apply`, `commit`, `clear` and `close` only from the owner's.
    Errors: `Refused("unavailable")`; after one, nothing is kept of what was applied since the last commit.
    """

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self.damage = ""
        try:
            self._open()
        except Damaged as damaged:
            self.damage = str(damaged)
            self._make()

    def _open(self) -> None:
        self.identity = self._read_identity()
        self._shelves = {name: Shelf(os.path.join(self._folder, name)) for name in fields.SHELVES}

    def _read_identity(self) -> str:
        try:
            with open(os.path.join(self._folder, _IDENTITY), encoding="ascii") as file:
                if len(name := file.read()) == 16:
                    return name
                raise Damaged("the folder does not say rightly which index it holds")
        except FileNotFoundError:
            if os.path.isdir(self._folder) and os.listdir(self._folder):
                raise Damaged("the folder does not say which index it holds") from None
        except (OSError, UnicodeDecodeError) as error:
            lacks.reraised(error)
            raise Damaged(f"{_IDENTITY}: {error}") from error
        return self._name()

    def _name(self) -> str:
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        name = os.urandom(8).hex()
        with open(os.path.join(self._folder, _IDENTITY), "w", encoding="ascii") as file:
            file.write(name)
        return name

    def _make(self) -> None:
        """Moved aside before it is removed: a thread of the engine may write by the old name a moment longer."""
        aside = self._folder + ".old"
        shutil.rmtree(aside, ignore_errors=True)
        with suppress(FileNotFoundError):
            os.rename(self._folder, aside)
        shutil.rmtree(aside, ignore_errors=True)
        self._open()

    def search(self, query: Query, limit: int) -> list[Hit]:
        """Best first; the order of equal scores says nothing. A query without a word in it has no hits."""
        answers = []
        for name, shelf in self._shelves.items():
            kinds = fields.SHELVES[name]
            if query.kinds and not set(kinds) & set(query.kinds):
                continue
            only = tuple(kind for kind in kinds if kind in query.kinds)
            answers.append(self._ask(shelf, name, query, limit, () if only == kinds else only))
        if len(answers) == 1:
            return answers[0]
        return list(islice(merge(*answers, key=lambda hit: -hit.score), limit))

    def _ask(self, shelf: Shelf, name: str, query: Query, limit: int, kinds: tuple[str, ...]) -> list[Hit]:
        view = shelf.view()
        weights = fields.TURN if name == "turns" else fields.NAMES
        asked = clauses(query, weights, view.languages, view.complete)
        if not (asked.should or asked.must) and (query.any or query.must or not query.none):
            return []
        return shelf.search(view, asked, limit, kinds, query.only)

    def apply(self, operations: Operations) -> None:
        """Replace and remove by path; searchable after `commit`."""
        try:
            for path, units in operations.replace.items():
                shelves: dict[str, list[Unit]] = {name: [] for name in self._shelves}
                for unit in units:
                    shelves[fields.shelf_of(unit.kind)].append(unit)
                for name, mine in shelves.items():
                    self._shelves[name].replace(path, mine)
            for path in operations.remove:
                for shelf in self._shelves.values():
                    shelf.replace(path, ())
        except BaseException:
            self._rollback()
            raise

    def commit(self) -> None:
        try:
            for shelf in self._shelves.values():
                shelf.commit()
        except BaseException:
            self._rollback()
            raise

    def _rollback(self) -> None:
        for shelf in self._shelves.values():
            shelf.rollback()

    def count(self) -> int:
        """Units that are searchable."""
        return sum(shelf.count() for shelf in self._shelves.values())

    def clear(self) -> None:
        """Make the index afresh, empty, under another identity. Raises Refused: unavailable."""
        self.close()
        try:
            self._make()
        except (OSError, Damaged) as error:
            raise Refused(
                "unavailable", f"the text index could not be made anew: {error}; see `memd doctor`"
            ) from error

    def close(self) -> None:
        for shelf in self._shelves.values():
            shelf.close()
