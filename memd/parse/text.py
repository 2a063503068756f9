"""A file's bytes as text.

Knows encodings. Never knows what the text says, or which file it is: problems come back without a path.
Invalid bytes of a UTF-8 file become one character each, so that offsets stay those of a surrogate-escaped reading.
"""

from __future__ import annotations

import codecs

from memd.model.problem import Problem

Decoded = tuple[str, tuple[Problem, ...]]

_WIDE = ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_SAMPLE = 8192
_TEXT_CONTROLS = b"\t\n\x0b\x0c\r\x1b"
_CONTROLS = bytes(c for c in range(32) if c not in _TEXT_CONTROLS)
_SAVE = "open it in an editor and save it as UTF-8"


def decode(data: bytes) -> Decoded:
    """The text without its byte order mark, line ends as they are. Bytes that are no text at all give ""."""
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        return _foreign(data, fault.start)
    if text.startswith("\ufeff"):
        text = text[1:]
    if "\0" in text:
        return _with_nul(data, text)
    return text, ()


def is_text(data: bytes) -> bool:
    """Whether the bytes are text in any encoding that is known here."""
    return not any(problem.code == "binary" for problem in decode(data)[1])


def _with_nul(data: bytes, text: str) -> Decoded:
    if wide := _wide_without_mark(data):
        return wide
    if _looks_binary(data):
        return _binary()
    line = data.count(b"\n", 0, data.index(0)) + 1
    return text, (_problem("nul_bytes", line, "the file holds NUL bytes", "remove them in an editor"),)


def _foreign(data: bytes, bad: int) -> Decoded:
    for mark, codec in _WIDE:
        if data.startswith(mark):
            return data[2:].decode(codec, "replace"), (_encoding("UTF-16", 1),)
    if wide := _wide_without_mark(data):
        return wide
    if 0 in data or _looks_binary(data):
        return _binary()
    line = data.count(b"\n", 0, bad) + 1
    if (chinese := _gb18030(data)) is not None:
        return chinese, (_encoding("GB18030", line),)
    return data.decode("utf-8", "memd.western").removeprefix("\ufeff"), (_encoding("Latin-1", line),)


def _wide_without_mark(data: bytes) -> Decoded | None:
    """UTF-16 without a mark: its Latin characters and line ends leave zero bytes on one side only."""
    if len(data) % 2 or 0 not in data[:_SAMPLE]:
        return None
    even, odd = data[0:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0)
    if even and odd:
        return None
    try:
        text = data.decode("utf-16-le" if odd else "utf-16-be")
    except UnicodeDecodeError:
        return None
    sample = text[:_SAMPLE]
    if sum(c.isprintable() or c.isspace() for c in sample) < 0.95 * len(sample) or not _plausible(data, even + odd):
        return None
    return text, (_encoding("UTF-16", 1),)


def _plausible(data: bytes, zeros: int) -> bool:
    """Many zero bytes, or few in bytes that are no UTF-8 either."""
    if zeros >= 0.3 * len(data[:_SAMPLE]) / 2:
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return True
    return False


def _looks_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE]
    controls = len(sample) - len(sample.translate(None, _CONTROLS))
    return controls > 0.1 * len(sample)


def _gb18030(data: bytes) -> str | None:
    """The text where nearly all high bytes stand in pairs of high bytes, as in Chinese; Western accents stand alone."""
    runs = [run for run in data[:_SAMPLE].translate(_HIGH_ONLY).split(b" ") if run]
    paired = sum(len(run) for run in runs if len(run) % 2 == 0)
    if not runs or paired < 0.9 * sum(map(len, runs)):
        return None
    try:
        return data.decode("gb18030")
    except UnicodeDecodeError:
        return None


_HIGH_ONLY = bytes(c if c >= 0xA1 else 0x20 for c in range(256))


def _western(fault: UnicodeError) -> tuple[str, int]:
    assert isinstance(fault, UnicodeDecodeError)
    bad = fault.object[fault.start : fault.end]
    return "".join(bytes([b]).decode("cp1252", "ignore") or chr(b) for b in bad), fault.end


codecs.register_error("memd.western", _western)


def _binary() -> Decoded:
    hint = "move it out of the vault, or give it the file type it has"
    return "", (_problem("binary", 0, "the file is not text", hint),)


def _encoding(name: str, line: int) -> Problem:
    return _problem("encoding", line, f"the file is not UTF-8; it was read as {name}", _SAVE)


def _problem(code: str, line: int, message: str, hint: str) -> Problem:
    return Problem(code, "", line, message, hint)
