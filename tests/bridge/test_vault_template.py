"""Views of the template for Obsidian: YAML of the documented keys, filters of documented functions over keys that memd writes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

TEMPLATE = Path(__file__).parents[2] / "vault-template"
BASES = sorted(TEMPLATE.glob("*.base"))
FUNCTIONS = frozenset(
    """date duration file if link list max min now number today isTruthy isType toString format time relative isEmpty
    contains containsAll containsAny endsWith lower replace repeat reverse slice split startsWith title trim abs ceil floor
    round toFixed filter flat join map reduce sort unique asFile linksTo asLink hasLink hasProperty hasTag inFolder""".split()
)
FILE = frozenset("backlinks ctime embeds ext file folder links mtime name path properties size tags".split())
KEYS = frozenset(
    """id type title created origin sensitivity method body_sha256 session source category date turns topic from to participants
    set_aside evidence states extracted tree entity_type name aliases owner subject aspect kind holder speaker valid_from
    valid_to observed_at when status supersedes chain labels entities confidence rationale entity_decision staleness
    verification fingerprint quotes height children sealed_at root dropped members current corrections up_to version period""".split()
)


def filters(value: Any) -> Iterator[str]:
    """Every statement of a filter, however nested."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        assert set(value) <= {"and", "or", "not"}
        for each in value.values():
            yield from filters(each)
    else:
        for each in value:
            yield from filters(each)


def names(statement: str) -> tuple[set[str], set[str]]:
    """(functions called, properties named) of an expression, its texts left out."""
    bare = re.sub(r'"[^"]*"', '""', statement)
    return set(re.findall(r"(\w+)\(", bare)), set(re.findall(r"(?<![\w.])(?:file\.|formula\.)?[a-z_]+\b(?!\()", bare))


@pytest.mark.parametrize("path", BASES, ids=lambda path: path.name)
def test_a_view_uses_what_is_documented_and_what_is_there(path: Path) -> None:
    """Keys, functions, file fields, and properties of memory's files."""
    base = yaml.safe_load(path.read_text())
    assert set(base) <= {"filters", "formulas", "properties", "summaries", "views"}
    formulas = base.get("formulas", {})
    known = KEYS | {f"file.{field}" for field in FILE} | {f"formula.{name}" for name in formulas}
    said = [*filters(base["filters"]), *formulas.values()]
    for view in base["views"]:
        assert view["type"] in ("table", "cards", "list")
        assert set(view) <= {"type", "name", "filters", "order", "limit", "sort", "groupBy", "summaries"}
        assert set(view["order"]) <= known
        said += filters(view.get("filters", []))
    for statement in said:
        functions, properties = names(statement)
        assert functions <= FUNCTIONS, statement
        assert properties <= known, statement
    assert set(base.get("properties", {})) <= known


def test_leaves_pending_stale_and_conflicts_have_a_view() -> None:
    """What a person wants to look at without a command line."""
    views = [view["name"] for path in BASES for view in yaml.safe_load(path.read_text())["views"]]
    for words in ("remembered", "Stale", "wait", "sync engine"):
        assert any(words in name for name in views)


def test_memory_is_kept_out_of_the_quick_switcher_in_new_vaults() -> None:
    """Obsidian's excluded files: less prominent in search, switcher and graph."""
    import json

    settings = json.loads((TEMPLATE / ".obsidian" / "app.json").read_text())
    assert any(each.startswith("memory") for each in settings["userIgnoreFilters"])
