"""Whether a new leaf says again, replaces, or stands beside what its owner has.

Knows propositions and when they were stated. Never knows files. Without a verdict nothing replaces anything: rules give
one only where subject and aspect are the same and the aspect has one value at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from msgspec import Struct

SHORTLIST = 6
"""Active leaves of the owner that a new one is held against."""

_MANY = re.compile(
    r"hobb(y|ies)|\binterests?\b|\b(dis)?likes?\b|skills?\b|languages?\b|friends?\b|siblings?\b|children\b|\bkids?\b|"
    r"\bpets?\b|allerg|visited|mention|events?\b|experiences?\b|activit|achievement|purchases?\b|"
    r"爱好|兴趣|喜欢|不喜欢|技能|语言|朋友|兄弟姐妹|孩子|宠物|过敏|去过|经历|活动|提到|购买",
    re.I,
)


class Verdict(Struct, frozen=True, omit_defaults=True):
    """Answer to the task `verdict`: same_memory, supersedes, different or unsure, and the id it speaks of."""

    action: str
    id: str = ""
    rationale: str = ""


class Known(Struct, frozen=True):
    """An active leaf on the shortlist; `same_slot`: same subject and same aspect as the new one."""

    id: str
    text: str
    kind: str
    same_slot: bool


class Relation(Struct, frozen=True):
    """`same`: the leaf that already says it. `replaced`: the leaves it is another version of. `reason` for a person."""

    same: str = ""
    replaced: tuple[str, ...] = ()
    reason: str = ""


def one_valued(aspect: str) -> bool:
    """Whether an aspect has one value at a time: a hobby more does not end the hobby before."""
    return bool(aspect.strip()) and not _MANY.search(aspect)


def by_rule(kind: str, aspect: str, known: Iterable[Known]) -> Relation:
    """Same subject, same aspect, other words: another version. Events stand beside each other."""
    if kind == "event" or not one_valued(aspect):
        return Relation(reason="nothing of this is known yet")
    replaced = tuple(k.id for k in known if k.same_slot and k.kind != "event")
    return Relation(
        replaced=replaced,
        reason="same subject and aspect, another value" if replaced else "nothing of this is known yet",
    )


def by_answer(answer: Verdict, known: Iterable[Known]) -> Relation | None:
    """A model's verdict, None where it settles nothing or names a leaf that was not offered."""
    found = next((k for k in known if k.id == answer.id), None)
    if answer.action == "same_memory" and found:
        return Relation(same=found.id, reason=answer.rationale or "it says the same")
    if answer.action == "supersedes" and found and found.kind != "event":
        return Relation(replaced=(found.id,), reason=answer.rationale or "it is a newer version")
    if answer.action == "different":
        return Relation(reason=answer.rationale or "it says something else")
    return None
