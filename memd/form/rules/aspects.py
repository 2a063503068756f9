"""What a statement is of: its aspect, its kind, its labels and the days for which it holds. Knows word lists and dates.

An aspect is a short noun phrase that a later change of the same thing has, too: values (numbers, days, names after `is`)
are no part of it.
"""

from __future__ import annotations

import re
from datetime import date

from memd.form.rules import dates, words_en, words_zh
from memd.form.rules.chinese import content as content_zh
from memd.form.rules.english import content as content_en
from memd.form.rules.english import tokens
from memd.form.rules.verbs_en import is_past

_FIELDS: tuple[tuple[str, str, str], ...] = (
    (
        "household",
        "家庭人数",
        r"\b(?:household|family) of \w+|\bwe(?:'re| are) (?:a (?:household|family) of )?(?:two|three|four|five|six|seven|eight|\d)\b(?! (?:minutes|hours|days|miles|km))|(?:家里|我们家|我家)[^，。]{0,4}[\d一二三四五六七八两]+口",
    ),
    (
        "home",
        "住处",
        r"\b(?:live[sd]? (?:in|on|at|near|with|by)|living (?:in|at|on)|moved? (?:to|in|into|out|from)|moving (?:to|in|into|out)|relocat\w+|my (?:new )?(?:address|flat|apartment|house) is)\b|(?:(?<![卡稳记抓困停留拦挡憋忍])住(?!宿|院)(?:在|[^，。了]{1,8}(?:区|市|楼|路|街|村|镇|下|边|里|附近|层|巷|园))|搬到|搬去|搬进|定居|租住)",
    ),
    (
        "workplace",
        "工作",
        r"\b(?:work(?:s|ed|ing)? (?:at|for|as)|my job is|employed (?:at|by)|started (?:a new job|at)|new job|joined|transferred to)\b|(?:上班在|在(?!找)[^，。]{1,12}(?:工作|上班|任职)|入职|就职|跳槽|调[到去])",
    ),
    ("birthday", "生日", r"\bbirthday\b|生日"),
    (
        "age",
        "年龄",
        r"\b(?:i'm|i am|he's|she's) \d{1,3}\b(?!\s*(?:min|hour|day|km|%|:|st|nd|rd|th|\.))|\b\d{1,3} years old\b|\bturn(?:s|ed|ing)? \d{1,3}\b(?! (?:on|into) (?!\d|jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec))|\d{1,3}岁",
    ),
    (
        "commute",
        "通勤",
        r"\b(?:commute|drive to work|cycle to work|walk to work|tram to work|bus to work)\b|(?:上班|上学|通勤)[^，。]{0,4}(?:坐|骑|开|走)|坐[^，。]{0,4}(?:地铁|轻轨|公交)",
    ),
)
_VALUE_EN = re.compile(
    r"^(?:\d.*|.*\d.*|"
    + "|".join(words_en.TIME_WORDS)
    + r"|monday|tuesday|wednesday|thursday|friday|saturday|sunday|january|february|march|april|may|june|july|august|september|october|november|december|.*ly|one|two|three|four|five|six|seven|eight|nine|ten|morning|evening|afternoon|night)s?$"
)
_VALUE_ZH = re.compile(
    rf"{words_zh.TIME}|[\d零〇一二三四五六七八九十两百千万半]+[个只条块元岁次张把本年月日号天周点分秒斤米]?|\d[\d.,]*"
)
_EXPIRES = re.compile(
    r"\b(?:expires?|ends?|until|till|by|due|deadline|before|runs out|valid)\b|到期|截止|之前|为止|过期|前"
)


_FORMER = re.compile(
    r"(?i)\b(?:used to|lived|formerly|as a (?:child|kid|student)|grew up|when i was)\b|以前|曾|从前|小时候|当年"
)
_PLANNED = re.compile(
    rf"(?i)\b(?:plan(?:s|ning)?|going to|want(?:s)?|hope|hoping|intend|will|'ll|thinking|next|looking to|moving)\b|{words_zh.PLAN}"
)
_ATTRIBUTE = re.compile(
    r"(?i)favou?rite|\b(?:name|number|birthday|address|e-?mail|size|date|time|deadline|postcode|extension|code|nickname|appointment|flight|train|exam|test|meeting|lesson|class|interview|rent|deposit|budget|salary|weight|height|office)$|(?:名字?|号|生日|地址|电话|邮箱|住址|时间|日期|地点|尺码|身高|体重|工号|学号|车牌|昵称|航班|会议|考试|面试|预约|课|租金|押金|预算)$|^最喜欢"
)
_TIMED = re.compile(
    r"(?i)^\s*(?:now |currently )?(?:on|at|in|from|until)?\s*(?:the )?(?:\d|[€$£¥]|half|quarter|noon|next|this|tomorrow|today|mon|tue|wed|thu|fri|sat|sun|jan|feb|mar|apr|may\b|jun|jul|aug|sep|oct|nov|dec|ground|first|second|third|fourth|fifth|sixth)|^(?:在|到|定在)?(?:周|星期|礼拜|[\d一二三四五六七八九十]|上午|下午|早上|晚上|明|后|下)"
)


