"""What the params of several methods share: bounded texts and numbers, closed sets of words, names of files, filters.

Every record is frozen and refuses unknown fields: a stranger's map costs no more memory than it has fields.
"""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

Text = Annotated[str, Meta(min_length=1)]
Many = Annotated[int, Meta(ge=1, le=100)]
More = Annotated[int, Meta(ge=1, le=1000)]
Kind = Literal["note", "evidence", "episode", "entity", "leaf", "summary", "chain", "profile", "digest", "turn"]
EventKind = Literal[
    "changed", "removed", "formed", "problem", "index",
    "note", "evidence", "episode", "entity", "leaf", "summary", "chain", "profile", "digest",
]  # fmt: skip
Sensitivity = Literal["", "normal", "sensitive"]
Category = Literal["", "interaction", "integration"]
Scalar = str | int | float | bool | None
Where = dict[str, Scalar | list[Scalar] | dict[str, Scalar | list[Scalar]]]
"""`{field: value}` or `{field: {operator: value}}`; a list means any of."""
OPERATORS = frozenset(("gt", "gte", "lt", "lte", "in", "contains", "exists"))


class Params(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """No params; the base of all."""


def one_name(params: Named | Changing) -> None:
    if sum(map(bool, (params.permalink, params.path, params.id))) != 1:
        raise ValueError("give one of permalink, path or id")


class Named(Params, frozen=True, kw_only=True):
    """Exactly one of three names of a file; a permalink may also be a unique title or `memory://…`."""

    permalink: str = ""
    path: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        one_name(self)


class Writing(Params, frozen=True, kw_only=True):
    idempotency_key: Annotated[str, Meta(max_length=128)] = ""
    dry_run: bool = False
    token: Annotated[str, Meta(max_length=128)] = ""


class Changing(Writing, frozen=True, kw_only=True):
    """A write to a file that has exactly one of three names."""

    permalink: str = ""
    path: str = ""
    id: str = ""

    def __post_init__(self) -> None:
        one_name(self)


class Filtered(Params, frozen=True, kw_only=True):
    where: Where = {}

    def __post_init__(self) -> None:
        for field, test in self.where.items():
            if isinstance(test, dict) and (not test or test.keys() - OPERATORS):
                raise ValueError(f"where.{field[:60]}: the operators are {', '.join(sorted(OPERATORS))}")
