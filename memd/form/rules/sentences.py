"""A turn as sentences of prose. Knows what is prose; code, logs and what a colon hands over are none.

Every sentence is a verbatim piece of the turn, so that it can stand as a quote.
"""

from __future__ import annotations

import re

from memd.form.rules.facts import Sentence

_FENCE = re.compile(r"^[ >]*(`{3,}|~{3,}).*?(?:^[ >]*\1[`~]*[ \t]*$|\Z)", re.M | re.S)
_LOG = re.compile(
    r"""^\s*(?:\d{4}[-/]\d\d[-/]\d\d[T\ ]\d\d:\d\d|\[?\d\d:\d\d:\d\d|[A-Z][a-z]{2}[ ]+\d+[ ]\d\d:\d\d:\d\d|\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|FATAL|TRACE)\b
    |Traceback\b|File\ "|at\ [\w.$<>]+\(|\w*(?:Error|Exception)\b:|\$\ |>>>|curl\ |sudo\ |git\ |pip\ |npm\ |docker\ |SELECT\ |INSERT\ |import\ |from\ \w+\ import
    |def\ |class\ |function\ |const\ |let\ |var\ |public\ |\#include|<\?|</?\w+[^>]*>\s*$|(?:fatal|error|warning|panic|exception|note|hint|warn|E\d+):|[{}\[\]();]+\s*$|[\w.-]+\s*=\s*\S+\s*;?\s*$|[-\w.]+@[-\w.]+:.*[$\#]
    |[-+@]{2,}|\w[\w.]*\([^)]*\)\s*;?\s*$|"[\w-]+"\s*:)""",
    re.X,
)
_CONFIG = re.compile(r"^\s*[a-zA-Z_][\w.-]*\s*[:=]\s*\S+.*$")
_END = re.compile(
    r"(?<=[。！？!?；;…])(?![。！？!?；;…”’」』\"'）)])|(?<=[。！？!?…][”’」』）)\"])|(?<=[.!?])(?=\s)|(?<=[.!?][\"'”’)])(?=\s)|\n(?![a-z])|(?<![a-z,])\n"
)
_SLIP = re.compile(
    r"(?<=[,，;—–-])\s*(?=(?:no,? wait|wait,? no|wait|sorry|hang on|hold on|scratch that|make that|correction|i mean|or rather|my mistake)\b[^.!?]{2,})"
    r"|(?<=[，,])(?=(?:[哦噢啊]?不对?|等等|等一下|错了|[我]?说错了|[我]?记错了|口误|更正一?下?|应该是)[，,])",
    re.I,
)
"""Where a speaker puts right, in the same breath, what they just said."""
_ABBREVIATION = re.compile(
    r"(?:\b(?:Mr|Mrs|Ms|Dr|Prof|St|Mt|Sr|Jr|vs|etc|e\.g|i\.e|approx|No|Inc|Ltd|Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|a\.m|p\.m)|\b[A-Z])\.$"
)
_FILLER = re.compile(r"(?i)(?:,\s*)?\b(?:um+|uh+|erm|er)\b(?:\s*,)?\s*|[，,]?(?:呃+|嗯+)[，,]")
_TWICE = re.compile(r"\b([a-zA-Z']+), \1\b|(?<![\u4e00-\u9fff])(?P<zh>[\u4e00-\u9fff]{1,3})，(?P=zh)")
_HEAD = re.compile(
    r"^[\U0001F300-\U0001FAFF\u2600-\u27BF]+\s*|^[^*:：\n]{1,60}[:：]\*\*\s*|^(?:(?![^：:\n]*(?:我|\bI\b))[^：:\n]{1,20}[：:]\s*)?(?:\d{1,2}[)）、]|[（(]\d{1,2}[)）]|\d{1,2}\.(?=\s))\s*"
)
"""The number or the label of an item of a list."""
MENTION = re.compile(r"\s*(?:@(?:[A-Za-z][A-Za-z0-9_.-]*|[\u4e00-\u9fff]{1,6}(?=[\s,，:：]))[\s,，:：]*)+")
"""Whom a sentence of a group calls, at its front."""
_MARKS = re.compile(r"\*\*|__|(?<!\w)\*(?=\w)|(?<=[\w.!?])\*(?!\w)")
_CJK = re.compile(r"[\u3400-\u9fff]")
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’-]+")
LONG = 1000
"""Characters after which a sentence has gone on long enough: what is no prose would be joined for ever."""
_PAIRS = {"“": "”", "「": "」", "『": "』", "《": "》"}


def is_chinese(text: str) -> bool:
    """Chinese where at least as many Chinese characters as Latin words stand in it; one character alone is a name."""
    han = len(_CJK.findall(text))
    return han > 1 and han >= len(_LATIN_WORD.findall(text))


def prose(text: str) -> tuple[str, bool]:
    """The text without code and logs, line by line; and whether there were any."""
    bare = _FENCE.sub("\n", text)
    lines = bare.split("\n")
    kept = [line for line in lines if not _LOG.match(line) and not line.lstrip().startswith(">")]
    keyed = [line for line in kept if _CONFIG.match(line) and not _CJK.search(line)]
    if len(keyed) >= 2:
        kept = [line for line in kept if line not in keyed]
    return "\n".join(kept), len(kept) < len(lines) or bare != text


def split(text: str) -> list[Sentence]:
    """Sentences in order; white space round them is gone."""
    pieces: list[str] = []
    for piece in (part for whole in _cut(text) for part in _SLIP.split(whole)):
        if pieces and _goes_on(pieces[-1], piece):
            pieces[-1] += piece
        else:
            pieces.append(piece)
    found: list[Sentence] = []
    for piece in pieces:
        bare = _HEAD.sub("", piece.strip().lstrip("-*•·# ")).strip()
        if bare:
            found.append(Sentence(bare, is_chinese(bare), lead=bare.endswith((":", "：")) or _hands_over(bare)))
    return found


def fluent(text: str) -> str:
    """What was meant of what was spoken: without `um` and marks of emphasis, and a word begun twice once."""
    called = MENTION.match(text)
    words = _MARKS.sub("", text[called.end() :] if called else text)
    words = _FILLER.sub(lambda m: "，" if m[0][:1] == "，" else ", " if m[0][:1] == "," else "", words)
    return _TWICE.sub(lambda m: m[1] or m["zh"], words)


def _cut(text: str) -> list[str]:
    parts: list[str] = []
    at = 0
    for mark in _END.finditer(text):
        if mark.end() > at:
            parts.append(text[at : mark.end()])
            at = mark.end()
    return [*parts, text[at:]] if at < len(text) else parts


def _goes_on(piece: str, after: str) -> bool:
    """The sentence is not at its end: an abbreviation, an open mark, dots behind which it goes on small."""
    if len(piece) > LONG:
        return False
    trails = piece.rstrip().endswith(("...", "…")) and after.lstrip()[:1].islower()
    return (trails or _ABBREVIATION.search(piece) is not None or _open(piece)) and not piece.endswith("\n")


def _open(piece: str) -> bool:
    return len(piece) < 400 and any(piece.count(a) > piece.count(b) for a, b in _PAIRS.items())


def _hands_over(text: str) -> bool:
    """An instruction or a lead whose material stands behind its colon in the same sentence."""
    _, colon, rest = re.sub(r"(\d):(\d)", r"\1.\2", text).replace("：", ":").partition(":")
    return bool(colon) and len(rest.strip()) > 12 and rest.lstrip()[:1] in "\"“'‘「『"
