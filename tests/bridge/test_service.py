"""`memd service`: units and agents as they are rendered, what systemd itself says of them, and what install tells."""

from __future__ import annotations

import json
import os
import plistlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.bridge import cli
from memd.bridge.service_units import drop_ins, instance_of, launchd, quoted, systemd, unit_folder, units_of
from memd.model.config import Config, DaemonConfig, SocketConfig
from memd.serve.places import Place

ROOT = Path(__file__).parents[2]
NAMES = ["work", "my-notes", "线性 notes", ".hidden"]


def place(base: Path, name: str = "work") -> Place:
    vault = base / 'notes 100% $HOME "q"'
    vault.mkdir(exist_ok=True)
    return Place("v-1", name, str(vault), str(base / "run" / "memd" / "v-1.sock"), "", str(base / "log"), "")


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of its own, a vault called `vault`, and a systemctl and a launchctl that only write down what they are asked."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        (tmp_path / name).mkdir(mode=0o700)
        monkeypatch.setenv(name, str(tmp_path / name))
    (tmp_path / "bin").mkdir()
    (tmp_path / "vault").mkdir()
    for name in ("systemctl", "launchctl"):
        script = tmp_path / "bin" / name
        script.write_text(f'#!/bin/sh\necho "$@" >> {tmp_path}/asked\n[ ! -e {tmp_path}/broken ]\n')
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return tmp_path


@pytest.fixture
def runtime() -> Iterator[str]:
    """A short path, as sockets need it."""
    with tempfile.TemporaryDirectory() as folder:
        yield folder


def memd(world: Path, *argv: str) -> int:
    return cli.main(["service", *argv, "--vault", str(world / "vault")])


def asked(world: Path) -> list[str]:
    return (world / "asked").read_text().splitlines()


# rendering


@pytest.mark.parametrize(
    ("name", "instance"),
    [("work", "work"), ("my-notes", "my-notes"), ("a b", "a\\x20b"), ("线", "\\xe7\\xba\\xbf"), (".x", "\\x2ex")],
)
def test_a_vaults_name_becomes_an_instance(name: str, instance: str) -> None:
    """What unit names cannot hold is escaped byte by byte, as systemd-escape does."""
    assert instance_of(name) == instance
    assert units_of(name) == (f"memd@{instance}.service", f"memd@{instance}.socket")


def test_words_of_a_unit_are_quoted() -> None:
    """Blanks, quotes, percent signs and dollars of a path stay what they are."""
    assert quoted("/a/b") == "/a/b"
    assert quoted('/a b/100%"') == '"/a b/100%%\\""'
    assert quoted("/a/$HOME") == "/a/$HOME"
    assert quoted("/a/$HOME", command=True) == "/a/$$HOME"


def test_a_drop_in_names_the_vault_its_socket_and_where_memd_writes(tmp_path: Path) -> None:
    """The vault, the metrics file's folder and further sockets' folders are writable, the rest of the home is not."""
    environ = {"HOME": "/home/lin", "XDG_RUNTIME_DIR": "/run/user/7"}
    config = Config(
        daemon=DaemonConfig(metrics_file="/var/lib/m/memd.prom"), socket=(SocketConfig("~/.memd/agents.sock"),)
    )
    at = Place("v-1", "work", "/home/lin/notes", "/run/user/7/memd/v-1.sock", "", "", "")
    files = systemd(at, config, ["/usr/bin/memd", "run", "--vault", at.vault], environ)
    service, socket = (files[path] for path in drop_ins("work", environ))
    assert "ExecStart=\nExecStart=/usr/bin/memd run --vault /home/lin/notes\n" in service
    assert "ReadWritePaths=-/home/lin/notes -/var/lib/m -/home/lin/.memd\n" in service
    assert "RequiresMountsFor=/home/lin/notes" in service
    assert "PrivateTmp" not in service
    assert socket == "[Socket]\nListenStream=\nListenStream=%t/memd/v-1.sock\n"


def test_a_vault_below_tmp_is_seen(tmp_path: Path) -> None:
    """A private /tmp would hide it."""
    at = Place("v-1", "work", "/tmp/notes", "/tmp/s", "", "", "")
    environ = {"HOME": "/home/lin"}
    assert "PrivateTmp=no" in systemd(at, Config(), ["memd"], environ)[drop_ins("work", environ)[0]]


