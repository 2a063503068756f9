"""A plan as a unified diff: what `--dry-run` shows. Knows bytes and lines. Never knows whether the plan will be done."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from difflib import unified_diff

from memd.edit.splice import read
from memd.model.plan import Move, Plan, Remove, Write

BytesOf = Callable[[str], bytes | None]


def unified(plan: Plan, bytes_of: BytesOf) -> str:
    """The steps in order, later ones seen on what earlier ones leave; "" for a plan that changes nothing."""
    now: dict[str, bytes | None] = {}

    def before(path: str) -> bytes | None:
        return now[path] if path in now else bytes_of(path)

    parts: list[str] = []
    for step in plan.steps:
        if isinstance(step, Move):
            parts.append(f"rename from {step.path}\nrename to {step.to}\n")
            now[step.to], now[step.path] = before(step.path), None
        else:
            after = step.content if isinstance(step, Write) else None
            parts.extend(_changed(step, before(step.path), after))
            now[step.path] = after
    return "".join(parts)


def _changed(step: Write | Remove, before: bytes | None, after: bytes | None) -> Iterator[str]:
    old = "/dev/null" if before is None else f"a/{step.path}"
    new = "/dev/null" if after is None else f"b/{step.path}"
    for line in unified_diff(_lines(before), _lines(after), old, new):
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _lines(data: bytes | None) -> list[str]:
    """Lines with their ends; bytes that are no text are shown as escapes, so that the diff is always text."""
    if not data:
        return []
    text = read(data).text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    lines = text.split("\n")
    return [f"{line}\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
