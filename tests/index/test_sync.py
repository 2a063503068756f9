"""What to read, what is gone, what only has a new stat: decided from states, never from events."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memd.index.ledger import Row, Stat
from memd.index.sync import judge, plan_sync
from memd.model.note import Note

NAMES = st.sampled_from(["a.md", "b.md", "d/c.md", "d/e/f.md"])
STATS = st.builds(
    Stat, size=st.integers(0, 2), mtime_ns=st.integers(0, 3), ctime_ns=st.just(0), ino=st.integers(1, 2), dev=st.just(1)
)


def row(path: str, stat: Stat, sha: str = "s") -> Row:
    return Row(stat, sha, Note(path=path, title=path))


@given(st.dictionaries(NAMES, STATS), st.dictionaries(NAMES, STATS), st.sets(NAMES))
def test_every_difference_is_read_or_gone(old: dict[str, Stat], new: dict[str, Stat], hinted: set[str]) -> None:
    """A path whose stat is the same and that nobody named is left alone; every other is read, or gone, and never both."""
    rows = {path: row(path, stat) for path, stat in old.items()}
    todo = plan_sync(rows, new, hinted)
    assert set(todo.gone) == old.keys() - new.keys()
    assert set(todo.read) == {p for p, s in new.items() if old.get(p) != s or p in hinted}
    assert plan_sync({p: row(p, s) for p, s in new.items()}, new) == plan_sync({}, {})


def test_folders_that_could_not_be_listed_stand() -> None:
    """What lies in them is neither read nor gone."""
    rows = {"d/c.md": row("d/c.md", Stat(1, 1, 1, 1, 1)), "a.md": row("a.md", Stat(1, 1, 1, 1, 1))}
    assert plan_sync(rows, {}, unread=("d",)).gone == ("a.md",)
    assert plan_sync(rows, {}, unread=("",)).gone == ()


def test_without_trust_all_is_read_newest_first() -> None:
    """Where stats mean nothing the hash is asked of every file."""
    stats = {"a.md": Stat(1, 1, 1, 1, 1), "b.md": Stat(1, 9, 1, 1, 1)}
    rows = {path: row(path, stat) for path, stat in stats.items()}
    assert plan_sync(rows, stats, trust=False).read == ("b.md", "a.md")


def test_the_hash_is_the_judge() -> None:
    """Same bytes are only restated; bytes that left one path and stand at another have moved, each once."""
    stat = Stat(1, 1, 1, 1, 1)
    rows = {p: row(p, stat, sha) for p, sha in {"a.md": "1", "b.md": "2", "c.md": "2", "d.md": "4"}.items()}
    found = judge(rows, {"a.md": "1", "d.md": "5", "new.md": "2", "more.md": "2", "third.md": "2"}, ("b.md", "c.md"))
    assert found.same == ("a.md",)
    assert found.changed == ("d.md", "more.md", "new.md", "third.md")
    assert found.moved == (("b.md", "more.md"), ("c.md", "new.md"))
