"""What a turn says only together with the turns before it: an answer, a suggestion taken up, a value put right.

Every function gives a sentence told of the speaker, or "" where the words do not carry one.
"""

from __future__ import annotations

import re

from memd.form.rules import chinese, english, voice_en, words_en, words_zh
from memd.form.rules.facts import Speaker
from memd.form.rules.sentences import is_chinese, split
from memd.form.rules.verbs_en import inflect

# answers -----------------------------------------------------------------------------------------------------------

_WH_ZH = re.compile(
    r"(?:什么时候|什么时间|什么地方|什么名字|哪一?[天年个家位条里儿些种]|哪儿|哪里|哪|谁|几[点个岁号月年口只]|多少|多大|多久|多长|什么|叫什么(?:名字)?)"
)
_YES_ZH = re.compile(r"^(?:是的?|对的?|嗯+|没错|有|会|在|要|喜欢|当然|可以|是啊|对啊)(?:[，。！,.!啊呀]|$)")
_YES_EN = re.compile(r"^(?:yes|yeah|yep|yup|i do|i am|i have|sure|indeed|correct|right|that's right|of course)\b", re.I)
_NO_EN = re.compile(r"^(?:no|nope|nah|i don't|i'm not|i haven't|never|not at all)\b", re.I)
_ASK_BE = re.compile(
    r"^(?:and |so )?(?:what|when|where|who|which \w+|how old|how many|how much|how tall|how long)(?:'s| is| are) (your [\w' -]+?)\??$",
    re.I,
)
_ASK_DO = re.compile(
    r"^(?:and |so )?(what time|what kind of [\w ]+?|what|where|when|who|which [\w ]+?|how many [\w ]+?|how often|how much [\w ]*?) do you ([\w' -]+?)\??$",
    re.I,
)
_ASK_AUX = re.compile(r"^(?:and |so )?(do|are|have|can|did|were) you ([\w' -]+?)\??$", re.I)
_ASK_ANY = re.compile(r"^(?:and |so )?do you (\w+) (?:a|an|any) [\w ]+?\??$", re.I)
_ASK_DID = re.compile(r"^(?:and |so )?(where|when) did you ([\w' ]+?)\??$", re.I)
_DID = {
    "grow": "grew",
    "study": "studied",
    "meet": "met",
    "go": "went",
    "work": "worked",
    "live": "lived",
    "move": "moved",
    "buy": "bought",
    "learn": "learned",
    "train": "trained",
    "get": "got",
    "start": "started",
}
_PARTICLE = re.compile(r"[吗呢呀啊么嘛吧？?。！]+$")


def answer(question: str, reply: str, who: Speaker) -> str:
    """The statement that a bare reply makes of a question. A reply that is a sentence of its own makes none here."""
    reply = reply.strip()
    if not reply or len(reply) > 60:
        return ""
    return _answer_zh(question, reply, who) if is_chinese(question) else _answer_en(question, reply, who)


def _answer_zh(question: str, reply: str, who: Speaker) -> str:
    asked = _PARTICLE.sub("", question.strip())
    asked = re.split(r"[，,。！]", asked)[-1]
    bare = reply.strip("。，,.！! ")
    if not re.search(r"[你您]", asked):
        return ""
    asked = re.sub(r"^(?:请问|那么?|对了|顺便问一下|方便问一下|能问一下)", "", asked)
    asked = re.sub(r"[你您]们?", who.chinese, asked)
    if wh := list(_WH_ZH.finditer(asked)):
        if len(wh) != 1 or len(bare) > 24 or re.search(words_zh.MODAL_UNSURE, bare):
            return ""
        value = re.sub(r"^(?:嗯|是|在|大概)?[，,]?", "", bare) or bare
        kept = (
            wh[0][0][1:]
            if wh[0][0][0] == "几" and wh[0][0][1:] not in value and wh[0][0][1:] not in ("号", "月", "年")
            else ""
        )
        return f"{asked[: wh[0].start()]}{value}{kept}{asked[wh[0].end() :]}。"
    echoed = (
        re.search(rf"{re.escape(who.chinese)}(?:平时|经常|一般|还)?{re.escape(bare[:1])}", asked)
        and bare[:1] not in "不没"
    )
    if question.rstrip("？?。 ").endswith("吗") and (
        _YES_ZH.match(reply) or (echoed and re.match(r"^.{1,2}[，,。]?(?:$|[^，]{2,})", reply))
    ):
        rest = (
            re.sub(_YES_ZH, "", reply)
            if _YES_ZH.match(reply)
            else re.sub(r"^.{1,2}?(?:[，,。]|$)", "", reply).strip("，。,. ")
        )
        return (
            f"{asked}{'，' + rest if rest and not re.search('[你您我]', rest) else ''}。"
            if not re.search(r"[想要]不?$", asked)
            else ""
        )
    return ""


