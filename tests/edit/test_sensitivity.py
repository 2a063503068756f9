"""Words that are marked sensitive by rule."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.edit.sensitivity import mark, sensitivity

DATA = Path(os.environ.get("MEMD_DATA", Path(__file__).parents[3] / "shared" / "data"))

DETAILS = {
    "grades": [
        "线性代数期末考了 92 分", "数据结构成绩：91", "GPA 3.87", "本学期绩点 3.7", "托福 108 分", "exam grade: B+",
        "My final grade in linear algebra was 91", "I got an A- in the operating systems course", "I scored 95 on the midterm",
    ],
    "health": [
        "被诊断为抑郁症", "血压 140/90", "医生确诊是肺炎", "体检发现甲状腺结节，查出结节病", "She was diagnosed with asthma",
        "my blood pressure is 150 over 95", "I take sertraline 50 mg every morning", "he is on insulin",
    ],
    "money": [
        "月薪两万五", "工资 15000", "房贷每月 8600 元", "存款还有 30 万", "My salary is $95,000", "I owe 12,000 dollars on my credit card",
    ],
}  # fmt: skip
ORDINARY = """期中闭卷，考到 AVL 删除
大作业 12 月第 2 周截止
考试在 12 月 3 日
骑了 30 分钟
票价 80 元
他是医生，药店在楼下
周三上 3 小时摄影课
公司年收入增长
he went to the doctor
the exam is on Friday at 10
A grade school teacher
book costs $20
the movie scored 8.5 on IMDb
pay rent on the 3rd
I feel depressed by the weather
the team scored 12 goals
a loan from the library
as a mark of their friendship""".split("\n")


@pytest.mark.parametrize(("kind", "text"), [(kind, text) for kind, texts in DETAILS.items() for text in texts])
def test_a_detail_is_marked_by_its_kind(kind: str, text: str) -> None:
    """Grades, health and money, in Chinese and in English."""
    assert mark([text]) == kind


@pytest.mark.parametrize("text", ORDINARY)
def test_a_subject_without_a_detail_is_ordinary(text: str) -> None:
    """A course, a doctor, a price are nothing to hide."""
    assert mark([text]) == ""


def test_a_category_that_names_a_detail_is_enough_and_the_callers_mark_stays() -> None:
    """`[health]` whatever the words; `normal` from a caller does not undo a rule."""
    assert sensitivity(["was out"], "", ["Health"]) == "sensitive"
    assert sensitivity(["a book"], "sensitive") == "sensitive"
    assert sensitivity(["GPA 3.87"], "normal") == "sensitive"
    assert sensitivity(["a book"]) == "normal"


def _said(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield from value.split("\n")
    elif isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _said(each)


@pytest.mark.slow
def test_ordinary_dialogues_are_hardly_ever_marked(capsys: pytest.CaptureFixture[str]) -> None:
    """Fewer than one line in two hundred of the dialogues in MEMD_DATA."""
    if not DATA.is_dir():
        pytest.skip(f"no data at {DATA}: set MEMD_DATA")
    lines = [line for path in DATA.rglob("*.json") for line in _said(json.loads(path.read_text())) if line.strip()]
    marked = sum(1 for line in lines if mark([line]))
    with capsys.disabled():
        print(f"\nsensitivity: {marked} of {len(lines)} ordinary lines marked ({100 * marked / len(lines):.3f} %)")
    assert marked < 0.005 * len(lines)
