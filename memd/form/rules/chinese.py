"""Chinese sentences: what kind of act one is, who it is about, where it falls apart into clauses.

Knows word order and word lists. Never knows the dialogue round a sentence, or how it will be told.
"""

from __future__ import annotations

import re

from memd.form.rules import words_zh as w
from memd.form.rules.facts import Subject

_LEAD = re.compile(
    rf"^(?:{w.LEADS}(?:[，,。！!、：:～~—\s]+)|(?:而且?|并且|可)(?=我|在|[^，。]{{2,10}}我)|(?:反正|总之|其实|话说|对了|记住|另外|还有|只是|不过|但是?|所以)(?=[^，。]{{3}}))+"
)
_OPEN = re.compile(
    rf"^(?:{w.TIME}|[在从自]?[^，,。我你他她它]{{0,8}}(?:的时候|期间|以来|之后|之前)|[，,\s]|[就又都也还才])+"
)
_MINE = re.compile(
    rf"^我们?(?:的[一-龥]{{1,4}}?(?=(?:{w.KIN})[是叫姓在要会已说最刚今明去从])|(?:的|现在的|以前的)?(?:双胞胎|亲|大|小|二|三|新|高中|大学|初中|小学|公司|隔壁|楼上|楼下|对门)(?:的(?={w.KIN}))?|的|(?:过世|去世|已故|新来|远房|现任|前任)的|家的?|公司的?|班的?|组里?的?|学校的?|单位的?)?(?P<kin>{w.KIN})(?!校|带|馆|节|乡|大学|中学|费|市|业|红|的家)"
)
_CLEFT = re.compile(rf"^(?:我们?家里?|家里)(?:都|一直|平时|主要)*是(?=我们?(?:{w.KIN}))")
_KIN = re.compile(rf"^(?:有个?|一个|那个|这个)?(?P<kin>{w.KIN})(?![校带馆节乡费业红]|大学|中学|市)")
_NAME = re.compile(rf"^(?P<name>{w.TITLED}|[A-Z][A-Za-z'’-]+(?: [A-Z][A-Za-z'’-]+)*)(?=[\u4e00-\u9fff\s])")
_PRONOUN = re.compile(r"^(他们|她们|它们|他|她|它)(?!人|杀)")
_VERB = re.compile(
    r"到期|[挪改定约排推拖延][到在于至]|安排|推迟|提前|[是在有要会能把被给已将想去来用叫姓属坐住搬改换开关停涨降得着滴掉裂断重漏坏丢卖买修吃喝响亮过写放摆长]|不|没|负责|打算|准备|计划|喜欢|过敏|说|每|都|也|就|刚|还"
)
_STARTS = re.compile(rf"^(?:{w.STARTS})")
_COMMA = re.compile(r"[，,；;]|(?<=[\u4e00-\u9fff])\s+(?=不过|但是?|所以|而)|——")
_JOIN = re.compile(r"^(?:但是|但|不过|可是|而且|而|所以|因此|然后|并且|同时|另外|还有|只是|虽然|因为|于是|结果|其中)")
_ASIDE = re.compile(
    rf"[，,、](?:但是?|不过|可是?|也|又|还|却|那|我|所以)*(?:(?:不知道?|不清楚|不懂得?)[^，,。？?]{{0,16}}(?:怎么|如何|哪|什么|是否|该|好|[有没]有|喜欢)"
    rf"|(?:很|非常)?高兴(?:能|可以)?(?:认识|见到)|(?:好|很|真)?想(?:[和跟]|听听?)[你您]|(?:我们|咱们?)?(?:下次|改天|明天|回头)?再[聊见]|(?:这部?|它)?(?:讲述了?|讲的是|说的是)).*$"
    rf"|[，,、](?:所以|那)?(?:也)?(?:请|麻烦|拜托)(?:你|您|大家|各位)?(?:帮|为|给|替|再)?[^，。]*[。！!]?$|[，,、](?:那|不知道?|请问|请|所以|也)*(?:[你您](?!们?的?(?:{w.KIN}))|有(?:什么|没有|啥)|能不能|可不可以|怎么办|应?该(?:怎么|如何)).*(?:[？?]|[吗呢么][。！]?)$"
)
_OPEN_MATTER = (
    r"[吗呢么？?]|要不要|是不是|该不该|会不会|能不能|有没有|应不应该|是否|还是|什么|哪|谁|怎么|如何|几[点个天岁号]|多少"
)
_FUNCTION = re.compile(
    r"我们|你们|他们|她们|这个|那个|这些|那些|这样|那样|这里|那里|什么|怎么|一下|一点|一些|有点|已经|可以|可能|应该|觉得|知道|真的|其实|就是|不是|还是|但是|因为|所以|如果|没有|"
    r"过(?![敏期年程节])|[的了着吧吗呢啊呀嘛哦嗯哈啦我你您他她它这那是在有和与跟就都也还又很太挺真好不没要会能想去来给把被对从到让说看个条件事点些上下里外中，。！？、；：,.!?;:\s“”‘’\"'（）()~～…—-]"
)


