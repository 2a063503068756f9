"""What changes to notes decide, over a vault in memory: the contract's rows, and what is refused."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest

from memd.edit.diff import unified
from memd.model.errors import Refused
from memd.model.plan import Move, Plan, Remove, Write
from memd.serve import params as p
from memd.serve.handlers import notes
from tests.fakes.edit import NOW, Files, credentials

PARAMS = {
    "write": p.Write,
    "append": p.Append,
    "edit": p.Edit,
    "delete": p.Delete,
    "restore": p.Restore,
    "move": p.Move,
    "undo": p.Undo,
}


def do(files: Files, method: str, /, ctx: dict[str, Any] | None = None, **given: Any) -> dict[str, Any]:
    """Decide and carry out; the answer."""
    decision = getattr(notes, method)(files.context(**(ctx or {})), PARAMS[method](**given))
    return dict(decision.answered(files.apply(decision.plan)))


def refused(files: Files, method: str, /, ctx: dict[str, Any] | None = None, **given: Any) -> Refused:
    before = dict(files)
    with pytest.raises(Refused) as error:
        do(files, method, ctx, **given)
    assert files == before
    return error.value


def vault(**files: str) -> Files:
    return Files({path.replace("__", "/") + ".md": text.encode() for path, text in files.items()})


def seen(category: str, text: str, **more: Any) -> p.Observed:
    return p.Observed(category=category, text=text, **more)


# write


def test_a_new_note_is_written_where_its_type_lives_and_found_by_its_permalink() -> None:
    """Folder by type, a permalink of its own, the bytes' hash, and the action."""
    files = Files()
    answer = do(
        files, "write", title="Kiln schedule", type="task", observations=(seen("step", "fire"),), tags=("pottery",)
    )
    assert answer["action"] == "created"
    assert answer["path"] == "tasks/Kiln schedule.md"
    assert re.fullmatch(r"kiln-schedule-[0-9a-z]{4}", answer["permalink"])
    assert do(files, "append", permalink=answer["permalink"], category="step", text="cool")["action"] == "appended"
    assert files["tasks/Kiln schedule.md"].decode().endswith("## Observations\n- [step] fire\n- [step] cool\n")


def test_the_same_title_in_the_same_folder_exists() -> None:
    """The refusal names the permalink; in another folder it is another note; a file that nobody indexed yet counts."""
    files = Files()
    first = do(files, "write", title="Kiln", folder="a")
    error = refused(files, "write", title="kiln", folder="a")
    assert (error.code, error.data["permalink"]) == ("exists", first["permalink"])
    assert do(files, "write", title="Kiln", folder="b")["path"] == "b/Kiln.md"
    late = Files()
    context = late.context()
    late["knowledge/Kiln.md"] = b"by hand\n"
    with pytest.raises(Refused) as found:
        notes.write(context, p.Write(title="Kiln"))
    assert found.value.code == "exists"


def test_a_title_is_never_a_path() -> None:
    """Titles with dots, slashes and signs give safe names in their folder, and come back as they were given."""
    files = Files()
    for title in ("../../etc/passwd", 'a/b: what? "so" <x> | *y*', "- key: [v # not a comment", "null", "C:\\x", "…"):
        answer = do(files, "write", title=title, folder="knowledge")
        assert re.fullmatch(r'knowledge/[^/:*?"<>|]+\.md', answer["path"])
        assert files.vault().notes[answer["path"]].title == title


def test_two_titles_with_one_safe_name_have_two_files() -> None:
    """The second gets a short hash."""
    files = Files()
    assert do(files, "write", title="a/b")["path"] == "knowledge/a-b.md"
    assert re.fullmatch(r"knowledge/a-b-\w{4}\.md", do(files, "write", title="a:b")["path"])


