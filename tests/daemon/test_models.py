"""A language model behind an OpenAI-compatible endpoint: typed answers, bounded retries, and none is no failure."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any, Literal

import pytest
from msgspec import Struct

from memd.daemon import models
from memd.daemon.models import Model
from memd.daemon.prompts import Asker
from memd.form import tasks
from memd.model.config import Config, FormationConfig, LlmConfig
from memd.model.question import Judge


class Verdict(Struct):
    same: bool
    reason: str = ""


@contextmanager
def endpoint(*answers: str | int | bytes, refuses: tuple[str, ...] = ()) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """An endpoint that gives these answers in turn: a text, a status, or a whole body. It knows no format and no key that it `refuses`.
    Yields its URL and what it was asked."""
    asked: list[dict[str, Any]] = []
    left = list(answers)

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            answer = left.pop(0) if left else 500
            status, content = (200, answer) if isinstance(answer, str) else (answer, "")
            message = {"role": "assistant", "content": content}
            said: dict[str, Any] = {"id": "1", "object": "chat.completion", "created": 0, "model": "m",
                                    "choices": [{"index": 0, "finish_reason": "stop", "message": message}]}  # fmt: skip
            if asked[-1].get("response_format", {}).get("type", "") in refuses:
                status, said = 500, {"error": {"message": "1 validation error: ('body', 'response_format', 'type')"}}
                left.insert(0, answer)
            if unknown := next((key for key in asked[-1] if key in refuses), ""):
                status, said = 400, {"error": {"message": f"Unsupported parameter: '{unknown}'"}}
                left.insert(0, answer)
            if whole := isinstance(answer, bytes):
                status = 200
            body = answer if whole else json.dumps(said).encode()
            self.send_response(status)
            self.send_header("content-type", "text/html" if body.startswith(b"<") else "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            return

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1", asked
    finally:
        server.shutdown()
        thread.join()


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models.time, "sleep", lambda seconds: None)


def test_an_answer_comes_as_the_type_that_was_asked_for() -> None:
    """The schema goes along, JSON in a fence is understood, the answer is a typed value."""
    with endpoint('```json\n{"same": true, "reason": "both say Porto"}\n```') as (url, asked):
        model = Model(LlmConfig(base_url=url, model="m"))
        assert model.ask("Judge.", {"new": "a"}, Verdict) == Verdict(True, "both say Porto")
    assert asked[0]["response_format"]["json_schema"]["schema"]


def test_an_answer_that_does_not_fit_is_asked_for_again() -> None:
    """The second try is told what was wrong with the first."""
    with endpoint("yes", '{"same": "perhaps"}', '{"same": false}') as (url, asked):
        assert Model(LlmConfig(base_url=url, model="m")).ask("Judge.", {}, Verdict) == Verdict(False)
    assert "does not fit" in asked[1]["messages"][-1]["content"]


@pytest.mark.parametrize(
    ("refuses", "tried"),
    [
        (("json_schema",), ["json_schema", "json_object"]),
        (("json_schema", "json_object"), ["json_schema", "json_object", ""]),
    ],
)
def test_a_server_that_knows_no_schemas_is_asked_for_json(refuses: tuple[str, ...], tried: list[str]) -> None:
    """Its refusal is no silence: the next try asks in a plainer form, and so does the next question at once."""
    with endpoint('{"same": true}', '{"same": false}', refuses=refuses) as (url, asked):
        model = Model(LlmConfig(base_url=url, model="m"))
        assert model.ask("Judge.", {}, Verdict) == Verdict(True)
        assert model.ask("Judge.", {}, Verdict) == Verdict(False)
    assert [one.get("response_format", {}).get("type", "") for one in asked] == [*tried, tried[-1]]


@pytest.mark.parametrize(
    ("bound", "refuses", "sent"),
    [
        (4096, (), [{"max_tokens": 4096}]),
        (0, (), [{}]),
        (300, ("max_tokens",), [{"max_tokens": 300}, {"max_completion_tokens": 300}]),
    ],
)
def test_an_answer_is_bounded(bound: int, refuses: tuple[str, ...], sent: list[dict[str, int]]) -> None:
    """By the config's `max_tokens`, under the name that the endpoint knows; by nothing of memd's where it is 0."""
    with endpoint('{"same": true}', refuses=refuses) as (url, asked):
        model = Model(LlmConfig(base_url=url, model="m", max_tokens=bound))
        assert model.ask("Judge.", {}, Verdict) == Verdict(True)
    assert [{key: n for key, n in one.items() if key.startswith("max_")} for one in asked] == sent


def test_a_model_that_cannot_be_had_is_no_answer() -> None:
    """Errors of the endpoint and nobody listening give None after bounded tries, and a reason without any text of ours."""
    with endpoint(500, 500, 500, 500) as (url, asked):
        model = Model(LlmConfig(base_url=url, model="m"))
        assert model.ask("Judge.", {}, Verdict) is None
        assert len(asked) == models.TRIES
    silent = Model(LlmConfig(base_url="http://127.0.0.1:9/v1", model="m", timeout=1))
    assert silent.ask("Judge.", {}, Verdict) is None
    assert "did not answer" in silent.error


@pytest.mark.parametrize(
    "body",
    [
        b"<html>log in first</html>", b"", b'{"cho', b"[]", b"5", b'"ok"', b"{}", b'{"choices": 5}', b'{"choices": [null]}',
        b'{"choices": [{}]}', b'{"choices": [{"message": null}]}', b'{"choices": [{"message": {"content": [1]}}]}',
    ],
)  # fmt: skip
def test_a_page_that_is_no_answer_is_none(body: bytes) -> None:
    """A proxy's page, a torn body, an answer of another shape: asked again, and no failure of memd's."""
    with endpoint(body, '{"same": true}') as (url, asked):
        assert Model(LlmConfig(base_url=url, model="m")).ask("Same?", {}, Verdict) == Verdict(same=True)
        assert len(asked) == 2
    with endpoint(*[body] * 9) as (url, _):
        model = Model(LlmConfig(base_url=url, model="m"))
        assert model.ask("Same?", {}, Verdict) is None
        assert model.error


def test_the_log_quotes_no_answer(caplog: pytest.LogCaptureFixture) -> None:
    """A model may put a word of the talk where another belongs: `error` says so, for status, the log only that it failed."""

    class Chosen(Struct):
        action: Literal["same", "different"]

    with endpoint(*['{"action": "quokka"}'] * 3) as (url, _):
        model = Model(LlmConfig(base_url=url, model="m"))
        assert model.ask("Choose.", {}, Chosen) is None
    assert "quokka" in model.error
    assert "no usable answer" in caplog.text
    assert "quokka" not in caplog.text


def test_every_task_has_a_prompt_and_a_type() -> None:
    """Each task that a step may ask can be asked: its prompt is a file of config/prompts."""
    with endpoint(*["{}"] * 40) as (url, asked):
        config = Config(formation=FormationConfig(method="llm"), llm=LlmConfig(base_url=url, model="m"))
        ask = Asker(lambda: config)
        for task in tasks.TYPES:
            ask(Judge(task, {}, "key"))
    assert len({one["messages"][0]["content"][:80] for one in asked}) >= len(tasks.TYPES) - 1


def test_rules_ask_nobody() -> None:
    """With `method = "rules"` no endpoint is looked for, whatever the config names."""
    config = Config(llm=LlmConfig(base_url="http://127.0.0.1:9", model="m"))
    assert Asker(lambda: config)(Judge("atoms", {}, "key")) is None
