"""Plain chat text with speakers: `Name: words`, with or without times, and a header line over the words (WeChat)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime

from memd.model.fingerprint import one_line
from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, event, problem

_DATE = r"\d{4}[-/.年]\d{1,2}[-/.月]\d{1,2}(?!\d)日?"
_CLOCK = r"(?:上午|下午|晚上|早上|中午|凌晨)?\s?\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_SHORT = r"\d{1,2}[/.]\d{1,2}[/.]\d{2,4}"
_WORDED = r"\d{1,2} [A-Z][a-z]{2} \d{4}(?: at)?"
_STAMP = rf"(?:(?:{_DATE}|{_SHORT}|{_WORDED})[,T ]?\s*{_CLOCK}|{_DATE}(?!\s*[,T]?\s*\d{{1,2}}:))"
_BEFORE = re.compile(rf"^\s*\[?(?P<at>{_STAMP})\]?\s*(?:[-–—]\s*)?(?P<who>[^:：\n]{{1,40}}?)\s*[:：]\s?(?P<text>.*)$")
_OVER = re.compile(rf"^\s*(?P<who>[^:：\n]{{1,40}}?),?\s+[\[(]?(?P<at>{_STAMP})[\])]?\s*[:：]?\s*$")
_OVER_FIRST = re.compile(rf"^\s*(?P<at>{_STAMP})\s+(?P<who>[^:：\n]{{1,40}}?)\s*$")
_STAMPED = (_BEFORE, _OVER, _OVER_FIRST)
_NOTICE = re.compile(rf"^\s*(?:\[{_STAMP}\]|{_STAMP}\s*[-–—])\s")
"""A line that begins as messages do and has no speaker: the tool's own."""
_NAMED = re.compile(
    r"^(?:\*\*)?(?P<who>[A-Za-zÀ-ÿ\u3400-\u9fff][\w .'’·\u3400-\u9fff-]{0,30}?)(?:\*\*)?\s*(?:\((?P<at>[^)]{4,30})\))?[:：](?:\*\*)?(?:\s|$)(?P<text>.*)$|^(?P<zh>[\u3400-\u9fff\w]{1,12})：(?P<words>.*)$"
)
_TITLED = re.compile(
    r"^(?:#{1,6}\s|\*\*|__)[^\w\n]*(?P<who>\w[\w ]{0,20}?)[^\w\n]*$|^(?P<said>\w[\w ]{0,20}?) ?(?:said|说)\s?[:：]\s*$"
)
"""A role as a heading, in bold, or with `said:` on a line of its own: how talk with an assistant is kept as markdown."""
_MARKS = "\u200e\u200f\u202a\u202b\u202c\u2068\u2069\ufeff"
"""Marks of writing direction, which tools put before a line, and before words of their own."""
_SPACES = str.maketrans("\u202f\xa0", "  ")
_NOBODY = re.compile(
    r"(?i)^(?:系统消息|系统提示|系统|system(?: message)?)$|[“”\"]|\b(?:added|removed|changed|created|left|joined|deleted|pinned|renamed)\b"
)
_NOTHING = re.compile(
    r"(?i)^(?:<[^<>]{3,40}>|\[(?:图片|语音|视频|表情|动画表情|文件|位置|链接|红包|转账|名片|通话[^\]]*|photo|sticker|video|voice|gif|file|location)\]|null|this message was deleted|you deleted this message)$"
)
"""What stands in an export for what is no text."""
_ACCOUNT = re.compile(r"[(（<][\w.@+-]{5,}[)）>]$")
_WORDS_NOT_NAMES = re.compile(
    r"(?i)^(?:https?|today|tomorrow|yesterday|agenda|attendees|participants|summary|topic|action items|next steps|note|ps|p\.s|re|fwd|fw|subject|date|time|todo|warning|error|example|今天|明天|昨天|议程|参会人员?|注|注意|备注|时间|地点|主题|ps|例如|比如|总结|结论)$"
)
_ROLES = {
    "user": "user",
    "human": "user",
    "me": "user",
    "我": "user",
    "用户": "user",
    "you": "user",
    "你": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "chatgpt": "assistant",
    "claude": "assistant",
    "gemini": "assistant",
    "deepseek": "assistant",
    "kimi": "assistant",
    "豆包": "assistant",
    "bot": "assistant",
    "助手": "assistant",
}
_FORMATS = ("%d %b %Y %H:%M:%S", "%d %b %Y %H:%M", "%Y-%m-%d %H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%d")


