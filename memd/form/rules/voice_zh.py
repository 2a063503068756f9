"""A Chinese clause told of its speaker: `我在整理老唱片` becomes `用户在整理老唱片`. Never adds or drops what was said."""

from __future__ import annotations

import re

from memd.form.rules import words_zh as w
from memd.form.rules.facts import Speaker, Subject


def tell(clause: str, speaker: Speaker, subject: Subject, pronouns: dict[str, str] | None = None) -> str:
    """The clause as a sentence of its own; a subject that was left out is put in front."""
    me = speaker.chinese
    text = clause.strip(" ，,；;")
    for pronoun, meant in (pronouns or {}).items():
        text = re.sub(rf"^((?:{w.TIME})*){pronoun}", rf"\g<1>{re.escape(meant)}", text, count=1)
    text = re.sub(rf"(?:我们|咱们?) ?的?({w.GROUPS})", lambda m: f"{me}家" if m[1] == "家" else f"{me}的{m[1]}", text)
    text = re.sub(r"(?:我们|咱们?)的", f"{me}等人的", text)
    text = re.sub(r"我们|咱们|咱", f"{me}等人", text)
    text = re.sub(
        rf"(?:我|本人)(?=(?:双胞胎|亲|大|小|二|三|前|高中|大学|初中|小学|公司|隔壁)?(?:{w.KIN}))(?!家)", f"{me}的", text
    )
    text = re.sub(
        rf"的([{''.join(w.LONG_KIN)}])(?![{''.join(w.LONG_KIN)}夫子家])",
        lambda m: "的" + w.LONG_KIN[m[1]],
        text,
    )
    text = re.sub(r"(?<!(?<!来)自)我(?!国|行我素)|本人|俺", me, text)
    text = re.sub(r"[你您]们?", speaker.you_chinese, text)
    if subject.name == "elided":
        text = me + text
    elif (
        subject.kind == "person"
        and not subject.mine
        and re.match(rf"(?:{w.KIN})", subject.name)
        and text.find(subject.name) >= 0
    ):
        at = text.find(subject.name)
        if not text[:at].endswith("的"):
            text = f"{text[:at]}{me}的{text[at:]}"
    text = text.replace("的的", "的")
    return text if text.endswith(("。", "！", "？", "…", ".", "!", "?")) else text + "。"
