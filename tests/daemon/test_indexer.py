"""The owner thread of the text index: newest state a path, API writes first, nothing lost when a commit fails."""

from __future__ import annotations

import threading
from collections.abc import Mapping

import pytest

from memd.daemon import indexer
from memd.daemon.indexer import Indexed, Indexer
from memd.index.port import Hit, Operations, Query, Unit
from memd.model.errors import Refused


class FakeWords:
    """Keeps what was committed; `failing` commits fail first."""

    def __init__(self, failing: int = 0) -> None:
        self.applied: dict[str, tuple[Unit, ...] | None] = {}
        self.there: dict[str, tuple[Unit, ...]] = {}
        self.commits = 0
        self.history: list[set[str]] = []
        self.failing = failing
        self.gate = threading.Event()
        self.gate.set()
        self.begun = threading.Event()

    def apply(self, operations: Operations) -> None:
        self.begun.set()
        self.gate.wait(10)
        self.applied |= operations.replace
        self.applied |= dict.fromkeys(operations.remove)

    def commit(self) -> None:
        if self.failing:
            self.failing -= 1
            self.applied = {}
            raise Refused("unavailable", "no space left")
        for path, units in self.applied.items():
            self.there.pop(path, None)
            if units is not None:
                self.there[path] = units
        self.applied = {}
        self.commits += 1
        self.history.append(set(self.there))

    def search(self, query: Query, limit: int) -> list[Hit]:
        return []

    def count(self) -> int:
        return len(self.there)

    def close(self) -> None:
        return


def unit(path: str, text: str = "") -> Indexed:
    return Indexed((Unit(path, path, "note", path, text),), row=f"row of {path}")


class Desk:
    """An indexer over fakes; `rows` is what the ledger was told."""

    def __init__(self, failing: int = 0) -> None:
        self.words = FakeWords(failing)
        self.rows: dict[str, object] = {}
        self.settled = threading.Condition()
        self.indexer = Indexer(self.words, self.keep, self.words.there.clear, self.settle)

    def keep(self, rows: Mapping[str, object]) -> None:
        self.rows |= rows

    def settle(self) -> None:
        with self.settled:
            self.settled.notify_all()

    def wait(self, pending: int = 0) -> None:
        with self.settled:
            assert self.settled.wait_for(lambda: self.indexer.pending == pending, 60)


def test_changes_become_searchable_and_their_rows_are_kept() -> None:
    """What is submitted is committed, and the ledger is told after it."""
    desk = Desk()
    desk.indexer.start()
    desk.indexer.submit({"a.md": unit("a.md"), "b.md": unit("b.md")})
    desk.wait()
    desk.indexer.submit({"a.md": Indexed(None)})
    desk.wait()
    desk.indexer.stop()
    assert set(desk.words.there) == {"b.md"}
    assert desk.rows == {"a.md": None, "b.md": "row of b.md"}


def test_a_client_write_is_visible_before_bulk_work_is_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """An urgent change that somebody waits for goes ahead of thousands; its number tells when it is searchable."""
    monkeypatch.setattr(indexer, "BATCH", 2)
    desk = Desk()
    desk.words.gate.clear()
    desk.indexer.submit({f"{n}.md": unit(f"{n}.md") for n in range(50)})
    desk.indexer.start()
    number = desk.indexer.submit({"urgent.md": unit("urgent.md")}, urgent=True)
    desk.indexer.hurry()
    desk.words.gate.set()
    with desk.settled:
        assert desk.settled.wait_for(lambda: desk.indexer.visible >= number, 60)
    desk.wait()
    desk.indexer.stop()
    first = next(there for there in desk.words.history if "urgent.md" in there)
    assert len(first) < 10
    assert len(desk.words.there) == 51


