"""How long a memory is good for, and what to do before it is used: a policy a kind.

Knows words that tell a procedure, a reference or a preference from a fact. Never knows the time.
"""

from __future__ import annotations

import re

from msgspec import Struct

from memd.model.config import FormationConfig

NEVER = "never"

_PREFERENCE = re.compile(
    r"prefer|favou?rite|likes?\b|dislikes?\b|taste|habit|style|偏好|喜欢|讨厌|爱好|口味|习惯|称呼|风格", re.I
)
_IDENTITY = re.compile(
    r"\b(name|birthday|birth date|native|mother tongue|identity|gender|allerg)|姓名|名字|生日|出生|籍贯|母语|身份|过敏",
    re.I,
)
_PROCEDURE = re.compile(
    r"\b(how to|steps?|procedure|workflow|process|runbook|blocker|blocked|workaround|instructions?)\b|步骤|流程|做法|方法|怎么|阻塞|卡在|障碍|操作",
    re.I,
)
_REFERENCE = re.compile(
    r"https?://|\b(url|link|reference|docs?|documentation|endpoint|port|path)\b|链接|网址|文档|参考|地址簿", re.I
)


class Policy(Struct, frozen=True):
    """`staleness`: an ISO 8601 duration in days, or `never`. `verification`: none, check_before_use, must_reconfirm."""

    memory: str
    staleness: str
    verification: str


def policy_for(kind: str, aspect: str, text: str, entity_type: str, config: FormationConfig) -> Policy:
    """`kind` is the leaf's (state, claim, event). An event has happened: it does not go stale."""
    if kind == "event":
        return Policy("event", NEVER, "none")
    if entity_type == "preference" or _PREFERENCE.search(aspect):
        return Policy("preference", NEVER, "none")
    if entity_type == "identity" or _IDENTITY.search(aspect):
        return Policy("identity", NEVER, "none")
    if entity_type == "workflow" or _PROCEDURE.search(aspect):
        return Policy("procedure", f"P{config.stale_procedure}D", "must_reconfirm")
    if _REFERENCE.search(aspect) or _REFERENCE.search(text):
        return Policy("reference", f"P{config.stale_reference}D", "check_before_use")
    return Policy("fact", f"P{config.stale_fact}D", "check_before_use")


def days(staleness: object) -> int | None:
    """The days of `P30D`; None for `never` and for what is no duration."""
    found = re.fullmatch(r"P(\d{1,5})D", staleness) if isinstance(staleness, str) else None
    return int(found[1]) if found else None
