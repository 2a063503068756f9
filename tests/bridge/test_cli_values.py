"""What people type as a value: filters, targets, shorthand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from memd.bridge.cli_shell import safe
from memd.bridge.cli_values import file_name, json_value, observation, relation, scalar, target, where_of


@pytest.mark.parametrize(
    ("typed", "where"),
    [
        (["status=open"], {"status": "open"}),
        (["status=open", "status=stuck"], {"status": ["open", "stuck"]}),
        (["grade>=5", "grade<9"], {"grade": {"gte": 5, "lt": 9}}),
        (["due>2026-01-01"], {"due": {"gt": "2026-01-01"}}),
        (["title~线性"], {"title": {"contains": "线性"}}),
        (["due"], {"due": {"exists": True}}),
        (["!due"], {"due": {"exists": False}}),
        (["url=http://a/?b=c"], {"url": "http://a/?b=c"}),
        (["done=true", "n=1.5", 'code="007"', "x="], {"done": True, "n": 1.5, "code": "007", "x": ""}),
    ],
)
def test_filters(typed: list[str], where: dict[str, Any]) -> None:
    """Each operator, several of one field, and values by their look."""
    assert where_of(typed) == where


@pytest.mark.parametrize("typed", ["", "=x", "!", "!="])
def test_a_filter_without_a_field_is_none(typed: str) -> None:
    """The message shows the forms."""
    with pytest.raises(ValueError, match="K=V"):
        where_of([typed])


@pytest.mark.parametrize(
    ("typed", "value"), [("5", 5), ("-1", -1), ("null", None), ("[1]", "[1]"), ("a b", "a b"), ("1e400", "1e400")]
)
def test_scalars(typed: str, value: Any) -> None:
    """A number is a number, a list is not a scalar."""
    assert scalar(typed) == value


def test_shorthand() -> None:
    """Observations and relations as in a note, list mark or not."""
    assert observation("- [fact] 猫 sleeps (at night)") == {
        "category": "fact",
        "text": "猫 sleeps",
        "context": "at night",
    }
    assert observation("[a] b") == {"category": "a", "text": "b"}
    assert relation("part_of [[Studio]] (since May)") == {"type": "part_of", "target": "Studio", "context": "since May"}
    assert relation('{"type": "a", "target": "b"}') == {"type": "a", "target": "b"}
    with pytest.raises(ValueError, match="category"):
        observation("no category")


def test_targets() -> None:
    """`kind:id`, and the id may hold colons."""
    assert target("entity:interaction:小林") == {"entity": "interaction:小林"}
    assert target("lf-3v7c2nrzda") == {"leaf": "lf-3v7c2nrzda"}
    assert target("ev-7k2m7q4txa") == {"evidence": "ev-7k2m7q4txa"}
    assert target("ev-7k2m7q4txa#t3") == {"turn": "ev-7k2m7q4txa#t3"}
    for wrong in ("leaf", "leaf:", "life:x", ":x", "sm-3v7c2nrzda"):
        with pytest.raises(ValueError, match="KIND:ID"):
            target(wrong)


@pytest.mark.parametrize(
    ("typed", "kind"),
    [("a/b.md", "path"), ("B.MD", "path"), ("lf-3v7c2nrzda", "id"), ("ev-7k2m7q4txa#t3", "id"), ("#p-9f2c", "id"),
     ("my-note-1x2y", "permalink"), ("A title", "permalink"), ("memory://x", "permalink")],
)  # fmt: skip
def test_names_of_notes(typed: str, kind: str) -> None:
    """A path, an id, or a permalink or title."""
    assert file_name(typed) == {kind: typed}


def test_json_comes_from_the_line_or_a_file(tmp_path: Path) -> None:
    """`@FILE` reads it; what is none is said."""
    (tmp_path / "a.json").write_text('[{"text": "a"}]')
    assert json_value(f"@{tmp_path}/a.json") == json_value('[{"text":"a"}]')
    with pytest.raises(ValueError, match="not JSON"):
        json_value("{")
    with pytest.raises(ValueError, match="cannot read"):
        json_value("@/nowhere")


def test_words_cannot_steer_a_terminal() -> None:
    """Escape sequences, bells, C1 controls and direction overrides are made visible; tabs and lines stay."""
    assert safe("\u061ca\u200eb\u200f\u2066") == "\ufffda\ufffdb\ufffd\ufffd"
    assert safe("a\x1b[2J\x07\x9b\u202eb\tc\n猫") == "a\ufffd[2J\ufffd\ufffd\ufffdb\tc\n猫"
