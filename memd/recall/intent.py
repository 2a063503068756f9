"""What a question wants, by rules in English and Chinese: its intent, whether it is broad, asks when, or is one's own.

Knows words. Never knows what is remembered. A question that fits nothing asks for a fact.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from typing import Literal

from msgspec import Struct, structs

from memd.form.rules import dates
from memd.index import tokens
from memd.index.port import Query
from memd.recall import weights
from memd.recall.query import parse_query
from memd.recall.stopwords import is_stop

_RULES: tuple[tuple[str, str], ...] = (
    (
        "what_changed",
        r"\bchang(?:e|es|ed|ing)\b|\bwhat(?:'s| is| was) (?:new|different)\b|\bused to\b|\bswitch(?:ed)?\b|\b(?:moved|used) (?:from|before)\b"
        r"|\b(?:previous|former|original)(?:ly)?\b|\bhistory of\b|\bno longer\b|\bsince (?:when|then)\b|\blearn(?:t|ed)? (?:this|last)\b"
        r"|变化|变了|改了|改到|改成|换了|换成|原来|之前|以前|曾经|不再|为什么换|有什么新(?:鲜事?)?|学到",
    ),
    (
        "briefing",
        r"\b(?:brief(?:ing)?|overview|summar(?:y|ise|ize)|recap|catch (?:me )?up|status|tell me (?:all |everything )?about|what do (?:we|you|i) know)\b"
        r"|概况|概述|总结|汇总|简报|近况|进展|情况如何|介绍一下|说说|梳理|回顾|情况",
    ),
    (
        "procedure",
        r"\bhow (?:do|does|should|can|could|would|to)\b(?!.*\bfeel)|(?<!next )\bsteps?\b|\bprocedure\b|\bworkflow\b|\binstructions?\b|\bset ?up\b"
        r"|怎样做|如何|步骤|流程|方法|怎么(?!样|了|回事|说|会|这|那|没|不|还|想|看)",
    ),
    (
        "preference",
        r"\bprefer(?:s|red|ence|ences)?\b|\bfavou?rites?\b|\b(?:does|do|would) \S+(?: \S+)? (?:like|love|enjoy|hate|dislike|want)\b|\b(?:likes|hobb(?:y|ies)|taste)\b"
        r"|喜欢|偏好|爱好|最爱|讨厌|口味|习惯|爱吃|爱喝|想要什么",
    ),
    (
        "identity",
        r"^\s*who (?:is|am|are)\b|\b(?:identity|nationality|occupation|job|profession|relationship status|birthday|full name)\b|\bwhat is (?:my|his|her|their) name\b"
        r"|是谁|叫什么|哪里人|做什么工作|职业|身份|生日|籍贯|几岁|多大了",
    ),
    (
        "planning",
        r"\bplan(?:s|ned|ning)?\b|\bgoing to\b|\bupcoming\b|\bnext steps?\b|\bto-?dos?\b|\bgoals?\b|\bintend(?:s|ed)?\b|\bdeadlines?\b|\bschedule[ds]?\b"
        r"|计划|打算|准备|接下来|下一步|安排|待办|目标|日程|截止",
    ),
)
_COMPILED = tuple((name, re.compile(rule, re.I)) for name, rule in _RULES)
_WHEN = re.compile(
    r"^\W*(?:and |so |but )?(?:when|how long|since when|(?:what|which|on what|in what|in which) (?:date|year|month|day|week|time))\b"
    r"|\bhow long ago\b|\bwhen (?:did|was|were|is|does|do|will|has|have)\b"
    r"|什么时候|何时|几时|哪[天年日月]|几[月号点]|哪一[天年]|多久|什么日子|周几|星期几",
    re.I,
)
_OWN = re.compile(r"\b(?:i|i'm|i've|i'd|i'll|me|my|mine|we|we're|we've|our|us|let's)\b|我|咱|俺", re.I)
_NOW = re.compile(
    r"\b(?:now|currently|current|today|still|these days|at the moment|latest)\b|现在|目前|当前|如今|还在|最新|今天",
    re.I,
)
_SINCE, _TO_NOW = re.compile(r"\bsince\b|自从?", re.I), re.compile(r"以来|至今|到现在|起")
_ASKING = re.compile(
    r"\b(?:know|remember(?:ed)?|tell|told|sa(?:y|id)|talk(?:ed)?|sp(?:eak|oke)|mention(?:ed)?|discuss(?:ed)?|happen(?:s|ed|ing)?|ever"
    r"|give|catch|show|remind|ago|anything|something|everything|new|wrong|matter|going|update[ds]?)\b"
    r"|发生|聊[了过到天]|谈[了过到]|提[到过]|[说讲][了过到]|知道|(?:还|记不)?记得|告诉|一下|有没有|新鲜?事|哪[里家儿些个]|什么|啥|怎么|怎样|如何|多少|是不是|关于|以来|至今",
    re.I,
)
"""Words that ask or speak of speaking, beside those of the rules: no matter of their own."""
_OF_TALK = re.compile(
    r"\b(?:names?|kinds?|types?|genres?|topics?|contents?|details?|recommend(?:ed|ations?)?|suggest(?:ed|ions?)?|advi[sc]ed?|tips?|ask(?:ed|ing)?|consult(?:ed)?"
    r"|shared?|chat(?:ted)?|conversations?|encounter(?:ed)?|taught|called|given|main|specific|right|lot|one|two|three|few|several|dates?|days?)\b"
    r"|(?:主要|具体)?(?:名字|名称|类型|内容|话题|对话|日期)|时候|[向对跟和给][你我]|[给问聊][了过]?|(?:推荐|分享|咨询|请教|建议|教)[了过]?",
    re.I,
)
"""Words that name a part of an answer or a manner of speaking, which a question has and what answers it mostly has not."""
_HISTORY = re.compile(
    r"\b(?:before|previous(?:ly)?|formerly|original(?:ly)?|used to|old(?:er)?|history|earlier|chang\w+|why did|switch\w*)\b|原来|以前|之前|曾经|历史|过去|为什么|变化|换了|改",
    re.I,
)


_TOLD = re.compile(
    r"(?P<who>\byou\b|\bi\b|(?<![给向对跟和了过诉教])(?:你|我)(?!们))(?:\s+\w+){0,3}?\s*(?:\b(?:recommend|suggest|advi[sc]e|t(?:ell|old|each|aught)"
    r"|g[ia]ve|sha?re|mention|sa(?:y|id)|ask|explain|introduc)(?:e?d|ing)?\b|[^，。？！,.?!]{0,12}?(?:推荐|建议|告诉|介绍|分享|回答|教[了过我你]|给[了过]|[说讲提问][了过到你我]|咨询|请教))",
    re.I,
)
"""Who said what is asked for, where the question speaks of saying: the one who asks, or the one who is asked."""
_OF_ONESELF = re.compile(r"\bi\b|\bmy (?:own|favou?rite|mood|birthday)\b|我(?!们)", re.I)
"""What a person does, likes or has: it is they who know."""
_ADVICE = re.compile(r"\byou|\b(?:should|can|could|how do) i\b|你|您|怎么|如何|应该|该不该", re.I)
_TALK = r"(?:聊天?|谈话?|对话|说话|交流|见面)"
_FIRST = re.compile(
    rf"\bfirst (?:time|talk|chat|conversation|session)\b|(?:第一次|首次|最初|最早).{{0,6}}{_TALK}", re.I
)
_LATEST = re.compile(
    rf"\b(?:last|latest|previous|most recent) (?:time|talk|chat|conversation|session)\b|(?:上一?[次回]|前一次|最近一次).{{0,6}}{_TALK}",
    re.I,
)
_LONG_AGO = re.compile(r"\b(?:previously|before|earlier|once)\b|曾经?|之前|以前|原来", re.I)


Kind = Literal["fact", "procedure", "briefing", "planning", "what_changed", "preference", "identity", "temporal"]


class Intended(Struct, frozen=True):
    """What a model is asked to say of a question."""

    kind: Kind


class Judged(Struct, frozen=True):
    """What a model said of a question: its `kind`, "" where a rule says it, or where `why` none was had: `late`, `unavailable`."""

    kind: str = ""
    why: str = ""


class Intent(Struct, frozen=True):
    """`kind` is one of `Kind`.

    `query` asks any of the words; `words` is the plain text; `telling` are its words that say something, `matter` those
    that name what it is about and neither ask nor name a time. `when`: a time is asked for. `own`: it speaks of who
    asks. `first`..`last` are the days that it names, seen from the day of asking; `relative` as in "this week", `yearless` as in
    "on 4 May", `named` the phrase itself. `role` is whose words are asked for: user, assistant, or "". `talk`
    is the first or the latest talk where one of these is asked for, "" otherwise.
    """

    kind: str
    query: Query
    words: str
    telling: tuple[str, ...]
    matter: tuple[str, ...] = ()
    when: bool = False
    own: bool = False
    now: bool = False
    history: bool = False
    broad: bool = False
    first: date | None = None
    last: date | None = None
    relative: bool = False
    yearless: bool = False
    named: str = ""
    role: str = ""
    talk: str = ""


def ruled(text: str) -> str:
    """The kind of which a rule finds a sign in the question, "" where none does."""
    about = _LONG_AGO.sub(" ", text) if _TOLD.search(text[:2000]) else text
    kind = next((name for name, rule in _COMPILED if rule.search(about)), "")
    return "temporal" if kind != "briefing" and _WHEN.search(text) else kind


def understood(text: str, today: date, told: str = "") -> Intent:
    """What the question asks. Quotes, minus signs and filters in it are words: nobody types them to an agent. `told` is its
    kind where no rule finds one."""
    typed = parse_query(text)
    asked = Query(any=(*typed.query.any, *typed.query.must))
    if not asked.any:
        asked = Query(any=typed.query.none)
    kind = ruled(text) or told or "fact"
    period = _period(text[:2000], today)
    said = tuple(dict.fromkeys(tokens.words(typed.words)))
    named = text[period.start : period.end] if period else ""
    asking = {*tokens.words(named), *(word for word in said if _ASKING.fullmatch(word))}
    telling = tuple(word for word in said if not is_stop(word) and word not in asking)[: weights.TELLING_WORDS]
    return Intent(
        kind,
        asked,
        typed.words or text,
        telling or said[: weights.TELLING_WORDS],
        tuple(dict.fromkeys(_matter(text, period)))[: weights.TELLING_WORDS],
        kind == "temporal" or bool(_WHEN.search(text)),
        bool(_OWN.search(text)),
        bool(_NOW.search(text)),
        kind == "what_changed" or bool(_HISTORY.search(text)),
        kind in ("briefing", "what_changed"),
        period.first if period else None,
        period.last if period else None,
        bool(period and period.relative),
        bool(period and period.yearless),
        named,
        _role(text),
        "first" if _FIRST.search(text) else "latest" if _LATEST.search(text) else "",
    )


def _role(text: str) -> str:
    """Of several that are said to have spoken the last: it is what the question ends in; else who asks, of themself."""
    told = list(_TOLD.finditer(text[:2000]))
    if told:
        return "user" if told[-1]["who"].lower() in ("i", "我") else "assistant"
    return "user" if _OF_ONESELF.search(text) and not _ADVICE.search(text) else ""


def _period(text: str, today: date) -> dates.When | None:
    """The first days that are named; where the words say since, from the last such day up to today."""
    period = next(iter(dates.find(text, today)), None)
    if period is None:
        return None
    since = _SINCE.search(text[max(0, period.start - 6) : period.end]) or _TO_NOW.match(text[period.end :])
    if not since:
        return period
    first = period.first if period.first <= today else dates.add_months(period.first, -12)
    return structs.replace(period, first=first, last=today, yearless=False)


def _matter(text: str, period: dates.When | None) -> Iterator[str]:
    """Words that are left when those that ask are taken away; runs of Chinese come apart at function characters."""
    left = f"{text[: period.start]} {text[period.end :].removeprefix('份')}" if period else text
    for rule in (*(rule for _, rule in _COMPILED), _WHEN, _NOW, _HISTORY, _FIRST, _LATEST, _ASKING, _OF_TALK):
        left = rule.sub(" ", left)
    for word in tokens.words(left):
        if tokens.is_run(word):
            yield from "".join(" " if is_stop(char) else char for char in word).split()
        elif not is_stop(word):
            yield word
