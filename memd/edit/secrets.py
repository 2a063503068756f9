"""Screens text for credentials before it is written, and masks them in what must be kept.

Knows kinds and places, and never puts a secret into a message. The one module that knows detect-secrets, which is
loaded at the first line that holds a long run of letters and digits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

from msgspec import Struct

from memd.edit.numbers import long_numbers
from memd.edit.secret_contexts import CONTEXTS
from memd.edit.secret_forms import FORMS
from memd.edit.secret_rules import PLAIN, Rule, alike
from memd.model.errors import Refused

WINDOW = 200
"""Characters round a hint in which words are looked at: the cost of a long line stays linear."""

_RUN = re.compile(r"[A-Za-z0-9_+/=.~-]{24,}")
_HINTS = frozenset(hint for rule in (*FORMS, *CONTEXTS) for hint in rule.hints)
_REST = re.compile(r"[A-Za-z0-9_+/=~-]*")
_NOISY = ("High Entropy", "Keyword", "Public IP")


class Finding(Struct, frozen=True, order=True):
    """Where a credential stands in the text, in characters, and what kind it is."""

    start: int
    end: int
    kind: str


def screen(text: str, sensitive: bool = False) -> tuple[Finding, ...]:
    """Credentials in the text, in order, not overlapping. Long numbers count unless the text is marked sensitive."""
    plain = text.translate(PLAIN).replace("**", "  ")
    low = plain.lower()
    if len(low) != len(text):
        low = "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)
    hinted = _hinted(low)
    found = [*_forms(plain, hinted), *_contexts(plain, hinted), *_detected(plain)]
    if not sensitive:
        found += (Finding(start, end, kind) for start, end, kind in long_numbers(plain))
    return _apart(found)


def redact(text: str, sensitive: bool = False) -> tuple[str, tuple[str, ...]]:
    """The text with `‹redacted: kind›` where a credential stood, and the kinds in order."""
    found = screen(text, sensitive)
    parts: list[str] = []
    at = 0
    for finding in found:
        parts += (text[at : finding.start], f"‹redacted: {finding.kind}›")
        at = finding.end
    return "".join((*parts, text[at:])), tuple(finding.kind for finding in found)


def blank(redacted: str) -> bool:
    """Whether a redacted text has no word left."""
    return not re.search(r"\w", re.sub("‹redacted: [^›]*›", "", redacted))


def refuse_secrets(texts: Iterable[str], sensitive: bool = False) -> None:
    """Raises `refused_secret` that names the kinds found in any of the texts, and never what was found."""
    kinds = tuple(dict.fromkeys(f.kind for text in texts if text for f in screen(text, sensitive)))
    if not kinds:
        return
    if kinds == ("long number",) or set(kinds) <= {"long number", "id card", "bank card"}:
        advice = "leave it out, or write it with sensitivity: sensitive"
    else:
        advice = "leave it out; say where it is kept instead"
    raise Refused("refused_secret", f"the text holds a credential ({', '.join(kinds)}): {advice}", kinds=list(kinds))


def _hinted(low: str) -> dict[str, tuple[int, ...]]:
    """The hints of all rules that stand in the text, and where."""
    return {hint: tuple(_places(low, hint)) for hint in _HINTS if hint in low}


def _forms(text: str, hinted: dict[str, tuple[int, ...]]) -> Iterator[Finding]:
    for rule in FORMS:
        if not hinted.keys().isdisjoint(rule.hints):
            yield from _matches(rule, text, 0, len(text))


def _contexts(text: str, hinted: dict[str, tuple[int, ...]]) -> Iterator[Finding]:
    for rule in CONTEXTS:
        places = sorted(at for hint in rule.hints for at in hinted.get(hint, ()))
        for start, end in _windows(text, places):
            for found in _matches(rule, text, start, end):
                yield found
                yield from (Finding(*span, rule.kind) for span in alike(text, found.start, found.end))


def _matches(rule: Rule, text: str, start: int, end: int) -> Iterator[Finding]:
    group = "s" if "s" in rule.pattern.groupindex else 0
    for match in rule.pattern.finditer(text, start, end):
        if rule.check is None or rule.check(match[group]):
            yield _whole(text, *match.span(group), rule.kind)


def _whole(text: str, start: int, end: int, kind: str) -> Finding:
    """A finding that goes on to the end of its run of characters: no rule's limit leaves the tail of a secret."""
    rest = _REST.match(text, end)
    return Finding(start, rest.end() if rest else end, kind)


def _windows(text: str, places: list[int]) -> Iterator[tuple[int, int]]:
    """Stretches round the places, within their lines; neighbouring stretches are joined."""
    start = end = -1
    for at in places:
        if at < end - WINDOW:
            continue
        left = max(text.rfind("\n", max(0, at - WINDOW), at) + 1, at - WINDOW, 0)
        right = _line(text, at)
        if left > end:
            if end >= 0:
                yield start, end
            start = left
        end = max(end, right)
    if end >= 0:
        yield start, end


def _line(text: str, at: int) -> int:
    """Where the place's line ends; what a line announces with a colon stands on the next one."""
    far = min(len(text), at + WINDOW)
    stop = text.find("\n", at, far)
    if stop >= 0 and text[at:stop].rstrip().endswith((":", "=")):
        stop = text.find("\n", stop + 1, far)
    return far if stop < 0 else stop


def _places(low: str, hint: str) -> Iterator[int]:
    at = low.find(hint)
    while at >= 0:
        yield at
        at = low.find(hint, at + len(hint))


def _detected(text: str) -> Iterator[Finding]:
    """What detect-secrets knows, on lines where a run of text could be a token at all."""
    done = -1
    for run in _RUN.finditer(text):
        if run.start() < done or not any(c.isdigit() for c in run[0]):
            continue
        start = max(text.rfind("\n", 0, run.start()) + 1, run.start() - WINDOW)
        stop = text.find("\n", run.end())
        done = min(len(text) if stop < 0 else stop, run.end() + WINDOW)
        for kind, detector in _detectors():
            for secret in set(detector.analyze_string(text[start:done])):
                if secret and (at := text.find(secret, start, done)) >= 0:
                    yield _whole(text, at, at + len(secret), kind)


@cache
def _detectors() -> tuple[tuple[str, Any], ...]:
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    found: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return tuple((name, make()) for name, make in found.items() if not any(noise in name for noise in _NOISY))


def _apart(found: list[Finding]) -> tuple[Finding, ...]:
    """Overlapping findings as one, named by the widest of them."""
    kept: list[Finding] = []
    for finding in sorted(found, key=lambda f: (f.start, -f.end)):
        if kept and finding.start < kept[-1].end:
            last = kept[-1]
            kept[-1] = Finding(last.start, max(last.end, finding.end), last.kind)
        else:
            kept.append(finding)
    return tuple(kept)
