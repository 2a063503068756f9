"""Memory with a language model, over the whole daemon: its answers are used, and its silence loses and blocks nothing."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.home import Home

SAID = [
    {"id": "m1", "speaker": "user", "text": "My sister Nora lives in Porto.", "at": "2026-03-01T09:00:00+08:00"},
    {"id": "m2", "speaker": "assistant", "text": "A fine city.", "at": "2026-03-01T09:00:20+08:00"},
]


class Endpoint:
    """An OpenAI-compatible server on this machine. `mood`: "well", "nonsense", "down", or "slow" until `go` is set."""

    def __init__(self) -> None:
        self.mood = "well"
        self.go = threading.Event()
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["content-length"])))
                outer._answer(self, request)

            def log_message(self, *_: Any) -> None:
                return

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_port}/v1"

    def _answer(self, handler: BaseHTTPRequestHandler, request: dict[str, Any]) -> None:
        schema = json.dumps(request["response_format"])
        inputs = json.loads(request["messages"][1]["content"])
        task, said = answer_to(schema, inputs)
        self.asked.append(task)
        if self.mood == "slow":
            self.go.wait(30)
        if self.mood == "down":
            handler.send_error(503)
            return
        content = "I would rather talk of ducks." if self.mood == "nonsense" else json.dumps(said, ensure_ascii=False)
        choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
        body = json.dumps({"id": "1", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", str(len(body.encode())))
        handler.end_headers()
        handler.wfile.write(body.encode())

    def close(self) -> None:
        self.go.set()
        self.server.shutdown()
        self.server.server_close()
        self.thread.join()


def answer_to(schema: str, inputs: dict[str, Any]) -> tuple[str, Any]:
    """(task, answer), as a well-behaved model would give it."""
    if '"Boundaries"' in schema:
        return "boundaries", {"starts": []}
    if '"Narrative"' in schema:
        return "narrate", {"topic": "Where Nora lives", "narrative": "The user said that Nora lives in Porto."}
    if '"Atoms"' in schema:
        return "atoms", {"atoms": [made for turn in inputs["turns"] if (made := atom_of(turn))]}
    if '"Assignment"' in schema:
        known = [e["id"] for e in inputs["entities"] if e["name"] == inputs["subject"]]
        if known:
            return "assign", {"action": "match_existing", "entity": known[0], "confidence": 0.95}
        return "assign", {"action": "create_new", "name": inputs["subject"], "type": "person", "confidence": 0.95}
    if '"Verdict"' in schema:
        same = [k["id"] for k in inputs["known"] if k["same_subject_and_aspect"]]
        return "verdict", {"action": "supersedes", "id": same[0]} if same else {"action": "different"}
    if '"Intended"' in schema:
        return "intent", {"kind": "identity"}
    return "other", {}


def atom_of(turn: dict[str, Any]) -> dict[str, Any] | None:
    found = re.search(r"(Nora) (?:lives in|moved to) (\w+)", turn["text"])
    if not found:
        return None
    return {"text": f"Nora's home is {found[2]}", "subject": "Nora", "aspect": "home", "kind": "state",
            "holder": "Nora", "speaker": turn["speaker"], "turns": [turn["n"]], "quotes": [found[0]],
            "confidence": {"admission": 0.95, "create": 0.9, "match": 0.9}}  # fmt: skip


@pytest.fixture
def model() -> Iterator[Endpoint]:
    made = Endpoint()
    yield made
    made.close()


def config(model: Endpoint, every: int = 1) -> str:
    return (f'[vectors]\nmodel = "off"\n[formation]\nmethod = "llm"\nevery = {every}\n'
            f'[llm]\nbase_url = "{model.url}"\nmodel = "test-model"\ntimeout = 20\n')  # fmt: skip


def ingest(home: Home, session: str, events: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    return home.call(
        "memory.ingest",
        **({"session": session, "source": "chat", "events": events, "close": True, "wait": True} | more),
    )


def leaves(home: Home) -> list[str]:
    return [p.read_text() for p in sorted(home.vault.glob("memory/interaction/*/leaves/**/*.md"))]


def test_leaves_say_which_model_made_them(home: Home, model: Endpoint) -> None:
    """With a model the topic, the atoms and the owner are its own, and episode and leaf are signed `llm:<model>`."""
    home.config.write_text(config(model, 300))
    home.start()
    answer = ingest(home, "s1", SAID)
    assert [leaf["tree"] for leaf in answer["leaves"]] == ["interaction:nora"]
    assert not answer["pending"]
    [leaf] = leaves(home)
    assert "method: llm:test-model" in leaf
    assert "> Nora lives in Porto" in leaf
    [episode] = home.vault.glob("memory/episodes/**/*.md")
    assert "Where Nora lives" in episode.read_text()


def test_a_model_decides_that_a_newer_value_supersedes(home: Home, model: Endpoint) -> None:
    """The model's verdict joins the newer value to the older one."""
    home.config.write_text(config(model, 300))
    home.start()
    ingest(home, "s1", SAID)
    moved = [{"id": "n1", "speaker": "user", "text": "Nora moved to Braga.", "at": "2026-06-01T09:00:00+08:00"}]
    assert [leaf["outcome"] for leaf in ingest(home, "s2", moved)["leaves"]] == ["superseding"]
    assert model.asked.count("verdict") == 1


