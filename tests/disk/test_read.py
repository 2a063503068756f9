"""The bytes of one note, as they stood at one moment."""

from __future__ import annotations

import os
import socket

import pytest

from memd.disk import read as module
from memd.disk.listing import Stat
from memd.disk.paths import open_root
from memd.disk.read import read, read_from
from memd.model.errors import Refused
from tests.fakes.disk import grow

BIG = Stat(9, 0, 0, 0, 0, 0)


def test_a_note_is_read_whole(tmp_path):
    """Bytes and stat of one file."""
    body = read(grow(tmp_path, {"a/b.md": "语"}), "a/b.md", 99)
    assert (body.data, body.state, body.stat.size) == ("语".encode(), "whole", 3)


def test_what_is_not_there_is_none(tmp_path):
    """Gone, a folder, a name beneath a file: no body."""
    root = grow(tmp_path, {"a.md": "", "d.md/x.md": ""})
    assert [read(root, p, 9) for p in ("none.md", "x/y.md", "a.md/b.md", "d.md")] == [None] * 4


def test_pipes_sockets_and_links_are_none_at_once(tmp_path):
    """A FIFO named like a note does not hang; nothing but a regular file is opened."""
    root = grow(tmp_path, {"a.md": "x"})
    os.mkfifo(root + "/fifo.md")
    os.symlink("a.md", root + "/link.md")
    sock = socket.socket(socket.AF_UNIX)
    sock.bind(root + "/sock.md")
    assert [read(root, p, 9) for p in ("fifo.md", "link.md", "sock.md")] == [None] * 3
    sock.close()


def test_a_huge_file_is_not_read(tmp_path):
    """Over the limit only its stat comes back; two gigabytes cost nothing."""
    root = grow(tmp_path, {"a.md": ""})
    os.truncate(root + "/a.md", 2 << 30)
    body = read(root, "a.md", 8 << 20)
    assert (body.state, body.data, body.stat.size) == ("too_large", b"", 2 << 30)


def test_an_empty_file_that_was_not_is_unsettled(tmp_path):
    """Half of truncate-then-write: look again; asked without a past, empty is empty."""
    root = grow(tmp_path, {"a.md": ""})
    assert read(root, "a.md", 9, was=BIG).state == "unsettled"
    assert read(root, "a.md", 9).state == "whole"


def test_a_file_that_grows_under_the_read_is_unsettled(tmp_path, monkeypatch):
    """Stats before and after differ each time: what was read is no moment's file."""
    root = grow(tmp_path, {"a.md": "x"})
    real = module.all_of

    def growing(fd, size):
        data = real(fd, size)
        with open(root + "/a.md", "ab") as file:
            file.write(b"more")
        return data

    monkeypatch.setattr(module, "all_of", growing)
    assert read(root, "a.md", 99).state == "unsettled"


def test_a_file_that_settles_is_read_again(tmp_path, monkeypatch):
    """One change under the first read: the second is whole."""
    root = grow(tmp_path, {"a.md": "x"})
    real, once = module.all_of, []

    def growing(fd, size):
        data = real(fd, size)
        if not once:
            once.append(1)
            with open(root + "/a.md", "ab") as file:
                file.write(b"more")
        return data

    monkeypatch.setattr(module, "all_of", growing)
    body = read(root, "a.md", 99)
    assert (body.state, body.data) == ("whole", b"xmore")


def test_a_fake_disk_is_read_alike(fs):
    """Nothing but open, fstat and read is needed."""
    fs.create_file("/v/a/b.md", contents="hi")
    base = open_root("/v")
    assert read_from(base, "a/b.md", 9, walk=True).data == b"hi"
    assert read_from(base, "a/c.md", 9, walk=True) is None


def test_a_vault_that_is_gone_is_unreadable_not_empty(tmp_path):
    """No root, no verdict about the note."""
    assert read(str(tmp_path / "none"), "a.md", 9).state == "unreadable"


def test_paths_outside_are_refused(tmp_path):
    """Reading asks the same of a path as writing."""
    with pytest.raises(Refused):
        read(str(tmp_path), "../x.md", 9)
    with pytest.raises(Refused):
        read(str(tmp_path), ".trash/memd/s/x.md", 9)
    assert read(str(tmp_path), ".trash/memd/s/x.md", 9, own=True) is None