def _answer_en(question: str, reply: str, who: Speaker) -> str:
    asked = question.strip().replace("’", "'")
    asked = re.sub(r"^.*[,.!] (?=(?:what|when|where|who|which|how|do|are|have|can|did) )", "", asked, flags=re.I)
    bare = re.sub(r"^(?:it's|it is|they're|that's|on|um,?|uh,?|oh,?) ", "", reply, flags=re.I).strip(" .!")
    if m := _ASK_BE.match(asked):
        noun = voice_en.tell(m[1].replace("your", "my"), who).rstrip(".")
        be = "are" if m[1].lower().rstrip("?").endswith("s") and not m[1].lower().endswith("ss") else "is"
        return f"{noun} {be} {bare}." if _short(bare) else ""
    if m := _ASK_DO.match(asked):
        return _put_in(m[1].lower(), m[2], bare, reply, who) if _short(bare) else ""
    if (
        (m := _ASK_ANY.match(asked))
        and re.match(r"(?i)(?:the|a|an|two|three|four|five|six|\d+|some|just|only|one|both)\b", reply)
        and _short(bare)
    ):
        verb = "has" if m[1] == "have" else inflect(m[1])
        return f"{_cap(who)} {verb} {bare[:1].lower()}{bare[1:]}."
    if (m := _ASK_DID.match(asked)) and _short(bare) and (past := _DID.get(m[2].split()[0].lower())):
        rest = " ".join([past, *m[2].split()[1:]])
        return f"{_cap(who)} {rest} {'' if re.match('(?i)(?:in|at|on|near|mostly|mainly)', bare) or m[1] != 'where' else 'in '}{bare[:1].lower() + bare[1:] if re.match('(?i)(?:in|at|on|near|mostly|mainly)', bare) else bare}."
    if m := _ASK_AUX.match(asked):
        return _yes_no(m[1].lower(), m[2], reply, who)
    return ""


def _short(text: str) -> bool:
    return (
        0 < len(text.split()) <= 8
        and not english.matches(words_en.UNSURE, text)
        and english.subject(text).kind != "owner"
    )


def _put_in(wh: str, rest: str, bare: str, reply: str, who: Speaker) -> str:
    """`Where do you live?` and `In Bristol` or `Bristol`."""
    value = voice_en.tell(reply, who).strip(" .!")
    adverb, _, plain = rest.partition(" ")
    often = f"{adverb} " if plain and adverb in ("usually", "normally", "generally", "often", "typically") else ""
    rest = plain if often else rest
    if wh in ("what time", "when") and re.match(
        r"(?i)(?:\d|half|quarter|noon|midnight|six|seven|eight|nine|ten|eleven|twelve|one|two|three|four|five)\b", value
    ):
        value = (
            f"at {value[:1].lower()}{value[1:]}"
            if not value[0].isdigit() or ":" in value or re.search("[ap]m", value)
            else value
        )
    wh = "when" if wh == "what time" else wh
    if wh == "where" and not re.match(r"(?:in|at|on|near|by|over|up|down)\b", value, re.I):
        value = f"in {bare}"
    head = f"{_cap(who)} {often}{inflect(rest.split()[0]) if rest.split()[0] != 'have' else 'has'}"
    tail = " ".join(rest.split()[1:])
    value = (
        value[:1].lower() + value[1:]
        if value.split()[0].lower() in ("in", "at", "on", "near", "by", "every", "twice", "once")
        else value
    )
    return " ".join(
        f"{head} {tail + ' ' if wh in ('where', 'when', 'how often') and tail else ''}{value}{'' if wh in ('where', 'when', 'how often') or not tail else ' ' + tail}.".split()
    )


