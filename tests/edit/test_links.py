"""Links round a move."""

from __future__ import annotations

from datetime import UTC

import pytest

from memd.edit.links import rewrite, shift, sources
from memd.edit.splice import apply
from memd.model.vault import Vault
from memd.parse.note import parse_note


def vault(files: dict[str, str]) -> Vault:
    return Vault(parse_note(path, text.encode(), 0.0, UTC)[0] for path, text in files.items())


def moved(files: dict[str, str], old: str, new: str) -> dict[str, str]:
    """The files, by their paths after the move, whose text changes."""
    snapshot = vault(files)
    move = shift(snapshot, snapshot.notes[old], new)
    changed = {}
    for path in sources(move):
        if splices := rewrite(files[path], path, move):
            changed[move.source(path)] = apply(files[path], splices)
    return changed


@pytest.mark.parametrize(
    ("link", "rewritten"),
    [
        ("[[a/Plan]]", "[[b/Scheme]]"),
        ("[[a/Plan.md|the plan]]", "[[b/Scheme.md|the plan]]"),
        ("![[Plan#Part one|x]]", "![[Scheme#Part one|x]]"),
        ("[[ plan#^b1 ]]", "[[ Scheme#^b1 ]]"),
        ("| [[Plan\\|p]] |", "| [[Scheme\\|p]] |"),
        ("[p](a/Plan.md#part)", "[p](b/Scheme.md#part)"),
        ("[p](<a/Plan.md>)", "[p](<b/Scheme.md>)"),
        ("[[1]](a/Plan.md)", "[[1]](b/Scheme.md)"),
    ],
)
def test_a_link_that_would_break_is_spelled_anew_in_its_own_manner(link: str, rewritten: str) -> None:
    """Folder or bare name, ending, alias, fragment, embed, brackets: only the target's words change."""
    files = {"a/Plan.md": "x ^b1\n", "from.md": f"see {link} and `[[Plan]]` too\n"}
    assert moved(files, "a/Plan.md", "b/Scheme.md") == {"from.md": f"see {rewritten} and `[[Plan]]` too\n"}


def test_links_that_still_mean_the_note_are_not_touched() -> None:
    """A bare name, an alias and a permalink go on meaning a note that only changes its folder."""
    files = {
        "a/Plan.md": "---\naliases: [the scheme]\npermalink: plan-ab12\n---\n",
        "from.md": "[[Plan]] [[the scheme]] [[plan-ab12]] [[nowhere]] [[#here]]\n",
    }
    assert moved(files, "a/Plan.md", "b/c/Plan.md") == {}


def test_url_encoding_and_relative_paths_stay_what_they_are() -> None:
    """An encoded target stays encoded; a relative one is seen from where its note is."""
    files = {"a/My Plan.md": "", "n/from.md": "[p](../a/My%20Plan.md) [q](<../a/My Plan.md>)\n"}
    expected = "[p](../b/c/My%20Plan.md) [q](<../b/c/My Plan.md>)\n"
    assert moved(files, "a/My Plan.md", "b/c/My Plan.md") == {"n/from.md": expected}
    files = {"a/计划.md": "", "from.md": "[p](a/%E8%AE%A1%E5%88%92.md) [q](a/计划.md)\n"}
    assert moved(files, "a/计划.md", "b/计划.md") == {"from.md": "[p](b/%E8%AE%A1%E5%88%92.md) [q](b/计划.md)\n"}


def test_the_moved_notes_own_relative_links_follow() -> None:
    """What a note saw from its old folder it goes on seeing from its new one."""
    files = {"a/Plan.md": "[s](../Start.md) [[Start]]\n", "Start.md": ""}
    assert moved(files, "a/Plan.md", "a/b/Plan.md") == {"a/b/Plan.md": "[s](../../Start.md) [[Start]]\n"}


def test_links_that_the_moved_note_would_catch_keep_their_note() -> None:
    """A bare name that meant another note is spelled out before the newcomer takes it."""
    files = {"deep/er/Plan.md": "", "x/Draft.md": "", "x/from.md": "[[Plan]]\n"}
    assert moved(files, "x/Draft.md", "x/Plan.md") == {"x/from.md": "[[er/Plan]]\n"}


def test_links_in_the_header_are_links_too() -> None:
    """A quoted wikilink in frontmatter is spelled anew inside its quotes."""
    files = {"a/Plan.md": "", "from.md": '---\nup: "[[a/Plan|p]]"\n# [[x]]\n---\n'}
    assert moved(files, "a/Plan.md", "b/Plan.md") == {"from.md": '---\nup: "[[b/Plan|p]]"\n# [[x]]\n---\n'}


def test_of_two_notes_with_one_name_each_keeps_its_links() -> None:
    """The shortest spelling that means the note is taken, longer where the name alone is another's."""
    files = {"a/Plan.md": "", "b/Plan.md": "", "a/from.md": "[[Plan]]\n"}
    assert moved(files, "a/Plan.md", "c/Plan.md") == {"a/from.md": "[[c/Plan]]\n"}
