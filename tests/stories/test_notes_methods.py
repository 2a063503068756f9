"""The methods over notes, as clients meet them: rehearsed, confirmed, repeated, and through sockets with fewer rights."""

from __future__ import annotations

import hashlib
import threading
from pathlib import Path
from typing import Any

import pytest

from memd.bridge.client import Client
from memd.model.errors import Refused
from tests.fakes.home import Home

HERONS = "---\ntitle: Herons\npermalink: herons-a1b2\n---\n# Herons\n\n- [fact] they stand still by the weir\n"
OTHER = "# Weir\n\nSee [[Herons|the birds]] and [[Herons#Herons]].\n"


def tree(home: Home) -> dict[str, bytes]:
    """Every file of the vault, dot folders too."""
    return {str(p.relative_to(home.vault)): p.read_bytes() for p in home.vault.rglob("*") if p.is_file()}


def refused(home: Home, method: str, /, client: Client | None = None, **params: Any) -> Refused:
    before = tree(home)
    with pytest.raises(Refused) as found:
        (client or home.client).call(method, params)
    assert tree(home) == before
    return found.value


@pytest.fixture
def birds(home: Home) -> Home:
    home.write("birds/Herons.md", HERONS)
    home.write("Weir.md", OTHER)
    return home.start().settled()


def test_a_note_from_its_first_word_to_its_return_from_the_trash(birds: Home) -> None:
    """write, append, edit, move, delete, restore, undo: each seen at once by read, list, context, recent, search."""
    made = birds.call("memory.write", title="Kiln", folder="craft", observations=[{"category": "step", "text": "load"}])
    link = made["permalink"]
    assert birds.call("memory.append", permalink=link, category="step", text="fire slowly")["action"] == "appended"
    assert birds.call("memory.edit", permalink=link, find="slowly", replace="at noon")["replacements"] == 1
    moved = birds.call("memory.move", permalink=link, to="craft/pots/Kiln.md")
    assert (moved["permalink"], moved["new_path"]) == (link, "craft/pots/Kiln.md")
    read = birds.call("memory.read", permalink=link)
    assert read["content"].endswith("- [step] load\n- [step] fire at noon\n")
    assert read["sha256"] == hashlib.sha256(birds.text("craft/pots/Kiln.md").encode()).hexdigest()
    assert [n["path"] for n in birds.call("memory.list", folder="craft")["notes"]] == ["craft/pots/Kiln.md"]
    assert [c["path"] for c in birds.call("memory.recent", limit=1)["changes"]] == ["craft/pots/Kiln.md"]
    gone = birds.call("memory.delete", permalink=link, reason="cold")
    assert gone["trashed_path"].startswith(".trash/memd/")
    assert not birds.paths("noon")
    assert birds.call("memory.restore", path=gone["trashed_path"])["path"] == "craft/pots/Kiln.md"
    assert birds.paths("noon") == ["craft/pots/Kiln.md"]
    birds.call("memory.edit", permalink=link, find="noon", replace="night")
    assert birds.call("memory.undo")["restored"] == ["craft/pots/Kiln.md"]
    assert birds.text("craft/pots/Kiln.md") == read["content"]


def test_what_a_note_is_linked_to_comes_with_it(birds: Home) -> None:
    """`context` names the note, what it links to and what links to it, with the relation."""
    related = birds.call("memory.context", permalink="herons-a1b2")["related"]
    assert [one["path"] for one in related] == ["Weir.md"]
    assert birds.call("memory.refresh") == birds.call("memory.refresh")


CHANGES: list[tuple[str, dict[str, Any], str]] = [
    ("memory.write", {"title": "Kiln", "body": "It is hot."}, "+It is hot."),
    ("memory.append", {"permalink": "herons-a1b2", "category": "fact", "text": "grey"}, "+- [fact] grey"),
    ("memory.edit", {"permalink": "herons-a1b2", "find": "still", "replace": "tall"}, "+- [fact] they stand tall"),
    ("memory.delete", {"permalink": "herons-a1b2"}, "rename to .trash/memd/"),
    ("memory.move", {"permalink": "herons-a1b2", "to": "Egrets.md"}, "rename to Egrets.md"),
]


def test_a_rehearsal_is_a_diff_and_changes_nothing(birds: Home) -> None:
    """`dry_run` gives a unified diff and a token; nothing is written; the token carries out that plan, once."""
    for method, params, shown in CHANGES:
        birds.write("birds/Herons.md", HERONS)
        birds.settled()
        before = tree(birds)
        plan = birds.call(method, dry_run=True, **params)
        assert shown in plan["plan"]
        assert tree(birds) == before
        assert refused(birds, method, token="0" * 32, **params).code == "confirm_required"
        birds.call(method, token=plan["token"], **params)
        assert tree(birds) != before
        assert refused(birds, method, token=plan["token"], **params).code == "confirm_required"


