"""Who speaks: which turns are an assistant's, which are the owner's, and how a sentence names them. Knows names only."""

from __future__ import annotations

from collections.abc import Sequence

from memd.form.rules.facts import Speaker
from memd.model.fingerprint import fold
from memd.model.memory import Said

ASSISTANTS = frozenset(
    """assistant ai bot chatgpt claude gpt gemini copilot model agent 助手 ai助手 智能助手 机器人 助理 小助手 system tool
    ai assistant robot llm deepseek kimi 豆包 通义千问""".split()
) | {"ai assistant", "ai 助手"}
ASSISTANT_ROLES = frozenset({"assistant", "system", "tool", "ai", "model", "developer", "function"})
GENERIC = frozenset({"user", "the user", "human", "owner", "me", "i", "you", "用户", "我", "本人", "speaker"})


def is_assistant(turn: Said) -> bool:
    """A role that says so, or a speaker so called where no role is given."""
    return fold(turn.role) in ASSISTANT_ROLES or (not turn.role and fold(turn.speaker) in ASSISTANTS)


def speaker(turn: Said, turns: Sequence[Said], owner: str = "") -> Speaker:
    """How statements of this turn name who said it, and whom `you` means: the other one where there are two."""
    name = owner if owner and fold(turn.speaker) in GENERIC and fold(owner) not in GENERIC else turn.speaker
    generic = fold(name) in GENERIC
    others = {t.speaker for t in turns if t.speaker != turn.speaker}
    person = next(iter(others)) if len(others) == 1 and not any(map(is_assistant, turns)) else ""
    other = person if fold(person) not in GENERIC else "the user"
    return Speaker(
        holder="user" if generic else name,
        english="the user" if generic else name,
        chinese="用户" if generic else name,
        you_english=(other or "the assistant") if person else "the assistant",
        you_chinese=("用户" if other == "the user" else other) if person else "助手",
    )
