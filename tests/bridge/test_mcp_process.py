"""`memd mcp` as clients start it: the SDK's own client and MCP Inspector's command line, a real daemon behind it."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.client.stdio import StdioServerParameters

from tests.fakes.home import PATIENCE, Home

ROOT = Path(__file__).parents[2]


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    made = Home(tmp_path, '[vectors]\nmodel = "off"\n[daemon]\nidle_exit = 30\n')
    made.write("courses/线性代数.md", "---\ntags: [math]\n---\n# 线性代数\n\n- [exam] 期中闭卷\n")
    try:
        yield made
    finally:
        made.end()


def server(home: Home, *options: str) -> StdioServerParameters:
    where = ["--vault", str(home.vault), "--socket", home.socket, "--config", str(home.config)]
    return StdioServerParameters(
        command=sys.executable, args=["-m", "memd", "mcp", *where, *options], env=home.env, cwd=str(ROOT)
    )


def talk(home: Home, say: Callable[[Client], Awaitable[Any]], *options: str, **client: Any) -> Any:
    async def whole() -> Any:
        async with asyncio.timeout(PATIENCE), Client(server(home, *options), **client) as session:
            return await say(session)

    return asyncio.run(whole())


async def result(session: Client, tool: str, **params: Any) -> dict[str, Any]:
    found = await session.call_tool(tool, params)
    assert not found.is_error, found.content
    return dict(found.structured_content)


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_daemon_is_started_where_none_answers(home: Home, mode: str) -> None:
    """The first call brings one up, as the command line does; a note written over MCP is found by the next call."""

    async def say(session: Client) -> tuple[Any, Any, int]:
        wrote = await result(
            session,
            "memory_write",
            title="数据结构（2026 秋）",
            observations=[{"category": "exam", "text": "考到 AVL 删除"}],
            tags=["DS"],
        )
        hits = await result(session, "memory_search", query="删除", mode="text")
        status = await result(session, "status")
        return wrote, hits, status["daemon"]["pid"]

    wrote, hits, pid = talk(home, say, mode=mode)
    try:
        assert wrote["action"] == "created"
        assert [hit["path"] for hit in hits["hits"]] == [wrote["path"]]
        assert "考到 AVL 删除" in home.text(wrote["path"])
    finally:
        os.kill(pid, signal.SIGTERM)


def test_a_session_outlives_its_daemon(home: Home) -> None:
    """Killed between two calls and started again: the second call is answered in the same session."""
    home.start()

    async def say(session: Client) -> list[str]:
        first = await result(session, "memory_read", path="courses/线性代数.md")
        await asyncio.to_thread(home.end, signal.SIGKILL)
        await asyncio.to_thread(home.start)
        second = await result(session, "memory_read", path="courses/线性代数.md")
        return [first["sha256"], second["sha256"]]

    first, second = talk(home, say)
    assert first == second


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_person_is_asked_before_a_note_goes(home: Home, mode: str) -> None:
    """Declined, the file stays; agreed, it is in the trash, and the plan that they saw names it."""
    home.start()
    asked: list[str] = []
    answers = iter(["decline", "accept"])

    async def person(context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        asked.append(params.message)
        action = next(answers)
        return types.ElicitResult(action=action, content={"confirm": True} if action == "accept" else None)

    async def say(session: Client) -> tuple[Any, bool, Any]:
        refused = await session.call_tool("memory_delete", {"path": "courses/线性代数.md"})
        stays = (home.vault / "courses" / "线性代数.md").exists()
        return refused, stays, await result(session, "memory_delete", path="courses/线性代数.md")

    refused, stays, deleted = talk(home, say, mode=mode, elicitation_callback=person)
    assert refused.is_error
    assert stays
    assert (home.vault / deleted["trashed_path"]).exists()
    assert all("courses/线性代数.md" in question for question in asked)


def test_without_elicitation_the_plans_token_carries_it_out(home: Home) -> None:
    """The model is shown the plan and comes back with the token; the person's settings can switch that off."""
    home.start()

    async def say(session: Client) -> Any:
        shown = await session.call_tool("memory_delete", {"path": "courses/线性代数.md"})
        token = shown.structured_content["error"]["data"]["token"]
        deleted = await result(session, "memory_delete", path="courses/线性代数.md", token=token)
        return await result(session, "memory_restore", path=deleted["trashed_path"])

    talk(home, say)
    talk(home, lambda session: result(session, "memory_delete", path="courses/线性代数.md"), "--confirm", "never")
    assert not (home.vault / "courses" / "线性代数.md").exists()


def test_no_vault_is_said_at_once(tmp_path: Path) -> None:
    """A client that starts it without a vault gets exit 1 and a sentence, not a server that answers nothing."""
    env = {**os.environ, "HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path)}
    said = subprocess.run(
        [sys.executable, "-m", "memd", "mcp"],
        cwd=tmp_path,
        env={**env, "PYTHONPATH": str(ROOT)},
        input="",
        capture_output=True,
        text=True,
    )
    assert said.returncode == 1
    assert "memd init" in said.stderr
    assert said.stdout == ""


@pytest.mark.slow
def test_mcp_inspector_lists_and_calls_tools(home: Home, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The official inspector's command line, from npm, sees the tools with their schemas and gets a structured answer."""
    if not (shutil.which("npx") and shutil.which("node")):
        pytest.skip("there is no Node with npx here")
    folder = tmp_path_factory.mktemp("inspector")
    home.start()
    given = server(home)
    entry = {"command": given.command, "args": given.args, "env": {**home.env, "PYTHONPATH": str(ROOT)}}
    (folder / "mcp.json").write_text(json.dumps({"mcpServers": {"memd": entry}}))
    command = ["npx", "--yes", "@modelcontextprotocol/inspector", "--cli", "--config", "mcp.json", "--server", "memd"]

    def inspect(*argv: str) -> Any:
        env = {**os.environ, "HOME": str(folder)}
        said = subprocess.run([*command, *argv], cwd=folder, env=env, capture_output=True, text=True, timeout=300)
        if said.returncode and any(
            why in said.stderr
            for why in ("ENOTFOUND", "E404", "EBADENGINE", "E403", "Unsupported engine", "SyntaxError")
        ):
            pytest.skip(f"npm or Node does not allow it: {said.stderr.strip().splitlines()[-1][:200]}")
        assert said.returncode == 0, said.stderr[-2000:]
        return json.loads(said.stdout)

    tools = {tool["name"]: tool for tool in inspect("--method", "tools/list")["tools"]}
    assert tools["memory_search"]["annotations"]["readOnlyHint"]
    assert tools["memory_search"]["inputSchema"]["properties"]["query"]["description"]
    found = inspect("--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=闭卷")
    assert found["structuredContent"]["hits"][0]["title"] == "线性代数"
    assert "memd://profile" in {each["uri"] for each in inspect("--method", "resources/list")["resources"]}
    assert {each["name"] for each in inspect("--method", "prompts/list")["prompts"]} == {
        "remember",
        "recall",
        "wrap_up_session",
    }