def lead(text: str) -> str:
    found = _LEAD.match(text)
    return text[: found.end()] if found else ""


def told_part(text: str) -> str:
    """The sentence without the question or the courtesy to the other side that it ends in; "" where that is all of it."""
    found = _ASIDE.search(text)
    front = text[: found.start()] if found else text
    return front if not found or not re.search(_OPEN_MATTER, front) else text


def matches(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.I) is not None


def is_question(text: str) -> bool:
    return matches(w.QUESTION, text.rstrip('”"』」 '))


def is_request(text: str) -> bool:
    return matches(w.REQUEST, text)


def is_joke(text: str) -> bool:
    return matches(w.JOKE, text)


def is_mood(text: str) -> bool:
    """A state of mind with nothing it is about, or a wish of the day."""
    if not matches(w.MOOD, text):
        return False
    rest = re.sub(
        rf"{w.MOOD}|今天|今晚|最近|现在|这几天|一天|感觉|觉得|有点|特别|非常|超级?|死了|极了|别管|整个人|快要?|啊+|又|天哪|妈呀|只想|而已|心里|浑身",
        "",
        text,
    )
    about = re.search(r"[对为][^，。]{2,}", text)
    return (len(_FUNCTION.sub("", rest)) <= 3 and not about) or matches(r"今天|今晚|今早|现在|这会儿|此刻|这几天", text)


def content(text: str) -> str:
    """The characters that carry something."""
    return _FUNCTION.sub("", text)


def subject(text: str) -> Subject:
    """Who or what the clause is about, by its first words; `end` is where the name ends in the text."""
    opened = _OPEN.match(text)
    at = opened.end() if opened and opened.end() < len(text) else 0
    if cleft := _CLEFT.match(text[at:]):
        at += cleft.end()
    bare = text[at:]
    if found := _MINE.match(bare):
        return _kin(bare, found, at)
    if found := re.match(r"(?:我们|咱们?)", bare):
        return Subject("owner", "我们", end=at + found.end())
    if found := re.match(r"(?:我|本人|俺)|是(?=我们?的?[^，。]{0,4}(?:生日|纪念日))", bare):
        return Subject("owner", end=at + found.end())
    if re.match(r"[你您]", bare):
        return Subject("second", end=at + 1)
    if found := _PRONOUN.match(bare):
        return Subject("pronoun", found[1], end=at + found.end())
    if re.match(r"(?:大家|有人|别人|人家|人们|谁|所有人)", bare):
        return Subject("generic", bare[:2], end=at + 2)
    if found := _NAME.match(bare):
        return Subject("person", found["name"].strip(), end=at + found.end())
    if (owned := re.match(rf"[一-龥]{{1,6}}的(?:{w.KIN})(?![的校带馆])", bare)) and not re.search(
        r"[我你他她是在有]", owned[0]
    ):
        return Subject("person", owned[0], False, at + owned.end())
    if found := _KIN.match(bare):
        return _kin(bare, found, at, mine=False)
    if re.match(
        r"[这那](?![周月年天次回学]|个(?:月|星期|周|学期)|[一-龥A-Za-z ]{1,12}我)(?:[一二两三几]?[个条些件种样边里]|儿)?(?:我|都|也|就|不|没|很|太|挺|真|是|好|，|,|。|可以|行|吧)",
        bare,
    ):
        return Subject("deictic", end=at + 1)
    if placed := re.match(r"在[^，,我]{1,16}[，,]\s*(?=我)", bare):
        return Subject("owner", end=at + placed.end() + 1)
    inside = re.match(r"[^，,]{1,12}?(?=我(?!们?的?(?:" + w.KIN + r")))", bare)
    if inside and not re.search(r"[是对跟和给让叫请找陪约问]|[了着过]$", inside[0]):
        return Subject("owner", end=at + inside.end() + 1)
    if re.match(r"[和跟陪](?![平谐解着踪])", bare) or _STARTS.match(bare):
        return Subject("owner", "elided", end=at)
    return _thing(bare, at)


