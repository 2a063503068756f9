"""The writer's calls to the system, in their order, as strace sees them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fakes.disk import grow

_SCRIPT = """
import os, sys
from memd.disk.writer import Writer
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Move, Plan, Remove, Write

writer = Writer(sys.argv[1])
old, new = sha256(b"old"), sha256(b"new")
for plan in (
    Plan((Write("d/a.md", b"old", None), Write("d/a.md", b"old ", None), Write("d/a.md", b"old", None))),
    Plan((Write("d/new.md", b"new", ABSENT),)),
    Plan((Write("d/a.md", b"new", old),)),
    Plan((Move("d/a.md", "e/f/b.md", new),)),
    Plan((Remove("d/new.md", new),)),
    Plan((Write("e/f/b.md", b"old", new),), undo=True),
    Plan(tuple(Write(f"many/{n % 3}/{n}.md", b"new", ABSENT) for n in range(20))),
):
    writer.apply(plan, "stamp")
    os.access("/answered", 0)
"""
_CALLS = "write,fsync,fdatasync,syncfs,rename,renameat,renameat2,linkat,mkdirat,access"
_SPOT = re.compile(r'<([^>]*)>, "([^"]*)"')
_OPEN = re.compile(r"<([^>]*)>")


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[list[str]]:
    """What was called for each plan until its answer, after a first one that also tried what the file system can do."""
    folder = tmp_path_factory.mktemp("order")
    root, trace = grow(folder / "v", {"d/a.md": "old"}), folder / "trace"
    strace = shutil.which("strace")
    if strace is None:
        pytest.skip("strace is not installed")
    argv = [strace, "-y", "-s", "4096", "-e", f"trace={_CALLS}", "-o", str(trace), sys.executable, "-c", _SCRIPT, root]
    ran = subprocess.run(argv, capture_output=True, text=True, cwd=Path(__file__).parents[2])
    if ran.returncode and "ptrace" in ran.stderr.lower():
        pytest.skip(f"nothing may be traced here: {ran.stderr.strip()[:200]}")
    assert ran.returncode == 0, ran.stderr
    done = [line for line in trace.read_text().splitlines() if root in line or "/answered" in line]
    probing, *plans, rest = "\n".join(line for line in done if "= -1" not in line or "/answered" in line).split(
        "access("
    )
    assert len(plans) == 6, (probing, rest)
    return [plan.splitlines() for plan in plans]


def test_a_file_is_on_disk_before_it_has_its_name(answers: list[list[str]]) -> None:
    """No new file is renamed whose bytes were not flushed after the last of them was written."""
    named = 0
    for plan in answers:
        unsafe: set[str] = set()
        for line in plan:
            if line.startswith("write("):
                unsafe |= set(_OPEN.findall(line)[:1])
            elif line.startswith(("fsync(", "fdatasync(")):
                unsafe -= set(_OPEN.findall(line)[:1])
            elif line.startswith("syncfs("):
                unsafe.clear()
            elif spots := _SPOT.findall(line):
                assert os.path.join(*spots[0]) not in unsafe, line
                named += ".~memd-new-" in spots[0][1]
    assert named > 20


def test_a_name_is_on_disk_before_the_answer(answers: list[list[str]]) -> None:
    """Every folder in which a name was made, exchanged or taken away is flushed between that and the answer."""
    for plan in answers:
        unsafe: set[str] = set()
        for line in plan:
            if line.startswith(("rename", "linkat(", "mkdirat(")):
                unsafe |= {folder for folder, _ in _SPOT.findall(line)}
            elif line.startswith("fsync("):
                unsafe -= set(_OPEN.findall(line)[:1])
            elif line.startswith("syncfs("):
                unsafe.clear()
        assert not unsafe, plan
