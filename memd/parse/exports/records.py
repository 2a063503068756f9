"""Records of a source: a mailbox, a repository's log. Each record is one event; the source is their lineage."""

from __future__ import annotations

import email
import email.policy
import email.utils
import html
import re
from collections.abc import Iterator
from datetime import datetime
from email.message import Message

from memd.model.fingerprint import one_line
from memd.model.memory import Event
from memd.model.problem import Problem
from memd.parse.exports.session import Session, clean, decode, event, problem

_FROM = re.compile(rb"(?:\A|(?<=\n\n)|(?<=\n\r\n))From [^\n]*\b(?:19|20)\d\d\b[^\n]*\n")
_SHIELDED = re.compile(r"^>(>*From )", re.M)
_TAG = re.compile(r"<(?:script|style)\b.*?(?:</(?:script|style)\s*>|\Z)|<[^>]{0,2000}>", re.S | re.I)
_QUOTED = re.compile(r"^(?:>.*|On .{0,200} wrote:|-{2,} ?Original Message ?-{2,}.*|在.{0,80}写道[:：])$", re.M)
_COMMIT = re.compile(r"^commit (?P<sha>[0-9a-f]{7,64})\b.*$", re.M)
_LONGEST = 20_000


def mbox(data: bytes, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    """Messages by their Message-ID. A message that cannot be read is a problem and costs no other."""
    marks = list(_FROM.finditer(data))
    ends = [*(mark.start() for mark in marks[1:]), len(data)][: len(marks)]
    events: list[Event] = []
    problems: list[Problem] = []
    pieces = [data[m.end() : end] for m, end in zip(marks, ends, strict=True)] or [data]
    line = 1
    for number, piece in enumerate(pieces, 1):
        try:
            found = list(_mail(email.message_from_bytes(piece, policy=email.policy.compat32)))
            told = "" if found else "has no text"
            events += found
        except (ValueError, LookupError, TypeError, AttributeError, IndexError, RecursionError) as error:
            told = f"cannot be read: {type(error).__name__}"
        if told:
            problems.append(problem(name, line, f"message {number} {told}"))
        line += piece.count(b"\n") + 1
    return ([Session(f"mail-{stem}", f"mbox:{stem}", "integration", tuple(events))] if events else []), problems


def _mail(message: Message) -> Iterator[Event]:
    sender, address = email.utils.parseaddr(_header(message, "From"))
    subject = _header(message, "Subject")
    body = _QUOTED.sub("", _body(message))
    body = re.sub(r"\n{3,}", "\n\n", body).strip()[:_LONGEST]
    text = f"# {subject}\n\n{body}".strip() if subject else body
    id = _header(message, "Message-ID").strip("<> ")
    yield from event(sender or address or "unknown", text, id=id, at=_mail_time(_header(message, "Date")))


def _header(message: Message, name: str) -> str:
    from email.header import decode_header, make_header

    raw = message.get(name)
    if raw is None:
        return ""
    try:
        return one_line(str(make_header(decode_header(str(raw)))))
    except (LookupError, ValueError):
        return one_line(str(raw))


def _body(message: Message) -> str:
    """The plain text, else the HTML without its tags; attachments are left out."""
    plain: list[str] = []
    rich: list[str] = []
    for part in _own_parts(message):
        kind = part.get_content_type()
        if kind in ("text/plain", "text/html"):
            (plain if kind == "text/plain" else rich).append(_text(part))
    text = "\n".join(plain) if plain else html.unescape(_TAG.sub(" ", "\n".join(rich)))
    return clean(_SHIELDED.sub(r"\1", text))


def _own_parts(message: Message) -> Iterator[Message]:
    """What its sender wrote: no attachment, and no message that is forwarded within, whose words are another's."""
    for part in message.get_payload() if message.is_multipart() else (message,):
        if not isinstance(part, Message) or part.get_filename() or part.get_content_disposition() == "attachment":
            continue
        if part.get_content_maintype() == "multipart":
            yield from _own_parts(part)
        elif part.get_content_maintype() != "message":
            yield part


def _text(part: Message) -> str:
    raw = part.get_payload(decode=True)
    data = raw if isinstance(raw, bytes) else b""
    charset = part.get_content_charset() or ""
    if charset in ("", "gb2312", "us-ascii", "utf-8", "gbk"):
        return decode(data)
    try:
        return data.decode(charset, "replace")
    except LookupError:
        return decode(data)


def _mail_time(text: str) -> str:
    try:
        return email.utils.parsedate_to_datetime(text).isoformat() if text else ""
    except (ValueError, TypeError, IndexError, OverflowError):
        return ""


def git_log(text: str, name: str, stem: str) -> tuple[list[Session], list[Problem]]:
    """Commits as `git log` prints them, oldest first."""
    marks = list(_COMMIT.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)][: len(marks)]
    events: list[Event] = []
    for mark, end in reversed(list(zip(marks, ends, strict=True))):
        head, _, body = text[mark.end() : end].strip("\n").partition("\n\n")
        author = re.search(r"^Author:\s*(.*?)\s*(?:<[^>]*>)?$", head, re.M)
        dated = re.search(r"^(?:Author)?Date:\s*(.*)$", head, re.M)
        words = "\n".join(
            line.removeprefix("    ") for line in body.split("\n") if line.startswith("    ") or not line.strip()
        )
        events += event(
            author[1] if author else "unknown", words.strip(), id=mark["sha"], at=git_time(dated[1] if dated else "")
        )
    return ([Session(f"log-{stem}", f"git:{stem}", "integration", tuple(events))] if events else []), []


def git_time(text: str) -> str:
    """RFC 3339 of the dates that git prints; "" for what is none."""
    bare = text.strip()
    for pattern in ("%a %b %d %H:%M:%S %Y %z", "%Y-%m-%d %H:%M:%S %z"):
        try:
            return datetime.strptime(bare, pattern).isoformat()
        except ValueError:
            continue
    try:
        return datetime.fromisoformat(bare).isoformat()
    except ValueError:
        return _mail_time(bare)
