"""From what was said to what is remembered, over the whole daemon: files tell it all, and survive what happens to it."""

from __future__ import annotations

import re
import shutil
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fakes.home import OFF_DUTY, Home

SAID = [
    {"id": "m1", "speaker": "user", "text": "My sister Nora lives in Porto.", "at": "2026-03-01T09:00:00+08:00"},
    {"id": "m2", "speaker": "assistant", "text": "Lovely! You could visit her in May.", "at": "2026-03-01T09:00:20+08:00"},
    {"id": "m3", "speaker": "user", "text": "我每周三去青禾图书馆学摄影。", "at": "2026-03-01T09:01:00+08:00"},
]  # fmt: skip


def ingest(home: Home, session: str, events: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
    given = {"source": "chat", "close": True, "wait": True} | more
    return home.call("memory.ingest", session=session, events=events, **given)


def files(home: Home, pattern: str) -> list[Path]:
    return sorted(p for p in home.vault.glob(pattern) if not p.name.startswith("."))


def test_words_become_evidence_before_anything_is_judged(home: Home) -> None:
    """A turn is on disk, under its own date, when the call answers; no model is needed."""
    home.start()
    answer = ingest(home, "s1", SAID, wait=False, close=False)
    [kept] = {turn["path"] for turn in answer["evidence"]}
    assert kept == "memory/evidence/2026/03/2026-03-01-s1.md"
    assert "Nora lives in Porto" in home.text(kept)
    assert [turn["event_id"] for turn in answer["evidence"]] == ["m1", "m2", "m3"]


def test_rules_make_leaves_of_plain_statements_only(home: Home) -> None:
    """What the user states becomes leaves in both languages; the assistant's suggestion does not."""
    home.start()
    ingest(home, "s1", SAID)
    texts = "\n".join(path.read_text() for path in files(home, "memory/interaction/*/leaves/**/*.md"))
    assert "Porto" in texts
    assert "青禾图书馆" in texts
    assert "in May" not in texts


def test_the_same_material_twice_changes_nothing_on_disk(home: Home) -> None:
    """Taking the same conversation in again is a no-op, byte for byte."""
    home.config.write_text(OFF_DUTY)
    home.start()
    ingest(home, "s1", SAID)
    before = {p: p.read_bytes() for p in files(home, "memory/**/*.md")}
    ingest(home, "s1", SAID)
    assert {p: p.read_bytes() for p in files(home, "memory/**/*.md")} == before


def test_an_agent_hands_over_atoms(home: Home) -> None:
    """Atoms become leaves with an outcome and a reason each; doubt makes none."""
    home.start()
    atoms = [
        {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95,
         "quotes": ["Nora lives in Porto"]},
        {"text": "Nora may like tiles", "subject": "Nora", "aspect": "taste", "kind": "claim", "confidence": 0.1},
    ]  # fmt: skip
    leaves = ingest(home, "s1", SAID, atoms=atoms)["leaves"]
    assert [leaf["outcome"] for leaf in leaves] == ["created", "not_admitted"]
    assert all(leaf["reason"] for leaf in leaves)
    assert leaves[0]["tree"] == "interaction:nora"


def test_a_newer_value_supersedes_and_the_old_file_stays(home: Home) -> None:
    """The newer fact is found, the older one is history, and its file is not touched."""
    home.start()
    first = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95}
    [old] = ingest(home, "s1", SAID[:1], atoms=[first])["leaves"]
    bytes_before = (home.vault / old["path"]).read_bytes()
    said = [{"id": "n1", "speaker": "user", "text": "Nora moved to Braga.", "at": "2026-06-01T09:00:00+08:00"}]
    [new] = ingest(home, "s2", said, atoms=[first | {"text": "Nora lives in Braga"}])["leaves"]
    assert new["outcome"] == "superseding"
    assert (home.vault / old["path"]).read_bytes() == bytes_before
    assert home.paths("Nora lives", kinds=["leaf"]) == [new["path"]]
    assert home.paths("Nora lives", kinds=["leaf"], include_superseded=True) == [new["path"], old["path"]]


def test_forgetting_one_source_keeps_what_another_still_says(home: Home) -> None:
    """A leaf that two sessions state outlives one of them, and what the forgotten one superseded comes back."""
    home.start()
    atom = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95}
    [leaf] = ingest(home, "s1", SAID[:1], atoms=[atom])["leaves"]
    said = [{"id": "n1", "speaker": "user", "text": "Nora moved to Braga.", "at": "2026-06-01T09:00:00+08:00"}]
    ingest(home, "s2", said, atoms=[atom | {"text": "Nora lives in Braga"}])
    shown = home.call("memory.forget", target={"session": "s2"})
    assert shown["plan"]["removed"]
    assert files(home, "memory/evidence/**/*s2*")
    home.call("memory.forget", target={"session": "s2"}, dry_run=False)
    assert home.paths("Nora lives", kinds=["leaf"]) == [leaf["path"]]
    assert not files(home, "memory/evidence/**/*s2*")


def test_a_purge_leaves_no_copy_and_proves_it(home: Home) -> None:
    """After a purge the words are in no file of vault or cache; the same look found them before."""
    home.start()
    said = [
        {
            "id": "x",
            "speaker": "user",
            "text": "Wexcombe told me the vicarage burns peat.",
            "at": "2026-03-02T09:00:00+08:00",
        }
    ]
    ingest(home, "private", said)
    ingest(home, "other", SAID)
    done = home.call("memory.forget", target={"session": "private"}, purge=True, dry_run=False)
    assert done["remaining"] == []
    assert done["proof"]["found_before"] > 0
    assert done["proof"]["found_after"] == 0
    for path in (*home.vault.rglob("*"), *home.cache.rglob("*")):
        assert not path.is_file() or b"Wexcombe" not in path.read_bytes(), path


