"""Which words are grades, health or money details, in English and Chinese: these are marked sensitive by rule.

Conservative: a subject alone (a course, a doctor, a price) is nothing; a detail of somebody's is. Knows words, never files.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_I = re.IGNORECASE
_AMOUNT = r"(?:[¥$€£]\s?\d[\d,.]*\s?(?:k|m|万|million)?\b|\d[\d,.]{0,20}\s?(?:k\b|万|元|块|人民币|美元|欧元|dollars|euros|pounds|yuan|rmb|usd|cny|eur|gbp)|[一二两三四五六七八九十百千]{1,8}[万千]\w?)"

_RULES: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("grades", ("gpa", "绩点"), r"(?:\bGPA\b|绩点)[^\n.。]{0,12}?\d\.\d|\d\.\d\d?\s*(?:的)?(?:GPA\b|绩点)"),
    (
        "grades",
        ("grade", "score", "mark", "exam", "got a", "got an"),
        r"\b(?:grades?|score|scored|marks)\b[^\n.。;]{0,24}?(?:\b(?:is|was|of|:|a|an)\s*|:\s*)(?:(?-i:[A-DF])[+-]?(?![\w.])|\d{2,3}(?:\.\d)?(?:\s?%|\s?/\s?\d{2,3}|\s?points?)?(?![\w]))"
        r"|\bscored\s+(?:an?\s+)?\d{2,3}(?:\.\d)?\b(?!\s*(?:goals?|points? (?:in|against)))"
        r"|\bgot\s+(?:an?\s+)?(?:(?-i:[A-DF])[+-]?|\d{2,3}(?:%|\s?/\s?\d{2,3})?)\s+(?:in|on|for)\s+(?:(?:my|the|his|her|their)\s*)?[\w ]{0,24}(?:exam|midterm|final|test|quiz|course|class|paper|essay)",
    ),
    (
        "grades",
        ("成绩", "分", "挂科", "不及格"),
        r"成绩[^\n。;；]{0,12}?(?:\d{2,3}(?:\.\d)?\s*分?|(?-i:[A-DF])[+-]?(?![\w]))|考了\s*\d{2,3}(?:\.\d)?\s*分?(?![\d年个天])|(?:期中|期末|考试|测验|六级|四级|托福|雅思|GRE)[^\n。;；]{0,8}?\d{2,3}(?:\.\d)?\s*分(?!钟)|挂科|(?:考试|期末|期中)[^\n。]{0,6}不及格",
    ),
    (
        "health",
        ("diagnos", "prescri", "blood", "hiv", "cancer", "depress", "antidepress", "insulin", "medication", "pregnan", "therap",
         "chemo", "biopsy", "surgery", "bipolar", "adhd", "mg", "cholesterol", "miscarr", "symptom", "asthma", "diabet"),
        r"\b(?:diagnosed (?:with|as)|diagnosis (?:is|was|of|:)|prescribed (?!fire|burn|reading|text)\w+|blood (?:pressure|sugar|glucose|type)\b[^\n.]{0,16}?(?:\d|\b(?:A|B|AB|O)[+-])|(?:tested|HIV)[ -]positive|chemotherapy|biopsy|miscarr(?:y|ied|iage))"
        r"|\b(?:I|he|she|they|(?:my|his|her|their) \w+)(?:'m| am| is| are| have| has| had|'ve|'s got| suffers? from| takes?| take| am on| is on|'m on)\s+(?:been\s+)?(?:a |an |on |taking )?(?:clinical |severe |chronic |type [12] )?(?:depression|depressed and medicated|cancer|diabet\w+|asthma|epilepsy|hiv|bipolar(?: disorder)?|adhd|insulin|antidepressants?|sertraline|fluoxetine|metformin|hypertension|pregnant)\b"
        r"|\d\s?mg\b[^\n.]{0,24}\b(?:daily|a day|twice|every|at night|morning|pill|tablet)|\b(?:takes?|taking|on)\s+\w+\s+\d+\s?mg\b|\bcholesterol\b[^\n.]{0,12}\d",
    ),
    (
        "health",
        ("确诊", "诊断", "病", "血压", "血糖", "处方", "服药", "吃药", "抑郁", "怀孕", "手术", "过敏", "体检", "化疗", "症", "炎", "癌", "药", "血型", "流产"),
        r"确诊|(?:被)?诊断(?:为|出|是|结果)|(?:血压|血糖|血脂|尿酸|胆固醇|心率)[^\n。;；]{0,8}?\d|血型[^\n。]{0,3}[ABO]|(?:得了|患有?|患上|查出)[^\n。;；,，]{1,12}(?:病|症|炎|癌|瘤)|处方药?[^\n。]{0,6}(?:开|吃|:|：)|(?:每天|每日|长期|正在)[^\n。]{0,4}(?:服药|吃药|服用)|(?:抑郁|焦虑|双相)(?:症|障碍)|化疗|流产|怀孕\d|HIV\s*阳性|体检[^\n。]{0,8}(?:异常|偏高|阳性|结节)|\d\s*(?:mg|毫克)[^\n。]{0,8}(?:每天|一天|一日|早晚)",
    ),
    (
        "money",
        ("salary", "wage", "income", "earn", "debt", "loan", "mortgage", "balance", "savings", "net worth", "owe", "pay", "rent", "bonus", "paid"),
        r"\b(?:salary|wages?|income|debt|loan|mortgage|bank balance|account balance|savings|net worth|bonus|pay(?:check|cheque|slip))\b[^\n.。;]{0,30}?" + _AMOUNT
        + r"|" + _AMOUNT + r"\s+(?:in|of|on (?:my|his|her|the))\s+(?:my |his |her |their )?(?:debt|savings|salary|loan|credit card|bank account|mortgage)"
        r"|\b(?:I|he|she|they|we)\s+(?:earns?|makes?|owes?)\s+(?:\w+\s+){0,3}" + _AMOUNT,
    ),
    (
        "money",
        ("工资", "薪", "收入", "存款", "余额", "欠", "贷款", "房贷", "债", "奖金", "账户", "公积金", "社保"),
        r"(?:工资|月薪|年薪|薪水|薪资|税后|收入|存款|余额|欠款?|贷款|房贷|月供|负债|债务|年终奖|奖金|公积金)[^\n。;；]{0,10}?(?:" + _AMOUNT + r"|\d{4,})",
    ),
)  # fmt: skip
_TABLE = tuple((kind, hints, re.compile(pattern, _I)) for kind, hints, pattern in _RULES)

CATEGORIES = frozenset(
    "grade grades score health medical diagnosis medication salary income finance debt 成绩 分数 绩点 健康 病历 用药 工资 收入 财务 债务".split()
)
"""Observation categories that are such a detail, whatever the words are."""


def mark(texts: Iterable[str]) -> str:
    """`grades`, `health` or `money` for the first detail found in the texts, else ""."""
    for text in texts:
        low = text.lower()
        for kind, hints, pattern in _TABLE:
            if any(hint in low for hint in hints) and pattern.search(text):
                return kind
    return ""


def sensitivity(texts: Iterable[str], given: str = "", categories: Iterable[str] = ()) -> str:
    """`sensitive` or `normal`. What a caller marks sensitive stays so; a detail makes it so whatever the caller says."""
    if given == "sensitive" or any(category.strip().lower() in CATEGORIES for category in categories):
        return "sensitive"
    return "sensitive" if mark(texts) else "normal"
