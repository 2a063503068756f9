"""Killed before or after any act of the vectors on their files: nothing torn is believed, nothing embedded is lost.

A child works over a copy of the vectors' folder and dies at its n-th act: an opening that empties a file, an fsync, a
rename, an unlink, a transaction of the store. Every number is tried until a child comes to its end.
"""

from __future__ import annotations

import builtins
import os
import re
import shutil
import signal
import sqlite3
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.index import embeddings, vectors
from memd.index.embeddings import digest, to_half
from memd.index.vectors import Graph
from tests.fakes.abuse import Figures
from tests.fakes.meaning import World, model_folder, note

OLD = {path: some for n in range(60) for path, some in note(f"n{n}.md", f"word{n} and more{n}").items()}
NEW = {path: some for n in range(55, 65) for path, some in note(f"n{n}.md", f"young{n} and other{n}").items()}
ALL, SWITCH = OLD | NEW, 25
FORGOTTEN = "n7.md"
_CHANGES = re.compile(r"begin|insert|update|delete|pragma wal_checkpoint")


class Acts:
    """What this process does to files from now on: each act is written down, and it dies before or after one of them."""

    def __init__(self, log: Path, when: str, number: int) -> None:
        self.log = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        self.when, self.number, self.done = when, number, 0
        os.fsync = self.around("flush", os.fsync, lambda fd, *_: os.readlink(f"/proc/self/fd/{fd}"))
        os.replace = self.around("rename", os.replace, lambda *names: " ".join(names))
        os.unlink = self.around("unlink", os.unlink, lambda name, *_: name)
        as_ever, emptying = open, self.around("empty", open, lambda name, *_: name)
        builtins.open = lambda file, mode="r", *a, **k: (emptying if "w" in mode else as_ever)(file, mode, *a, **k)
        embeddings._connect = self.traced(embeddings._connect)

    def around(self, name: str, act: Callable[..., Any], subject: Callable[..., str]) -> Callable[..., Any]:
        def acted(*args: Any, **options: Any) -> Any:
            self.tell(f"{name} {subject(*args)}")
            self.count("before")
            result = act(*args, **options)
            self.count("after")
            return result

        return acted

    def traced(self, connect: Callable[[str], sqlite3.Connection]) -> Callable[[str], sqlite3.Connection]:
        """A transaction begins or ends, or is one statement; before the next is after it."""

        def connected(file: str) -> sqlite3.Connection:
            store = connect(file)

            def executes(statement: str) -> None:
                if statement == "COMMIT" or (_CHANGES.match(statement) and not store.in_transaction):
                    self.count(self.when)

            store.set_trace_callback(executes)
            return store

        return connected

    def tell(self, line: str) -> None:
        os.write(self.log, line.encode() + b"\n")

    def count(self, when: str) -> None:
        if when == self.when:
            self.done += 1
            if self.done == self.number:
                os.kill(os.getpid(), signal.SIGKILL)


def live(base: Path, acts: Acts, forgets: bool) -> None:
    """Takes the new notes up, embeds them, forgets one of the old ones, stops."""
    world = World(base)
    world.open(model_folder(base.parent, "model"), switch=SWITCH)
    world.update(NEW)
    world.until(done=len(ALL))
    acts.tell(f"embedded {acts.done}")
    if forgets:
        world.meaning.update({}, [FORGOTTEN])
        world.meaning.forget()
    world.meaning.stop()
    acts.tell("stopped")


def child(base: Path, when: str, number: int, forgets: bool) -> tuple[bool, list[str]]:
    """Whether it was killed, and its acts."""
    made = os.fork()
    if made == 0:
        try:
            live(base, Acts(base / "acts", when, number), forgets)
        finally:
            os._exit(0)
    _, status = os.waitpid(made, 0)
    return os.WIFSIGNALED(status), (base / "acts").read_text().splitlines()


def kept(base: Path) -> set[bytes]:
    """Digests of what a folder holds an embedding of; looked at in a copy, as opening changes it."""
    shutil.copytree(base / "cache", base / "copy")
    store = sqlite3.connect(base / "copy" / "embeddings.db")
    found = {row[0] for row in store.execute("select hash from vectors")}
    store.close()
    shutil.rmtree(base / "copy")
    return found


