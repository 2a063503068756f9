"""A memd of its own for a test: a temporary home, a vault, a real daemon over a real socket."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

from memd.bridge.client import Client
from memd.model.errors import Refused

PATIENCE = 60.0
OFF_DUTY = '[vectors]\nmodel = "off"\n[formation]\nhere = false\n'
"""The config of a device that does no scheduled work: for stories that compare the vault's bytes, however long they take."""


@cache
def bytecode() -> Mapping[str, str]:
    """Variables with which a memd of these tests starts from byte code, as an installed one does: where the environment
    forbids it beside the source, in a folder that lives as long as this process."""
    if not os.environ.get("PYTHONDONTWRITEBYTECODE"):
        return {}
    folder = tempfile.mkdtemp(prefix="memd-bytecode-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    kept = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": folder}
    subprocess.run([sys.executable, "-c", "import memd.daemon.app"], env=os.environ | kept, check=True)
    return kept


class Home:
    """`vault` is where notes are; `start` runs `memd run`, `call` asks it; nothing outside `base` is touched."""

    def __init__(self, base: Path, config: str = '[vectors]\nmodel = "off"\n') -> None:
        self.base = base
        self.vault = base / "vault"
        self.vault.mkdir(parents=True, exist_ok=True)
        self.socket = str(base / "s")
        self.config = base / "memd.toml"
        self.config.write_text(config)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "MEMD_"))}
        self.env |= bytecode()
        self.env |= {"HOME": str(base), "TZ": "Asia/Shanghai", "NO_COLOR": "1", "HF_HUB_OFFLINE": "1"}
        for name in ("cache", "config", "state", "data"):
            self.env[f"XDG_{name.upper()}_HOME"] = str(base / name)
        self.env["XDG_RUNTIME_DIR"] = str(base / "run")
        (base / "run").mkdir(mode=0o700, exist_ok=True)
        self.process: subprocess.Popen[bytes] | None = None
        self.client = Client(self.socket, PATIENCE)

    @property
    def cache(self) -> Path:
        return self.base / "cache"

    def start(self, *options: str) -> Home:
        argv = [sys.executable, "-m", "memd", "run", "--vault", str(self.vault), "--socket", self.socket]
        whole = [*argv, "--config", str(self.config), *options]
        with open(self.base / "log", "ab") as log:
            self.process = subprocess.Popen(whole, env=self.env, stdout=log, stderr=log, cwd=self.base)
        self.until(lambda: self.call("hello"))
        return self

    def until(self, answers: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """The first answer that is true; a refusal or a daemon that is not there yet is asked again."""
        end = time.monotonic() + patience
        while time.monotonic() < end:
            assert self.process is None or self.process.poll() is None, self.log()
            with suppress(Refused, OSError):
                if answer := answers():
                    return answer
            time.sleep(0.01)
        raise AssertionError(f"it never came: {self.log()}")

    def call(self, method: str, **params: Any) -> dict[str, Any]:
        return self.client.call(method, params)

    def settled(self, patience: float = PATIENCE) -> Home:
        """Every file as it is now is in the index."""
        self.until(lambda: self.call("memory.refresh")["index"]["current"], patience)
        return self

    def paths(self, query: str, **params: Any) -> list[str]:
        hits = self.call("memory.search", **({"query": query, "mode": "text", "limit": 50} | params))["hits"]
        return [hit["path"] for hit in hits]

    def write(self, path: str, text: str) -> Path:
        file = self.vault / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text.encode())
        return file

    def text(self, path: str) -> str:
        return (self.vault / path).read_bytes().decode()

    def log(self) -> str:
        return (self.base / "log").read_text(errors="replace")[-2000:]

    def cli(self, *argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
        whole = [sys.executable, "-m", "memd", argv[0], "--vault", str(self.vault), "--socket", self.socket]
        return subprocess.run(
            [*whole, "--config", str(self.config), *argv[1:]],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            **options,
        )

    def end(self, how: signal.Signals = signal.SIGTERM) -> int:
        self.client.close()
        if self.process is None:
            return 0
        self.process.send_signal(how)
        code = self.process.wait(PATIENCE)
        self.process = None
        return code
