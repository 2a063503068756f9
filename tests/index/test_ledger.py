"""The ledger: rows come back as they were written, or not at all."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memd.index.ledger import Ledger, Row, Stat
from memd.model.note import Heading, Note

STAT = Stat(12, 1_700_000_000_000_000_001, 2, 3, 4)


def row(path: str, **more: object) -> Row:
    note = Note(path=path, title=path, tags=("a",), headings=(Heading(1, "H", 2),), frontmatter={"n": 1, "l": ["x"]})
    return Row(STAT, "ab" * 32, note, **more)  # type: ignore[arg-type]


@pytest.fixture
def file(tmp_path: Path) -> str:
    return str(tmp_path / "cache" / "ledger.db")


def test_rows_come_back(file: str) -> None:
    """Every field of stat and note, for any name a file can have; removed ones are gone; units add up."""
    ledger = Ledger(file, "one")
    rows = {name: row(name, units=2) for name in ("a.md", "山/é.md", "bad\udcff.md", "new\nline.md")}
    ledger.write(rows.items())
    ledger.write([], ["a.md"])
    ledger.close()
    again = Ledger(file, "one")
    del rows["a.md"]
    assert again.rows() == rows
    assert again.units() == 6
    assert again.damage == ""


def test_rows_of_another_index_are_dropped(file: str) -> None:
    """What was noted about one index says nothing of another."""
    ledger = Ledger(file, "one")
    ledger.write([("a.md", row("a.md"))])
    ledger.close()
    assert Ledger(file, "two").rows() == {}


def test_clear_speaks_of_the_new_index(file: str) -> None:
    """After `clear` the rows belong to the index named there."""
    ledger = Ledger(file, "one")
    ledger.write([("a.md", row("a.md"))])
    ledger.clear("two")
    ledger.write([("b.md", row("b.md"))])
    ledger.close()
    assert list(Ledger(file, "two").rows()) == ["b.md"]


@pytest.mark.parametrize("share", [0.0, 0.2, 0.5, 0.8, 0.999])
def test_damage_is_found(file: str, share: float) -> None:
    """A flipped byte anywhere gives the same rows, or none; never other ones. Then the ledger works again."""
    ledger = Ledger(file, "one")
    rows = {f"{n}.md": row(f"{n}.md") for n in range(200)}
    ledger.write(rows.items())
    ledger.close()
    with open(file, "r+b") as data:
        data.seek(int(os.path.getsize(file) * share))
        byte = data.read(1)[0]
        data.seek(-1, os.SEEK_CUR)
        data.write(bytes((byte ^ 0x41,)))
    again = Ledger(file, "one")
    found = again.rows()
    assert found in ({}, rows)
    again.write([("x.md", row("x.md"))])
    assert "x.md" in again.rows()


def test_garbage_and_truncation(file: str) -> None:
    """A file that is no database is made afresh."""
    os.makedirs(os.path.dirname(file))
    Path(file).write_bytes(b"not a database at all" * 100)
    ledger = Ledger(file, "one")
    assert ledger.damage
    assert ledger.rows() == {}
    ledger.write([("a.md", row("a.md"))])
    ledger.close()
    os.truncate(file, 5000)
    assert Ledger(file, "one").rows() == {}
