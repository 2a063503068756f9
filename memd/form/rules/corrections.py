"""A value put right: which word of a statement a correction means, and the statement with the right one."""

from __future__ import annotations

import re

from memd.form.rules import words_en
from memd.form.rules.sentences import is_chinese

_DAY_EN = r"(?:mon|tues|wednes|thurs|fri|satur|sun)days?"
_TYPES = tuple(
    re.compile(p, re.I)
    for p in (
        r"(?:周|星期|礼拜)[一二三四五六日天]",
        _DAY_EN,
        r"[\d一二三四五六七八九十]+月[\d一二三四五六七八九十]+[日号]?",
        r"\d{1,2}(?:st|nd|rd|th)? (?:of )?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w*|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)\w* \d{1,2}(?:st|nd|rd|th)?",
        r"\b(?:january|february|march|april|may|june|july|august|september|october|november|december)\b",
        r"(?:早上|上午|中午|下午|傍晚|晚上|凌晨)?[\d一二三四五六七八九十两]+点(?:半|[\d一二三四五六七八九十]+分?)?|\d{1,2}[:：]\d\d(?: ?[ap]m)?|\d{1,2} ?[ap]\.?m\.?",
        r"[\d一二三四五六七八九十百千万两]+(?:号楼|楼|层|室|栋|单元|路|线|班|岁|元|块|公里|米|斤|公斤|个人|口人|人|年|天|个月|小时|分钟|号|只|个|条|本|张|台|辆|门|科|场|节|间|套|位|名|份|瓶|杯|次|遍|篇|盆|棵)",
        r"[A-Za-z]*\d[A-Za-z0-9_.,:-]*(?<![.,:-])(?:毫?[克升]|[公千]?[斤克米])?",
        r"\b(?:first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty)\b",
    )
)


_NAME = re.compile(r"\b[A-Z][a-zà-ÿ]+(?:[ -][A-Z][a-zà-ÿ]+)*\b")
_NOT_BUT_ZH = re.compile(r"不是(.{1,16}?)[，,、]?\s*(?:而是|是)(.{1,16}?)[。！，,]?$")
_NOT_BUT_EN = re.compile(
    r"(?i)\b(?:not|isn't|wasn't)(?: on| in| at)? (.{1,30}?)[,;—–-]+ ?(?:but|it's|it is)?\s*(?:on |in |at )?(.{1,30}?)[.!]*$|^(?:on |in |at )?(.{1,30}?), not (?:on |in |at )?(.{1,30}?)[.!]*$"
)


def put_right(clause: str, correction: str) -> str:
    """The clause with its wrong value replaced by the one that the correction names; "" where that is not plain."""
    bare = correction.strip()
    if pair := _pair(bare):
        wrong, right = pair
        return clause.replace(wrong, right, 1) if wrong in clause and right else ""
    for pattern in _TYPES:
        values: list[str] = pattern.findall(bare)
        places = list(pattern.finditer(clause))
        if len(values) == 1 and len(places) == 1 and places[0][0].lower() != values[0].lower():
            return clause[: places[0].start()] + values[0] + clause[places[0].end() :]
    first = re.split(r"[，,]", bare)[0]
    if first != bare and (found := put_right(clause, first)):
        return found
    tail = re.match(r"(?:应该)?是?([^，。！是]{1,10})[。！]?$", bare)
    place = re.match(r"(.*(?:叫|是|在|姓|到|去))(.{1,12})$", clause)
    if tail and place and is_chinese(clause):
        return place[1] + tail[1].removeprefix("在").removeprefix("叫")
    new, old = _names(bare), [m for m in _NAME.finditer(clause) if m[0].lower() not in words_en.NOT_NAMES]
    if len(new) == 1 and len(old) == 1:
        return clause[: old[0].start()] + new[0] + clause[old[0].end() :]
    return ""


_TITLES = {"mr", "mrs", "ms", "dr"}


def _names(text: str) -> list[str]:
    return [
        m
        for m in _NAME.findall(text)
        if m.lower() not in words_en.NOT_NAMES and m.split()[0].lower() not in words_en.NOT_NAMES - _TITLES
    ]


def _pair(text: str) -> tuple[str, str] | None:
    if m := _NOT_BUT_ZH.search(text):
        return m[1].strip(), m[2].strip()
    if m := _NOT_BUT_EN.search(text):
        return (m[1].strip(), m[2].strip()) if m[1] else (m[4].strip(), m[3].strip())
    return None
