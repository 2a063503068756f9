"""Without a descriptor to open them with, whole files are left whole, and what could not begin begins later."""

from __future__ import annotations

import errno
import os
import resource
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from fnmatch import fnmatch
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memd.index import lacks, meaning
from memd.index.child import Child
from memd.index.embeddings import open_store
from memd.index.exact import matrix
from memd.index.holdings import Held
from memd.index.ledger import Ledger
from memd.index.making import Making
from memd.index.meaning import Meaning
from memd.index.models import Unavailable, cached, choose
from memd.index.port import Operations, Unit
from memd.index.shards import Shards
from memd.index.words import TantivyWords
from tests.abuse.test_damage import answers, model_folder
from tests.abuse.test_damage import meaning as whole_meaning
from tests.fakes.disk import contents


@contextmanager
def nothing_to_open_with() -> Iterator[None]:
    """Every descriptor of this process is taken."""
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open("/", os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)


def vectors(folder: Path) -> Callable[[], object]:
    return Meaning(str(folder / "v"), model_folder(folder), models=str(folder)).start


def store(folder: Path) -> Callable[[], object]:
    return lambda: open_store(str(folder / "v" / "embeddings.db"))


def ledger(folder: Path) -> Callable[[], object]:
    return lambda: Ledger(str(folder / "ledger.db"), "index")


def words(folder: Path) -> Callable[[], object]:
    return lambda: TantivyWords(str(folder / "words"))


def model(folder: Path) -> Callable[[], object]:
    return partial(choose, model_folder(folder), str(folder))


def furnished(folder: Path) -> Callable[[], object]:
    """A model whose own files say how it is asked and pooled: read past them, it would think otherwise of every text."""
    model = Path(model_folder(folder))
    (model / "config_sentence_transformers.json").write_text('{"prompts": {"query": "q: "}}')
    (model / "1_Pooling").mkdir(exist_ok=True)
    (model / "1_Pooling" / "config.json").write_text('{"pooling_mode_cls_token": true}')
    (model / "manifest.json").write_text('{"dim": 64}')
    return partial(choose, str(model), str(folder))


def fetched(folder: Path) -> Callable[[], object]:
    return partial(cached, "some/model", str(folder))


def graphs(folder: Path) -> Callable[[], object]:
    made = Shards(4, 2)
    made.put([Held(n, "a.md", "a.md", "note", b"%d" % n, n, 1, "latin") for n in range(4)], matrix([b"\0<" * 4] * 4))
    assert made.tend(nullcontext())
    made.save(str(folder / "graphs"), "one")
    return lambda: Shards(4).load(str(folder / "graphs"), "one", (), False)


def grown(folder: Path) -> Path:
    """A folder with everything that is opened here, whole."""
    whole_meaning(folder / "v", model_folder(folder)).stop()
    Ledger(str(folder / "ledger.db"), "index").close()
    index = TantivyWords(str(folder / "words"))
    index.apply(Operations({"a.md": (Unit("a.md", "a.md", "note", "A", "heron"),)}))
    index.commit()
    index.close()
    return folder


@pytest.mark.parametrize("opening", [vectors, store, ledger, words, model, fetched, graphs])
def test_what_cannot_be_opened_is_not_made_anew(
    tmp_path: Path, opening: Callable[[Path], Callable[[], object]]
) -> None:
    """An error is raised, and every byte stands as it stood."""
    open_it = opening(grown(tmp_path))
    before = contents(tmp_path)
    with pytest.raises(OSError), nothing_to_open_with():
        open_it()
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("opening", "name"),
    [
        (vectors, "*.sum"), (words, "identity"), (words, "meta.json"), (words, "words/*.json"), (words, "*.store"),
        (graphs, "*/graphs.json"), (graphs, "*.graph"), (model, "config.json"), (fetched, "*.json"),
        (furnished, "manifest.json"), (furnished, "transformers.json"), (furnished, "1_Pooling/config.json"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("code", [errno.EMFILE, errno.ENFILE, errno.ENOMEM])
def test_a_single_file_that_cannot_be_opened_is_no_damage(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    opening: Callable[[Path], Callable[[], object]],
    name: str,
    code: int,
) -> None:
    """Whichever of the files it is for which the system has nothing left: an error, and every byte as it stood."""
    open_it = opening(grown(tmp_path))
    before, opened, met = contents(tmp_path), open, []

    def scarce(file: object, *args: Any, **options: Any) -> object:
        if fnmatch(str(file), f"*{name}"):
            met.append(file)
            raise OSError(code, os.strerror(code), str(file))
        return opened(file, *args, **options)  # type: ignore[call-overload]

    monkeypatch.setattr("builtins.open", scarce)
    with pytest.raises(OSError):
        open_it()
    monkeypatch.undo()
    assert met
    assert contents(tmp_path) == before


def test_a_process_that_cannot_be_started_is_a_model_that_cannot_be_had_now(tmp_path: Path) -> None:
    """Whoever asks is told so, as of a model that failed, and what waits is tried again; no error comes through."""
    child = Child(choose(model_folder(tmp_path), str(tmp_path)))
    with nothing_to_open_with(), pytest.raises(Unavailable, match="cannot be started"):
        child.embed(["tea"])
    child.close()


def test_of_sqlite_too_a_want_is_no_damage() -> None:
    """What it cannot open or has no memory for is wanting; what it cannot write on a full disk, too; a damaged file and a
    refused folder are not."""
    for code, is_want in (
        (sqlite3.SQLITE_CANTOPEN, True), (sqlite3.SQLITE_CANTOPEN | 1 << 8, True), (sqlite3.SQLITE_NOMEM, True),
        (sqlite3.SQLITE_CORRUPT, False), (sqlite3.SQLITE_FULL, True), (sqlite3.SQLITE_NOTADB, False),
            (sqlite3.SQLITE_IOERR_SHMSIZE, True), (sqlite3.SQLITE_IOERR_WRITE, True), (sqlite3.SQLITE_IOERR_READ, False),
    ):  # fmt: skip
        error = sqlite3.OperationalError("said")
        error.sqlite_errorcode = code
        assert lacks.wanting(error) is is_want, code
    assert not any(lacks.wanting(OSError(code, "")) for code in (errno.EACCES, errno.EIO, errno.ENOENT))


def test_vectors_that_could_not_begin_begin_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On their thread, too: no restart is needed, nothing is handed in, embedded or built anew."""
    folder = model_folder(tmp_path)
    made = whole_meaning(tmp_path / "v", folder)
    before = answers(made)
    made.stop()
    failures = iter([OSError(24, "Too many open files")] * 2)

    class Scarce(Making):
        def __init__(self, *args: object) -> None:
            for failure in failures:
                raise failure
            super().__init__(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(meaning, "Making", Scarce)
    monkeypatch.setattr(meaning, "RELOAD_EVERY", 0.01)
    again = whole_meaning(tmp_path / "v", folder)
    try:
        assert answers(again) == before
        assert again._settings.opener.handed("one") == []  # type: ignore[attr-defined]
    finally:
        again.stop()
    assert (tmp_path / "v" / "whole").exists()
