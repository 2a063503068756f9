"""What the abuse suite shares: all that a daemon says of a vault, so that two can be compared, and waiting for quiet."""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from memd.index.ledger import Ledger
from memd.index.words import TantivyWords
from tests.fakes.home import Home

WORDS = "heron weir acorn lantern plover 苍鹭 图书馆 摄影 river token".split()
OWN_TEMPORARY = ".~memd-"


def quiet(home: Home) -> Home:
    """Until the index is current and nobody, memd included, changes a file any more; a loss is accepted."""
    last: list[tuple[str, int]] = []
    for _ in range(80):
        home.until(lambda: home.call("memory.refresh", accept=True)["index"]["current"])
        if home.call("status")["queues"]["displaced"]:
            time.sleep(0.25)
            continue
        now = sorted((str(path), path.lstat().st_mtime_ns) for path in files(home.vault))
        if now == last:
            return home
        last = now
        time.sleep(0.25)
    raise AssertionError("the vault never comes to rest")


def files(root: Path) -> Iterator[Path]:
    """Every entry that is no folder, hidden ones too."""
    for folder, _, names in os.walk(root):
        yield from (Path(folder, name) for name in names)


def everything(root: Path) -> bytes:
    """The bytes of every file of a vault, one after another: what stands in none of them is lost."""
    regular = (path for path in files(root) if path.is_file() and not path.is_symlink())
    return b"\n".join(path.read_bytes() for path in regular)


def orphans(root: Path) -> list[str]:
    return [str(path) for path in files(root) if path.name.startswith(OWN_TEMPORARY)]


def listed(home: Home) -> list[dict[str, Any]]:
    """Every note, through the cursor."""
    found: list[dict[str, Any]] = []
    cursor = ""
    while True:
        page = home.call("memory.list", limit=500, cursor=cursor, include_sensitive=True)
        found += page["notes"]
        if not (cursor := page["cursor"]):
            return sorted(found, key=lambda note: note["path"])


def said(home: Home, words: list[str] = WORDS) -> dict[str, Any]:
    """What a daemon answers about its vault, without what depends on when it was asked, or on how the index is cut."""
    answers: dict[str, Any] = {"list": listed(home)}
    for word in words:
        hits = home.call("memory.search", query=word, mode="text", limit=100, include_sensitive=True)["hits"]
        answers[f"search {word}"] = sorted(hits_of(hits), key=str) if len(hits) < 100 else len(hits)
    for note in answers["list"][::17]:
        around = home.call("memory.context", path=note["path"], depth=1, limit=50, include_sensitive=True)
        answers[f"context {note['path']}"] = plain(around)
        read = home.call("memory.read", path=note["path"], include_sensitive=True)
        answers[f"read {note['path']}"] = plain(read)
    problems, cursor = [], ""
    while True:
        page = home.call("memory.doctor", cursor=cursor)
        problems += [(p["code"], p["path"], p["line"], p["message"]) for p in page["problems"]]
        if not (cursor := page.get("cursor") or ""):
            break
    answers["problems"] = sorted(problems)
    return answers


def hits_of(hits: list[dict[str, Any]]) -> list[Any]:
    """Hits without their score: how rare a word is counts deleted documents too until the engine merges them away."""
    return [{k: v for k, v in hit.items() if k not in ("score", "related")} for hit in hits]


def plain(answer: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in answer.items() if key not in ("index", "took_ms")}


def books(home: Home) -> dict[str, Any]:
    """What a stopped daemon's cache holds: each ledger row without its stat, and how many units the text index has."""
    (cache,) = (p.parent for p in home.base.glob("cache/**/ledger.db"))
    words = TantivyWords(str(cache / "words"))
    ledger = Ledger(str(cache / "ledger.db"), words.identity)
    rows = {path: (row.sha256, row.units, msgspec.to_builtins(row.note)) for path, row in ledger.rows().items()}
    found = {"damage": (words.damage, ledger.damage), "units": words.count(), "rows": rows}
    ledger.close()
    words.close()
    return found


def copy_of(home: Home, base: Path) -> Home:
    """Another home whose vault is a copy, times and links kept; nothing of its cache."""
    base.mkdir(parents=True)
    shutil.copytree(home.vault, base / "vault", symlinks=True)
    return Home(base, home.config.read_text())


def differences(a: Any, b: Any, where: str = "") -> list[str]:
    """Where two answers differ, field by field; of lists that are not of one length, what only one of them has."""
    if isinstance(a, dict) and isinstance(b, dict):
        keys = sorted(a.keys() | b.keys(), key=str)
        return [d for key in keys for d in differences(a.get(key), b.get(key), f"{where}/{key}")]
    if isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
        return [d for n, (x, y) in enumerate(zip(a, b, strict=True)) for d in differences(x, y, f"{where}/{n}")]
    if isinstance(a, list) and isinstance(b, list):
        return [f"{where}: {str([x for x in a if x not in b])[:300]} ≠ {str([y for y in b if y not in a])[:300]}"]
    return [] if a == b else [f"{where}: {str(a)[:300]} ≠ {str(b)[:300]}"]


def tokens_in(data: bytes) -> set[bytes]:
    return set(re.findall(rb"tok[0-9a-f]{12}", data))


class Figures:
    """Counts of one module, told in the table at the end of the run."""

    def __init__(self, name: str, record: Any) -> None:
        self.name = name
        self._record = record
        self._found: dict[str, Any] = {}

    def add(self, **counts: float) -> None:
        for name, count in counts.items():
            self._found[name] = round(self._found.get(name, 0) + count, 3)

    def say(self, **values: Any) -> None:
        self._found |= values

    def tell(self) -> None:
        self._record("abuse", (self.name, dict(self._found)))
