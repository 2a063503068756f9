"""The programs: how each is installed from its public registry, told of a folder, asked. Knows no figure."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from tests.bench import process
from tests.bench.ground import TEXT_ONLY
from tests.bench.peers.trial import Failed, children, environment, run
from tests.fakes.home import Home, bytecode

MEANING = TEXT_ONLY.replace('[vectors]\nmodel = "off"\n', "")


class Memd:
    update = ""

    def install(self, base: Path) -> str:
        bytecode()
        return "memd"

    def index(self, home: Path) -> float:
        """The speed of the others is that of words; questions are asked by meaning too, with the model in the package."""
        asked = home.name == "asked"
        self._home = Home(home, MEANING if asked else TEXT_ONLY).start()
        count = sum(1 for _ in self._home.vault.rglob("*.md"))
        self._home.until(lambda: self._ready(count, asked), 600)
        assert self._home.process is not None
        return process.cpu(self._home.process.pid)

    def _ready(self, count: int, asked: bool) -> bool:
        status = self._home.call("status")
        read = status["index"]["current"] and status["text"]["units"] >= count
        return read and (not asked or status["vectors"]["state"] == "ready")

    def search(self, query: str) -> str:
        return self._home.cli("search", query, "--mode", "text").stdout

    def meant(self, query: str) -> str:
        return self._home.cli("search", query, "--mode", "hybrid").stdout

    def updated(self) -> None:
        pass

    def end(self) -> None:
        self._home.end()


class Command:
    """A program that is only a command: `_run` in the home of the vault that was indexed last."""

    update = ""

    def __init__(self) -> None:
        self._env: dict[str, str] = {}
        self._home = Path()
        self._command = ""

    def _run(self, *argv: str) -> str:
        return run([self._command, *argv], self._env, self._home)

    def _at(self, home: Path) -> Path:
        self._home, self._env = home, self._env | environment(home)
        return home / "vault"

    def meant(self, query: str) -> str:
        raise Failed("needs a model hub")

    def end(self) -> None:
        pass


class Qmd(Command):
    """Lexical search; nothing watches, so a save is followed by `update`."""

    update = "qmd update"

    def install(self, base: Path) -> str:
        if not shutil.which("npm"):
            raise Failed("no npm on this machine")
        self._modules = base / "node_modules"
        self._command = str(self._modules / ".bin/qmd")
        self._at(base)
        for package in ("node@22", "@tobilu/qmd@latest"):
            run(["npm", "i", "--silent", "--prefix", str(base), package], self._env, base)
        return f"qmd {self._run('--version').split()[1]}"

    def _at(self, home: Path) -> Path:
        vault = super()._at(home)
        self._env["PATH"] = f"{self._modules}/node/bin:{self._modules}/.bin:{self._env['PATH']}"
        return vault

    def index(self, home: Path) -> float:
        vault, before = self._at(home), children()
        self._run("collection", "add", str(vault), "--name", "bench")
        return children() - before

    def search(self, query: str) -> str:
        return self._run("search", query, "--json")

    def updated(self) -> None:
        self._run("update")


class Packaged(Command):
    """A program of the Python registry, in an environment of its own."""

    package, command = "", ""

    def install(self, base: Path) -> str:
        self._at(base)
        run([_newer_python(), "-m", "venv", str(base / "venv")], self._env, base)
        run([str(base / "venv/bin/pip"), "install", "-q", self.package], self._env, base)
        self._command = str(base / "venv/bin" / self.command)
        show = run([str(base / "venv/bin/pip"), "show", self.package], self._env, base)
        return f"{self.package} {show.split('Version: ')[1].split()[0]}"


class BasicMemory(Packaged):
    """Text search; its watcher runs inside an MCP server, so a save is followed by `reindex`."""

    package = command = "basic-memory"
    update = "reindex"

    def index(self, home: Path) -> float:
        vault = self._at(home)
        self._env |= {"BASIC_MEMORY_DEFAULT_SEARCH_TYPE": "text", "BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED": "false"}
        self._run("project", "add", "bench", str(vault), "--default")
        before = children()
        self.updated()
        return children() - before

    def search(self, query: str) -> str:
        return self._run("tool", "search-notes", query)

    def updated(self) -> None:
        self._run("reindex", "--project", "bench")


class Memsearch(Packaged):
    """Its vectors come from a provider; without one it has no search by words either."""

    package = command = "memsearch"
    update = "index"

    def index(self, home: Path) -> float:
        self._at(home)
        before = children()
        self.updated()
        return children() - before

    def search(self, query: str) -> str:
        return self._run("search", query)

    def updated(self) -> None:
        self._run("index", str(self._home / "vault"))


class Mem0(Packaged):
    """A library: each note is added as it is (`infer=False`), which asks no language model."""

    package, command = "mem0ai", "python"
    _ADD = """
import pathlib, sys, mem0
memory = mem0.Memory()
for file in pathlib.Path(sys.argv[1]).rglob("*.md"):
    memory.add(file.read_text(), user_id="bench", infer=False, metadata={"file": file.stem})
"""
    _ASK = "import sys, mem0; print(mem0.Memory().search(sys.argv[1], filters={'user_id': 'bench'}))"

    def index(self, home: Path) -> float:
        vault, before = self._at(home), children()
        self._run("-c", self._ADD, str(vault))
        return children() - before

    def search(self, query: str) -> str:
        return self._run("-c", self._ASK, query)

    def updated(self) -> None:
        self._run("-c", self._ADD, str(self._home / "vault"))


def _newer_python() -> str:
    """Some want Python 3.12 or later, which need not be the one that memd runs on."""
    if sys.version_info >= (3, 12):
        return sys.executable
    homes = sorted(Path.home().glob(".pyenv/versions/3.1[2-9]*/bin/python3"))
    found = [str(python) for python in homes] or [p for n in (13, 12) if (p := shutil.which(f"python3.{n}"))]
    if not found:
        raise Failed("no Python 3.12 or later on this machine")
    return found[0]