def read(text: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    """One session. Lines before the first speaker belong to nobody and are a problem.

    Where messages have times, a line without one goes on with what was said, whatever it looks like; so does one without
    a role where roles are headings.
    """
    day_first, lines = _day_first(text), text.split("\n")
    stamped = [_stamped(line) for line in lines]
    times = sum(map(bool, stamped))
    names = sum(not head and _plain(line, set()) is not None for line, head in zip(lines, stamped, strict=True))
    timed = times * 3 >= times + names > 0
    titles = [_title(line) for line in lines]
    heads = titles if _converse(titles) else stamped if timed else None
    rows: list[tuple[str, str, list[str]]] = []
    known: set[str] = set()
    lost, silent = 0, False
    for number, line in enumerate(lines, 1):
        found = heads[number - 1] if heads else _plain(line, known)
        if found:
            who, at, words = found
            silent = _NOBODY.search(who) is not None or words.startswith(tuple(_MARKS))
            if not silent:
                known.add(who)
                rows.append((who, when(at, day_first), [words] if words else []))
        elif timed and _NOTICE.match(_bare(line)):
            silent = True
        elif rows and not silent:
            rows[-1][2].append(line)
        elif line.strip() and not (lost or silent):
            lost = number
    accounts = _accounts(known)
    events = [one for row in rows for one in _event(*row, accounts)]
    problems = [problem(name, lost, "words before the first speaker were passed over")] if lost else []
    return ([Session(stem, "chat", "interaction", tuple(events))] if events else []), problems


def _event(who: str, at: str, lines: list[str], accounts: dict[str, set[str]]) -> Iterator[Event]:
    words = "\n".join(lines).strip("\n ")
    if not _NOTHING.match(words):
        short = _ACCOUNT.sub("", who).strip()
        shown = short if len(accounts.get(short, ())) == 1 else who
        yield from event(shown, words, role=_ROLES.get(shown.lower(), ""), at=at)


def _accounts(names: Iterable[str]) -> dict[str, set[str]]:
    """The names with which a name without its account number stands in the file: one is enough to tell who it is."""
    found: dict[str, set[str]] = {}
    for who in names:
        found.setdefault(_ACCOUNT.sub("", who).strip(), set()).add(who)
    return found


def _bare(line: str) -> str:
    """A line as its head is to be read; as long as the line without the marks before it."""
    return line.lstrip(_MARKS)[:10_000].translate(_SPACES)


def _stamped(line: str) -> tuple[str, str, str] | None:
    """(speaker, time as written, words) of a line that begins a message with its time."""
    bare = _bare(line)
    for pattern in _STAMPED:
        if (found := pattern.match(bare)) and not _WORDS_NOT_NAMES.match(found["who"]):
            begins = found.start("text") if "text" in found.groupdict() else len(bare)
            return found["who"].strip(), found["at"], line.lstrip(_MARKS)[begins:]
    return None


def _plain(line: str, known: set[str]) -> tuple[str, str, str] | None:
    """The same of a line that begins with a name and a colon."""
    if found := _NAMED.match(_bare(line)):
        who = (found["who"] or found["zh"] or "").strip()
        words = found["text"] if found["who"] else found["words"]
        if not _WORDS_NOT_NAMES.match(who) and (who in known or _is_name(who)):
            return who, found["at"] or "", words or ""
    return None


def _title(line: str) -> tuple[str, str, str] | None:
    """The same of a line that is a role and nothing else."""
    found = _TITLED.match(_bare(line))
    who = found and (found["who"] or found["said"]).removesuffix(" said").strip()
    return (who, "", "") if who and who.lower() in _ROLES else None


def titled(text: str) -> bool:
    """Whether a person and an assistant speak under titles."""
    return _converse(map(_title, text.split("\n")))


def _converse(titles: Iterable[tuple[str, str, str] | None]) -> bool:
    return len({_ROLES[title[0].lower()] for title in titles if title}) > 1


def _is_name(who: str) -> bool:
    """`Ann`, `ann`, `Ann van Dyke`, `小林`; not `Key point`."""
    more = who.split()[1:]
    return len(more) <= 2 and all(w[0].isupper() or not w[0].isascii() or w in _PARTICLES for w in more)


_PARTICLES = {"van", "von", "de", "der", "den", "la", "le", "bin", "al", "da", "di", "du"}


def speakers(text: str) -> int:
    """How many lines begin a message: what tells chat from prose."""
    return sum((_stamped(line) or _plain(line, set())) is not None for line in text.split("\n")[:200])


def when(text: str, day_first: bool = True) -> str:
    """RFC 3339 without an offset (it is the vault's zone that counts), "" for what is no time."""
    bare = re.sub(r"[年月/.]", "-", text.strip().replace("日", " ")).replace(",", " ")
    bare = re.sub(r"(?<=\d)T(?=\d)| at\b", " ", bare)
    later = re.search(r"下午|晚上|[Pp]-?\s?[Mm]", bare) is not None
    early = re.search(r"凌晨|[Aa]-?\s?[Mm]|上午", bare) is not None
    bare = one_line(re.sub(r"上午|下午|晚上|早上|中午|凌晨|[AaPp]-?[Mm]-?", " ", bare)).rstrip("-")
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
