"""What the system runs out of, takes away or turns back: memd says so, loses nothing, and goes on when it is there again.

Mounts, another uid and limits need root; a test says why it is skipped. `MEMD_MANY=100000` drops so many files in at once.
"""

from __future__ import annotations

import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from memd.model.errors import Refused
from tests.fakes.abuse import Figures, orphans, quiet
from tests.fakes.disk import let_others_in
from tests.fakes.home import Home

MANY = int(os.environ.get("MEMD_MANY", "4000"))
root_only = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")


@contextlib.contextmanager
def mounted(folder: Path, *options: str) -> Iterator[None]:
    folder.mkdir(parents=True, exist_ok=True)
    done = subprocess.run(["mount", "-t", "tmpfs", *options, "tmpfs", str(folder)], capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no mount here: {done.stderr.strip()}")
    try:
        yield
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=False)


def remount(folder: Path, how: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{how}", str(folder)], check=True)


def fill(folder: Path) -> Path:
    """The disk is full afterwards."""
    path = folder / ".ballast"
    with contextlib.suppress(OSError), open(path, "wb", buffering=0) as file:
        while file.write(b"x" * 65536):
            pass
    with contextlib.suppress(OSError), open(path, "ab", buffering=0) as file:
        while file.write(b"x"):
            pass
    return path


def refusal(home: Home, method: str, **params: object) -> str:
    try:
        home.call(method, **params)
    except Refused as refused:
        return refused.code
    return "ok"


def doctor(home: Home) -> set[str]:
    """The codes of what memd says is wrong."""
    return {problem["code"] for problem in home.call("memory.doctor")["problems"]}


def resident(home: Home) -> float:
    assert home.process is not None
    with open(f"/proc/{home.process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


# disks -----------------------------------------------------------------------------------------------------------------


@root_only
def test_a_full_vault_refuses_and_recovers(home: Home, figures: Figures) -> None:
    """ENOSPC: writes are refused, no file is torn, reading goes on; with space again writing goes on without a restart."""
    with mounted(home.vault, "-o", "size=2m"):
        home.write("a.md", "# A\n\nheron\n")
        home.start().settled()
        ballast = fill(home.vault)
        codes = [
            refusal(home, "memory.append", path="a.md", category="fact", text=f"weir {n} {'x' * 5000}")
            for n in range(5)
        ]
        codes.append(refusal(home, "memory.write", title="New", body="y" * 20000))
        assert set(codes) == {"unavailable"}, codes
        assert home.text("a.md") == "# A\n\nheron\n"
        assert home.paths("heron") == ["a.md"]
        ballast.unlink()
        assert refusal(home, "memory.append", path="a.md", category="fact", text="weir again") == "ok"
        assert quiet(home).paths("weir") == ["a.md"]
        assert orphans(home.vault) == []
        figures.add(refused=len(codes), wrong=codes.count("internal"))
        assert home.end() == 0


@root_only
def test_a_full_cache_is_told_and_caught_up(home: Home, figures: Figures) -> None:
    """ENOSPC in the cache: notes are written and read all the same, doctor says what is wrong, and the index catches up."""
    with mounted(home.cache, "-o", "size=24m"):
        home.write("a.md", "# A\n\nheron\n")
        home.start().settled()
        ballast = fill(home.cache)
        for n in range(30):
            home.write(f"n{n}.md", f"# N{n}\n\nplover number{n} {os.urandom(20000).hex()}\n")
        assert refusal(home, "memory.append", path="a.md", category="fact", text="weir token") == "ok"
        home.until(lambda: "index" in doctor(home))
        assert home.call("memory.read", path="a.md")["content"].count("weir token") == 1
        found = home.call("memory.search", query="heron", mode="text")
        assert found["index"]["current"] is False
        ballast.unlink()
        began = time.monotonic()
        home.until(lambda: home.paths("weir") == ["a.md"] and len(home.paths("plover")) == 30)
        figures.say(recovery_s=round(time.monotonic() - began, 1))
        assert home.call("status")["text"]["error"] == ""
        assert home.end() == 0


@root_only
def test_a_start_on_a_full_cache_says_so_and_loses_nothing(home: Home, figures: Figures) -> None:
    """ENOSPC when memd starts: one line that says what is wrong, no cache thrown away; with room it opens no note."""
    with mounted(home.cache, "-o", "size=24m"):
        home.write("a.md", "# A\n\nheron\n")
        home.start().settled()
        home.end()
        [ledger] = home.cache.rglob("ledger.db")
        before, ballast = ledger.read_bytes(), fill(home.cache)
        ran = home.cli("run")
        assert (ran.returncode, "Traceback" in ran.stderr, "disk full" in ran.stderr) == (1, False, True), ran.stderr
        assert ledger.read_bytes() == before
        ballast.unlink()
        assert home.start().paths("heron") == ["a.md"]
        figures.add(faults=1)
        assert home.end() == 0


@root_only
def test_a_read_only_vault_is_read(home: Home, figures: Figures) -> None:
    """EROFS: search and read go on, doctor says what to do, writes are refused with a reason; writable again, they go on."""
    with mounted(home.vault, "-o", "size=2m"):
        home.write("a.md", "# A\n\nheron\n")
        home.start().settled()
        remount(home.vault, "ro")
        assert refusal(home, "memory.append", path="a.md", category="fact", text="weir") in (
            "unavailable",
            "permission_denied",
        )
        assert home.paths("heron") == ["a.md"]
        assert "read_only" in doctor(home)
        remount(home.vault, "rw")
        assert "read_only" not in doctor(home)
        assert refusal(home, "memory.append", path="a.md", category="fact", text="weir") == "ok"
        home.end()
        remount(home.vault, "ro")
        home.start()
        home.until(lambda: home.paths("weir") == ["a.md"])
        figures.add(faults=2)
        home.end()


@root_only
def test_an_unmounted_vault_is_waited_for(home: Home, figures: Figures) -> None:
    """The mount goes and comes again: nothing is taken for deleted, nothing is written below it, and changes are found."""
    disk = home.base / "disk"
    with mounted(disk, "-o", "size=4m"):
        for n in range(30):
            (disk / f"{n}.md").write_text(f"heron {n}\n")
        subprocess.run(["mount", "--bind", str(disk), str(home.vault)], check=True)
        try:
            home.start().settled()
            for turn in range(2):
                subprocess.run(["umount", "-l", str(home.vault)], check=True)
                assert home.call("memory.refresh")["held"]
                assert len(home.paths("heron")) == 30 + turn
                assert refusal(home, "memory.write", title="Lost", body="x") == "unavailable"
                assert list(home.vault.iterdir()) == []
                (disk / f"new{turn}.md").write_text("heron new\n")
                subprocess.run(["mount", "--bind", str(disk), str(home.vault)], check=True)
                home.settled()
                assert len(home.paths("heron")) == 31 + turn
                assert refusal(home, "memory.append", path="0.md", category="fact", text=f"weir {turn}") == "ok"
            (disk / "later.md").write_text("heron later\n")
            home.until(lambda: len(home.paths("heron")) == 33)
            figures.add(unmounts=2)
            assert home.end() == 0
        finally:
            subprocess.run(["umount", "-l", str(home.vault)], check=False)


# permissions and limits ------------------------------------------------------------------------------------------------


class Limited(Home):
    """A home whose daemon starts with few descriptors."""

    limit = 700

    def start(self, *options: str) -> Home:
        soft = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (self.limit, soft[1]))
        try:
            return super().start(*options)
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, soft)


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Limited]:
    made = Limited(tmp_path)
    yield made
    made.end(signal.SIGKILL)


