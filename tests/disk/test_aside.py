"""What was displaced is kept until nobody writes it."""

from __future__ import annotations

import os

import pytest

from memd.disk.writer import Writer
from memd.model.fingerprint import sha256
from memd.model.plan import Displaced, Done, Plan, Remove, Write
from tests.fakes.disk import contents, grow


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_a_displaced_file_is_held_for_its_time(tmp_path):
    """It goes when the time is over, not before."""
    root, clock = grow(tmp_path, {"n.md": "old"}), Clock()
    writer = Writer(root, clock=clock, hold=2.0)
    writer.apply(Plan((Write("n.md", b"new", sha256(b"old")),)))
    clock.now = 1.9
    writer.settle("t")
    assert len(contents(root)) == 2
    clock.now = 2.0
    assert writer.settle("t") == ()
    assert contents(root) == {"n.md": b"new"}


def test_whatever_stands_on_disk_is_counted(tmp_path, monkeypatch):
    """Who asks in the middle of letting go is told of every file that is still there."""
    from memd.disk import aside

    root = grow(tmp_path, {"a.md": "old", "b.md": "old"})
    writer = Writer(root)
    writer.apply(Plan(tuple(Write(name, b"new", sha256(b"old")) for name in ("a.md", "b.md"))))
    seen, real = [], aside.unlink

    def unlink(site):
        seen.append((writer.holding, len(contents(root)) - 2))
        real(site)

    monkeypatch.setattr(aside, "unlink", unlink)
    writer.settle("t", now=True)
    assert seen == [(2, 2), (1, 1)]
    assert (writer.holding, contents(root)) == (0, {"a.md": b"new", "b.md": b"new"})


@pytest.mark.parametrize("step", [Write("d/n.md", b"new", sha256(b"old")), Remove("d/n.md", sha256(b"old"))])
@pytest.mark.parametrize("way", [None, "link", "take"])
def test_a_process_that_keeps_the_file_open_loses_nothing(tmp_path, way, step):
    """Lines written to the displaced file are told with what was there before, and kept, as often as it grows."""
    root, clock = grow(tmp_path, {"d/n.md": "old"}), Clock()
    writer = Writer(root, way=way, clock=clock)
    with open(root + "/d/n.md", "ab", buffering=0) as log:
        assert isinstance(writer.apply(Plan((step,)))[0], Done)
        clock.now = 10
        assert writer.settle("t") == ()
        assert writer.holding == 1, "somebody has it open"
        log.write(b"\nline 1")
        assert writer.settle("t1") == (), "it may go on writing"
        (late,) = writer.settle("t2")
        assert (late.path, late.before, late.found) == ("d/n.md", b"old", b"old\nline 1")
        assert contents(root)[late.kept] == b"old\nline 1"
        log.write(b"\nline 2")
    (more,) = writer.settle("t3")
    assert (more.kept, more.found) == (late.kept, b"old\nline 1\nline 2")
    assert late.kept == ".conflict/d/n__human__t2.md"
    new = {"d/n.md": b"new"} if isinstance(step, Write) else {}
    writer.settle("t4", now=True)
    assert writer.holding == 0
    assert contents(root) == {late.kept: b"old\nline 1\nline 2", **new}


def test_a_late_save_before_the_file_is_closed_puts_it_back(tmp_path):
    """A save that is done by the time memd looks wins at once: the step is displaced."""
    root = grow(tmp_path, {"n.md": "old"})
    writer = Writer(root)
    from memd.disk import act

    real = act.put

    def put_while_saving(*args):
        file = os.open(root + "/n.md", os.O_WRONLY | os.O_TRUNC)
        out = real(*args)
        os.write(file, b"saved")
        os.close(file)
        act.put = real
        return out

    act.put = put_while_saving
    assert writer.apply(Plan((Write("n.md", b"new", sha256(b"old")),))) == (Displaced("n.md", b"saved"),)
    writer.settle("t", now=True)
    assert contents(root) == {"n.md": b"saved"}


