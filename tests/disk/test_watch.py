"""The watcher is a hint: what it tells covers what happened, and it knows when it cannot be relied on."""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys

import pytest

from memd.disk import watches
from memd.disk.ignore import Ignore
from memd.disk.listing import walk
from memd.disk.watch import Watcher
from tests.fakes.disk import Hints, grow

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="inotify")


@pytest.fixture
def vault(tmp_path):
    return grow(tmp_path / "v", {"a.md": "1", "d/b.md": "2", "d/e/c.md": "3"})


@pytest.fixture
def hints():
    return Hints()


@pytest.fixture
def watcher(vault, hints):
    watcher = Watcher(vault, hints, Ignore())
    assert watcher.start().mode == "watching"
    yield watcher
    watcher.stop()


def folders(vault):
    return walk(vault, Ignore()).folders


def test_edits_creations_and_deletions_are_told(vault, watcher, hints):
    """In place, new, gone, deep in the tree."""
    grow(vault, {"a.md": "changed", "d/e/new.md": "x"})
    os.unlink(vault + "/d/b.md")
    assert hints.wait("a.md", "d/e/new.md", "d/b.md") == set()


def vim(path):
    os.rename(path, path + "~")
    grow(os.path.dirname(path), {os.path.basename(path): "vim"})
    os.unlink(path + "~")


def code(path):
    grow(os.path.dirname(path), {".tmp-1": "code"})
    os.replace(os.path.dirname(path) + "/.tmp-1", path)


def outside(path):
    beside = os.path.dirname(os.path.dirname(path)) + "/outside.tmp"
    with open(beside, "w") as file:
        file.write("sync engine")
    os.replace(beside, path)


def emacs(path):
    os.symlink("me@host.1:2", os.path.dirname(path) + "/.#a.md")
    vim(path)
    os.unlink(os.path.dirname(path) + "/.#a.md")


def truncating(path):
    with open(path, "r+") as file:
        file.truncate(0)
        file.flush()
        file.write("obsidian")


def keeping_time(path):
    before = os.stat(path)
    with open(path, "w") as file:
        file.write("2")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def linking(path):
    grow(os.path.dirname(path), {".l": "linked"})
    os.unlink(path)
    os.link(os.path.dirname(path) + "/.l", path)


@pytest.mark.parametrize("dance", [vim, code, outside, emacs, truncating, keeping_time, linking])
def test_the_dances_of_editors_are_told(vault, watcher, hints, dance):
    """However an editor saves, the note's path is told."""
    dance(vault + "/a.md")
    assert hints.wait("a.md") == set()


def test_renames_are_told_at_both_ends(vault, watcher, hints):
    """Files, folders, and a change of case: the old path and the new one."""
    os.rename(vault + "/a.md", vault + "/A.md")
    os.rename(vault + "/d", vault + "/新")
    assert hints.wait("a.md", "A.md", "d", "新") == set()
    hints.forget()
    grow(vault, {"新/e/c.md": "after the move"})
    assert hints.wait("新/e/c.md") == set()


def test_a_folder_filled_at_once_is_told(vault, watcher, hints):
    """A tree that arrives whole, by copying or by moving in, is covered by what is told."""
    tree = grow(os.path.dirname(vault) + "/tree", {f"{n}/x/{m}.md": "y" for n in range(5) for m in range(5)})
    shutil.copytree(tree, vault + "/copied")
    os.rename(tree, vault + "/moved")
    wanted = [f"{top}/{n}/x/{m}.md" for top in ("copied", "moved") for n in range(5) for m in range(5)]
    assert hints.wait(*wanted) == set()


def test_a_storm_is_told_as_everything(vault, watcher, hints):
    """Thousands of files at once are covered, without thousands of calls."""
    code = "import os, sys\nfor n in range(1500): os.makedirs(d := f'{sys.argv[1]}/s/{n % 50}', exist_ok=True); open(f'{d}/{n}.md', 'w').write('x')"
    subprocess.run([sys.executable, "-c", code, vault], check=True)
    assert hints.wait(*(f"s/{n % 50}/{n}.md" for n in range(1500))) == set()
    assert hints.calls < 500


