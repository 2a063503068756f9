"""What an English clause points at and does not name: `those`, `there`, `her style`. Such a clause does not stand alone.

Knows one clause. Never knows what was said before it.
"""

from __future__ import annotations

import re

from memd.form.rules import words_en as w
from memd.form.rules.english import content
from memd.form.rules.facts import Subject

_BARE = re.compile(
    r"\b(?:it|this|that|them)(?=[.,!;]|$| (?:for|off|on|up|down|out|again|all|to|with|in|at|as|and|but|when|so|very|really|quite|pretty|rather|(?:too )?(?:interesting|difficult|hard|useful|helpful)|now|today|yesterday|too|already|yet|because|since)\b)",
    re.I,
)
_SHOWN = re.compile(
    r"(?<=\w )(?:(?:those|these)\b(?! (?:days|weeks|months|years|two|past|last|who|that|of|in|with)\b)|that (?:same|kind|sort|one|way)\b|this (?:problem|issue|matter|situation|topic|thing|idea|plan|question|one)\b)",
    re.I,
)
_TOO = re.compile(r"\b(?:it|this|that|those|them) too\b", re.I)
_THERE = re.compile(
    r"(?<=\w )there\b(?!(?:'s|'re|'ll| is| are| was| were| will| has| have| had| seems?| must| used)\b)", re.I
)
_ENDED = re.compile(r"\bno longer\b|(?:n['’]t|\bnot)\b.*\bany ?more\b", re.I)
"""An end of what was: where it was is known from what was said of it, and silence would leave that standing."""
_OTHERS = re.compile(r"(?<=\w )(?:(?P<one>he|she|him|her|his|hers)|they|them|their|theirs)\b", re.I)
_PERSON = re.compile(
    rf"\b(?:{'|'.join(sorted(w.PERSONS))})s?\b|\b(?:people|men|women|everyone|someone|somebody|anyone|nobody|cat|dog|team|staff|police)\b",
    re.I,
)
_MANY = re.compile(r"\b[a-z]+s\b")
_PLACE = re.compile(r"(?<=\s)[A-Z][a-z]+|\b(?:to|at|in|into|near|from) (?:an?|the|my|our|this)\b")
_NAME = re.compile(r"(?<=\s)[A-Z][a-z]+")


def points_away(text: str, who: Subject) -> bool:
    """Whether the clause leans on what somebody said before it, for anything but its subject."""
    if who.kind == "owner" and (that := _BARE.search(text)) and len(set(content(text[: that.start()])) - w.ADVERBS) < 2:
        return True
    if _TOO.search(text):
        return True
    if (shown := _SHOWN.search(text)) and _little(text[: shown.start()]) and not re.search(r"\d", text):
        return True
    if (there := _THERE.search(text)) and not (_PLACE.search(text[: there.start()]) or _ENDED.search(text)):
        return True
    if who.kind == "person" or not (other := _OTHERS.search(text)):
        return False
    before = text[: other.start()]
    if not _little(before):
        return False
    several = not other["one"] and _MANY.search(before)
    return not several and not _PERSON.search(before) and not _NAME.search(before)


def _little(before: str) -> bool:
    """Too few words that carry something to stand without what is pointed at."""
    return len(content(before)) < 3
