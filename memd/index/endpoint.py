"""Text to vectors by an OpenAI-compatible `/v1/embeddings` endpoint (Ollama, llama.cpp, LM Studio), by http.client.

Knows one server: batches, retries, time-outs, and how to distrust its answers. Whatever goes wrong is `Unavailable` with
a sentence. Text is sent nowhere but to the URL of the setting; the bearer token never appears in a message.
"""

from __future__ import annotations

import http.client
import json
import math
import time
from collections.abc import Callable, Sequence
from typing import Any
from urllib.parse import urlsplit

from memd.index.models import Choice, Unavailable

BATCH = 32
BATCH_CHARACTERS = 24_000
RETRIES = 3
LIMIT = 64 * 1024 * 1024
"""Texts and characters in one request, attempts at one, bytes read of one answer."""


class Endpoint:
    """An `Embedder` (port). `timeout` is seconds for one request; `pause` waits between attempts.

    `dim` is 0 until the first answer. Not for two threads at once.
    """

    def __init__(
        self, choice: Choice, timeout: float = 30.0, pause: Callable[[float], None] = time.sleep, retries: int = RETRIES
    ) -> None:
        self._choice = choice
        self._timeout = timeout
        self._pause = pause
        self._retries = retries
        self._model = choice.model_file
        self.name = choice.name
        self.dim = choice.dim

    def load(self) -> None:
        """Asks for one vector, so that `dim` is known. Raises Unavailable."""
        self.embed(["memd"])

    def close(self) -> None:
        """No further attempts; a request under way ends by its time-out."""
        self._retries = 0

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Sequence[float] | None]:
        """One unit vector a text, in order; None for an empty text or an answer that is no direction. Raises Unavailable."""
        prefix = self._choice.query if query else self._choice.passage
        vectors: list[Sequence[float] | None] = [None] * len(texts)
        for batch in _batches(texts):
            rows = self._request([prefix + texts[i] for i in batch])
            for i, row in zip(batch, rows, strict=True):
                vectors[i] = _unit(row)
        return vectors

    def _request(self, texts: list[str]) -> list[list[float]]:
        self._model = self._model or self._first_model()
        answer = self._send("POST", "/embeddings", {"model": self._model, "input": texts, "encoding_format": "float"})
        rows = _rows(answer, len(texts))
        dims = {len(row) for row in rows}
        if len(dims) != 1 or (self.dim and dims != {self.dim}):
            raise Unavailable(
                f"{self._where()} answered vectors of {sorted(dims)} numbers instead of {self.dim or 'one length'}."
            )
        self.dim = dims.pop()
        return rows

    def _first_model(self) -> str:
        """The server's first model, for a URL without `#model`; servers that list none take any name."""
        answer = self._send("GET", "/models", None)
        listed = answer.get("data") if isinstance(answer, dict) else None
        first = listed[0] if isinstance(listed, list) and listed else None
        return str(first.get("id", "default")) if isinstance(first, dict) else "default"

    def _send(self, method: str, path: str, body: dict[str, Any] | None) -> Any:
        """Too many requests, a failing server and a broken connection are tried again; other refusals are not."""
        reason = f"{self._where()} is not asked any more."
        for attempt in range(self._retries):
            if attempt:
                self._pause(0.25 * 4**attempt)
            try:
                status, data = self._once(method, path, body)
            except (OSError, http.client.HTTPException) as error:
                reason = f"{self._where()} does not answer ({type(error).__name__})."
                continue
            if status == 200:
                return _decode(data, self._where())
            reason = f"{self._where()} answered with status {status}."
            if status != 429 and status < 500:
                break
        raise Unavailable(reason)

    def _once(self, method: str, path: str, body: dict[str, Any] | None) -> tuple[int, bytes]:
        url = urlsplit(self._choice.place)
        make = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
        connection = make(url.hostname or "", url.port, timeout=self._timeout)
        headers = {"Content-Type": "application/json", "Accept": "application/json"}
        if self._choice.key:
            headers["Authorization"] = "Bearer " + self._choice.key
        try:
            connection.request(method, url.path + path, json.dumps(body).encode() if body else None, headers)
            response = connection.getresponse()
            return response.status, response.read(LIMIT)
        finally:
            connection.close()

    def _where(self) -> str:
        return f"The embedding server {self._choice.place}"


def _batches(texts: Sequence[str]) -> list[list[int]]:
    made: list[list[int]] = []
    size = 0
    for i in sorted((i for i, text in enumerate(texts) if text.strip()), key=lambda i: len(texts[i])):
        if not made or len(made[-1]) >= BATCH or size + len(texts[i]) > BATCH_CHARACTERS:
            made.append([])
            size = 0
        made[-1].append(i)
        size += len(texts[i])
    return made


def _decode(data: bytes, where: str) -> Any:
    try:
        return json.loads(data)
    except (ValueError, RecursionError) as error:
        raise Unavailable(f"{where} answered something that is not JSON.") from error


def _rows(answer: Any, count: int) -> list[list[float]]:
    """The vectors in the order of the texts: `index` counts where the server gives it."""
    try:
        data = sorted(enumerate(answer["data"]), key=lambda pair: pair[1].get("index", pair[0]))
        rows = [[float(x) for x in item["embedding"]] for _, item in data]
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise Unavailable("The embedding server's answer has no vectors where they should be.") from error
    if len(rows) != count:
        raise Unavailable(f"The embedding server answered {len(rows)} vectors for {count} texts.")
    return rows


def _unit(row: list[float]) -> list[float] | None:
    norm = math.sqrt(sum(x * x for x in row))
    return [x / norm for x in row] if norm > 0 and math.isfinite(norm) else None
