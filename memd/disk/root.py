"""Whether the vault is still the vault: a missing vault is not an empty one (design 1.12).

Knows the root folder's identity, its file system, and counts of notes. The judgement is pure; who asks holds the old
index and goes on when the next judgement is None or a person accepts.
"""

from __future__ import annotations

import os
import sys

from msgspec import Struct

MANY = 20

_REMOTE = frozenset(
    """nfs nfs4 cifs smb3 smbfs 9p afs ceph glusterfs lustre ncpfs coda fuse fuseblk vfat msdos exfat virtiofs vboxsf
    prl_fs drvfs davfs orangefs pvfs2 beegfs gpfs""".split()
)


class Identity(Struct, frozen=True):
    dev: int
    ino: int


class Filesystem(Struct, frozen=True):
    """`trusted`: sizes, times and inodes tell of every edit, and the kernel tells of those made here."""

    kind: str
    trusted: bool


class Hold(Struct, frozen=True):
    """`code` is `gone`, `replaced`, `emptied` or `shrunk`; `reason` is a sentence for a person."""

    code: str
    reason: str


def identify(root: str) -> Identity | None:
    """The device and inode of the root folder; None where no folder stands there."""
    try:
        st = os.stat(root)
        return Identity(st.st_dev, st.st_ino) if os.path.isdir(root) else None
    except OSError:
        return None


def unwritable(root: str) -> tuple[str, str] | None:
    """Why nothing can be written to the vault's folder, and what to do; None where it can be, or is not there."""
    try:
        fixed = os.statvfs(root).f_flag & os.ST_RDONLY
    except OSError:
        return None
    if fixed:
        return "the vault's file system is read-only: memd reads, and refuses to write", "mount it writable"
    if not os.access(root, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids):
        return (
            "memd may not write to the vault's folder: it reads, and refuses to write",
            "check its owner and its mode",
        )
    return None


def judge(known: Identity | None, now: Identity | None, notes: int, left: int, gone: int, ours: int = 0) -> Hold | None:
    """Why the vault looks lost, or None.

    `known`: the identity that was indexed (None: none yet). `notes`: how many notes are indexed. `left`: how many the
    new listing has. `gone`: how many of the indexed are not there and were not found elsewhere (moves are not losses).
    `ours`: how many of those memd itself removed.
    """
    if now is None:
        return Hold("gone", "the vault's folder is not there; put it back or mount its disk")
    if known is not None and known != now:
        return Hold("replaced", "another folder stands where the vault was; mount its disk, or accept this one")
    lost = gone - ours
    if lost > 0 and left == 0:
        return Hold("emptied", f"all {notes} notes are gone at once; bring them back, or accept that they are deleted")
    if lost > MANY and lost * 2 > notes:
        return Hold("shrunk", f"{lost} of {notes} notes are gone at once; bring them back, or accept the deletion")
    return None


def filesystem(root: str, mounts: str | None = None) -> Filesystem:
    """The kind of file system under a path, from the text of /proc/self/mountinfo (`mounts` stands in for it).

    Where the kind cannot be told (no such file: macOS), it is trusted.
    """
    if mounts is None:
        if not sys.platform.startswith("linux"):
            return Filesystem("", True)
        try:
            with open("/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape") as file:
                mounts = file.read()
        except OSError:
            return Filesystem("", True)
    kind = _kind(os.path.realpath(root), mounts)
    return Filesystem(kind, kind.partition(".")[0] not in _REMOTE)


def _kind(path: str, mounts: str) -> str:
    best, kind = "", ""
    for line in mounts.splitlines():
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = fields[4].encode("utf-8", "surrogateescape").decode("unicode_escape").encode("latin-1")
        mount = os.fsdecode(point)
        inside = path == mount or path.startswith(mount.rstrip("/") + "/")
        # Of two mounts on one point the later one is seen.
        if inside and len(mount) >= len(best):
            best, kind = mount, right.split(" ", 1)[0]
    return kind
