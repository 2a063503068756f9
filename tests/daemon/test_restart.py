"""What a restart may trust: the ledger's rows, and when the listing was taken that they are all there of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from memd.daemon.indexer import Indexed, Indexer
from memd.disk.diff import GRAIN_NS, suspects
from memd.disk.listing import Listing, Stat
from memd.index.ledger import Ledger
from memd.index.port import Operations, Unit


class Words:
    """A text index that keeps nothing."""

    def apply(self, operations: Operations) -> None: ...

    def commit(self) -> None: ...

    def close(self) -> None: ...


def test_the_listing_outlives_a_restart_but_not_another_index(tmp_path: Path) -> None:
    """When all was listed is known again by the same index, and by no other."""
    ledger = Ledger(str(tmp_path / "l.db"), "one")
    assert ledger.listed_at() == 0
    ledger.listed(1234)
    ledger.close()
    assert Ledger(str(tmp_path / "l.db"), "one").listed_at() == 1234
    assert Ledger(str(tmp_path / "l.db"), "two").listed_at() == 0


def test_a_listing_counts_after_the_rows_it_speaks_of() -> None:
    """Nothing is noted as listed before every row that was submitted earlier is kept."""
    told: list[object] = []

    def keep(rows: Mapping[str, object]) -> None:
        told.extend(rows)

    indexer = Indexer(Words(), keep, lambda: None, lambda: None, told.append)  # type: ignore[arg-type]
    unit = Unit(key="a.md", path="a.md", kind="note", title="a", text="a")
    indexer.submit({f"{n}.md": Indexed((unit,), n) for n in range(1000)})
    indexer.listed(77)
    indexer.start()
    indexer.stop()
    assert told[-1] == 77
    assert len(told) == 1001


def test_only_files_touched_about_the_listing_or_later_are_read_again() -> None:
    """With the time of the listing known, a file that is older and has the same stat is not looked at."""
    at = 100 * GRAIN_NS
    old, young = Stat(1, at // 2, at // 2, 1, 1, 1), Stat(1, at, at, 2, 1, 1)
    known = Listing({"old.md": old, "young.md": young})
    assert suspects(known, known, at, True)[0] == ["young.md"]
    assert suspects(known, known, 0, True)[0] == ["old.md", "young.md"]
