"""A daemon is started when none answers: how, with what, and what is said when it does not come up."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from memd.bridge import cli, service_units
from memd.serve.places import vault_id


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, a vault, and an interpreter that starts the fake instead of memd."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "vault").mkdir()
    fake = Path(__file__).parent.parent / "fakes" / "spawned.py"
    interpreter = tmp_path / "python"
    interpreter.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{fake}" "$@"\n')
    interpreter.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(interpreter))
    return tmp_path


def memd(world: Path, *argv: str) -> int:
    return cli.main([*argv, "--vault", str(world / "vault"), "--socket", str(world / "s")])


def test_a_daemon_is_started_and_waited_for(
    world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It gets the vault and the socket, runs elsewhere than in the vault, and logs to the state folder."""
    monkeypatch.setenv("FAKE", "serve")
    assert memd(world, "status") == 0
    out = capsys.readouterr()
    assert out.out == "up: True\n"
    assert "starting the daemon" in out.err
    log = world / "XDG_STATE_HOME" / "memd" / f"{vault_id(str(world / 'vault'))}.log"
    started = log.read_text().splitlines()[0]
    assert f"run --vault {world}/vault --socket {world}/s --idle-exit 900 in /" in started
    assert started.split()[2:6] == ["-P", "-m", "memd", "run"]
    assert oct(log.stat().st_mode)[-3:] == "600"


def test_a_daemon_that_fails_says_why(
    world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Exit 3 with its last words."""
    monkeypatch.setenv("FAKE", "fail")
    assert memd(world, "status") == 3
    assert "the vault is held by pid 1" in capsys.readouterr().err


def test_no_vault_is_started_that_is_no_folder(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A mistyped path is refused before anything is started."""
    assert cli.main(["status", "--vault", str(world / "nowhere"), "--socket", str(world / "s")]) == 1
    assert "memd init" in capsys.readouterr().err


def test_a_socket_alone_starts_nothing(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a vault there is nothing to serve."""
    assert cli.main(["status", "--socket", str(world / "s")]) == 3
    assert "--vault" in capsys.readouterr().err


def test_an_installed_unit_is_asked_first(
    world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """With a unit installed for this vault, systemctl starts it; if it cannot, memd starts a daemon itself."""
    drop_in = Path(service_units.drop_ins("vault", os.environ)[0])
    drop_in.parent.mkdir(parents=True)
    drop_in.touch()
    systemctl = world / "systemctl"
    systemctl.write_text(f'#!/bin/sh\necho "$@" > {world}/asked\nexit 1\n')
    systemctl.chmod(0o755)
    monkeypatch.setenv("PATH", f"{world}:{os.environ['PATH']}")
    monkeypatch.setenv("FAKE", "serve")
    assert cli.main(["status", "--vault", str(world / "vault")]) == 0
    assert (world / "asked").read_text() == "--user start memd@vault.service\n"