def test_two_saves_in_one_window_leave_the_newer_in_place_and_the_older_kept(tmp_path, monkeypatch):
    """While the first save goes back, a second one arrives: it stands, and the first is in `.conflict/`."""
    root = grow(tmp_path, {"n.md": "old"})
    writer = Writer(root)
    from memd.disk import act

    real, saves = act.put, [b"first", b"second"]

    def put_after_a_save(*args):
        if saves:
            grow(root, {"tmp": saves.pop(0)})
            os.rename(root + "/tmp", root + "/n.md")
        return real(*args)

    monkeypatch.setattr(act, "put", put_after_a_save)
    assert writer.apply(Plan((Write("n.md", b"new", sha256(b"old")),))) == (Displaced("n.md", b"second"),)
    (late,) = writer.settle("t", now=True)
    assert late.found == b"first"
    assert contents(root) == {"n.md": b"second", late.kept: b"first"}


def test_a_note_removed_while_a_save_goes_back_keeps_the_save(tmp_path, monkeypatch):
    """Whoever deletes at that moment deletes memd's text, not the save nobody has seen."""
    root = grow(tmp_path, {"n.md": "old"})
    from memd.disk import act

    real, rounds = act.put, []

    def put(*args):
        rounds.append(1)
        if len(rounds) == 1:
            grow(root, {"tmp": "saved"})
            os.rename(root + "/tmp", root + "/n.md")
        elif len(rounds) == 2:
            os.unlink(root + "/n.md")
        return real(*args)

    monkeypatch.setattr(act, "put", put)
    assert Writer(root).apply(Plan((Write("n.md", b"new", sha256(b"old")),))) == (Displaced("n.md", b"saved"),)
    assert contents(root) == {"n.md": b"saved"}


def test_a_link_that_takes_the_place_is_put_back(tmp_path, monkeypatch):
    """A symbolic link swapped in at the last moment is neither followed nor replaced."""
    root = grow(tmp_path / "v", {"n.md": "old"})
    grow(tmp_path, {"out.md": "private"})
    from memd.disk import act
    from memd.model.errors import Refused

    real, rounds = act.put, []

    def put(*args):
        if not rounds:
            os.symlink("../out.md", root + "/l")
            os.rename(root + "/l", root + "/n.md")
        rounds.append(1)
        return real(*args)

    monkeypatch.setattr(act, "put", put)
    with pytest.raises(Refused):
        Writer(root).apply(Plan((Write("n.md", b"new", sha256(b"old")),)))
    assert os.readlink(root + "/n.md") == "../out.md"
    assert contents(tmp_path)["out.md"] == b"private"


def test_a_displaced_file_that_went_with_its_folder_is_found_there(tmp_path):
    """A folder moved while memd holds a displaced file in it: a sweep gives the late save its place, and leaves no orphan."""
    root, clock = grow(tmp_path, {"d/n.md": "old"}), Clock()
    writer = Writer(root, clock=clock)
    with open(root + "/d/n.md", "ab", buffering=0) as log:
        writer.apply(Plan((Write("d/n.md", b"new", sha256(b"old")),)))
        log.write(b" and more")
    os.rename(root + "/d", root + "/e")
    clock.now = 5.0
    assert (writer.settle("t"), writer.holding) == ((), 0)
    strays = [path for path in contents(root) if ".~memd-" in path]
    writer.sweep(strays, "t")
    clock.now = 10.0
    writer.settle("t")
    left = contents(root)
    assert b"old and more" in left.values()
    assert b"new" in left.values()
    assert not any(".~memd-" in path for path in left)


def test_a_sweep_leaves_alone_what_is_waited_for(tmp_path):
    """A stray that this writer holds itself is not taken a second time."""
    root = grow(tmp_path, {"n.md": "old"})
    writer = Writer(root, clock=Clock())
    writer.apply(Plan((Write("n.md", b"new", sha256(b"old")),)))
    writer.sweep([path for path in contents(root) if ".~memd-" in path], "t")
    assert writer.holding == 1
