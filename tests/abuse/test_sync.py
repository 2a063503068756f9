"""The sync core under every order of files, hints and looks: hypothesis drives `Keeper.look` and `take` over a real folder.

Hints may be lost, doubled, late or of the wrong path; a look at everything then makes the snapshot, and what the indexes
were told, equal to the files.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import unicodedata

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from memd.daemon.indexer import Indexed
from memd.daemon.keeper import EVERYTHING, Keeper, Looked
from memd.daemon.reading import How
from memd.model.fingerprint import sha256
from memd.model.note import Note
from memd.model.vault import Vault

FOLDERS = ("", "a", "a/b", "Ä")
NAMES = ("x.md", "X.md", "\u00e9.md", "e\u0301.md", "x (conflicted copy 2026-04-02).md")
PATHS = [f"{folder}/{name}".lstrip("/") for folder in FOLDERS for name in NAMES]
paths = st.sampled_from(PATHS)
folders = st.sampled_from(FOLDERS[1:])
words = st.sampled_from((b"heron", b"weir!", b"acorn", b"---\ntitle: t\n---\nx", b"", b"\xff\xfe"))


class FakeIndexer:
    """The indexes as paths: what was submitted and not taken back."""

    def __init__(self) -> None:
        self.held: dict[str, object] = {}
        self.rows: dict[str, object] = {}
        self.listed_at = 0

    def submit(self, changed: dict[str, Indexed], urgent: bool = False, more: bool = False) -> int:
        for path, state in changed.items():
            for book, value in ((self.held, state.units), (self.rows, state.row)):
                if value is None:
                    book.pop(path, None)
                else:
                    book[path] = value
        return 0

    def restate(self, rows: dict[str, object]) -> None:
        self.rows |= rows

    def listed(self, at_ns: int) -> None:
        self.listed_at = at_ns


class NoVectors:
    """Vectors that want nothing."""

    wanted = False

    def embed(self, passages: object, removed: object) -> None:
        raise AssertionError("nobody wants passages")


class Syncing(RuleBasedStateMachine):
    """Files change between any two steps, also between the look and the taking of what it found."""

    def __init__(self) -> None:
        super().__init__()
        self.root = tempfile.mkdtemp(prefix="memd-sync-")
        self.indexer = FakeIndexer()
        self.keeper = self._keeper()
        self.looked: Looked | None = None

    def _keeper(self) -> Keeper:
        how = How(self.root, "memory", 1 << 20, "UTC")
        return Keeper(how, self.indexer, NoVectors(), lambda: None)

    def teardown(self) -> None:
        shutil.rmtree(self.root)
        shutil.rmtree(self.root + ".out", ignore_errors=True)

    def _at(self, path: str) -> str:
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        return full

    # files -------------------------------------------------------------------------------------------------------------

    @rule(path=paths, data=words)
    def save(self, path: str, data: bytes) -> None:
        if os.path.islink(self._at(path)):
            os.unlink(self._at(path))
        with open(self._at(path), "wb") as file:
            file.write(data)

    @rule(path=paths, data=words)
    def replace(self, path: str, data: bytes) -> None:
        with open(self._at(path) + ".part", "wb") as file:
            file.write(data)
        os.rename(self._at(path) + ".part", self._at(path))

    @rule(path=paths, data=words)
    def hide(self, path: str, data: bytes) -> None:
        """Other bytes, the old mtime."""
        if os.path.exists(self._at(path)):
            was = os.stat(self._at(path))
            self.save(path, data)
            os.utime(self._at(path), ns=(was.st_atime_ns, was.st_mtime_ns))

    @rule(path=paths)
    def delete(self, path: str) -> None:
        if os.path.lexists(self._at(path)):
            os.unlink(self._at(path))

    @rule(path=paths, to=paths)
    def rename(self, path: str, to: str) -> None:
        if os.path.lexists(self._at(path)):
            os.rename(self._at(path), self._at(to))

    @rule(path=paths, to=paths)
    def swap(self, path: str, to: str) -> None:
        if os.path.lexists(self._at(path)) and os.path.lexists(self._at(to)):
            os.rename(self._at(path), self._at("spare"))
            if path != to:
                os.rename(self._at(to), self._at(path))
            os.rename(self._at("spare"), self._at(to))

    @rule(path=paths, at=st.sampled_from((0, 10**9, 4 * 10**9)))
    def backdate(self, path: str, at: int) -> None:
        if os.path.lexists(self._at(path)):
            os.utime(self._at(path), (at, at), follow_symlinks=False)

    @rule(path=paths, to=st.sampled_from([*PATHS, *FOLDERS[1:]]), name=st.sampled_from(("", "link")))
    def link(self, path: str, to: str, name: str) -> None:
        """In a note's place or in a folder's."""
        at = self._at(os.path.join(os.path.dirname(path), name) if name else path)
        if not os.path.lexists(at):
            os.symlink(os.path.join(self.root, to), at)

    @rule(path=paths, to=paths)
    def hard(self, path: str, to: str) -> None:
        """A second name of a file: one inode, two notes."""
        if os.path.lexists(self._at(path)) and not os.path.lexists(self._at(to)):
            os.link(self._at(path), self._at(to), follow_symlinks=False)

    @rule(folder=folders)
    def drop_folder(self, folder: str) -> None:
        shutil.rmtree(os.path.join(self.root, folder), ignore_errors=True)

    @rule(folder=folders, to=st.sampled_from(("c", "c/d", "Ö", "../{}.out")))
    def move_folder(self, folder: str, to: str) -> None:
        """Away, out of the vault too, and, the next time, back."""
        to = to.format(os.path.basename(self.root))
        one, two = os.path.join(self.root, folder), os.path.join(self.root, to)
        if os.path.exists(two) and not os.path.exists(one):
            one, two = two, one
        if os.path.exists(one) and not os.path.exists(two):
            os.makedirs(os.path.dirname(two), exist_ok=True)
            os.rename(one, two)

    # hints and looks ---------------------------------------------------------------------------------------------------

    @rule(touched=st.frozensets(st.sampled_from([*PATHS, *FOLDERS[1:], "nothing.md", "c"]), min_size=1, max_size=4))
    def look(self, touched: frozenset[str]) -> None:
        self.looked = self.keeper.look(touched, accept=True)

    @rule()
    def look_everywhere(self) -> None:
        self.looked = self.keeper.look(EVERYTHING, accept=True)

    @rule()
    def take(self) -> None:
        """What the last look found; looks and takings come in pairs in the daemon, a look may also be thrown away."""
        if self.looked is not None:
            self.keeper.take(self.looked)
            self.looked = None

    @rule()
    def restart(self) -> None:
        """The ledger's rows are all that is left."""
        from memd.disk.listing import Listing, Stat

        rows = dict(self.indexer.rows)
        self.keeper, self.looked = self._keeper(), None
        known = Listing(
            {p: Stat(s.size, s.mtime_ns, s.ctime_ns, s.ino, s.dev, 1) for p, r in rows.items() if (s := r.stat)}  # type: ignore[attr-defined]
        )
        self.keeper.restore(rows, known, self.indexer.listed_at, None)  # type: ignore[arg-type]

    # what must hold ----------------------------------------------------------------------------------------------------

    @rule()
    def comes_right(self) -> None:
        """After quiet and a look at everything: notes, index and ledger are the files, by their hash."""
        for _ in range(2):
            self.keeper.take(self.keeper.look(EVERYTHING, accept=True))
        self.looked = None
        there = {}
        for folder, _, names in os.walk(self.root):
            for name in names:
                full = os.path.join(folder, name)
                if name.endswith(".md") and not os.path.islink(full):
                    with open(full, "rb") as file:
                        there[os.path.relpath(full, self.root)] = sha256(file.read())
        assert {path: note.sha256 for path, note in self.keeper.vault.notes.items()} == there
        assert self.indexer.held.keys() == there.keys()
        assert {path: row.sha256 for path, row in self.indexer.rows.items()} == there  # type: ignore[attr-defined]

    @invariant()
    def the_index_never_leads(self) -> None:
        """What the indexes hold is what the snapshot has, in every state between."""
        assert self.indexer.held.keys() <= self.keeper.vault.notes.keys()


Syncing.TestCase.settings = settings(
    max_examples=int(os.environ.get("MEMD_EXAMPLES", "120")),
    stateful_step_count=30,
    deadline=None,
    suppress_health_check=list(HealthCheck),
)
TestSyncing = Syncing.TestCase
TestSyncing.__doc__ = "Whatever the order of files, hints, looks and restarts, the next look at everything is right."


def test_a_decomposed_name_beside_a_case_twin_is_found_as_it_is_shown() -> None:
    """Answers show paths in NFC; such a path names its file though another differs from it in case alone."""
    decomposed = unicodedata.normalize("NFD", "ÑANDÚ.md")
    vault = Vault(Note(path=path, title="x") for path in (decomposed, "ñandú.md"))
    found = vault.at("ÑANDÚ.md")
    assert found is not None
    assert found.path == decomposed
