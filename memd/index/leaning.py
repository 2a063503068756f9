"""How a model leans towards the language of a question, and how that is made good. Pure; knows two scripts and no model.

A small multilingual model puts languages in places of their own: among notes of both, an English question finds its
Chinese answer in the first five 40 times in 100, a Chinese one its English answer 5 times. So passages of the other
script are searched with the question less what all questions of its language have in common (the mean of `QUESTIONS`),
and each script's scores are counted from its own level. Measured on tests/data/crosslingual (80 questions, 500 notes, no word
in common; vectors alone, top 5, en→zh / zh→en): as it is .40/.05, scores levelled a language .82/.90, question less .9 of
the mean and levelled .975/.975. Within one script nothing changes: LoCoMo and CMRC keep their figures.
`SHARE`, `BEHIND` and the way of levelling were chosen on these same 80 questions; 40 others that were held out find 1.0/.95
(with words .95/.95).
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from operator import itemgetter
from typing import TypeVar

T = TypeVar("T")
Placed = tuple[T, float, bool]
"""What was found, its score, and whether it is in the other script."""

HAN, LATIN = "han", "latin"

SHARE = 0.9
"""Of the mean question that is taken away. .8 .95/.975 (top 5), .9 .975/.975, 1.0 1.0/.975."""

LEVEL = 50
"""Best scores of a script whose mean and spread are its level; the search fetches at least so many."""

BEHIND = 0.5
"""Spreads by which the other script stands back. LoCoMo dialogues, CMRC passages and the 500 notes in one index, half text
(a BM25 of our own) and half vectors, R@1/5/10 of LoCoMo and top 5 en→zh / zh→en (with fuse.FOREIGN .7): 0 .316/.609/.710 .90/.90, .5 .325/.623/.722
.90/.90; 1 loses the answers across first."""

_HAN = re.compile("[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_WORD = re.compile(r"[^\W\d_\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")

QUESTIONS = {
    HAN: (
        "会议什么时候开？", "女儿喜欢做什么？", "打印机出了什么问题？", "医生怎么说？", "用户觉得新版本怎么样？",
        "番茄炒蛋怎么做？", "他以前在哪个城市工作？", "露营要带什么东西？", "这本书讲了什么？", "服务器的配置是什么？",
        "谁不能吃辣？", "多久上一次课？", "发票要在多长时间内报销？", "为什么要开加湿器？", "我什么时候工作效率最高？",
        "小狗会做哪些动作？", "比赛为什么推迟？", "新的银行卡要等几天？", "每天要背多少单词？", "这座桥是哪一年建成的？",
        "墙刷成了什么颜色？", "我们为什么重写页面？", "火车晚点了多久？", "今年的价格怎么样？",
    ),
    LATIN: (
        "When does the meeting take place?", "What does my daughter like to do?", "What is wrong with the printer?",
        "What did the doctor say?", "How do users like the new version?", "How do you cook eggs with tomatoes?",
        "In which city did he work before?", "What do we have to bring for camping?", "What is the book about?",
        "How is the server configured?", "Who cannot eat spicy food?", "How often are the lessons?",
        "By when must receipts be handed in?", "Why should a humidifier be used?", "When do I work best?",
        "What tricks can the puppy do?", "Why was the match postponed?", "How many days does the new bank card take?",
        "How many words should be learned each day?", "In which year was the bridge built?", "What colour are the walls?",
        "Why did we rewrite the pages?", "How late was the train?", "How are the prices this year?",
    ),
}  # fmt: skip
"""Questions about anything: what is common to them is the language and the asking."""


def script(text: str) -> str:
    """`han` where at least half of the words are in Chinese characters or kana (a character counts as a word)."""
    han = len(_HAN.findall(text))
    return HAN if han and han >= len(_WORD.findall(text)) else LATIN


def other(script: str) -> str:
    return LATIN if script == HAN else HAN


def mean(vectors: Sequence[Sequence[float] | None]) -> tuple[float, ...]:
    """The mean of those that there are; empty for none."""
    there = [vector for vector in vectors if vector is not None]
    return tuple(sum(column) / len(there) for column in zip(*there, strict=True)) if there else ()


def without(vector: Sequence[float], common: Sequence[float]) -> tuple[float, ...]:
    """The question less `SHARE` of what is common, made one long again; as it was where nothing would be left."""
    if not common:
        return tuple(vector)
    left = [x - SHARE * y for x, y in zip(vector, common, strict=True)]
    length = math.sqrt(sum(x * x for x in left))
    return tuple(x / length for x in left) if length > 1e-6 else tuple(vector)


def merge(own: Sequence[tuple[T, float]], foreign: Sequence[tuple[T, float]]) -> list[Placed[T]]:
    """What was found in both scripts, best first. The other script's hits are told as cosines of the question's own: as far
    from that level, in spreads, as they are from theirs; the own ones are what they are without them."""
    theirs, wide = _level(foreign)
    level, spread = _level(own or foreign)
    found = [(one, score, False) for one, score in own]
    found += [(one, level + spread * ((score - theirs) / wide - BEHIND), True) for one, score in foreign]
    return sorted(found, key=itemgetter(1), reverse=True)


def _level(found: Sequence[tuple[T, float]]) -> tuple[float, float]:
    """Mean and spread of the best scores."""
    scores = [score for _, score in found[:LEVEL]]
    if not scores:
        return 0.0, 1.0
    middle = sum(scores) / len(scores)
    return middle, max(math.sqrt(sum((x - middle) ** 2 for x in scores) / len(scores)), 1e-3)
