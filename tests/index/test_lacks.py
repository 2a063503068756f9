"""Without a descriptor to open them with, whole files are left whole, and what could not begin begins later."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import pytest

from memd.index import meaning
from memd.index.embeddings import open_store
from memd.index.ledger import Ledger
from memd.index.making import Making
from memd.index.meaning import Meaning
from memd.index.models import choose
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


@pytest.mark.parametrize("opening", [vectors, store, ledger, words, model])
def test_what_cannot_be_opened_is_not_made_anew(
    tmp_path: Path, opening: Callable[[Path], Callable[[], object]]
) -> None:
    """An error is raised, and every byte stands as it stood."""
    whole_meaning(tmp_path / "v", model_folder(tmp_path)).stop()
    Ledger(str(tmp_path / "ledger.db"), "index").close()
    TantivyWords(str(tmp_path / "words")).close()
    open_it, before = opening(tmp_path), contents(tmp_path)
    with pytest.raises(OSError), nothing_to_open_with():
        open_it()
    assert contents(tmp_path) == before


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
