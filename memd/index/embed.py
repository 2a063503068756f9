"""Text to vectors by an ONNX model on this machine, through fastembed. The only importer of fastembed.

Knows one loaded model: its prefixes, its tokenizer, what it cannot read, and how to cut work into batches that waste
little. Importing this module is cheap; opening a model costs 0.3–1.5 s and 130 MB, and holds the interpreter for a
tenth of a second and more, which is why the daemon opens one only in a process of its own. Never waits for a network.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from memd.index.models import Choice, Unavailable

BATCH_TOKENS = 1024
BATCH_TEXTS = 16
"""Tokens (padding counted) and texts in one run of the model. 460 mixed Chinese and English passages, 37k tokens, two
threads / one: 512×8 6.1 / 9.3 s, 1024×16 6.1 / 9.6, 2048×32 5.9 / 10.9, 4096×64 9.6 / 11.3, 16384×256 9.7 / 16.0; as they
come by 8 28 / 44 s, by 256 57 / 90 s; one by one 9.2 / 9.7."""

UNREADABLE = 0.25
"""Share of unknown tokens above which a text has no vector. The bundled model: LoCoMo turns at most .018, CMRC passages .041,
emoji alone .33, runes or cuneiform .5 (a run of unknowns counts once); an English-only MiniLM on Chinese is reported at .59."""


class OnnxEmbedder:
    """An `Embedder` (port). Raises Unavailable where the model cannot be loaded. Not for two threads at once."""

    def __init__(self, choice: Choice, threads: int = 0) -> None:
        self._choice = choice
        self._model = _open(choice, threads or None)
        self._tokenizer = self._model.model.tokenizer
        self._unknown = _unknown_id(self._tokenizer)
        self.name = choice.name
        self.dim = len(next(self._rows(["a"])))

    def embed(self, texts: Sequence[str], *, query: bool = False) -> list[Sequence[float] | None]:
        """One unit vector a text, in order; None where the model cannot read it. At most 512 tokens are looked at."""
        prefix = self._choice.query if query else self._choice.passage
        whole = [prefix + text for text in texts]
        vectors: list[Sequence[float] | None] = [None] * len(whole)
        readable = [(length, i) for i, length in enumerate(self._lengths(texts, whole)) if length]
        for batch in batches(readable):
            for i, row in zip(batch, self._rows([whole[i] for i in batch]), strict=True):
                vectors[i] = row if all(map(math.isfinite, row)) and any(row) else None
        return vectors

    def _rows(self, texts: list[str]) -> Iterator[Sequence[float]]:
        for row in self._model.embed(texts, batch_size=len(texts)):
            yield row.tolist()

    def _lengths(self, bare: Sequence[str], whole: list[str]) -> Iterator[int]:
        """Tokens of each whole text; 0 where too many of the bare text's own are unknown."""
        for start in range(0, len(whole), 64):
            lengths = [sum(e.attention_mask) for e in self._tokenizer.encode_batch(whole[start : start + 64])]
            own = self._tokenizer.encode_batch(list(bare[start : start + 64]), add_special_tokens=False)
            for length, encoding in zip(lengths, own, strict=True):
                ids = [i for i, real in zip(encoding.ids, encoding.attention_mask, strict=True) if real]
                yield length if ids and ids.count(self._unknown) <= UNREADABLE * len(ids) else 0


def batches(lengths: Sequence[tuple[int, int]]) -> Iterator[list[int]]:
    """(length, index) in any order → lists of indexes of like length, within `BATCH_TOKENS` and `BATCH_TEXTS`."""
    batch: list[int] = []
    for length, index in sorted(lengths):
        if batch and (length * (len(batch) + 1) > BATCH_TOKENS or len(batch) >= BATCH_TEXTS):
            yield batch
            batch = []
        batch.append(index)
    if batch:
        yield batch


def _open(choice: Choice, threads: int | None) -> Any:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    options: dict[str, Any] = {"threads": threads, "local_files_only": True, "providers": ["CPUExecutionProvider"]}
    name = choice.title
    if choice.kind == "folder":
        name = "memd/" + choice.name
        known = {model["model"].lower() for model in TextEmbedding.list_supported_models()}
        if name.lower() not in known:
            TextEmbedding.add_custom_model(
                model=name,
                pooling=PoolingType.CLS if choice.pooling == "cls" else PoolingType.MEAN,
                normalization=True,
                sources=ModelSource(hf=name),
                dim=choice.dim,
                model_file=choice.model_file,
            )
        options["specific_model_path"] = choice.place
    else:
        options["cache_dir"] = choice.place
    try:
        return TextEmbedding(name, enable_cpu_mem_arena=False, **options)
    except Exception as error:
        raise Unavailable(f"The model {choice.title} could not be loaded: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__)[:200].rstrip(".")


def _unknown_id(tokenizer: Any) -> int | None:
    """The id that stands for what the vocabulary lacks; None where the tokenizer has none (bytes cover all)."""
    for token in ("<unk>", "[UNK]", "<|unk|>", "UNK"):
        found = tokenizer.token_to_id(token)
        if found is not None:
            return int(found)
    return None


def download(name: str, cache: str) -> str:
    """Fetches a model by fastembed from its hub into `cache`; returns the folder of its files. Raises Unavailable."""
    from fastembed import TextEmbedding

    if name.lower() not in {model["model"].lower() for model in TextEmbedding.list_supported_models()}:
        raise Unavailable(
            f"fastembed knows no model {name}; a folder or a URL may be given as [vectors] model instead."
        )
    try:
        model: Any = TextEmbedding(name, cache_dir=cache, lazy_load=True)
    except Exception as error:
        raise Unavailable(f"The model {name} could not be fetched: {_first_line(error)}.") from error
    return str(model.model._model_dir)
