"""Models that are had by name: fetched into the cache, checked, recorded, listed. Run as a process of its own by
`memd model`, so that the command line loads no model library. Knows the cache; who downloads is handed in.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import threading
from collections.abc import Callable, Iterator

import msgspec

from memd.index import durable
from memd.index.models import BUNDLED, Choice, Unavailable, cached, measure, record_file


def fetch(
    name: str,
    cache: str,
    download: Callable[[str, str], str],
    progress: Callable[[int], None] = lambda _: None,
) -> Choice:
    """Downloads a fastembed model into `cache`, checks it against the hub's own hashes and records it.

    `download(name, cache)` returns the folder; `progress` is told the bytes so far, twice a second. Raises Unavailable.
    """
    os.makedirs(cache, exist_ok=True)
    over = threading.Event()
    watch = threading.Thread(target=_watch, args=(cache, over, progress), daemon=True)
    watch.start()
    try:
        folder = download(name, cache)
    finally:
        over.set()
        watch.join()
    names = tuple(sorted(os.path.relpath(os.path.join(d, f), folder) for d, _, fs in os.walk(folder) for f in fs))
    for file in names:
        _check_blob(os.path.join(folder, file))
    record = {"name": name, "folder": folder, "files": measure(folder, names)}
    durable.put(record_file(cache, name), msgspec.json.encode(record))
    return cached(name, cache)


def _watch(cache: str, over: threading.Event, progress: Callable[[int], None]) -> None:
    start = _bytes(cache)
    while not over.wait(0.5):
        progress(max(0, _bytes(cache) - start))
    progress(max(0, _bytes(cache) - start))


def _bytes(folder: str) -> int:
    """Bytes on disk below a folder; files that vanish while counting count as nothing."""
    total = 0
    for here, _, files in os.walk(folder):
        for name in files:
            try:
                total += os.lstat(os.path.join(here, name)).st_size
            except FileNotFoundError:
                continue
    return total


def _check_blob(path: str) -> None:
    """The hub keeps large files under their sha256 and small ones under their git blob id: both are checked."""
    real = os.path.realpath(path)
    name = os.path.basename(real)
    if len(name) not in (40, 64) or any(c not in "0123456789abcdef" for c in name):
        return
    with open(real, "rb") as file:
        if len(name) == 64:
            found = hashlib.file_digest(file, "sha256").hexdigest()
        else:
            data = file.read()
            found = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
    if found != name:
        os.unlink(real)
        raise Unavailable(f"{os.path.basename(path)} arrived damaged and was removed; fetch the model again.")


def listed(cache: str) -> Iterator[tuple[str, str]]:
    """(name, how it is had) of the models that are here."""
    yield BUNDLED, 'travels with memd: [vectors] model = "auto"'
    for file in sorted(os.listdir(cache) if os.path.isdir(cache) else ()):
        if file.endswith(".json"):
            with open(os.path.join(cache, file), "rb") as record:
                name = str(json.load(record).get("name", ""))
            choice = cached(name, cache)
            yield name, choice.reason or f'fetched: [vectors] model = "{name}"'


def main(arguments: list[str]) -> int:
    """`CACHE list`, or `CACHE fetch NAME`, and `--json`; the exit code. What it says goes to stderr, the list to stdout."""
    cache, action, *names = (each for each in arguments if each != "--json")
    as_json = "--json" in arguments
    if action == "list":
        models = list(listed(cache))
        told = {"models": [{"name": name, "how": how} for name, how in models]}
        print(json.dumps(told) if as_json else "\n".join(f"{name}  {how}" for name, how in models))
        return 0
    from memd.index.embed import download

    try:
        fetch(names[0], cache, download, _draw if sys.stderr.isatty() else lambda _: None)
    except Unavailable as why:
        error = {"error": {"code": "unavailable", "message": str(why)}}
        print(json.dumps(error) if as_json else f"memd: {why}", file=sys.stdout if as_json else sys.stderr)
        return 1
    if as_json:
        print(json.dumps({"name": names[0]}))
    else:
        print(f'{names[0]} is here: [vectors] model = "{names[0]}" uses it', file=sys.stderr)
    return 0


def _draw(done: int) -> None:
    print(f"{done / 1e6:.0f} MB", end="\r", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