class Stood:
    """What was seen when the folder was opened again, all that was not known handed in anew, and what went forgotten again."""

    def __init__(self, base: Path, files: dict[str, Any], rows: list[int]) -> None:
        had = kept(base)
        del rows[:]
        world = World(base)
        world.files = dict(ALL)
        meaning = world.open(model_folder(base.parent, "model"), switch=SWITCH)
        known = meaning.known()
        world.update({p: some for p, some in files.items() if p in NEW or p not in known}, ALL.keys() - files.keys())
        world.until(total=len(files), done=len(files))
        self.embedded = world.models.handed("model")
        self.again = [text for text in self.embedded if digest(text) in had]
        self.rows = sum(rows)
        self.wrong = [path for path in files if world.paths(files[path][0].text, 1) != [path]]
        meaning.forget()
        meaning.stop()
        half = to_half(world.models.opened["model", True].vector(OLD[FORGOTTEN][0].text))
        self.remains = [str(p) for p in (base / "cache").rglob("*") if p.is_file() and half in p.read_bytes()]


@pytest.fixture
def rows(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How many rows were put into graphs, time after time. The process that tries a doubtful graph is not started."""
    put, found = Graph.put, []
    monkeypatch.setattr(
        Graph, "put", lambda self, labels, data: (found.append(len(labels)), put(self, labels, data))[1]
    )
    monkeypatch.setattr(vectors, "survives", lambda raw, dim: True)
    return found


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """The vectors of the old notes, saved at a clean end."""
    world = World(tmp_path / "saved")
    world.path.mkdir()
    world.open(model_folder(tmp_path, "model"), switch=SWITCH)
    world.update(OLD)
    world.until(done=len(OLD))
    world.meaning.stop()
    return world.path


@pytest.mark.parametrize("forgets", [False, True], ids=["saved", "forgotten"])
@pytest.mark.parametrize("when", ["before", "after"])
def test_killed_at_any_act_the_vectors_heal(
    saved: Path, rows: list[int], figures: Figures, when: str, forgets: bool
) -> None:
    """Every passage is found again, nothing that was kept is embedded again, and the graph is taken up, not built anew."""
    files = {path: some for path, some in ALL.items() if not forgets or path != FORGOTTEN}
    for acts, base in killed_at_each(saved, when, forgets):
        stood = Stood(base, files, rows)
        lost = stood.embedded if any(line.startswith("embedded") for line in acts) else []
        back = stood.remains if forgets else []
        figures.add(kills=1, lost=len(lost), wrong=len(stood.wrong) + len(stood.again) + len(back))
        assert (stood.wrong, stood.again, lost, back) == ([], [], [], []), acts[-3:]
        assert forgets or stood.remains, "what is looked for would be seen"
        assert forgets or stood.rows <= len(NEW), ("the graph was built anew", acts[-3:])


def killed_at_each(saved: Path, when: str, forgets: bool) -> Iterator[tuple[list[str], Path]]:
    """Folders in which a child was killed, with its acts: at every act from the first on, or from the forgetting on."""
    acts = child(copy(saved, 0), when, 0, forgets)[1]
    first = next(int(line.split()[1]) for line in acts if line.startswith("embedded")) if forgets else 1
    for number in range(first, 1000):
        base = copy(saved, number)
        killed, acts = child(base, when, number, forgets)
        if not killed:
            assert number > first + 8, acts
            return
        yield acts, base
        shutil.rmtree(base)


def copy(saved: Path, number: int) -> Path:
    return Path(shutil.copytree(saved, saved.parent / str(number)))


def test_what_has_its_name_is_on_the_disk(saved: Path) -> None:
    """No file is renamed before its bytes are flushed, none that stands is emptied, and nothing old goes, or is signed as
    done, before what takes its place has its name on the disk."""
    unsafe: set[str] = set()
    acts = child(copy(saved, 0), "before", 0, False)[1]
    for act, *names in (line.split() for line in acts):
        if act == "empty":
            assert names[0].endswith((".tmp", ".raw")), names
            unsafe.add(names[0])
        elif act == "flush":
            unsafe.discard(names[0])
        elif act == "rename":
            assert names[0] not in unsafe, names
            unsafe.add(os.path.dirname(names[1]))
        elif (act == "unlink" and names[0].endswith(".graph")) or act == "stopped":
            assert not {path for path in unsafe if not path.endswith(".raw")}, (act, names, unsafe)
    told = [line.split()[0] for line in acts]
    assert (told.count("rename"), told.count("flush")) == (3, 7), (
        "the graph, the manifest, the seal; the seal that went"
    )
    assert any(line.startswith("unlink") and line.endswith(".graph") for line in acts), "the old graph went"
