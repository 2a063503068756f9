"""What a formation step asks of the world, as values; the answers come back as arguments (design section 2).

A step is a generator: it yields one `Question`, is sent the answer, and returns a `Plan` (and whatever else it says).
Questions with a `key` are answered once for one content. Nothing here does any of the asking.

    Read     -> bytes | None
    Judge    -> the `schema` value, or None where nobody could answer (rules unsure, model not to be had)
    Similar  -> tuple[(id, score)], best first, ids of leaves or chains
    Embed    -> tuple[tuple[float, ...] | None, ...], None where no vector is to be had
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from msgspec import Struct


class Read(Struct, frozen=True, tag="read"):
    path: str


class Judge(Struct, frozen=True, tag="judge"):
    """`task` names the prompt and the schema (`config/prompts/<task>.md`), `inputs` are JSON values for it."""

    task: str
    inputs: dict[str, Any]
    key: str


class Similar(Struct, frozen=True, tag="similar"):
    text: str
    kind: str
    limit: int
    owner: str = ""


class Embed(Struct, frozen=True, tag="embed"):
    texts: tuple[str, ...]


Question = Read | Judge | Similar | Embed
Answer = Any
Asking = Generator[Question, Answer, Any]
