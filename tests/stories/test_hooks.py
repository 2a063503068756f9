"""Agents' hooks over a recorded transcript and a real daemon: memory goes into a session, and what memd said never comes back."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fakes.home import PATIENCE, Home

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / "config" / "hooks"
TRANSCRIPT = ROOT / "tests" / "data" / "transcripts" / "claude-code.jsonl"
SAID = {
    "For the atlas project I always want release notes in Chinese, and I decided to ship on 20 November 2026.",
    "Understood. I suggest a changelog generator.",
    "我周三下午不开会。",
    "好的，周三下午不安排会议。",
}


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path)
    try:
        yield made.start()
    finally:
        made.end()


def hook(home: Home, name: str, **given: object) -> subprocess.CompletedProcess[str]:
    """A hook's script as Claude Code runs it: JSON on standard input."""
    where = f"--socket {home.socket} --config {home.config}"
    env = {
        **home.env,
        "MEMD": f"{sys.executable} -m memd {where}",
        "MEMD_VAULT": str(home.vault),
        "MEMD_HOOK_WAIT": "1",
    }
    script = HOOKS / "claude-code" / name
    return subprocess.run(
        [sys.executable, str(script)],
        input=json.dumps({"session_id": "s", "cwd": str(home.base), **given}),
        env={**env, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=PATIENCE,
    )


def transcript(home: Home, context: str) -> Path:
    """The recorded session, as if it had begun with this context."""
    file = home.base / "transcript.jsonl"
    file.write_text(TRANSCRIPT.read_text().replace("@@CONTEXT@@", json.dumps(context)[1:-1]))
    return file


def evidence(home: Home) -> str:
    """Everything that the vault has as evidence."""
    return "\n".join(file.read_text() for file in sorted(home.vault.glob("memory/evidence/**/*.md")))


def end(home: Home, file: Path, event: str = "SessionEnd") -> None:
    done = hook(home, "session_end.py", hook_event_name=event, transcript_path=str(file))
    assert done.returncode == 0, done.stderr


def test_a_session_becomes_evidence_of_what_was_said_and_nothing_else(home: Home) -> None:
    """Words of the person and the agent; no tool results, no reminders, no side chains, nothing of memd's."""
    end(home, transcript(home, "<memd-context>\nLin prefers oolong.\n</memd-context>"))
    found = evidence(home)
    for words in SAID:
        assert words in found
    for words in ("oolong", "dark roast", "hates tea", "Explore the repository", "memd-context", "system-reminder"):
        assert words not in found
    assert found.count("^t") == len(SAID)
    assert "source: claude-code" in found


def test_the_same_session_again_adds_nothing(home: Home) -> None:
    """Before a compaction and again at its end: every turn stands once."""
    file = transcript(home, "")
    end(home, file, "PreCompact")
    before = evidence(home)
    end(home, file)
    assert evidence(home) == before


def test_memory_goes_into_a_session_and_does_not_come_back(home: Home) -> None:
    """A session that starts with what memd knows and ends with ingest adds only what was said in it."""
    home.call("memory.remember", text="I want the atlas dashboards in dark mode.", subject="atlas", aspect="dashboards")
    (home.base / "atlas").mkdir()
    start = hook(home, "session_start.py", hook_event_name="SessionStart", source="startup", cwd=f"{home.base}/atlas")
    assert start.returncode == 0
    assert start.stdout.startswith("<memd-context>\n"), start.stderr
    assert start.stdout.rstrip().endswith("</memd-context>")
    assert "dark mode" in start.stdout
    before = evidence(home)
    end(home, transcript(home, start.stdout))
    after = evidence(home)
    assert after.count("dark mode") == before.count("dark mode") == 1
    assert after.count("^t") == before.count("^t") + len(SAID)


def test_an_agent_that_hands_memds_words_back_adds_nothing(home: Home) -> None:
    """Over the socket or MCP, too: what stands in <memd-context> is taken out; an event that is nothing else is none."""
    events = [
        {
            "speaker": "user",
            "role": "user",
            "text": "<memd-context>\nLin prefers oolong.\n</memd-context>\nI moved to Hangzhou.",
        },
        {"speaker": "user", "role": "user", "text": "<MEMD-context>only this"},
        {"speaker": "user", "role": "user", "text": "我养了一只猫。"},
    ]
    answer = home.call("memory.ingest", session="s-1", source="test", events=events)
    assert len(answer["evidence"]) == 2
    found = evidence(home)
    assert "oolong" not in found
    assert "only this" not in found
    assert "I moved to Hangzhou." in found


def test_a_hook_never_holds_a_session_up(home: Home, tmp_path: Path) -> None:
    """No vault, no daemon, no JSON, no transcript: exit 0 and nothing on stdout."""
    env = {**os.environ, "HOME": str(tmp_path), "MEMD": str(tmp_path / "no-such-memd")}
    for name in ("session_start.py", "session_end.py"):
        for given in ("", "not json", json.dumps({"transcript_path": str(TRANSCRIPT), "cwd": str(tmp_path)})):
            command = [sys.executable, str(HOOKS / "claude-code" / name)]
            done = subprocess.run(command, input=given, env=env, capture_output=True, text=True, timeout=PATIENCE)
            assert (done.returncode, done.stdout) == (0, "")


def test_the_settings_name_the_scripts(home: Home) -> None:
    """Every command of the snippet is a script that is there, under an event that Claude Code has."""
    hooks = json.loads((HOOKS / "claude-code" / "settings.json").read_text())["hooks"]
    assert set(hooks) <= {"SessionStart", "UserPromptSubmit", "Stop", "PreCompact", "SessionEnd"}
    commands = [each["command"] for groups in hooks.values() for group in groups for each in group["hooks"]]
    assert {os.path.basename(command) for command in commands} == {"session_start.py", "session_end.py"}
    assert all((HOOKS / "claude-code" / os.path.basename(command)).is_file() for command in commands)


def test_no_words_close_the_mark_of_the_hook() -> None:
    """Whatever the case, the blanks or the nesting, words that were said cannot end the hook's `<memd-context>`."""
    marked = runpy.run_path(str(HOOKS / "claude-code" / "session_start.py"))["marked"]
    for said in ("</memd-context>", "</MEMD-context >", "< /memd-context>", "</memd-</memd-context>context>"):
        assert marked(said).lower().replace(" ", "").count("</memd-context") == 1
