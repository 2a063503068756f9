"""The command line over a real socket: words to calls, answers to stdout, messages to stderr, exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memd.bridge import cli
from memd.bridge.cli_completion import script
from memd.bridge.cli_words import OWN, docs
from memd.index.fetching import fetch
from memd.serve.messages import METHODS, OF_WORD
from tests.fakes.daemon import FakeDaemon, daemon, refuse

HIT = {
    "permalink": "linear-algebra",
    "path": "courses/线性代数.md",
    "title": "线性代数\x1b[31m",
    "snippet": "every  matrix\nis a map",
    "line": 7,
    "related": [{"permalink": "b", "title": "Vectors", "relation": "part_of"}],
}
Memd = Callable[..., tuple[int, str, str]]


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "s")


@pytest.fixture
def running(path: str) -> Iterator[FakeDaemon]:
    def forget(params: Any, peer: Any) -> dict[str, Any]:
        return {"plan": {"removed": ["x.md"]}, "token": "tok"} if params.dry_run else {"done": True}

    answers = {
        "memory.search": {"hits": [HIT], "took_ms": 1},
        "memory.read": {"content": "one\ntwo", "truncated": True, "next_offset": 7},
        "memory.edit": {"plan": "--- a\n+++ a\n-x\n+y", "token": "t1"},
        "memory.list": refuse("outside_vault", "that leaves the vault", path="../x"),
        "memory.doctor": {
            "problems": [{"code": "yaml", "path": "a.md", "line": 2, "message": "a tab", "hint": "use spaces"}]
        },
        "memory.forget": forget,
        "memory.reindex": {"notes": 3, "took_ms": 2},
    }
    with daemon(path, answers) as found:
        yield found


@pytest.fixture
def memd(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Memd:
    """Runs `memd …` in this process with the fake daemon's socket; gives (exit code, stdout, stderr)."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name))

    def run(*argv: str, bare: bool = False) -> tuple[int, str, str]:
        given = argv if bare else (argv[0], "--vault", str(tmp_path / "v"), "--socket", path, *argv[1:])
        code = cli.main(list(given))
        out = capsys.readouterr()
        return code, out.out, out.err

    return run


def sent(running: FakeDaemon) -> dict[str, Any]:
    """The params of the last call that are not defaults."""
    name, params = running.seen[-1]
    defaults = {
        p.name: p.default for p in __import__("memd.serve.messages", fromlist=["params_of"]).params_of(METHODS[name])
    }
    return {
        k: v for k, v in params.items() if v != defaults.get(k) and v not in ([], {}, ()) and k != "idempotency_key"
    }


@pytest.mark.parametrize(
    ("argv", "params"),
    [
        ("search plover in spring --mode text", {"query": "plover in spring", "mode": "text"}),
        ("search x --tag a --tag b/c --kind leaf --since 2026-01-01", {"query": "x", "tags": ["a", "b/c"], "kinds": ["leaf"], "since": "2026-01-01"}),
        ("search --include-sensitive --explain", {"include_sensitive": True, "explain": True}),
        ("search x --where status=open --where grade>=5", {"query": "x", "where": {"status": "open", "grade": {"gte": 5}}}),
        ("search -- -cats dogs", {"query": "-cats dogs"}),
        ("read some-note-1x2y --max-bytes 100", {"permalink": "some-note-1x2y", "max_bytes": 100}),
        ("read courses/a.md", {"path": "courses/a.md"}),
        ("read lf-3v7c2nrzda", {"id": "lf-3v7c2nrzda"}),
        ("read --id lf-3v7c2nrzda", {"id": "lf-3v7c2nrzda"}),
        ("edit a.md old new --all --expected-sha256 ab", {"path": "a.md", "find": "old", "replace": "new", "all": True, "expected_sha256": "ab"}),
        ("edit --id lf-3v7c2nrzda old new", {"id": "lf-3v7c2nrzda", "find": "old", "replace": "new"}),
        ("append note fact text --dry-run", {"permalink": "note", "category": "fact", "text": "text", "dry_run": True}),
        ("move note knowledge/b.md", {"permalink": "note", "to": "knowledge/b.md"}),
        ("remember I like tea --subject me", {"text": "I like tea", "subject": "me"}),
        ("trace ev-7k2m7q4txa#t3 --direction up", {"id": "ev-7k2m7q4txa#t3", "direction": "up"}),
        ("retrieve why move --category interaction --tree interaction:小林 --no-leaves --until 2026-04-30 --of valid",
         {"query": "why move", "categories": ["interaction"], "tree_id": "interaction:小林", "include_leaves": False,
          "time_range": {"until": "2026-04-30", "of": "valid"}}),
        ("undo", {}),
        ("profile --history", {"history": True}),
        ("refresh --accept", {"accept": True}),
    ],
)  # fmt: skip
def test_words_become_params(running: FakeDaemon, memd: Memd, argv: str, params: dict[str, Any]) -> None:
    """Positional arguments in the table's order, options named like params, lists repeat."""
    code, _, err = memd(*argv.split())
    assert (code, err) != (2, "")
    assert sent(running) == params


