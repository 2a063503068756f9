"""What stands in a vault, listed without opening a file."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from memd.disk.diff import joined, part
from memd.disk.ignore import Ignore
from memd.disk.listing import walk
from tests.fakes.disk import grow, let_others_in


@pytest.fixture(params=["openat2", "descriptors"])
def plain(request):
    return request.param == "descriptors"


def codes(listing):
    return {p.path: p.code for p in listing.problems}


def test_notes_are_listed_and_nothing_else(tmp_path, plain):
    """Markdown files of visible folders, by path, with size and inode; folders with device and inode."""
    root = grow(tmp_path, {"a.md": "12", "b/c/语.md": "", "b/x.txt": "", ".git/n.md": "", "b/.h.md": "", "z.md~": ""})
    found = walk(root, Ignore(), plain=plain)
    assert sorted(found.files) == ["a.md", "b/c/语.md"]
    assert found.files["a.md"].size == 2
    assert found.files["a.md"].ino == os.stat(root + "/a.md").st_ino
    assert sorted(found.folders) == ["", "b", "b/c"]
    assert found.folders[""][1] == os.stat(root).st_ino
    assert found.problems == ()


def test_a_fake_disk_is_listed_alike(fs):
    """The walk needs nothing but folders and stats."""
    fs.create_file("/v/a/b.md", contents="hi")
    fs.create_file("/v/c.txt")
    fs.create_symlink("/v/l.md", "/etc/passwd")
    found = walk("/v", Ignore(), plain=True)
    assert list(found.files) == ["a/b.md"]
    assert codes(found) == {"l.md": "symlink"}


def test_links_pipes_and_sockets_are_told_not_followed(tmp_path, plain):
    """A link (to a file, a folder, itself, nothing), a FIFO and a folder named like notes: none hangs or leads out."""
    root = grow(tmp_path / "v", {"folder.md/in.md": "", "real/a.md": ""})
    grow(tmp_path / "o", {"private.md": ""})
    for name, to in {"out": "../o", "loop": ".", "in": "real", "f.md": "../o/private.md", "no.md": "nowhere"}.items():
        os.symlink(to, f"{root}/{name}")
    os.mkfifo(root + "/pipe.md")
    found = walk(root, Ignore(), plain=plain)
    assert sorted(found.files) == ["folder.md/in.md", "real/a.md"]
    links = dict.fromkeys(["out", "loop", "in", "f.md", "no.md"], "symlink")
    assert codes(found) == links | {"pipe.md": "not_a_file"}
    assert all(p.hint for p in found.problems)


def test_a_hint_tells_of_a_path_what_a_look_at_everything_tells(tmp_path, plain):
    """Also of what is no note: a link or a pipe does not go out of the problems because somebody named it."""
    root = grow(tmp_path / "v", {"real/a.md": "", "node_modules/b.md": "", "t.txt": ""})
    for name in ("out", "f.md", "t.link", "real/in", "node_modules/out"):
        os.symlink("..", f"{root}/{name}")
    os.mkfifo(root + "/pipe.md")
    whole = walk(root, Ignore(), plain=plain)
    names = ["out", "f.md", "t.link", "t.txt", "pipe.md", "real/in", "real/a.md", "node_modules", "node_modules/out"]
    hinted = joined(whole, walk(root, Ignore(), names, plain=plain), names)
    links = dict.fromkeys(["out", "f.md", "real/in"], "symlink")
    assert codes(hinted) == codes(whole) == links | {"pipe.md": "not_a_file"}
    assert hinted.files == whole.files


def test_strange_names_are_listed_by_their_bytes(tmp_path):
    """Newlines, escapes, decomposed letters, twins in case and bytes that are no text are names like others."""
    names = [
        b"a\nb.md",
        b"\xff\xfe.md",
        "e\u0301.md".encode(),
        "\u00e9.md".encode(),
        b"N.md",
        b"n.md",
        b"\x1b[0m.md",
        b"x" * 252 + b".md",
    ]
    for name in names:
        with open(os.fsencode(tmp_path) + b"/" + name, "wb"):
            pass
    assert sorted(os.fsencode(p) for p in walk(str(tmp_path), Ignore()).files) == sorted(names)


def test_hints_list_only_what_they_name(tmp_path, plain):
    """A file, a folder, what is gone, hidden or behind a link: only what is a note is listed."""
    root = grow(tmp_path, {"a.md": "", "b/c.md": "", "b/d/e.md": "", "f/g.md": "", ".x/h.md": "", "t.txt": ""})
    os.symlink("b", root + "/l")
    found = walk(
        root, Ignore(), ["a.md", "b/d", "gone.md", "gone/x.md", ".x/h.md", "l/c.md", "t.txt", "a.md/x"], plain=plain
    )
    assert sorted(found.files) == ["a.md", "b/d/e.md"]
    assert found.unread == frozenset()
    assert sorted(walk(root, Ignore(), [""], plain=plain).files) == ["a.md", "b/c.md", "b/d/e.md", "f/g.md"]


def test_a_folder_that_no_hint_named_takes_its_notes_with_it(tmp_path, plain):
    """A note was named alone, the folders over it never: when one of them is gone, so is the note."""
    here = str(tmp_path)
    known = walk(here, Ignore(), plain=plain)
    grow(tmp_path, {"new/deep/a.md": "a"})
    known = joined(known, walk(here, Ignore(), {"new/deep/a.md"}, plain=plain), {"new/deep/a.md"})
    assert list(known.files) == ["new/deep/a.md"]
    shutil.rmtree(tmp_path / "new")
    gone = walk(here, Ignore(), {"new"}, plain=plain)
    assert list(part(known, {"new"}).files) == ["new/deep/a.md"]
    assert not joined(known, gone, {"new"}).files


def test_a_root_that_is_gone_is_unread_not_empty(tmp_path):
    """A missing vault lists nothing, and says that it could not look."""
    found = walk(str(tmp_path / "none"), Ignore())
    assert found.unread == {""}
    assert codes(found) == {"": "unreadable"}


def test_a_path_too_long_to_open_is_told(tmp_path):
    """A tree deeper than paths can say is listed as far as it can be, and the rest named."""
    here = os.open(tmp_path, os.O_RDONLY)
    for _ in range(25):
        os.mkdir("d" * 200, dir_fd=here)
        below = os.open("d" * 200, os.O_RDONLY, dir_fd=here)
        os.close(os.open("n.md", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(here)
        here = below
    os.close(here)
    found = walk(str(tmp_path), Ignore())
    assert len(found.files) == 20
    assert set(codes(found).values()) == {"path_too_long"}
    subprocess.run(["rm", "-rf", *map(str, tmp_path.iterdir())], check=True)


def test_placeholders_are_told_apart(tmp_path):
    """A file with a size and no blocks is away; it stays listed, and nobody needs to read it."""
    root = grow(tmp_path, {"here.md": "x" * 5000, "away.md": ""})
    os.truncate(root + "/away.md", 9000)
    found = walk(root, Ignore())
    assert found.away == {"away.md"}
    assert codes(found) == {"away.md": "placeholder"}


def test_a_file_system_that_counts_no_blocks_has_no_placeholders(tmp_path):
    """Where no file has blocks, blocks say nothing."""
    root = grow(tmp_path, {"a.md": "", "b.md": ""})
    os.truncate(root + "/a.md", 9000)
    assert walk(root, Ignore()).away == frozenset()


def test_strays_of_memd_are_found_on_the_way(tmp_path):
    """Temporary files that a crash left are listed for the sweep."""
    root = grow(tmp_path, {"a/.~memd-new-1.tmp": "", "a/.x.tmp": ""})
    assert walk(root, Ignore()).strays == ("a/.~memd-new-1.tmp",)


LOCKED = """
import os, sys
from memd.disk.ignore import Ignore
from memd.disk.listing import walk
os.setgroups([]); os.setgid(65534); os.setuid(65534)
found = walk(sys.argv[1], Ignore())
print(sorted(found.files), sorted(found.unread), [(p.path, p.code) for p in found.problems])
"""


@pytest.mark.skipif(os.getuid() != 0, reason="becomes another user, which only root may")
def test_a_folder_that_may_not_be_read_is_unread(tmp_path):
    """Its notes are not listed as gone: it is named as unread, and a problem tells why."""
    root = grow(tmp_path, {"a.md": "", "locked/b.md": ""})
    let_others_in(tmp_path)
    os.chmod(root + "/locked", 0o700)
    done = subprocess.run([sys.executable, "-c", LOCKED, root], capture_output=True, text=True, cwd="/")
    assert done.stdout.strip() == "['a.md'] ['locked'] [('locked', 'unreadable')]", done.stderr
