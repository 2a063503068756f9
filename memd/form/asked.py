"""What the first steps ask a model: turns as it sees them, the question keyed by its content. Never knows an answer."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from memd.form.rules import METHOD
from memd.form.rules.speakers import is_assistant
from memd.model.config import Config
from memd.model.fingerprint import fingerprint
from memd.model.memory import Said
from memd.model.note import Note
from memd.model.question import Judge


def shown(turns: Sequence[Said], limit: int = 600) -> list[dict[str, Any]]:
    """Turns as a model sees them."""
    return [
        {
            "n": n,
            "speaker": t.speaker,
            "role": t.role or ("assistant" if is_assistant(t) else ""),
            "said_at": t.at,
            "text": t.text[:limit],
        }
        for n, t in enumerate(turns)
    ]


def focus_of(notes: Sequence[Note]) -> str:
    """What the caller said that it cares for, "" for nothing."""
    return str(next((n.frontmatter["focus"] for n in notes if n.frontmatter.get("focus")), ""))


def method_of(config: Config) -> str:
    """The wanted method, as files sign it."""
    return f"llm:{config.llm.model}" if config.formation.method == "llm" else METHOD


def judge(task: str, inputs: dict[str, Any]) -> Judge:
    """The question for a task, keyed by what is asked."""
    return Judge(task, inputs, fingerprint(task, json.dumps(inputs, ensure_ascii=False, sort_keys=True)))
