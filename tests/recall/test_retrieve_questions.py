"""Fifty questions to one memory, in both languages: what each is understood to want, what is told, and what is said to be lacking.

The memory is a few months of one person's talk, formed; the day of asking is Monday, 30 November 2026.
"""

from __future__ import annotations

from functools import cache
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from memd.recall.retrieve import retrieve
from memd.serve import params as p
from tests.fakes.driver import Driver, atom, owned
from tests.fakes.retrieval import Asker

SAID = (
    ("2026-01-15", "Priya Nair is my landlord, she lives upstairs.", "Priya Nair is the user's landlord and lives upstairs", "Priya Nair", "role", "state"),
    ("2026-01-16", "老周是给我修车的师傅，铺子在东门。", "老周是给用户修车的师傅，铺子在东门", "老周", "身份", "state"),
    ("2026-02-11", "I prefer oolong tea, coffee keeps me awake.", "The user prefers oolong tea to coffee", "user", "drinks", "state"),
    ("2026-02-12", "我不吃香菜，爱吃酸菜鱼。", "用户不吃香菜，爱吃酸菜鱼", "用户", "口味", "state"),
    ("2026-02-20", "Ana works as a nurse at St Olaf hospital.", "Ana works as a nurse at St Olaf hospital", "Ana", "job", "state"),
    ("2026-03-03", "我们家的宽带是蓝鲸公司的。", "宽带是蓝鲸公司的", "宽带", "运营商", "state"),
    ("2026-03-10", "Ana adopted a dog called Biscuit from the shelter.", "Ana adopted a dog called Biscuit", "Ana", "dog", "event"),
    ("2026-04-02", "My pottery class is on Tuesday evenings at Fernhill studio.", "The pottery class is on Tuesday evenings at Fernhill studio", "pottery class", "day", "state"),
    ("2026-04-05", "小林每周三在青禾图书馆学摄影。", "小林每周三在青禾图书馆学摄影", "小林", "摄影学习地点", "state"),
    ("2026-05-20", "The pottery class moved to Thursday evenings.", "The pottery class is on Thursday evenings", "pottery class", "day", "state"),
    ("2026-06-09", "青禾图书馆闭馆了，小林学摄影改到松桥活动室。", "小林学摄影改到松桥活动室", "小林", "摄影学习地点", "state"),
    ("2026-07-07", "宽带换成星海公司了，因为蓝鲸太慢。", "宽带换成了星海公司", "宽带", "运营商", "state"),
    ("2026-08-08", "The greenhouse sensor reads 4 degrees too high.", "The greenhouse sensor reads 4 degrees too high", "greenhouse", "sensor", "state"),
    ("2026-09-02", "The harbour novel is due to the editor on 15 January.", "The harbour novel is due to the editor on 15 January 2027", "harbour novel", "deadline", "plan"),
    ("2026-09-10", "女儿小满今年上三年级，喜欢下围棋。", "小满上三年级，喜欢下围棋", "小满", "近况", "state"),
    ("2026-10-14", "我在松桥活动室学会了冲洗黑白胶卷。", "用户学会了冲洗黑白胶卷", "用户", "胶卷冲洗", "event"),
    ("2026-11-03", "I plan to visit Kyoto in April 2027 with Ana.", "The user plans to visit Kyoto in April 2027 with Ana", "user", "Kyoto trip", "plan"),
    ("2026-11-05", "我打算明年春天报名半程马拉松。", "用户打算明年春天报名半程马拉松", "用户", "马拉松计划", "plan"),
    ("2026-11-27", "The boiler was repaired last Wednesday, Priya paid.", "The boiler was repaired and Priya paid", "boiler", "repair", "event"),
    ("2026-11-30", "I finished the first chapter of the harbour novel today.", "The user finished the first chapter of the harbour novel", "harbour novel", "progress", "event"),
    ("2026-11-30", "今天阳台的柠檬树开花了。", "阳台的柠檬树开花了", "柠檬树", "状态", "event"),
)  # fmt: skip
"""When it was said, the words, and the leaf that was made of them: text, subject, aspect, kind."""

NOTES = {
    "knowledge/kiln.md": "# Restarting the kiln\n\nHow to restart the kiln:\n\n1. Switch off the breaker\n2. Hold the green button\n\n"
    "- [constraint] The kiln must stay below 1200 degrees\n- [question] Who pays for the new kiln thermostat?\n",
    "knowledge/打印机.md": "# 打印机卡纸怎么办\n\n步骤：\n\n1. 关掉电源\n2. 抽出卡住的纸\n",
}
OLD, NEW = "Tuesday evenings", "Thursday evenings"