def test_similar_notes_are_told() -> None:
    """Notes that share half of the title's words, Chinese by pairs of characters; never sensitive ones."""
    files = vault(
        a="---\npermalink: kiln-1111\ntitle: Kiln firing schedule\n---\n",
        b="---\ntitle: 青禾图书馆\npermalink: qh\n---\n",
    )
    files["c.md"] = b"---\ntitle: Kiln schedule secret\npermalink: c\nsensitivity: sensitive\n---\n"
    assert do(files, "write", title="Schedule of the kiln")["similar"] == ["kiln-1111"]
    assert do(files, "write", title="摄影课")["similar"] == []
    assert do(files, "write", title="青禾图书馆开放时间")["similar"] == ["qh"]


@pytest.mark.parametrize(
    "folder", ["../x", "/abs", "a/../../x", ".obsidian/plugins", "a/.git", "C:/x", "a/\0", "con", "~/x"]
)
def test_a_folder_outside_the_vault_or_hidden_is_refused(folder: str) -> None:
    """Judged by its letters alone, before any file is looked at."""
    assert refused(Files(), "write", title="x", folder=folder).code == "outside_vault"


def test_an_existing_folder_keeps_its_spelling() -> None:
    """`Tasks` where the vault has `tasks` is that folder."""
    assert do(vault(tasks__a=""), "write", title="x", folder="Tasks/in")["path"] == "tasks/in/x.md"
    assert do(vault(tasks__a=""), "write", title="x", folder="Tasks")["path"] == "tasks/x.md"


def test_a_relation_to_a_title_that_is_no_file_name_works_in_obsidian_too() -> None:
    """The link leads to the file and shows the title."""
    files = Files()
    do(files, "write", title="a/b")
    do(
        files,
        "write",
        title="c",
        relations=(p.Related(type="part_of", target="a/b"), p.Related(type="x", target="later")),
    )
    assert "- part_of [[a-b|a/b]]\n- x [[later]]" in files["knowledge/c.md"].decode()
    assert [link.relation for link in files.vault().notes["knowledge/c.md"].links] == ["part_of", "x"]


def test_details_are_marked_sensitive_whatever_the_caller_says() -> None:
    """Grades, health and money, in a title, a body or an observation; ordinary words are not."""
    files = Files()
    assert (
        do(files, "write", title="a", body="线性代数期末考了 92 分", sensitivity="normal")["sensitivity"] == "sensitive"
    )
    assert do(files, "write", title="b", observations=(seen("health", "was ill"),))["sensitivity"] == "sensitive"
    assert do(files, "write", title="c", body="The exam is on Friday.")["sensitivity"] == "normal"
    assert files.vault().notes["knowledge/a.md"].sensitive


# secrets


@pytest.mark.parametrize("field", ["title", "body", "observation", "context", "tag", "relation", "origin"])
def test_a_secret_in_any_field_of_a_write_is_refused_and_not_echoed(field: str) -> None:
    """Nothing is written; the answer names the kind."""
    secret = "sk-ant-api03-" + "aB3dE6gH9kLm2" * 3
    given: dict[str, Any] = {"title": "x"}
    if field in ("title", "body", "origin"):
        given[field] = f"key {secret}"
    elif field == "relation":
        given["relations"] = (p.Related(type="uses", target=secret),)
    elif field == "tag":
        given["tags"] = (secret,)
    else:
        given["observations"] = (
            seen("fact", secret if field == "observation" else "x", context=secret if field == "context" else ""),
        )
    error = refused(Files(), "write", **given)
    assert error.code == "refused_secret"
    assert secret not in f"{error.message} {error.data}"


def test_secrets_are_refused_by_append_and_edit() -> None:
    """Of every kind, in text and in context; an edit that makes a line into a credential is one, too."""
    files = vault(n="deploy notes: placeholder\nwifi password: later\n")
    for _, text, secret in credentials():
        assert refused(files, "append", path="n.md", category="fact", text=text).code == "refused_secret"
        assert secret not in refused(files, "edit", path="n.md", find="placeholder", replace=text).message
    assert (
        refused(
            files, "append", path="n.md", category="fact", text="mail came", context="verification code: 492817"
        ).code
        == "refused_secret"
    )
    assert refused(files, "edit", path="n.md", find="later", replace="Heron2291x").code == "refused_secret"


