"""Whether a clause is a plain statement of its speaker's, and how sure that is. Silence (0.0) is the answer in doubt.

Knows one clause at a time. Never knows the dialogue; what an answer, a correction or an acceptance adds is `answers`', `offers`' and `corrections`'.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from memd.form.rules import chinese, english, words_en, words_zh
from memd.form.rules.facts import Sentence, Subject
from memd.form.rules.frames import has_quotation, mostly_quoted, without_titles
from memd.form.rules.passing_en import GENERAL, passes
from memd.form.rules.pointing_en import points_away
from memd.form.rules.sentences import MENTION

SURE = 0.9
THIRD = 0.86
THING = 0.85
LONGEST = 500
"""Characters of a sentence that rules trust themselves to read."""

_SECRET = re.compile(f"(?:{words_en.CREDENTIALS})|{words_zh.CREDENTIALS}|‹", re.I)
_OWN = re.compile(r"我|咱|\b(?:I|my|we|our)\b", re.I)
_LOG = re.compile(r"\b(?:INFO|ERROR|WARN|DEBUG|WARNING|FATAL)\b")
_ASKED = re.compile(
    r"(?:回答我|回复我|叫我(?!去|回|来)|帮我|帮忙|请问|能不能|可以帮|麻烦|给我(?:写|推荐|讲|列|来|一[个份])|我想(?:问|知道|请|让|听|看看|了解)|我要(?:问|你)|告诉我|教我|建议我|你觉得|您觉得)"
)
_META_ZH = re.compile(
    r"^(?:我(?:刚才?|之前)?(?:说过?|提过|问)|我(?:想我|同意|明白|懂|知道|觉得|认为|相信|猜|怕|感觉|记得|承认|保证|发誓)|不是|没有$|是的|对的|好像|反正|总之)"
)


_PROMISE_ZH = re.compile(
    r"我(?:也|还|就)?(?:一定|肯定)(?:会|要)|(?:下次|以后|有空|到时)我?(?:也|就|再)?(?:可以|能|去)|我也可以|我(?:将|会)(?:一直|会)?(?:坚持|继续[^，。]{1,4}(?:下去)?)的?[。！]?$|^我?(?:之前|此前|以前|还|也|从来?|都)*(?:没有?|未)(?:尝试|试|去|做|用|吃|看|玩|听)过[。！]?$|^我(?:已经?|都|这边)?(?:完成|收到|搞定|处理|跟进|确认|同步)了?[。！]?$|我(?:将|会)(?:认真|继续(?:努力|练)|参考|试着|去做一些|多进行|虚心|多(?=[参看读练吃喝做运休注学写听])|去?(?:查找|寻找))|我将尝试|我(?:现在|以后|下次)?会(?:看看|试试|尝试|考虑|注意|努力|去?尝试|尽量|尽力|去查|好好|记住|加油|按|照)|^(?:今天|最近|现在)?(?:我|用户)?(?:有时候?|最近|今天|现在|也|还|会|真的|总是|已经)*(?:感到|感觉|觉得)|(?:有|没)?[^，。]{0,3}(?:考虑|想)过[。]?$|^我?(?:大概|基本上?|已经|完全|都)*(?:理解|明白|懂|着迷)了?"
)
_PASSING_ZH = (
    words_zh.TASK,
    words_zh.REACTION,
    words_zh.WORKPIECE,
    words_zh.MOMENT,
    words_zh.IDIOM,
    words_zh.FORMULA,
    words_zh.PARTING,
    words_zh.DANGLING,
    words_zh.UNNAMED,
)
"""What is said and gone: of the task, of the moment, as one says it."""
_FOUND_EN = re.compile(
    r"(?:\b(?:is|are|was|were)|'s)(?: (?:just|really|truly|also|always|all|definitely))* (?:so|such|like|the best|pretty|super|kinda|really|very|absolutely|totally|completely|a (?:real|\w+ way to))\b"
    r"|\b(?:looks?|looked|sounds?|sounded|seems?|seemed)\b",
    re.I,
)
"""A thing as its speaker finds it."""
_AT_HAND_EN = re.compile(
    r"^(?:this|that|these|those)\b(?! (?:(?:is|was) (?:my|our)|morning|afternoon|evening|week|month|year|time)\b)"
    r"(?!(?: [\w-]+){1,3} (?:i|we)\b)(?!.*\b(?:where|when|which|that) (?:i|we)\b)"
    rf"(?!.*\b(?:my|our) (?:{'|'.join(sorted(words_en.PERSONS))})\b).*(?:\b(?:is|are|was|were|feels?|makes|aligns?|fits?)\b|'s\b)",
    re.I,
)
"""The thing that lies before the two, where nothing ties it to the speaker's life."""
_NOBODYS_EN = re.compile(
    r"^(?!there\b)(?!.*\b(?:i|me|my|we|us|our)\b).*?\b(?:is|are|has|have|shows?)\b(?! (?:\w+ly |not |now |been |also |still |just )*"
    r"(?:\w+(?:ed|ing|en)|set|built|sent|held|kept|made|shut|gone|lost|out|off|up|down|on|in|at|from|for|under|near|next|above|behind|"
    r"complete|live|ready|closed|open|broken|full|empty|available|due|free|dead|missing|late)\b)",
    re.I,
)
"""How a thing is that is nobody's; what was done to it, where and in what state it is may matter."""
_OBJECT_ZH = re.compile(
    r"(?:(?:可以|能够?|会|往往|总是|同时)(?:也|还|更)?(?:让|使|给|带给|帮助?)|(?:总是?|经常)要求)[^，。我]{0,3}我"
)
"""The speaker as what things in general do something to."""
_POINTED_ZH = re.compile(r"[这那](?:种|样的?|些)[\u4e00-\u9fff]{1,4}(?=[，,。！]|$)")
_JUDGED_ZH = re.compile(
    rf"(?:非常|很|真的?是?|特别|十分|超级?|太|挺|有些|有点|还)[^，。我]{{0,3}}{words_zh.EVALUATION}"
)
_GENERIC_ZH = re.compile(r"是[^，。]*(?:的|一种)|让人|使人|能够|可以|应该|需要|才能|就能|往往")
_PARTICULAR_ZH = re.compile(
    r"\d|[一二三四五六七八九十两]+[点月号日元块层楼岁个只条年天]|周[一二三四五六日]|每|[A-Za-z]{2}|[“《]|不是"
)


