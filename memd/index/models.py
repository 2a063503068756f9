"""Which embedding model is meant, and whether its files are whole. A model that cannot be had is a value, not an error.

Knows settings (`auto`, `off`, NAME, PATH, URL), model folders and their manifests. Never loads a model, and never goes
to the network (`fetching` does). A folder's manifest (`manifest.json` beside the model) gives dimension,
prefixes and pooling, and the size and blake2b of each file, so that a truncated copy is found before a library reads it.
"""

from __future__ import annotations

import hashlib
import json
import os
from typing import Any, Literal

import msgspec
from msgspec import Struct

from memd.index import durable, lacks

BUNDLED = "e5-small-zh-en-int8"
MANIFEST = "manifest.json"
MODEL_FILES = (
    "model.onnx",
    "onnx/model.onnx",
    "model_optimized.onnx",
    "model_quantized.onnx",
    "onnx/model_quantized.onnx",
)
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "config.json")

RETRIEVAL = "Represent this sentence for searching relevant passages: "
PREFIXES = (
    ("e5", "query: ", "passage: "),
    ("nomic-embed", "search_query: ", "search_document: "),
    ("bge-small-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-large-zh", "为这个句子生成表示以用于检索相关文章：", ""),
    ("bge-", RETRIEVAL, ""),
    ("arctic-embed", RETRIEVAL, ""),
    ("mxbai-embed", RETRIEVAL, ""),
)
"""(part of a model's name, before a question, before a passage), as the models' own cards ask; the first match counts."""


class Unavailable(Exception):
    """A model that cannot be had now. The message is a sentence for a person: what is wrong and what to do."""


class Crashed(Unavailable):
    """The embedding process died or hung over what it was given: smaller portions may get through."""


class Choice(Struct, frozen=True, omit_defaults=True):
    """A model to load: a `folder` of ONNX files, a `cached` fastembed model, an `endpoint`, or `off` with the reason.

    `name` is the fingerprint: other name, other vectors. `title` is what people read.
    """

    kind: Literal["folder", "cached", "endpoint", "off"]
    name: str = ""
    title: str = ""
    reason: str = ""
    place: str = ""
    model_file: str = "model.onnx"
    dim: int = 0
    pooling: str = "mean"
    query: str = ""
    passage: str = ""
    key: str = ""


def bundled(name: str = BUNDLED) -> str:
    """The folder of the model that travels with the package."""
    return os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "share", "models", name)


def choose(setting: str, cache: str, key: str = "") -> Choice:
    """What `[vectors] model` means. `cache` is the folder of fetched models; `key` the endpoint's bearer token. Raises
    OSError where the system has nothing to look with."""
    setting = setting.strip()
    if setting in ("off", ""):
        return Choice("off", reason='Vectors are switched off ([vectors] model = "off").')
    if setting.startswith(("http://", "https://")):
        return _endpoint(setting, key)
    try:
        if setting in ("auto", BUNDLED):
            return folder_choice(bundled())
        if os.path.isdir(os.path.expanduser(setting)):
            return folder_choice(os.path.expanduser(setting))
    except Unavailable as why:
        return Choice("off", title=setting, reason=str(why))
    if os.path.isabs(os.path.expanduser(setting)) or setting.startswith("."):
        return Choice("off", title=setting, reason=f"There is no model folder {setting}.")
    return cached(setting, cache)


def again(choice: Choice, cache: str, key: str = "") -> Choice | None:
    """A model that was chosen another day, where it is still to be had and still the same."""
    if choice.kind == "endpoint":
        return msgspec.structs.replace(choice, key=key)
    try:
        now = folder_choice(choice.place) if choice.kind == "folder" else cached(choice.title, cache)
    except Unavailable:
        return None
    return now if now.name == choice.name else None


def _endpoint(setting: str, key: str) -> Choice:
    url, _, model = setting.partition("#")
    url = url.rstrip("/").removesuffix("/embeddings")
    query, passage = prefixes(model)
    return Choice(
        "endpoint",
        name=f"{url}#{model}",
        title=model or url,
        place=url,
        model_file=model,
        query=query,
        passage=passage,
        key=key,
    )


