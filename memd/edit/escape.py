"""Any words as the text of one observation, and back: what reading would take for structure is escaped as markdown does.

`\\#word` is no tag, `\\(` opens no context, `\\^id` is no block id; the page shows the words as they were given. Knows the
grammar of observations through the parser alone. Never knows the note.
"""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterator

from memd.model.fingerprint import one_line
from memd.model.note import Observation
from memd.parse.markdown import scan

_CODE = re.compile(r"(?<![\\`])(`+)(?!`)(?:.*?)(?<!`)\1(?!`)")
_PUNCTUATION = re.escape(string.punctuation)
_ESCAPED = re.compile(rf"\\([{_PUNCTUATION}])")
_BACKSLASH = re.compile(rf"\\(?=[{_PUNCTUATION}])")
_TAG = re.compile(r"#(?=[^\s#])")
_BLOCK_ID = re.compile(r"\^(?=[A-Za-z0-9-]+\s*$)")
_COMMENT = re.compile(r"%(?=%)")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_ANY = re.compile(rf"[{_PUNCTUATION}]")
_CLOSED = re.compile(r"\((?=[^()]*\)$)")


def plain(text: str) -> str:
    """Words on one line: runs of white space as one space, control characters gone."""
    return one_line(_CONTROL.sub("", text))


def escaped(text: str, tags: tuple[str, ...] = (), context: str = "") -> str:
    """A plain text, its tags and its context as they are written so that they read back as themselves."""
    ending = "".join(f" #{tag}" for tag in tags) + (f" ({context})" if context else "")
    for write in (str, _escaped, _all_escaped):
        written = write(text) + ending
        found = reading(f"[xx] {written}")
        if found and (unescaped(found.text), found.tags, bool(found.context)) == (text, tags, bool(context)):
            return written
    return _closed(text) + ending


def unescaped(text: str) -> str:
    """The words of an observation's text as its page shows them; code is as it stands."""
    return _outside_code(text, lambda part: _ESCAPED.sub(r"\1", part))


def read_back(item: str) -> str | None:
    """The words of an item's text as reading gives them; None where it states no observation."""
    found = reading(item)
    return unescaped(found.text) if found else None


def reading(item: str) -> Observation | None:
    """The observation that a list item of this one line states."""
    found = scan(f"- {item}\n").observations
    return found[0] if len(found) == 1 else None


def _escaped(text: str) -> str:
    return _outside_code(text, _escaped_part)


def _escaped_part(text: str) -> str:
    text = _BACKSLASH.sub(r"\\\\", text)
    text = _TAG.sub(r"\\#", text)
    text = _COMMENT.sub(r"%\\", text).replace("<!--", r"<\!--")
    text = _CLOSED.sub(r"\\(", text)
    return _BLOCK_ID.sub(r"\\^", text)


def _all_escaped(text: str) -> str:
    return _ANY.sub(r"\\\g<0>", text)


def _closed(text: str) -> str:
    """Everything escaped and an empty context after it: nothing that closes the text is taken for one."""
    return f"{_all_escaped(text)} ()"


def _outside_code(text: str, change: Callable[[str], str]) -> str:
    return "".join(part if code else change(part) for part, code in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, bool]]:
    at = 0
    for span in _CODE.finditer(text):
        yield text[at : span.start()], False
        yield span[0], True
        at = span.end()
    yield text[at:], False