def test_out_of_descriptors_it_lives_and_catches_up(limited: Limited, figures: Figures) -> None:
    """EMFILE: with every descriptor taken, changes are missed at first and found after; no note is taken for gone."""
    home = limited
    home.write("a.md", "heron\n")
    home.start().settled()
    assert home.process is not None
    pid = home.process.pid
    now = len(os.listdir(f"/proc/{pid}/fd"))
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (now, 4096))
    home.write("b.md", "plover\n")
    home.write("c/c.md", "plover\n")
    home.write("a.md", "acorn\n")
    time.sleep(0.3)
    with contextlib.suppress(Refused):
        home.call("memory.refresh")
    assert len(home.call("memory.list")["notes"]) >= 1, "what was known stands"
    resource.prlimit(pid, resource.RLIMIT_NOFILE, (4096, 4096))
    home.settled()
    assert (sorted(home.paths("plover")), home.paths("acorn"), home.paths("heron")) == (
        ["b.md", "c/c.md"],
        ["a.md"],
        [],
    )
    figures.add(faults=1)
    assert home.end() == 0


@root_only
def test_without_watches_it_scans_and_says_so(home: Home, figures: Figures) -> None:
    """No inotify watches left: `status` and doctor say that memd scans, and changes are found all the same."""
    for n in range(40):
        home.write(f"f{n}/a.md", f"heron {n}\n")
    home.config.write_text('[vectors]\nmodel = "off"\n[daemon]\nscan_every = 1\n')
    inner = 'echo 12 > /proc/sys/user/max_inotify_watches && exec "$@"'
    probe = subprocess.run(["unshare", "-Ur", "sh", "-c", inner, "sh", "true"], capture_output=True, text=True)
    if probe.returncode:
        pytest.skip(f"no user namespace with a limit of its own: {probe.stderr.strip()}")
    wrapper = home.base / "python"
    wrapper.write_text(f"#!/bin/sh\nexec unshare -Ur sh -c '{inner}' sh {sys.executable} \"$@\"\n")
    wrapper.chmod(0o755)
    real, sys.executable = sys.executable, str(wrapper)
    try:
        home.start().settled()
    finally:
        sys.executable = real
    home.until(lambda: home.call("status")["daemon"]["watching"] == "scanning")
    assert "not_watching" in doctor(home)
    home.write("f39/new.md", "plover\n")
    home.until(lambda: home.paths("plover") == ["f39/new.md"])
    figures.add(faults=1)


