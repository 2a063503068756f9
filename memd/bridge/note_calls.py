"""Methods about notes as typed Python methods, for the sync and the async client alike.

`R` is what a call gives: an answer, or an awaitable of one. An argument that is None is not sent. A test keeps the
signatures in step with `serve.params`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Literal, TypedDict, TypeVar, Unpack

from memd.serve.bases import Kind, Where
from memd.serve.params import Observed, Related

Answer = dict[str, Any]
"""A result, as the README's table of methods describes it."""
R = TypeVar("R")


class Guard(TypedDict, total=False):
    idempotency_key: str
    token: str


class Writing(Guard, total=False):
    """What every write takes: a key against doing it twice, a rehearsal, and the token of a plan that was shown."""

    dry_run: bool


class NoteCalls(ABC, Generic[R]):
    """From `hello` to `refresh`; `_ask` sends."""

    @abstractmethod
    def _ask(self, method: str, given: dict[str, Any]) -> R:
        """Sends; `given` are the arguments as `locals()` has them."""

    def hello(self, *, client: str | None = None, version: str | None = None) -> R:
        """Who answers, for which vault, and what it can do."""
        return self._ask("hello", locals())

    def search(
        self,
        query: str | None = None,
        *,
        where: Where | None = None,
        tags: Sequence[str] | None = None,
        type: str | None = None,
        folder: str | None = None,
        category: str | None = None,
        tree: str | None = None,
        kinds: Sequence[Kind] | None = None,
        since: str | None = None,
        until: str | None = None,
        mode: Literal["hybrid", "text", "vector"] | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include_sensitive: bool | None = None,
        include_superseded: bool | None = None,
        explain: bool | None = None,
    ) -> R:
        """Find notes and memories by words, meaning and filters."""
        return self._ask("memory.search", locals())

    def read(
        self,
        permalink: str | None = None,
        *,
        path: str | None = None,
        id: str | None = None,
        section: str | None = None,
        offset: int | None = None,
        max_bytes: int | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """One note as it stands in its file."""
        return self._ask("memory.read", locals())

    def list(
        self,
        *,
        where: Where | None = None,
        permalink: str | None = None,
        folder: str | None = None,
        tag: str | None = None,
        type: str | None = None,
        since: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """Notes by filter, newest first."""
        return self._ask("memory.list", locals())

    def context(
        self,
        permalink: str | None = None,
        *,
        path: str | None = None,
        id: str | None = None,
        depth: int | None = None,
        since: str | None = None,
        limit: int | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """A note with what it links to and what links to it."""
        return self._ask("memory.context", locals())

    def recent(
        self,
        *,
        cursor: str | None = None,
        since: str | None = None,
        kinds: Sequence[Kind] | None = None,
        limit: int | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """What changed since a time or a cursor."""
        return self._ask("memory.recent", locals())

    def write(
        self,
        title: str,
        *,
        type: str | None = None,
        folder: str | None = None,
        observations: Sequence[Observed] | None = None,
        relations: Sequence[Related] | None = None,
        tags: Sequence[str] | None = None,
        body: str | None = None,
        sensitivity: str | None = None,
        origin: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """A new note."""
        return self._ask("memory.write", locals())

    def append(
        self,
        permalink: str | None,
        category: str,
        text: str,
        *,
        path: str | None = None,
        id: str | None = None,
        tags: Sequence[str] | None = None,
        context: str | None = None,
        section: str | None = None,
        sensitivity: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """One observation more in a note."""
        return self._ask("memory.append", locals())

    def edit(
        self,
        permalink: str | None,
        find: str,
        replace: str,
        *,
        path: str | None = None,
        id: str | None = None,
        all: bool | None = None,
        expected_sha256: str | None = None,
        sensitivity: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Replace words in a note, nothing else."""
        return self._ask("memory.edit", locals())

    def delete(
        self,
        permalink: str | None = None,
        *,
        path: str | None = None,
        id: str | None = None,
        reason: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Move a note to the trash."""
        return self._ask("memory.delete", locals())

    def restore(
        self,
        permalink: str | None = None,
        *,
        path: str | None = None,
        id: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Take a note out of the trash."""
        return self._ask("memory.restore", locals())

    def move(
        self,
        permalink: str | None,
        to: str,
        *,
        path: str | None = None,
        id: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Move or rename a note, move a leaf to another tree, merge entities."""
        return self._ask("memory.move", locals())

    def correct(self, id: str, text: str, **writing: Unpack[Writing]) -> R:
        """Say what is true in place of a leaf, a chain value, a profile line."""
        return self._ask("memory.correct", locals())

    def undo(self, plan: str | None = None, **writing: Unpack[Writing]) -> R:
        """Take back memd's last change, or the one named."""
        return self._ask("memory.undo", locals())

    def refresh(self, *, accept: bool | None = None) -> R:
        """Look at the files now."""
        return self._ask("memory.refresh", locals())
