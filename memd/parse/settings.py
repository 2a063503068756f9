"""The config file as settings: every fault named at once, with its line; a key at fault keeps its default.

Knows which values a key may have. Never reads the file, never says where it is.
"""

from __future__ import annotations

import difflib
import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_type_hints
from zoneinfo import ZoneInfo, available_timezones

import msgspec

from memd.model.config import FORMATS, AgentsConfig, Config, ImportConfig, NamedVault, SocketConfig
from memd.model.problem import Problem

_TABLES = {"socket": SocketConfig, "imports": ImportConfig, "vaults": NamedVault}
_ONE_OF: dict[str, tuple[str, ...]] = {
    "daemon.log_level": ("debug", "info", "warning", "error", "critical"),
    "formation.method": ("rules", "llm"),
    "retrieve.intent": ("rules", "llm"),
    "agents.confirm": ("never", "destructive", "all"),
    "socket.confirm": ("", "never", "destructive", "all"),
    "socket.rights": ("read", "write", "forget"),
    "imports.format": FORMATS,
    "imports.category": ("interaction", "integration"),
}
_RANGES: dict[str, tuple[float, float]] = {
    "vault.max_note": (1024, 256 * 1024 * 1024),
    "vault.undo_days": (0, 36_500),
    "daemon.idle_exit": (0, 10**9),
    "daemon.scan_every": (1, 86_400),
    "vectors.query_budget_ms": (1, 60_000),
    "vectors.threads": (0, 256),
    "formation.seal": (2, 1000),
    "formation.every": (1, 10**7),
    "formation.admit": (0, 1),
    "formation.admit_corroborated": (0, 1),
    "formation.match": (0, 1),
    "formation.create": (0, 1),
    "formation.shortlist": (1, 1000),
    "formation.stale_fact": (1, 36_500),
    "formation.stale_procedure": (1, 36_500),
    "formation.stale_reference": (1, 36_500),
    "formation.recent_days": (1, 36_500),
    "formation.profile_lines": (1, 10_000),
    "formation.profile_length": (20, 10_000),
    "retrieve.intent_budget_ms": (1, 60_000),
    "llm.timeout": (1, 3600),
    "llm.max_tokens": (0, 1_000_000),
    "imports.every": (10, 10**7),
}
_TYPES = {
    str: "text in quotes",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    tuple[str, ...]: 'a list of texts, as ["a", "b"]',
}
_STRICT = {"agents.confirm": "all"}
"""What a key is when its value makes no sense, where the default would allow more than was meant."""
_UNTIL = {
    "socket": "correct it; until then this socket is not opened",
    "agents": "correct it; until then every call that changes something is confirmed",
}
_AT_START = (
    "vault.timezone vault.max_note daemon.socket daemon.log_level vectors formation.folder formation.every socket imports"
).split()
"""Sections and keys that are looked at once."""
_SECTION = re.compile(r"\s*\[(?P<many>\[?)\s*(?P<name>[\w.-]+)\s*\]")
_KEY = re.compile(r"\s*[\"']?(?P<key>[\w-]+)[\"']?\s*=")
_AT_LINE = re.compile(r"\s*\(at line (\d+).*\)$")


class _Bad(Exception):
    """Why a value will not do, as an end to the sentence "`key` …"."""


def load(text: str) -> tuple[Config, tuple[Problem, ...]]:
    """The settings and everything that is wrong with the text; one that is no TOML (`config_syntax`) leaves every default
    that allows no more than was meant."""
    try:
        given = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as fault:
        found = _AT_LINE.search(str(fault))
        message = f"the config is not TOML: {_AT_LINE.sub('', str(fault)).lower() or 'nested too deep'}"
        hint = (
            "correct the line; a start uses the defaults and confirms every change, a memd that runs goes on as before"
        )
        strict = Config(agents=AgentsConfig(confirm=_STRICT["agents.confirm"]))
        return strict, (Problem("config_syntax", "", int(found[1]) if found else 0, message, hint),)
    reading = _Reading(text)
    return reading.config(given), tuple(sorted(reading.problems, key=lambda problem: problem.line))