def secret(text: str) -> bool:
    """Words about a credential, or the place where one stood."""
    return bool(_SECRET.search(text))


def without_secrets(text: str) -> str:
    """The text without the lines that speak of a credential which nobody masked."""
    if not _SECRET.search(text):
        return text
    return "\n".join(line for line in text.split("\n") if "‹" in line or not _SECRET.search(line))


def unfit(sentence: Sentence) -> str:
    """Why a whole sentence states nothing: a word for it, "" for a sentence that may."""
    text = sentence.text
    if len(text) > LONGEST:
        return "long"
    module, words = (chinese, words_zh) if sentence.chinese else (english, words_en)
    bare = text[len(module.lead(text)) :] or text
    checks: tuple[tuple[str, Callable[[], object]], ...] = (
        ("secret", lambda: secret(text)),
        ("question", lambda: module.is_question(text) or module.is_question(bare)),
        ("joke", lambda: english.is_joke(text) or (sentence.chinese and chinese.is_joke(without_titles(text)))),
        ("hypothetical", lambda: _hypothetical(sentence)),
        ("log", lambda: len(re.findall(r"\w+=\S+", text)) > 1 or _LOG.search(text) is not None),
        (
            "hearsay",
            lambda: (
                module.matches(words.HEARSAY, text)
                or (english.matches(words_en.HEARSAY, text) and not sentence.chinese)
            ),
        ),
        ("quoted", lambda: mostly_quoted(text) or has_quotation(text)),
        ("request", lambda: module.is_request(bare) or (MENTION.match(text) and not _OWN.search(text))),
        ("small talk", lambda: _small(text, bare, sentence.chinese)),
    )
    return next((name for name, holds in checks if holds()), "")


def _hypothetical(sentence: Sentence) -> bool:
    if sentence.chinese:
        return re.search(words_zh.HYPOTHETICAL, without_titles(sentence.text)) is not None
    return english.matches(words_en.FICTION, sentence.text) or english.matches(
        r"\b(?:if|unless|suppose|supposing|imagine|were i to|as long as)\b", sentence.text
    )


def _small(text: str, bare: str, is_zh: bool) -> bool:
    if is_zh:
        told = [part for part in re.split("[，,。！!～~]", bare) if not re.search(words_zh.COURTESY, part, re.I)]
        return (
            bool(re.match(words_zh.SMALL_TALK, text, re.I))
            and not re.match("我的?(?:名字)?[叫是]", bare)
            and len(re.findall(r"[\u4e00-\u9fff]", chinese.content("".join(told)))) < 4
        )
    greets = bool(re.match(words_en.SMALL_TALK, text.replace("’", "'"), re.I))
    return greets and len(english.content(bare)) < 3 and not re.match(r"(?i)(?:my name|today is my)\b", bare)


def confidence(clause: str, is_zh: bool, who: Subject) -> float:
    """How sure it is that the clause states something durable of its subject; 0.0 is silence."""
    if who.kind in ("second", "deictic", "generic", "none"):
        return 0.0
    silent = _silent_zh(clause, who) if is_zh else _silent_en(clause, who)
    if silent:
        return 0.0
    return {"owner": SURE, "person": THIRD, "pronoun": THIRD}.get(who.kind, THING)