def test_a_large_vault_is_committed_in_large_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is indexed before the rest is read waits for it, until it is much; a commit is a segment to be merged later."""
    monkeypatch.setattr(indexer, "BULK", 30)
    monkeypatch.setattr(indexer, "LINGER", 0.0)
    monkeypatch.setattr(indexer, "COMMIT_EVERY", 3600.0)
    desk = Desk()
    desk.indexer.start()
    for part in range(5):
        desk.indexer.submit({f"{part}-{n}.md": unit(f"{part}-{n}.md") for n in range(10)}, more=part < 4)
        with desk.settled:
            assert desk.settled.wait_for(lambda: not desk.indexer._queue, 60)
    desk.wait()
    desk.indexer.stop()
    assert list(map(len, desk.words.history)) == [30, 50]


def test_a_stop_in_the_middle_of_a_large_vault_begins_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was begun is committed with its rows; of the rest neither words nor rows are kept."""
    monkeypatch.setattr(indexer, "BATCH", 1)
    monkeypatch.setattr(indexer, "COMMIT_EVERY", 3600.0)
    desk = Desk()
    desk.words.gate.clear()
    desk.indexer.start()
    desk.indexer.submit({"a.md": unit("a.md"), "b.md": unit("b.md")}, more=True)
    assert desk.words.begun.wait(60)
    stopping = threading.Thread(target=desk.indexer.stop)
    stopping.start()
    with desk.indexer._wake:
        assert desk.indexer._wake.wait_for(lambda: desk.indexer._stop, 60)
    desk.words.gate.set()
    stopping.join(60)
    assert set(desk.words.there) == {"a.md"}
    assert desk.rows == {"a.md": "row of a.md"}


def test_only_the_newest_state_of_a_path_is_indexed() -> None:
    """Ten edits of one note that wait are one change."""
    desk = Desk()
    for n in range(10):
        desk.indexer.submit({"a.md": unit("a.md", f"version {n}")})
    desk.indexer.start()
    desk.wait()
    desk.indexer.stop()
    assert [u.text for u in desk.words.there["a.md"]] == ["version 9"]
    assert desk.words.commits == 1


def test_a_failed_commit_loses_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a full disk the batch is queued again, the trouble is told, and goes away with the next commit."""
    monkeypatch.setattr(indexer, "RETRY_AFTER", 0.01)
    desk = Desk(failing=2)
    desk.indexer.start()
    desk.indexer.submit({"a.md": unit("a.md")}, urgent=True)
    desk.wait()
    desk.indexer.stop()
    assert set(desk.words.there) == {"a.md"}
    assert desk.rows == {"a.md": "row of a.md"}
    assert desk.indexer.error == ""


def test_a_row_never_runs_ahead_of_its_words() -> None:
    """A new stat of a file whose words still wait is written with them, not before."""
    desk = Desk()
    desk.indexer.submit({"a.md": unit("a.md")})
    desk.indexer.restate({"a.md": "newer row", "other.md": "row of other.md"})
    assert desk.rows == {}
    desk.indexer.start()
    desk.wait()
    desk.indexer.stop()
    assert desk.rows == {"a.md": "newer row", "other.md": "row of other.md"}


def test_a_row_does_not_outlive_its_file() -> None:
    """A file that is touched and then removed before a commit leaves no row behind."""
    desk = Desk()
    desk.indexer.restate({"a.md": "row of a.md"})
    desk.indexer.submit({"a.md": Indexed(None)})
    desk.indexer.start()
    desk.wait()
    desk.indexer.stop()
    assert desk.rows == {"a.md": None}


def test_an_index_that_cannot_be_emptied_says_so_and_goes_on() -> None:
    """Whoever asked is told; the thread lives, and the next time it may go well."""
    desk = Desk()
    outcomes = iter([Refused("unavailable", "no space left"), None])

    def wipe() -> None:
        if refused := next(outcomes):
            raise refused
        desk.words.there.clear()

    desk.indexer = Indexer(desk.words, desk.keep, wipe, desk.settle)
    desk.indexer.start()
    desk.indexer.submit({"a.md": unit("a.md")})
    desk.wait()
    with pytest.raises(Refused, match="no space left"):
        desk.indexer.clear()
    assert set(desk.words.there) == {"a.md"}
    desk.indexer.clear()
    assert not desk.words.there
    desk.indexer.stop()
