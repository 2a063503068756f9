"""What is fuzzed: for each format a function of any bytes, which raises where a promise about any bytes is broken.

Bytes in, nothing out, no files but an index of three notes: fit for hypothesis (`test_fuzz`) and for any other fuzzer.
"""

from __future__ import annotations

import functools
import json
import tempfile
from collections.abc import Callable
from datetime import UTC

import msgspec

from memd.edit import links, splice
from memd.index.passages import passages, units
from memd.index.port import Operations
from memd.index.words import TantivyWords
from memd.model.errors import Refused
from memd.model.note import Note
from memd.model.vault import Vault
from memd.parse import simple, yaml_header
from memd.parse.frontmatter import load, spans, split
from memd.parse.markdown import scan
from memd.parse.note import parse_note
from memd.recall.query import parse_query
from memd.recall.weights import MOST_WORDS
from memd.serve import frames, messages
from tests.fakes.reversal import reverse


def frame(data: bytes) -> None:
    """A stream is cut into bodies alike however it arrives; every body is a request or a fault, to both sides."""
    whole, bits = frames.Inbox(), frames.Inbox()
    whole.feed(data)
    for at in range(0, len(data), 5):
        bits.feed(data[at : at + 5])
    while True:
        body = whole.take()
        assert body == bits.take()
        if not isinstance(body, bytes):
            break
        _body(body)
    _body(data)


def _body(body: bytes) -> None:
    assert isinstance(frames.read_reply(body), frames.Reply | frames.Fault)
    found = frames.read_request(body)
    if isinstance(found, frames.Request):
        try:
            messages.understand(found)
        except Refused as refused:
            if refused.code not in ("invalid_params", "unknown_method"):
                raise


def frontmatter(data: bytes) -> None:
    """Keys are JSON, problems and places are in the text; where the fast road answers, YAML says the same."""
    text = f"---\n{data.decode(errors='replace')}"
    head = split(text)
    keys, problems = load(head)
    json.dumps(keys, allow_nan=False).encode()
    assert all(0 <= problem.line <= text.count("\n") + 1 for problem in problems)
    assert all(0 <= start <= end <= len(text) for start, end in spans(text).values())
    fast = simple.read(head.block) if head and not head.fault else None
    assert fast is None or yaml_header.read(head) == (fast, [])


def markdown(data: bytes) -> None:
    """Any file is a note that can be kept, whose parts lie in it, and its words and passages can be had."""
    note, text = parse_note("memory/x.md", data, 0.0, UTC)
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(note), type=Note) == note
    last = text.count("\n") + text.count("\r") + 1
    assert all(0 <= one.line <= last for one in (*note.problems, *note.links, *note.observations))
    msgspec.msgpack.encode(passages(note, text, units(note, text)))
    source = splice.read(data)
    assert source.encode(source.text) == data


OLD, NEW = "a/Plan.md", "b/Scheme.md"
_OTHERS = {OLD: "# Plan\n", "c/Plans.md": "---\naliases: [the plan]\n---\n", "a/Other.md": "x\n"}


def wikilinks(data: bytes) -> None:
    """When a note moves, every link in any text goes on meaning the note that it meant, and no word else changes."""
    text = data.decode(errors="replace")
    notes = {p: parse_note(p, t.encode(), 0.0, UTC)[0] for p, t in (_OTHERS | {"a/from.md": text}).items()}
    move = links.shift(Vault(notes.values()), notes[OLD], NEW)
    splices = links.rewrite(text, "a/from.md", move)
    after = splice.apply(text, splices)
    assert splice.apply(after, reverse(text, splices)) == text
    meant = [NEW if path == OLD else path for path in _meant(text, move.before)]
    assert _meant(after, move.after) == meant


def _meant(text: str, vault: Vault) -> list[str | None]:
    return [vault.resolve(link.target, "a/from.md") for link in scan(text).links_at if link.note and link.target]


def query(data: bytes) -> None:
    """Any text is a question with a bounded number of words that the index answers."""
    typed = parse_query(data.decode(errors="replace"))
    assert len(typed.query.any) <= 2 * MOST_WORDS + 8
    _index().search(typed.query, 5)


@functools.cache
def _index() -> TantivyWords:
    made = TantivyWords(tempfile.mkdtemp(prefix="memd-fuzz-"))
    texts = {
        "a.md": "# Heron\n\nheron weir 苍鹭 #birds\n",
        "b.md": "the lighthouse at GPT-4\n",
        "c.md": "图书馆 路灯\n",
    }
    notes = {path: parse_note(path, text.encode(), 0.0, UTC) for path, text in texts.items()}
    made.apply(Operations({path: units(*both) for path, both in notes.items()}))
    made.commit()
    return made


TARGETS: dict[str, Callable[[bytes], None]] = {
    "frames": frame,
    "frontmatter": frontmatter,
    "markdown": markdown,
    "queries": query,
    "wikilinks": wikilinks,
}