def test_after_a_start_nothing_is_forgotten_by_halves(home: Home) -> None:
    """Asked while the files are still being read for the first time, a forget waits until it knows all of memory."""
    for number in range(1200):
        home.write(f"a/{number}.md", f"note {number}\n")
    home.start()
    ingest(home, "s1", SAID)
    home.call("memory.patch")
    home.end(signal.SIGKILL)
    shutil.rmtree(home.cache)
    home.start()
    home.call("memory.forget", target={"session": "s1"}, dry_run=False)
    assert not [path for path in files(home, "memory/**/*.md") if "Porto" in path.read_text()]


def test_a_purge_takes_its_lines_out_of_a_persons_journal(home: Home) -> None:
    """Where the person keeps the month's journal, memd's line about what is forgotten goes, and theirs stay."""
    month = home.write("journal/2026-11.md", "# November\n\n- a walk\n")
    home.start().settled()
    atom = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95}
    ingest(home, "s1", SAID[:1], atoms=[atom])
    month = max(home.vault.glob("journal/*.md"), key=lambda path: path.stat().st_mtime_ns)
    assert "Porto" in month.read_text()
    done = home.call("memory.forget", target={"session": "s1"}, purge=True, dry_run=False)
    assert done["remaining"] == []
    assert "Porto" not in month.read_text()
    assert home.text("journal/2026-11.md").startswith("# November\n\n- a walk\n")


@pytest.mark.parametrize("kind", ["session", "source"])
def test_withdrawn_material_is_refused_when_it_comes_again(home: Home, kind: str) -> None:
    """A withdrawn session or source stays withdrawn, after a restart too: under its name, and its words under any other;
    the reason is told, nothing is taken in, and only keyed hashes are kept to know that."""
    home.start()
    ingest(home, "s1", SAID, source="phone")
    ingest(
        home, "s2", [{"id": "k", "speaker": "user", "text": "The kiosk sells figs.", "at": "2026-03-01T09:00:00+08:00"}]
    )
    name = {"session": "s1", "source": "phone"}[kind]
    home.call("memory.forget", target={kind: name}, purge=True, withdraw=True, dry_run=False)
    home.end()
    home.start()
    again = {"session": "s1", "source": "phone", "events": SAID}
    for asked, why in (
        (again, "was withdrawn"),
        (again | {"session": "s9", "source": "other"}, "words that were withdrawn"),
    ):
        [error] = home.client.many([("memory.ingest", asked)])
        assert getattr(error, "code", "") == "withdrawn"
        assert why in str(error)
    assert [path.name for path in files(home, "memory/evidence/**/*.md")] == ["2026-03-01-s2.md"]
    kept = home.text("memory/withdrawn.md")
    assert re.findall(r"^- (?:session|source|turn) [0-9a-f]{32} \(\d{4}-\d\d-\d\d\)$", kept, re.M)
    assert not re.search(r"Porto|摄影|phone|s1\b", kept)
    ingest(
        home,
        "s3",
        [{"id": "n", "speaker": "user", "text": "The kiosk sells plums.", "at": "2026-03-02T09:00:00+08:00"}],
    )


def test_a_persons_edit_of_a_leaf_wins(home: Home) -> None:
    """What a person writes into a leaf's file stays, and becomes evidence of their own."""
    home.start()
    atom = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95}
    [leaf] = ingest(home, "s1", SAID[:1], atoms=[atom])["leaves"]
    file = home.vault / leaf["path"]
    file.write_text(file.read_text().replace("Nora lives in Porto\n", "Nora lives in Vila do Conde\n"))
    home.until(lambda: [p for p in files(home, "memory/evidence/**/*.md") if "Vila do Conde" in p.read_text()])
    assert "Nora lives in Vila do Conde" in file.read_text()
    assert home.paths("Vila do Conde", kinds=["leaf"])


def test_the_cache_is_not_needed(home: Home) -> None:
    """With the cache deleted, the same material is still known, and search is the same."""
    home.start()
    ingest(home, "s1", SAID)
    before = home.paths("Porto")
    home.end()
    shutil.rmtree(home.cache)
    home.start().settled()
    assert home.paths("Porto") == before
    count = len(files(home, "memory/**/*.md"))
    ingest(home, "s1", SAID)
    assert len(files(home, "memory/**/*.md")) == count


def test_killed_while_it_takes_in_it_loses_and_doubles_nothing(home: Home) -> None:
    """kill -9 in the middle of an import, then the same import again: every turn once."""
    home.start()
    events = [{"id": f"e{n}", "speaker": "user", "text": f"The {n}th kiosk opens at noon.", "at": "2026-03-01T09:00:00+08:00"}
              for n in range(60)]  # fmt: skip
    ingest(home, "k", events[:20])
    home.client.close()
    ingest(home, "k", events[20:40], wait=False)
    home.end(signal.SIGKILL)
    home.start()
    ingest(home, "k", events)
    text = "".join(path.read_text() for path in files(home, "memory/evidence/**/*.md"))
    assert [text.count(f"The {n}th kiosk") for n in range(60)] == [1] * 60


def test_the_journal_tells_what_was_remembered(home: Home) -> None:
    """One line a memory event, never anything sensitive."""
    home.start()
    atom = {"text": "Nora lives in Porto", "subject": "Nora", "aspect": "home", "kind": "state", "confidence": 0.95}
    secret = atom | {"text": "Nora weighs 61 kg", "aspect": "weight", "sensitivity": "sensitive"}
    ingest(home, "s1", SAID[:1], atoms=[atom, secret])
    [month] = files(home, "journal/*.md")
    assert "remembered" in month.read_text()
    assert "61 kg" not in month.read_text()