@root_only
def test_what_may_not_be_read_is_told_and_kept(home: Home, figures: Figures) -> None:
    """EACCES for a daemon of another uid: an unreadable file or folder is a problem, not a deletion; readable, it is read."""
    python = "/usr/bin/python3"
    if not os.path.exists(python):
        pytest.skip("no Python that other users may run")
    copy = home.base / "code"
    import memd

    shutil.copytree(Path(memd.__file__).parent, copy / "memd", ignore=shutil.ignore_patterns("__pycache__"))
    site = next(p for p in sys.path if p.endswith("site-packages"))
    probe = subprocess.run([python, "-c", "import sys; print(sys.version_info[:2])"], capture_output=True, text=True)
    if probe.stdout.strip() != str(sys.version_info[:2]):
        pytest.skip("the system's Python is another version")
    with mounted(copy / "site", "-o", "size=700m"):
        for name in (
            "msgspec",
            "tantivy",
            "watchdog",
            "yaml",
            "pathspec",
            "platformdirs",
            "Stemmer*",
            "[Aa][Pp][Ss]cheduler*",
            "tzlocal",
        ):
            for found in Path(site).glob(name):
                (shutil.copytree if found.is_dir() else shutil.copy)(found, copy / "site" / found.name)
        for n in range(5):
            home.write(f"d/{n}.md", f"heron {n}\n")
        home.write("a.md", "plover\n")
        home.env["PYTHONPATH"] = f"{copy}:{copy / 'site'}"
        let_others_in(home.base)
        for path in (home.base, *home.base.rglob("*")):
            if copy not in path.parents:
                os.chown(path, 65534, 65534)
        argv = [
            python,
            "-m",
            "memd",
            "run",
            "--vault",
            str(home.vault),
            "--socket",
            home.socket,
            "--config",
            str(home.config),
        ]
        with open(home.base / "log", "ab") as log:
            home.process = subprocess.Popen(
                argv, env=home.env, stdout=log, stderr=log, cwd="/", user=65534, group=65534, extra_groups=[]
            )
        asking = [python, "-c", _ASK, home.socket]

        def ask(method: str, **params: object) -> dict[str, object]:
            ran = subprocess.run(
                [*asking, method, repr(params)], env=home.env, cwd="/", user=65534, group=65534, extra_groups=[], capture_output=True, text=True
            )  # fmt: skip
            assert ran.returncode == 0, ran.stderr[-800:] + home.log()
            found = eval(ran.stdout)
            assert isinstance(found, dict)
            return found

        end = time.monotonic() + 60
        while not os.path.exists(home.socket) and time.monotonic() < end:
            time.sleep(0.05)
        ask("memory.refresh")
        os.chmod(home.vault / "a.md", 0)
        os.chmod(home.vault / "d", 0)
        home.vault.joinpath("a.md").write_text("plover changed\n")
        ask("memory.refresh")
        assert len(ask("memory.search", query="heron", mode="text")["hits"]) == 5, "what was known stands"  # type: ignore[arg-type]
        problems = {(p["code"], p["path"]) for p in ask("memory.doctor")["problems"]}  # type: ignore[attr-defined]
        assert {("unreadable", "a.md"), ("unreadable", "d")} <= problems
        os.chmod(home.vault / "a.md", 0o644)
        os.chmod(home.vault / "d", 0o755)
        ask("memory.refresh")
        assert len(ask("memory.search", query="changed", mode="text")["hits"]) == 1  # type: ignore[arg-type]
        os.chown(home.vault / "d", 0, 0)
        assert ask("memory.append", path="d/1.md", category="fact", text="weir").get("code") == "permission_denied"
        figures.add(faults=3)
        home.process.send_signal(signal.SIGTERM)
        assert home.process.wait(20) == 0
        home.process = None