@cache
def memory() -> tuple[Driver, Any, Any]:
    driver = Driver(owned("林晚"))
    slots: dict[tuple[str, str], str] = {}
    for number, (day, words, text, subject, aspect, kind) in enumerate(SAID):
        earlier = slots.get((subject, aspect), "")
        made = atom(text, subject, aspect, kind, supersedes=earlier)
        [outcome] = driver.take(f"s{number:02}", words, made, at=f"{day}T10:00:00+08:00")
        slots[subject, aspect] = outcome.id
    for path, text in NOTES.items():
        driver.put(path, text)
    folder = TemporaryDirectory()
    return driver, *Asker(folder.name, driver)._index()


def ask(query: str) -> dict[str, Any]:
    driver, index, bodies = memory()
    return retrieve(driver.vault, index, bodies, p.Retrieve(query=query, explain=True), driver.now)


def told(answer: dict[str, Any]) -> list[str]:
    return [fact["text"] for fact in answer["retrieval_pack"]["known_facts"]]


@pytest.mark.parametrize(
    ("query", "intent", "fact"),
    [
        ("What do you know about the harbour novel?", "briefing", "first chapter"),
        ("Give me a briefing on Ana", "briefing", "nurse"),
        ("Catch me up on the pottery class", "briefing", NEW),
        ("总结一下宽带的情况", "briefing", "星海"),
        ("介绍一下小满的近况", "briefing", "围棋"),
        ("What changed about the pottery class?", "what_changed", NEW),
        ("宽带有什么变化", "what_changed", "星海"),
        ("小林原来在哪里学摄影", "what_changed", "松桥"),
        ("When did Ana adopt the dog?", "temporal", "Biscuit"),
        ("When is the harbour novel due?", "temporal", "15 January"),
        ("小林什么时候改到松桥活动室", "temporal", "松桥"),
        ("马拉松什么时候报名", "temporal", "马拉松"),
        ("宽带是哪天换的", "temporal", "星海"),
        ("Which day is the pottery class?", "temporal", NEW),
        ("What do I prefer to drink?", "preference", "oolong"),
        ("Does the user like coffee?", "preference", "oolong"),
        ("我喜欢吃什么", "preference", "酸菜鱼"),
        ("小满喜欢什么", "preference", "围棋"),
        ("Who is Priya Nair?", "identity", "landlord"),
        ("What is Ana's job?", "identity", "nurse"),
        ("老周是谁", "identity", "修车"),
        ("Who is Biscuit?", "identity", "dog"),
        ("What am I planning for April?", "planning", "Kyoto"),
        ("What are the next steps for the harbour novel?", "planning", "15 January"),
        ("我接下来有什么打算", "planning", "马拉松"),
        ("明年的计划是什么", "planning", "马拉松"),
        ("What deadlines do I have?", "planning", "15 January"),
        ("How do I restart the kiln?", "procedure", "Switch off the breaker"),
        ("What are the steps for the kiln?", "procedure", "Switch off the breaker"),
        ("打印机卡纸怎么办", "procedure", "关掉电源"),
        ("怎么冲洗胶卷", "procedure", "胶卷"),
        ("小林现在在哪里学摄影", "fact", "松桥"),
        ("What is wrong with the greenhouse sensor?", "fact", "4 degrees"),
        ("现在的宽带是哪家的", "fact", "星海"),
        ("What did I say about Kyoto?", "fact", "Kyoto"),
    ],
)
def test_what_is_asked_is_told_first(query: str, intent: str, fact: str) -> None:
    """The intent is named, the fact is told, and no word of the asking itself is called unknown."""
    answer = ask(query)
    assert answer["intent"] == intent
    assert any(fact in text for text in told(answer)[:2])
    assert not any("mentions" in gap["reason"] or "提到" in gap["reason"] for gap in answer["gaps"])


