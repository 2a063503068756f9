"""A suggestion that a reply takes up: only in words that decide, and only the one thing that was meant."""

from __future__ import annotations

import re

from memd.form.rules import chinese, english, words_en, words_zh
from memd.form.rules.answers import capitalised
from memd.form.rules.facts import Speaker
from memd.form.rules.sentences import is_chinese, split

_SUGGEST_EN = re.compile(
    r"\b(?:could|might|should|try|how about|what about|why not|consider|recommend|suggest|maybe|perhaps|you can|would|i'd|let's|option|either|looks free|go for|or)\b",
    re.I,
)


_SUGGEST_ZH = re.compile(r"不妨|可以|建议|推荐|要不|试试|考虑|怎么样|如何|最好|何不|或者|或|不如|应该|吧")
_OR = re.compile(r"\bor\b|或者|或是|还是|也可以|要么|/")
_STRONG_EN = re.compile(
    r"\b(?:let's (?:do|go with|take|use|make it(?! happen))|i'll (?:do that|go with|take|go for|use)|we'll (?:go with|do|take|use|go for)|going with|go with|deal\b|sold\b|settled|count me in|sign me up|"
    r"it is\.?$|then\.?$|i'm (?:taking|going for|going with)|yes,? let's|do it|that's decided|decided)",
    re.I,
)


_STRONG_ZH = re.compile(
    r"就[这那]么[办定做着]|就[这那]样(?:吧|定|办)|采用了?|采纳了?|定了|就定|就[^，。]{1,10}吧|听你的|按你说的|就它|就这个|就用|就选|就叫|就去|就按|就订|就买|那就|选[第前后]|我选|决定用|决定选|决定按"
)


SOON = 3
"""A suggestion is taken up in the first sentences of a reply; what is decided further on is something else."""
_ASKED_EN = re.compile(
    r"(?:^|, )(?:(?:and|so|finally|given \w+ \w+),? )?(?:would|could|can|do|did|does|have|are|is|which|where|who|when|what(?! (?:about|if))|how(?! about))\b[^,]*\b(?:you|your|there|it)\b",
    re.I,
)
"""A question about the other side suggests nothing."""
_COND = r"如果|假如|要是|的话|\bif\b"
"""What is decided only on a condition is not decided."""


def taken_up(offered: str, reply: str, asked: str, who: Speaker) -> tuple[str, str, str] | None:
    """A decision that the reply takes by what was offered, the sentence that takes it, and what it is about. `asked` is the question
    that it settles, "" for none."""
    zh = is_chinese(reply) or is_chinese(offered)
    strong = _STRONG_ZH if zh else _STRONG_EN
    sentences = split(reply)
    yes = next((s.text for s in sentences[:SOON] if strong.search(s.text) and not _refuses(s.text, zh)), "")
    if not yes or re.search(words_zh.MODAL_UNSURE if zh else words_en.DEFER, yes, re.I) or re.search(_COND, yes, re.I):
        return None
    picked = _picked(offered, yes, zh)
    if picked and asked:
        return _decision(picked, asked, zh, who), yes, asked
    told = _whole(offered, yes, [s.text for s in sentences], zh, who, picked)
    return (told, yes, told.partition("：" if zh else ": ")[2]) if told else None


def _refuses(text: str, zh: bool) -> bool:
    return bool(re.search(words_zh.REJECT if zh else words_en.REJECT, text, re.I))


def _picked(offered: str, yes: str, zh: bool) -> str:
    """What the reply names of what was offered, when it names it."""
    if zh:
        m = re.search(
            r"(?:那就|就(?:用|选|去|叫|订|买|定)?|我?选|采用|决定用)(?:[“\"「]?)([^，。！!吧了”\"」]{1,16})", yes
        )
        value = m[1].strip() if m else ""
        return value if value and value in offered and chinese.content(value) else ""
    m = re.match(
        r"(?i)(?:ok(?:ay)?,? |right,? |yes,? |great,? |let's (?:go with|do|take|make it) |i'll (?:go with|take|go for|use) |going with |we'll (?:go with|take) |go with )*(?:the )?(.+?)(?:,? (?:then|it is))?[.!]*$",
        yes,
    )
    value = m[1].strip() if m else ""
    known = value and len(value.split()) <= 5 and re.search(rf"(?<!\w){re.escape(value)}(?!\w)", offered, re.I)
    return value if known and not re.fullmatch(r"(?i)that|it|this|one|the first|deal|sold|do it|do that", value) else ""


def _decision(picked: str, asked: str, zh: bool, who: Speaker) -> str:
    if zh:
        return f"关于“{asked}”，{who.chinese}选定了{picked}。"
    return f'To settle "{asked}", {who.english} chose {picked}.'


def _whole(offered: str, yes: str, reply: list[str], zh: bool, who: Speaker, picked: str) -> str:
    """The one thing that was offered; of several, the one that the reply speaks of."""
    pattern = _SUGGEST_ZH if zh else _SUGGEST_EN
    said = [s.text for s in split(offered) if (picked and picked in s.text) or (not picked and pattern.search(s.text))]
    if len(said) != 1 or (not picked and _ASKED_EN.search(said[0])):
        return ""
    parts = [p.strip(" ，,；;。.") for p in re.split(r"[，,；;]", said[0]) if p.strip(" ，,；;。.")]
    if len(parts) > 1:
        shared = [p for p in parts if picked in p] if picked else [p for p in parts if _shares(p, yes, zh)]
        refused = [p for p in parts if any(_refuses(r, zh) and _shares(p, r, zh) for r in reply)]
        parts = shared or [p for p in parts if p not in refused]
    text = re.sub(r"(?i)^(?:how|what) about |[?？。.!！]+$", "", ("，" if zh else ", ").join(parts))
    if not parts or _OR.search(text):
        return ""
    if zh:
        return f"{who.chinese}采纳了助手的建议：{text}。"
    return f"{capitalised(who)} accepted the assistant's suggestion: {text}."


def _shares(part: str, other: str, zh: bool) -> bool:
    if zh:
        return any(part[n : n + 2] in other for n in range(len(part) - 1) if len(chinese.content(part[n : n + 2])) == 2)
    return bool(set(english.content(part)) & set(english.content(other)))