_ASK = """
import sys
from memd.bridge.client import Client
from memd.model.errors import Refused
try:
    print(Client(sys.argv[1], 30).call(sys.argv[2], eval(sys.argv[3])))
except Refused as refused:
    print({"code": refused.code})
"""


# sizes and times -------------------------------------------------------------------------------------------------------


def test_a_file_of_two_gigabytes_costs_nothing(home: Home, figures: Figures) -> None:
    """A sparse 2 GB note is listed by title; memory stays, and other notes are found."""
    home.write("a.md", "heron\n")
    home.start().settled()
    before = resident(home)
    with open(home.vault / "huge.md", "wb") as file:
        file.truncate((2 << 30) - 1)
        file.seek(0, os.SEEK_END)
        file.write(b"x")
    with open(home.vault / "real.md", "wb") as file:
        for _ in range(40):
            file.write(b"plover river\n" * 20_000)
    home.settled()
    assert refusal(home, "memory.append", path="huge.md", category="fact", text="x") in ("too_large", "not_found")
    assert {"huge.md", "real.md", "a.md"} <= {n["path"] for n in home.call("memory.list")["notes"]}
    assert home.paths("huge") == ["huge.md"]
    figures.say(rss_mb=f"{before:.0f} → {resident(home):.0f}")
    assert resident(home) < before + 200, "two gigabytes are not read"


def test_many_files_at_once(home: Home, figures: Figures) -> None:
    """Thousands of files while memd runs: another client is answered all the time, SIGTERM is obeyed, a restart goes on."""
    home.write("first.md", "heron\n")
    home.start().settled()
    for n in range(MANY):
        home.write(f"{n % 50}/{n}.md", f"# Note {n}\n\nword{n} common\n")
    began, worst = time.monotonic(), 0.0
    while time.monotonic() - began < 2:
        asked = time.monotonic()
        assert home.paths("heron") == ["first.md"]
        worst = max(worst, time.monotonic() - asked)
    peak = resident(home)
    asked = time.monotonic()
    assert home.end() == 0
    stopping = time.monotonic() - asked
    assert '"error"' not in home.log(), "what was under way is given up in order"
    home.start().settled(60 + MANY / 100)
    assert home.paths(f"word{MANY - 1}") == [f"{(MANY - 1) % 50}/{MANY - 1}.md"]
    assert home.call("status")["vault"]["notes"] == MANY + 1
    figures.add(files=MANY)
    figures.say(
        other_ms=round(worst * 1000),
        stop_ms=round(stopping * 1000),
        rss_mb=round(peak),
        ready_s=round(time.monotonic() - began, 1),
    )
    assert worst < 60
    assert stopping < 60


def test_a_first_look_can_be_stopped(home: Home, figures: Figures) -> None:
    """SIGTERM while a large vault is read for the first time is obeyed at once; what was read is kept."""
    for n in range(MANY):
        home.write(f"{n % 50}/{n}.md", f"# Note {n}\n\nword{n} common\n")
    home.start()
    asked = time.monotonic()
    assert home.end() == 0
    figures.say(stop_ms=round((time.monotonic() - asked) * 1000))
    assert time.monotonic() - asked < 60
    home.start().settled(60 + MANY / 100)
    assert home.call("status")["vault"]["notes"] == MANY


def test_killed_in_its_first_look_it_leaves_no_process(home: Home) -> None:
    """The processes that read a large vault leave with the daemon, also with one that was killed."""
    for n in range(MANY):
        home.write(f"{n % 50}/{n}.md", f"# Note {n}\n\nword{n} common\n")
    home.start()
    assert home.process is not None
    threads = Path(f"/proc/{home.process.pid}/task")
    pids = home.until(lambda: [pid for pid in children(threads) if b"-fork" in cmdline(pid)])
    home.end(signal.SIGKILL)
    end = time.monotonic() + 60
    while any(b"-fork" in cmdline(pid) for pid in pids):
        assert time.monotonic() < end
        time.sleep(0.01)