def cached(name: str, cache: str) -> Choice:
    """A fastembed model that was fetched before; its record says where it lies and what its files are."""
    try:
        with open(record_file(cache, name), encoding="utf-8") as file:
            record = json.load(file)
        damage = damaged(record["folder"], record["files"])
    except (OSError, ValueError, KeyError, TypeError) as error:
        lacks.reraised(error)
        return Choice(
            "off", title=name, reason=f"The model {name} is not here; fetch it with `memd model fetch {name}`."
        )
    if damage:
        return Choice("off", title=name, reason=f"{damage} Fetch it again with `memd model fetch {name}`.")
    query, passage = prefixes(name)
    return Choice(
        "cached", name=_fingerprint(name, record["files"]), title=name, place=cache, query=query, passage=passage
    )


def folder_choice(folder: str) -> Choice:
    """A folder of ONNX files, with or without a manifest. Raises Unavailable where a file is missing or not whole."""
    manifest = _load(os.path.join(folder, MANIFEST))
    if manifest and (damage := damaged(folder, manifest.get("files", {}))):
        raise Unavailable(damage + " Install memd again, or set [vectors] model to another one.")
    file = manifest.get("model_file") or next((f for f in MODEL_FILES if os.path.isfile(os.path.join(folder, f))), "")
    missing = [f for f in (file or MODEL_FILES[0], *TOKENIZER) if not os.path.isfile(os.path.join(folder, f))]
    if missing:
        raise Unavailable(f"The model folder {folder} has no {', '.join(missing)}.")
    title = os.path.basename(os.path.abspath(folder))
    query, passage = _prompts(folder, title)
    files = manifest.get("files") or measure(folder, (file, *TOKENIZER))
    return Choice(
        "folder",
        name=_fingerprint(title, files),
        title=title,
        place=os.path.abspath(folder),
        model_file=file,
        dim=manifest.get("dim") or int(_load(os.path.join(folder, "config.json")).get("hidden_size", 0)),
        pooling=manifest.get("pooling") or _pooling(folder),
        query=manifest.get("query", query),
        passage=manifest.get("passage", passage),
    )


def _fingerprint(name: str, files: dict[str, list[Any]]) -> str:
    """A model's name with a mark of its files: other files, other vectors."""
    return f"{name}:{hashlib.blake2b(json.dumps(files, sort_keys=True).encode(), digest_size=4).hexdigest()}"


def _load(path: str) -> dict[str, Any]:
    """A JSON file of a model folder; empty where there is none or it is not an object."""
    try:
        with open(path, encoding="utf-8") as file:
            value = json.load(file)
    except (OSError, ValueError) as error:
        lacks.reraised(error)
        return {}
    return value if isinstance(value, dict) else {}


def _prompts(folder: str, title: str) -> tuple[str, str]:
    prompts = _load(os.path.join(folder, "config_sentence_transformers.json")).get("prompts") or {}
    query, passage = prefixes(title)
    return prompts.get("query", query), prompts.get("passage", prompts.get("document", passage))


def _pooling(folder: str) -> str:
    """`cls` where the folder's own pooling file says so; mean is what most sentence models use."""
    return "cls" if _load(os.path.join(folder, "1_Pooling", "config.json")).get("pooling_mode_cls_token") else "mean"


def prefixes(name: str) -> tuple[str, str]:
    """What the model wants before a question and before a passage."""
    return next(((q, p) for part, q, p in PREFIXES if part in name.lower()), ("", ""))


def measure(folder: str, files: tuple[str, ...]) -> dict[str, list[Any]]:
    """name -> [size, blake2b] for a manifest."""
    paths = {name: os.path.join(folder, name) for name in files}
    return {name: [os.path.getsize(path), durable.digest(path)] for name, path in paths.items()}


def damaged(folder: str, files: dict[str, list[Any]]) -> str:
    """A sentence about the first file that is not as recorded, "" where all are. Sizes are looked at before hashes."""
    for name, (size, _) in files.items():
        path = os.path.join(folder, name)
        have = os.path.getsize(path) if os.path.isfile(path) else -1
        if have != size:
            return f"The model file {path} " + ("is missing." if have < 0 else f"has {have} bytes instead of {size}.")
    for name, (_, digest) in files.items():
        if durable.digest(os.path.join(folder, name)) != digest:
            return f"The model file {os.path.join(folder, name)} is damaged: its hash is not the recorded one."
    return ""


def record_file(cache: str, name: str) -> str:
    return os.path.join(cache, name.replace("/", "--") + ".json")
