"""What a whole turn is: a claim of its speaker's, or a role, a document, a task's material. Knows cues, never claims."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import dropwhile

from memd.form.rules import chinese, english, words_zh
from memd.form.rules.facts import Sentence, Speaker
from memd.form.rules.words_en import MATERIAL

_ROLE_EN = re.compile(
    r"\b(?:role[- ]?play|pretend(?:ing)? (?:to be|you|that|i)|let's pretend|let's play|act as|acting as|imagine (?:you|i|we|that)|you are now|you'll be|you play|i'll play|i play the|"
    r"in character|in this (?:scene|game|story|world|campaign)|once upon a time|dungeon master|your character|my character|text adventure|simulate|mock interview|"
    r"speaking as|from the point of view of|i want you to be|be my)\b|\byou(?:'re| are) (?:a|an|the|my) [^.,;!?]{2,40}(?:[,;.]| and) (?:and )?i(?:'m| am) (?:a|an|the|your)\b"
    r"|\bi(?:'m| am) (?:a|an|the) [^.,;!?]{2,40}[,;.] (?:and )?you(?:'re| are) (?:a|an|the|my)\b",
    re.I,
)
_ROLE_ZH = re.compile(words_zh.ROLE)
_ROLE_END = re.compile(
    r"(?i)\b(?:end of (?:role|scene|game)|out of character|stop (?:the )?(?:role|game|pretend)|back to reality|ooc|game over|end scene)\b|(?:游戏|扮演|演戏|模拟)(?:结束|到此)|出戏|不演了|说正事|回到现实|言归正传"
)
_DOCUMENT_EN = re.compile(
    r"\b(?:here(?:'s| is| are)|below (?:is|are)|this is|following|from|the|i got|i found|i saw|check|look at|read) (?:\w+ ){0,6}?(?:letter|email|e-mail|mail|ad|advert|article|post|text|message|poem|lyrics|"
    r"story|draft|excerpt|paragraph|passage|script|bio|cv|resume|review|transcript|notice|contract|description|essay|abstract|quote|speech|log|obituary|listing|flyer|diary|dialogue|paper|"
    r"novel|chapter|template|sample|example|profile|press release|blog|tweet|caption|monologue|verse|song|screenplay|testimonial|statement|sentence|recipe)s?\b[^.!?\n]*[:：]",
    re.I,
)
_DOCUMENT_ZH = re.compile(
    r"(?:下面|以下|这是|如下|转发|摘自|摘抄|原文|读到|看到|收到|网上|朋友圈|文章|书里|小说|作文|简历|启事|广告|邮件|信里|通知|日记|歌词|台词|稿子|文案|公告|留言|帖子|短信|合同|说明书|评论|报道|诗)[^。！？\n]*[:：]"
)
NARRATED = 500
"""Characters from which on words without a word of their speaker's are a text that somebody brought."""
_SELF = re.compile(r"\b(?:I|i|my|me|we|our|us)\b|我|咱")
_STORY_EN = re.compile(
    r"(?i)\b(?:the|this|that) (?:movie|film|book|novel|story|show|series|play)(?:'s| is| was) about\b|\b(?:movie|film|book|novel|story|show|series|play) (?:tells|told)\b|\b(?:movie|film|book|novel|story|show|series|play)\b[^.]*\bwhich (?:tells|told|is about)\b"
)
_STORY_ZH = re.compile(
    r"^[这那](?:部|个|本|篇)?(?:电影|影片|片子|小说|书|故事|剧|动画)[^，。]*(?:讲|说的是|是关于|描写)|^[^我]*讲述(?:了|的是)|(?:电影|影片|小说|书|故事|剧)(?:主要)?讲的是"
)
_TITLE = re.compile(
    r"《[^》\n]*》|[“「](?<=叫.|做.|为.)[^”」\n]*[”」]|"
    r"[“\"](?:(?<=called .)|(?<=titled .)|(?<=named .)|(?<=(?:book|film|song|like) .)|(?<=(?:movie|novel) .)|(?<=vorite is .)|(?<=vourite is .))[^”\"\n]{1,60}[”\"]"
)
"""What a thing is called, in marks."""
_QUOTED = re.compile(r"[“\"「『]([^”\"」』\n]{9,})[”\"」』]")


def starts_role(text: str) -> bool:
    return bool(_ROLE_EN.search(text.replace("’", "'")) or _ROLE_ZH.search(text))


def ends_role(text: str) -> bool:
    return bool(_ROLE_END.search(text))


def is_material(text: str, sentences: Sequence[Sentence]) -> bool:
    """The turn brings words to be worked on: an instruction with its text, a document with its lead."""
    if _DOCUMENT_EN.search(text) or _DOCUMENT_ZH.search(text):
        return True
    if len(text) > NARRATED and len(sentences) > 3 and not _SELF.search(text):
        return True
    for sentence in sentences:
        if sentence.chinese and re.search(words_zh.MATERIAL, sentence.text):
            return True
        if _works_on_words(sentence.text):
            return True
    return False


_ASKING = frozenset("please can could would will you now just help me ok i need want to and then kindly".split())


def _works_on_words(text: str) -> bool:
    said = [t.lower().replace("re-", "re") for t in english.tokens(english_bare(text)) if t[0].isalnum()]
    words = list(dropwhile(lambda word: word in _ASKING, said))
    if not words or words[0] not in MATERIAL or len(words) < 2:
        return False
    if words[0] in ("make", "put", "turn", "review"):
        return words[1] in ("this", "it", "these", "that", "the", "my", "a") and bool(
            re.search(
                r"\b(?:into|sound|read|shorter|longer|formal|punchier|haiku|poem|table|list|headline|caption|tweet|email|limerick|in(?:to)? \w+)\b",
                text,
                re.I,
            )
        )
    return words[0] != "correct" or words[1] in ("this", "the", "my", "it", "these")


def english_bare(text: str) -> str:
    return text[len(english.lead(text)) :]


def names_itself(clause: str, who: Speaker) -> bool:
    """A speaker who is already called so says their name: nothing that a statement about them would add."""
    found = re.match(
        r"(?i)(?:my name(?: is|'s)|i am called|i'm called|i'm|i am|call me) (.+)|我的?(?:名字)?[叫是](.+)", clause
    )
    return found is not None and (found[1] or found[2]).strip(" .!。！") in (who.english, who.chinese)


def tells_story(sentence: Sentence) -> bool:
    """From here on a film or a book is told, whose people and deeds are nobody's."""
    return (_STORY_ZH if sentence.chinese else _STORY_EN).search(sentence.text) is not None


def without_titles(text: str) -> str:
    """The text with what a thing is called (`a film called "…"`, 《…》) as one plain word, since it is said of nobody."""
    return _TITLE.sub("«题名»", text)


def mostly_quoted(text: str) -> bool:
    """A sentence in somebody's marks: its words are a quotation, not its speaker's."""
    text = without_titles(text)
    inside = sum(len(m[1]) for m in _QUOTED.finditer(text))
    return inside > 0 and inside * 2 > len(text)


def has_quotation(text: str) -> bool:
    """A quotation long enough to be a claim of its own."""
    text = without_titles(text)
    return any(len(m[1].split()) >= 4 or len(chinese.content(m[1])) >= 8 for m in _QUOTED.finditer(text))
