"""Dates in words, resolved against the day on which the words were said. Never against the day on which they are read.

`find` gives every date that a text names; `annotate` puts the resolved day behind each relative one. A phrase whose day
hangs on tense (`Friday`, `in May`, `周五`) looks ahead unless the words look back. Knows two languages; never the time.
"""

from __future__ import annotations

import calendar
from datetime import date, timedelta

from msgspec import Struct


class When(Struct, frozen=True):
    """`start`..`end` of the phrase in the text; the days it means, both included; `relative` to the day of saying.
    `yearless`: a day or a month whose year is not said, so that another one may be meant."""

    start: int
    end: int
    first: date
    last: date
    relative: bool = True
    yearless: bool = False

    @property
    def shown(self) -> str:
        """The day, or the first and the last of them."""
        return f"{self.first}" if self.first == self.last else f"{self.first}/{self.last}"


def find(text: str, said: date) -> list[When]:
    """Dates in the order of the text, none inside another."""
    from memd.form.rules import dates_en, dates_zh

    found: list[When] = []
    for when in sorted((*dates_en.find(text, said), *dates_zh.find(text, said)), key=lambda w: (w.start, -w.end)):
        if not found or when.start >= found[-1].end:
            found.append(when)
    return found


def annotate(text: str, said: date | None) -> str:
    """The text with every relative date followed by the day it means."""
    if said is None:
        return text
    parts: list[str] = []
    at = 0
    for when in find(text, said):
        if when.relative:
            opened, closed = ("（", "）") if text[when.end - 1] > "\u2e80" else (" (", ")")
            parts += (text[at : when.end], opened, when.shown, closed)
            at = when.end
    return "".join((*parts, text[at:]))


def week(of: date, shift: int) -> tuple[date, date]:
    """Monday and Sunday of the week `shift` weeks away."""
    monday = of - timedelta(days=of.weekday()) + timedelta(weeks=shift)
    return monday, monday + timedelta(days=6)


def weekday(of: date, day: int, shift: int) -> date:
    """That weekday (0 is Monday) in the week `shift` weeks away."""
    return week(of, shift)[0] + timedelta(days=day)


def month(year: int, number: int) -> tuple[date, date]:
    """First and last day; months beyond the year count on."""
    year, number = year + (number - 1) // 12, (number - 1) % 12 + 1
    return date(year, number, 1), date(year, number, calendar.monthrange(year, number)[1])


def add_months(of: date, months: int) -> date:
    """The same day some months away, the last day where the month is shorter."""
    first, last = month(of.year, of.month + months)
    return first.replace(day=min(of.day, last.day))


def near(of: date, number: int, day: int | None, back: bool) -> tuple[date, date] | None:
    """The next month (or day of a month) with that number, this one included; the last one where `back`.

    A day that is long ahead and was lately is the one that was: words without a tense name the nearer one.
    """
    if not back and day is not None:
        lately = near(of, number, day, True)
        if lately and (of - lately[1]).days < 90:
            return lately if lately[1] < of else (of, of)
    for year in (of.year, of.year - 1 if back else of.year + 1):
        first, last = month(year, number)
        if day is not None:
            if day > last.day:
                continue
            first = last = first.replace(day=day)
        if first <= of if back else last >= of:
            return first, last
    return None
