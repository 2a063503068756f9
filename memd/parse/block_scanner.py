"""Reads the block structure of markdown, line by line: what is code, HTML, comment or list, and where items begin.

CommonMark's rules for containers and leaves, and Obsidian's `%%` comments. One pass; the work on a line grows with how
deep it stands, which has an end. Never looks inside a line of plain text.
"""

from __future__ import annotations

import re

from msgspec import Struct

from memd.model.note import Heading
from memd.parse.block_starts import ATX, CODE_SPAN, FENCE, MARKER, SETEXT, SIGNS, after_quote, html_end, is_rule, skip
from memd.parse.blocks import BLANK, CODE, COMMENT, HEADING, HTML, MAX_DEPTH, MORE, RULE, TEXT, Blocks, Item


def read(text: str, body: int = 0, first: int = 1) -> Blocks:
    """The blocks of a text from offset `body` on, which is line `first` of the file."""
    lines = text[body:].split("\n") if body else text.split("\n")
    starts = []
    for line in lines:
        starts.append(body)
        body += len(line) + 1
    count = len(lines)
    found = Blocks(first, starts, bytearray(count), bytearray(count), bytearray(count), [], [], [])
    _Scanner(text, found).run([line.rstrip("\r") for line in lines] if "\r" in text else lines)
    return found


class _Open(Struct, gc=False):
    """A container that is open: a list item of that width, or a quote (width 0). `fresh`: nothing stands in it yet."""

    width: int
    item: Item | None = None
    fresh: bool = False


