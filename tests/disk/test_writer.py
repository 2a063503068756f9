"""The one writer: plans in, receipts out, nothing half-done."""

from __future__ import annotations

import os
import stat
import subprocess
import sys

import pytest

from memd.disk import exchange
from memd.disk.writer import Writer
from memd.model.errors import Refused
from memd.model.fingerprint import sha256
from memd.model.plan import ABSENT, Displaced, Done, Move, Plan, Remove, Write
from tests.fakes.disk import contents, grow, let_others_in

ROOT = os.getuid() == 0
pytestmark = pytest.mark.filterwarnings("error")


@pytest.fixture(params=[None, "link", "take"], ids=["exchange", "link", "take"])
def way(request):
    return request.param


def plan(*steps, **more):
    return Plan(tuple(steps), **more)


def visible(root):
    return {path: data for path, data in contents(root).items() if not os.path.basename(path).startswith(".~")}


def test_a_new_note_is_written_with_its_folders(tmp_path, way):
    """Folders are made, the bytes stand, no temporary is left."""
    writer = Writer(str(tmp_path), way=way)
    assert writer.apply(plan(Write("a/b/n.md", b"x", ABSENT))) == (Done("a/b/n.md", sha256(b"x")),)
    assert contents(tmp_path) == {"a/b/n.md": b"x"}


def test_a_note_is_replaced_where_it_is_what_was_expected(tmp_path, way):
    """The old file is held for a moment, then let go."""
    root = grow(tmp_path, {"n.md": "old"})
    writer = Writer(root, way=way)
    assert writer.apply(plan(Write("n.md", b"new", sha256(b"old")))) == (Done("n.md", sha256(b"new")),)
    assert visible(root) == {"n.md": b"new"}
    assert writer.holding == 1
    assert writer.settle("t", now=True) == ()
    assert contents(root) == {"n.md": b"new"}


@pytest.mark.parametrize(("files", "step", "receipt"), [
    ({"n.md": "theirs"}, Write("n.md", b"new", sha256(b"old")), Displaced("n.md", b"theirs")),
    ({"n.md": "theirs"}, Write("n.md", b"new", ABSENT), Displaced("n.md", b"theirs")),
    ({}, Write("n.md", b"new", sha256(b"old")), Displaced("n.md", None)),
    ({"n.md": "theirs"}, Remove("n.md", sha256(b"old")), Displaced("n.md", b"theirs")),
    ({"n.md": "theirs"}, Move("n.md", "m.md", sha256(b"old")), Displaced("n.md", b"theirs")),
    ({"n.md": "x", "m.md": "y"}, Move("n.md", "m.md"), Displaced("m.md", b"y")),
    ({}, Move("n.md", "m.md"), Displaced("n.md", None)),
])  # fmt: skip
def test_what_is_not_as_expected_is_told_and_left(tmp_path, way, files, step, receipt):
    """A step that found something else changes nothing and says what is there."""
    root = grow(tmp_path, files)
    assert Writer(root, way=way).apply(plan(step)) == (receipt,)
    assert contents(root) == {path: text.encode() for path, text in files.items()}


@pytest.mark.parametrize(("files", "step", "done"), [
    ({"n.md": "new"}, Write("n.md", b"new", sha256(b"old")), Done("n.md", sha256(b"new"))),
    ({"n.md": "new"}, Write("n.md", b"new", ABSENT), Done("n.md", sha256(b"new"))),
    ({"m.md": "x"}, Move("n.md", "m.md", sha256(b"x")), Done("m.md", sha256(b"x"))),
    ({}, Remove("n.md", sha256(b"x")), Done("n.md", "")),
])  # fmt: skip
def test_what_is_done_already_is_done(tmp_path, files, step, done):
    """A plan applied again after a crash finds its results and is content with them."""
    root = grow(tmp_path, files)
    assert Writer(root).apply(plan(step)) == (done,)
    assert contents(root) == {path: text.encode() for path, text in files.items()}


def test_a_stale_plan_does_nothing_at_all(tmp_path):
    """When a later step is stale at the start, the earlier ones are not done either."""
    root = grow(tmp_path, {"b.md": "theirs"})
    receipts = Writer(root).apply(plan(Write("a.md", b"1", ABSENT), Write("b.md", b"2", sha256(b"old"))))
    assert receipts == (Displaced("b.md", b"theirs"),)
    assert contents(root) == {"b.md": b"theirs"}


def test_steps_of_a_plan_build_on_each_other(tmp_path, way):
    """A move frees the path that the next step fills; a write may be moved on."""
    root = grow(tmp_path, {"n.md": "old"})
    steps = (Move("n.md", ".trash/memd/s/n.md", sha256(b"old")), Write("n.md", b"new", ABSENT), Move("n.md", "m.md"))
    receipts = Writer(root, way=way).apply(plan(*steps))
    assert [r.path for r in receipts] == [".trash/memd/s/n.md", "n.md", "m.md"]
    assert contents(root) == {".trash/memd/s/n.md": b"old", "m.md": b"new"}


