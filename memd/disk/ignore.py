"""What of a vault is not a note: hidden places, editors' debris, what Obsidian or the config exclude.

Knows names and patterns. Never touches the disk. The only importer of pathspec, and only when there are patterns.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from memd.disk.paths import is_note
from memd.model.problem import Problem

TEMPORARY = ".~memd-"
"""How memd's own temporary and displaced files begin: hidden; Dropbox skips `.~…`, iCloud skips `….tmp`."""

_FOLDERS = frozenset({"node_modules"})
_FILES = ("~$", "~syncthing~")


class Ignore:
    """`filters` are Obsidian's `userIgnoreFilters` (path prefixes, or `/regex/`), `patterns` gitignore lines.

    `own` is the folder of memory's files: people keep it out of Obsidian's search, which hides nothing from memd. A filter or pattern that cannot be read is left out and listed in `problems`.
    """

    __slots__ = ("_filters", "_match", "_own", "custom", "problems")

    def __init__(self, filters: Sequence[str] = (), patterns: Sequence[str] = (), own: str = "") -> None:
        found: list[Problem] = []
        self._own = own.strip("/") + "/" if own.strip("/") else ""
        self._filters = tuple(f for f in (_filter(text, found) for text in filters) if f)
        self._match = _spec(patterns, found) if patterns else None
        self.custom = bool(self._filters or self._match)
        self.problems = tuple(found)

    def folder(self, path: str, name: str) -> bool:
        """Whether nothing beneath this folder is looked at; its parents are taken to be visible."""
        if name[0] == "." or name in _FOLDERS:
            return True
        return self.custom and self._custom(path + "/")

    def file(self, path: str, name: str) -> bool:
        """Whether a file is no note; its folder is taken to be visible."""
        if name[0] == "." or not is_note(name) or name.startswith(_FILES):
            return True
        return self.custom and self._custom(path)

    def hides(self, path: str, *, folder: bool = False) -> bool:
        """Whether a path, by itself or by any folder above it, is not looked at. The root ("") is."""
        if not path:
            return False
        parts = path.split("/")
        above = any(self.folder("/".join(parts[: i + 1]), parts[i] or ".") for i in range(len(parts) - 1))
        return above or (self.folder if folder else self.file)(path, parts[-1] or ".")

    def _custom(self, path: str) -> bool:
        hidden = any(f(path) for f in self._filters) and not (self._own and path.startswith(self._own))
        return hidden or (self._match is not None and self._match(path))


def _filter(text: str, found: list[Problem]) -> Callable[[str], object] | None:
    """Obsidian: text between slashes is a regular expression, else a prefix; neither minds case."""
    if not text.strip("/"):
        return None
    if len(text) > 2 and text[0] == text[-1] == "/":
        try:
            return re.compile(text[1:-1], re.IGNORECASE).search
        except re.error as error:
            hint = "correct it under Settings, Files and links, Excluded files"
            found.append(Problem("ignore_filter", ".obsidian/app.json", 0, f"{text!r} cannot be read: {error}", hint))
            return None
    return re.compile(re.escape(text), re.IGNORECASE).match


def _spec(patterns: Sequence[str], found: list[Problem]) -> Callable[[str], bool] | None:
    from pathspec import GitIgnoreSpec

    good = []
    for line in patterns:
        try:
            GitIgnoreSpec.from_lines([line])
            good.append(line)
        except ValueError as error:
            hint = "write it as a line of a .gitignore"
            found.append(Problem("ignore_pattern", "", 0, f"[vault] ignore: {line!r} cannot be read: {error}", hint))
    spec = GitIgnoreSpec.from_lines(good)
    return lambda path: bool(spec.match_file(path))
