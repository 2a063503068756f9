"""The files memd writes, from keys and a body. The same keys and body give the same bytes, on any device.

Knows which strings YAML would read otherwise; what it writes, `frontmatter.load` reads back unchanged. Dates and times
stay bare, wikilinks are quoted, lists and mappings stand on one line, a list of mappings has one line each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from memd.parse.scalar import plain

_BARE = re.compile(r"[^\W_](?:[\w .,;()/+&=~!%@$^…—·，。、（）'*-]|:(?=[^\s])|(?<=\S)#(?=\w))*", re.U)
_BARE_INSIDE = re.compile(r"[^\W_](?:[\w ./+;()~@$%&=，。、·—-]|:(?=\w))*", re.U)
_DATE = re.compile(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?", re.A)
_OTHERWISE = re.compile(
    r"(?:[-+]?[\d_,]*\.?[\d_]*(?:[eE][-+]?\d+)?|[-+]?0[xob][\da-fA-F_]+|[-+]?\d+(?::\d+)+(?:\.\d*)?"
    r"|y|n|yes|no|on|off|true|false|null|\.inf|\.nan|\d{4}-\d\d?-\d\d?.*)",
    re.I | re.A,
)
"""What some YAML reader takes for a number, a time, a truth value or nothing."""
_ESCAPED = re.compile('[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffe\uffff"\\\\]')
_SHORT = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "\r": "\\r"}


def frontmatter(keys: Mapping[str, Any]) -> str:
    """The block with its fences, a line a key in the order given. Values are JSON values; None is an empty value."""
    lines = [f"{_key(key)}:{_block(value)}\n" for key, value in keys.items()]
    return "".join(("---\n", *lines, "---\n"))


def file(keys: Mapping[str, Any], body: str) -> bytes:
    """The whole file, UTF-8 with line feeds; a body ends with a line end."""
    if body and not body.endswith("\n"):
        body += "\n"
    return (frontmatter(keys) + body).encode("utf-8", "replace")


def value(given: Any) -> str:
    """A JSON value as YAML on one line, as it stands behind a key: for splices into a header."""
    return _flow(given, inside=False)


def _block(given: Any) -> str:
    if given is None:
        return ""
    if isinstance(given, (list, tuple)) and any(isinstance(one, (Mapping, list, tuple)) for one in given):
        return "".join(f"\n  - {_flow(one, inside=True)}" for one in given)
    return " " + _flow(given, inside=False)


def _flow(given: Any, inside: bool) -> str:
    if isinstance(given, str):
        return _text(given, inside)
    if isinstance(given, Mapping):
        return "{" + ", ".join(f"{_key(key)}: {_flow(one, True)}" for key, one in given.items()) + "}"
    if isinstance(given, (list, tuple)):
        inner = ", ".join(_flow(one, True) for one in given)
        return f"[ {inner} ]" if inner.startswith("[") else f"[{inner}]"  # `[[` is how people write a link
    return json.dumps(given)


def _key(key: str) -> str:
    return _text(key, inside=True)


def _text(text: str, inside: bool) -> str:
    """A string bare where every reader takes it for that string, else in double quotes."""
    bare = _BARE_INSIDE if inside else _BARE
    if _is_date(text) or (
        bare.fullmatch(text)
        and text[-1] not in " :"
        and len(text) < 400
        and isinstance(plain(text), str)
        and not _OTHERWISE.fullmatch(text)
    ):
        return text
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _is_date(text: str) -> bool:
    """A date or time that exists, in the form that YAML and Obsidian know."""
    if not _DATE.fullmatch(text):
        return False
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _escape(found: re.Match[str]) -> str:
    sign = found.group()
    return _SHORT.get(sign) or f"\\u{ord(sign):04x}"
