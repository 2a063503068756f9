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
EVERYWHERE = sys.stdlib_module_names | {"memd", "msgspec"}
LATE = {"apscheduler", "detect_secrets", "fastembed", "hnswlib", "mcp", "numpy", "openai", "rich"}
"""Loaded when they are used, and never before."""
WIRE = re.compile(
    r"memd\.(__version__|(bridge|client|model|parse\.exports|serve\.(frames|messages|params|bases|described|binding|places))\b.*)"
)
"""What clients may know of memd."""
EDGE = {"serve/socket.py", "daemon/attempts.py", "index/embed.py"}
"""The daemon's edge, where whatever a handler raises becomes an answer, and what a scheduled step trips over a failure
with a name; and the edge to models, whose runtime raises anything at all, where it becomes a reason."""


def run(*argv: str) -> None:
    done = subprocess.run([sys.executable, "-m", *argv], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]


def trees() -> list[tuple[Path, ast.Module]]:
    return [(path, ast.parse(path.read_text())) for path in SOURCES]


def imported(tree: ast.Module) -> set[str]:
    """Dotted names: `from a import b` is `a.b`, whether b is a module or not."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
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
    """A library can be exchanged in one place; msgspec alone is spoken by all."""
    users: dict[str, list[str]] = defaultdict(list)
    for path, tree in trees():
        for name in {name.partition(".")[0] for name in imported(tree)} - EVERYWHERE:
            users[name].append(str(path.relative_to(ROOT)))
    assert not {name: paths for name, paths in users.items() if len(paths) > 1}, users


def test_clients_know_the_wire_and_nothing_else() -> None:
    """The command line, the clients and the MCP bridge import the socket's language and records."""
    clients = ((path, tree) for path, tree in trees() if "bridge" in path.parts or path.name == "client.py")
    wrong = [
        f"{path.name}: {name}"
        for path, tree in clients
        for name in imported(tree)
        if re.match(r"memd\b", name) and not WIRE.fullmatch(name)
    ]
    assert not wrong, wrong


def test_what_is_heavy_is_loaded_late() -> None:
    """A daemon that starts has imported none of the libraries that only vectors, models, alarms or clients need."""
    program = "import sys, memd.daemon.build, memd.daemon.app; print(sorted(set(sys.argv[1:]) & sys.modules.keys()))"
    told = subprocess.run([sys.executable, "-c", program, *LATE], capture_output=True, text=True, check=True, cwd=ROOT)
    assert told.stdout.strip() == "[]"


def test_every_module_says_what_it_knows() -> None:
    """Each module opens with a docstring."""
    missing = [str(p.relative_to(ROOT)) for p, tree in trees() if not ast.get_docstring(tree)]
    assert not missing, missing


def test_every_test_makes_a_claim() -> None:
    """Each test has a docstring: the tests read as a specification."""
    missing = []
    for path in sorted((ROOT / "tests").rglob("test_*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if (
                isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
                and node.name.startswith("test")
                and not ast.get_docstring(node)
            ):
                missing.append(f"{path.name}:{node.name}")
    assert not missing, missing


def test_nothing_is_caught_blindly() -> None:
    """No broad `except` but at the daemon's edge; one that raises again catches nothing."""
    broad = []
    for path, tree in trees():
        for node in ast.walk(tree):
            if str(path.relative_to(ROOT / "memd")) not in EDGE and _catches_all(node):
                broad.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert not broad, broad


def _catches_all(node: ast.AST) -> bool:
    """`except` without a kind, or with one as broad as Exception, that never raises again; `suppress` of such."""
    if isinstance(node, ast.ExceptHandler):
        steps = [*node.body, *(step for each in node.body if isinstance(each, ast.If) for step in each.body)]
        if any(isinstance(step, ast.Raise) and step.exc is None for step in steps):
            return False
        kinds = ast.walk(node.type) if node.type else [ast.Name("Exception")]
    elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("suppress"):
        kinds = (kind for given in node.args for kind in ast.walk(given))
    else:
        return False
    return any(isinstance(kind, ast.Name) and kind.id in ("Exception", "BaseException") for kind in kinds)


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
