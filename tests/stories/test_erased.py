"""Killed right after a purge was acknowledged: not one byte of what was erased is in any file, neither then nor later."""

from __future__ import annotations

import hashlib
import json
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.index.embeddings import to_half
from tests.fakes.endpoint import embedding
from tests.fakes.home import Home

SAID = [
    ("private", "Quillwexford told me that the vicarage burns peat.", "vicarage"),
    ("private", "我妹妹龘小姐每周三去靐林图书馆学摄影。", "图书馆"),
    ("other", "My sister Nora lives in Porto.", "Nora"),
]
MARKS = ("Quillwexford", "龘", "靐")
"""Each so rare that no library, and no other line, has it."""


THOUGHT: dict[str, list[float]] = {}
"""What the model thought of each text that it was shown."""


def think(text: str) -> list[float]:
    """Something of its own of every text."""
    THOUGHT[text] = [byte / 256 for byte in hashlib.sha256(text.encode()).digest()]
    return THOUGHT[text]


@pytest.fixture
def model() -> Iterator[str]:
    with embedding(think) as url:
        yield url


def traces(base: Path) -> set[str]:
    """Files that hold a mark, as a person or a program may spell it, or a vector of a text that has one."""
    spelt = {f.encode(code) for mark in MARKS for f in (mark, mark.lower()) for code in ("utf-8", "utf-16-le")}
    spelt |= {json.dumps(mark)[1:-1].encode() for mark in MARKS}
    thought = {to_half(v) for text, v in THOUGHT.items() if any(mark in text for mark in MARKS)}
    assert thought
    return {
        str(path.relative_to(base))
        for path in base.rglob("*")
        if path.is_file() and any(trace in path.read_bytes() + str(path).encode() for trace in spelt | thought)
    }


def test_what_was_purged_is_in_no_file_when_memd_is_killed_at_once(home: Home, model: str) -> None:
    """Vault, trash, indexes with their logs, embeddings, memd's own log: read byte by byte, and again after a restart."""
    home.config.write_text(f'[vectors]\nmodel = "{model}"\n[daemon]\nlog_level = "debug"\n')
    home.start()
    for number, (session, text, word) in enumerate(SAID):
        turn = {"id": f"e{number}", "speaker": "user", "text": text, "at": f"2026-03-0{number + 1}T09:00:00+08:00"}
        home.call("memory.ingest", session=session, source="chat", events=[turn], close=True, wait=True)
        home.until(lambda: home.call("status")["vectors"]["state"] == "ready")
        home.call("memory.retrieve", query=f"what of {word}")
    home.call("memory.patch")
    before = traces(home.base)
    assert {Path(path).parts[0] for path in before} == {"vault", "cache"}
    assert any("embeddings.db" in path for path in before), "what is looked for would be seen"
    done = home.call("memory.forget", target={"session": "private"}, purge=True, dry_run=False)
    home.end(signal.SIGKILL)
    assert (done["remaining"], traces(home.base)) == ([], set())
    home.start().settled()
    home.until(lambda: home.call("status")["vectors"]["state"] == "ready")
    assert traces(home.base) == set()
    assert home.paths("Porto")
    home.end()
    assert traces(home.base) == set()