def stands(clause: str, is_zh: bool) -> bool:
    """Words that state something by themselves, whatever was asked or said before them."""
    found = (chinese if is_zh else english).subject(clause)
    return found.kind in ("owner", "person", "thing") and confidence(clause, is_zh, found) > 0


def _silent_en(clause: str, who: Subject) -> bool:
    text = clause.replace("’", "'")
    if passes(text, who) or not english.has_verb(text) or points_away(text, who):
        return True
    carried = english.content(text)
    if who.name == "elided" and len(carried) < 2 and len(text.split()) < 4:
        return True
    strong = any(any(c.isdigit() for c in t) for t in carried) or re.search(r"(?<=\s)[A-Z][a-z]+", text)
    if who.kind == "thing" and not who.mine:
        told = [t for t in carried if t not in words_en.EVALUATIONS]
        return (
            len(told) < 2
            or re.search(rf"\bcan be\b|{GENERAL}", text, re.I) is not None
            or (len(told) < 3 and len(told) < len(carried))
            or _as_found(text)
        )
    if who.kind == "person":
        besides = set(carried) - words_en.MOOD - words_en.EVALUATIONS - set(english.tokens(who.name.lower()))
        if (not strong and not besides) or (not who.mine and _as_found(text)):
            return True
    if len(carried) == 1 and not strong and who.kind in ("owner", "person"):
        return carried[0] in words_en.EVALUATIONS or (
            re.search(r"\b(?:felt|feel|won|made it|did it)\b", text, re.I) is not None and who.kind == "owner"
        )
    return len(carried) < 1


def _as_found(text: str) -> bool:
    """A judgement, with no number and no name in it that would say more."""
    judged = next((m for p in (_FOUND_EN, _AT_HAND_EN, _NOBODYS_EN) if (m := p.search(text))), None)
    return judged is not None and not re.search(r"\d|(?<=\s)[A-Z][a-z]+|\b(?:to|for) (?:me|us)\b", text[judged.end() :])


def _silent_zh(clause: str, who: Subject) -> bool:
    clause = without_titles(clause)
    if (
        chinese.lead(f"{clause}。") == f"{clause}。"
        or re.search(words_zh.HYPOTHETICAL, clause)
        or re.search(words_zh.MODAL_UNSURE, clause, re.I)
    ):
        return True
    if (
        re.search(r"吧(?:[。！，,]|$)|[你您]|(?:哪儿?|什么|啥|谁)[都也][没不]", clause)
        or _PROMISE_ZH.search(clause)
        or (re.search(r"天气", clause) and len(chinese.content(clause)) < 8)
    ):
        return True
    if who.kind == "person" and re.fullmatch(r"(?:[和跟与、][^，。]{1,4})+。?", clause[who.end :]):
        return True
    if any(re.search(pattern, clause) for pattern in _PASSING_ZH):
        return True
    if chinese.is_mood(clause) or _ASKED.search(clause) or (who.kind == "owner" and _META_ZH.match(clause)):
        return True
    if who.kind == "person" and re.search(r"^.{0,3}(?:说|讲|称|提到|提过|告诉|转述)", clause[who.end :]):
        return True
    if re.search(r"[你您]", clause) and who.kind != "owner":
        return True
    if (
        _OBJECT_ZH.search(clause.split("我")[0] + "我")
        or _leans_zh(clause, who)
        or (who.kind == "thing" and _said_of_nobody_zh(clause, who))
    ):
        return True
    if (
        who.kind == "thing"
        and "我" not in clause.replace("我们", "")
        and _GENERIC_ZH.search(clause)
        and not _PARTICULAR_ZH.search(clause)
    ):
        return True
    if who.kind in ("person", "thing") and len(chinese.content(clause[who.end :])) < (2 if who.kind == "person" else 1):
        return True
    return len(chinese.content(clause)) < (2 if who.kind in ("owner", "person") else 3)


def _leans_zh(clause: str, who: Subject) -> bool:
    """What the speaker likes, wants or needs is only pointed at: `我很享受这种感觉`."""
    pointed = _POINTED_ZH.search(clause)
    return pointed is not None and who.kind == "owner" and len(chinese.content(clause[: pointed.start()])) < 5


def _said_of_nobody_zh(clause: str, who: Subject) -> bool:
    """A judgement of a thing, the weather, a mood that is nobody's: no number or name, and no word of the speaker."""
    if "我" in clause.replace("我们", "") or _PARTICULAR_ZH.search(clause):
        return False
    told = "天气" in who.name or re.search(words_zh.MOOD, clause)
    return bool(told or _JUDGED_ZH.search(re.split("[，,]", clause)[0]))
