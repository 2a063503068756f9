"""English words for dates: `next Friday`, `the day before yesterday`, `three weeks ago`, `30 June`, `in May`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta

from memd.form.rules.dates import When, add_months, month, near, week, weekday
from memd.model.fingerprint import one_line

Days = tuple[date, date] | None

DAYS = {name: n for n, name in enumerate("monday tuesday wednesday thursday friday saturday sunday".split())}
MONTHS = {
    name: n
    for n, name in enumerate(
        "january february march april may june july august september october november december".split(), 1
    )
}
_SHORT = {name[:3]: n for name, n in MONTHS.items()} | {"sept": 9}
NUMBERS = {
    word: n
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen".split()
    )
} | {"a": 1, "an": 1, "twenty": 20, "thirty": 30, "couple": 2, "a couple of": 2}

_DAY = "|".join(DAYS)
_MONTH = "|".join([*MONTHS, *(f"{m}\\.?" for m in _SHORT if m not in MONTHS)])
_N = r"(?P<n>\d{1,3}|a couple of|" + "|".join(w for w in NUMBERS if w not in ("couple", "a couple of")) + ")"
_UNIT = r"(?P<unit>day|week|fortnight|month|year)s?"
_PAST = re.compile(
    r"\b(?:was|were|had|did|went|came|got|made|took|saw|met|bought|sold|left|began|gave|found|told|said|ago|last|since|\w{2,}ed)\b",
    re.I,
)


def _number(text: str) -> int:
    text = text.lower()
    return int(text) if text.isdigit() else NUMBERS[text]


def _offset(said: date, amount: int, unit: str) -> Days:
    unit = unit.lower()
    if unit in ("month", "year"):
        day = add_months(said, amount * (12 if unit == "year" else 1))
        return day, day
    day = said + timedelta(days=amount * {"day": 1, "week": 7, "fortnight": 14}[unit])
    return day, day


def _month_number(text: str) -> int:
    text = text.lower().rstrip(".")
    return MONTHS.get(text) or _SHORT[text[:4] if text == "sept" else text[:3]]


def _span(which: str, unit: str, said: date) -> Days:
    shift = {"next": 1, "this": 0, "last": -1, "coming": 1, "previous": -1, "past": -1}[which.lower()]
    unit = unit.lower()
    if unit == "week":
        return week(said, shift)
    if unit == "weekend":
        monday = week(said, shift)[0]
        return monday + timedelta(days=5), monday + timedelta(days=6)
    if unit == "month":
        return month(said.year, said.month + shift)
    return date(said.year + shift, 1, 1), date(said.year + shift, 12, 31)


def _named_day(m: re.Match[str], said: date, back: bool) -> Days:
    which, name = (m["which"] or "").lower(), m["day"].lower()
    day = DAYS[name]
    if which in ("next", "this", "coming"):
        found = weekday(said, day, 1 if which == "next" else 0)
        found = found + timedelta(days=7) if which != "next" and found < said else found
    else:
        ahead = (day - said.weekday()) % 7
        found = (
            said - timedelta(days=(-ahead) % 7 or 7) if which == "last" or back else said + timedelta(days=ahead or 7)
        )
    return found, found


def _dated(m: re.Match[str], said: date, back: bool) -> Days:
    number, day = _month_number(m["month"]), int(m["d"])
    try:
        if m["year"]:
            return (date(int(m["year"]), number, day),) * 2
        return near(said, number, day, back)
    except ValueError:
        return None


def _bare_month(m: re.Match[str], said: date, back: bool) -> Days:
    number = _month_number(m["month"])
    which = (m["which"] or "").lower()
    if m["year"]:
        return month(int(m["year"]), number)
    if which == "last":
        return near(said - timedelta(days=31), number, None, True)
    return near(said, number, None, back)


_WORDS = {
    "the day after tomorrow": 2,
    "day after tomorrow": 2,
    "the day before yesterday": -2,
    "day before yesterday": -2,
    "yesterday": -1,
    "last night": -1,
    "tomorrow": 1,
    "today": 0,
    "tonight": 0,
    "this morning": 0,
    "this afternoon": 0,
    "this evening": 0,
}


def _word(m: re.Match[str], said: date, back: bool) -> Days:
    return (said + timedelta(days=_WORDS[one_line(m[0].lower())]),) * 2


def _iso(m: re.Match[str], said: date, back: bool) -> Days:
    try:
        return (date(int(m["y"]), int(m["m"]), int(m["d"])),) * 2
    except ValueError:
        return None


def _of_month(m: re.Match[str], said: date, back: bool) -> Days:
    day = int(m["d"])
    for shift in (0, -1 if back else 1):
        first, last = month(said.year, said.month + shift)
        if day <= last.day and ((first.replace(day=day) <= said) if back else first.replace(day=day) >= said):
            return (first.replace(day=day),) * 2
    return None


def _weeks_from(m: re.Match[str], said: date, back: bool) -> Days:
    day = said + timedelta(days=(DAYS[m["day"].lower()] - said.weekday()) % 7) + timedelta(weeks=_number(m["n"]))
    return day, day


_RULES: tuple[tuple[str, bool, Callable[[re.Match[str], date, bool], Days]], ...] = (
    (r"(?P<y>(?:19|20)\d\d)[-/](?P<m>\d{1,2})[-/](?P<d>\d{1,2})(?!\d)", False, _iso),
    ("|".join(sorted(_WORDS, key=len, reverse=True)), True, _word),
    (rf"{_N}\s+{_UNIT}\s+ago", True, lambda m, s, b: _offset(s, -_number(m["n"]), m["unit"])),
    (rf"{_N}\s+{_UNIT}\s+from\s+(?:now|today)", True, lambda m, s, b: _offset(s, _number(m["n"]), m["unit"])),
    (rf"{_N}\s+weeks?\s+(?:from|on)\s+(?P<day>{_DAY})\b", True, _weeks_from),
    (rf"in\s+{_N}\s+{_UNIT}(?:'s? time)?", True, lambda m, s, b: _offset(s, _number(m["n"]), m["unit"])),
    (
        r"(?P<which>next|this|last|this coming|previous|past)\s+(?P<unit>week|weekend|month|year)\b(?!\s*'s)",
        True,
        lambda m, s, b: _span(m["which"].split()[-1], m["unit"], s),
    ),
    (
        rf"(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?(?P<month>{_MONTH})\b(?:,?\s+(?P<year>(?:19|20)\d\d))?",
        False,
        _dated,
    ),
    (
        rf"(?P<month>{_MONTH})\s+(?:the\s+)?(?P<d>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,?\s+(?P<year>(?:19|20)\d\d))?",
        False,
        _dated,
    ),
    (
        rf"(?:\b(?:in|by|until|till|since|from|during|early|late|mid)[\s-]+)(?:(?P<which>next|last|this)\s+)?(?P<month>{_MONTH})\b(?:\s+(?P<year>(?:19|20)\d\d))?",
        True,
        _bare_month,
    ),
    (rf"(?<!every )(?<!each )(?:(?P<which>next|this|last|coming)\s+)?(?P<day>{_DAY})\b(?!s)", True, _named_day),
    (r"on the (?P<d>\d{1,2})(?:st|nd|rd|th)\b(?! of)", True, _of_month),
)
_COMPILED = tuple((re.compile(r"(?<![\w-])(?:" + p + ")", re.I), relative, days) for p, relative, days in _RULES)
_ANY = re.compile(r"\d|day|night|week|month|year|ago|morrow|morning|evening|noon|" + "|".join(_SHORT), re.I)
NEAR = 60
"""Characters before a day in which it is told that it repeats."""
_REPEATS = re.compile(r"\b(?:every|each|most|alternate)\s+(?:\w+\s+)?$", re.I)
_PLURAL = re.compile(r"\s+(?:mornings|afternoons|evenings|nights|lunchtimes)\b", re.I)


def find(text: str, said: date) -> Iterator[When]:
    """Dates that the words name; a day that repeats (`every Friday`) is none."""
    if not _ANY.search(text):
        return
    back = bool(_PAST.search(text))
    for pattern, relative, days in _COMPILED:
        for m in pattern.finditer(text):
            if _REPEATS.search(text[max(0, m.start() - NEAR) : m.start()]) or _PLURAL.match(text, m.end()):
                continue
            try:
                found = days(m, said, back)
            except (ValueError, OverflowError):
                found = None
            if found:
                open_year = days in (_dated, _bare_month) and not m["year"] and not m.groupdict().get("which")
                yield When(m.start(), m.end(), *found, relative, open_year)
