"""`memd init`: a new vault, an adopted folder, and a config that names them."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path

import pytest

from memd.bridge import cli
from memd.serve.places import shared


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "config" / "memd" / "memd.toml"


def files(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


def init(*argv: str) -> int:
    return cli.main(["init", *argv])


def vaults(config: Path) -> list[dict[str, str]]:
    found: list[dict[str, str]] = tomllib.loads(config.read_text())["vaults"]
    return found


def test_a_new_vault_is_the_template(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Every file of the template is there, the config names the vault, and stdout stays empty."""
    assert init("My Notes") == 0
    assert files(tmp_path / "My Notes") == files(Path(shared("vault-template")))
    assert vaults(config) == [{"name": "my-notes", "path": str(tmp_path / "My Notes")}]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("note", ["Welcome.md", "deep/er/x.MD"])
def test_a_folder_with_a_note_is_adopted_as_it_is(config: Path, tmp_path: Path, note: str) -> None:
    """Nothing is added to it and nothing overwritten."""
    vault = tmp_path / "vault"
    (vault / note).parent.mkdir(parents=True)
    (vault / note).write_text("mine")
    assert init(str(vault)) == 0
    assert files(vault) == {note: b"mine"}
    assert vaults(config)[0]["path"] == str(vault)


def test_a_new_obsidian_vault_gets_the_template_beside_its_settings(config: Path, tmp_path: Path) -> None:
    """Dot folders do not count as notes, and what is there stays."""
    vault = tmp_path / "vault"
    (vault / ".obsidian").mkdir(parents=True)
    (vault / ".obsidian" / "app.json").write_text("{}")
    (vault / ".obsidian" / "note.md").write_text("not one")
    assert init(str(vault)) == 0
    assert (vault / ".obsidian" / "app.json").read_text() == "{}"
    assert len(files(vault)) > 2


def test_twice_changes_nothing(config: Path, tmp_path: Path) -> None:
    """The second run leaves vault and config byte for byte."""
    for folder in ("new", "adopted"):
        (tmp_path / folder).mkdir()
    (tmp_path / "adopted" / "a.md").write_text("x")
    for folder in ("new", "adopted"):
        assert init(folder) == 0
    before = (files(tmp_path / "new"), files(tmp_path / "adopted"), config.read_bytes())
    for folder in ("new", "adopted"):
        assert init(folder) == 0
    assert (files(tmp_path / "new"), files(tmp_path / "adopted"), config.read_bytes()) == before


def test_a_persons_config_is_added_to(config: Path, tmp_path: Path) -> None:
    """Comments and settings stay; the new vault stands at the end."""
    config.parent.mkdir(parents=True)
    config.write_text("# mine\n[vectors]\nmodel = 'off'  # no model here")
    assert init("v") == 0
    assert config.read_text().startswith("# mine\n[vectors]\nmodel = 'off'  # no model here\n")
    assert vaults(config) == [{"name": "v", "path": str(tmp_path / "v")}]


def test_two_folders_of_one_name_have_two_names(config: Path, tmp_path: Path) -> None:
    """The second is numbered."""
    for parent in ("a", "b"):
        assert init(f"{parent}/笔记") == 0
    assert [each["name"] for each in vaults(config)] == ["笔记", "笔记-2"]


def test_odd_names_are_quoted(config: Path, tmp_path: Path) -> None:
    """A path with quotes, a backslash and a newline reads back as it is."""
    name = 'it\'s "odd"\\ \n\x7f'
    assert init(name) == 0
    assert vaults(config)[0]["path"] == str(tmp_path / name)


def test_home_is_no_vault(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A home folder is refused with what to do instead."""
    (tmp_path / "home").mkdir()
    assert init(str(tmp_path / "home")) == 1
    assert "home/notes" in capsys.readouterr().err
    assert os.listdir(tmp_path / "home") == []


def test_json_says_what_was_done(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Vault, name, whether it was adopted, what was added, and the config."""
    assert init("v", "--json") == 0
    done = json.loads(capsys.readouterr().out)
    assert (done["vault"], done["name"], done["adopted"], done["config"]) == (
        str(tmp_path / "v"),
        "v",
        False,
        str(config),
    )
    assert sorted(done["added"]) == sorted(files(tmp_path / "v"))


def test_a_file_is_no_vault(config: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Said so, and nothing is made."""
    (tmp_path / "v").write_text("mine")
    assert init("v") == 1
    assert "is no folder" in capsys.readouterr().err
    assert not config.exists()
