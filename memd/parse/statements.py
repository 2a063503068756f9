"""What a list item states: an observation, a relation, or nothing.

    - [category] text #tag (context)
    - rel_type [[Target]] (context)

Knows the grammar of both in design section 3. Reads the first paragraph of an item, continuation lines included, and
the links and tags that were found in it. Never looks at code, comments or quotes.
"""

from __future__ import annotations

import re

from msgspec import Struct

from memd.model.fingerprint import one_line
from memd.model.note import Observation
from memd.parse.inline import LinkAt, TagAt
from memd.parse.mask import COMMENT_SIGN

_CATEGORY = re.compile(r"\[([^\[\]()\n\x00\x01]+)\][ \t]+(?=\S)")
_CHECKBOX = re.compile(r"\[.\](?=\s|$)")
_CLOCK = re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:[.,]\d+)?(?: ?[ap]\.?m\.?)?", re.I)
_WORD = re.compile(r"[^\W_]")
_LETTER = re.compile(r"[^\W\d_]")
_ONE_CHARACTER_WORD = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff]")
_END_BLOCK = re.compile(r"(?:^|\s)\^[A-Za-z0-9-]+\s*$")
_CLOSING = {")": "(", "）": "（"}
_EMPHASIS = "*_~="
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’", "「": "」", "『": "』", "《": "》"}


class Slice(Struct, frozen=True):
    """A stretch of the text and of its mask, with the tags in it; offsets are the text's."""

    text: str
    mask: str
    start: int
    end: int
    tags: list[TagAt]

    def without_tags(self) -> tuple[str, str, tuple[str, ...]]:
        """The words and their mask without tags and comments, white space as single spaces; and the tags."""
        if not self.tags:
            return *_collapse(self.text[self.start : self.end], self.mask[self.start : self.end]), ()
        words: list[str] = []
        signs: list[str] = []
        names: list[str] = []
        at = self.start
        for run in self.tags:
            words.append(self.text[at : run.start])
            signs.append(self.mask[at : run.start])
            names += run.tags
            at = run.end
        words.append(self.text[at : self.end])
        signs.append(self.mask[at : self.end])
        return *_collapse("".join(words), "".join(signs)), tuple(dict.fromkeys(names))


def _collapse(words: str, mask: str) -> tuple[str, str]:
    """Both with comments gone and runs of white space as one space, still letter for letter alike."""
    if COMMENT_SIGN in mask:
        kept = [n for n, sign in enumerate(mask) if sign != COMMENT_SIGN]
        words, mask = "".join(words[n] for n in kept), "".join(mask[n] for n in kept)
    if mask == words:
        words = one_line(words)
        return words, words
    pieces, signs = [], []
    for m in re.finditer(r"\S+", words):
        pieces.append(m.group())
        signs.append(mask[m.start() : m.end()])
    return " ".join(pieces), " ".join(signs)


def is_checkbox(item: str) -> bool:
    """Whether an item's text begins as a task: any single mark in brackets (a word of one character is no mark)."""
    return bool(_CHECKBOX.match(item)) and not _ONE_CHARACTER_WORD.match(item, 1)


def observation(part: Slice, line: int) -> Observation | None:
    """The observation that an item's first paragraph states; None where it states none."""
    found = _CATEGORY.match(part.mask, part.start, part.end)
    if not found or not _is_category(category := found.group(1).strip()):
        return None
    whole = Slice(part.text, part.mask, found.end(), part.end, [run for run in part.tags if run.start >= found.end()])
    words, mask, tags = whole.without_tags()
    if block := _END_BLOCK.search(mask[-80:]):
        cut = len(mask) - len(mask[-80:]) + block.start()
        words, mask = words[:cut], mask[:cut]
    context = ""
    opened = _context_start(mask)
    if opened > 0 and not _ends_with_tag(whole):
        context, words = words[opened + 1 : -1].strip(), words[:opened].rstrip()
    if not words:
        words = one_line(part.text[found.end() : part.end])
    return Observation(category, words, tags, context, line)


def _is_category(name: str) -> bool:
    if len(name) < 2:
        return bool(_ONE_CHARACTER_WORD.match(name))
    return name[0] not in "^!" and bool(_WORD.search(name)) and not _CLOCK.fullmatch(name)


def _context_start(mask: str) -> int:
    """Where the balanced brackets that close a line begin, after white space; -1 where none do."""
    closing = mask[-1:]
    opening = _CLOSING.get(closing)
    if not opening:
        return -1
    depth = 0
    for at in range(len(mask) - 1, -1, -1):
        if mask[at] == closing:
            depth += 1
        elif mask[at] == opening:
            depth -= 1
            if not depth:
                return at if at == 0 or mask[at - 1] == " " else -1
    return -1


def _ends_with_tag(part: Slice) -> bool:
    return bool(part.tags) and not part.mask[part.tags[-1].end : part.end].strip()


class Typed(Struct, frozen=True):
    """What an item says of its one link: the type of the relation, and the context."""

    relation: str
    context: str


def relation(part: Slice, link: LinkAt) -> Typed | None:
    """The typed relation that an item states by its first link; None where the link is a plain one.

    Before the link one word or several in quotes, after it nothing but tags, a block id, one closing context.
    """
    name = rel_type(part.text[part.start : link.start], part.mask[part.start : link.start])
    if not name:
        return None
    after = Slice(part.text, part.mask, link.end, part.end, [run for run in part.tags if run.start >= link.end])
    words, mask, _ = after.without_tags()
    if block := _END_BLOCK.search(mask):
        words, mask = words[: block.start()], mask[: block.start()]
    if not mask:
        return Typed(name, "")
    return Typed(name, words[1:-1].strip()) if _context_start(mask) == 0 else None


def rel_type(words: str, mask: str) -> str:
    """The relation's type in what stands before a link; "" where it is none."""
    label = words.strip()
    if not 0 < len(label) <= 200 or "\x00" in mask or "\x01" in mask or is_checkbox(label):
        return ""
    bare = _bare(label)
    closing = _QUOTES.get(bare[:1])
    if closing and len(bare) > 2 and bare[-1] == closing and closing not in bare[1:-1]:
        bare = one_line(bare[1:-1])
    elif len(bare.split()) != 1:
        return ""
    return bare if _LETTER.search(bare) and not re.search(r"[\[\]#]", bare) else ""


def _bare(label: str) -> str:
    """A label without emphasis round it and without colons at its end, in whatever order they stand."""
    before = None
    while before != label:
        before = label
        label = label.rstrip(" :：")
        if len(label) > 1 and label[0] in _EMPHASIS and label[-1] == label[0]:
            label = label[1:-1]
    return label
