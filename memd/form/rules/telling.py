"""A clause told of its speaker, in its own language. Knows the two voices and nothing else."""

from __future__ import annotations

import re

from memd.form.rules import voice_en, voice_zh
from memd.form.rules.facts import Speaker, Subject


def told(clause: str, is_zh: bool, subject: Subject, who: Speaker, pronouns: dict[str, str]) -> str:
    """A sentence of its own; a subject that was left out is the speaker."""
    if is_zh:
        return voice_zh.tell(clause, who, subject, pronouns)
    if subject.name == "elided":
        clause = f"{_left_out(clause)} {clause[:1].lower()}{clause[1:]}"
    return voice_en.tell(clause, who, pronouns)


def _left_out(clause: str) -> str:
    """What the speaker would have said before the clause, had they said `I`."""
    if re.match(r"(?i)(?:(?:\w+ly|just|still|also|always|already|now) )?\w+ing\b", clause):
        return "I'm"
    return "I've" if re.match(r"(?i)(?:\w+ )?been\b", clause) else "I"
