"""Chinese words for dates: 大后天、下周三、上个月五号、三个月后、明年三月、2月15日、月底。"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from memd.form.rules.dates import When, add_months, month, near, week, weekday

Days = tuple[date, date] | None

_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "俩": 2}
_WEEKDAY = {c: n for n, c in enumerate("一二三四五六日")} | {"天": 6} | {str(n): n - 1 for n in range(1, 8)}
_N = r"[\d零〇一二三四五六七八九十两]+"
_PAST = re.compile(r"[了过]|刚|已经|曾|当时|上周|上个|去年|昨")
_SPOKEN = {
    -3: "大前天",
    -2: "前天 前晚",
    -1: "昨天 昨晚 昨日 昨夜",
    0: "今天 今晚 今早 今日",
    1: "明天 明晚 明早 明日",
    2: "后天 后晚",
    3: "大后天",
}
_NAMED = {word: days for days, words in _SPOKEN.items() for word in words.split()}
_NEXT = {"下下": 2, "下": 1, "上": -1, "上上": -2, "这": 0, "本": 0, "当": 0}
_YEARS = {"今年": 0, "明年": 1, "后年": 2, "去年": -1, "前年": -2}


def number(text: str) -> int:
    """A whole number in Chinese or Arabic digits, up to 99 in words. ValueError where it is none."""
    if text.isdigit():
        return int(text)
    if "十" in text:
        tens, _, ones = text.partition("十")
        return (_DIGITS[tens] if tens else 1) * 10 + (_DIGITS[ones] if ones else 0)
    if len(text) == 1:
        return _DIGITS[text]
    return int("".join(str(_DIGITS[c]) for c in text))


def _same(day: date) -> Days:
    return day, day


def _week(m: re.Match[str], said: date, back: bool) -> Days:
    shift = _NEXT[m["which"]]
    if m["day"] == "末":
        return weekday(said, 5, shift), weekday(said, 6, shift)
    return _same(weekday(said, _WEEKDAY[m["day"]], shift)) if m["day"] else week(said, shift)


def _bare_week(m: re.Match[str], said: date, back: bool) -> Days:
    if m["day"] == "末":
        return weekday(said, 5, -1 if back else 0), weekday(said, 6, -1 if back else 0)
    ahead = (_WEEKDAY[m["day"]] - said.weekday()) % 7
    return _same(said - timedelta(days=(-ahead) % 7) if back else said + timedelta(days=ahead or 7))


def _month(m: re.Match[str], said: date, back: bool) -> Days:
    first, last = month(said.year, said.month + _NEXT[m["which"]])
    if m["d"]:
        return _same(first.replace(day=number(m["d"])))
    return _part(first, last, m["part"])


def _part(first: date, last: date, part: str | None) -> Days:
    """The beginning, the middle or the end of a stretch of days; all of it where none is named."""
    length = (last - first).days + 1
    if part == "初":
        return first, first + timedelta(days=length // 3 - 1)
    if part == "中":
        return first + timedelta(days=length // 3), last - timedelta(days=length // 3)
    return (last - timedelta(days=length // 3 - 1), last) if part in ("底", "末") else (first, last)


def _year(m: re.Match[str], said: date, back: bool) -> Days:
    year = said.year + _YEARS[m["year"]]
    if not m["m"]:
        return _part(date(year, 1, 1), date(year, 12, 31), m["part"])
    first, last = month(year, number(m["m"]))
    return _same(first.replace(day=number(m["d"]))) if m["d"] else _part(first, last, m["mpart"])


def _full(m: re.Match[str], said: date, back: bool) -> Days:
    year = number(m["y"])
    if not 1900 <= year <= 2200:
        return None
    if not m["m"]:
        return date(year, 1, 1), date(year, 12, 31)
    first, last = month(year, number(m["m"]))
    return _same(first.replace(day=number(m["d"]))) if m["d"] else (first, last)


def _day(m: re.Match[str], said: date, back: bool) -> Days:
    return near(said, number(m["m"]), number(m["d"]), back)


def _bare_month(m: re.Match[str], said: date, back: bool) -> Days:
    found = near(said, number(m["m"]), None, back) if 1 <= number(m["m"]) <= 12 else None
    return _part(*found, m["part"]) if found else None


def _of_month(m: re.Match[str], said: date, back: bool) -> Days:
    day = number(m["d"])
    for shift in (0, -1 if back else 1):
        first, last = month(said.year, said.month + shift)
        if 1 <= day <= last.day and ((first.replace(day=day) <= said) if back else first.replace(day=day) >= said):
            return _same(first.replace(day=day))
    return None


def _shifted(m: re.Match[str], said: date, back: bool) -> Days:
    sign, unit = -1 if m["way"] == "前" else 1, m["unit"]
    if m["n"] == "半":
        return _same(add_months(said, 6 * sign)) if unit == "年" else _same(said + timedelta(days=15 * sign))
    amount = sign * number(m["n"])
    if unit in ("个月", "年"):
        return _same(add_months(said, amount * (12 if unit == "年" else 1)))
    return _same(said + timedelta(days=amount * (1 if unit == "天" else 7)))


_END = {"月底": "底", "月末": "末", "月初": "初", "月中": "中"}


def _end(m: re.Match[str], said: date, back: bool) -> Days:
    if m[0] in _END:
        return _part(*month(said.year, said.month), _END[m[0]])
    return _part(date(said.year, 1, 1), date(said.year, 12, 31), m[0][-1])


_RULES: tuple[tuple[str, bool, Callable[[re.Match[str], date, bool], Days]], ...] = (
    (
        rf"(?P<y>(?:19|20)\d\d|[一二][〇零一二三四五六七八九]{{3}})年(?:(?P<m>{_N})月(?:(?P<d>{_N})[日号]?)?)?",
        False,
        _full,
    ),
    (
        rf"(?P<year>今年|明年|后年|(?<!不)(?<!没)去年(?!检|费)|前年)(?:(?P<m>{_N})月(?:(?P<d>{_N})[日号]|(?P<mpart>[初中底末]))?|(?P<part>[初中底末]))?",
        True,
        _year,
    ),
    ("|".join(sorted(_NAMED, key=len, reverse=True)), True, lambda m, s, b: _same(s + timedelta(days=_NAMED[m[0]]))),
    (r"(?P<which>下下|上上|下|上|这|本)个?(?:周|星期|礼拜)(?P<day>[一二三四五六日天末1-7])?(?!期|次)", True, _week),
    (rf"(?P<which>下下|上上|下|上|这|本|当)个?月(?:(?P<d>{_N})[日号]|(?P<part>[初中底末]))?", True, _month),
    (rf"(?P<n>{_N}|半)(?P<unit>天|周|个星期|个礼拜|个月|年)(?:之|以)?(?P<way>前|后)", True, _shifted),
    (rf"(?P<m>{_N})月(?P<d>{_N})[日号]?(?![个\d])", False, _day),
    (rf"(?<![每\d])(?P<m>{_N})月(?P<part>[初中底末])?(?!份?刊|\d)", True, _bare_month),
    (
        r"(?<![每隔两单双二一三四五六七八九十个本这下上])(?:周|星期|礼拜)(?P<day>[一二三四五六日天末])(?!期)",
        True,
        _bare_week,
    ),
    (
        r"(?<![月\d每第一二三四五六七八九十巷路街弄村道楼栋区园])(?P<d>\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])号(?![线楼院门馆机码室])",
        True,
        _of_month,
    ),
    (r"(?<![\d个每])(?:月[初中底末]|年[初底末])", True, _end),
)
_COMPILED = tuple((re.compile(p), relative, days) for p, relative, days in _RULES)
_ANY = re.compile(r"[天日月年周号晚早夜]|星期|礼拜")


def find(text: str, said: date) -> Iterator[When]:
    """Dates that the words name; what repeats (每周三) is none."""
    if not _ANY.search(text):
        return
    back = bool(_PAST.search(text))
    for pattern, relative, days in _COMPILED:
        for m in pattern.finditer(text):
            try:
                found = days(m, said, back)
            except (ValueError, KeyError, OverflowError):
                found = None
            if found:
                yield When(m.start(), m.end(), *found, relative, days in (_day, _bare_month))
