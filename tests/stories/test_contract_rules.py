"""The rules of the contract's last section that no other story tells, over one daemon and its socket."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.model.errors import Refused
from tests.fakes.edit import credentials
from tests.fakes.home import Home

LONG = "4929 1834 7712 0096 8"
SECRET = next(secret for kind, _, secret in credentials() if kind == "anthropic")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    """One daemon for all; each test has notes of its own. Logs as much as it can."""
    made = Home(tmp_path_factory.mktemp("rules"), '[vectors]\nmodel = "off"\n[daemon]\nlog_level = "debug"\n')
    made.write("Weir.md", "---\npermalink: weir-a1b2\n---\n# Weir\n\n- [fact] 桥下有一只苍鹭\n- [fact] foo and bar\n")
    made.start().settled()
    yield made
    made.end(signal.SIGKILL)


def refused(home: Home, method: str, **params: Any) -> Refused:
    with pytest.raises(Refused) as found:
        home.call(method, **params)
    return found.value


def held(home: Home, text: str) -> list[str]:
    """Files of the vault, dot folders included, that hold a text."""
    files = (p for p in home.vault.rglob("*") if p.is_file())
    return [str(p.relative_to(home.vault)) for p in files if text.encode() in p.read_bytes()]


# search takes any text


@pytest.mark.parametrize(
    "query",
    [
        "桥",
        '"',
        "'\"",
        "AND",
        "foo:bar",
        "[[x]]",
        "(" * 5000,
        ")" * 50,
        "🦆",
        "NOT OR",
        "a\x00b",
        "*",
        "\\",
        "+-!^~",
        "weir^2",
        "",
    ],
    ids=lambda q: repr(q[:8]),
)
def test_any_text_is_words(home: Home, query: str) -> None:
    """No text is an error to `text` mode, whatever a query language would read in it."""
    assert isinstance(home.call("memory.search", query=query, mode="text")["hits"], list)


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("桥", True),
        ("苍鹭", True),
        ("foo:bar", True),
        ("foo AND zzz", True),
        ("we", True),
        ("eir", False),
        ("weir zzzz", True),
    ],
)
def test_words_are_tokens(home: Home, query: str, found: bool) -> None:
    """Tokens, not substrings; the last is a prefix too; several are a weighted OR."""
    assert ("Weir.md" in home.paths(query)) is found


# sensitive material


@pytest.fixture
def secretive(home: Home) -> Home:
    home.write(
        "private/Asthma.md", "---\npermalink: asthma-1\nsensitivity: sensitive\n---\n# Asthma\n\nwheezing nightly\n"
    )
    return home.settled()


def test_sensitive_notes_are_left_out_unless_asked_for(secretive: Home) -> None:
    """search, list, recent, context, retrieve; `read` says permission_denied; asked for, they come."""
    home = secretive
    assert home.paths("wheezing") == []
    assert home.paths("wheezing", include_sensitive=True) == ["private/Asthma.md"]
    assert home.call("memory.list", folder="private")["notes"] == []
    assert len(home.call("memory.list", folder="private", include_sensitive=True)["notes"]) == 1
    assert "Asthma" not in repr(home.call("memory.recent", limit=50))
    assert "nightly" not in repr(home.call("memory.retrieve", query="asthma wheezing"))
    assert refused(home, "memory.read", permalink="asthma-1").code == "permission_denied"
    assert "wheezing" in home.call("memory.read", permalink="asthma-1", include_sensitive=True)["content"]


@pytest.mark.parametrize(
    "text",
    [
        "My GPA is 3.91 this term",
        "She was diagnosed with asthma",
        "我的月薪是 23000 元",
        "数学考了 87 分",
        "I owe $4,200 in debt",
    ],
)
def test_grades_health_and_money_are_marked_by_rule(home: Home, text: str) -> None:
    """A note, an append and an edit that say such a thing are marked in the file, and left out."""
    made = home.call(
        "memory.write", title=f"Note {abs(hash(text)) % 9999}", observations=[{"category": "fact", "text": text}]
    )
    assert "sensitivity: sensitive" in home.text(made["path"])
    assert made["path"] not in home.paths(text)
    plain = home.call("memory.write", title=f"Plain {abs(hash(text)) % 9999}", body="nothing yet")
    home.call("memory.append", permalink=plain["permalink"], category="fact", text=text)
    assert "sensitivity: sensitive" in home.text(plain["path"])


def test_remembered_details_are_sensitive_too(home: Home) -> None:
    """What is remembered of health is in no answer that did not ask for it; a caller's own mark counts as well."""
    home.call("memory.remember", text="Ann was diagnosed with vertigo.", subject="Ann", aspect="vertigo")
    home.call(
        "memory.remember", text="Ann hides gold in a cello.", subject="Ann", aspect="gold", sensitivity="sensitive"
    )
    for word in ("vertigo", "cello"):
        assert home.paths(word) == []
        assert word not in repr(home.call("memory.retrieve", query=f"Ann {word}")["retrieval_pack"])
        assert word not in repr(home.call("memory.retrieve", query=f"Ann {word}")["evidence"])
        assert home.paths(word, include_sensitive=True, kinds=["leaf"])


