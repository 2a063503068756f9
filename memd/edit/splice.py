"""A change to a note as splices, and the bytes of a note as text that gives the very same bytes back.

Knows encodings and line ends. Never knows what the text says.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterable

from msgspec import Struct

from memd.parse.text import decode


class Splice(Struct, frozen=True):
    """`text` stands in place of the characters from `start` to `end`; an empty range inserts."""

    start: int
    end: int
    text: str


class Source(Struct, frozen=True):
    """A file's bytes as text without its byte order mark. Bytes that are no text stay as lone surrogates, and come back."""

    text: str
    bom: bytes = b""
    codec: str = "utf-8"

    def encode(self, text: str) -> bytes:
        return self.bom + text.encode(self.codec, "surrogateescape" if self.codec == "utf-8" else "strict")

    def spliced(self, splices: Iterable[Splice]) -> bytes:
        """The file with the splices done."""
        return self.encode(apply(self.text, splices))


_FOREIGN = ("gb18030", "utf-16-le", "utf-16-be")


def read(data: bytes) -> Source:
    """UTF-8 with or without a mark, else the encoding that parsing reads the file in, where that gives the same bytes back."""
    if data.startswith(codecs.BOM_UTF8):
        return Source(data[3:].decode("utf-8", "surrogateescape"), codecs.BOM_UTF8)
    text = data.decode("utf-8", "surrogateescape")
    if text.isascii() and "\0" not in text:
        return Source(text)
    read_as = decode(data)[0]
    if read_as != text:
        for codec in _FOREIGN:
            bom = data[:2] if codec.startswith("utf-16") and data[:2] in (b"\xff\xfe", b"\xfe\xff") else b""
            source = Source(read_as, bom, codec)
            if _gives(source, data):
                return source
    return Source(text)


def _gives(source: Source, data: bytes) -> bool:
    try:
        return source.encode(source.text) == data
    except UnicodeEncodeError:
        return False


def apply(text: str, splices: Iterable[Splice]) -> str:
    """The text after the splices, which speak of the text before and do not overlap. Order among inserts at one place stays."""
    parts: list[str] = []
    at = 0
    for splice in sorted(splices, key=lambda s: (s.start, s.end)):
        assert at <= splice.start <= splice.end <= len(text), splice
        parts += (text[at : splice.start], splice.text)
        at = splice.end
    return "".join((*parts, text[at:]))


def newline(text: str) -> str:
    """The line end that the text uses most; a line feed where it has none."""
    windows = text.count("\r\n")
    return "\r\n" if windows * 2 > text.count("\n") else "\n"
