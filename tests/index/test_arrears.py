"""A full disk under the vectors: nothing stored is lost, nothing stale is answered, and with room again all goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memd.index import making, meaning
from memd.index.embeddings import open_store
from memd.model.errors import Refused
from tests.abuse.test_resources import fill, mounted, root_only
from tests.fakes.meaning import World, note

TEA = note("tea.md", "green tea")
RAIN = note("rain.md", "rain on the roof")
LONG = {path: some for n in range(800) for path, some in note(f"long/{n}.md", f"word{n}").items()}


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    for module in (making, meaning):
        monkeypatch.setattr(module, "STORE_EVERY", 0.01)
    made = World(tmp_path)
    made.open()
    made.update(TEA)
    made.until(done=1)
    yield made
    made.meaning.stop()


def room(world: World, pages: int) -> None:
    """So many pages may the store have from now on."""
    with world.meaning._changing:
        world.meaning._store.execute(f"pragma max_page_count = {pages}")


def test_what_could_not_be_entered_is_entered_with_room_again(world: World) -> None:
    """Off with a reason meanwhile, then every file as it is by then; nothing that was embedded is embedded again."""
    room(world, 1)
    world.update(LONG | RAIN, ["tea.md"])
    assert "full" in world.until("off").reason
    assert not world.meaning.answer("green tea", 5).used, "what is gone is no answer"
    assert not (world.path / "cache" / "whole").exists(), "a start would begin the book anew"
    world.files |= note("rain.md", "snow on the roof")
    room(world, 10**6)
    world.until(done=801, total=801)
    assert (world.paths("snow on the roof")[0], "tea.md" in world.paths("green tea")) == ("rain.md", False)
    assert world.models.handed("one").count("green tea") == 1
    assert "rain on the roof" not in world.models.handed("one")
    assert (world.path / "cache" / "whole").exists()


def test_vectors_that_could_not_be_stored_are_kept_until_they_can(world: World) -> None:
    """The book had room, the vectors have none: what is known is answered, why it stands still is told, and no text is
    embedded twice."""
    bulk = world.models.opened["one", True]
    embed = bulk.embed

    def filling(texts: list[str], **how: bool) -> list[object]:
        found: list[object] = embed(texts, **how)
        room(world, 1)
        return found

    bulk.embed = filling
    world.update(LONG)
    with world.told:
        assert world.told.wait_for(lambda: "full" in world.meaning.trouble, 60)
    assert world.paths("green tea")[0] == "tea.md"
    bulk.embed = embed
    room(world, 10**6)
    world.until(done=801, total=801)
    assert world.meaning.trouble == ""
    assert len(world.models.handed("one")) == 801


def test_nothing_is_called_erased_that_could_not_be(world: World) -> None:
    """A purge on a full disk is refused, and done when it is asked again."""
    room(world, 1)
    world.update(LONG, ["tea.md"])
    world.until("off")
    with pytest.raises(Refused, match="erased"):
        world.meaning.forget()
    room(world, 10**6)
    world.until(done=800, total=800)
    assert world.meaning.forget() == 1


@root_only
def test_a_full_disk_is_no_damage(tmp_path: Path) -> None:
    """A store that cannot be opened for want of room stands as it stood, and opens with room."""
    with mounted(tmp_path / "disk", "-o", "size=1m"):
        file = tmp_path / "disk" / "embeddings.db"
        open_store(str(file)).close()
        before, ballast = file.read_bytes(), fill(tmp_path / "disk")
        with pytest.raises(OSError, match=r"full|I/O"):
            open_store(str(file))
        assert file.read_bytes() == before
        ballast.unlink()
        open_store(str(file)).close()