@pytest.mark.parametrize(
    ("query", "days", "there", "absent"),
    [
        ("What is new this week?", "2026-11-30/2026-12-06", ("first chapter", "柠檬树"), ("boiler", OLD)),
        ("这周有什么新鲜事", "2026-11-30/2026-12-06", ("first chapter", "柠檬树"), ("boiler",)),
        ("What happened last week?", "2026-11-23/2026-11-29", ("boiler",), ("chapter", "马拉松")),
        ("上个月我学到了什么", "2026-10-01/2026-10-31", ("胶卷",), ("马拉松",)),
        ("What changed on 2026-05-20?", "2026-05-20/2026-05-20", (NEW,), ("松桥",)),
        ("what did we talk about on 2026-11-27", "2026-11-27/2026-11-27", ("boiler",), ("chapter",)),
        ("三月份发生了什么", "2026-03-01/2026-03-31", ("Biscuit",), (NEW, "酸菜鱼")),
        ("宽带从六月以来有什么变化", "2026-06-01/2026-11-30", ("星海",), ()),
    ],
)
def test_a_period_is_told_whole(query: str, days: str, there: tuple[str, ...], absent: tuple[str, ...]) -> None:
    """A question that names days and no matter is answered with all that was said in them, and nothing else."""
    answer = ask(query)
    assert answer["why"]["days"] == days
    text = "\n".join((*told(answer), *(turn["quote"] for turn in answer["evidence"])))
    assert all(words in text for words in there)
    assert not any(words in text for words in absent)
    assert answer["retrieval_pack"]["recommended_next_step"]["type"] != "ask_user"


@pytest.mark.parametrize(
    ("query", "gap"),
    [
        ("Who is Dr Okafor?", "nothing is remembered about this"),
        ("Where is the ferry timetable?", "nothing is remembered about this"),
        ("How do I bleed the radiator?", "nothing is remembered about this"),
        ("What are my favourite colours?", "nothing is remembered about this"),
        ("Did we ever talk about quantum gravity?", "nothing is remembered about this"),
        ("我的护照号码是多少", "记忆里没有与此有关的内容"),
        ("昨天我们聊了什么", "记忆里没有与此有关的内容 昨天"),
        ("周末有什么安排", "记忆里没有与此有关的内容 周末"),
    ],
)
def test_where_nothing_is_there_nothing_is_told(query: str, gap: str) -> None:
    """No fact that shares no more than "the" or 有 with the question: a gap that says so, and the user is to be asked."""
    answer = ask(query)
    assert told(answer) == answer["leaves"] == answer["evidence"] == answer["retrieval_pack"]["history"] == []
    assert [each["reason"] for each in answer["gaps"]] == [gap]
    assert answer["retrieval_pack"]["recommended_next_step"]["type"] == "ask_user"


@pytest.mark.parametrize(
    ("query", "past"),
    [
        ("Which day was the pottery class originally?", OLD),
        ("What changed on 2026-05-20?", OLD),
        ("小林原来在哪里学摄影", "青禾"),
        ("宽带有什么变化", "蓝鲸公司的"),
    ],
)
def test_what_was_superseded_is_history(query: str, past: str) -> None:
    """An earlier value is told as history, also where it is older than the day that the question names, and never as a fact."""
    pack = ask(query)["retrieval_pack"]
    assert [past in fact["text"] for fact in pack["history"]] == [True]
    assert not any(past in fact["text"] for fact in pack["known_facts"])


@pytest.mark.parametrize(
    ("query", "gaps"),
    [
        ("小林现在在哪里学摄影", ["2026-06-09 之后没有相关记录"]),
        ("Is the boiler leaking now?", ["nothing found mentions leaking"]),
        ("What changed in the kiln room since May?", ["nothing found mentions room", "nothing about it was said in 2026-05-01 – 2026-11-30"]),
        ("老周的电话号码", ["没有找到提到“电话号码”的内容"]),
    ],
)  # fmt: skip
def test_what_is_lacking_is_named(query: str, gaps: list[str]) -> None:
    """A word of the matter of which nothing speaks, a period in which nothing was said, a latest word that is old."""
    assert [gap["reason"] for gap in ask(query)["gaps"]] == gaps


def test_a_notes_own_marks_come_with_it() -> None:
    """Constraints and questions of a note on the matter stand in fields of their own, and the note is the source."""
    pack = ask("How do I restart the kiln?")["retrieval_pack"]
    assert [item["text"] for item in pack["constraints"]] == ["The kiln must stay below 1200 degrees"]
    assert [item["text"] for item in pack["open_questions"]] == ["Who pays for the new kiln thermostat?"]
    assert pack["recommended_next_source"] == "knowledge/kiln.md"


def test_every_score_is_the_sum_of_its_parts() -> None:
    """With `explain` each turn, leaf and summary says what its place is made of."""
    for query in ("What do I prefer to drink?", "小林现在在哪里学摄影", "What is new this week?"):
        answer = ask(query)
        for each in (*answer["evidence"], *answer["leaves"], *answer["summaries"]):
            assert each["score"] == pytest.approx(sum(each["why"].values()), abs=0.001)
