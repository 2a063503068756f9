"""The Node example of `config/examples/node`, run as it is: the wire needs a socket and a MessagePack package, no more."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.home import Home

EXAMPLE = Path(__file__).parents[2] / "config" / "examples" / "node"


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    made.write("photo.md", "# 摄影\n\n- [place] 青禾图书馆\n")
    try:
        yield made.start()
    finally:
        made.end()


@pytest.mark.slow
def test_the_example_searches_writes_and_hears_of_it(home: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Pipelined answers, an event of its own write, a refusal with its code."""
    if not (shutil.which("node") and shutil.which("npm")):
        pytest.skip("there is no Node with npm here")
    folder = tmp_path_factory.mktemp("node")
    shutil.copytree(EXAMPLE, folder, dirs_exist_ok=True)
    install = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    if subprocess.run(install, cwd=folder, capture_output=True, timeout=300).returncode:
        pytest.skip("npm cannot get @msgpack/msgpack here")
    said = subprocess.run(
        ["node", "example.mjs", home.socket, "图书馆"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    assert said.returncode == 0, said.stderr
    lines = said.stdout.splitlines()
    assert lines[0] == "vault: vectors off"
    assert "found photo.md: - [place] 青禾图书馆" in said.stdout
    wrote, heard = lines[-2].removeprefix("wrote ").split(", heard of ")
    assert wrote == heard
    assert (home.vault / wrote).is_file()
    assert lines[-1] == "refused: not_found"
