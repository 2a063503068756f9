"""Values as people type them: filters, observations, relations, targets, names of notes, JSON. Pure but for `@FILE`."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from memd.serve.params import Target

_TEST = re.compile(r"(?P<field>[^=<>~!]+)(?P<operator>>=|<=|=|>|<|~)(?P<value>.*)", re.DOTALL)
_OPERATORS = {">": "gt", ">=": "gte", "<": "lt", "<=": "lte", "~": "contains"}
_OBSERVATION = re.compile(
    r"(?:[-*] )?\[(?P<category>[^\[\]]+)\]\s+(?P<text>.+?)(?:\s+\((?P<context>[^()]*)\))?", re.DOTALL
)
_RELATION = re.compile(r"(?:[-*] )?(?P<type>.+?)\s+\[\[(?P<target>[^\[\]]+)\]\](?:\s+\((?P<context>[^()]*)\))?")
_ID = re.compile(r"[a-z]{2}-[a-z2-7]{10}(#.*)?|#?p-[0-9a-f]+")
_KINDS = {"ev": "evidence", "ep": "episode", "lf": "leaf"}


def where_of(tests: list[str]) -> dict[str, Any]:
    """`K=V` (twice: either), `K>V` and the like (several: all), `K~V` contains, `K` is there, `!K` is not."""
    where: dict[str, Any] = {}
    for test in tests:
        field, operator, value = _test(test)
        if operator == "=":
            before = where.get(field)
            where[field] = value if before is None else [*(before if isinstance(before, list) else [before]), value]
        else:
            before = where.get(field)
            where[field] = {**(before if isinstance(before, dict) else {}), operator: value}
    return where


def _test(text: str) -> tuple[str, str, Any]:
    if found := _TEST.fullmatch(text):
        operator = found["operator"]
        return found["field"].strip(), _OPERATORS.get(operator, operator), scalar(found["value"])
    name = text.strip()
    if not name.strip("!") or "=" in name:
        raise ValueError(f"--where {text!r}: write K=V, K>V, K>=V, K<V, K<=V, K~V or K")
    return (name[1:].strip(), "exists", False) if name.startswith("!") else (name, "exists", True)


def scalar(text: str) -> Any:
    """A number, true, false or null as such, text in double quotes without them, anything else as it is."""
    try:
        value = msgspec.json.decode(text.strip())
    except msgspec.DecodeError:
        return text.strip()
    return value if isinstance(value, str | int | float | bool | None) else text.strip()


def observation(text: str) -> dict[str, Any]:
    return _shorthand(text, _OBSERVATION, "--observation: write `[category] text (context)`")


def relation(text: str) -> dict[str, Any]:
    return _shorthand(text, _RELATION, "--relation: write `relation [[Target]]`")


def _shorthand(text: str, form: re.Pattern[str], otherwise: str) -> dict[str, Any]:
    if text.startswith("{"):
        return dict(json_value(text))
    if found := form.fullmatch(text.strip()):
        return {name: value for name, value in found.groupdict().items() if value}
    raise ValueError(otherwise)


def target(text: str) -> dict[str, str]:
    """`session:0402` as `{"session": "0402"}`. What an id of evidence, a turn, an episode or a leaf names needs no kind."""
    kind, _, id = text.partition(":")
    if kind in Target.__struct_fields__ and id:
        return {kind: id}
    if _ID.fullmatch(text) and text[:2] in _KINDS:
        return {"turn" if "#" in text else _KINDS[text[:2]]: text}
    raise ValueError(f"a target is KIND:ID, with KIND one of {', '.join(Target.__struct_fields__)}")


def file_name(text: str) -> dict[str, str]:
    """What names a note: a path if it ends in `.md`, an id if it looks like one, else a permalink or title."""
    if text.lower().endswith(".md"):
        return {"path": text}
    return {"id": text} if _ID.fullmatch(text) else {"permalink": text}


def json_value(text: str) -> Any:
    """JSON as typed, or of a file: `@FILE`."""
    try:
        if text.startswith("@"):
            with open(text[1:], "rb") as file:
                return msgspec.json.decode(file.read())
        return msgspec.json.decode(text)
    except OSError as error:
        raise ValueError(f"cannot read {text[1:]}: {error.strerror}") from error
    except msgspec.DecodeError as error:
        raise ValueError(f"not JSON: {error}") from error
