"""An embedding server as it is: slow, busy, wrong. Served here by a small HTTP server of our own."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from memd.index import endpoint
from memd.index.endpoint import Endpoint
from memd.index.models import Unavailable, choose
from tests.fakes.embedder import FakeEmbedder
from tests.index.embedder_contract import EmbedderContract


class Server:
    """`script` holds what the next answers are: a status, bytes, or a function of the honest answer; then it is honest."""

    def __init__(self):
        self.script, self.asked, self.paths, self.headers = [], [], [], []
        self.fake = FakeEmbedder(dim=64)
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self):
                outer.paths.append(self.path)
                self.reply(200, json.dumps({"data": [{"id": "first"}]}).encode())

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.paths.append(self.path)
                outer.headers.append(dict(self.headers))
                outer.asked.append(body)
                step = outer.script.pop(0) if outer.script else None
                if isinstance(step, int):
                    return self.reply(step, b"{}")
                if isinstance(step, bytes):
                    return self.reply(200, step)
                data = [
                    {"index": i, "embedding": [3 * x for x in outer.fake.vector(text) or [0.0] * 64]}
                    for i, text in enumerate(body["input"])
                ]
                return self.reply(200, json.dumps({"data": step(data) if step else data}).encode())

            def reply(self, status, data):
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}/v1"
        threading.Thread(target=self.http.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()


@pytest.fixture
def server():
    server = Server()
    yield server
    server.http.shutdown()
    server.http.server_close()


@pytest.fixture
def pauses():
    return []


@pytest.fixture
def client(server, pauses):
    return Endpoint(choose(server.url + "#fake", ""), timeout=60, pause=pauses.append)


class TestEndpoint(EmbedderContract):
    @pytest.fixture
    def embedder(self, client):
        client.load()
        return client


def test_texts_travel_in_bounded_batches(client, server):
    """Many texts become requests of at most `BATCH`, shortest first, and every vector comes back to its own text."""
    texts = [f"word{i} " * (i % 7 + 1) for i in range(100)]
    rows = client.embed(texts)
    assert all(len(asked["input"]) <= endpoint.BATCH for asked in server.asked)
    assert rows[13] == pytest.approx(server.fake.vector(texts[13]))


def test_the_answer_is_ordered_by_its_own_index(client, server):
    """A server may answer in any order."""
    server.script = [lambda data: data[::-1]]
    assert client.embed(["tea", "milk and honey"])[0] == pytest.approx(server.fake.vector("tea"))


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_or_failing_server_is_asked_again(client, server, pauses, status):
    """429 and 5xx are tried again after growing pauses."""
    server.script = [status, status]
    assert client.embed(["tea"])[0] is not None
    assert len(pauses) == 2
    assert pauses == sorted(pauses)


def test_after_the_last_attempt_the_reason_is_said(client, server):
    """A server that goes on failing is unavailable, with its status."""
    server.script = [500] * 5
    with pytest.raises(Unavailable, match="status 500"):
        client.embed(["tea"])


def test_a_refusal_is_not_repeated(client, server, pauses):
    """A wrong key or model is not asked for twice."""
    server.script = [401]
    with pytest.raises(Unavailable, match="401"):
        client.embed(["tea"])
    assert pauses == []


@pytest.mark.parametrize(
    "answer",
    [b"<html>", b"[]", b'{"data": 3}', b'{"data": [{"embedding": "x"}]}', b'{"data": []}', b"\xff", b"[" * 100_000],
)
def test_an_answer_that_makes_no_sense_is_unavailable(client, server, answer):
    """Garbage is a reason, never another exception."""
    server.script = [answer]
    with pytest.raises(Unavailable):
        client.embed(["tea"])


def test_another_dimension_than_before_is_refused(client, server):
    """Vectors of another length than the first ones are never mixed with them."""
    client.embed(["tea"])
    server.script = [lambda data: [{"embedding": [1.0, 2.0]}]]
    with pytest.raises(Unavailable, match="instead of 64"):
        client.embed(["milk"])


def test_numbers_that_are_none_give_no_vector(client, server):
    """NaN and zeros have no direction."""
    server.script = [b'{"data": [{"embedding": [NaN, 1.0]}]}']
    assert client.embed(["tea"]) == [None]


def test_nobody_listening_is_unavailable(pauses):
    """A port without a server is a sentence, after the attempts."""
    client = Endpoint(choose("http://127.0.0.1:9/v1#m", ""), timeout=1, pause=pauses.append)
    with pytest.raises(Unavailable, match="does not answer"):
        client.embed(["tea"])


def test_a_silent_server_times_out():
    """A server that accepts and says nothing costs the time-out, no more."""
    import socket

    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1#m"
        client = Endpoint(choose(url, ""), timeout=0.05, pause=lambda _: None)
        with pytest.raises(Unavailable, match="does not answer"):
            client.embed(["tea"])


def test_without_a_model_in_the_url_the_servers_first_is_taken(server):
    """`URL` alone asks the server which models it has."""
    client = Endpoint(choose(server.url, ""), pause=lambda _: None)
    client.embed(["tea"])
    assert server.asked[0]["model"] == "first"


def test_the_key_travels_in_the_header_and_in_no_message(server):
    """The bearer token is sent and never said."""
    client = Endpoint(choose(server.url + "#fake", "", key="s3cret"), retries=1)
    server.script = [401]
    with pytest.raises(Unavailable) as why:
        client.embed(["tea"])
    assert server.headers[0]["Authorization"] == "Bearer s3cret"
    assert "s3cret" not in str(why.value)
