"""One trial for every program: index the same notes, ask the same questions, save a note and ask again. Knows no program."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

from tests.bench import vaults
from tests.bench.figures import median, ms
from tests.bench.peers.asked import Asked

QUERIES, EDITS, PATIENCE = 8, 3, 300.0
_NAME = re.compile(r"zq\d{4}")


class Failed(Exception):
    """A step that did not work, in a few words."""


class Peer(Protocol):
    """A program with a command line. `update` is what a person has to run after a save ("" where nothing)."""

    update: str

    def install(self, base: Path) -> str:
        """Its name and version."""

    def index(self, home: Path) -> float:
        """Reads the notes of `home`/vault for the first time, in a home of its own. CPU seconds."""

    def search(self, query: str) -> str:
        """What the command prints; by words."""

    def meant(self, query: str) -> str:
        """The same by meaning too; raises Failed where that needs a model hub or a language model."""

    def updated(self) -> None: ...

    def end(self) -> None: ...


class Row(NamedTuple):
    """One column of the table, top down; `failed` says at what it ended early."""

    name: str
    index: str = "–"
    search: str = "–"
    edit: str = "–"
    touched: str = "–"
    english: str = "–"
    chinese: str = "–"
    failed: str = ""


def run(argv: Sequence[str], env: Mapping[str, str], where: Path) -> str:
    said = f"`{Path(argv[0]).name} {argv[1]}`"
    try:
        done = subprocess.run(argv, env=env, cwd=where, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failed(f"{said} not done in {PATIENCE:.0f} s") from None
    except OSError as error:
        raise Failed(str(error)) from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no word why"]
        raise Failed(f"{said} failed: {last[0][:60]}")
    return done.stdout


def environment(home: Path) -> dict[str, str]:
    """A home of its own, no model hub, no key of a language model."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "MEMD_", "BASIC_MEMORY", "OPENAI"))}
    return env | {"HOME": str(home), "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"}


def children() -> float:
    """CPU seconds of the commands run so far."""
    now = os.times()
    return now.children_user + now.children_system


def trial(peer: Peer, base: Path, notes: Path, passages: Path, questions: Sequence[Asked]) -> Row:
    base.mkdir()
    row = Row(base.name)
    try:
        row = row._replace(name=peer.install(base))
        row = _speed(peer, base / "speed", notes, row)
        return _answers(peer, base / "asked", passages, questions, row)
    except Failed as why:
        return row._replace(failed=str(why))


def _speed(peer: Peer, home: Path, notes: Path, row: Row) -> Row:
    vault = Path(shutil.copytree(notes, home / "vault"))
    began = time.perf_counter()
    used = peer.index(home)
    index, search = f"{time.perf_counter() - began:.1f} s, CPU {used:.1f} s", ms(_searches(peer))
    edit = ms(median([_edited(peer, vault, number) for number in range(EDITS)]))
    peer.end()
    after = f", after `{peer.update}`" if peer.update else ", by itself"
    return row._replace(index=index, search=search, edit=edit + after, touched=str(_changed(notes, vault)))


def _answers(peer: Peer, home: Path, passages: Path, questions: Sequence[Asked], row: Row) -> Row:
    shutil.copytree(passages, home / "vault")
    peer.index(home)
    english, chinese = ([one for one in questions if one.language == language] for language in ("en", "zh"))
    row = row._replace(english=_found(peer, english), chinese=_found(peer, chinese))
    peer.end()
    return row


def _searches(peer: Peer) -> float:
    """Median seconds of a search as a command."""
    times = []
    for query in vaults.Writer(1000).queries(QUERIES):
        began = time.perf_counter()
        peer.search(query)
        times.append(time.perf_counter() - began)
    return median(times)


def _edited(peer: Peer, vault: Path, number: int) -> float:
    """Seconds from a save to an answer that has it."""
    word = f"edited{number}zq"
    file = sorted(vault.rglob("note-*.md"))[number]
    file.write_text(file.read_text() + f"\n{word}\n")
    began = time.perf_counter()
    while True:
        peer.updated()
        if file.stem in peer.search(word):
            return time.perf_counter() - began
        if time.perf_counter() - began > PATIENCE:
            raise Failed("an edit was not found")


def _changed(notes: Path, vault: Path) -> int:
    """Notes whose bytes the tool changed itself; those edited by the bench do not count."""
    pairs = ((file.read_bytes(), (vault / file.relative_to(notes)).read_bytes()) for file in notes.rglob("*.md"))
    return sum(was != now and b"edited" not in now[-20:] for was, now in pairs)


def _found(peer: Peer, questions: Sequence[Asked]) -> str:
    """How many find their note first / among five; by meaning too where the program can do it here."""
    if not questions:
        return "–"
    words = _counted(peer.search, questions)
    try:
        return f"{_counted(peer.meant, questions)} (words alone {words})"
    except Failed:
        return words


def _counted(search: Callable[[str], str], questions: Sequence[Asked]) -> str:
    ranks = [list(dict.fromkeys(_NAME.findall(search(one.text))))[:5] for one in questions]
    first = sum(rank[:1] == [one.note] for rank, one in zip(ranks, questions, strict=True))
    five = sum(one.note in rank for rank, one in zip(ranks, questions, strict=True))
    return f"{first} / {five}"