def children(threads: Path) -> list[str]:
    return [pid for file in threads.glob("*/children") for pid in file.read_text().split()]


def cmdline(pid: str) -> bytes:
    with contextlib.suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    return b""


def test_frozen_for_a_while_it_finds_what_it_missed(home: Home, figures: Figures) -> None:
    """SIGSTOP while more happens than the kernel's queue holds: after SIGCONT the index is right, unasked within a scan."""
    home.config.write_text('[vectors]\nmodel = "off"\n[daemon]\nscan_every = 2\n')
    for n in range(50):
        home.write(f"d{n % 5}/{n}.md", f"heron {n}\n")
    home.start().settled()
    assert home.process is not None
    home.process.send_signal(signal.SIGSTOP)
    for turn in range(120):
        for n in range(50):
            home.write(f"d{n % 5}/{n}.md", f"plover {n} {turn}\n")
    shutil.rmtree(home.vault / "d0")
    (home.vault / "d1").rename(home.vault / "e1")
    time.sleep(2)
    home.process.send_signal(signal.SIGCONT)
    home.until(lambda: len(home.paths("plover")) == 40 and not home.paths("heron"))
    assert sorted(home.paths("plover")) == sorted(
        [f"{'e' if n % 5 == 1 else 'd'}{n % 5}/{n}.md" for n in range(50) if n % 5]
    )
    figures.add(events=6000)


CLOCK = """
import time
from datetime import timedelta
from memd.daemon import clock

real, real_ns, now = time.time, time.time_ns, clock.now
def jump():
    with open({file!r}) as file:
        return int(file.read())
time.time = lambda: real() + jump()
time.time_ns = lambda: real_ns() + jump() * 10**9
clock.now = lambda zone: now(zone) + timedelta(seconds=jump())
"""
"""Loaded by the daemon's interpreter before anything else: its wall clock is off by the seconds in a file, its files' times are not."""


def _hours_off(stamp: str) -> int:
    """By how many hours the clock was off that gave this stamp."""
    told = datetime.strptime(stamp[:17], "%Y-%m-%dT%H%M%S").replace(tzinfo=ZoneInfo("Asia/Shanghai"))
    return round((told - datetime.now(UTC)).total_seconds() / 3600)


@pytest.mark.parametrize("hours", [(9, -400 * 24), (-9, 400 * 24)])
def test_a_clock_that_jumps_hides_no_edit(home: Home, figures: Figures, hours: tuple[int, int]) -> None:
    """While a daemon runs its clock goes off by hours or a year, either way, and is put right: edits are found, changes are
    made and undone, what is remembered stands once, also after a start with the wrong clock and one with the right."""
    jump = home.base / "jump"
    (home.base / "clock").mkdir()
    (home.base / "clock/sitecustomize.py").write_text(CLOCK.format(file=str(jump)))
    home.env["PYTHONPATH"] = os.pathsep.join(filter(None, (str(home.base / "clock"), home.env.get("PYTHONPATH"))))
    home.write("a.md", "heron\n")
    home.write("log.md", "# Log\n")
    jump.write_text("0")
    home.start().settled()
    home.call("memory.append", path="log.md", category="fact", text="stays")
    for turn, off in enumerate(hours):
        jump.write_text(str(off * 3600))
        home.write("a.md", f"plover{turn}\n")
        home.until(lambda turn=turn: home.paths(f"plover{turn}") == ["a.md"])
        home.call("memory.append", path="a.md", category="fact", text=f"weir{turn}")
        assert home.paths(f"weir{turn}") == ["a.md"]
        home.call("memory.undo")
        assert home.text("a.md") == f"plover{turn}\n", "the last change is taken back, not the one of the latest hour"
        home.call("memory.remember", text=f"Nora keeps {turn + 2} geese.", subject="Nora")
    kept = len(list(home.vault.glob("memory/*/*/leaves/**/*.md")))
    assert {_hours_off(record.name) for record in home.vault.glob(".trash/memd/*")} == {0, max(hours)}
    for off in (hours[1], 0):
        assert home.end() == 0
        jump.write_text(str(off * 3600))
        home.write("b.md", f"acorn{off}\n")
        home.start().settled()
        assert (home.paths("plover1"), home.paths(f"acorn{off}")) == (["a.md"], ["b.md"])
    assert len(list(home.vault.glob("memory/*/*/leaves/**/*.md"))) == kept == 2
    figures.add(jumps=4)
