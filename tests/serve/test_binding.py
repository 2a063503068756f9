"""Sockets of our own: private, never taken from a living daemon."""

from __future__ import annotations

import fcntl
import os
import socket
import stat
import threading
from pathlib import Path

import pytest

from memd.model.errors import Refused
from memd.serve import binding
from memd.serve.binding import PATH_LIMIT, answers, listen, peer, room_for_connections


def mode(path: Path | str) -> int:
    return stat.S_IMODE(os.stat(path).st_mode)


def test_folder_and_socket_are_private(tmp_path: Path) -> None:
    """New folders are 0700 and the socket 0600, whatever the umask."""
    before = os.umask(0)
    try:
        with listen(str(tmp_path / "a" / "memd" / "v.sock")):
            assert mode(tmp_path / "a") == 0o700
            assert mode(tmp_path / "a" / "memd") == 0o700
            assert mode(tmp_path / "a" / "memd" / "v.sock") == 0o600
    finally:
        os.umask(before)


def test_a_folder_of_memds_that_was_open_is_closed(tmp_path: Path) -> None:
    """A `memd` folder of ours with a wider mode is made private; a folder of another name is left alone."""
    for name in ("memd", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(0o755)
        listen(str(tmp_path / name / "s")).close()
    assert mode(tmp_path / "memd") == 0o700
    assert mode(tmp_path / "other") == 0o755


def test_a_stale_socket_is_replaced(tmp_path: Path) -> None:
    """The file that a killed daemon left does not stand in the way."""
    path = str(tmp_path / "s")
    listen(path).close()
    assert os.path.exists(path)
    with listen(path):
        assert answers(path)


def test_a_living_daemons_socket_is_not_taken(tmp_path: Path) -> None:
    """The second is refused and the first still answers."""
    path = str(tmp_path / "s")
    with listen(path):
        with pytest.raises(Refused, match="another daemon listens") as caught:
            listen(path)
        assert caught.value.code == "exists"
        assert answers(path)


def test_a_daemon_too_busy_to_accept_is_alive(tmp_path: Path) -> None:
    """A full backlog is not taken for a stale file."""
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as busy:
        busy.bind(path)
        busy.listen(0)
        waiting = []
        for _ in range(4):
            each = socket.socket(socket.AF_UNIX)
            each.setblocking(False)
            each.connect_ex(path)
            waiting.append(each)
        with pytest.raises(Refused, match="another daemon"):
            listen(path)
        for each in waiting:
            each.close()


def test_a_file_that_is_no_socket_stays(tmp_path: Path) -> None:
    """Somebody's file at that path is not removed."""
    (tmp_path / "s").write_text("mine")
    with pytest.raises(Refused, match="not a socket"):
        listen(str(tmp_path / "s"))
    assert (tmp_path / "s").read_text() == "mine"


def test_a_path_too_long_is_said(tmp_path: Path) -> None:
    """The refusal names the limit."""
    with pytest.raises(Refused, match=str(PATH_LIMIT)):
        listen(str(tmp_path / ("x" * 120)))


def test_of_many_that_race_one_binds(tmp_path: Path) -> None:
    """Eight daemons that start over one stale file: one listens, seven are refused."""
    path = str(tmp_path / "s")
    listen(path).close()
    found: list[socket.socket | Refused] = []
    start = threading.Barrier(8)

    def run() -> None:
        start.wait()
        try:
            found.append(listen(path))
        except Refused as refused:
            found.append(refused)

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    bound = [each for each in found if isinstance(each, socket.socket)]
    assert len(bound) == 1
    assert answers(path)
    bound[0].close()


def test_one_at_a_time_looks_and_binds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a daemon looks whether a socket is stale, the lock beside it is held."""
    path = str(tmp_path / "s")
    clear = binding._clear
    held = []

    def looked(at: str) -> None:
        with open(path + ".lock") as lock, pytest.raises(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        held.append(at)
        clear(at)

    monkeypatch.setattr(binding, "_clear", looked)
    listen(path).close()
    assert held == [path]


def test_the_lock_is_never_made_through_a_link(tmp_path: Path) -> None:
    """A link that somebody put where the lock goes is refused, and nothing is made where it leads."""
    (tmp_path / "s.lock").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="cannot listen"):
        listen(str(tmp_path / "s"))
    assert not (tmp_path / "elsewhere").exists()


def test_the_peer_is_known() -> None:
    """The uid and pid of who connected are those of the process."""
    ours, theirs = socket.socketpair(socket.AF_UNIX)
    with ours, theirs:
        assert peer(ours) == (os.geteuid(), os.getpid())


def test_descriptors_are_kept_for_files() -> None:
    """Connections never take the last descriptors."""
    assert 64 <= room_for_connections() <= 4096
