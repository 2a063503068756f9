"""Plain chat text with speakers: `Name: words`, with or without times, and a header line over the words (WeChat)."""

from __future__ import annotations

import re
from datetime import datetime

from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, event, problem

_DATE = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
_CLOCK = r"(?:上午|下午|晚上|早上|中午|凌晨)?\s?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_SHORT = r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
_STAMP = rf"(?:(?:{_DATE}|{_SHORT})[,T ]?\s*{_CLOCK}|{_DATE})"
_BEFORE = re.compile(rf"^\s*\[?(?P<at>{_STAMP})\]?\s*(?:[-–—]\s*)?(?P<who>[^:：\n]{{1,40}}?)\s*[:：]\s?(?P<text>.*)$")
_OVER = re.compile(rf"^\s*(?P<who>[^:：\n]{{1,40}}?)\s+\(?(?P<at>{_STAMP})\)?\s*[:：]?\s*$")
_OVER_FIRST = re.compile(rf"^\s*(?P<at>{_STAMP})\s+(?P<who>[^:：\n]{{1,40}}?)\s*$")
_NAMED = re.compile(
    r"^(?:\*\*)?(?P<who>[A-Za-zÀ-ÿ\u3400-\u9fff][\w .'’·\u3400-\u9fff-]{0,30}?)(?:\*\*)?\s*(?:\((?P<at>[^)]{4,30})\))?[:：](?:\*\*)?(?:\s|$)(?P<text>.*)$|^(?P<zh>[\u3400-\u9fff\w]{1,12})：(?P<words>.*)$"
)
_WORDS_NOT_NAMES = re.compile(
    r"(?i)^(?:https?|note|ps|p\.s|re|fwd|fw|subject|date|time|todo|warning|error|example|注|注意|备注|时间|地点|主题|ps|例如|比如|总结|结论)$"
)
_ROLES = {
    "user": "user",
    "human": "user",
    "me": "user",
    "我": "user",
    "用户": "user",
    "you": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "chatgpt": "assistant",
    "claude": "assistant",
    "bot": "assistant",
    "助手": "assistant",
}
_FORMATS = ("%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


def read(text: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    """One session. Lines before the first speaker belong to nobody and are a problem."""
    day_first = _day_first(text)
    rows: list[tuple[str, str, list[str]]] = []
    lost = 0
    for number, line in enumerate(text.split("\n"), 1):
        if found := _head(line, {row[0] for row in rows}):
            who, at, words = found
            rows.append((who, when(at, day_first), [words] if words else []))
        elif rows:
            rows[-1][2].append(line)
        elif line.strip() and not lost:
            lost = number
    events: list[Event] = []
    for who, at, lines in rows:
        events += event(who, "\n".join(lines).strip("\n "), role=_ROLES.get(who.lower(), ""), at=at)
    problems = [problem(name, lost, "words before the first speaker were passed over")] if lost else []
    return ([Session(stem, "chat", "interaction", tuple(events))] if events else []), problems


def _head(line: str, known: set[str]) -> tuple[str, str, str] | None:
    """(speaker, time as written, words) of a line that begins a message."""
    if len(line) > 10_000:
        line = line[:10_000]
    for pattern in (_BEFORE, _OVER, _OVER_FIRST):
        if (found := pattern.match(line)) and not _WORDS_NOT_NAMES.match(found["who"]):
            return found["who"].strip(), found["at"], found.groupdict().get("text") or ""
    if found := _NAMED.match(line):
        who = (found["who"] or found["zh"] or "").strip()
        words = found["text"] if found["who"] else found["words"]
        if not _WORDS_NOT_NAMES.match(who) and (who in known or len(who.split()) <= 3):
            return who, found["at"] or "", words or ""
    return None


def speakers(text: str) -> int:
    """How many lines begin a message: what tells chat from prose."""
    return sum(_head(line, set()) is not None for line in text.split("\n")[:200])


def when(text: str, day_first: bool = True) -> str:
    """RFC 3339 without an offset (it is the vault's zone that counts), "" for what is no time."""
    bare = re.sub(r"[年月/.]", "-", text.strip().replace("日", " ")).replace(",", " ").replace("T", " ")
    later = re.search(r"下午|晚上|[Pp]-?\s?[Mm]", bare) is not None
    early = re.search(r"凌晨|[Aa]-?\s?[Mm]|上午", bare) is not None
    bare = " ".join(re.sub(r"上午|下午|晚上|早上|中午|凌晨|[AaPp]-?[Mm]-?", " ", bare).split()).rstrip("-")
    short = re.match(r"(\d{1,2})-(\d{1,2})-(\d{2,4})(.*)", bare)
    if short and len(short[1]) <= 2:
        day, month = (short[1], short[2]) if day_first else (short[2], short[1])
        year = short[3] if len(short[3]) == 4 else f"20{short[3]}"
        bare = f"{year}-{month}-{day}{short[4]}"
    for pattern in _FORMATS:
        try:
            moment = datetime.strptime(bare, pattern)
        except ValueError:
            continue
        if later and moment.hour < 12:
            moment = moment.replace(hour=moment.hour + 12)
        if early and moment.hour == 12:
            moment = moment.replace(hour=0)
        return moment.isoformat() if len(bare) > 10 else moment.date().isoformat()
    return ""


def _day_first(text: str) -> bool:
    """Whether `3/4/2026` is the third of April: a first number over twelve, or a second one, says so."""
    pairs = [(int(a), int(b)) for a, b in re.findall(r"^\s*\[?(\d{1,2})[/.](\d{1,2})[/.]\d{2,4}", text, re.M)]
    return not any(b > 12 for _, b in pairs)