def aspect(clause: str, chinese: bool, subject: str) -> str:
    """A short noun phrase for what the clause says of its subject."""
    for en, zh, pattern in _FIELDS:
        if re.search(pattern, clause, re.I) and not _FORMER.search(clause):
            planned = en in ("home", "workplace") and _PLANNED.search(clause)
            if chinese:
                return f"{zh}计划" if planned else zh
            return f"{en} plan" if planned else en
    return _aspect_zh(clause, subject) if chinese else _aspect_en(clause, subject)


def _aspect_en(clause: str, subject: str) -> str:
    low = clause.replace("’", "'")
    named = re.match(
        r"(?:\W*)(?:my|our|the)\s+([\w' -]{2,40}?)(?:'s(?= (?:a|an|the|on|at|in|from|called|not|now|\d))|\s+(?:is|are|was|were|has been|will be|meets|opens|closes|starts|ends|expires|costs|runs|leaves)\b)(.*)",
        low,
        re.I,
    )
    if named and len(named[1].split()) <= 4 and (named[1].lower() != subject.lower() or _ATTRIBUTE.search(named[1])):
        if _ATTRIBUTE.search(named[1]) or _TIMED.match(named[2]):
            return named[1].lower()
    elif named and _TIMED.match(named[2]):
        return "time"
    taken = {t.lower() for t in tokens(subject)}
    words = [t for t in content_en(low) if t not in taken and not _VALUE_EN.match(t)]
    return " ".join(dict.fromkeys(words[:3])) or " ".join(content_en(low)[:2])


def _aspect_zh(clause: str, subject: str) -> str:
    named = re.match(
        r"(?:我们?的?|用户的)?([\u4e00-\u9fffA-Za-z]{1,8}?)(?:是|改到|改成|改在|改为|[挪推拖延]到|[定约排]在|在(?=[每周星早晚上下])|从)(.*)",
        clause,
    )
    if (
        named
        and content_zh(named[1])
        and not _VALUE_ZH.fullmatch(named[1])
        and (_ATTRIBUTE.search(named[1]) or _TIMED.match(named[2]))
    ):
        return named[1]
    bare = _VALUE_ZH.sub(
        "", re.sub(r"[你您](?:们)?的?|什么名字|什么|哪里|哪儿|哪|几[点个岁号]?|多少|谁", "", clause)
    ).replace(subject, "")
    bare = re.sub(words_zh.PLAN, "", bare)
    return content_zh(bare)[:8] or content_zh(clause)[:8]


FIELDS = frozenset(name for en, zh, _ in _FIELDS for name in (en, zh))
"""Aspects that have one value at a time."""


def kind(clause: str, chinese: bool) -> str:
    """`claim` for plans and reports of others' plans, `event` for what happened once, `state` for what goes on."""
    if chinese:
        if re.search(words_zh.PLAN, clause) and not re.search(
            r"[了过](?:$|[，。])", re.sub(words_zh.WISHED, "", clause)
        ):
            return "claim"
        if re.search(words_zh.HABIT, clause):
            return "state"
        return "event" if re.search(r"[了过](?!敏)|刚|昨|上周|去年|前天", clause) else "state"
    words = [t.lower() for t in tokens(clause)]
    if any(t in words_en.PLAN or t.endswith("'ll") for t in words):
        return "claim"
    if any(t in words_en.HABIT for t in words):
        return "state"
    main = next((t for t in words[1:6] if "-" not in t and (is_past(t) or t in words_en.AUX) and t != "got"), "")
    return (
        "event" if is_past(main) and main not in ("was", "were", "had", "used", "knew", "felt", "thought") else "state"
    )


def repeats(clause: str, chinese: bool) -> bool:
    """A habit: it holds for no one day."""
    if chinese:
        return re.search(words_zh.HABIT, clause) is not None
    return any(t.lower() in words_en.HABIT for t in tokens(clause))


def valid(clause: str, said: date | None, aspect_: str) -> tuple[str, str]:
    """(valid_from, valid_to): the day or days that the clause names, "" where it names none, as a birthday does not."""
    if said is None or aspect_ in ("birthday", "生日"):
        return "", ""
    found = dates.find(clause, said)
    if not found:
        return "", ""
    first, before, alone = found[0], clause[: found[0].start], len(found) == 1
    begins = (
        (alone and re.search(r"\b(?:since|from|starting|as of)\W+$|(?:从|自)$", before))
        or re.match(r"(?i)(?:since|from)\b", clause[first.start :])
        or clause[first.end : first.end + 2] in ("起", "开始")
    )
    if begins:
        return str(first.first), ""
    if (
        alone
        and first.first == first.last
        and re.search(r"\b(?:until|till|by)\W+$", before)
        and _EXPIRES.search(clause)
    ):
        return "", str(first.last)
    return str(min(when.first for when in found)), str(found[-1].last)


def labels(clause: str, chinese: bool) -> tuple[str, ...]:
    """Words to find it by."""
    if chinese:
        return ()
    return tuple(dict.fromkeys(t for t in content_en(clause) if not _VALUE_EN.match(t)))[:4]