def _kin(bare: str, found: re.Match[str], at: int, *, mine: bool = True) -> Subject:
    name, end = found["kin"], found.end()
    modified = found.re is _MINE and re.match(r"我们?的([一-龥]{1,4}?)" + name, bare)
    name = (modified[1] + name) if modified else w.LONG_KIN.get(name, name)
    called = re.match(r"(?:小|老|阿)[\u4e00-\u9fff](?![\u4e00-\u9fff]?[师板])|\s?[A-Z][a-z]+", bare[end:])
    if called:
        name, end = name + called[0], end + called.end()
    if further := re.match(rf"的(?:好|最好的|大|小)?(?:{w.KIN})", bare[end:]):
        name, end = name + further[0], end + further.end()
    return Subject("person", name, mine, at + end)


def _thing(bare: str, at: int) -> Subject:
    if (mine := re.search(r"我", bare)) and re.match(r"[^，,]{1,12}[，,]\s*我", bare):
        return Subject("owner", end=at + mine.end())
    if re.match(r"(?:[有去来做看听吃喝玩学说想要会能可打感觉]|应该|必须|不|没|是|就是|也|都|很|太|真|好)", bare):
        return Subject("none", end=at)
    verb = _VERB.search(bare, 2)
    stop = re.search(r"[，,。：:]", bare)
    end = verb.start() if verb else -1
    if end <= 0 or (stop and stop.start() < end):
        end = stop.start() if stop and stop.start() <= 10 else -1
        if end <= 0 or not verb:
            return Subject("none", end=at)
    name = re.split(w.TIME, bare[:end])[0].rstrip("的还也都就才又 ") or bare[:end].rstrip("的 ")
    return Subject("thing", name, end=at + end) if 0 < end <= 16 else Subject("none", end=at)


def clauses(text: str) -> list[str]:
    """The sentence cut where a clause about someone else begins. A contrast (不是…，是…) stays whole."""
    segments = _segments(text)
    groups: list[list[str]] = []
    for joint, segment in segments:
        bare = _JOIN.sub("", segment)
        if groups and _starts_other("".join(groups[-1]), bare, joint):
            groups.append([bare])
        elif groups:
            groups[-1] += [joint, segment]
        else:
            groups.append([segment])
    return ["".join(group).strip(" ，,；;") for group in groups if "".join(group).strip(" ，,；;")]


def _segments(text: str) -> list[tuple[str, str]]:
    parts: list[tuple[str, str]] = []
    at, joint = 0, ""
    for mark in _COMMA.finditer(text):
        if text[at : mark.start()].strip():
            parts.append((joint, text[at : mark.start()]))
            joint = mark[0]
        at = mark.end()
    if text[at:].strip():
        parts.append((joint, text[at:]))
    return parts


def _starts_other(before: str, after: str, joint: str) -> bool:
    if joint in ("；", ";"):
        return True
    if re.match(r"(?:是|而是|就是|不是|也是|都是)", after) or len(after) < 3:
        return False
    left, right = subject(before), subject(after)
    if right.kind in ("none", "thing", "generic", "deictic") or right.name == "elided":
        return False
    if right.kind == "second":
        return True
    if not {left.kind, right.kind} & {"person", "pronoun"}:
        return False
    return (left.kind, left.name) != (right.kind, right.name)
