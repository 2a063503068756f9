"""Where things are: a vault's id, socket, cache, log and config, and which vault is meant when nobody says.

Knows paths and the environment, which is always an argument. Looks at files only to read a config and to find what exists.
The only importer of `platformdirs`, and only where the system has no XDG folders.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from memd.model.errors import Refused
from memd.serve.binding import PATH_LIMIT

if TYPE_CHECKING:
    from memd.model.config import Config
    from memd.model.problem import Problem

Environ = Mapping[str, str]


class Place(Struct, frozen=True):
    """One vault and all that belongs to it, absolute. `vault` is the real path, "" where only a socket was named.

    `name` is the configured one, else the folder's. `config` may name a file that does not exist (then defaults hold).
    """

    id: str
    name: str
    vault: str
    socket: str
    cache: str
    log: str
    config: str


# folders


def home(environ: Environ) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def _folder(environ: Environ, variable: str, below_home: str, kind: str) -> str:
    """`$VARIABLE/memd`; unset: the platform's own folder of that kind."""
    given = environ.get(variable, "")
    if os.path.isabs(given):
        return os.path.join(given, "memd")
    if sys.platform in ("darwin", "win32") and kind:
        import platformdirs

        return str(getattr(platformdirs, f"user_{kind}_dir")("memd", appauthor=False))
    return os.path.join(home(environ), below_home, "memd")


def cache_folder(environ: Environ) -> str:
    return _folder(environ, "XDG_CACHE_HOME", ".cache", "cache")


def state_folder(environ: Environ) -> str:
    return _folder(environ, "XDG_STATE_HOME", ".local/state", "state")


def config_folder(environ: Environ) -> str:
    """`~/.config/memd` on every system: people edit what is in it by hand."""
    return _folder(environ, "XDG_CONFIG_HOME", ".config", "")


def socket_folder(environ: Environ) -> str:
    given = environ.get("XDG_RUNTIME_DIR", "")
    return os.path.join(given, "memd") if os.path.isabs(given) else cache_folder(environ)


def shared(name: str) -> str:
    """A folder that travels with memd: `config`, `systemd` or `vault-template`; installed, or beside the source."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    for parent in (os.path.join(package, "share"), os.path.dirname(package)):
        found = os.path.join(parent, name)
        if os.path.isdir(found):
            return found
    raise Refused("unavailable", f"memd's own folder {name!r} is missing: install memd again")


# ids and sockets


def vault_id(path: str) -> str:
    """The folder's name as a slug (letters and digits of any script), and 8 hex digits of its real path."""
    real = os.path.realpath(path)
    return f"{slug(os.path.basename(real))}-{_digest(real)}"


def slug(name: str) -> str:
    words = "".join(c if c.isalnum() else " " for c in os.fsencode(name).decode("utf-8", "ignore").casefold()).split()
    return "-".join(words)[:32].strip("-") or "vault"


def _digest(path: str) -> str:
    from hashlib import blake2b

    return blake2b(os.fsencode(path), digest_size=4).hexdigest()


def default_socket(vault: str, environ: Environ) -> str:
    """`<runtime folder>/<vault id>.sock`; where that is too long for a socket, `~/.memd/<8 hex>.sock`."""
    usual = os.path.join(socket_folder(environ), vault_id(vault) + ".sock")
    if len(os.fsencode(usual)) <= PATH_LIMIT:
        return usual
    return os.path.join(home(environ), ".memd", _digest(os.path.realpath(vault)) + ".sock")


# configs


def read_config(path: str) -> tuple[Config, tuple[Problem, ...]]:
    """The config in a file, with what is wrong in it; defaults where there is no file. Raises Refused: unavailable."""
    from memd.model.config import Config

    try:
        with open(path, "rb") as file:
            text = file.read().decode("utf-8-sig", "replace")
    except FileNotFoundError:
        return Config(), ()
    except OSError as error:
        raise Refused("unavailable", f"cannot read the config {path}: {error.strerror}") from error
    from memd.parse import settings

    config, problems = settings.load(text)
    return config, _of(path, problems)


def read_again(path: str, running: Config) -> tuple[Config, tuple[Problem, ...]]:
    """What a memd that runs takes from its config now, with what is wrong in it. Raises Refused: unavailable."""
    from memd.parse import settings

    config, problems = read_config(path)
    if any(problem.code == "config_syntax" for problem in problems):
        return running, problems
    config, late = settings.again(running, config)
    return config, problems + _of(path, late)