# append and edit


def test_the_same_words_in_the_same_category_are_there_already(home: Home) -> None:
    """`noop_duplicate`, nothing is written; in another category they are another line."""
    made = home.call("memory.write", title="Twice", observations=[{"category": "fact", "text": "once"}])
    before = home.text(made["path"])
    again = home.call("memory.append", permalink=made["permalink"], category="fact", text="once")
    assert (again["action"], home.text(made["path"])) == ("noop_duplicate", before)
    other = home.call("memory.append", permalink=made["permalink"], category="idea", text="once")
    assert other["action"] == "appended"


def test_an_edit_that_is_not_plain_is_refused(home: Home) -> None:
    """More than one place: `find_ambiguous` with the count, unless `all`; none: `find_not_found`; changed: `conflict`."""
    made = home.call("memory.write", title="Geese", body="grey goose, grey gander")
    name, before = {"permalink": made["permalink"]}, home.text(made["path"])
    error = refused(home, "memory.edit", find="grey", replace="white", **name)
    assert (error.code, "2" in error.message) == ("find_ambiguous", True)
    assert refused(home, "memory.edit", find="swan", replace="x", **name).code == "find_not_found"
    stale = refused(home, "memory.edit", find="goose", replace="x", expected_sha256="0" * 64, **name)
    assert (stale.code, home.text(made["path"])) == ("conflict", before)
    assert home.call("memory.edit", find="grey", replace="white", all=True, **name)["replacements"] == 2


# secrets


FIELDS: list[tuple[str, dict[str, Any]]] = [
    ("memory.write", {"title": "T @@"}),
    ("memory.write", {"title": "T", "body": "it is @@"}),
    ("memory.write", {"title": "T", "tags": ["@@"]}),
    ("memory.write", {"title": "T", "type": "@@"}),
    ("memory.write", {"title": "T", "folder": "@@"}),
    ("memory.write", {"title": "T", "origin": "@@"}),
    ("memory.write", {"title": "T", "observations": [{"category": "@@", "text": "x"}]}),
    ("memory.write", {"title": "T", "observations": [{"category": "key", "text": "@@"}]}),
    ("memory.write", {"title": "T", "observations": [{"category": "key", "text": "x", "context": "@@"}]}),
    ("memory.write", {"title": "T", "observations": [{"category": "key", "text": "x", "tags": ["@@"]}]}),
    ("memory.write", {"title": "T", "relations": [{"type": "@@", "target": "x"}]}),
    ("memory.write", {"title": "T", "relations": [{"type": "uses", "target": "@@"}]}),
    ("memory.write", {"title": "T", "relations": [{"type": "uses", "target": "x", "context": "@@"}]}),
    ("memory.append", {"permalink": "weir-a1b2", "category": "key", "text": "@@"}),
    ("memory.append", {"permalink": "weir-a1b2", "category": "@@", "text": "x"}),
    ("memory.append", {"permalink": "weir-a1b2", "category": "key", "text": "x", "tags": ["@@"]}),
    ("memory.append", {"permalink": "weir-a1b2", "category": "key", "text": "x", "context": "@@"}),
    ("memory.append", {"permalink": "weir-a1b2", "category": "key", "text": "x", "section": "@@"}),
    ("memory.edit", {"permalink": "weir-a1b2", "find": "foo", "replace": "@@"}),
    ("memory.move", {"permalink": "weir-a1b2", "to": "Weir @@.md"}),
    ("memory.move", {"permalink": "weir-a1b2", "to": "@@/"}),
    ("memory.delete", {"permalink": "weir-a1b2", "reason": "it held @@"}),
]


