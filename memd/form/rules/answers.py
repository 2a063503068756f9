"""What a bare reply says together with the question before it. "" where the words do not carry a statement."""

from __future__ import annotations

import re

from memd.form.rules import chinese, english, voice_en, words_en, words_zh
from memd.form.rules.facts import Speaker
from memd.form.rules.sentences import is_chinese
from memd.form.rules.verbs_en import inflect

_WH_ZH = re.compile(
    r"(?:什么时候|什么时间|什么地方|什么名字|哪一?[天年个家位条里儿些种]|哪儿|哪里|哪|谁|几[点个岁号月年口只]|多少|多大|多久|多长|什么)"
)
_YES_ZH = re.compile(r"^(?:是的?|对的?|嗯+|没错|有|会|在|要|喜欢|当然|可以|是啊|对啊)(?:[，。！,.!啊呀]|$)")
_YES_EN = re.compile(r"^(?:yes|yeah|yep|yup|i do|i am|i have|sure|indeed|correct|right|that's right|of course)\b", re.I)
_NO_EN = re.compile(r"^(?:no|nope|nah|i don't|i'm not|i haven't|never|not at all)\b", re.I)
_ASK_BE = re.compile(
    r"^(?:and |so )?(?:what|when|where|who|which \w+|how old|how many|how much|how tall|how long)(?:'s| is| are) (your [\w' -]+?)\??$",
    re.I,
)
_ASK_DO = re.compile(
    r"^(?:and |so )?(what time|what kind of [\w ]+?|what|where|when|who|which [\w ]+?|how many [\w ]+?|how often|how much [\w ]*?) do you +([\w'-][\w' -]*?)\??$",
    re.I,
)
_ASK_AUX = re.compile(r"^(?:and |so )?(do|are|have|can|did|were) you +([\w'-][\w' -]*?)\??$", re.I)
_ASK_ANY = re.compile(r"^(?:and |so )?do you (\w+) (?:a|an|any) [\w ]+?\??$", re.I)
_ASK_DID = re.compile(r"^(?:and |so )?(where|when) did you +([\w'][\w' ]*?)\??$", re.I)
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
_COURTESY = re.compile(r"^(?:请问|那么?|对了|顺便问一下|方便问一下|能问一下)")
_OF_OPINION = re.compile(r"(?:usually |normally )?(?:think|say|mean|feel|want|suggest|recommend|reckon|know|need)\b")
_QUANTITY = re.compile(r"(?i)(?:the|a|an|two|three|four|five|six|\d+|some|just|only|one|both)\b")
_CLOCK = re.compile(
    r"(?i)(?:\d|half|quarter|noon|midnight|six|seven|eight|nine|ten|eleven|twelve|one|two|three|four|five)\b"
)
_SOMEWHERE = re.compile(r"(?i)(?:in|at|on|near|by|over|up|down)\b")
_ADVERBIAL = re.compile(r"(?i)(?:in|at|on|near|by|every|twice|once)(?!\S)")
_OFTEN = ("usually", "normally", "generally", "often", "typically")
_FAVOUR = re.compile(r"(?i)(?:share|tell|give|show|recommend|suggest|explain|describe|send|name|help|say|list)\b")
"""What one is asked to do here and now."""
_NOT_TOLD = re.compile(
    r"(?i)\b(?:want|like me|need me|mind|think|know|remember|mean|any\w*|ever|either|else|ready|sure|okay|ok)\b"
)
"""What a yes or a no says nothing lasting of."""
_CHATTER = re.compile(
    r"(?:yeah|yes|yep|thanks|thank|no|nope|not|ok|okay|sure|wow|great|good|that|this|it|well|oh|haha|definitely|absolutely|totally|just|so|i|we|you|what|how)\b",
    re.I,
)


def answer(question: str, reply: str, who: Speaker) -> str:
    """The statement that a bare reply makes of a question. A reply that is a sentence of its own makes none here."""
    reply = reply.strip()
    if not reply or len(reply) > 60:
        return ""
    return _answer_zh(question, reply, who) if is_chinese(question) else _answer_en(question, reply, who)


def _answer_zh(question: str, reply: str, who: Speaker) -> str:
    asked = re.split(r"[，,。！]", _PARTICLE.sub("", question.strip()))[-1]
    bare = reply.strip("。，,.！! ")
    if re.search("[我咱]|[你您]们", asked + bare) or len(bare) > 20:
        return ""
    if not re.search(r"[你您]", asked) and (not _WH_ZH.search(asked) or len(chinese.content(asked)) < 3):
        return ""
    asked = re.sub(r"[你您]们?", who.chinese, _COURTESY.sub("", asked))
    words = list(_WH_ZH.finditer(asked))
    if len(words) == 1:
        return _filled_in(asked, words[0], bare, who)
    return _agreed(asked, reply, who) if not words and question.rstrip("？?。 ").endswith("吗") else ""


def _filled_in(asked: str, word: re.Match[str], bare: str, who: Speaker) -> str:
    """The question with the reply in place of the word that asks."""
    if re.search(words_zh.MODAL_UNSURE, bare):
        return ""
    value = re.sub(r"^(?:嗯|是|在|大概)?[，,]?", "", bare) or bare
    if value.endswith("的"):
        return f"{who.chinese}是{value}。" if asked.endswith("的") else ""
    if word[0] == "多大" and re.fullmatch(r"[\d一二三四五六七八九十]+", value):
        value += "岁"
    unit = word[0][1:] if word[0][0] == "几" else ""
    if unit in value or unit in ("号", "月", "年"):
        unit = ""
    return f"{asked[: word.start()]}{value}{unit}{asked[word.end() :]}。"


