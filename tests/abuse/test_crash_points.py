"""Killed at any fsync, rename or unlink of the writer, or at any moment: what was acknowledged stands, once, and whole.

`MEMD_CRASHES=500` asks for more rounds than the few that every run makes; `MEMD_SEED` replays one series.
"""

from __future__ import annotations

import contextlib
import os
import random
import re
import signal
import statistics
import threading
import time
from collections.abc import Callable
from pathlib import Path

from memd.bridge.stream import Unreachable
from memd.model.errors import Refused
from tests.fakes.abuse import Figures, books, copy_of, differences, files, orphans, quiet, said
from tests.fakes.home import Home

ROUNDS = int(os.environ.get("MEMD_CRASHES", "9"))
SEED = int(os.environ.get("MEMD_SEED", "1"))
WHOLE = re.compile(rb"begin (tok[0-9a-f]{12})(.*?)(?=begin tok|\Z)", re.DOTALL)


class Work:
    """A client's calls, each with a token of its own; what memd acknowledged, what it forgot, and what is still open."""

    def __init__(self, home: Home, seed: int) -> None:
        self.home = home
        self.chance = random.Random(seed)
        self.kept: set[str] = set()
        self.forgotten: set[str] = set()
        self.sessions: dict[str, str] = {}
        self.chosen: dict[str, str] = {}
        self.open: tuple[Callable[[str], None], str] | None = None
        self.calls = 0

    def go(self, count: int) -> None:
        """Until all is done or the daemon is gone."""
        acts = (
            self.append,
            self.append,
            self.write,
            self.edit,
            self.move,
            self.ingest,
            self.ingest,
            self.forget,
            self.seal,
        )
        for _ in range(count):
            self.open = (self.chance.choice(acts), f"tok{self.chance.getrandbits(48):012x}")
            self.finish()

    def finish(self) -> None:
        """What was asked and not acknowledged is asked again, as a client does; then it must stand once."""
        if self.open is not None:
            act, token = self.open
            act(token)
            self.calls += 1
            self.open = None

    def append(self, token: str) -> None:
        self.home.call(
            "memory.append", path="log.md", category="fact", text=f"begin {token} end", idempotency_key=token
        )
        self.kept.add(token)

    def write(self, token: str) -> None:
        try:
            self.home.call("memory.write", title=f"Note {token}", body=f"begin {token}\n{'line ' * 4000}\nend")
        except Refused as refused:
            self.kept |= {token} if refused.code == "exists" else set()
            return
        self.kept.add(token)

    def edit(self, token: str) -> None:
        if token in self.home.text("page.md"):
            # Done before the kill, and not answered: a client looks before it edits again.
            self.kept.add(token)
            return
        try:
            self.home.call("memory.edit", path="page.md", find="marker", replace=f"begin {token} end\n\nmarker")
        except Refused:
            return
        self.kept.add(token)

    def move(self, token: str) -> None:
        # Just stood up, the daemon tells of the files as they were before the kill until it has looked.
        self.home.call("memory.refresh")
        where = self.home.call("memory.list", folder="travels")["notes"]
        if where:
            number = self.chance.randrange(10**6)
            self.home.call("memory.move", path=where[0]["path"], to=f"travels/{number % 3}/traveller-{number}.md")

    def ingest(self, token: str) -> None:
        said = {
            "id": token,
            "speaker": "user",
            "text": f"begin {token} end lives in Porto.",
            "at": "2026-03-01T09:00:00+08:00",
        }
        atom = {
            "text": f"{token} lives in Porto",
            "subject": token,
            "aspect": "home",
            "kind": "state",
            "confidence": 0.95,
        }
        given = {
            "session": f"s-{token}",
            "source": "chat",
            "events": [said],
            "atoms": [atom],
            "close": True,
            "wait": True,
        }
        self.home.call("memory.ingest", **given)
        self.kept.add(token)
        self.sessions[token] = f"s-{token}"

    def forget(self, token: str) -> None:
        if token not in self.chosen and self.sessions:
            self.chosen[token] = self.chance.choice(sorted(self.sessions))
        known = self.chosen.get(token)
        if known is None:
            return
        self.kept.discard(known)
        session = self.sessions.pop(known, f"s-{known}")
        # Asked again after a kill, it may have been finished by the daemon meanwhile.
        with contextlib.suppress(Refused):
            self.home.call("memory.forget", target={"session": session}, dry_run=False, purge=True)
        self.forgotten.add(known)

    def seal(self, token: str) -> None:
        self.home.call("memory.seal")
        self.home.call("memory.patch")


