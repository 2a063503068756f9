"""When memd says that meaning is ready: once every note is found by it, not before."""

from __future__ import annotations

from collections.abc import Iterator
from shutil import rmtree

import pytest

from tests.fakes.endpoint import embedding
from tests.fakes.home import Home

NOTES = 1200
"""More than two slices of files are handed in by."""


@pytest.fixture
def model() -> Iterator[str]:
    """It thinks the same of every text."""
    with embedding(lambda text: [1.0] * 8) as url:
        yield url


def test_meaning_is_ready_when_every_note_is_in_it(home: Home, model: str) -> None:
    """After a first start, and after one whose vectors were deleted, the first `ready` speaks of the whole vault, and until
    then it is `building`."""
    home.config.write_text(f'[vectors]\nmodel = "{model}"\n')
    for n in range(NOTES):
        home.write(f"n{n}.md", f"note {n}\n")

    def first_ready() -> dict[str, object]:
        def seen() -> dict[str, object]:
            vector = home.call("hello")["capabilities"]["vector"]
            assert vector["state"] in ("building", "ready")
            return vector if vector["state"] == "ready" else {}

        home.start()
        vector = home.until(seen)
        home.end()
        return vector

    assert first_ready()["done"] == NOTES
    rmtree(next(home.cache.rglob("vectors")))
    assert first_ready()["done"] == NOTES
