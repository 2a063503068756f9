"""An embedding endpoint on this machine, for daemons that are told to use one."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

Think = Callable[[str], list[float]]


@contextmanager
def embedding(think: Think) -> Iterator[str]:
    """The URL of one that answers at once what it thinks of each text."""

    class Model(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            texts = json.loads(self.rfile.read(int(self.headers["content-length"])))["input"]
            body = json.dumps(
                {"data": [{"index": i, "embedding": think(text)} for i, text in enumerate(texts)]}
            ).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            return

    server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1#one"
    server.shutdown()
    server.server_close()
