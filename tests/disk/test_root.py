"""A missing vault is not an empty one."""

from __future__ import annotations

import os

import pytest

from memd.disk.root import Identity, filesystem, identify, judge, unwritable
from tests.fakes.disk import let_others_in

HERE = Identity(1, 2)


def code(known=HERE, now=HERE, notes=100, left=100, gone=0, ours=0):
    hold = judge(known, now, notes, left, gone, ours)
    return hold and hold.code


def test_a_vault_that_stands_is_not_held():
    """Same folder, notes there, the odd deletion."""
    assert code() is None
    assert code(gone=3, left=97) is None
    assert code(known=None, notes=0, left=0) is None


def test_a_root_that_is_gone_or_another_is_held():
    """No folder, another device, another inode."""
    assert code(now=None) == "gone"
    assert code(now=Identity(9, 2)) == "replaced"
    assert code(now=Identity(1, 9)) == "replaced"


@pytest.mark.parametrize(("notes", "left", "gone", "held"), [
    (12, 0, 12, "emptied"), (1, 0, 1, "emptied"), (40, 20, 20, None), (40, 19, 21, "shrunk"), (42, 21, 21, None),
    (10_000, 9_000, 1_000, None), (30, 10, 20, None),
])  # fmt: skip
def test_losses_are_measured(notes, left, gone, held):
    """All at once, or more than half and more than twenty."""
    assert code(notes=notes, left=left, gone=gone) == held


def test_what_memd_removed_is_no_loss():
    """Its own hand does not hold the vault."""
    assert code(notes=30, left=0, gone=30, ours=30) is None
    assert code(notes=60, left=20, gone=40, ours=20) is None


def test_identity_is_of_the_folder(tmp_path):
    """Another folder of the same name is another vault; a file is none."""
    (tmp_path / "v").mkdir()
    first = identify(str(tmp_path / "v"))
    os.rename(tmp_path / "v", tmp_path / "w")
    assert identify(str(tmp_path / "v")) is None
    (tmp_path / "v").mkdir()
    assert identify(str(tmp_path / "v")) != first == identify(str(tmp_path / "w"))
    (tmp_path / "f").touch()
    assert identify(str(tmp_path / "f")) is None


MOUNTS = """\
22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
30 22 0:40 / /mnt/nas rw - nfs4 server:/x rw
31 22 0:41 / /mnt/my\\040drive rw - fuse.rclone remote: rw
32 22 0:42 / /mnt/stick rw - vfat /dev/sdb1 rw
33 30 0:43 / /mnt/nas/local rw - tmpfs tmpfs rw
34 22 0:44 / /mnt/over rw - ext4 /dev/vdb rw
35 22 0:45 / /mnt/over rw - cifs //x/y rw
"""


@pytest.mark.parametrize(("path", "kind", "trusted"), [
    ("/home/x", "ext4", True), ("/mnt/nas/v", "nfs4", False), ("/mnt/my drive/v", "fuse.rclone", False),
    ("/mnt/stick", "vfat", False), ("/mnt/nas/local/v", "tmpfs", True), ("/mnt/nasty", "ext4", True),
    ("/mnt/over/v", "cifs", False),
])  # fmt: skip
def test_file_systems_are_told_from_the_mounts(path, kind, trusted):
    """The longest mount point above the path, the last of those on one point; network, FUSE and FAT are not trusted."""
    found = filesystem(path, MOUNTS)
    assert (found.kind, found.trusted) == (kind, trusted)


def test_a_folder_that_may_not_be_written_to_says_what_to_do(tmp_path):
    """Told by the rights of whoever runs memd (nobody, where the tests are root's); a folder that is not there is another matter."""
    let_others_in(tmp_path)
    assert unwritable(str(tmp_path)) is None
    assert unwritable(str(tmp_path / "gone")) is None
    tmp_path.chmod(0o555)
    child = os.fork()
    if child == 0:
        try:
            if os.geteuid() == 0:
                os.seteuid(65534)
            why, what = unwritable(str(tmp_path)) or ("", "")
            os._exit(0 if "may not write" in why and "mode" in what else 1)
        finally:
            os._exit(2)
    assert os.waitpid(child, 0)[1] == 0
    tmp_path.chmod(0o755)