def test_a_move_keeps_the_file_itself(tmp_path):
    """Inode, mode and time stay; a writer that has it open goes on writing it."""
    root = grow(tmp_path, {"n.md": "x"})
    before = os.stat(root + "/n.md")
    with open(root + "/n.md", "ab", buffering=0) as file:
        Writer(root).apply(plan(Move("n.md", "d/m.md")))
        file.write(b"y")
    after = os.stat(root + "/d/m.md")
    assert (after.st_ino, after.st_mode) == (before.st_ino, before.st_mode)
    assert contents(root) == {"d/m.md": b"xy"}


def test_the_last_restored_file_takes_its_trash_folder_along(tmp_path):
    """Moving out of memd's own folders leaves no empty ones; a person's empty folder stays."""
    root = grow(tmp_path, {".trash/memd/s/a/n.md": "x", "mine/n.md": ""})
    Writer(root).apply(plan(Move(".trash/memd/s/a/n.md", "a/n.md"), Move("mine/n.md", "b.md")))
    assert not os.path.exists(root + "/.trash/memd/s")
    assert os.path.isdir(root + "/mine")


def test_removing_lets_go_of_file_and_empty_folder(tmp_path, way):
    """After settling no name and no byte of it is left, nor the folder that only held it."""
    root = grow(tmp_path, {"d/e/n.md": "x", "m.md": ""})
    writer = Writer(root, way=way)
    assert writer.apply(plan(Remove("d/e/n.md", sha256(b"x")))) == (Done("d/e/n.md", ""),)
    writer.settle("t", now=True)
    assert os.listdir(root) == ["m.md"]


def test_the_looks_of_a_file_survive(tmp_path, way):
    """Mode, owner and extended attributes are those of the file that was replaced."""
    root = grow(tmp_path, {"n.md": "old"})
    os.chmod(root + "/n.md", 0o640)
    os.setxattr(root + "/n.md", "user.colour", b"red")
    if ROOT:
        os.chown(root + "/n.md", 1234, 2345)
    before = os.stat(root + "/n.md")
    Writer(root, way=way).apply(plan(Write("n.md", b"new", sha256(b"old"))))
    after = os.stat(root + "/n.md")
    assert (after.st_mode, after.st_uid, after.st_gid) == (before.st_mode, before.st_uid, before.st_gid)
    assert os.getxattr(root + "/n.md", "user.colour") == b"red"


def test_a_hard_link_is_noted(tmp_path):
    """The other name keeps the old text, and that is said."""
    root = grow(tmp_path, {"n.md": "old"})
    os.link(root + "/n.md", root + "/other.md")
    writer = Writer(root)
    writer.apply(plan(Write("n.md", b"new", sha256(b"old"))))
    assert [(p.code, p.path) for p in writer.problems()] == [("hard_link", "n.md")]
    assert writer.problems() == ()
    assert visible(root) == {"n.md": b"new", "other.md": b"old"}


@pytest.mark.parametrize("path", ["link.md", "dir/n.md", "pipe.md", "folder.md", "../x.md", ".git/hooks/x.md"])
@pytest.mark.parametrize("step", [Write, Remove, Move])
def test_only_regular_files_inside_are_touched(tmp_path, path, step):
    """Links, pipes, folders and paths outside are refused; what they point to stays as it was."""
    root = grow(tmp_path / "v", {"folder.md/x.md": ""})
    out = grow(tmp_path / "o", {"n.md": "private"})
    os.symlink("../o/n.md", root + "/link.md")
    os.symlink("../o", root + "/dir")
    os.mkfifo(root + "/pipe.md")
    step = {Write: Write(path, b"x"), Remove: Remove(path), Move: Move(path, "to.md")}[step]
    with pytest.raises(Refused) as refused:
        Writer(root).apply(plan(Write("first.md", b"x"), step))
    assert refused.value.code == "outside_vault"
    assert contents(out) == {"n.md": b"private"}
    assert contents(root) == {"folder.md/x.md": b""}
    assert os.path.islink(root + "/link.md")


def test_a_write_protected_note_is_left_alone(tmp_path):
    """A person who took the write bit away meant it."""
    root = grow(tmp_path, {"n.md": "old"})
    os.chmod(root + "/n.md", 0o444)
    with pytest.raises(Refused) as refused:
        Writer(root).apply(plan(Write("n.md", b"new")))
    assert refused.value.code == "permission_denied"
    assert contents(root) == {"n.md": b"old"}


