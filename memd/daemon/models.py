"""Asks a language model behind an OpenAI-compatible endpoint; the only importer of the `openai` SDK.

Knows an endpoint, a prompt and the type that the answer must have. Never knows what memory is, and never raises on
what a model says: an answer that does not fit is asked for again, twice; then there is none.
"""

from __future__ import annotations

import json
import logging
import os
import re
import time
from typing import Any

import msgspec
from msgspec import Struct

from memd.model.config import LlmConfig
from memd.model.pauses import doubling

log = logging.getLogger("memd.models")

TRIES = 3
"""The first call and two bounded retries."""
FIRST_REST, LAST_REST = 30.0, 3600.0
"""Seconds for which an endpoint that did not answer is left alone: doubled each time up to the last."""
_FENCE = re.compile(r"^\s*```(?:json)?\s*(.*?)\s*```\s*$", re.S)


class _Message(Struct):
    content: str | None = None


class _Choice(Struct):
    message: _Message


class _Completion(Struct):
    """What is read of an answer; the client library takes whatever a proxy or a torn connection sends for one."""

    choices: list[_Choice]


class Model:
    """One endpoint. `name` is `llm:<model>`, as files sign it. `ask` blocks, at most `timeout` seconds a try."""

    def __init__(self, config: LlmConfig) -> None:
        self.config = config
        self._client: Any = None
        self.name = f"llm:{config.model}"
        self.error = ""
        self._format = 0
        self._bound = "max_tokens"
        self._silent = 0
        self._rests_until = 0.0

    def ask(self, prompt: str, inputs: dict[str, Any], schema: Any) -> Any:
        """A value of the type `schema`, or None where the model could not be had or could not be understood.

        An endpoint that does not answer is not asked again for a while, whoever asks.
        """
        if time.monotonic() < self._rests_until:
            return None
        described = msgspec.json.schema(schema)
        asked = messages = _asked(prompt, inputs, described)
        said: str | None = None
        for attempt in range(TRIES):
            if attempt:
                time.sleep(0.5 * attempt)
            said = self._call(messages, described)
            if said is not None:
                self._silent = 0
            if not said:
                continue
            try:
                value = msgspec.json.decode(_unfenced(said), type=schema, strict=False)
            except (msgspec.DecodeError, msgspec.ValidationError, RecursionError) as error:
                self.error = f"the answer does not fit the schema: {error}"
                messages = [*asked, *_again(said, error)]
            else:
                self.error = ""
                return value
        log.warning("%s gave no usable answer: memd status says why", self.name)
        if said is None:
            self._silent += 1
            self._rests_until = time.monotonic() + doubling(FIRST_REST, LAST_REST, self._silent)
        return None

    def _call(self, messages: list[dict[str, str]], schema: dict[str, Any]) -> str | None:
        """What the model says, "" where it refuses just this; None where nobody answers."""
        import openai

        if self._client is None:
            key = os.environ.get(self.config.api_key_env, "") if self.config.api_key_env else ""
            self._client = openai.OpenAI(
                base_url=self.config.base_url or None,
                api_key=key or "none",
                timeout=self.config.timeout,
                max_retries=0,
            )
        try:
            answer = self._client.chat.completions.with_raw_response.create(
                model=self.config.model,
                messages=messages,
                temperature=0,
                **({self._bound: self.config.max_tokens} if self.config.max_tokens > 0 else {}),
                **_formats(schema)[self._format],
            )
        except openai.OpenAIError as error:
            self.error = f"{self.config.base_url or 'the endpoint'} did not answer: {type(error).__name__}"
            if "response_format" in str(error):
                self._format = (self._format + 1) % len(_formats(schema))
                return ""
            if self._bound == "max_tokens" and "max_tokens" in str(error):
                self._bound = "max_completion_tokens"
                return ""
            status = getattr(error, "status_code", 500)
            return None if status >= 500 or status == 429 else ""
        try:
            choices = msgspec.json.decode(answer.content, type=_Completion).choices
        except (msgspec.MsgspecError, RecursionError):
            self.error = f"{self.config.base_url or 'the endpoint'} did not answer: what came is no completion"
            return None
        content = choices[0].message.content if choices else None
        self.error = "" if content else "the answer is empty"
        return content or ""


def _asked(prompt: str, inputs: dict[str, Any], schema: dict[str, Any]) -> list[dict[str, str]]:
    rules = f"{prompt}\n\nAnswer with one JSON value of this schema and nothing else:\n{json.dumps(schema)}"
    return [
        {"role": "system", "content": rules},
        {"role": "user", "content": json.dumps(inputs, ensure_ascii=False)},
    ]


def _again(said: str, error: Exception) -> list[dict[str, str]]:
    """An answer that does not fit, and what is wrong with it."""
    return [
        {"role": "assistant", "content": said[:4000]},
        {"role": "user", "content": f"That does not fit the schema ({error}). Answer again."},
    ]


def _formats(schema: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Ways to ask for JSON, the best first: not every server of this protocol knows `json_schema`, some know none."""
    return (
        {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", "schema": schema}}},
        {"response_format": {"type": "json_object", "schema": schema}},
        {},
    )


def _unfenced(text: str) -> bytes:
    found = _FENCE.match(text)
    return (found[1] if found else text).encode()