def test_what_is_no_note_is_not_told(vault, watcher, hints):
    """Hidden folders, debris, memd's own temporaries and reading itself stay silent."""
    grow(vault, {".obsidian/workspace.json": "{}", ".~memd-new-1.tmp": "", "x.txt": "", "a.md~": "", ".git/n.md": ""})
    for path in ("a.md", "d/b.md"):
        with open(f"{vault}/{path}") as file:
            file.read()
    grow(vault, {"last.md": ""})
    assert hints.wait("last.md") == set()
    assert hints.seen == {"last.md"}


def test_hidden_folders_cost_no_watch(vault, watcher, hints):
    """What was hidden at the start, or comes later, is not watched; moved to where it can be seen, it is."""
    before = watches._kernel(watcher._observer)
    grow(vault, {f".trash/memd/{n}/a.md": "" for n in range(20)} | {"d/.git/objects/x": "", "e/last.md": ""})
    assert hints.wait("e/last.md") == set()
    assert len(watches._kernel(watcher._observer)) == len(before) + 1
    assert watcher.restart().mode == "watching"
    assert len(watches._kernel(watcher._observer)) == len(before) + 1
    assert hints.wait("") == set()
    hints.forget()
    os.rename(vault + "/.trash/memd", vault + "/seen")
    assert hints.wait("seen/7/a.md") == set()
    assert watcher.check(folders(vault))


def test_a_link_as_root_is_watched_where_it_leads(tmp_path, vault, hints):
    """The vault may be named by a link; links inside are not followed."""
    os.symlink(vault, tmp_path / "link")
    os.symlink("..", vault + "/up")
    watcher = Watcher(str(tmp_path / "link"), hints)
    watcher.start()
    grow(vault, {"a.md": "x"})
    assert hints.wait("a.md") == set()
    watcher.stop()


def test_the_canary_sings_without_a_file(vault, watcher, hints):
    """Health is asked by an event that leaves no trace but a change time; it is no hint."""
    before = os.stat(vault)
    health = watcher.check(folders(vault))
    assert health
    after = os.stat(vault)
    assert (after.st_mtime_ns, after.st_mode) == (before.st_mtime_ns, before.st_mode)
    assert hints.seen == set()


def test_a_dead_thread_is_found_and_replaced(vault, watcher, hints, monkeypatch):
    """The folder dance that kills watchdog's reader: its threads say they live, the check knows better."""
    monkeypatch.setattr("threading.excepthook", lambda _args: None)
    away = os.path.dirname(vault) + "/away"
    os.rename(vault + "/d", away)
    assert hints.wait("d") == set()
    hints.forget()
    os.makedirs(vault + "/d/e")
    grow(vault, {"d/e/new.md": ""})
    assert hints.wait("d/e/new.md") == set()
    os.rename(vault + "/d", vault + "/c")
    assert hints.wait("c") == set()
    shutil.rmtree(away)
    watcher._observer._inotify_fd.join(5)
    dead = not watcher.check(folders(vault)).alive
    hints.forget()
    old = [watcher._observer, *watcher._observer.emitters]
    assert watcher.restart().mode == "watching"
    assert hints.wait("anything") == set()
    assert watcher.check(folders(vault))
    hints.forget()
    grow(vault, {"c/e/n.md": "x"})
    assert hints.wait("c/e/n.md") == set()
    assert dead
    for thread in old:
        thread.join(2)
    assert not any(thread.is_alive() for thread in old)


def test_a_reader_that_was_killed_is_not_alive(vault, watcher):
    """Without the reader no canary comes back."""
    watcher._observer._inotify_fd.stop()
    watcher._observer._inotify_fd.join(5)
    assert not watcher.check(wait=0.05).alive


