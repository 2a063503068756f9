"""When memd says that meaning is ready: once every note is found by it, not before."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from shutil import rmtree

import pytest

from tests.fakes.home import Home

NOTES = 1200
"""More than two slices of files are handed in by."""


class Model(BaseHTTPRequestHandler):
    """An embedding endpoint that thinks the same of every text, at once."""

    def do_POST(self) -> None:
        texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
        body = json.dumps({"data": [{"index": i, "embedding": [1.0] * 8} for i in range(len(texts))]}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        return


@pytest.fixture
def model() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1#one"
    server.shutdown()
    server.server_close()


def test_meaning_is_ready_when_every_note_is_in_it(home: Home, model: str) -> None:
    """After a first start, and after one whose vectors were deleted, the first `ready` speaks of the whole vault, and until
    then it is `building`."""
    home.config.write_text(f'[vectors]\nmodel = "{model}"\n')
    for n in range(NOTES):
        home.write(f"n{n}.md", f"note {n}\n")

    def first_ready() -> dict[str, object]:
        def seen() -> dict[str, object]:
            vector = home.call("hello")["capabilities"]["vector"]
            assert vector["state"] in ("building", "ready")
            return vector if vector["state"] == "ready" else {}

        home.start()
        vector = home.until(seen)
        home.end()
        return vector

    assert first_ready()["done"] == NOTES
    rmtree(next(home.cache.rglob("vectors")))
    assert first_ready()["done"] == NOTES