def filled(value: Any, secret: str) -> Any:
    if isinstance(value, dict):
        return {key: filled(one, secret) for key, one in value.items()}
    if isinstance(value, list):
        return [filled(one, secret) for one in value]
    return value.replace("@@", secret) if isinstance(value, str) else value


@pytest.mark.parametrize(("method", "params"), FIELDS, ids=[f"{m} {list(p)[-1]}" for m, p in FIELDS])
def test_a_credential_in_any_field_is_refused(home: Home, method: str, params: dict[str, Any]) -> None:
    """`refused_secret` names the kind, never the secret; no file holds it, nor does a rehearsal show it."""
    for more in ({}, {"dry_run": True}):
        error = refused(home, method, **filled(params, SECRET), **more)
        assert error.code == "refused_secret"
        assert SECRET not in error.message + repr(error.data)
        assert "anthropic" in (error.message + repr(error.data)).lower()
    assert held(home, SECRET) == []


def test_ingest_masks_and_keeps_the_turn(home: Home) -> None:
    """The turn is there with `‹redacted: kind›`, listed in `redacted`; no field of the call brings the secret to disk."""
    event = {
        "id": "1",
        "speaker": f"Bo {SECRET}",
        "text": f"my key is {SECRET}, keep it",
        "uri": f"https://x/?k={SECRET}",
    }
    atom = {
        "text": f"Bo's key is {SECRET}",
        "subject": "Bo",
        "aspect": f"key {SECRET}",
        "turns": [0],
        "quotes": [f"my key is {SECRET}"],
        "labels": [SECRET],
        "speaker": SECRET,
        "rationale": SECRET,
        "confidence": 0.95,
    }
    told = home.call(
        "memory.ingest", session=f"s {SECRET}", source="chat", owner=SECRET, focus=SECRET, events=[event], atoms=[atom],
        episodes=[{"topic": SECRET, "narrative": f"about {SECRET}", "turns": [0]}], wait=True, close=True,
    )  # fmt: skip
    assert [row["event_id"] for row in told["redacted"]] == ["1"]
    [path] = {row["path"] for row in told["evidence"]}
    assert "my key is ‹redacted: " in home.text(path)
    assert held(home, SECRET) == []
    assert SECRET not in repr(told)
    home.call("memory.remember", text=f"the key is {SECRET}", subject="Bo", aspect="key")
    assert refused(home, "memory.correct", id="lf-0000000000", text=f"no, {SECRET}").code in (
        "refused_secret",
        "not_found",
    )
    assert held(home, SECRET) == []


@pytest.mark.parametrize("text", ["{}", " `{}`. ", "{} / {}"])
def test_nothing_but_a_secret_is_not_remembered(home: Home, text: str) -> None:
    """There is nothing to keep: `refused_secret`, and no file; a rehearsal with words round it shows it masked."""
    for more in ({}, {"dry_run": True}):
        error = refused(home, "memory.remember", text=text.format(SECRET, SECRET), **more)
        assert error.code == "refused_secret"
        assert SECRET not in error.message
    plan = home.call("memory.remember", text=f"the key is {SECRET}", dry_run=True)["plan"]
    assert "the key is ‹redacted: " in plan
    assert SECRET not in plan
    assert held(home, SECRET) == []


@pytest.mark.parametrize("text", [" \n", "\u200b", "…。"])
def test_what_has_no_word_is_not_remembered(home: Home, text: str) -> None:
    """Blanks, marks and what cannot be seen are refused, as news and as a correction."""
    before = set(home.vault.rglob("*"))
    assert refused(home, "memory.remember", text=text).code == "invalid_params"
    assert refused(home, "memory.correct", id="lf-0000000000", text=text).code == "invalid_params"
    assert set(home.vault.rglob("*")) == before


