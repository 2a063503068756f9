"""A real Syncthing between two folders on this machine: loopback only, nobody announced, nobody asked for the way."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

PROGRAM = shutil.which("syncthing")
KEY = "only-on-loopback"
PATIENCE = 150.0

_CONFIG = """<configuration version="36">
    <folder id="vault" label="vault" path="{folder}" type="sendreceive" rescanIntervalS="3600" fsWatcherEnabled="true"
            fsWatcherDelayS="1" ignorePerms="false" autoNormalize="true">
        <device id="{mine}"></device><device id="{other}"></device>
        <minDiskFree unit="">0</minDiskFree><maxConflicts>-1</maxConflicts><order>random</order>
    </folder>
    <device id="{mine}" name="mine" compression="never"><address>tcp://127.0.0.1:{port}</address></device>
    <device id="{other}" name="other" compression="never"><address>tcp://127.0.0.1:{peer}</address></device>
    <gui enabled="true" tls="false"><address>127.0.0.1:{gui}</address><apikey>{key}</apikey></gui>
    <options>
        <listenAddress>tcp://127.0.0.1:{port}</listenAddress>
        <globalAnnounceEnabled>false</globalAnnounceEnabled><localAnnounceEnabled>false</localAnnounceEnabled>
        <relaysEnabled>false</relaysEnabled><natEnabled>false</natEnabled><startBrowser>false</startBrowser>
        <reconnectionIntervalS>1</reconnectionIntervalS><urAccepted>-1</urAccepted>
        <autoUpgradeIntervalH>0</autoUpgradeIntervalH><crashReportingEnabled>false</crashReportingEnabled>
        <announceLANAddresses>false</announceLANAddresses><stunKeepaliveStartS>0</stunKeepaliveStartS>
        <minHomeDiskFree unit="">0</minHomeDiskFree>
    </options>
</configuration>
"""


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


class End:
    """One Syncthing with one folder. `pair` introduces two to each other."""

    def __init__(self, base: Path, folder: Path) -> None:
        self.base, self.folder = base / "syncthing", folder
        self.port, self.gui = free_port(), free_port()
        (folder / ".stfolder").mkdir(parents=True, exist_ok=True)
        self.env = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        self.env |= {"HOME": str(base), "STNOUPGRADE": "1", "STNORESTART": "1"}
        self.run("generate", "--no-default-folder", "--skip-port-probing")
        self.id = self.run("serve", "--device-id").strip().splitlines()[-1]
        self.process: subprocess.Popen[bytes] | None = None

    def run(self, *argv: str) -> str:
        assert PROGRAM is not None
        whole = [PROGRAM, *argv, f"--home={self.base}"]
        return subprocess.run(whole, env=self.env, capture_output=True, text=True, check=True, timeout=PATIENCE).stdout

    def start(self, other: End) -> None:
        assert PROGRAM is not None
        config = _CONFIG.format(
            folder=self.folder, mine=self.id, other=other.id, port=self.port, peer=other.port, gui=self.gui, key=KEY
        )
        (self.base / "config.xml").write_text(config)
        argv = [PROGRAM, "serve", f"--home={self.base}", "--no-browser", "--no-restart", "--skip-port-probing"]
        with open(self.base / "log", "ab") as log:
            self.process = subprocess.Popen(argv, env=self.env, stdout=log, stderr=log)

    def ask(self, path: str, post: bool = False) -> Any:
        request = urllib.request.Request(f"http://127.0.0.1:{self.gui}/rest/{path}", headers={"X-API-Key": KEY})
        request.method = "POST" if post else "GET"
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        with opener.open(request, timeout=PATIENCE) as answer:
            body = answer.read()
        return json.loads(body) if body.strip() else None

    def connected(self, other: End) -> bool:
        return bool(self.ask("system/connections")["connections"].get(other.id, {}).get("connected"))

    def scan(self) -> None:
        self.ask("db/scan?folder=vault", post=True)

    def idle(self) -> bool:
        state = self.ask("db/status?folder=vault")
        return state["state"] == "idle" and not state["needTotalItems"]

    def log(self) -> str:
        return re.sub(r"\b[A-Z0-9]{7}(-[A-Z0-9]{7})+", "ID", (self.base / "log").read_text(errors="replace"))[-1500:]

    def end(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(PATIENCE)
            self.process = None


class Pair:
    """Two ends that may be apart. `apart` and `together` return once that is so."""

    def __init__(self, one: End, two: End) -> None:
        self.one, self.two = one, two
        one.start(two)
        two.start(one)
        self.until(lambda: one.connected(two) and two.connected(one))

    def apart(self) -> None:
        self.one.ask(f"system/pause?device={self.two.id}", post=True)
        self.two.ask(f"system/pause?device={self.one.id}", post=True)
        self.until(lambda: not self.one.connected(self.two) and not self.two.connected(self.one))

    def together(self) -> None:
        self.one.scan()
        self.two.scan()
        self.one.ask(f"system/resume?device={self.two.id}", post=True)
        self.two.ask(f"system/resume?device={self.one.id}", post=True)
        self.until(lambda: self.one.connected(self.two) and self.two.connected(self.one))

    def until(self, answers: Callable[[], Any]) -> Any:
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                if answer := answers():
                    return answer
            except OSError:
                pass
            time.sleep(0.1)
        raise AssertionError(f"it never came: {self.one.log()}\n----\n{self.two.log()}")

    def end(self) -> None:
        self.one.end()
        self.two.end()