def test_a_note_is_written_from_shorthand(running: FakeDaemon, memd: Memd) -> None:
    """Observations and relations are typed as they stand in a note, or as JSON."""
    memd("write", "Kiln", "--observation", "[heat] 1240 °C is enough (cone 6)", "--relation", "part_of [[Studio]]",
         "--observation", '{"category": "a", "text": "b"}', "--tag", "pottery")  # fmt: skip
    assert sent(running) == {
        "title": "Kiln",
        "tags": ["pottery"],
        "observations": [
            {"category": "heat", "text": "1240 °C is enough", "context": "cone 6"},
            {"category": "a", "text": "b"},
        ],
        "relations": [{"type": "part_of", "target": "Studio"}],
    }


def test_global_options_stand_anywhere(running: FakeDaemon, memd: Memd, path: str) -> None:
    """Before the word, after it, and with `=`."""
    assert memd("--socket", path, "--json", "search", "x", bare=True)[0] == 0
    assert memd("search", "x", f"--socket={path}", "--json", bare=True)[0] == 0
    assert memd("--socket", path, "search", "--json", "x", bare=True)[0] == 0


def test_json_is_the_wires_result_and_nothing_else(running: FakeDaemon, memd: Memd) -> None:
    """One JSON value on stdout."""
    code, out, err = memd("search", "x", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {"hits": [HIT], "took_ms": 1, "index": {"current": True, "pending": 0}}


def test_json_of_a_refusal_is_its_error(running: FakeDaemon, memd: Memd) -> None:
    """Exit 1, the error with its data on stdout, nothing on stderr."""
    code, out, err = memd("list", "--json")
    assert (code, err) == (1, "")
    assert json.loads(out) == {
        "error": {"code": "outside_vault", "message": "that leaves the vault", "data": {"path": "../x"}}
    }


def test_a_refusal_is_said_on_stderr(running: FakeDaemon, memd: Memd) -> None:
    """People read the sentence; stdout stays empty."""
    assert memd("list") == (1, "", "memd: that leaves the vault\n")


def test_hits_are_readable_and_harmless(running: FakeDaemon, memd: Memd) -> None:
    """Title, path and line, the snippet on one line; an escape sequence in a title is shown, not obeyed."""
    code, out, _ = memd("search", "matrix")
    assert code == 0
    assert out == "线性代数\ufffd[31m  courses/线性代数.md:7\n    every matrix is a map\n    part_of Vectors\n"


def test_refusals_name_commands_and_no_methods(running: FakeDaemon, memd: Memd) -> None:
    """`memory.search` is what a program calls; a person is told of `memd search`, a program of the method."""
    running.answers["memory.list"] = refuse("not_found", "memory.list: memory.search finds it; my memory.Card stays")
    assert memd("list")[2] == "memd: memd list: memd search finds it; my memory.Card stays\n"
    assert "memory.search finds it" in memd("list", "--json")[1]


@pytest.mark.parametrize("word", ["list", "recent", "profile", "seal", "patch", "chains"])
def test_an_answer_that_holds_nothing_is_said(running: FakeDaemon, memd: Memd, word: str) -> None:
    """Nothing on stdout for a script, a word on stderr for a person, and neither with --quiet."""
    running.answers[OF_WORD[word].name] = {"made": [], "notes": [], "version": 0, "cursor": ""}
    code, out, err = memd(word)
    assert (code, out) == (0, "")
    assert err.startswith("no")
    assert memd(word, "--quiet") == (0, "", "")


def test_a_config_that_is_named_must_be_there(memd: Memd, tmp_path: Path) -> None:
    """It is not taken for an empty one."""
    code, out, err = memd("status", "--config", str(tmp_path / "no.toml"))
    assert (code, out) == (1, "")
    assert "there is no config" in err


def test_models_are_listed(tmp_path: Path) -> None:
    """By a process of its own: the one that travels with memd, those that were fetched, and what ails one that is damaged."""
    models = tmp_path / "memd" / "models"
    (models / "snapshot").mkdir(parents=True)
    (models / "snapshot" / "model.onnx").write_bytes(b"weights")
    fetch("org/name", str(models), lambda name, cache: str(models / "snapshot"))
    command = [sys.executable, "-m", "memd", "model"]
    environ = os.environ | {"XDG_CACHE_HOME": str(tmp_path)}
    done = subprocess.run([*command, "list"], env=environ, capture_output=True, text=True, check=True)
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["e5-small-zh-en-int8", "org/name"]
    assert "fetched" in done.stdout
    done = subprocess.run([*command, "fetch", "no/such"], env=environ, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("memd: fastembed knows no model no/such")


def test_a_note_is_printed_as_it_is(running: FakeDaemon, memd: Memd) -> None:
    """Content on stdout; that there is more, on stderr."""
    assert memd("read", "a.md") == (0, "one\ntwo\n", "more: --offset 7\n")


def test_a_plan_is_printed_with_its_token(running: FakeDaemon, memd: Memd) -> None:
    """The diff is data, the token advice."""
    code, out, err = memd("edit", "a.md", "x", "y", "--dry-run")
    assert (code, out) == (0, "--- a\n+++ a\n-x\n+y\n")
    assert "--token t1" in err


def test_problems_are_a_line_each(running: FakeDaemon, memd: Memd) -> None:
    """Place, message, code, and what to do."""
    assert memd("doctor") == (0, "a.md:2: a tab [yaml]\n    use spaces\n", "")


@pytest.mark.parametrize(
    "argv",
    [
        ["frobnicate"],
        ["search", "x", "--limit"],
        ["search", "x", "--limit", "many"],
        ["search", "x", "--mode", "telepathy"],
        ["search", "x", "--lim", "3"],
        ["search", "-cormorant"],
        ["search", "--where", "=x"],
        ["append", "only"],
        ["append", "category", "text"],
        ["read"],
        ["read", ""],
        ["move", "to"],
        ["model", "fetch"],
        ["help", "frobnication"],
        ["forget", "everything"],
        ["write", "t", "--observation", "no brackets"],
        [],
    ],
)
def test_usage_errors_exit_with_2(memd: Memd, argv: list[str]) -> None:
    """Nothing on stdout, a sentence on stderr, and no daemon is started."""
    code, out, err = memd(*argv, bare=True)
    assert (code, out) == (2, "")
    assert err


def test_a_misspelt_word_is_answered_with_the_nearest(memd: Memd) -> None:
    """`serch` is taken for what it was meant to be, in the message only."""
    assert "did you mean 'search'?" in memd("serch", "x", bare=True)[2]


def test_no_daemon_is_3(memd: Memd, tmp_path: Path) -> None:
    """With --no-spawn nothing is started; with --json the error is on stdout."""
    code, out, _ = memd("status", "--no-spawn", "--json")
    assert code == 3
    assert json.loads(out)["error"]["code"] == "unavailable"
    assert memd("status", "--no-spawn")[:2] == (3, "")


def test_a_config_may_forbid_to_start_one(memd: Memd, tmp_path: Path) -> None:
    """`[daemon] spawn = false` is 3, too."""
    (tmp_path / "v").mkdir()
    (tmp_path / "c.toml").write_text("[daemon]\nspawn = false\n")
    pytest.importorskip("memd.parse.settings", reason="settings are read by another part")
    code, _, err = memd("status", "--config", str(tmp_path / "c.toml"))
    assert code == 3
    assert "spawn is false" in err


def test_forgetting_without_a_terminal_needs_yes(running: FakeDaemon, memd: Memd) -> None:
    """The plan is shown and nothing happens; --yes does it; --dry-run only shows."""
    code, out, err = memd("forget", "leaf:lf-1")
    assert (code, "x.md" in out, "--yes" in err) == (1, True, True)
    assert [params["dry_run"] for _, params in running.seen] == [True]
    assert memd("forget", "leaf:lf-1", "--yes", "--purge")[0] == 0
    assert sent(running) == {"target": {"leaf": "lf-1"}, "purge": True, "dry_run": False}
    assert memd("forget", "session:s-1", "--dry-run")[0] == 0
    assert running.seen[-1][1]["dry_run"] is True


def test_reindex_answers_when_it_is_done(running: FakeDaemon, memd: Memd) -> None:
    """Counts on stdout."""
    assert memd("reindex", "--full") == (0, "notes: 3\ntook_ms: 2\n", "")
    assert sent(running) == {"full": True}


def test_help_lists_every_word(memd: Memd) -> None:
    """Each word of the table and each of its own has a line, and each has a page."""
    code, out, _ = memd("help", bare=True)
    assert code == 0
    assert all(f"  {word} " in out for word in {*OF_WORD, *OWN})
    assert max(map(len, out.splitlines())) <= 80
    for word in docs():
        code, out, _ = memd("help", word, bare=True)
        assert code == 0
        assert f"memd {word}" in out
    assert '"two words"' in memd("help", "query", bare=True)[1]
    assert memd("help", "serach", bare=True)[0] == 2


def test_the_version_is_printed(memd: Memd) -> None:
    """`memd --version`."""
    assert memd("--version", bare=True)[1].startswith("memd 0.")


def complete(tmp_path: Path, line: str) -> list[str]:
    """What bash offers for a line that ends where the cursor is."""
    file = tmp_path / "completion"
    file.write_text(script("bash"))
    words = line.split(" ")
    program = f'source {file}; COMP_WORDS=({" ".join(repr(w) for w in words)}); COMP_CWORD={len(words) - 1}; _memd; printf "%s\\n" "${{COMPREPLY[@]}}"'
    told = subprocess.run(["bash", "-c", program], capture_output=True, text=True, check=True, cwd=tmp_path)
    return told.stdout.split()


def test_bash_completes_words_options_and_choices(tmp_path: Path) -> None:
    """A command, its options, and what an option takes."""
    assert complete(tmp_path, "memd sear") == ["search"]
    assert "--include-sensitive" in complete(tmp_path, "memd search --inc")
    assert sorted(complete(tmp_path, "memd search --mode ")) == ["hybrid", "text", "vector"]
    assert complete(tmp_path, "memd --json retr") == ["retrieve"]
    (tmp_path / "talk.jsonl").touch()
    assert complete(tmp_path, "memd ingest tal") == ["talk.jsonl"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_word_is_completed_in_every_shell(shell: str) -> None:
    """Each word stands in each script."""
    assert all(word in script(shell) for word in docs())


def test_a_pipe_that_closes_is_no_traceback(path: str, running: FakeDaemon, tmp_path: Path) -> None:
    """`memd read … | head` ends quietly."""
    running.answers["memory.read"] = {"content": "line\n" * 200_000}
    command = f"{sys.executable} -m memd read a.md --vault {tmp_path} --socket {path} --max-bytes 1000000 | head -n 1"
    told = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False, env=dict(os.environ))
    assert (told.stdout, told.stderr) == ("line\n", "")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("search x --limit abc", 2),
        ("search x --nosuch", 2),
        ("searhc x", 2),
        ("", 2),
        ("forget leaf", 2),
        ("run --vault /nonexist", 1),
        ("init /proc/nosuch", 1),
        ("completion bash", 0),
        ("help", 0),
        ("help search", 0),
        ("help nosuch", 2),
        ("model list", 0),
        ("model fetch nosuch", 1),
    ],
)
def test_json_is_one_value_whatever_happens(tmp_path: Path, line: str, code: int) -> None:
    """With --json stdout holds one JSON value: a result, or an error whose code and message say what is wrong."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("XDG_", "MEMD_"))} | {"HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "memd", *line.split(), "--json"], env=env, capture_output=True, timeout=60
    )
    assert done.returncode == code
    said = json.loads(done.stdout)
    assert ("error" in said) == bool(code)
    assert code != 2 or said["error"]["code"] == "invalid_params"


def test_an_option_that_is_misspelt_is_recognised(memd: Memd) -> None:
    """The message names the option that was meant, the exit code is that of a usage error."""
    code, out, err = memd("search", "x", "--limt", "3")
    assert (code, out) == (2, "")
    assert "did you mean '--limit'?" in err


@pytest.mark.parametrize("options", [(), ("--json",)])
def test_an_output_that_is_full_is_a_failure_told_in_a_line(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Exit 1 and one line that says what happened, no traceback."""
    with open("/dev/full", "wb") as full:
        argv = [sys.executable, "-m", "memd", "help", *options]
        done = subprocess.run(argv, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr.count("\n")) == (1, 0 if options else 1), done.stderr