def _yes_no(aux: str, rest: str, reply: str, who: Speaker) -> str:
    yes, no = bool(_YES_EN.match(reply)), bool(_NO_EN.match(reply))
    if yes == no or re.search(
        r"\b(?:want|like me|need me|mind|think|know|remember|mean|have any|ready|sure|okay|ok)\b", rest, re.I
    ):
        return ""
    verb, *tail = rest.split()
    forms = {
        "do": (inflect(verb) if verb != "have" else "has", f"does not {verb}"),
        "are": (f"is {verb}", f"is not {verb}"),
        "have": (f"has {verb}", f"has not {verb}"),
        "can": (f"can {verb}", f"cannot {verb}"),
        "did": ("", f"did not {verb}"),
        "were": (f"was {verb}", f"was not {verb}"),
    }
    form = forms[aux][1 if no else 0]
    told = " ".join([form, *tail]).replace("your", f"{who.english}'s")
    return f"{_cap(who)} {told}." if form else ""


def _cap(who: Speaker) -> str:
    return who.english[:1].upper() + who.english[1:]


# suggestions taken up ----------------------------------------------------------------------------------------------

_SUGGEST_EN = re.compile(
    r"\b(?:could|might|should|try|how about|what about|why not|consider|recommend|suggest|maybe|perhaps|you can|would|i'd|let's|option|either|looks free|go for|or)\b",
    re.I,
)
_SUGGEST_ZH = re.compile(r"不妨|可以|建议|推荐|要不|试试|考虑|怎么样|如何|最好|何不|或者|或|不如|应该|吧")
_OR = re.compile(r"\bor\b|或者|或是|还是|也可以|要么|/")
_STRONG_EN = re.compile(
    r"\b(?:let's (?:do|go with|take|use|make it)|i'll (?:do that|go with|take|go for|use)|we'll (?:go with|do|take|use|go for)|going with|go with|deal\b|sold\b|settled|count me in|sign me up|"
    r"it is\.?$|then\.?$|i'm (?:taking|going for|going with)|yes,? let's|do it|that's decided|decided)",
    re.I,
)
_STRONG_ZH = re.compile(
    r"就[这那]么[办定做着]|就[这那]样(?:吧|定|办)|采用了?|采纳了?|定了|就定|听你的|按你说的|就它|就这个|就用|就选|就叫|就去|就按|就订|就买|那就|选[第前后]|我选|决定用|决定选|决定按"
)


def taken_up(offered: str, reply: str, asked: str, who: Speaker) -> tuple[str, str, str] | None:
    """A decision that the reply takes by what was offered, the sentence that takes it, and what it is about. `asked` is the question
    that it settles, "" for none."""
    zh = is_chinese(reply) or is_chinese(offered)
    strong = _STRONG_ZH if zh else _STRONG_EN
    sentences = split(reply)
    yes = next((s.text for s in sentences if strong.search(s.text) and not _refuses(s.text, zh)), "")
    if not yes or re.search(words_zh.MODAL_UNSURE if zh else words_en.DEFER, yes, re.I):
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
    if len(said) != 1:
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
    return f"{_cap(who)} accepted the assistant's suggestion: {text}."


def _shares(part: str, other: str, zh: bool) -> bool:
    if zh:
        return any(part[n : n + 2] in other for n in range(len(part) - 1) if len(chinese.content(part[n : n + 2])) == 2)
    return bool(set(english.content(part)) & set(english.content(other)))


# values put right --------------------------------------------------------------------------------------------------

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
        r"[A-Za-z]*\d[\w.,:-]*",
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
        new = pattern.findall(bare)
        old = [m for m in pattern.finditer(clause)]
        if len(new) == 1 and len(old) == 1 and old[0][0].lower() != new[0].lower():
            return clause[: old[0].start()] + new[0] + clause[old[0].end() :]
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


def _names(text: str) -> list[str]:
    return [
        m
        for m in _NAME.findall(text)
        if m.lower() not in words_en.NOT_NAMES and m.split()[0].lower() not in words_en.NOT_NAMES
    ]


def _pair(text: str) -> tuple[str, str] | None:
    if m := _NOT_BUT_ZH.search(text):
        return m[1].strip(), m[2].strip()
    if m := _NOT_BUT_EN.search(text):
        return (m[1].strip(), m[2].strip()) if m[1] else (m[4].strip(), m[3].strip())
    return None
