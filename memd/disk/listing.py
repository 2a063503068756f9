"""The notes that stand in a vault, by path, with what the file system says of each.

Knows folders, names and stats. Never opens a file, never follows a symbolic link, never raises on what it finds: what
cannot be listed is a problem, and is told apart from what is gone.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

from msgspec import Struct

from memd.disk.ignore import TEMPORARY, Ignore
from memd.disk.paths import PATH_MAX, is_note, open_beneath, open_folder, open_root
from memd.disk.root import filesystem
from memd.model.errors import Refused
from memd.model.problem import Problem

_NTFS = frozenset(("fuseblk", "ntfs", "ntfs3"))
_RESIDENT = 4096
"""NTFS keeps small files in its table of files, where they have no blocks."""


class Stat(Struct, frozen=True, array_like=True, gc=False):
    """Sizes in bytes, times in nanoseconds of the file system's clock, `blocks` of 512 bytes."""

    size: int
    mtime_ns: int
    ctime_ns: int
    ino: int
    dev: int
    blocks: int


class Listing(Struct, frozen=True):
    """`folders` are (device, inode), the root under "". `unread`: folders that could not be listed (what was known of
    them stands). `away`: files whose bytes are elsewhere (a cloud's placeholders; reading them would block), also in
    `files`. `strays`: temporary files that memd left behind. `above`: every
    folder that holds, or once held, what is listed, the root too; None where that is not known."""

    files: dict[str, Stat] = {}
    folders: dict[str, tuple[int, int]] = {}
    unread: frozenset[str] = frozenset()
    away: frozenset[str] = frozenset()
    strays: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    above: frozenset[str] | None = None

    def beneath(self, paths: frozenset[str]) -> bool:
        """Whether something that is listed may lie in one of these."""
        return self.above is None or not paths.isdisjoint(self.above)


def stat_of(st: os.stat_result) -> Stat:
    return Stat(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino, st.st_dev, getattr(st, "st_blocks", 1))


def walk(root: str, ignore: Ignore, within: Iterable[str] | None = None, *, plain: bool = False) -> Listing:
    """Every note beneath the root or, given `within`, only those files and what is beneath those folders.

    A root that is gone is listed as unread, not as empty. `plain` asks for the way that needs no openat2.
    """
    found = _Found(root, ignore, plain)
    try:
        base = open_root(root)
    except OSError as error:
        found.unreadable("", error)
        return found.listing()
    try:
        for path in [""] if within is None else sorted(set(within)):
            found.start(base, path)
        while found.stack:
            found.folder(base, found.stack.pop())
    finally:
        os.close(base)
    return found.listing()