def test_blind_folders_are_named(vault, watcher):
    """A folder that watchdog lost, or knows under another's name, is found by its inode."""
    books = watcher._observer._emitters.copy().pop()._inotify._active_callbacks_by_path
    one, two = (os.fsencode(f"{vault}/{folder}") for folder in ("d", "d/e"))
    listed = folders(vault)
    assert watcher.check(listed).blind == ()
    books[one], books[two] = books[two], books[one]
    assert watcher.check(listed).blind == ("d", "d/e")
    books[one] = books.pop(two)
    assert watcher.check(listed).blind == ("d/e",)


def test_a_folder_that_has_moved_since_is_not_blind(vault, watcher):
    """A listing may be older than the moves of folders: where one stood nothing is to be watched any more."""
    listed = folders(vault)
    shutil.move(f"{vault}/d/e", f"{vault}/e")
    os.rename(f"{vault}/d", f"{vault}/old")
    os.mkdir(f"{vault}/d")
    assert watcher.check(listed).blind == ()


def test_a_root_that_was_replaced_is_noticed(vault, watcher):
    """Another folder under the old name is another vault."""
    os.rename(vault, vault + ".old")
    os.mkdir(vault)
    assert not watcher.check().root
    assert watcher.restart().mode == "watching"
    assert watcher.check().root


def test_a_missing_root_only_scans(tmp_path, hints):
    """Nothing to watch is a state with a reason, not an error."""
    watcher = Watcher(str(tmp_path / "none"), hints)
    state = watcher.start()
    assert state.mode == "scanning"
    assert "scanning" in state.reason
    assert not watcher.check()
    watcher.stop()


def test_lost_events_are_told_as_everything(vault, watcher, hints):
    """When the kernel's queue overflows, look everywhere."""
    logging.getLogger("watchdog.observers.inotify_c").warning("Inotify queue overflowed; filesystem events were lost")
    assert hints.wait("anything at all.md") == set()


def test_watchdog_still_says_so_when_events_are_lost():
    """The words that are waited for are those that watchdog logs."""
    import inspect

    from watchdog.observers import inotify_c

    assert "Inotify queue overflowed" in inspect.getsource(inotify_c)


def test_a_listener_that_has_gone_does_not_kill_the_threads(vault):
    """A closed loop raises in the callback; the watcher lives on."""
    heard = Hints()

    def closed(paths):
        heard(paths)
        raise RuntimeError("Event loop is closed")

    watcher = Watcher(vault, closed)
    watcher.start()
    grow(vault, {"a.md": "x"})
    assert heard.wait("a.md") == set()
    assert watcher.check().alive
    watcher.stop()


def test_restarts_leak_nothing(vault, watcher):
    """Descriptors after twenty restarts are what they were."""
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(20):
        watcher.restart()
    assert len(os.listdir("/proc/self/fd")) == before


LIMIT = """
import os, sys
with open("/proc/sys/user/max_inotify_watches", "w") as file:
    file.write("20")
from memd.disk import watches
from memd.disk.ignore import Ignore
from memd.disk.listing import walk
from memd.disk.watch import Watcher
root = sys.argv[1]
for n in range(60):
    os.makedirs(f"{root}/d{n}")
watcher = Watcher(root, lambda paths: None)
watcher.start()
health = watcher.check(walk(root, Ignore()).folders)
print(health.alive, len(health.blind) >= 40)
state = watcher.give_up(health.blind)
print(state.mode, "max_user_watches" in state.reason, bool(watcher.check()))
"""


@pytest.mark.skipif(os.getuid() != 0, reason="lowers a limit in a namespace of its own")
def test_exhausted_watches_are_noticed(tmp_path):
    """watchdog says nothing when folders stay unwatched; the check counts them, and scanning takes over."""
    command = ["unshare", "-Ur", sys.executable, "-c", LIMIT, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True)
    if "Permission" in done.stderr or "unshare" in done.stderr:
        pytest.skip("user namespaces are not to be had")
    assert done.stdout.splitlines() == ["True True", "scanning True False"], done.stderr
