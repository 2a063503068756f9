"""What memory does by itself, over the whole daemon: due work after a start, imports on a schedule, on one device only."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.fakes.home import Home

QUICK = '[vectors]\nmodel = "off"\n[formation]\nevery = 1\n'


def turn(number: int, text: str) -> dict[str, str]:
    return {"id": f"t{number}", "speaker": "user", "text": text, "at": f"2026-03-01T09:0{number}:00+08:00"}


def files(home: Home) -> dict[Path, bytes]:
    return {p: p.read_bytes() for p in home.vault.glob("memory/**/*.md")}


def leaves(home: Home) -> list[Path]:
    return sorted(home.vault.glob("memory/interaction/*/leaves/**/*.md"))


def test_what_is_due_after_a_start_is_done_once_and_told(home: Home) -> None:
    """A session that was closed and never read is read after a restart, by the device that puts its name down; status
    shows the job with its last and next run."""
    home.config.write_text(QUICK.replace("every = 1", "every = 1\nhere = false"))
    home.start()
    home.call("memory.ingest", session="s1", source="chat", events=[turn(1, "My sister Nora lives in Porto.")],
              episodes=[{"topic": "Nora", "narrative": "Nora lives in Porto.", "turns": ["t1"]}], atoms=[])  # fmt: skip
    home.end()
    for leaf in leaves(home):
        leaf.unlink()
    home.config.write_text(QUICK)
    home.start()
    home.until(
        lambda: not any(home.call("status")["backlog"][layer] for layer in ("turns", "episodes", "atoms", "profile"))
    )
    assert "device:" in home.until(lambda: home.text("memory/_formation.md"))
    [job] = [job for job in home.call("status")["jobs"] if job["name"] == "memory"]
    assert job["last"]
    assert job["next"] >= job["last"]


def test_where_memory_has_its_home_elsewhere_nothing_is_done_by_schedule(home: Home, tmp_path: Path) -> None:
    """With `here = false` neither imports nor formation run by themselves; what a person asks for is done."""
    source = tmp_path / "log.jsonl"
    source.write_text(json.dumps(turn(1, "The kiosk sells figs.")) + "\n")
    home.config.write_text(
        QUICK.replace("every = 1", "every = 1\nhere = false")
        + f'[[imports]]\npath = "{source}"\nformat = "jsonl"\nevery = 10\n'
    )
    home.start()
    home.until(lambda: home.call("status")["jobs"])
    home.call(
        "memory.ingest",
        session="s1",
        source="chat",
        events=[turn(1, "My sister Nora lives in Porto.")],
        close=True,
        wait=True,
    )
    home.until(lambda: leaves(home))
    before = files(home)
    home.until(lambda: len({job["next"] for job in home.call("status")["jobs"]}) and home.call("status")["daemon"])
    assert files(home).keys() == before.keys()
    assert not list(home.vault.glob("memory/**/_formation.md"))


def test_old_versions_of_memds_own_go_by_schedule(home: Home) -> None:
    """A year later what memd had written and replaced is gone, what it replaced of a person's is not, and what it did
    today can be undone."""
    home.config.write_text(QUICK)
    home.write("Theirs.md", "# Theirs\n\nMine.\n")
    home.start()
    made = home.call("memory.write", title="Ours")["path"]
    for note in ("ours", "theirs"):
        home.call("memory.append", permalink=note, category="fact", text="one")
        home.call("memory.append", permalink=note, category="fact", text="two")
    home.end()
    trash = home.vault / ".trash/memd"
    for record in trash.iterdir():
        old = record.name.replace(record.name[:4], "2001", 1)
        (record / "plan.json").write_text((record / "plan.json").read_text().replace(record.name, old))
        record.rename(trash / old)
    home.start()
    home.until(lambda: len(list(trash.glob("2001*"))) == 1)
    assert [path.read_text() for path in trash.glob("2001*/*.md")] == ["# Theirs\n\nMine.\n"]
    home.call("memory.append", permalink="ours", category="fact", text="three")
    home.call("memory.undo")
    assert home.text(made).count("three") == 0


@pytest.mark.slow
def test_an_import_is_taken_in_on_schedule_and_once(home: Home, tmp_path: Path) -> None:
    """A mailbox that the config names becomes evidence by itself; the same mailbox read again changes nothing; a mail that
    comes later is added; one that cannot be found is named in status."""
    mails = tmp_path / "in.mbox"
    mail = "From a@b Mon Mar  2 09:00:00 2026\nFrom: Ann <a@b>\nTo: c@d\nDate: Mon, 2 Mar 2026 09:00:00 +0800\n" \
           "Message-ID: <{n}@b>\nSubject: Figs {n}\n\nThe {n}th kiosk sells figs.\n\n"  # fmt: skip
    mails.write_text(mail.format(n=1))
    home.config.write_text(
        QUICK + f'[[imports]]\npath = "{mails}"\nformat = "mbox"\nevery = 10\nsource = "mail"\n'
        f'[[imports]]\npath = "{tmp_path}/none.jsonl"\nevery = 10\n'
    )
    home.start()

    def evidence() -> str:
        return "".join(p.read_text() for p in sorted(home.vault.glob("memory/evidence/**/*.md")))

    home.until(lambda: "1th kiosk" in evidence())

    def last() -> str:
        return next(str(job["last"]) for job in home.call("status")["jobs"] if job["name"].endswith("in.mbox"))

    before, seen = evidence(), last()
    home.until(lambda: last() > seen)
    assert evidence() == before
    mails.write_text(mail.format(n=1) + mail.format(n=2))
    home.until(lambda: "2th kiosk" in evidence())
    assert evidence().count("1th kiosk") == before.count("1th kiosk")
    assert any("none.jsonl" in name for name in home.until(lambda: home.call("status")["failing"]))