class _Found:
    """What a walk has met so far; `stack` are folders still to be listed."""

    def __init__(self, root: str, ignore: Ignore, plain: bool) -> None:
        self.root = root
        self.ignore = ignore
        self.plain = plain
        self.stack: list[str] = []
        self.files: dict[str, Stat] = {}
        self.folders: dict[str, tuple[int, int]] = {}
        self.unread: set[str] = set()
        self.named: list[str] = []
        self.empty: list[str] = []
        self.strays: list[str] = []
        self.problems: list[Problem] = []

    def start(self, base: int, path: str) -> None:
        """A path from a hint: a folder is walked, a note listed, anything else is not there."""
        if path in self.folders or path in self.files:
            return
        if not path:
            self.stack.append(path)
            return
        folder, _, name = path.rpartition("/")
        try:
            fd = open_beneath(base, folder, getattr(os, "O_PATH", os.O_RDONLY) | os.O_DIRECTORY, walk=self.plain)
            try:
                st = os.stat(name, dir_fd=fd, follow_symlinks=False)
            finally:
                os.close(fd)
        except (FileNotFoundError, NotADirectoryError, Refused, ValueError):
            return
        except OSError as error:
            self.unreadable(path, error)
            return
        link = stat.S_ISLNK(st.st_mode)
        if self.ignore.hides(folder, folder=True):
            return
        if stat.S_ISDIR(st.st_mode):
            if not self.ignore.folder(path, name):
                self.stack.append(path)
        elif self.ignore.file(path, name):
            self.skipped(path, name, link)
        elif stat.S_ISREG(st.st_mode):
            self.named.append(path)
            self.file(path, st)
        else:
            self.odd(path, name, link)

    def folder(self, base: int, folder: str) -> None:
        if folder in self.folders:
            return
        try:
            fd = open_folder(base, folder, walk=self.plain)
        except FileNotFoundError:
            return
        except (OSError, Refused) as error:
            self.unreadable(folder, error)
            return
        try:
            st = os.fstat(fd)
            self.folders[folder] = (st.st_dev, st.st_ino)
            with os.scandir(fd) as entries:
                self.entries(folder + "/" if folder else "", entries)
        except OSError as error:
            self.unreadable(folder, error)
        finally:
            os.close(fd)

    def entries(self, prefix: str, entries: Iterable[os.DirEntry[str]]) -> None:
        ignore, long = self.ignore, len(prefix) > PATH_MAX // 4 - 256
        for entry in entries:
            name = entry.name
            if name[0] == ".":
                if name.startswith(TEMPORARY):
                    self.strays.append(prefix + name)
                continue
            path = prefix + name
            if entry.is_dir(follow_symlinks=False):
                if not ignore.folder(path, name):
                    self.stack.append(path)
            elif ignore.file(path, name):
                self.skipped(path, name, entry.is_symlink())
            elif long and len(os.fsencode(path)) > PATH_MAX:
                self.too_long(path)
            elif entry.is_file(follow_symlinks=False):
                try:
                    self.file(path, entry.stat(follow_symlinks=False))
                except FileNotFoundError:
                    continue
            else:
                self.odd(path, name, entry.is_symlink())

    def file(self, path: str, st: os.stat_result) -> None:
        self.files[path] = Stat(st.st_size, st.st_mtime_ns, st.st_ctime_ns, st.st_ino, st.st_dev, st.st_blocks)
        if not st.st_blocks and st.st_size:
            self.empty.append(path)

    def skipped(self, path: str, name: str, link: bool) -> None:
        """No note; a link whose name has no suffix is told, as it may lead to a folder of notes."""
        if link and "." not in name:
            self.odd(path, name, link)

    def odd(self, path: str, name: str, link: bool) -> None:
        if link:
            hint = "put the note itself into the vault"
            self.problems.append(Problem("symlink", path, 0, "a symbolic link, which memd does not follow", hint))
        elif is_note(name):
            hint = "rename it so that it does not end in .md"
            self.problems.append(Problem("not_a_file", path, 0, "a pipe, socket or device, not a note", hint))

    def unreadable(self, folder: str, error: OSError | Refused) -> None:
        if isinstance(error, OSError) and error.errno == errno.ENAMETOOLONG:
            self.too_long(folder)
            return
        self.unread.add(folder)
        why = error.strerror if isinstance(error, OSError) else error.message
        hint = "allow memd to read it; until then what was known of it stands"
        self.problems.append(Problem("unreadable", folder, 0, f"the folder cannot be listed: {why}", hint))

    def too_long(self, path: str) -> None:
        hint = "move it up or shorten the names of its folders"
        self.problems.append(Problem("path_too_long", path, 0, f"the path is longer than {PATH_MAX} bytes", hint))

    def listing(self) -> Listing:
        away = self._away()
        hint = "download it (open it once); until then what was known of it stands"
        for path in sorted(away):
            self.problems.append(Problem("placeholder", path, 0, "the file's bytes are not on this disk", hint))
        strays, problems = tuple(self.strays), tuple(self.problems)
        return Listing(self.files, self.folders, frozenset(self.unread), away, strays, problems, self._above())

    def _above(self) -> frozenset[str]:
        """The folders that were listed, and all folders over them and over the files that hints named."""
        found = {"", *self.folders}
        for path in (*self.folders, *self.named):
            while (path := path.rpartition("/")[0]) not in found:
                found.add(path)
        return frozenset(found)

    def _away(self) -> frozenset[str]:
        """Files with a size and no blocks, unless this file system counts no blocks at all, or none for small files."""
        if not self.empty or len(self.empty) == sum(1 for st in self.files.values() if st.size):
            return frozenset()
        least = _RESIDENT if filesystem(self.root).kind in _NTFS else 0
        return frozenset(path for path in self.empty if self.files[path].size > least)
