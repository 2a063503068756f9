"""The log names events, paths and counts: whoever reads it learns no word of a note, a question or a secret."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Any

from memd.model.errors import Refused
from tests.fakes.home import Home

WORDS = "quokka bandicoot wombat numbat 鸭嘴兽 针鼹 sk-proj-9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c".split()
CONFIG = (
    '[vectors]\nmodel = "off"\n[daemon]\nlog_level = "debug"\n[llm]\nbase_url = "http://127.0.0.1:9/v1"\nmodel = "m"\n'
)


def test_no_word_of_a_note_or_a_question_is_in_the_log(tmp_path: Path) -> None:
    """At its most talkative, with notes that are broken, questions that are refused, copies, a secret and a model that is
    not there."""
    said = " ".join(WORDS)
    home = Home(tmp_path, CONFIG)
    home.write("a.md", f"---\ntags: [{said}\n\tx: {said}\n---\n# {said}\n\n- [fact] {said}\n")
    home.write("b.md", f"one\ntwo\nthree\n{said}\n")
    home.write("b.sync-conflict-20261130-120000-ABCDEF7.md", f"one\ntwo\nthree\n{said}\n{said}\n")
    home.start().settled()
    event = {"speaker": "Lin", "role": "user", "text": f"I like {said}", "at": "2026-04-02T09:00:00+08:00"}
    calls: list[tuple[str, dict[str, Any]]] = [
        ("memory.search", {"query": said}),
        ("memory.search", {"query": said, "since": said}),
        ("memory.retrieve", {"query": said}),
        ("memory.ingest", {"session": "s", "source": "chat", "events": [event], "close": True, "wait": True}),
        ("memory.remember", {"text": f"I like {said}", "subject": "me", "aspect": said}),
        ("memory.write", {"title": "T", "body": said}),
        ("memory.append", {"permalink": "b", "category": said, "text": said}),
        ("memory.edit", {"permalink": "b", "find": said, "replace": "x", "all": True}),
        ("memory.correct", {"id": "lf-0000000000", "text": said}),
        ("memory.forget", {"target": {"session": "s"}, "dry_run": False}),
        ("memory.read", {"permalink": said}),
        (said, {}),
    ]
    for method, params in calls:
        with suppress(Refused):
            home.call(method, **params)
    (home.vault / "b.md").unlink()
    home.settled()
    home.end()
    log = home.log()
    assert "memd.copying" in log, "it does say something"
    assert [word for word in WORDS if word in log or word.encode("unicode_escape").decode() in log] == []
