"""A person gone wild: seeded operations on files of a vault, in a process of its own.

In `shared/` anything goes. In `mine<k>/` only this process saves, so it knows what must stand there at the end: `mine`
are the tokens of the last version of each file. It renames symbolic links and never opens one: what they lead to may be
anybody's, and what came in through one would look as if memd had followed it.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import shutil
import sys
import time
import unicodedata
from collections.abc import Callable
from typing import BinaryIO, cast

NAMES = ["Heron", "weir", "ACORN", "lantern", "Café", "苍鹭", "图书馆", "a b", "plover", "ñandú"]
BODIES = [
    "# {n}\n\nheron weir {t}\n\n- [fact] river {t} #birds\n",
    "---\ntitle: {n}\ntags: [acorn, 摄影]\n---\n\n苍鹭 在 图书馆 {t}\n\n- see [[Heron]]\n",
    "---\nbroken: [yaml\n---\nlantern {t}\n",
    "plover {t}\r\n\r\n- relates_to [[weir]]\r\n",
    "\ufeff---\ntype: task\nstatus: open\n---\ntoken {t} [[图书馆|lib]]\n",
]


class Storm:
    def __init__(self, vault: str, seed: int, number: int) -> None:
        self.chance = random.Random(seed * 10 + number)
        self.vault = vault
        self.number = number
        self.mine: dict[str, str] = {}
        self.trash: list[tuple[str, bytes]] = []
        self.done: dict[str, int] = {}
        os.makedirs(f"{vault}/shared", exist_ok=True)
        os.makedirs(f"{vault}/mine{number}", exist_ok=True)

    def token(self) -> str:
        return f"tok{self.chance.getrandbits(48):012x}"

    def text(self, token: str) -> bytes:
        body = self.chance.choice(BODIES).format(n=self.chance.choice(NAMES), t=token)
        return (body + "filler line\n" * self.chance.randrange(4)).encode()

    def name(self) -> str:
        name = self.chance.choice(NAMES)
        if self.chance.random() < 0.2:
            name = unicodedata.normalize(self.chance.choice(("NFC", "NFD")), name)
        return name.swapcase() if self.chance.random() < 0.2 else name

    def folder(self) -> str:
        return self.chance.choice(("", "one/", "one/two/", "Drei/", "四/"))

    def fresh(self) -> str:
        return f"{self.vault}/shared/{self.folder()}{self.name()}.md"

    def some(self) -> str:
        """A file that stands in shared/, or a name for one."""
        found = [
            os.path.join(f, n) for f, _, names in os.walk(f"{self.vault}/shared") for n in sorted(names) if n[0] != "."
        ]
        return self.chance.choice(sorted(found)) if found else self.fresh()

    def run(self, count: int, pause: float) -> None:
        """So many operations, every kind in each round; `done` counts those that found something to do."""
        deck: list[Callable[[Storm], None]] = []
        for _ in range(count):
            deck = deck or self.chance.sample(ACTS, len(ACTS))
            act = deck.pop()
            with contextlib.suppress(OSError, shutil.Error):
                act(self)
                self.done[act.__name__] = self.done.get(act.__name__, 0) + 1
            if pause:
                time.sleep(self.chance.random() * 2 * pause)

    # anything goes -----------------------------------------------------------------------------------------------------

    def create(self) -> None:
        _save(self.fresh(), self.text(self.token()))

    def edit(self) -> None:
        path = self.some()
        with _open(path, "r+b") as file:
            data = file.read()
            file.seek(0)
            file.truncate()
            file.write(data + b"\n- [more] river %s\n" % self.token().encode())

    def atomic(self) -> None:
        _replace(self.some(), self.text(self.token()))

    def backup(self) -> None:
        """As vim does: the file becomes its own backup, a new one is written, the backup goes."""
        path = self.some()
        os.rename(path, path + "~")
        _save(path, self.text(self.token()))
        os.unlink(path + "~")

    def rename(self) -> None:
        to = self.fresh()
        os.makedirs(os.path.dirname(to), exist_ok=True)
        os.rename(self.some(), to)

    def case(self) -> None:
        path = self.some()
        head, name = os.path.split(path)
        os.rename(path, os.path.join(head, name[:-3].swapcase() + ".md"))

    def form(self) -> None:
        path = self.some()
        head, name = os.path.split(path)
        os.rename(path, os.path.join(head, unicodedata.normalize(self.chance.choice(("NFC", "NFD")), name)))

    def folders(self) -> None:
        one, two = (f"{self.vault}/shared/{self.folder()}".rstrip("/") for _ in "ab")
        if one == f"{self.vault}/shared" or two.startswith(one):
            raise FileNotFoundError(one)
        os.makedirs(os.path.dirname(two), exist_ok=True)
        os.rename(one, two if not os.path.isdir(two) else f"{two}/in{self.chance.randrange(3)}")

    def out_and_back(self) -> None:
        """A folder leaves the vault, and comes back elsewhere."""
        one = f"{self.vault}/shared/{self.chance.choice(('one', 'Drei', '四'))}"
        outside = f"{self.vault}.out{self.number}"
        os.rename(one, outside)
        os.rename(outside, f"{self.vault}/shared/back{self.chance.randrange(3)}")

    def delete(self) -> None:
        path = self.some()
        with _open(path, "rb") as file:
            self.trash.append((path, file.read()))
        os.unlink(path)

    def restore(self) -> None:
        if not self.trash:
            raise FileNotFoundError("nothing was deleted")
        path, data = self.trash.pop()
        _save(path, data)

    def stamp(self) -> None:
        """Other bytes behind the same size and mtime."""
        path = self.some()
        was = os.lstat(path)
        with _open(path, "r+b") as file:
            data = file.read()
            cut = data.rfind(b"tok")
            if cut >= 0:
                file.seek(cut)
                file.write(self.token().encode()[: len(data) - cut])
        os.utime(path, ns=(was.st_atime_ns, was.st_mtime_ns), follow_symlinks=False)

    def past(self) -> None:
        at = self.chance.choice((0, 10**9, 4 * 10**9))
        os.utime(self.some(), (at, at), follow_symlinks=False)

    def sync(self) -> None:
        """A sync engine's copy: with another line, or with other words."""
        path = self.some()
        with _open(path, "rb") as file:
            data = file.read()
        kind = self.chance.choice((".sync-conflict-20260402-091231-ABCDEFG", " (conflicted copy 2026-04-02)"))
        more = b"\n- [more] weir %s\n" % self.token().encode()
        _save(path[:-3] + kind + ".md", data + more if self.chance.random() < 0.5 else self.text(self.token()))

    def link(self) -> None:
        at = self.fresh()
        target = self.chance.choice((self.some(), f"{self.vault}.secret.md", f"{self.vault}/shared", "nowhere.md"))
        os.makedirs(os.path.dirname(at), exist_ok=True)
        os.symlink(target, at if self.chance.random() < 0.7 else at[:-3])

    def unlink(self) -> None:
        for folder, folders, names in os.walk(f"{self.vault}/shared"):
            for name in folders + names:
                if os.path.islink(os.path.join(folder, name)):
                    os.unlink(os.path.join(folder, name))
                    return
        raise FileNotFoundError("no link stands")

    def hard(self) -> None:
        os.link(self.some(), self.fresh(), follow_symlinks=False)

    def empty(self) -> None:
        with _open(self.some(), "wb"):
            pass

    def swap(self) -> None:
        a, b, spare = self.some(), self.some(), f"{self.vault}/shared/.spare{self.number}"
        os.rename(a, spare)
        with contextlib.suppress(OSError):
            os.rename(b, a)
        os.rename(spare, b)

    # what must not be lost ---------------------------------------------------------------------------------------------

    def save_mine(self) -> None:
        """A save of a note of which memd's clients write too, in one of three ways."""
        name = f"{self.chance.choice('abcdef')}.md"
        path, token = f"{self.vault}/mine{self.number}/{name}", self.token()
        data = b"# mine\n\nheron %s\n" % token.encode()
        how = self.chance.choice((_save, _replace, _piecemeal))
        how(path, data)
        self.mine[name] = token

    def move_api(self) -> None:
        """Files that only clients write are moved about: nothing in them may be lost."""
        folder = f"{self.vault}/api"
        names = sorted(n for n in os.listdir(folder) if n.endswith(".md"))
        name = self.chance.choice(names)
        os.rename(f"{folder}/{name}", f"{folder}/{name[:-3].rstrip('+')}{'+' * self.chance.randrange(3)}.md")