def test_a_file_where_a_folder_is_needed_is_a_conflict(tmp_path):
    """The message says what stands in the way."""
    root = grow(tmp_path, {"a.md": ""})
    with pytest.raises(Refused, match="a file stands") as refused:
        Writer(root).apply(plan(Write("a.md/b.md", b"")))
    assert refused.value.code == "conflict"


def test_another_folder_in_the_place_of_the_vault_is_not_written(tmp_path):
    """An unmounted disk leaves an empty folder; memd does not begin a new vault in it."""
    root = grow(tmp_path / "v", {"n.md": ""})
    writer = Writer(root)
    os.rename(root, root + ".away")
    for there in (False, True):
        if there:
            os.mkdir(root)
        with pytest.raises(Refused) as refused:
            writer.apply(plan(Write("n.md", b"x")))
        assert refused.value.code == "unavailable"
    assert os.listdir(root) == []


def test_case_twins_are_two_notes(tmp_path):
    """Where the file system minds case, so does the writer."""
    root = grow(tmp_path, {"n.md": "1"})
    assert Writer(root).apply(plan(Write("N.md", b"2", ABSENT))) == (Done("N.md", sha256(b"2")),)
    assert Writer(root).apply(plan(Move("n.md", "N.md"))) == (Displaced("N.md", b"2"),)
    assert contents(root) == {"n.md": b"1", "N.md": b"2"}


def test_a_change_of_case_is_a_move_where_case_is_not_minded(tmp_path, monkeypatch):
    """Both spellings name one file: nothing is overwritten by renaming it."""
    root = grow(tmp_path, {"n.md": "1"})
    real = os.stat
    monkeypatch.setattr(os, "stat", lambda p, **k: real("n.md" if p == "N.md" else p, **k))
    monkeypatch.setattr("memd.disk.move.place", lambda a, b: (_ for _ in ()).throw(FileExistsError()))
    assert Writer(root).apply(plan(Move("n.md", "N.md"))) == (Done("N.md", sha256(b"1")),)
    assert contents(root) == {"N.md": b"1"}


def test_a_file_system_that_lies_about_exchange_is_found_out(tmp_path, monkeypatch):
    """A rename that claims to exchange and only replaces, or does nothing, is not used."""
    fd = os.open(tmp_path, os.O_RDONLY)
    assert exchange.probe(fd) == "exchange"
    real = exchange._rename
    monkeypatch.setattr(exchange, "_rename", lambda a, b, f: None if f == exchange._SWAP else real(a, b, f))
    assert exchange.probe(fd) == "link"
    monkeypatch.setattr(exchange, "_rename", lambda a, b, f: os.rename(a[1], b[1], src_dir_fd=a[0], dst_dir_fd=b[0]))
    assert exchange.probe(fd) == "take"
    assert os.listdir(tmp_path) == []
    os.close(fd)


def test_without_flags_and_links_a_new_name_is_still_never_taken(tmp_path, monkeypatch):
    """Where the system knows neither RENAME_NOREPLACE nor links, the name is claimed first."""
    root = grow(tmp_path, {"n.md": "1"})

    def unable(*_a, **_k):
        raise OSError(95, "not supported")

    monkeypatch.setattr(exchange, "_rename", unable)
    monkeypatch.setattr(os, "link", unable)
    writer = Writer(root)
    assert writer.apply(plan(Write("n.md", b"2", ABSENT))) == (Displaced("n.md", b"1"),)
    assert writer.apply(plan(Write("m.md", b"2", ABSENT))) == (Done("m.md", sha256(b"2")),)
    assert writer.apply(plan(Write("n.md", b"3", sha256(b"1")))) == (Done("n.md", sha256(b"3")),)
    writer.settle("t", now=True)
    assert contents(root) == {"n.md": b"3", "m.md": b"2"}


def test_many_files_are_one_flush(tmp_path, monkeypatch):
    """A plan with many new files pays for one flush of the data and one of the names."""
    flushes = []
    for name in ("fsync", "syncfs"):
        for module in ("stage", "prepare", "publish"):
            target = f"memd.disk.{module}.{name}"
            if hasattr(sys.modules[f"memd.disk.{module}"], name):
                monkeypatch.setattr(target, lambda fd, name=name: flushes.append(name))
    Writer(str(tmp_path)).apply(plan(*(Write(f"d{n % 20}/n{n}.md", b"x", ABSENT) for n in range(100))))
    assert flushes == ["syncfs", "syncfs"]


def test_reads_that_changed_are_told(tmp_path):
    """The grounds of a plan can be checked before it is applied."""
    root = grow(tmp_path, {"a.md": "1", "b.md": "2"})
    reads = (("a.md", sha256(b"1")), ("b.md", sha256(b"old")), ("c.md", ABSENT), ("d.md", sha256(b"4")))
    assert Writer(root).stale(Plan(reads=reads)) == (Displaced("b.md", b"2"), Displaced("d.md", None))