@pytest.mark.parametrize("name", NAMES)
def test_systemd_finds_nothing_wrong_with_the_units(tmp_path: Path, runtime: str, name: str) -> None:
    """`systemd-analyze verify` of service and socket, with the drop-ins of a vault whose path is awkward."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    environ = {**os.environ, "HOME": str(tmp_path), "XDG_RUNTIME_DIR": runtime}
    environ.pop("XDG_CONFIG_HOME", None)
    at = place(tmp_path, name)
    for path, text in systemd(
        at, Config(), [sys.executable, "-m", "memd", "run", "--vault", at.vault], environ
    ).items():
        os.makedirs(os.path.dirname(path), exist_ok=True)
        Path(path).write_text(text)
    environ["SYSTEMD_UNIT_PATH"] = f"{unit_folder(environ)}:"
    for unit in units_of(name):
        said = subprocess.run(
            ["systemd-analyze", "verify", "--user", "--man=no", unit], env=environ, capture_output=True, text=True
        )
        if "--user" in said.stderr and "option" in said.stderr:
            pytest.skip("this systemd-analyze cannot verify user units")
        assert (said.returncode, said.stdout + said.stderr) == (0, "")


def test_the_unit_is_hardened(tmp_path: Path) -> None:
    """`systemd-analyze security` calls the exposure OK: below 4 of 10; an unhardened service has 9.6."""
    if not shutil.which("systemd-analyze"):
        pytest.skip("systemd-analyze is not installed")
    environ = {**os.environ, "XDG_RUNTIME_DIR": str(tmp_path)}
    command = ["systemd-analyze", "security", "--offline=yes", "--user", "--no-pager", "--threshold=40"]
    said = subprocess.run(
        [*command, str(ROOT / "systemd" / "memd@.service")], env=environ, capture_output=True, text=True
    )
    if "unrecognized option" in said.stderr:
        pytest.skip("this systemd-analyze has no offline security check")
    assert said.returncode == 0, said.stdout[-300:]
    text = (ROOT / "systemd" / "memd@.service").read_text()
    assert "PrivateUsers=yes" in text, "a user's manager sets up no mounts without it"
    socket = (ROOT / "systemd" / "memd@.socket").read_text()
    assert "SocketMode=0600" in socket
    assert "DirectoryMode=0700" in socket


def test_a_launchd_agent_is_a_property_list_of_documented_keys(tmp_path: Path) -> None:
    """It does not fork, is kept alive unless it left on purpose, and runs the vault's daemon."""
    documented = {
        "Label", "ProgramArguments", "RunAtLoad", "KeepAlive", "ThrottleInterval", "ExitTimeOut", "ProcessType",
        "WorkingDirectory", "StandardErrorPath",
    }  # fmt: skip
    at = place(tmp_path, "线性")
    agent = plistlib.loads(launchd(at, ["/usr/bin/memd", "run", "--vault", at.vault]))
    assert set(agent) == documented == set(plistlib.loads((ROOT / "config" / "launchd" / "memd.plist").read_bytes()))
    assert agent["Label"] == "memd.线性"
    assert agent["ProgramArguments"][-1] == at.vault
    assert agent["KeepAlive"] == {"SuccessfulExit": False}
    assert agent["ProcessType"] in ("Background", "Standard", "Adaptive", "Interactive")


# the command