def test_what_was_there_before_is_not_judged() -> None:
    """A note that a person put a key into can be edited elsewhere."""
    files = vault(n="token: ghp_" + "a1B2" * 10 + "\nred door\n")
    assert do(files, "edit", path="n.md", find="red", replace="blue")["replacements"] == 1


def test_long_numbers_need_the_callers_mark() -> None:
    """Fifteen digits with `sensitivity: sensitive`, and not without."""
    assert refused(Files(), "write", title="Locker", body="parcel 900012345678901").code == "refused_secret"
    assert (
        do(Files(), "write", title="Locker", body="parcel 900012345678901", sensitivity="sensitive")["action"]
        == "created"
    )


# append


def test_an_append_changes_its_line_and_says_where_it_is() -> None:
    """Header, line ends and list stay; the same again is a no-op with its line."""
    files = Files({"tools.md": b"---\r\ntitle: Tools   # shed\r\n---\r\n# Tools\r\n\r\n- [own] a spokeshave\r\n"})
    link = files.vault().notes["tools.md"].permalink
    answer = do(files, "append", permalink=link, category="own", text="a drawknife")
    assert (answer["action"], answer["line"], answer["path"]) == ("appended", 7, "tools.md")
    assert files["tools.md"] == (
        b"---\r\ntitle: Tools   # shed\r\n---\r\n# Tools\r\n\r\n- [own] a spokeshave\r\n- [own] a drawknife\r\n"
    )
    again = do(files, "append", permalink=link, category="own", text="a drawknife")
    assert (again["action"], again["line"]) == ("noop_duplicate", 7)


def test_modified_is_updated_only_where_it_is() -> None:
    """A person's note without the key does not get one."""
    files = vault(a="---\nmodified: 2026-01-01\n---\n- [f] x\n", b="x\n")
    do(files, "append", path="a.md", category="fact", text="new")
    do(files, "append", path="b.md", category="fact", text="new")
    assert "modified: 2026-11-30\n" in files["a.md"].decode()
    assert "modified" not in files["b.md"].decode()


def test_an_appended_detail_marks_the_note_and_moves_the_line() -> None:
    """The mark goes into the header, which is made where there is none; the line is the file's after that."""
    files = vault(a="- [fact] x\n", b="---\nsensitivity: normal # ok\n---\n- [fact] x\n")
    assert do(files, "append", path="a.md", category="fact", text="血压 140/90")["line"] == 5
    assert files["a.md"].decode() == "---\nsensitivity: sensitive\n---\n- [fact] x\n- [fact] 血压 140/90\n"
    assert do(files, "append", path="b.md", category="fact", text="GPA 3.87")["line"] == 5
    assert "sensitivity: sensitive # ok\n" in files["b.md"].decode()


def test_appends_decided_on_newer_bytes_are_both_there() -> None:
    """A plan that was decided before another's save is displaced; decided anew it has both lines."""
    files = vault(g="# Guests\n")
    asked = [p.Append(path="g.md", category="guest", text=f"visitor {n}") for n in (1, 2)]
    first, second = (notes.append(files.context(), each) for each in asked)
    files.apply(first.plan)
    before = dict(files)
    files.apply(second.plan)
    assert files == before
    files.apply(notes.append(files.context(), asked[1]).plan)
    assert files["g.md"].decode() == "# Guests\n\n## Observations\n- [guest] visitor 1\n- [guest] visitor 2\n"
    assert all(isinstance(step, Write) and step.append for step in first.plan.steps)