ACTS = [
    *(Storm.create, Storm.edit, Storm.atomic, Storm.rename, Storm.save_mine) * 3,
    *(Storm.backup, Storm.case, Storm.form, Storm.folders, Storm.out_and_back, Storm.delete, Storm.restore),
    *(Storm.stamp, Storm.past, Storm.sync, Storm.link, Storm.unlink, Storm.hard, Storm.empty, Storm.swap),
    Storm.move_api,
]


def _open(path: str, mode: str, buffering: int = -1) -> BinaryIO:
    """A file of that very name, never what a symbolic link leads to."""
    opener = lambda name, flags: os.open(name, flags | os.O_NOFOLLOW, 0o644)  # noqa: E731
    return cast(BinaryIO, open(path, mode, buffering, opener=opener))


def _save(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _open(path, "wb") as file:
        file.write(data)


def _replace(path: str, data: bytes) -> None:
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with _open(path + ".tmp", "wb") as file:
        file.write(data)
    os.rename(path + ".tmp", path)


def _piecemeal(path: str, data: bytes) -> None:
    """As an editor that writes in pieces, slower than memd reads."""
    with _open(path, "wb", buffering=0) as file:
        for start in range(0, len(data), 7):
            file.write(data[start : start + 7])
            time.sleep(0.0005)


if __name__ == "__main__":
    storm = Storm(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
    storm.run(int(sys.argv[4]), float(sys.argv[5]))
    print(json.dumps({"mine": storm.mine, "done": storm.done}))