def test_long_numbers_only_where_the_note_is_sensitive(home: Home) -> None:
    """15 digits or more: `refused_secret` (kind `long number`), with `sensitivity: sensitive` they are written."""
    error = refused(home, "memory.write", title="Account", body=f"number {LONG.replace(' ', '')}")
    assert (error.code, "long number" in error.message) == ("refused_secret", True)
    made = home.call("memory.write", title="Account", body=f"number {LONG.replace(' ', '')}", sensitivity="sensitive")
    assert LONG.replace(" ", "") in home.text(made["path"])
    assert home.call("memory.write", title="Phone", body="call 13800138000")["action"] == "created"


def test_logs_hold_no_note_query_or_secret(home: Home) -> None:
    """At the most talkative level: neither words of notes, nor what was asked, nor what was refused."""
    home.call("memory.search", query="marmalade question", mode="text")
    home.call("memory.write", title="Marmalade", body="oranges from Seville")
    refused(home, "memory.write", title="x", body=f"it is {SECRET}")
    refused(home, "memory.read", permalink="no-such-marmalade")
    log = (home.base / "log").read_text(errors="replace").lower()
    assert not [word for word in ("marmalade", "seville", SECRET.lower(), "苍鹭") if word in log]


# places


OUTSIDE = [
    "../x.md",
    "/etc/passwd",
    "a/../../x.md",
    ".obsidian/app.json",
    ".trash/x.md",
    "a/.hidden/x.md",
    "x.txt",
    "C:\\x.md",
]


@pytest.mark.parametrize("folder", ["..", "../..", "a/../../b", ".obsidian", "a/.hidden", "..\\up"])
def test_no_filter_looks_out_of_the_vault(home: Home, folder: str) -> None:
    """A folder that is asked for is in the vault as well."""
    for method, more in (("memory.list", {}), ("memory.search", {"query": "weir"})):
        assert refused(home, method, folder=folder, **more).code == "outside_vault"


@pytest.mark.parametrize("path", OUTSIDE)
def test_no_path_leaves_the_vault(home: Home, path: str) -> None:
    """Whatever names a file or folder: `outside_vault`, nothing is written."""
    assert refused(home, "memory.read", path=path).code == "outside_vault"
    if not path.endswith(".txt"):
        assert refused(home, "memory.read", permalink=path).code == "outside_vault"
        assert refused(home, "memory.context", permalink=path).code == "outside_vault"
    assert refused(home, "memory.delete", path=path).code == "outside_vault"
    assert refused(home, "memory.move", permalink="weir-a1b2", to=path).code == "outside_vault"
    if not path.endswith((".txt", "passwd")):
        folder = path.rpartition("/")[0] or path
        if folder.startswith((".", "/")) or "/." in folder:
            assert refused(home, "memory.write", title="x", folder=folder).code == "outside_vault"
    assert home.text("Weir.md").startswith("---\npermalink: weir-a1b2")


def test_a_device_named_as_a_note_is_outside(home: Home) -> None:
    """A FIFO hangs nobody, and a link that leads out of the vault is not followed, by any method."""
    os.mkfifo(home.vault / "Pipe.md")
    (home.base / "outside.md").write_text("not yours\n")
    (home.vault / "Way out.md").symlink_to(home.base / "outside.md")
    home.settled()
    for name in ("Pipe.md", "Way out.md"):
        for method, more in (
            ("memory.read", {}),
            ("memory.append", {"category": "a", "text": "b"}),
            ("memory.delete", {}),
        ):
            assert refused(home, method, path=name, **more).code in ("outside_vault", "not_found")
    assert (home.base / "outside.md").read_text() == "not yours\n"
    (home.vault / "Pipe.md").unlink()
    (home.vault / "Way out.md").unlink()


@pytest.mark.parametrize(
    "title", ["../../up", "a/b:c*d?e", '"quoted" <tag> | pipe', "# ^ [x] [[y]]", "..", "CON", "苍鹭/桥？", "." * 9]
)
def test_a_title_is_never_a_path(home: Home, title: str) -> None:
    """A safe file name in the folder that was meant; the title is kept, and the note found by it."""
    made = home.call("memory.write", title=title, folder="titles", body="x")
    path = Path(made["path"])
    assert path.parent == Path("titles")
    assert not set(path.stem) & set('/:*?"<>|#^[]\\')
    assert not path.stem.startswith(".")
    assert home.call("memory.read", permalink=made["permalink"])["title"] == title