def again(running: Config, read: Config) -> tuple[Config, tuple[Problem, ...]]:
    """What may change while memd runs is taken from what was read now; the rest stays as it runs, and is told."""
    problems = []
    for name in _AT_START:
        section, _, key = name.partition(".")
        old, new = getattr(running, section), getattr(read, section)
        kept = msgspec.structs.replace(new, **{key: getattr(old, key)}) if key else old
        if kept != new:
            read = msgspec.structs.replace(read, **{section: kept})
            what = f"[{section}] `{key}`" if key else f"[{section}]"
            problems.append(_problem(0, f"{what} was changed while memd ran", "restart memd, and it holds"))
    return read, tuple(problems)


class _Reading:
    def __init__(self, text: str) -> None:
        self.lines = _lines(text)
        self.problems: list[Problem] = []

    def config(self, given: Mapping[str, Any]) -> Config:
        sections: dict[str, Any] = {}
        types = get_type_hints(Config)
        self._unknown(given, types, "", 0)
        for name, table in given.items():
            if name in _TABLES:
                sections[name] = tuple(self._tables(name, table))
            elif name in types:
                found = self._section(name, 0, types[name], table)
                sections[name] = types[name](**found)
        return Config(**sections)

    def _tables(self, name: str, tables: Any) -> Iterable[Any]:
        """The tables that can be used; a socket with any fault is not opened, for a default could grant more than was meant."""
        if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
            self._tell(name, 0, "", f"`{name}` is a list of tables", f"write it as `[[{name}]]`")
            return
        for n, table in enumerate(tables):
            kind, before = _TABLES[name], len(self.problems)
            found = self._section(name, n, kind, table)
            missing = [key for key in _required(kind) if key not in found]
            for key in missing:
                if key not in table:
                    self._tell(name, n, "", f"a [[{name}]] has no `{key}`", f'add a line `{key} = "…"`')
            faulty = kind is SocketConfig and len(self.problems) > before
            earlier = [one["name"] for one in tables[:n] if "name" in one] if kind is NamedVault else []
            if table.get("name") in earlier:
                twice = f"two [[vaults]] are called {_shown(table['name'])}"
                self._tell(name, n, "name", twice, "the first of them holds")
                continue
            if not missing and not faulty:
                yield kind(**found)

    def _section(self, name: str, n: int, kind: Any, table: Any) -> dict[str, Any]:
        if not isinstance(table, dict):
            self._tell(name, n, "", f"`{name}` is a section, not a value", f"write `[{name}]` and its keys below it")
            return {}
        types = get_type_hints(kind)
        self._unknown(table, types, name, n)
        found: dict[str, Any] = {}
        for key, value in table.items():
            if key in types:
                try:
                    found[key] = _checked(f"{name}.{key}", value, types[key])
                except _Bad as fault:
                    hint = _UNTIL.get(name, "correct it; until then the default holds")
                    self._tell(name, n, key, f"[{name}] `{key}` {fault}", hint)
                    if f"{name}.{key}" in _STRICT:
                        found[key] = _STRICT[f"{name}.{key}"]
        return found

    def _unknown(self, table: Mapping[str, Any], known: Iterable[str], section: str, n: int) -> None:
        for key in table:
            if key not in known:
                near = difflib.get_close_matches(key, list(known), 1, 0.5)
                where = f"[{section}] has no key `{key}`" if section else f"there is no section or key `{key}`"
                hint = f"did you mean `{near[0]}`?" if near else f"known are {', '.join(sorted(known))}"
                self._tell(section or key, n, key if section else "", where, hint)

    def _tell(self, section: str, n: int, key: str, message: str, hint: str) -> None:
        line = self.lines.get((section, n, key)) or self.lines.get((section, n, "")) or 0
        if not line and not key:
            line = self.lines.get(("", 0, section), 0)
        self.problems.append(_problem(line, message, hint))


