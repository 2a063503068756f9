"""Methods about memory and upkeep as typed Python methods; with those about notes, all that a client can call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Unpack

from memd.bridge.note_calls import Answer, Guard, NoteCalls, R, Writing
from memd.model.memory import Atom, Event, Handed
from memd.serve.bases import Where

__all__ = ["Answer", "Calls", "Guard", "Writing", "arguments"]


def arguments(given: dict[str, Any]) -> dict[str, Any]:
    """What is sent of a method's `locals()`: nothing that is None, and the write's own options beside the rest."""
    kept = {**given, **given.get("writing", {})}
    return {name: value for name, value in kept.items() if value is not None and name not in ("self", "writing")}


class Calls(NoteCalls[R]):
    """Every method of the wire but the two of subscriptions."""

    def remember(
        self,
        text: str,
        *,
        subject: str | None = None,
        aspect: str | None = None,
        kind: Literal["", "state", "claim", "event"] | None = None,
        at: str | None = None,
        session: str | None = None,
        sensitivity: str | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Keep something said, from words to evidence in one call."""
        return self._ask("memory.remember", locals())

    def ingest(
        self,
        session: str,
        source: str,
        events: Sequence[Event] | None = None,
        *,
        category: Literal["interaction", "integration"] | None = None,
        owner: str | None = None,
        focus: str | None = None,
        episodes: Sequence[Handed] | None = None,
        atoms: Sequence[Atom] | None = None,
        close: bool | None = None,
        wait: bool | None = None,
        **writing: Unpack[Writing],
    ) -> R:
        """Take in a conversation or a source's records as evidence."""
        return self._ask("memory.ingest", locals())

    def retrieve(
        self,
        query: str,
        *,
        where: Where | None = None,
        categories: Sequence[Literal["interaction", "integration"]] | None = None,
        tree_id: str | None = None,
        tags: Sequence[str] | None = None,
        entities: Sequence[str] | None = None,
        time_range: Mapping[str, str] | None = None,
        mode: Literal["auto", "broad_summary", "exact_evidence"] | None = None,
        max_results: int | None = None,
        include_leaves: bool | None = None,
        max_tokens: int | None = None,
        include_sensitive: bool | None = None,
        explain: bool | None = None,
    ) -> R:
        """A pack of facts, evidence and gaps for a question."""
        return self._ask("memory.retrieve", locals())

    def browse(
        self,
        node: str | None = None,
        *,
        depth: int | None = None,
        cursor: str | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """The tree of memory, level by level."""
        return self._ask("memory.browse", locals())

    def trace(
        self,
        id: str | None = None,
        *,
        permalink: str | None = None,
        path: str | None = None,
        direction: Literal["down", "up", "both"] | None = None,
        include_sensitive: bool | None = None,
    ) -> R:
        """Lineage: down to words somebody said, up to what was made of them."""
        return self._ask("memory.trace", locals())

    def profile(self, *, history: bool | None = None, include_sensitive: bool | None = None) -> R:
        """What is known of the vault's owner."""
        return self._ask("memory.profile", locals())

    def seal(self, tree: str | None = None, **writing: Unpack[Writing]) -> R:
        """Run the sealing step now."""
        return self._ask("memory.seal", locals())

    def patch(self, **writing: Unpack[Writing]) -> R:
        """Run the profile step now."""
        return self._ask("memory.patch", locals())

    def chains(self, subject: str | None = None, **writing: Unpack[Writing]) -> R:
        """Run the chain step now."""
        return self._ask("memory.chains", locals())

    def forget(
        self,
        target: Mapping[str, str],
        *,
        dry_run: bool | None = None,
        purge: bool | None = None,
        withdraw: bool | None = None,
        **writing: Unpack[Guard],
    ) -> R:
        """Forget something and all that was made of it."""
        return self._ask("memory.forget", locals())

    def doctor(self, *, fix: bool | None = None, cursor: str | None = None) -> R:
        """Every problem with path, line, reason and what to do."""
        return self._ask("memory.doctor", locals())

    def reindex(self, *, full: bool | None = None) -> R:
        """Bring the indexes in step with the files now."""
        return self._ask("memory.reindex", locals())

    def job(self, id: str) -> R:
        """How far a long piece of work is."""
        return self._ask("memory.job", locals())

    def status(self) -> R:
        """Daemon, indexes, backlog, jobs and problems."""
        return self._ask("status", locals())
