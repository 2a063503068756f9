"""The params of every method, one frozen struct each, with the contract's names, defaults and limits.

Knows what may be asked. Never knows who asks, or how it is answered. An optional text that was not given is "".
A message that does not fit is refused by msgspec with the field's name; `serve.messages` makes a sentence of it.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

from memd.model.memory import Atom, Event, Handed
from memd.serve.bases import (
    Category,
    Changing,
    EventKind,
    Filtered,
    Kind,
    Many,
    More,
    Named,
    Params,
    Sensitivity,
    Text,
    Writing,
)


class Hello(Params, frozen=True, kw_only=True):
    client: Annotated[str, Meta(max_length=128)] = ""
    version: Annotated[str, Meta(max_length=64)] = ""


class Search(Filtered, frozen=True, kw_only=True):
    query: str = ""
    tags: tuple[str, ...] = ()
    type: str = ""
    folder: str = ""
    category: Category = ""
    tree: str = ""
    kinds: tuple[Kind, ...] = ()
    since: str = ""
    until: str = ""
    mode: Literal["hybrid", "text", "vector"] = "hybrid"
    limit: Many = 8
    cursor: str = ""
    include_sensitive: bool = False
    include_superseded: bool = False
    explain: bool = False


class Read(Named, frozen=True, kw_only=True):
    section: str = ""
    offset: Annotated[int, Meta(ge=0)] = 0
    max_bytes: Annotated[int, Meta(ge=1, le=8 * 1024 * 1024)] = 8192
    include_sensitive: bool = False


class List(Filtered, frozen=True, kw_only=True):
    permalink: str = ""
    folder: str = ""
    tag: str = ""
    type: str = ""
    since: str = ""
    limit: More = 100
    cursor: str = ""
    include_sensitive: bool = False


class Context(Named, frozen=True, kw_only=True):
    depth: Annotated[int, Meta(ge=1, le=3)] = 1
    since: str = ""
    limit: Many = 30
    include_sensitive: bool = False


class Recent(Params, frozen=True, kw_only=True):
    cursor: str = ""
    since: str = ""
    kinds: tuple[Kind, ...] = ()
    limit: More = 50
    include_sensitive: bool = False


class Observed(Params, frozen=True, kw_only=True):
    category: Text
    text: Text
    tags: tuple[str, ...] = ()
    context: str = ""


class Related(Params, frozen=True, kw_only=True):
    type: Text
    target: Text
    context: str = ""


class Write(Writing, frozen=True, kw_only=True):
    title: Text
    type: Text = "note"
    folder: str = ""
    observations: tuple[Observed, ...] = ()
    relations: tuple[Related, ...] = ()
    tags: tuple[str, ...] = ()
    body: str = ""
    sensitivity: Sensitivity = ""
    origin: str = ""


class Append(Changing, frozen=True, kw_only=True):
    category: Text
    text: Text
    tags: tuple[str, ...] = ()
    context: str = ""
    section: str = ""
    sensitivity: Sensitivity = ""


class Edit(Changing, frozen=True, kw_only=True):
    find: Text
    replace: str
    all: bool = False
    expected_sha256: str = ""
    sensitivity: Sensitivity = ""


class Delete(Changing, frozen=True, kw_only=True):
    reason: str = ""


class Restore(Changing, frozen=True, kw_only=True):
    """`path` is the trashed one."""


class Move(Changing, frozen=True, kw_only=True):
    to: Text


class Correct(Writing, frozen=True, kw_only=True):
    id: Text
    text: Text


class Undo(Writing, frozen=True, kw_only=True):
    plan: str = ""


class Refresh(Params, frozen=True, kw_only=True):
    accept: bool = False


class Remember(Writing, frozen=True, kw_only=True):
    text: Text
    subject: str = ""
    aspect: str = ""
    kind: Literal["", "state", "claim", "event"] = ""
    at: str = ""
    session: str = ""
    sensitivity: Sensitivity = ""


class Ingest(Writing, frozen=True, kw_only=True):
    session: Text
    source: Text
    category: Literal["interaction", "integration"] = "interaction"
    owner: str = ""
    focus: str = ""
    events: tuple[Event, ...] = ()
    episodes: tuple[Handed, ...] = ()
    atoms: tuple[Atom, ...] = ()
    close: bool = False
    wait: bool = False


class TimeRange(Params, frozen=True, kw_only=True):
    since: str = ""
    until: str = ""
    of: Literal["said", "valid"] = "said"


class Retrieve(Filtered, frozen=True, kw_only=True):
    query: Text
    categories: tuple[Literal["interaction", "integration"], ...] = ()
    tree_id: str = ""
    tags: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    time_range: TimeRange | None = None
    mode: Literal["auto", "broad_summary", "exact_evidence"] = "auto"
    max_results: Annotated[int, Meta(ge=1, le=50)] = 12
    include_leaves: bool = True
    max_tokens: Annotated[int, Meta(ge=50, le=100_000)] = 2000
    include_sensitive: bool = False
    explain: bool = False


class Browse(Params, frozen=True, kw_only=True):
    node: str = ""
    depth: Annotated[int, Meta(ge=1, le=10)] = 1
    cursor: str = ""
    include_sensitive: bool = False


class Trace(Named, frozen=True, kw_only=True):
    direction: Literal["down", "up", "both"] = "down"
    include_sensitive: bool = False


class Profile(Params, frozen=True, kw_only=True):
    history: bool = False
    include_sensitive: bool = False


class Seal(Writing, frozen=True, kw_only=True):
    tree: str = ""


class Patch(Writing, frozen=True, kw_only=True):
    """No params of its own."""


class Chains(Writing, frozen=True, kw_only=True):
    subject: str = ""


class Target(Params, frozen=True, kw_only=True):
    """What is to be forgotten: exactly one kind and its id."""

    evidence: str = ""
    turn: str = ""
    episode: str = ""
    leaf: str = ""
    entity: str = ""
    session: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        if sum(bool(getattr(self, kind)) for kind in self.__struct_fields__) != 1:
            raise ValueError(f"target: give one of {', '.join(self.__struct_fields__)}")


class Forget(Writing, frozen=True, kw_only=True):
    target: Target
    purge: bool = False
    withdraw: bool = False
    dry_run: bool = True


class Doctor(Params, frozen=True, kw_only=True):
    fix: bool = False
    cursor: str = ""


class Reindex(Params, frozen=True, kw_only=True):
    full: bool = False


class Job(Params, frozen=True, kw_only=True):
    id: Text


class Subscribe(Params, frozen=True, kw_only=True):
    kinds: tuple[EventKind, ...] = ()
    folder: str = ""


class Unsubscribe(Params, frozen=True, kw_only=True):
    sub: int
