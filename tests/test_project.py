"""The project's own rules: lint, types, layers, one module a foreign library, a word for every module and test."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "memd").rglob("*.py"))
ONE_MODULE = {
    "apscheduler", "dateparser", "detect_secrets", "fastembed", "hnswlib", "mcp", "openai", "pathspec",
    "platformdirs", "tantivy", "watchdog",
}  # fmt: skip
EDGE = {"serve/socket.py", "daemon/attempts.py", "index/embed.py"}
"""The daemon's edge, where whatever a handler raises becomes an answer, and what a scheduled step trips over a failure
with a name; and the edge to models, whose runtime raises anything at all, where it becomes a reason."""


def run(*argv: str) -> None:
    done = subprocess.run([sys.executable, "-m", *argv], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text())) for path in SOURCES]


def imported(tree: ast.Module) -> set[str]:
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found.add(node.module.partition(".")[0])
    return found


def test_the_code_is_linted_and_formatted() -> None:
    """ruff finds nothing, in code or tests, and would format nothing."""
    run("ruff", "check", "memd", "tests")
    run("ruff", "format", "--check", "memd", "tests")


def test_the_types_hold() -> None:
    """mypy is content with the whole package, strictly."""
    run("mypy", "memd")


def test_imports_only_go_down() -> None:
    """The layers of the design are kept, and no module stands outside them."""
    done = subprocess.run([str(Path(sys.executable).parent / "lint-imports")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:]


def test_each_foreign_library_has_one_module() -> None:
    """A library can be exchanged in one place; numpy, msgspec and yaml are spoken by several."""
    users: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees():
        for name in imported(tree) & ONE_MODULE:
            users[name].append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in users.items() if len(paths) > 1}, users


def test_every_module_says_what_it_knows() -> None:
    """Each module opens with a docstring."""
    missing = [str(p.relative_to(ROOT)) for p, tree in trees() if not ast.get_docstring(tree)]
    assert not missing, missing


def test_every_test_makes_a_claim() -> None:
    """Each test has a docstring: the tests read as a specification."""
    missing = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test") and not ast.get_docstring(node):
                missing.append(f"{path.name}:{node.name}")
    assert not missing, missing


def test_nothing_is_caught_blindly() -> None:
    """No broad `except` but at the daemon's edge; one that raises again catches nothing."""
    broad = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.ExceptHandler) or str(path.relative_to(ROOT / "memd")) in EDGE:
                continue
            name = node.type.id if isinstance(node.type, ast.Name) else "" if node.type else "everything"
            again = any(isinstance(n, ast.Raise) and n.exc is None for n in ast.walk(node))
            if name in ("Exception", "BaseException", "everything") and not again:
                broad.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not broad, broad


def test_no_pattern_repeats_a_group_possessively() -> None:
    """`(?:…)*+` and `(?>…)` match wrongly before Python 3.11.5 (gh-106052), which Debian 12 has: no header was read there."""
    wrong = re.compile(r"(?<![\\(])\)(?:[*+?]|\{[\d,]*\})\+|\(\?>")
    assert [
        f"{path}: {node.value}"
        for path, tree in trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and wrong.search(node.value)
    ] == []


def test_the_wheel_carries_what_memd_needs() -> None:
    """config, systemd and the template vault are told to travel with the package."""
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert set(wheel["force-include"]) == {"config", "systemd", "vault-template"}
    assert all((ROOT / name).is_dir() for name in wheel["force-include"])