def killed(home: Home) -> None:
    """Takes note that the daemon is dead."""
    assert home.process is not None
    assert home.process.wait(30) == -signal.SIGKILL, home.log()
    home.process = None
    home.client.close()


def run_into(home: Home, work: Work, fault: str, moment: float) -> None:
    """Starts the daemon and works until it is killed: at its fault point, or after so many seconds."""
    home.env.pop("MEMD_FAULT", None)
    if fault:
        home.env["MEMD_FAULT"] = fault
    timer = threading.Timer(1.0 + moment, lambda: home.process and home.process.kill())
    timer.start()
    with contextlib.suppress(Unreachable, AssertionError):
        home.start()
        work.go(500)
    killed(home)
    timer.cancel()
    home.env.pop("MEMD_FAULT", None)


def torn(root: Path) -> list[str]:
    """Files in which a text begins and does not end."""
    visible = [p for p in files(root) if p.suffix == ".md" and not p.is_symlink()]
    return [str(p) for p in visible for m in WHOLE.finditer(p.read_bytes()) if b"end" not in m[2]]


def misplaced(home: Home, work: Work) -> tuple[list[str], list[str], list[str]]:
    """(lost, doubled, back): acknowledged tokens that stand nowhere, or twice, and forgotten ones that are there again."""
    notes = [
        p for p in home.vault.rglob("*.md") if not any(part.startswith(".") for part in p.relative_to(home.vault).parts)
    ]
    texts = {p: p.read_bytes() for p in notes}
    said = b"\n".join(
        data for path, data in texts.items() if "leaves" not in path.parts and "episodes" not in path.parts
    )
    whole = b"\n".join(texts.values())
    counts = {token: len(re.findall(b"begin " + token.encode() + b"(?= end|\n)", said)) for token in work.kept}
    lost = [token for token, count in counts.items() if count == 0]
    doubled = [token for token, count in counts.items() if count > 1]
    leaves = [p for p in notes if "leaves" in p.parts]
    ids = [re.search(rb"^fingerprint: (\S+)", texts[p], re.MULTILINE) for p in leaves]
    prints = [found[1] for found in ids if found]
    doubled += [str(x) for x in set(prints) if prints.count(x) > 1]
    return lost, doubled, [token for token in work.forgotten if token.encode() in whole]


def test_killed_anywhere_it_stands_up_whole(home: Home, tmp_path: Path, figures: Figures) -> None:
    """At writer fault points and at random moments: nothing torn, lost, doubled or left over; the indexes heal by themselves."""
    home.write("log.md", "# Log\n")
    home.write("page.md", "# Page\n\nmarker\n")
    for n in range(3):
        home.write(f"travels/{n}.md", f"begin tok{n:012x} end\n")
    work, chance, took = Work(home, SEED), random.Random(SEED), []
    for number in range(ROUNDS):
        fault = f"{chance.choice(('any', 'any', 'fsync', 'rename', 'unlink'))}:{chance.choice(('before', 'after'))}"
        at_fault = number % 3 != 2
        run_into(
            home,
            work,
            f"{fault}:{chance.randint(3, 60)}" if at_fault else "",
            6.0 if at_fault else chance.random() * 1.5,
        )
        began = time.monotonic()
        home.start().settled()
        took.append(time.monotonic() - began)
        work.finish()
        lost, doubled, back = misplaced(home, work)
        figures.add(
            kills=1, faults=int(at_fault), lost=len(lost), wrong=len(doubled) + len(back) + len(torn(home.vault))
        )
        assert (lost, doubled, back, torn(home.vault)) == ([], [], [], []), (number, fault)
        home.end(signal.SIGKILL)
    mine = said(quiet(home.start()))
    left = orphans(home.vault)
    assert home.end() == 0
    book = books(home)
    assert book["damage"] == ("", ""), "no index was built anew"
    fresh = copy_of(home, tmp_path / "fresh")
    try:
        theirs = said(quiet(fresh.start()))
    finally:
        fresh.end()
    found = differences(mine, theirs) + differences(book, books(fresh))
    figures.add(
        calls=work.calls, acknowledged=len(work.kept), forgotten=len(work.forgotten), wrong=len(found) + len(left)
    )
    figures.say(recovery_ms=round(statistics.median(took) * 1000))
    assert not found, "\n".join(found[:20])
    assert left == []
