"""Paths are opened beneath the root, and nowhere else."""

from __future__ import annotations

import contextlib
import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.disk import paths
from memd.model.errors import Refused
from tests.fakes.disk import grow

OUTSIDE = """
    /etc/passwd.md  ../x.md  a/../../x.md  a/./b.md  a//b.md  .obsidian/x.md  .git/hooks/x.md  a/.hidden.md  .md
    a.txt  a/b  .trash/memd/s/x.md  .conflict/x.md  .trash/x.md  a.md/  /
""".split()


@pytest.mark.parametrize("path", [*OUTSIDE, "", "a\0.md", "\ud800.md", "x.md\0", "a\n/../b.md"])
def test_paths_that_leave_the_vault_or_name_no_note_are_refused(path):
    """What is absolute, climbs, hides, is no markdown file or no text is `outside_vault`."""
    with pytest.raises(Refused) as refused:
        paths.check(path)
    assert refused.value.code == "outside_vault"
    assert "\0" not in refused.value.message


@pytest.mark.parametrize("path", ["a.md", "x/y z/语.md", "A.MD", "a..md", "x\n.md", "\udcff.md", "…/a.md"])
def test_odd_names_of_notes_are_names(path):
    """Spaces, newlines, other scripts and bytes that are no text may stand in a name."""
    assert paths.check(path) == path


@pytest.mark.parametrize("path", [".trash/memd/s/a/x.md", ".conflict/x__a__b.md", ".trash/memd/s/plan.json"])
def test_only_the_writer_names_memd_own_places(path):
    """`.trash/memd/`, `.conflict/` and the manifest are for the writer alone."""
    assert paths.check(path, own=True) == path
    with pytest.raises(Refused):
        paths.check(path)


@pytest.mark.parametrize(
    "path", [".trash/memd/../x.md", ".trash/memd/.x/y.md", ".trash/x.md", ".conflict/x.sh", "plan.json"]
)
def test_the_writer_own_places_have_limits_too(path):
    """Even the writer neither climbs nor hides further nor writes other kinds of file."""
    with pytest.raises(Refused):
        paths.check(path, own=True)


@pytest.mark.parametrize("path", ["n" * 253 + ".md", "/".join(["d" * 200] * 30) + "/a.md", "语" * 90 + ".md"])
def test_names_that_no_file_system_takes_are_refused(path):
    """Names over 255 bytes and paths over 4095 are `invalid_params`, with the way out."""
    with pytest.raises(Refused, match="shorten") as refused:
        paths.check(path)
    assert refused.value.code == "invalid_params"


@given(st.text(max_size=30))
def test_whatever_is_accepted_stays_inside(path):
    """No accepted path has an empty, hidden or climbing part."""
    with contextlib.suppress(Refused):
        paths.check(path)
        assert os.path.normpath("/v/" + path).startswith("/v/")
        assert all(part and part[0] != "." for part in path.split("/"))


@pytest.mark.parametrize("walk", [False, True], ids=["openat2", "descriptors"])
class TestOpening:
    """Both ways of opening refuse alike."""

    def opened(self, root, path, walk, flags=os.O_RDONLY):
        base = paths.open_root(root)
        try:
            return os.read(paths.open_beneath(base, path, flags, walk=walk), 99)
        finally:
            os.close(base)

    def test_a_file_is_opened(self, tmp_path, walk):
        """A path of several folders leads to its file."""
        assert self.opened(grow(tmp_path, {"a/b/c.md": "x"}), "a/b/c.md", walk) == b"x"

    @pytest.mark.parametrize("path", ["in/x.md", "out/x.md", "x.md", "a/up/x.md"])
    def test_links_are_not_followed(self, tmp_path, walk, path):
        """A symbolic link at any component, inside or outside the vault, is `outside_vault`."""
        root = grow(tmp_path / "v", {"a/x.md": "in"})
        grow(tmp_path / "o", {"x.md": "out"})
        os.symlink("a", root + "/in")
        os.symlink(tmp_path / "o", root + "/out")
        os.symlink("../o/x.md", root + "/x.md")
        os.symlink("..", root + "/a/up")
        with pytest.raises(Refused) as refused:
            self.opened(root, path, walk)
        assert refused.value.code == "outside_vault"

    @pytest.mark.parametrize("path", ["../x.md", "a/../../x.md", "/etc/hostname"])
    def test_what_climbs_is_not_opened(self, tmp_path, walk, path):
        """Also where nobody looked at the letters of the path before."""
        root = grow(tmp_path / "v", {"a/x.md": "in"})
        grow(tmp_path, {"x.md": "out"})
        with pytest.raises(Refused) as refused:
            self.opened(root, path, walk)
        assert refused.value.code == "outside_vault"

    def test_a_link_is_no_folder(self, tmp_path, walk):
        """A folder is opened only where a folder stands."""
        root = grow(tmp_path, {"a/x.md": ""})
        os.symlink("a", root + "/l")
        base = paths.open_root(root)
        with pytest.raises(Refused):
            paths.open_folder(base, "l", walk=walk)
        with pytest.raises(NotADirectoryError):
            paths.open_folder(base, "a/x.md", walk=walk)
        with pytest.raises(FileNotFoundError):
            paths.open_folder(base, "none/x", walk=walk)
        os.close(base)


def test_descriptors_do_not_leak(tmp_path):
    """Opening deep paths, found or not, leaves no descriptor behind."""
    base = paths.open_root(grow(tmp_path, {"a/b/c/d.md": ""}))
    before = len(os.listdir("/proc/self/fd"))
    for path in ("a/b/c/d.md", "a/b/none/d.md", "a/b/c/d.md/e"):
        for walk in (False, True):
            try:
                os.close(paths.open_beneath(base, path, os.O_RDONLY, walk=walk))
            except OSError:
                continue
    assert len(os.listdir("/proc/self/fd")) == before
    os.close(base)