FULL = """
import os, sys
from memd.disk.writer import Writer
from memd.model.errors import Refused
from memd.model.plan import *
root, how = sys.argv[1:]
os.system(f"mount -t tmpfs -o size=256k,mode=755 none {root}")
writer = Writer(root)
writer.apply(Plan((Write("old.md", b"o" * 1000, ABSENT), Write("keep/n.md", b"k", ABSENT))))
if how == "ro":
    os.system(f"mount -o remount,ro {root}")
big = Write("big.md", b"x" * (1 << 20))
steps = (Write("new/a.md", b"a"), Write("old.md", b"new"), Move("keep/n.md", "to.md"), *((big,) if how == "full" else ()))
try:
    print(writer.apply(Plan(steps)))
except Refused as refused:
    print(refused.code, "full" in refused.message, "read-only" in refused.message)
print(sorted(f for d, _, fs in os.walk(root) for f in fs), open(root + "/old.md").read() == "o" * 1000)
if how == "full":
    print(writer.apply(Plan((Write("small.md", b"s"),)))[0].path)
"""


@pytest.mark.skipif(not ROOT, reason="mounts a small disk, which only root may")
@pytest.mark.parametrize(("how", "says"), [("full", "unavailable True False"), ("ro", "unavailable False True")])
def test_a_full_or_read_only_disk_leaves_everything_as_it_was(tmp_path, how, says):
    """The plan is refused with the reason, no step of it is done, no temporary is left, and memd goes on."""
    command = ["unshare", "-m", sys.executable, "-c", FULL, str(tmp_path), how]
    done = subprocess.run(command, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert lines[:2] == [says, "['n.md', 'old.md'] True"], done.stderr
    assert how == "ro" or lines[2] == "small.md"


OTHER = """
import os, sys
import memd.disk.writer as w
from memd.model.errors import Refused
from memd.model.plan import *
os.setgroups([]); os.setgid(65534); os.setuid(65534)
for path in ("mine/n.md", "n.md", "yours/n.md", "open/n.md"):
    try:
        print(w.Writer(sys.argv[1]).apply(Plan((Write(path, b"x"),)))[0].path)
    except Refused as refused:
        print(path, refused.code)
"""


@pytest.mark.skipif(not ROOT, reason="becomes another user, which only root may")
def test_what_may_not_be_written_is_permission_denied(tmp_path):
    """A folder or a file that belongs to somebody else is refused and stays."""
    root = grow(tmp_path, {"n.md": "old", "mine/n.md": "old", "yours/n.md": "old", "open/n.md": "old"})
    let_others_in(tmp_path)
    os.chmod(root + "/yours", 0o777)
    for name in ("mine", "mine/n.md"):
        os.chown(f"{root}/{name}", 65534, 65534)
    os.chmod(root + "/open", 0o777)
    os.chmod(root + "/open/n.md", 0o666)
    done = subprocess.run([sys.executable, "-c", OTHER, root], capture_output=True, text=True)
    assert done.stdout.splitlines() == [
        "mine/n.md", "n.md permission_denied", "yours/n.md permission_denied", "open/n.md",
    ], done.stderr  # fmt: skip
    assert (visible(root)["n.md"], visible(root)["yours/n.md"]) == (b"old", b"old")


@pytest.mark.skipif(not ROOT, reason="mounts a disk, which only root may")
def test_a_disk_mounted_inside_the_vault_is_moved_across(tmp_path):
    """A soft delete out of a mounted folder copies, then takes the original away."""
    code = """
import os, sys
from memd.disk.writer import Writer
from memd.model.fingerprint import sha256
from memd.model.plan import *
root = sys.argv[1]; os.mkdir(root + "/in")
os.system(f"mount -t tmpfs none {root}/in")
writer = Writer(root)
writer.apply(Plan((Write("in/n.md", b"x", ABSENT),)))
os.chmod(root + "/in/n.md", 0o600)
print(writer.apply(Plan((Move("in/n.md", ".trash/memd/s/in/n.md", sha256(b"x")),)))[0].path)
writer.settle("t", now=True)
print(os.listdir(root + "/in"), oct(os.stat(root + "/.trash/memd/s/in/n.md").st_mode & 0o777))
"""
    command = ["unshare", "-m", sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.stdout.splitlines() == [".trash/memd/s/in/n.md", "[] 0o600"], done.stderr


def test_new_notes_obey_the_umask(tmp_path):
    """A new note has the mode that any editor would give it."""
    old = os.umask(0o027)
    try:
        Writer(str(tmp_path)).apply(plan(Write("n.md", b"", ABSENT)))
    finally:
        os.umask(old)
    assert stat.S_IMODE(os.stat(tmp_path / "n.md").st_mode) == 0o640
