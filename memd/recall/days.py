"""Which days a question speaks of, seen from the day of asking and from what was said on them, and whether they bound it.

Knows when things were said. Never knows words.
"""

from __future__ import annotations

from datetime import date, datetime, time, timedelta, tzinfo

from msgspec import structs

from memd.form.rules import dates
from memd.parse import times
from memd.recall import weights
from memd.recall.intent import Intent
from memd.recall.scope import Scope

YEARS_BACK = 20
"""Years in which a day without a year is looked for."""


def placed(intent: Intent, scope: Scope, now: datetime) -> Intent:
    """The question with the days that it means here."""
    return _of_its_talk(_in_its_year(intent, scope, now.date()), scope, now)


def _in_its_year(intent: Intent, scope: Scope, today: date) -> Intent:
    """A day whose year is not said is the last such day on which something was said: "on 4 May" may be of years ago. Of
    plans it is the one to come."""
    if not (intent.yearless and intent.first and intent.last) or (intent.first > today and intent.kind == "planning"):
        return intent
    oldest = min((first for first, _ in scope.spoken), default=float("inf"))
    for years in range(YEARS_BACK):
        shifted = structs.replace(
            intent, first=dates.add_months(intent.first, -12 * years), last=dates.add_months(intent.last, -12 * years)
        )
        begin, end = seconds(shifted, scope.zone)
        if end <= oldest:
            break
        if any(first < end and last >= begin for first, last in scope.spoken):
            return shifted
    return intent


def _of_its_talk(intent: Intent, scope: Scope, now: datetime) -> Intent:
    """ "What did we talk about the first time" asks for the first day on which anything was said; "last time", for the last
    day before this one."""
    if not intent.talk or intent.matter or intent.first:
        return intent
    today = times.stamp(now.replace(hour=0, minute=0, second=0, microsecond=0))
    spans = scope.spoken
    at = min(spans, default=None) if intent.talk == "first" else max((s for s in spans if s[0] < today), default=None)
    if at is None:
        return intent
    day = now.fromtimestamp(at[0], scope.zone).date()
    return structs.replace(intent, first=day, last=day)


def bound(intent: Intent, today: date) -> bool:
    """Whether the days that a question names bound its answer: it asks for all of them, or what changed in "this week".
    Of days to come nothing has been said yet."""
    if intent.first is None or intent.first > today:
        return False
    return not intent.matter or (intent.relative and intent.broad and len(intent.telling) <= weights.SHORT)


def seconds(intent: Intent, zone: tzinfo) -> tuple[float, float]:
    """From the beginning of the first day to the end of the last. Both must be named."""
    assert intent.first is not None
    assert intent.last is not None
    begin = datetime.combine(intent.first, time(), zone)
    end = datetime.combine(intent.last, time(), zone)
    return times.stamp(begin), times.stamp(end) + timedelta(days=1).total_seconds()