def test_restore_and_undo_are_rehearsed_too(birds: Home) -> None:
    """What comes back is shown before it does."""
    gone = birds.call("memory.delete", permalink="herons-a1b2")["trashed_path"]
    assert "rename to birds/Herons.md" in birds.call("memory.restore", path=gone, dry_run=True)["plan"]
    assert "rename to birds/Herons.md" in birds.call("memory.undo", dry_run=True)["plan"]
    assert not (birds.vault / "birds/Herons.md").exists()
    birds.call("memory.undo")
    assert birds.text("birds/Herons.md") == HERONS


def test_a_token_is_for_the_files_that_were_shown(birds: Home) -> None:
    """A plan whose note changed since is `conflict`; a token of another call is not good."""
    ask = {"permalink": "herons-a1b2", "find": "still", "replace": "tall"}
    token = birds.call("memory.edit", dry_run=True, **ask)["token"]
    assert refused(birds, "memory.edit", token=token, **{**ask, "replace": "small"}).code == "confirm_required"
    token = birds.call("memory.edit", dry_run=True, **ask)["token"]
    birds.write("birds/Herons.md", HERONS + "- [fact] grey\n")
    assert refused(birds, "memory.edit", token=token, **ask).code == "conflict"


def test_the_command_line_rehearses(birds: Home) -> None:
    """`--dry-run` prints the diff; the file stays."""
    done = birds.cli("append", "herons-a1b2", "fact", "grey", "--dry-run")
    assert (done.returncode, "+- [fact] grey" in done.stdout) == (0, True)
    assert birds.text("birds/Herons.md") == HERONS


def test_the_same_key_does_it_once(birds: Home) -> None:
    """A retry gets the first answer and does nothing; the key for another call is refused, whichever method it is."""
    ask = {"permalink": "herons-a1b2", "find": "still", "replace": "still, still"}
    first = birds.call("memory.edit", idempotency_key="k1", **ask)
    assert birds.call("memory.edit", idempotency_key="k1", **ask)["sha256"] == first["sha256"]
    assert birds.text("birds/Herons.md").count("still") == 2
    assert refused(birds, "memory.edit", idempotency_key="k1", **{**ask, "replace": "x"}).code == "invalid_params"
    assert refused(birds, "memory.delete", idempotency_key="k1", permalink="herons-a1b2").code == "invalid_params"
    made = birds.call("memory.write", title="Kiln", idempotency_key="k2")
    assert birds.call("memory.write", title="Kiln", idempotency_key="k2")["path"] == made["path"]
    gone = birds.call("memory.delete", permalink="herons-a1b2", idempotency_key="k3")
    assert (
        birds.call("memory.delete", permalink="herons-a1b2", idempotency_key="k3")["trashed_path"]
        == gone["trashed_path"]
    )