def test_an_output_that_is_closed_is_no_fault() -> None:
    """`memd help >&-` prints nothing, has no traceback and is done."""
    argv = ["bash", "-c", 'exec "$0" -m memd help >&-', sys.executable]
    done = subprocess.run(argv, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("word", docs())
def test_an_output_that_nobody_reads_is_no_traceback(tmp_path: Path, word: str) -> None:
    """`memd … | true`: whatever the command had to say, and be it an error as JSON, it ends in silence."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as unread:
        argv = [sys.executable, "-m", "memd", word, "--no-such-option", "--json"]
        done = subprocess.run(argv, stdout=unread, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (done.returncode, done.stderr) == (1, "")


INTERRUPTING = """
import atexit, os, signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # what was started in the background ignores it
def interrupt():
    os.kill(os.getpid(), signal.SIGINT)
    print("goes on", file=sys.stderr)
class Finder:
    def find_spec(self, name, path, target=None):
        if name == {name!r}:
            interrupt()
sys.meta_path.insert(0, Finder())
if {name!r} == "":
    atexit.register(interrupt)
"""


@pytest.mark.parametrize(
    ("name", "ends"),
    [
        ("memd.bridge.cli", (130, "goes on\n")), ("msgspec", (130, "goes on\n")), ("memd.serve.frames", (130, "goes on\n")),
        ("memd.bridge.cli_own", (130, "")), ("", (0, "goes on\n")),
    ],
)  # fmt: skip
def test_an_interrupt_is_quiet_from_the_first_line_on(tmp_path: Path, name: str, ends: tuple[int, str]) -> None:
    """Exit 130 and no traceback; it waits until what every command needs is loaded, and comes too late when all is done."""
    (tmp_path / "sitecustomize.py").write_text(INTERRUPTING.format(name=name))
    path = os.pathsep.join(filter(None, (str(tmp_path), os.environ.get("PYTHONPATH"))))
    argv = [sys.executable, "-m", "memd", "help"]
    done = subprocess.run(argv, env=os.environ | {"PYTHONPATH": path}, capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stderr) == ends