def test_install_writes_enables_and_tells(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two templates and two drop-ins, then the manager is told; again, nothing is written twice."""
    assert memd(world, "install") == 0
    said = capsys.readouterr().err
    folder = world / "XDG_CONFIG_HOME" / "systemd" / "user"
    for name in ("memd@.service", "memd@.socket", "memd@vault.service.d/vault.conf", "memd@vault.socket.d/vault.conf"):
        assert (folder / name).is_file()
        assert f"wrote {folder / name}" in said
    assert asked(world) == ["--user daemon-reload", "--user enable --now memd@vault.socket memd@vault.service"]
    assert "ran systemctl --user enable --now" in said
    drop_in = (folder / "memd@vault.service.d" / "vault.conf").read_text()
    assert f"-P -m memd run --vault {world}/vault" in drop_in
    assert memd(world, "install", "--json") == 0
    assert json.loads(capsys.readouterr().out)["wrote"] == []


def test_uninstall_takes_away_what_install_made(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The last vault takes the templates with it; another vault's stay."""
    (world / "other").mkdir()
    memd(world, "install")
    cli.main(["service", "install", "--vault", str(world / "other")])
    folder = world / "XDG_CONFIG_HOME" / "systemd" / "user"
    assert memd(world, "uninstall") == 0
    assert sorted(each.name for each in folder.iterdir()) == [
        "memd@.service",
        "memd@.socket",
        "memd@other.service.d",
        "memd@other.socket.d",
    ]
    assert cli.main(["service", "uninstall", "--vault", str(world / "other")]) == 0
    assert not list(folder.iterdir())
    assert "--user disable --now memd@other.socket memd@other.service" in asked(world)
    capsys.readouterr()
    assert memd(world, "uninstall") == 1
    assert "no unit is installed" in capsys.readouterr().err


def test_what_the_manager_refuses_is_told(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 with the command that failed; the files are there for another try."""
    (world / "broken").touch()
    assert memd(world, "install") == 1
    assert "enable --now memd@vault.socket memd@vault.service: exit 1" in capsys.readouterr().err


def test_a_dry_run_prints_and_changes_nothing(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every file with its path, ready to be put there by hand."""
    assert memd(world, "install", "--dry-run") == 0
    out = capsys.readouterr().out
    assert "memd@vault.service.d/vault.conf" in out
    assert "ReadWritePaths=" in out
    assert not (world / "asked").exists()
    assert not list((world / "XDG_CONFIG_HOME").iterdir())


def test_status_says_whether_it_is_installed_and_runs(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exit 1 while it does not run; people read one line that says what to do."""
    assert memd(world, "status", "--json") == 1
    assert json.loads(capsys.readouterr().out)["installed"] is False
    assert memd(world, "status") == 1
    assert capsys.readouterr().out == "memd@vault.service: not installed; `memd service install` does it\n"
    memd(world, "install")
    (world / "bin" / "systemctl").write_text(
        '#!/bin/sh\ncase "$2" in is-active) echo active;; *) echo enabled;; esac\n'
    )
    capsys.readouterr()
    assert memd(world, "status", "--json") == 0
    assert json.loads(capsys.readouterr().out) == {
        "unit": "memd@vault.service",
        "installed": True,
        "enabled": "enabled",
        "active": "active",
        "socket": "active",
        "running": True,
    }
    assert memd(world, "status") == 0
    assert capsys.readouterr().out == "memd@vault.service: installed, enabled, active; its socket is active\n"


def test_a_manager_that_refuses_is_quoted(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Its own words, as where no session bus is."""
    memd(world, "install")
    (world / "bin" / "systemctl").write_text("#!/bin/sh\necho no bus >&2; exit 1\n")
    capsys.readouterr()
    assert memd(world, "status") == 1
    assert "installed, no bus, no bus" in capsys.readouterr().out


def test_on_a_mac_an_agent_is_bootstrapped(world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The property list goes to LaunchAgents, launchctl loads it, uninstall takes both back; one that is not loaded does not run."""
    monkeypatch.setattr(sys, "platform", "darwin")
    assert memd(world, "install") == 0
    file = world / "HOME" / "Library" / "LaunchAgents" / "memd.vault.plist"
    assert plistlib.loads(file.read_bytes())["ProgramArguments"][1:5] == ["-P", "-m", "memd", "run"]
    assert asked(world)[-1] == f"bootstrap gui/{os.getuid()} {file}"
    assert memd(world, "status") == 0
    (world / "broken").touch()
    assert memd(world, "status") == 1
    (world / "broken").unlink()
    assert memd(world, "uninstall") == 0
    assert not file.exists()


def test_without_a_service_manager_nothing_is_written(
    world: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The refusal says what to do instead."""
    monkeypatch.setenv("PATH", str(world / "nowhere"))
    assert memd(world, "install") == 1
    assert "memd run" in capsys.readouterr().err
    assert not list((world / "XDG_CONFIG_HOME").iterdir())
