"""What a terminal gets that a pipe does not: colour, links, progress."""

from __future__ import annotations

import io
import threading
from pathlib import Path
from typing import Any

import msgspec
import pytest

from memd.bridge.cli_progress import counting, watching
from memd.bridge.cli_shell import Options, Shell
from memd.bridge.cli_show import show
from memd.model.errors import Refused
from tests.fakes.daemon import daemon

HIT = {"hits": [{"title": "A", "path": "a b.md", "line": 2, "snippet": "x", "related": []}]}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shell(tmp_path: Path, terminal: bool = True, **environ: str) -> Shell:
    stream = Terminal if terminal else io.StringIO
    options = Options(vault=str(tmp_path), socket=str(tmp_path / "s"))
    return Shell(options, {"HOME": str(tmp_path), "TERM": "xterm", **environ}, stream(), stream())


def shown(of: Shell, answer: dict[str, Any]) -> str:
    show(of, "search", answer)
    assert isinstance(of.out, io.StringIO)
    return of.out.getvalue()


def test_a_terminal_gets_colour(tmp_path: Path) -> None:
    """Bold titles on a terminal."""
    assert "\x1b[1mA\x1b[0m" in shown(shell(tmp_path), HIT)


def test_a_hit_says_why_it_is_where_it_is(tmp_path: Path) -> None:
    """With `explain` the parts of the score and the words that were looked for stand under the hit."""
    why = {"text": 0.5, "meaning": 0.25, "words": ["kiln", "glaze"], "then": "modified, newest first"}
    answer = {"hits": [HIT["hits"][0] | {"score": 0.75, "why": why}]}
    lines = shown(shell(tmp_path, terminal=False), answer).splitlines()
    assert lines[-1] == "    score 0.75 = words 0.5 + meaning 0.25 (kiln, glaze)"


def test_an_empty_profile_says_when_it_is_filled(tmp_path: Path) -> None:
    """Also where it has a mark of what was read."""
    of = shell(tmp_path, terminal=False)
    show(of, "profile", {"stable": [], "recent": [], "up_to": "[[2026-04-02-s-1]]", "index": {}})
    assert isinstance(of.out, io.StringIO)
    assert isinstance(of.err, io.StringIO)
    assert of.out.getvalue() == ""
    assert "memd patch" in of.err.getvalue()


def test_json_steers_no_terminal(tmp_path: Path) -> None:
    """What JSON leaves unescaped is made visible on a terminal; a program gets the text as it is."""
    for terminal, expected in ((True, "a\ufffdb\ufffd"), (False, "a\x9bb\u202e")):
        of = shell(tmp_path, terminal)
        of.print_json({"title": "a\x9bb\u202e"})
        assert isinstance(of.out, io.StringIO)
        assert msgspec.json.decode(of.out.getvalue()) == {"title": expected}


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_can_be_refused(tmp_path: Path, environ: dict[str, str]) -> None:
    """NO_COLOR and a dumb terminal get none."""
    assert "\x1b[" not in shown(shell(tmp_path, **environ), HIT)


def test_a_pipe_gets_neither_colour_nor_links(tmp_path: Path) -> None:
    """Plain text, whatever the terminal around can do."""
    assert "\x1b" not in shown(shell(tmp_path, terminal=False, KITTY_WINDOW_ID="1"), HIT)


def test_terminals_that_can_get_links_into_obsidian(tmp_path: Path) -> None:
    """OSC 8 with the note's path, encoded; a terminal that is not known to get along with them gets none."""
    path = str(tmp_path).replace("/", "%2F")
    assert f"\x1b]8;;obsidian://open?path={path}%2Fa%20b.md\x1b\\" in shown(shell(tmp_path, KITTY_WINDOW_ID="1"), HIT)
    assert "\x1b]8" in shown(shell(tmp_path, VTE_VERSION="6003"), HIT)
    assert "\x1b]8" not in shown(shell(tmp_path), HIT)


def test_an_index_that_is_behind_is_said(tmp_path: Path) -> None:
    """On stderr, unless --quiet."""
    of = shell(tmp_path, terminal=False)
    show(of, "search", HIT | {"index": {"current": False, "pending": 7}})
    assert "7 files wait" in of.err.getvalue()  # type: ignore[attr-defined]
    show(of, "search", HIT | {"index": {"current": False, "pending": 1}})
    assert "1 file waits" in of.err.getvalue()  # type: ignore[attr-defined]
    show(of, "search", HIT | {"index": {"current": False, "pending": 0}})
    assert of.err.getvalue().endswith("(the index is behind)\n")  # type: ignore[attr-defined]


def test_a_problem_of_no_file_begins_with_its_words(tmp_path: Path) -> None:
    """What is wrong with no file has no empty place and colon before it."""
    answer = {"problems": [{"code": "held", "path": "", "line": 0, "message": "the disk is gone", "hint": "mount it"}]}
    of = shell(tmp_path, terminal=False)
    show(of, "doctor", answer)
    assert of.out.getvalue() == "the disk is gone [held]\n    mount it\n"  # type: ignore[attr-defined]


def test_counted_work_draws_a_bar_on_a_terminal_only(tmp_path: Path) -> None:
    """The bar shows how many of how many; a pipe gets nothing."""
    for terminal, seen in ((True, True), (False, False)):
        of = shell(tmp_path, terminal=terminal)
        with counting(of, "taking in", 4) as advance:
            advance(3)
        assert ("taking in" in of.err.getvalue()) is seen  # type: ignore[attr-defined]


def test_long_work_is_followed_on_a_second_connection(tmp_path: Path) -> None:
    """While it goes on, the files that wait are shown; its result and its refusals are the caller's."""
    asked, over = threading.Event(), threading.Event()

    def hello(params: Any, peer: Any) -> dict[str, Any]:
        asked.set()
        return {}

    def work() -> dict[str, Any]:
        assert asked.wait(10)
        over.set()
        return {"notes": 3}

    def refused() -> dict[str, Any]:
        raise Refused("busy", "later")

    with daemon(str(tmp_path / "s"), {"hello": hello}):
        of = shell(tmp_path)
        assert watching(of, "indexing", work) == {"notes": 3}
        assert "indexing" in of.err.getvalue()  # type: ignore[attr-defined]
        with pytest.raises(Refused, match="later"):
            watching(of, "indexing", refused)