def test_the_same_key_at_the_same_moment_does_it_once(birds: Home) -> None:
    """Eight clients send one call with one key at once: one change, one answer."""
    answers: list[dict[str, Any]] = []

    def send() -> None:
        with Client(birds.socket) as client:
            ask = {"permalink": "herons-a1b2", "find": "still", "replace": "still, still", "idempotency_key": "one"}
            answers.append(client.call("memory.edit", ask))

    threads = [threading.Thread(target=send) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({answer["sha256"] for answer in answers}) == 1
    assert (len(answers), birds.text("birds/Herons.md").count("still")) == (8, 2)


def test_a_key_keeps_ingest_and_remember_from_doing_it_twice(birds: Home) -> None:
    """Memory's own writes know their keys as well: the same answer, one turn; another call with it is refused."""
    ask = {"text": "The ferry leaves at seven.", "idempotency_key": "r1"}
    first = birds.call("memory.remember", **ask)
    again = birds.call("memory.remember", **ask)
    assert again["evidence"] == first["evidence"]
    [file] = list(birds.vault.glob("memory/evidence/**/*.md"))
    assert file.read_text().count("The ferry leaves at seven.") == 1
    assert refused(birds, "memory.remember", text="Another.", idempotency_key="r1").code == "invalid_params"


@pytest.mark.parametrize(
    ("mode", "guarded", "free"),
    [
        ("never", (), ("memory.append", "memory.delete")),
        ("destructive", ("memory.delete",), ("memory.append", "memory.edit", "memory.write")),
        ("all", ("memory.append", "memory.edit", "memory.write", "memory.delete", "memory.move"), ()),
    ],
)
def test_what_must_be_confirmed(home: Home, mode: str, guarded: tuple[str, ...], free: tuple[str, ...]) -> None:
    """`confirm_required` with the plan and a token that does it, for the calls that the mode guards and no others."""
    home.config.write_text(f'[vectors]\nmodel = "off"\n[agents]\nconfirm = "{mode}"\n')
    home.write("birds/Herons.md", HERONS)
    home.start().settled()
    params = {method: ask for method, ask, _ in CHANGES}
    for method in free:
        home.call(method, **params[method])
    for method in guarded:
        home.write("birds/Herons.md", HERONS)
        home.settled()
        error = refused(home, method, **params[method])
        assert (error.code, bool(error.data["plan"])) == ("confirm_required", True)
        home.call(method, token=error.data["token"], **params[method])


def sockets(home: Home, *tables: str) -> list[Client]:
    """Further sockets as the config says them; a client for each."""
    parts = [f'[[socket]]\npath = "{home.base}/s{n}"\n{table}\n' for n, table in enumerate(tables)]
    home.config.write_text('[vectors]\nmodel = "off"\n' + "".join(parts))
    return [Client(f"{home.base}/s{n}", 30) for n in range(len(tables))]


def test_a_socket_may_read_only(home: Home) -> None:
    """Reading goes on; every write is `read_only`, forgetting too; a socket that writes may not forget."""
    home.write("birds/Herons.md", HERONS)
    reader, writer = sockets(home, 'rights = ["read"]', 'rights = ["read", "write"]')
    home.start().settled()
    assert reader.call("memory.read", {"permalink": "herons-a1b2"})["title"] == "Herons"
    for method, ask, _ in CHANGES:
        assert refused(home, method, client=reader, **ask).code == "read_only"
    assert refused(home, "memory.refresh", client=reader, accept=True).code == "read_only"
    assert refused(home, "memory.doctor", client=reader, fix=True).code == "read_only"
    writer.call("memory.append", {"permalink": "herons-a1b2", "category": "fact", "text": "grey"})
    assert refused(home, "memory.forget", client=writer, target={"session": "s"}).code == "read_only"
    assert home.call("hello")["capabilities"]["rights"] != reader.call("hello")["capabilities"]["rights"]


def test_a_socket_may_have_a_folder(home: Home) -> None:
    """Nothing outside its folder is seen, named or written through it, by any method."""
    home.write("birds/Herons.md", HERONS)
    home.write("private/Diary.md", "---\npermalink: diary-x\n---\n# Diary\n\nI saw the weir. [[Herons]]\n")
    [bird] = sockets(home, 'rights = ["read", "write"]\nfolder = "birds"')
    home.start().settled()
    hits = bird.call("memory.search", {"query": "weir", "mode": "text"})["hits"]
    assert [hit["path"] for hit in hits] == ["birds/Herons.md"]
    assert hits[0]["related"] == []
    assert [n["path"] for n in bird.call("memory.list", {})["notes"]] == ["birds/Herons.md"]
    assert bird.call("memory.context", {"permalink": "herons-a1b2"})["related"] == []
    assert [c["path"] for c in bird.call("memory.recent", {})["changes"]] == ["birds/Herons.md"]
    for name in ({"permalink": "diary-x"}, {"path": "private/Diary.md"}):
        for method, more in (("memory.read", {}), ("memory.delete", {}), ("memory.move", {"to": "birds/D.md"})):
            assert refused(home, method, client=bird, **name, **more).code in ("not_found", "permission_denied")
    out = refused(home, "memory.write", client=bird, title="x", folder="private")
    assert out.code in ("outside_vault", "permission_denied")
    moved = refused(home, "memory.move", client=bird, permalink="herons-a1b2", to="private/H.md")
    assert moved.code in ("outside_vault", "permission_denied")
    assert "Diary" not in repr(bird.call("memory.doctor", {}))


def test_a_socket_has_its_own_say_on_confirming(home: Home) -> None:
    """`confirm` of a socket overrides that of the config, in both directions."""
    home.write("birds/Herons.md", HERONS)
    [careful] = sockets(home, 'rights = ["read", "write"]\nconfirm = "all"')
    home.start().settled()
    ask = {"permalink": "herons-a1b2", "category": "fact", "text": "grey"}
    assert refused(home, "memory.append", client=careful, **ask).code == "confirm_required"
    assert home.call("memory.append", **ask)["action"] == "appended"


def test_a_socket_does_not_give_what_is_sensitive(home: Home) -> None:
    """Not when asked for, either; a socket that may, gives it when asked."""
    home.write("a.md", "---\npermalink: a-1\nsensitivity: sensitive\n---\nThe weir is my secret.\n")
    plain, open_ = sockets(home, 'rights = ["read"]', 'rights = ["read"]\nsensitive = true')
    home.start().settled()
    ask = {"permalink": "a-1", "include_sensitive": True}
    assert refused(home, "memory.read", client=plain, **ask).code == "permission_denied"
    assert refused(home, "memory.read", client=plain, permalink="a-1").code == "permission_denied"
    for method, more in (
        ("memory.search", {"query": "weir"}),
        ("memory.retrieve", {"query": "weir"}),
        ("memory.list", {}),
        ("memory.recent", {}),
        ("memory.context", {"permalink": "a-1"}),
        ("memory.profile", {}),
    ):
        error = refused(home, method, client=plain, include_sensitive=True, **more)
        assert error.code == "permission_denied"
    assert "weir" in open_.call("memory.read", ask)["content"]


def test_a_deleted_note_comes_back_beside_who_has_its_place(birds: Home) -> None:
    """Both stay, with a name and a permalink of their own; links to what was deleted were reported."""
    gone = birds.call("memory.delete", permalink="herons-a1b2")
    assert [(b["path"], b["line"]) for b in gone["broken_links"]] == [("Weir.md", 3), ("Weir.md", 3)]
    birds.write("birds/Herons.md", HERONS.replace("still", "tall"))
    birds.settled()
    back = birds.call("memory.restore", path=gone["trashed_path"])
    assert back["path"] == "birds/Herons (restored).md"
    assert back["permalink"] != "herons-a1b2"
    assert "tall" in birds.text("birds/Herons.md")
    assert "still" in birds.text(back["path"])
    assert birds.call("memory.read", permalink="herons-a1b2")["path"] == "birds/Herons.md"


def test_undo_leaves_what_a_person_changed_since(birds: Home) -> None:
    """`conflict`, nothing is written; with their change taken back it works; a plan that is named is the one undone."""
    birds.call("memory.edit", permalink="herons-a1b2", find="still", replace="tall")
    edited = birds.text("birds/Herons.md")
    birds.write("birds/Herons.md", edited + "by hand\n")
    error = refused(birds, "memory.undo")
    assert (error.code, error.data["paths"]) == ("conflict", ["birds/Herons.md"])
    birds.write("birds/Herons.md", edited)
    assert birds.call("memory.undo")["restored"] == ["birds/Herons.md"]
    assert birds.text("birds/Herons.md") == HERONS


def test_undo_after_undo_goes_back_further(birds: Home) -> None:
    """Each takes back one change more, to the first; an undo that is named is itself taken back, and then counts again."""
    changes = [("still", "tall"), ("tall", "grey")]
    for find, replace in changes:
        birds.call("memory.edit", permalink="herons-a1b2", find=find, replace=replace)
    grey = birds.text("birds/Herons.md")
    undone = [birds.call("memory.undo")["undone"] for _ in changes]
    assert birds.text("birds/Herons.md") == HERONS
    assert undone == sorted(undone, reverse=True)
    assert refused(birds, "memory.undo").code == "not_found"
    for _ in changes:
        made = (birds.vault / ".trash/memd").glob("*/plan.json")
        taken_back = f"undo of {undone.pop()}"
        birds.call("memory.undo", plan=next(path.parent.name for path in made if taken_back in path.read_text()))
    assert birds.text("birds/Herons.md") == grey
    assert birds.call("memory.undo")["restored"] == ["birds/Herons.md"]


def test_undo_of_a_move_puts_links_back(birds: Home) -> None:
    """Files and the links that were spelled anew come back byte for byte; undoing a new note keeps it in the trash."""
    before = {path: data for path, data in tree(birds).items() if not path.startswith(".")}
    birds.call("memory.move", permalink="herons-a1b2", to="Egrets.md")
    assert "[[Egrets|the birds]]" in birds.text("Weir.md")
    birds.call("memory.undo")
    assert {path: data for path, data in tree(birds).items() if not path.startswith(".")} == before
    made = birds.call("memory.write", title="Kiln")
    birds.call("memory.undo")
    assert not (birds.vault / made["path"]).exists()
    assert [p for p in tree(birds) if p.startswith(".trash/memd/") and p.endswith("Kiln.md")]


def test_reading_changes_nothing(birds: Home) -> None:
    """No reading method leaves a trace in the vault."""
    before = {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in birds.vault.rglob("*") if p.is_file()}
    for method, ask in (
        ("memory.read", {"permalink": "herons-a1b2"}),
        ("memory.list", {}),
        ("memory.context", {"permalink": "herons-a1b2", "depth": 3}),
        ("memory.recent", {}),
        ("memory.search", {"query": "weir"}),
        ("memory.refresh", {}),
        ("memory.doctor", {}),
        ("status", {}),
    ):
        birds.call(method, **ask)
    assert {p: (p.stat().st_mtime_ns, p.read_bytes()) for p in birds.vault.rglob("*") if p.is_file()} == before
    assert Path(birds.vault).exists()
