"""Where things are, from an environment and a config alone."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from memd.model.errors import Refused
from memd.serve.binding import PATH_LIMIT
from memd.serve.places import default_socket, locate, shared, slug, vault_id


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "vault").mkdir()
    return {"HOME": "/home/u", "XDG_RUNTIME_DIR": "/run/user/1", "XDG_CONFIG_HOME": str(tmp_path / "config")}


def write_config(tmp_path: Path, text: str, name: str = "memd.toml") -> None:
    pytest.importorskip("memd.parse.settings", reason="settings are read by another part")
    file = tmp_path / "config" / "memd" / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("My Vault", "my-vault"),
        ("笔记 2026", "笔记-2026"),
        ("...", "vault"),
        ("a" * 90, "a" * 32),
        ("caf\udce9", "caf"),
        ("É", "é"),
    ],
)
def test_slugs_are_readable(name: str, expected: str) -> None:
    """Letters and digits of any script, at most 32."""
    assert slug(name) == expected


def test_a_vaults_id_is_its_real_paths(tmp_path: Path) -> None:
    """A symlink to a vault is that vault; another folder of the same name is not."""
    (tmp_path / "a" / "v").mkdir(parents=True)
    (tmp_path / "b" / "v").mkdir(parents=True)
    (tmp_path / "link").symlink_to(tmp_path / "a" / "v")
    ids = [vault_id(str(tmp_path / each)) for each in ("a/v", "link", "b/v")]
    assert ids[0] == ids[1] != ids[2]
    assert re.fullmatch(r"v-[0-9a-f]{8}", ids[0])


def test_the_socket_is_in_the_runtime_folder(tmp_path: Path, environ: dict[str, str]) -> None:
    """Without one, in the cache folder."""
    vault = str(tmp_path / "vault")
    assert default_socket(vault, environ) == f"/run/user/1/memd/{vault_id(vault)}.sock"
    del environ["XDG_RUNTIME_DIR"]
    assert default_socket(vault, environ) == f"/home/u/.cache/memd/{vault_id(vault)}.sock"
    environ["XDG_CACHE_HOME"] = "/var/c"
    assert default_socket(vault, environ) == f"/var/c/memd/{vault_id(vault)}.sock"


def test_a_socket_path_that_is_too_long_goes_home(tmp_path: Path, environ: dict[str, str]) -> None:
    """Over the limit in bytes, CJK counted as it is, the socket is `~/.memd/<8 hex>.sock`."""
    vault = str(tmp_path / ("记" * 40))
    environ["XDG_RUNTIME_DIR"] = "/run/" + "x" * (PATH_LIMIT - 60)
    found = default_socket(vault, environ)
    assert re.fullmatch(r"/home/u/\.memd/[0-9a-f]{8}\.sock", found)


def test_a_path_and_a_socket_need_no_config(tmp_path: Path, environ: dict[str, str]) -> None:
    """Named outright, nothing else is looked at, and everything is absolute."""
    place = locate(environ, str(tmp_path), vault="./vault", socket="s")
    assert (place.vault, place.socket, place.name) == (str(tmp_path / "vault"), str(tmp_path / "s"), "vault")
    assert place.cache == f"/home/u/.cache/memd/{place.id}"
    assert place.log == f"/home/u/.local/state/memd/{place.id}.log"


def test_a_socket_alone_is_enough_to_ask(environ: dict[str, str]) -> None:
    """The vault stays unnamed."""
    assert locate(environ, "/", socket="/x/s").vault == ""


def test_no_vault_says_what_to_do(environ: dict[str, str]) -> None:
    """Nothing configured, nothing named."""
    with pytest.raises(Refused, match="memd init") as caught:
        locate(environ, "/")
    assert caught.value.code == "not_found"


TWO = """
[[vaults]]
name = "work"
path = "{0}/work"
[[vaults]]
name = "home"
path = "{0}/home"
"""


def test_a_vault_is_found_by_name_by_where_one_stands_or_by_being_the_only_one(
    tmp_path: Path, environ: dict[str, str]
) -> None:
    """Name, then the folder around, then `[vault] path`; with two and none of these, the question which."""
    write_config(tmp_path, TWO.format(tmp_path))
    assert locate(environ, "/", vault="work").vault == str(tmp_path / "work")
    assert locate(environ, "/", vault="work").name == "work"
    (tmp_path / "home" / "deep").mkdir(parents=True)
    assert locate(environ, str(tmp_path / "home" / "deep")).name == "home"
    with pytest.raises(Refused, match="--vault work or --vault home"):
        locate(environ, "/")
    with pytest.raises(Refused, match="work, home"):
        locate(environ, "/", vault="wrk")
    write_config(tmp_path, f'[vault]\npath = "{tmp_path}/home"\n' + TWO.format(tmp_path))
    assert locate(environ, "/").name == "home"
    write_config(tmp_path, f'[[vaults]]\nname = "one"\npath = "{tmp_path}/vault"\n')
    assert locate(environ, "/").name == "one"


def test_a_configured_socket_is_for_the_configs_own_vault(tmp_path: Path, environ: dict[str, str]) -> None:
    """Of two vaults only the default one has it; --socket overrides it."""
    text = f'[vault]\npath = "{tmp_path}/home"\n[daemon]\nsocket = "~/m.sock"\n' + TWO.format(tmp_path)
    write_config(tmp_path, text)
    assert locate(environ, "/").socket == "/home/u/m.sock"
    assert locate(environ, "/", vault="work").socket == default_socket(str(tmp_path / "work"), environ)
    assert locate(environ, "/", socket="/x/s", vault="home").socket == "/x/s"


def test_a_vault_may_have_a_config_of_its_own(tmp_path: Path, environ: dict[str, str]) -> None:
    """`work.toml` beside `memd.toml` is the config of the vault `work`."""
    write_config(tmp_path, TWO.format(tmp_path))
    write_config(tmp_path, '[daemon]\nsocket = "/x/work.sock"\n', "work.toml")
    work, home = locate(environ, "/", vault="work"), locate(environ, "/", vault="home")
    assert (work.socket, os.path.basename(work.config)) == ("/x/work.sock", "work.toml")
    assert os.path.basename(home.config) == "memd.toml"


@pytest.mark.parametrize("fault", ["[daemon]\nsocket = 5\n", "[no\n", "\ufeff", "[vault]\npath = []\n"])
def test_a_config_at_fault_does_not_hide_the_vaults(tmp_path: Path, environ: dict[str, str], fault: str) -> None:
    """What can be read of it counts, and a path still works; what is wrong is the daemon's to say."""
    write_config(tmp_path, fault + TWO.format(tmp_path))
    assert locate(environ, "/", vault=str(tmp_path / "vault")).vault == str(tmp_path / "vault")
    if "[no" not in fault:
        assert locate(environ, "/", vault="work").name == "work"


@pytest.mark.parametrize("vault", ["", "work"])
def test_a_config_that_is_no_toml_is_named_where_a_vault_is_sought_in_it(
    tmp_path: Path, environ: dict[str, str], vault: str
) -> None:
    """Not "no vault yet": the vaults may well stand in it. A path needs none."""
    write_config(tmp_path, f'[[vaults]]\nname = "work"\npath = "{tmp_path}"\n[daemon\n')
    with pytest.raises(Refused, match=r"memd\.toml:4: the config is not TOML.*--vault PATH"):
        locate(environ, str(tmp_path), vault=vault)
    assert locate(environ, str(tmp_path), vault=str(tmp_path)).vault == str(tmp_path)


def test_what_travels_with_memd_is_found() -> None:
    """The template is a folder; an unknown name is refused."""
    assert os.path.isdir(shared("vault-template"))
    with pytest.raises(Refused):
        shared("nothing-like-it")
