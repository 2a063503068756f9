"""The README's table: the same 1,000 notes and queries through memd, basic-memory and qmd, by their command lines, in one run.

    python -m tests.bench.peers [memd] [qmd] [basic_memory]        (all without a name)

Each peer goes into an environment of its own below a temporary folder, from its public registry. What cannot be had, or
does not end in `PATIENCE` seconds a step, is a cell that says so.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.bench import vaults
from tests.bench.figures import median, ms
from tests.bench.ground import TEXT_ONLY, wait
from tests.bench.process import cpu
from tests.fakes.home import Home

COUNT, QUERIES, EDITS, PATIENCE = 1000, 8, 3, 300.0


class Row(NamedTuple):
    """One column of the table, top down."""

    name: str
    index: str = "–"
    search: str = "–"
    edit: str = "–"
    touched: str = "–"


class Failed(Exception):
    """A step that did not work, in a few words."""


def run(argv: Sequence[str], env: Mapping[str, str], where: Path) -> str:
    try:
        done = subprocess.run(argv, env=env, cwd=where, capture_output=True, text=True, timeout=PATIENCE)
    except subprocess.TimeoutExpired:
        raise Failed(f"`{' '.join(argv[-3:])}` not done in {PATIENCE:.0f} s") from None
    except OSError as error:
        raise Failed(str(error)) from error
    if done.returncode:
        last = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no word why"]
        raise Failed(f"`{' '.join(argv[-3:])}` failed: {last[0][:80]}")
    return done.stdout


def children() -> float:
    now = os.times()
    return now.children_user + now.children_system


def environment(base: Path) -> dict[str, str]:
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "MEMD_", "BASIC_MEMORY"))}
    return env | {"HOME": str(base), "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"}


def memd(base: Path, notes: Path) -> Row:
    home = Home(base / "home", TEXT_ONLY)
    shutil.copytree(notes, home.vault, dirs_exist_ok=True)
    began = time.perf_counter()
    home.start()
    wait(home, COUNT)
    took = time.perf_counter() - began
    assert home.process is not None
    used = cpu(home.process.pid)
    search = _searches(lambda query: home.cli("search", query, "--mode", "text").stdout)
    edits = [
        _edited(home.vault, n, lambda word: home.cli("search", word, "--mode", "text", "--json").stdout)
        for n in range(EDITS)
    ]
    changed = _changed(notes, home.vault)
    home.end()
    return Row("memd", f"{took:.1f} s, CPU {used:.1f} s", ms(search), ms(median(edits)), str(changed))


def basic_memory(base: Path, notes: Path) -> Row:
    """Its command line, text search; its watcher runs inside an MCP server, so an edit is followed by `reindex`."""
    base.mkdir()
    env = environment(base) | {
        "BASIC_MEMORY_DEFAULT_SEARCH_TYPE": "text",
        "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false",
    }
    run([_newer_python(), "-m", "venv", str(base / "venv")], env, base)
    run([str(base / "venv/bin/pip"), "install", "-q", "basic-memory"], env, base)
    command = str(base / "venv/bin/basic-memory")
    vault = base / "vault"
    shutil.copytree(notes, vault)
    run([command, "project", "add", "bench", str(vault), "--default"], env, base)
    took, used = _timed(lambda: run([command, "reindex", "--project", "bench"], env, base))
    search = _searches(lambda query: run([command, "tool", "search-notes", query], env, base))

    def find(word: str) -> str:
        run([command, "reindex", "--project", "bench"], env, base)
        return run([command, "tool", "search-notes", word], env, base)

    edit = _edited(vault, 1, find)
    version = run([command, "--version"], env, base).strip()[-20:]
    return Row(
        f"basic-memory {version}",
        f"{took:.1f} s, CPU {used:.1f} s",
        ms(search),
        f"{ms(edit)} (after `reindex`)",
        str(_changed(notes, vault)),
    )


def _newer_python() -> str:
    """basic-memory wants Python 3.12 or later, which need not be the one that memd runs on."""
    if sys.version_info >= (3, 12):
        return sys.executable
    homes = sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3"))
    found = [str(python) for python in homes] or [p for n in (13, 12) if (p := shutil.which(f"python3.{n}"))]
    if not found:
        raise Failed("no Python 3.12 or later on this machine")
    return found[0]


def qmd(base: Path, notes: Path) -> Row:
    """Lexical search; nothing watches, so an edit is followed by `update`."""
    base.mkdir()
    env = environment(base)
    if not shutil.which("npm"):
        raise Failed("no npm on this machine")
    run(["npm", "i", "--silent", "--prefix", str(base), "node@22"], env, base)
    env["PATH"] = f"{base}/node_modules/node/bin:{base}/node_modules/.bin:{env['PATH']}"
    run(["npm", "i", "--silent", "--prefix", str(base), "@tobilu/qmd@latest"], env, base)
    command = str(base / "node_modules/.bin/qmd")
    vault = base / "vault"
    shutil.copytree(notes, vault)
    took, used = _timed(lambda: run([command, "collection", "add", str(vault), "--name", "bench"], env, base))
    search = _searches(lambda query: run([command, "search", query, "--json"], env, base))

    def find(word: str) -> str:
        run([command, "update"], env, base)
        return run([command, "search", word, "--json"], env, base)

    edits = [_edited(vault, n, find) for n in range(EDITS)]
    version = run([command, "--version"], env, base).strip()[-20:]
    return Row(
        f"qmd {version}",
        f"{took:.1f} s, CPU {used:.1f} s",
        ms(search),
        f"{ms(median(edits))} (after `update`)",
        str(_changed(notes, vault)),
    )


def _timed(work: Callable[[], object]) -> tuple[float, float]:
    began, before = time.perf_counter(), children()
    work()
    return time.perf_counter() - began, children() - before


def _searches(ask: Callable[[str], object]) -> float:
    """Median seconds of a search as a command."""
    times = []
    for query in vaults.Writer(COUNT).queries(QUERIES):
        began = time.perf_counter()
        ask(query)
        times.append(time.perf_counter() - began)
    return median(times)


def _edited(vault: Path, number: int, find: Callable[[str], str]) -> float:
    """Seconds from a save to an answer that has it."""
    word = f"edited{number}zq"
    file = sorted(vault.rglob("note-*.md"))[number]
    file.write_text(file.read_text() + f"\n{word}\n")
    began = time.perf_counter()
    while file.stem not in find(word):
        if time.perf_counter() - began > PATIENCE:
            raise Failed("an edit was not found")
    return time.perf_counter() - began


def _changed(notes: Path, vault: Path) -> int:
    """Notes whose bytes the tool changed itself; those edited by the bench do not count."""
    pairs = ((file.read_bytes(), (vault / file.relative_to(notes)).read_bytes()) for file in notes.rglob("*.md"))
    return sum(was != now and b"edited" not in now[-20:] for was, now in pairs)


def table(rows: Sequence[Row]) -> str:
    heads = ["", *(row.name for row in rows)]
    lines = [
        ["first index of 1,000 notes", *(row.index for row in rows)],
        ["a search as a command, p50", *(row.search for row in rows)],
        ["a file edited → found, as commands", *(row.edit for row in rows)],
        ["notes rewritten by indexing", *(row.touched for row in rows)],
    ]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [heads, ["---"] * len(heads), *lines])


def main(options: Sequence[str]) -> None:
    everybody: list[Callable[[Path, Path], Row]] = [memd, qmd, basic_memory]
    peers = [peer for peer in everybody if not options or peer.__name__ in options]
    rows = []
    with tempfile.TemporaryDirectory(prefix="memd-peers-", ignore_cleanup_errors=True) as folder:
        notes = Path(folder) / "notes"
        size = vaults.make(notes, COUNT)
        print(
            json.dumps({"notes": COUNT, "bytes": size, "cores": os.cpu_count(), "load": os.getloadavg()[0]}),
            file=sys.stderr,
        )
        for peer in peers:
            try:
                rows.append(peer(Path(folder) / peer.__name__, notes))
            except Failed as why:
                rows.append(Row(f"{peer.__name__} ({why})"))
            print(rows[-1], file=sys.stderr, flush=True)
    print(table(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