def _of(path: str, problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    from msgspec import structs

    return tuple(structs.replace(problem, path=path) for problem in problems)


class _Vault(Struct):
    path: str = ""


class _Daemon(Struct):
    socket: str = ""


class _Named(Struct):
    name: str
    path: str


class Pointers(Struct):
    """The few keys of a config that say which vault and which socket; a whole `Config` has them too."""

    vault: _Vault = msgspec.field(default_factory=_Vault)
    daemon: _Daemon = msgspec.field(default_factory=_Daemon)
    vaults: tuple[_Named, ...] = ()


def _pointers(path: str) -> Pointers | Config:
    """Read on every command, so without the whole of the settings; those are asked where something is at fault."""
    try:
        with open(path, "rb") as file:
            return msgspec.toml.decode(file.read(), type=Pointers)
    except FileNotFoundError:
        return Pointers()
    except (OSError, ValueError):
        return read_config(path)[0]


def named_vaults(config: Pointers | Config, environ: Environ) -> dict[str, str]:
    """name → real path of each `[[vaults]]`, and of `[vault] path` under its folder's name."""
    found = {each.name: _real(each.path, environ) for each in config.vaults}
    if config.vault.path:
        path = _real(config.vault.path, environ)
        if path not in found.values():
            found.setdefault(os.path.basename(path), path)
    return found


def _real(path: str, environ: Environ, cwd: str = "/") -> str:
    if path == "~" or path.startswith("~/"):
        path = home(environ) + path[1:]
    return os.path.realpath(os.path.join(cwd, path))


# which vault


def locate(environ: Environ, cwd: str, vault: str = "", socket: str = "", config: str = "") -> Place:
    """The vault that is meant: the one named (a path or a configured name), the one that `cwd` is in, the configured one.

    A config is read only when the answer depends on it. Raises Refused: `not_found` where no vault is meant.
    """
    socket = socket and os.path.join(cwd, socket)
    path, name, file = (
        "",
        "",
        os.path.join(cwd, config) if config else os.path.join(config_folder(environ), "memd.toml"),
    )
    if config and not os.path.exists(file):
        raise Refused("not_found", f"there is no config {file}: `memd init VAULT --config {config}` makes one")
    if _is_path(vault):
        path = _real(vault, environ, cwd)
    if not (path or vault) and socket:
        return Place("", "", "", socket, "", "", file)
    if not (path and socket):
        name, path, socket, file = _configured(environ, cwd, vault, socket, file, explicit=bool(config))
    id = vault_id(path)
    log = os.path.join(state_folder(environ), id + ".log")
    return Place(id, name or os.path.basename(path), path, socket, os.path.join(cache_folder(environ), id), log, file)


def _is_path(vault: str) -> bool:
    return os.sep in vault or vault.startswith((".", "~"))


def _configured(
    environ: Environ, cwd: str, vault: str, socket: str, file: str, *, explicit: bool
) -> tuple[str, str, str, str]:
    """(name, path, socket, config file), as the config says; a vault `work` may have a `work.toml` of its own."""
    config = _pointers(file)
    known = named_vaults(config, environ)
    try:
        path = _meant(environ, cwd, vault, known, _real(config.vault.path, environ) if config.vault.path else "")
    except Refused:
        _refuse_broken(file)
        raise
    name = next((name for name, at in known.items() if at == path), "")
    alone = explicit or len(known) <= 1 or bool(config.vault.path and _real(config.vault.path, environ) == path)
    own = os.path.join(os.path.dirname(file), name + ".toml")
    if name and not explicit and os.path.isfile(own):
        file, alone = own, True
        config = _pointers(own)
    if not socket and alone and config.daemon.socket:
        socket = _real(config.daemon.socket, environ, os.path.dirname(file))
    return name, path, socket or default_socket(path, environ), file


def _refuse_broken(file: str) -> None:
    """Says what is wrong with a config that is no TOML: no vault is found in it, whatever it names."""
    for problem in read_config(file)[1]:
        if problem.code == "config_syntax":
            raise Refused(
                "invalid_params", f"{file}:{problem.line}: {problem.message}; correct it, or give --vault PATH"
            )


def _meant(environ: Environ, cwd: str, vault: str, known: dict[str, str], default: str) -> str:
    if vault:
        if vault in known:
            return known[vault]
        path = _real(vault, environ, cwd)
        if _is_path(vault) or os.path.isdir(path):
            return path
        names = ", ".join(known) or "none yet"
        raise Refused("not_found", f"no vault is named {vault!r} (known: {names}); give a path, or `memd init PATH`")
    here = os.path.realpath(cwd)
    around = [path for path in known.values() if here == path or here.startswith(path + os.sep)]
    if around:
        return max(around, key=len)
    if default or len(known) == 1:
        return default or next(iter(known.values()))
    if known:
        raise Refused("not_found", f"which vault? --vault {' or --vault '.join(known)}")
    raise Refused("not_found", "no vault yet: `memd init PATH` makes one, or give --vault PATH")