@pytest.mark.parametrize("mood", ["down", "nonsense"])
def test_what_no_model_answered_waits_and_is_read_later(home: Home, model: Endpoint, mood: str) -> None:
    """The words are evidence, the episode is in the backlog and the failure is named, in the log without a word of what
    was said; once the model answers after a restart the leaf is there, once."""
    model.mood = mood
    home.config.write_text(config(model))
    home.start()
    answer = ingest(home, "s1", SAID)
    assert answer["pending"]
    assert len(answer["evidence"]) == 2
    assert home.call("status")["backlog"]["atoms"] + home.call("status")["backlog"]["episodes"] >= 1
    assert not leaves(home)
    failing = home.until(lambda: home.call("status")["failing"])
    assert any(name.startswith("atoms:") for name in failing)
    home.end()
    assert "gave no usable answer" in home.log()
    assert not re.search("Porto|ducks", home.log())
    model.mood = "well"
    home.start()
    home.until(lambda: leaves(home))
    assert len(leaves(home)) == 1
    home.until(lambda: not home.call("status")["backlog"]["atoms"])


def test_a_silent_endpoint_is_left_alone_for_a_while(home: Home, model: Endpoint) -> None:
    """After three tries it is not asked again by the next call, which answers at once."""
    model.mood = "down"
    home.config.write_text(config(model, 300))
    home.start()
    ingest(home, "s1", SAID)
    tries = len(model.asked)
    ingest(home, "s2", [{**event, "id": f"z{event['id']}"} for event in SAID])
    assert 1 <= tries <= 3
    assert len(model.asked) == tries


def test_a_model_that_thinks_holds_up_no_evidence_and_no_forgetting(home: Home, model: Endpoint) -> None:
    """While the model takes its time words are taken in, found and forgotten; what it was thinking of and was forgotten
    meanwhile leaves nothing."""
    model.mood = "slow"
    home.config.write_text(config(model, 300))
    home.start()
    home.call("memory.ingest", session="s1", source="chat", events=SAID, close=True)
    home.until(lambda: model.asked)
    other = [{"id": "q", "speaker": "user", "text": "The kiosk sells figs.", "at": "2026-03-02T09:00:00+08:00"}]
    home.call("memory.ingest", session="s3", source="chat", events=other)
    assert home.call("memory.search", query="figs", kinds=["evidence"], mode="text")["hits"]
    home.call("memory.forget", target={"session": "s1"}, dry_run=False)
    model.mood = "well"
    model.go.set()
    home.until(lambda: home.call("memory.job", id="form:s1")["state"] in ("done", "failed"))
    left = [p for p in Path(home.vault / "memory").rglob("*.md") if "Porto" in p.read_text()]
    assert left == []


def test_what_rules_read_is_read_again_by_a_model_and_superseded(home: Home, model: Endpoint) -> None:
    """With a model set later the same episode is read again: its leaf stands beside the older file, which stays as it was."""
    home.config.write_text('[vectors]\nmodel = "off"\n')
    home.start()
    ingest(home, "s1", SAID)
    by_rules = {p: p.read_bytes() for p in home.vault.glob("memory/interaction/*/leaves/**/*.md")}
    assert by_rules
    home.end()
    home.config.write_text(config(model))
    home.start()
    home.until(lambda: any("llm:test-model" in text for text in leaves(home)))
    assert all(path.read_bytes() == data for path, data in by_rules.items())


def test_a_model_may_say_what_a_question_wants(home: Home, model: Endpoint) -> None:
    """Where the settings want it and no rule knows the kind: the answer names who said it, and is the rules' when the
    endpoint is down."""
    home.config.write_text(
        config(model, 300).replace('"llm"', '"rules"') + '[retrieve]\nintent = "llm"\nintent_budget_ms = 60000\n'
    )
    home.start()
    ingest(home, "s1", SAID)

    def asked(query: str) -> tuple[str, str, str]:
        answer = home.call("memory.retrieve", query=query)
        assert answer["evidence"]
        return answer["intent"], answer["coverage"]["intent_by"], answer["coverage"]["intent_why"]

    assert asked("Nora in Porto") == ("identity", "llm", "")
    assert asked("How do I reach Porto?") == ("procedure", "rules", "")
    assert model.asked == ["intent"]
    model.mood = "down"
    assert asked("Porto and Nora") == ("fact", "rules", "unavailable")