def _agreed(asked: str, reply: str, who: Speaker) -> str:
    """The question as a statement, where the reply says yes or its verb again; what else the reply says stands behind."""
    yes = _YES_ZH.match(reply)
    verb = reply.strip("。，,.！! ")[:1]
    echoed = verb not in "不没" and re.search(
        rf"{re.escape(who.chinese)}(?:平时|经常|一般|还)?{re.escape(verb)}", asked
    )
    if not yes and not (echoed and re.match(r"^.{1,2}[，,。]?(?:$|[^，]{2,})", reply)):
        return ""
    if re.search(r"[想要]不?$", asked):
        return ""
    rest = (reply[yes.end() :] if yes else re.sub(r"^.{1,2}?(?:[，,。]|$)", "", reply)).strip("，。,. ")
    return f"{asked}，{rest}。" if rest and not re.search("[你您我]", rest) else f"{asked}。"


def _answer_en(question: str, reply: str, who: Speaker) -> str:
    asked = question.strip().replace("’", "'")
    asked = re.sub(r"^.*[,.!] (?=(?:what|when|where|who|which|how|do|are|have|can|did) )", "", asked, flags=re.I)
    bare = re.sub(r"^(?:it's|it is|they're|that's|on|um,?|uh,?|oh,?) ", "", reply, flags=re.I).strip(" .!")
    if m := _ASK_BE.match(asked):
        return _named(m[1], bare, who) if _short(bare) else ""
    if (m := _ASK_DO.match(asked)) and not _OF_OPINION.match(m[2]):
        return _put_in(m[1].lower(), m[2], bare, reply, who) if _short(bare) else ""
    if (m := _ASK_ANY.match(asked)) and _QUANTITY.match(reply) and _short(bare):
        return f"{capitalised(who)} {_present(m[1])} {_lowered(bare)}."
    if (m := _ASK_DID.match(asked)) and _short(bare) and m[2].split()[0].lower() in _DID:
        return _past(m[1], m[2], bare, who)
    if m := _ASK_AUX.match(asked):
        return _yes_no(m[1].lower(), m[2], reply, who)
    return ""


def _short(text: str) -> bool:
    if "!" in text or _CHATTER.match(text) or re.search(r",\s*[A-Z]\w+$", text):
        return False
    return (
        0 < len(text.split()) <= 8
        and not english.matches(words_en.UNSURE, text)
        and english.subject(text).kind != "owner"
    )


def _named(what: str, bare: str, who: Speaker) -> str:
    """`What's your dog's name?` and `Rex`."""
    noun = voice_en.tell(what.replace("your", "my"), who).rstrip(".")
    many = what.lower().endswith("s") and not what.lower().endswith("ss")
    return f"{noun} {'are' if many else 'is'} {bare}."


def _put_in(wh: str, rest: str, bare: str, reply: str, who: Speaker) -> str:
    """`Where do you live?` and `In Bristol` or `Bristol`."""
    verb, *tail = rest.split()
    often = verb if tail and verb in _OFTEN else ""
    if often:
        verb, *tail = tail
    value = voice_en.tell(reply, who).strip(" .!")
    if wh in ("what time", "when") and _CLOCK.match(value):
        if not value[0].isdigit() or re.search(":|[ap]m", value):
            value = f"at {_lowered(value)}"
    elif wh == "where" and not _SOMEWHERE.match(value):
        value = f"in {bare}"
    if _ADVERBIAL.match(value):
        value = _lowered(value)
    behind = wh in ("where", "when", "what time", "how often")
    told = (*tail, value) if behind else (value, *tail)
    return " ".join(" ".join((capitalised(who), often, _present(verb), *told)).split()) + "."


def _past(wh: str, rest: str, bare: str, who: Speaker) -> str:
    """`Where did you grow up?` and `In Bristol` or `Bristol`."""
    verb, *tail = rest.split()
    if re.match("(?i)(?:in|at|on|near|mostly|mainly)", bare):
        bare = _lowered(bare)
    elif wh.lower() == "where":
        bare = f"in {bare}"
    return " ".join((capitalised(who), _DID[verb.lower()], *tail, bare)) + "."


def _yes_no(aux: str, rest: str, reply: str, who: Speaker) -> str:
    yes, no = bool(_YES_EN.match(reply)), bool(_NO_EN.match(reply))
    if yes == no or (aux == "can" and _FAVOUR.match(rest)) or _NOT_TOLD.search(rest):
        return ""
    verb, *tail = rest.split()
    forms = {
        "do": (_present(verb), f"does not {verb}"),
        "are": (f"is {verb}", f"is not {verb}"),
        "have": (f"has {verb}", f"has not {verb}"),
        "can": (f"can {verb}", f"cannot {verb}"),
        "did": ("", f"did not {verb}"),
        "were": (f"was {verb}", f"was not {verb}"),
    }
    form = forms[aux][1 if no else 0]
    told = " ".join([form, *tail]).replace("your", f"{who.english}'s")
    return f"{capitalised(who)} {told}." if form else ""


def _present(verb: str) -> str:
    return "has" if verb == "have" else inflect(verb)


def _lowered(text: str) -> str:
    return text[:1].lower() + text[1:]


def capitalised(who: Speaker) -> str:
    """The speaker at the beginning of a sentence."""
    return who.english[:1].upper() + who.english[1:]