class _Scanner:
    """The state between lines: open containers, an open paragraph, and how an open fence or HTML block ends."""

    __slots__ = (
        *("closing", "comment", "comments", "fence", "found", "item", "kinds"),
        *("line", "para", "stack", "start", "text", "verbatim"),
    )

    def __init__(self, text: str, found: Blocks) -> None:
        self.text = text
        self.found = found
        self.kinds = found.kinds
        self.stack: list[_Open] = []
        self.para = False
        self.item: Item | None = None
        self.verbatim = 0
        self.fence = ""
        self.closing: re.Pattern[str] | None = None
        self.comments = "%%" in text
        self.comment = -1
        self.line = self.start = 0

    def run(self, lines: list[str]) -> None:
        """All lines; those that need no look at containers are dealt with at once."""
        starts, stack, careful = self.found.starts, self.stack, self.comments
        for n, line in enumerate(lines):
            sign = line[:1]
            if careful or self.verbatim:
                self._any(n, line)
            elif sign not in SIGNS:
                if self.para:
                    self._more(n, line)
                else:
                    stack.clear()
                    self.para = True
            elif not line and not (stack and (stack[-1].fresh or not all(box.width for box in stack))):
                self.kinds[n] = BLANK
                self.para, self.item = False, None
            elif line[2:3] not in SIGNS and line[1:2] == " " and sign in "-*+":
                self._top_item(n, line, starts[n])
            else:
                self._any(n, line)

    def _any(self, n: int, line: str) -> None:
        self.line, self.start = n, self.found.starts[n]
        if not (self.comments and self._in_comment(line)):
            self._read(line)
            if self.comments:
                self._open_comment(line)
        if self.stack:
            self._mark(n)

    def _more(self, n: int, line: str) -> None:
        self.kinds[n] = MORE
        if self.item:
            self.item.end = self.found.starts[n] + len(line)
        if self.stack:
            self._mark(n)

    def _top_item(self, n: int, line: str, start: int) -> None:
        """`- words` at the margin: whatever was open ends, and one item of plain words begins."""
        self.item = Item(self.found.first + n, start + 2, start + len(line), 0, line[0], False)
        self.found.items.append(self.item)
        self.stack[:] = (_Open(2, self.item),)
        self.found.listed[n] = 1
        self.para = True

    def _mark(self, n: int) -> None:
        if self.kinds[n] != BLANK:
            for box in self.stack:
                if box.width:
                    self.found.listed[n] = 1
                else:
                    self.found.quoted[n] = 2 if box is self.stack[0] else 1

    def _read(self, line: str) -> None:
        """One line: which containers it goes on with, then what it holds."""
        pos = len(line) - len(line.lstrip(" \t"))
        col = pos if "\t" not in line[:pos] else len(line[:pos].expandtabs(4))
        base = depth = 0
        end = len(line)
        for box in self.stack:
            if box.width:
                if box.fresh if pos == end else col - base < box.width:
                    break
                base += box.width
            else:
                if pos == end or line[pos] != ">" or col - base > 3:
                    break
                pos, col, base = after_quote(line, pos, col)
            depth += 1
        if self.verbatim:
            if depth == len(self.stack):
                self._go_on(line, pos, col - base)
                return
            self.verbatim = 0
        if pos == end:
            del self.stack[depth:]
            self._paragraph_ends()
            self.kinds[self.line] = BLANK
        else:
            self._leaf(line, pos, col, base, depth)

    def _go_on(self, line: str, pos: int, indent: int) -> None:
        """A line inside an open fence or HTML block."""
        kind = self.verbatim
        if kind == CODE:
            run = line[pos:].rstrip(" \t")
            if indent <= 3 and len(run) >= len(self.fence) and run == self.fence[0] * len(run):
                self.verbatim = 0
        elif pos == len(line) if self.closing is None else self.closing.search(line):
            self.verbatim = 0
            if self.closing is None:
                kind = BLANK
        self.kinds[self.line] = kind

    def _leaf(self, line: str, pos: int, col: int, base: int, depth: int) -> None:
        """What stands after the containers that go on: more containers, then one leaf."""
        para = self.para and depth == len(self.stack)
        lazy = self.para and not para
        while True:
            indent = col - base
            if indent >= 4:
                if not (para or lazy):
                    self._close(depth, CODE)
                    return
                break
            sign = line[pos]
            if sign == ">" and depth < MAX_DEPTH:
                self._close(depth)
                pos, col, base = after_quote(line, pos, col)
                self.stack.append(_Open(0))
            elif depth < MAX_DEPTH and (opened := self._list_item(line, pos, col, base, depth, para)):
                pos, col, base = opened
            elif sign in "#`~<=-*_" and self._special(line, pos, depth, para, lazy):
                return
            else:
                break
            depth += 1
            para = lazy = False
            if pos == len(line):
                self.kinds[self.line] = RULE
                return
        self._text(line, pos, depth, para or lazy)

    def _list_item(
        self, line: str, pos: int, col: int, base: int, depth: int, para: bool
    ) -> tuple[int, int, int] | None:
        """Open a list item and answer where its content stands; None where none begins here."""
        found = MARKER.match(line, pos)
        if not found or is_rule(line, pos) or (para and SETEXT.match(line, pos)):
            return None
        marker = found.group()
        after, column = skip(line, found.end(), col + len(marker))
        empty = after == len(line)
        if para and (empty or (len(marker) > 1 and int(marker[:-1]) != 1)):
            return None
        self._close(depth)
        gap = column - col - len(marker)
        width = col - base + len(marker) + (1 if empty or gap > 4 else gap)
        level = sum(1 for box in self.stack if box.width)
        at = self.start + after
        item = Item(self.found.first + self.line, at, at, level, marker, len(self.stack) > level)
        self.found.items.append(item)
        self.stack.append(_Open(width, item, True))
        return after, column, base + width

    def _special(self, line: str, pos: int, depth: int, para: bool, lazy: bool) -> bool:
        """A leaf that its first sign gives away: heading, rule, fence, HTML block."""
        if para and SETEXT.match(line, pos):
            self._setext(line[pos])
        elif found := ATX.match(line, pos):
            self._close(depth, HEADING)
            self._heading(len(found.group()), line[found.end() :], self.line)
        elif is_rule(line, pos):
            self._close(depth, RULE)
        elif found := FENCE.match(line, pos):
            self._close(depth, CODE)
            self.verbatim, self.fence = CODE, found.group()
        elif ending := html_end(line, pos, para or lazy):
            self._close(depth, HTML)
            self.closing = ending[0]
            self.verbatim = 0 if self.closing and self.closing.search(line, pos) else HTML
        else:
            return False
        return True

    def _setext(self, sign: str) -> None:
        first = self.line - 1
        while self.kinds[first] == MORE:
            first -= 1
        raw = self.text[self.found.starts[first] : self.start]
        self.kinds[first], self.kinds[self.line] = HEADING, RULE
        self._heading(1 if sign == "=" else 2, " ".join(raw.split()), first)
        self._paragraph_ends()

    def _heading(self, level: int, raw: str, line: int) -> None:
        if not self.stack:
            words = raw.strip(" \t")
            bare = words.rstrip("#")
            words = bare.rstrip(" \t") if not bare or bare[-1] in " \t" else words
            self.found.headings.append(Heading(level, words, self.found.first + line))

    def _text(self, line: str, pos: int, depth: int, goes_on: bool) -> None:
        if goes_on:
            self.kinds[self.line] = MORE
        else:
            del self.stack[depth:]
            self._paragraph_ends()
            self.para = True
            top = self.stack[-1] if self.stack else None
            if top and top.fresh and top.item:
                top.fresh = False
                self.item = top.item
                self.item.start = self.start + pos
        if self.item:
            self.item.end = self.start + len(line)

    def _close(self, depth: int, kind: int = TEXT) -> None:
        """End the paragraph and the containers from a depth on; a line of this kind stands there now."""
        del self.stack[depth:]
        self._paragraph_ends()
        self.kinds[self.line] = kind
        if self.stack:
            self.stack[-1].fresh = False

    def _paragraph_ends(self) -> None:
        self.para = False
        self.item = None

    def _in_comment(self, line: str) -> bool:
        """Whether the line began inside a `%%` comment; it may end there, and another begin."""
        if self.comment < 0:
            return False
        self.kinds[self.line] = COMMENT
        self._paragraph_ends()
        at = line.find("%%")
        if at >= 0:
            self.found.comments.append((self.comment, self.start + at + 2))
            self.comment = -1
            self._pair(line, at + 2)
        return True

    def _open_comment(self, line: str) -> None:
        if "%%" in line and self.kinds[self.line] not in (CODE, HTML):
            self._pair(CODE_SPAN.sub(lambda m: " " * len(m.group()), line), 0)

    def _pair(self, line: str, at: int) -> None:
        """Comments of one line; a last sign without its pair opens one that a later line ends."""
        while (opened := line.find("%%", at)) >= 0:
            closed = line.find("%%", opened + 2)
            if closed >= 0:
                self.found.comments.append((self.start + opened, self.start + closed + 2))
                at = closed + 2
                continue
            if self.text.find("%%", self.start + len(line)) >= 0:
                self.comment = self.start + opened
                if not line[:opened].strip():
                    self.kinds[self.line] = COMMENT
                    self._paragraph_ends()
            return