def test_memorys_own_files_are_not_edited() -> None:
    """Evidence is appended to by ingest alone."""
    files = Files({"memory/evidence/2026/04/x.md": b"---\nid: ev-aaaaaaaaaa\ntype: evidence\n---\n"})
    assert refused(files, "append", path="memory/evidence/2026/04/x.md", category="fact", text="x").code == "read_only"


# edit


def test_an_edit_is_literal_and_counts() -> None:
    """Ambiguous and missing texts are refused with nothing written; `all` replaces all."""
    files = vault(p="red door, red gate, red fence. a.b axb\n")
    assert refused(files, "edit", path="p.md", find="red", replace="blue").data["count"] == 3
    assert refused(files, "edit", path="p.md", find="green", replace="blue").code == "find_not_found"
    assert do(files, "edit", path="p.md", find="a.b", replace=r"\1 $& {0}")["replacements"] == 1
    assert do(files, "edit", path="p.md", find="red", replace="blue", all=True)["replacements"] == 3
    assert files["p.md"] == b"blue door, blue gate, blue fence. \\1 $& {0} axb\n"


def test_an_edit_of_an_old_version_is_a_conflict() -> None:
    """The hash of what was read must still be the file's."""
    files = vault(v="draft\n")
    error = refused(files, "edit", path="v.md", find="draft", replace="final", expected_sha256="0" * 64)
    assert error.code == "conflict"
    assert (
        do(files, "edit", path="v.md", find="draft", replace="final", expected_sha256=error.data["sha256"])["action"]
        == "edited"
    )


def test_an_edit_of_modified_itself_is_the_callers() -> None:
    """A time that the caller sets is not overwritten by memd's."""
    files = vault(v="---\nmodified: 2026-01-01\n---\n")
    do(files, "edit", path="v.md", find="2026-01-01", replace="2025-05-05")
    assert files["v.md"] == b"---\nmodified: 2025-05-05\n---\n"


# look-ups


def test_a_name_that_could_mean_two_notes_is_refused_with_both() -> None:
    """Nothing is guessed for a write; a path decides."""
    files = vault(a__Plan="x\n", b__Plan="x\n")
    error = refused(files, "append", permalink="Plan", category="fact", text="y")
    assert error.code == "not_found"
    assert set(error.data["paths"]) == {"a/Plan.md", "b/Plan.md"}
    assert do(files, "append", path="a/plan", category="fact", text="y")["path"] == "a/Plan.md"


def test_a_name_close_to_a_note_is_not_that_note() -> None:
    """No fuzzy matches."""
    assert refused(vault(Plans="x\n"), "edit", permalink="Plan", find="x", replace="y").code == "not_found"


@pytest.mark.parametrize("name", ["café/résumé.md", "cafe\u0301/Re\u0301sume\u0301.md", "CAFÉ/RÉSUMÉ.md"])
def test_paths_fold_case_and_unicode_form(name: str) -> None:
    """However it is typed; the answer is composed."""
    files = Files({"cafe\u0301/Re\u0301sume\u0301.md": b"x\n"})
    assert do(files, "append", path=name, category="fact", text="y")["path"] == "café/Résumé.md"


def test_memory_urls_ids_and_titles_are_names_too() -> None:
    """One note, four ways."""
    files = vault(x="---\npermalink: plan-ab12\ntitle: The plan\naliases: [Scheme]\n---\n")
    for n, name in enumerate(("memory://plan-ab12", "plan-ab12", "The Plan", "scheme", "x")):
        assert do(files, "append", permalink=name, category="fact", text=f"t{n}")["permalink"] == "plan-ab12"


def test_a_limited_connection_sees_and_changes_its_folder_alone() -> None:
    """Other notes are not there for it, nor sensitive ones where it may not see them."""
    files = vault(a__x="x\n", b__x="x\n", a__s="---\nsensitivity: sensitive\n---\nx\n")
    limited = {"folder": "a", "sensitive": False}
    assert refused(files, "append", limited, path="b/x.md", category="fact", text="y").code == "not_found"
    assert refused(files, "write", limited, title="t", folder="b").code == "permission_denied"
    assert refused(files, "edit", limited, path="a/s.md", find="x", replace="y").code == "permission_denied"
    assert do(files, "append", limited, permalink="x", category="fact", text="y")["path"] == "a/x.md"


