"""A person saves while memd writes: not one save is lost, in whatever moment it falls.

`MEMD_RACES` and `MEMD_FLIPS` ask for more rounds than the few hundred that every run makes.
"""

from __future__ import annotations

import contextlib
import os
import random
import threading

import pytest

from memd.disk.exchange import Way, swap
from memd.disk.writer import Writer
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import Displaced, Done, Move, Plan, Remove, Write
from tests.fakes.disk import Editor, contents, grow

RACES = int(os.environ.get("MEMD_RACES", "150"))
FLIPS = int(os.environ.get("MEMD_FLIPS", "300"))
BODY = b"x" * 30_000


def race(root: str, editor: Editor, step: str, style: str, way: Way | None, delay: float, number: int) -> str:
    """One round; the answer says where the person's save is afterwards."""
    path = os.path.join(root, "n.md")
    old, save = b"OLD %d\n" % number + BODY, b"SAVE %d\n" % number + BODY
    grow(root, {"n.md": old})
    writer = Writer(root, way=way)
    editor.save(path, save, style, delay)
    plan = {
        "write": Write("n.md", old + b"\nmemd", sha256(old), append=True),
        "remove": Remove("n.md", sha256(old)),
        "move": Move("n.md", ".trash/memd/s/n.md", sha256(old)),
    }[step]
    (receipt,) = writer.apply(Plan((plan,)))
    editor.saved()
    writer.settle("t", now=True)
    assert writer.holding == 0
    left = contents(root)
    where = sorted(name for name, data in left.items() if data == save)
    torn = [name for name, data in left.items() if data not in (save, old, old + b"\nmemd")]
    assert not torn, f"round {number}: {receipt} left {torn}"
    assert where, f"round {number}: the save is lost; {receipt.path} {type(receipt).__name__}; {sorted(left)}"
    assert isinstance(receipt, Done | Displaced)
    for name in left:
        os.unlink(os.path.join(root, name))
    return where[0]


@pytest.mark.parametrize("style", ["in place", "by rename"])
@pytest.mark.parametrize("step", ["write", "remove", "move"])
def test_no_save_is_lost_in_a_race(tmp_path, step, style):
    """However a person's save falls into a write, a removal or a move, its bytes stand afterwards."""
    editor, chance = Editor(), random.Random(1)
    try:
        for number in range(RACES):
            race(str(tmp_path), editor, step, style, None, chance.random() * 0.0016, number)
    finally:
        editor.close()


@pytest.mark.parametrize("style", ["in place", "by rename"])
def test_no_save_is_lost_where_files_can_only_be_taken_away(tmp_path, style):
    """Without exchange and without links the old file is taken away first: nothing is lost either."""
    editor, chance = Editor(), random.Random(2)
    try:
        for number in range(RACES // 3):
            race(str(tmp_path), editor, "write", style, "take", chance.random() * 0.0016, number)
    finally:
        editor.close()


def test_in_place_saves_are_not_lost_where_files_can_only_be_linked(tmp_path):
    """Without exchange the old file keeps a second name until nobody writes it."""
    editor, chance = Editor(), random.Random(3)
    try:
        for number in range(RACES // 3):
            race(str(tmp_path), editor, "write", "in place", "link", chance.random() * 0.0016, number)
    finally:
        editor.close()


@pytest.mark.parametrize("by", ["openat2", "descriptors"])
def test_a_flipping_symbolic_link_lets_nothing_out(tmp_path, monkeypatch, by):
    """A folder that turns into a link to elsewhere and back, all the time, never makes memd write elsewhere."""
    if by == "descriptors":
        monkeypatch.setattr("memd.disk.paths.has_openat2", lambda: False)
    outside, root = tmp_path / "outside", tmp_path / "vault"
    (root / "d").mkdir(parents=True)
    outside.mkdir()
    os.symlink(outside, root / "link")
    stop = threading.Event()
    flipper = threading.Thread(target=_flip, args=(str(root), stop))
    flipper.start()
    writer, written = Writer(str(root)), 0
    try:
        for number in range(FLIPS):
            with contextlib.suppress(Refused):
                written += isinstance(writer.apply(Plan((Write("d/n.md", b"%d" % number),)))[0], Done)
    finally:
        stop.set()
        flipper.join()
    assert list(outside.iterdir()) == []
    assert written > 0


def _flip(root: str, stop: threading.Event) -> None:
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    chance = random.Random(4)
    while not stop.is_set():
        swap((fd, "d"), (fd, "link"))
        if os.path.islink(os.path.join(root, "link")):
            stop.wait(chance.random() * 0.002)
    os.close(fd)
