"""How blocks of markdown begin: CommonMark's openings as patterns, each linear in the length of the line."""

from __future__ import annotations

import re

SIGNS = frozenset("\t\r #>-+*_0123456789`~<=") | {""}
"""First characters of lines that may be more than a paragraph's."""
MARKER = re.compile(r"(?:[-+*]|\d{1,9}[.)])(?=[ \t]|$)", re.A)
RULE_LINE = re.compile(r"(?:(?:\*[ \t]*+){3,}|(?:-[ \t]*+){3,}|(?:_[ \t]*+){3,})$")
ATX = re.compile(r"#{1,6}(?=[ \t]|$)")
FENCE = re.compile(r"(?:`{3,}+(?=[^`]*$)|~{3,}+)")
SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
CODE_SPAN = re.compile(r"(?<!`)(`++)[^`]+\1(?!`)")
_TAGS = (
    "address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt"
    " fieldset figcaption figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li"
    " link main menu menuitem nav noframes ol optgroup option p param search section summary table tbody td tfoot th"
    " thead title tr track ul"
).replace(" ", "|")
_ATTRIBUTE = r"""\s+[A-Za-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>`]+|'[^']*'|"[^"]*"))?"""
HTML_BLOCKS = (
    (
        re.compile(r"<(?:script|pre|style|textarea)(?:[\s>]|$)", re.I),
        re.compile(r"</(?:script|pre|style|textarea)>", re.I),
    ),
    (re.compile(r"<!--"), re.compile(r"-->")),
    (re.compile(r"<\?"), re.compile(r"\?>")),
    (re.compile(r"<![A-Za-z]"), re.compile(r">")),
    (re.compile(r"<!\[CDATA\["), re.compile(r"\]\]>")),
    (re.compile(rf"</?(?:{_TAGS})(?:\s|/?>|$)", re.I), None),
    (re.compile(rf"(?:<[A-Za-z][A-Za-z0-9-]*(?:{_ATTRIBUTE})*\s*+/?>|</[A-Za-z][A-Za-z0-9-]*\s*>)\s*$", re.A), None),
)
"""CommonMark's seven kinds of HTML block: how one begins, how it ends (None: at a blank line)."""


def html_end(line: str, at: int, in_paragraph: bool) -> tuple[re.Pattern[str] | None] | None:
    """A one-tuple of the pattern that ends the HTML block that begins here; None where none begins."""
    for kind, (begin, end) in enumerate(HTML_BLOCKS, 1):
        if begin.match(line, at) and not (kind == 7 and in_paragraph):
            return (end,)
    return None


def is_rule(line: str, pos: int) -> bool:
    """A thematic break; one of a thousand signs is taken for text, lest deep lists look at a long line again and again."""
    return len(line) < 1000 and RULE_LINE.match(line, pos) is not None


def skip(line: str, pos: int, col: int) -> tuple[int, int]:
    """The first position that is no blank, and its column."""
    while pos < len(line) and line[pos] in " \t":
        col = col + 1 if line[pos] == " " else (col // 4 + 1) * 4
        pos += 1
    return pos, col


def after_quote(line: str, pos: int, col: int) -> tuple[int, int, int]:
    """After a `>`: the next position that is no blank, its column, and the column where the quote's content begins."""
    pos += 1
    base = col + 2 if line.startswith((" ", "\t"), pos) else col + 1
    return *skip(line, pos, col + 1), base