# delete, restore


def test_a_deleted_note_keeps_its_bytes_and_comes_back_whole() -> None:
    """By its trashed path, its permalink, or the path it had; links to it are told."""
    for given in ("trashed", "permalink", "path"):
        files = Files(
            {"journal/May.md": b"---\nmood:  fine # ok\n---\r\nSaw a hoopoe.\r\n", "from.md": b"x\n[[May]]\n"}
        )
        gone = do(files, "delete", path="journal/May.md", reason="test")
        assert gone["title"] == "May"
        assert gone["trashed_path"].startswith(".trash/memd/")
        assert gone["broken_links"] == [{"path": "from.md", "line": 2, "target": "May"}]
        name = {
            "trashed": {"path": gone["trashed_path"]},
            "permalink": {"permalink": gone["permalink"]},
            "path": {"path": "journal/May.md"},
        }
        back = do(files, "restore", **name[given])
        assert (back["path"], back["permalink"]) == ("journal/May.md", gone["permalink"])
        assert files["journal/May.md"] == b"---\nmood:  fine # ok\n---\r\nSaw a hoopoe.\r\n"
        assert refused(files, "restore", path=gone["trashed_path"]).code == "not_found"


@pytest.mark.parametrize("name", ["Heron season", "egret", "birds", "field/birds"])
def test_a_deleted_note_answers_to_every_name_that_it_had(name: str) -> None:
    """Title, alias, file name, path; while a note of that name is there, no older version comes back beside it."""
    text = "---\ntitle: Heron season\naliases: [egret]\n---\nold\n"
    files = Files({"field/birds.md": text.encode()})
    do(files, "delete", path="field/birds.md")
    assert do(files, "restore", permalink=name)["path"] == "field/birds.md"
    kept = do(files, "delete", path="field/birds.md")["trashed_path"]
    files["field/birds.md"] = text.replace("old", "new").encode()
    assert refused(files, "restore", permalink=name).code == "exists"
    assert kept in files


@pytest.mark.parametrize("name", [{"path": "a.md"}, {"permalink": "a-1111"}])
def test_the_version_that_was_deleted_last_comes_back(name: dict[str, str]) -> None:
    """Whatever the clock said: deleted twice in one moment, or again after the clock went back, by hours or a year."""
    files = Files()
    for hours in (0, 0, -1, -1, -9000, 0):
        files["a.md"] = f"---\npermalink: a-1111\n---\n{hours} {len(files)}\n".encode()
        last = files["a.md"]
        do(files, "delete", {"now": NOW + timedelta(hours=hours)}, path="a.md")
        assert do(files, "restore", **name)["path"] == "a.md"
        assert files.pop("a.md") == last
        files[f".trash/memd/{NOW:%Y-%m-%dT%H%M%S}.{len(files):06}/a.md"] = last


def test_restoring_into_an_occupied_place_keeps_both() -> None:
    """The one that comes back stands beside, with a permalink of its own where its old one is taken."""
    files = vault(a="---\npermalink: a-1111\n---\nold\n")
    gone = do(files, "delete", path="a.md")
    files["a.md"] = b"---\npermalink: a-1111\n---\nnew\n"
    assert refused(files, "restore", permalink="a-1111").code == "exists"
    back = do(files, "restore", path=gone["trashed_path"])
    assert back["path"] == "a (restored).md"
    assert back["permalink"] != "a-1111"
    assert files["a.md"].endswith(b"new\n")
    assert files["a (restored).md"].decode() == f"---\npermalink: {back['permalink']}\n---\nold\n"