def _checked(name: str, value: Any, kind: Any) -> Any:
    """The value in its type and range. Raises _Bad."""
    try:
        found = msgspec.convert(value, kind)
    except msgspec.ValidationError:
        raise _Bad(f"is {_shown(value)}, but must be {_TYPES.get(kind, 'text or true or false')}") from None
    if name in _ONE_OF:
        for word in found if isinstance(found, tuple) else (found,):
            if word not in _ONE_OF[name]:
                near = difflib.get_close_matches(word, _ONE_OF[name], 1)
                also = f"; did you mean {near[0]!r}?" if near else ""
                raise _Bad(f"is {word!r}, but must be one of {', '.join(map(repr, _ONE_OF[name]))}{also}")
    if name in _RANGES and not _RANGES[name][0] <= found <= _RANGES[name][1]:
        low, high = _RANGES[name]
        raise _Bad(f"is {found}, but must lie between {low} and {high}")
    if check := _CHECKS.get(name):
        check(found)
    return found


def _zone(name: str) -> None:
    try:
        ZoneInfo(name or "UTC")
    except (ValueError, OSError, KeyError):
        near = difflib.get_close_matches(name, sorted(available_timezones()), 1)
        also = f"; did you mean {near[0]!r}?" if near else ", as 'Asia/Shanghai'"
        raise _Bad(f"is {name!r}, which is no time zone{also}") from None


def _here(found: str | bool) -> None:
    if found not in ("auto", True, False):
        raise _Bad(f"is {found!r}, but must be 'auto', true or false")


def _folder(name: str) -> None:
    parts = name.split("/")
    if not name or any(part in ("", ".", "..") or part.startswith(".") for part in parts):
        raise _Bad(f"is {name!r}, but must be a folder inside the vault that does not begin with a dot")


def _env_name(name: str) -> None:
    if name and not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        raise _Bad("must be the name of an environment variable, not a key itself")


def _url(text: str) -> None:
    if text and not re.match(r"https?://[^/]", text):
        raise _Bad(f"is {_shown(text)}, but must be an address, as 'http://localhost:11434/v1'")


def _whole(path: str) -> None:
    if not path.startswith(("/", "~")):
        raise _Bad(f"is {_shown(path)}, but must be a whole path, from / or ~ on")


_CHECKS: dict[str, Callable[[Any], None]] = {
    "vault.timezone": _zone,
    "formation.here": _here,
    "formation.folder": _folder,
    "llm.api_key_env": _env_name,
    "llm.base_url": _url,
    "vectors.api_key_env": _env_name,
    "daemon.socket": lambda path: _whole(path or "/"),
    "daemon.metrics_file": lambda path: _whole(path or "/"),
    "socket.path": _whole,
    "imports.path": _whole,
}


def _required(kind: Any) -> list[str]:
    return [field.name for field in msgspec.structs.fields(kind) if field.required]


def _shown(value: Any) -> str:
    """A value for a message; long ones cut."""
    text = str(value).lower() if isinstance(value, bool) else repr(value)
    return text if len(text) <= 40 else text[:40] + "…"


def _lines(text: str) -> dict[tuple[str, int, str], int]:
    """(section, number of its table, key) → line; a section's own line under the key ""."""
    found: dict[tuple[str, int, str], int] = {}
    counts: dict[str, int] = {}
    section, n = "", 0
    for line, row in enumerate(text.split("\n"), 1):
        if opened := _SECTION.match(row):
            section = opened["name"]
            n = counts.get(section, 0) if opened["many"] else 0
            counts[section] = n + 1
            found.setdefault((section, n, ""), line)
        elif key := _KEY.match(row):
            found.setdefault((section, n, key["key"]), line)
    return found


def _problem(line: int, message: str, hint: str) -> Problem:
    return Problem("config", "", line, message, hint)