@pytest.mark.parametrize(
    "path", [".trash/memd/s/../../../x.md", ".trash/x.md", ".obsidian/x.md", ".trash/memd/s/plan.json"]
)
def test_only_notes_in_memds_trash_are_restored(path: str) -> None:
    """Paths that climb out, Obsidian's own trash, other files."""
    files = Files({".trash/x.md": b"x", ".obsidian/x.md": b"x", ".trash/memd/s/plan.json": b"{}"})
    assert refused(files, "restore", path=path).code in ("not_found", "outside_vault")


# move


def test_a_move_spells_only_broken_links_anew() -> None:
    """The plan moves first, then writes; the answer says where links were changed."""
    files = vault(a__Plan="[[Start]]\n", Start="", one="[[Plan]]\n", two="[[a/Plan#x|p]]\r\n")
    answer = do(files, "move", path="a/Plan.md", to="b/")
    assert (answer["old_path"], answer["new_path"]) == ("a/Plan.md", "b/Plan.md")
    assert answer["links"] == [{"path": "two.md", "rewritten": 1}]
    assert files["two.md"] == b"[[b/Plan#x|p]]\r\n"
    assert "a/Plan.md" not in files


def test_a_permalink_that_is_in_the_file_survives_a_move() -> None:
    """A derived one follows the path."""
    files = vault(a="---\npermalink: a-1111\n---\n", b="")
    assert do(files, "move", path="a.md", to="x/A2")["permalink"] == "a-1111"
    assert do(files, "move", path="b.md", to="x/b2")["permalink"] == files.vault().notes["x/b2.md"].permalink


def test_a_move_overwrites_nothing_and_leaves_the_vault_never() -> None:
    """An occupied path exists; a change of case alone is a move."""
    files = vault(a="1\n", b="2\n")
    assert refused(files, "move", path="a.md", to="B.md").code == "exists"
    for to in ("../a.md", ".obsidian/a.md", "/a.md", "x.txt"):
        assert refused(files, "move", path="a.md", to=to).code == "outside_vault"
    assert do(files, "move", path="a.md", to="A.md")["new_path"] == "A.md"


# undo, dry run


def test_undo_takes_back_only_what_nobody_changed_since() -> None:
    """Steps back are seen one on the other; what memd made goes to the trash, not away."""
    files = vault(a="new\n")
    ctx = {"undo": lambda stamp: Plan((Write("a.md", b"old\n", notes.sha256(b"new\n")),))}
    assert do(files, "undo", ctx)["restored"] == ["a.md"]
    assert files["a.md"] == b"old\n"
    files["a.md"] = b"a person's\n"
    assert refused(files, "undo", ctx).code == "conflict"
    made = {"undo": lambda stamp: Plan((Remove("a.md", notes.sha256(b"a person's\n")),))}
    do(files, "undo", made)
    assert [path for path in files if path.startswith(".trash/memd/")]
    assert refused(files, "undo", {"undo": lambda stamp: None}).code == "not_found"


def test_undo_of_a_move_with_rewritten_text_is_seen_step_by_step() -> None:
    """First the text goes back, then the file: the second step finds what the first one left."""
    files = Files({"b.md": b"two\n"})
    steps = (Write("b.md", b"one\n", notes.sha256(b"two\n")), Move("b.md", "a.md", notes.sha256(b"one\n")))
    assert do(files, "undo", {"undo": lambda stamp: Plan(steps)})["restored"] == ["b.md", "a.md"]
    assert files == {"a.md": b"one\n"}


def test_a_plan_that_is_not_carried_out_changes_nothing_and_shows_its_lines() -> None:
    """A dry run is the same decision, shown."""
    files = vault(d="slate roof\n")
    before = dict(files)
    plan = notes.edit(files.context(), p.Edit(path="d.md", find="slate", replace="thatch")).plan
    assert "-slate roof\n+thatch roof\n" in unified(plan, files.get)
    assert files == before
