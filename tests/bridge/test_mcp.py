"""MCP over a fake daemon: what a client gets of tools, confirmations, resources and prompts, in both eras of the protocol."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError

from memd.bridge.cli_shell import Options, Shell
from memd.bridge.mcp_calls import Confirm, Line
from memd.bridge.mcp_server import Bridge
from tests.fakes.daemon import FakeDaemon, daemon, refuse

ERAS = ("legacy", "auto")
HITS = {"hits": [{"permalink": "摄影", "score": 1.0}], "took_ms": 1.0}
DIFF = "--- a/note.md\n+++ .trash/note.md\n"


def rehearsed(params: Any, _: Any) -> Any:
    """A destructive method of the daemon: a plan for a rehearsal, the deed with the plan's token or with none."""
    if params.dry_run:
        return {"plan": DIFF, "token": "t-1"}
    return {"trashed_path": ".trash/note.md"} if params.token in ("", "t-1") else refuse("confirm_required", "too old")


@pytest.fixture
def fake(tmp_path: Path) -> Iterator[FakeDaemon]:
    answers = {"memory.search": HITS, "memory.delete": rehearsed, "memory.append": {"action": "appended"}}
    with daemon(str(tmp_path / "s"), answers) as running:
        yield running


def talk(
    fake: FakeDaemon,
    say: Callable[[Client], Awaitable[Any]],
    *,
    mode: str = "auto",
    confirm: Confirm = "destructive",
    read_only: bool = False,
    **client: Any,
) -> Any:
    """What `say` gets out of a client of a bridge to the fake daemon."""

    async def whole() -> Any:
        line = Line(Shell(Options(socket=fake.path, no_spawn=True)))
        async with Client(Bridge(line, confirm, read_only).server(), mode=mode, **client) as session:
            try:
                found = await say(session)
            except MCPError as error:
                found = error
        await line.close()
        return found

    found = asyncio.run(whole())
    if isinstance(found, MCPError):
        raise found
    return found


def called(fake: FakeDaemon, name: str, params: dict[str, Any], **options: Any) -> types.CallToolResult:
    return talk(fake, lambda session: session.call_tool(name, params), **options)


def done(fake: FakeDaemon, method: str) -> list[dict[str, Any]]:
    """The calls of a method that were more than a rehearsal."""
    return [params for name, params in fake.seen if name == method and not params["dry_run"]]


class Person:
    """Answers what a client is asked; `asked` keeps the questions."""

    def __init__(self, action: str, **content: Any) -> None:
        self.action = action
        self.content = content
        self.asked: list[str] = []

    async def __call__(self, context: Any, params: types.ElicitRequestParams) -> types.ElicitResult:
        self.asked.append(params.message)
        return types.ElicitResult(action=self.action, content=self.content or None)


# tools


@pytest.mark.parametrize("mode", ERAS)
def test_an_answer_is_structured_and_readable(fake: FakeDaemon, mode: str) -> None:
    """The wire's result as it is, and the same as text for a model; a null counts as not given."""
    found = called(fake, "memory_search", {"query": "摄影", "folder": None}, mode=mode)
    assert not found.is_error
    assert found.structured_content["hits"] == HITS["hits"]
    assert json.loads(found.content[0].text) == found.structured_content
    assert "摄影" in found.content[0].text
    assert fake.seen[-1][1]["query"] == "摄影"


@pytest.mark.parametrize("mode", ERAS)
def test_a_refusal_is_a_tools_error_with_what_to_do_next(fake: FakeDaemon, mode: str) -> None:
    """Code, message and data reach the model: the daemon's own, and those of params that do not fit."""
    fake.answers["memory.edit"] = refuse("find_ambiguous", "it stands there twice: give more of it, or all", count=2)
    found = called(fake, "memory_edit", {"permalink": "a", "find": "x", "replace": "y"}, mode=mode)
    assert found.is_error
    assert found.content[0].text.startswith("find_ambiguous: it stands there twice: give more of it, or all")
    assert found.structured_content["error"]["data"] == {"count": 2}
    wrong = called(fake, "memory_search", {"limit": 5000}, mode=mode)
    assert wrong.is_error
    assert "limit" in wrong.content[0].text


def test_a_tool_that_is_none_is_the_protocols_error(fake: FakeDaemon) -> None:
    """Not a tool's result."""
    with pytest.raises(MCPError, match="no tool"):
        called(fake, "memory_dance", {})


def test_tools_are_listed_with_schemas_hints_and_descriptions(fake: FakeDaemon) -> None:
    """Everything that a client shows before a call."""
    tools = {tool.name: tool for tool in talk(fake, lambda session: session.list_tools()).tools}
    write = tools["memory_write"]
    assert "memory_search" in (write.description or "")
    assert write.input_schema["required"] == ["title"]
    assert write.output_schema["properties"]["permalink"]
    assert tools["memory_forget"].annotations.destructive_hint
    assert tools["memory_read"].annotations.read_only_hint
    assert not tools["memory_read"].annotations.open_world_hint


def test_no_daemon_is_said_in_the_result(tmp_path: Path) -> None:
    """Where none answers and none may be started, the tool's error says how to start one."""
    absent = FakeDaemon(str(tmp_path / "nobody"), {})
    found = called(absent, "memory_search", {"query": "x"})
    assert found.is_error
    assert "memd run" in found.content[0].text


def test_a_restart_of_the_daemon_goes_unnoticed(fake: FakeDaemon, tmp_path: Path) -> None:
    """The same session asks again on a new connection."""

    async def say(session: Client) -> list[bool]:
        first = await session.call_tool("memory_search", {"query": "a"})
        await asyncio.to_thread(fake.stop)
        with daemon(fake.path, {"memory.search": HITS}):
            second = await session.call_tool("memory_search", {"query": "b"})
        return [first.is_error, second.is_error]

    assert talk(fake, say) == [False, False]


def test_calls_under_way_together_all_outlive_a_restart(fake: FakeDaemon) -> None:
    """Twenty at once, the daemon gone before them: each is answered by the next one."""

    async def say(session: Client) -> list[bool]:
        await session.call_tool("memory_search", {"query": "a"})
        await asyncio.to_thread(fake.stop)
        with daemon(fake.path, {"memory.search": HITS}):
            calls = [session.call_tool("memory_search", {"query": str(n)}) for n in range(20)]
            return [found.is_error for found in await asyncio.gather(*calls)]

    assert talk(fake, say) == [False] * 20


def test_a_write_that_is_repeated_is_done_once(fake: FakeDaemon) -> None:
    """Each write carries a key of its own, so that asking again after a lost answer is harmless."""
    called(fake, "memory_append", {"permalink": "a", "category": "c", "text": "t"})
    called(fake, "memory_append", {"permalink": "a", "category": "c", "text": "t"})
    first, second = (params["idempotency_key"] for _, params in fake.seen if "idempotency_key" in params)
    assert first
    assert first != second


@pytest.mark.parametrize("mode", ERAS)
def test_long_work_says_that_it_goes_on(fake: FakeDaemon, mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client that asked for progress hears of it, in rising numbers."""
    monkeypatch.setattr("memd.bridge.mcp_server.EVERY", 0.01)
    heard: list[float] = []
    enough = threading.Event()

    async def slow(params: Any, peer: Any) -> dict[str, Any]:
        await asyncio.to_thread(enough.wait, 10)
        return {"took_ms": 1}

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        heard.append(progress)
        if len(heard) == 2:
            enough.set()

    fake.answers["memory.reindex"] = slow
    found = talk(fake, lambda s: s.call_tool("memory_reindex", {}, progress_callback=hear), mode=mode)
    assert not found.is_error
    assert heard[:2] == [1, 2]


@pytest.mark.parametrize("mode", ERAS)
def test_a_note_says_which_agent_wrote_it(fake: FakeDaemon, mode: str) -> None:
    """As the client calls itself, unless the call says otherwise."""
    client = types.Implementation(name="Claude Code", version="1")
    called(fake, "memory_write", {"title": "a"}, mode=mode, client_info=client)
    called(fake, "memory_write", {"title": "a", "origin": "human"}, mode=mode, client_info=client)
    assert [params["origin"] for name, params in fake.seen if name == "memory.write"] == ["agent:claude-code", "human"]


# confirmation


@pytest.mark.parametrize("mode", ERAS)
def test_without_elicitation_a_destructive_call_shows_its_plan_first(fake: FakeDaemon, mode: str) -> None:
    """Nothing is done; the same call with the plan's token does it."""
    shown = called(fake, "memory_delete", {"permalink": "note"}, mode=mode)
    assert shown.is_error
    error = shown.structured_content["error"]
    assert error["code"] == "confirm_required"
    assert error["data"] == {"plan": DIFF, "token": "t-1"}
    assert DIFF.splitlines()[0] in shown.content[0].text
    assert not done(fake, "memory.delete")
    found = called(fake, "memory_delete", {"permalink": "note", "token": "t-1"}, mode=mode)
    assert not found.is_error
    assert len(done(fake, "memory.delete")) == 1


@pytest.mark.parametrize("mode", ERAS)
def test_with_elicitation_a_person_is_asked(fake: FakeDaemon, mode: str) -> None:
    """They see the plan; agreed, it is done once; a token that the model brings spares no question."""
    person = Person("accept", confirm=True)
    found = called(fake, "memory_delete", {"permalink": "note", "token": "t-1"}, mode=mode, elicitation_callback=person)
    assert not found.is_error
    assert found.structured_content["trashed_path"]
    assert len(person.asked) == 1
    assert DIFF in person.asked[0]
    assert [params["token"] for params in done(fake, "memory.delete")] == ["t-1"]


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize("person", [Person("decline"), Person("cancel"), Person("accept", confirm=False)])
def test_what_a_person_declines_is_not_done(fake: FakeDaemon, mode: str, person: Person) -> None:
    """The model is told so, and not to try again."""
    found = called(fake, "memory_delete", {"permalink": "note"}, mode=mode, elicitation_callback=person)
    assert found.is_error
    assert "declined" in found.content[0].text
    assert not done(fake, "memory.delete")


@pytest.mark.parametrize("mode", ERAS)
def test_a_plan_that_changed_while_a_person_thought_is_asked_about_again(fake: FakeDaemon, mode: str) -> None:
    """The token they agreed to is no good any more: they see the plan as it is now."""
    plans = iter([("old", "t-old"), ("new", "t-new"), ("new", "t-new")])

    def change(params: Any, peer: Any) -> Any:
        if params.dry_run:
            return dict(zip(("plan", "token"), next(plans), strict=True))
        return {"trashed_path": "x"} if params.token == "t-new" else refuse("confirm_required", "too old")

    fake.answers["memory.delete"] = change
    person = Person("accept", confirm=True)
    found = called(fake, "memory_delete", {"permalink": "note"}, mode=mode, elicitation_callback=person)
    assert not found.is_error
    assert ["old" in person.asked[0], "new" in person.asked[1]] == [True, True]


@pytest.mark.parametrize(
    ("confirm", "tool", "asks"),
    [
        ("never", "memory_delete", False),
        ("destructive", "memory_append", False),
        ("all", "memory_append", True),
        ("all", "memory_search", False),
    ],
)
def test_who_is_asked_about_what_is_an_option(fake: FakeDaemon, confirm: Confirm, tool: str, asks: bool) -> None:
    """`--confirm never|destructive|all`; looking is never asked about."""
    fake.answers["memory.append"] = rehearsed
    params = {
        "memory_delete": {"permalink": "a"},
        "memory_append": {"permalink": "a", "category": "c", "text": "t"},
        "memory_search": {"query": "q"},
    }
    person = Person("accept", confirm=True)
    assert not called(fake, tool, params[tool], confirm=confirm, elicitation_callback=person).is_error
    assert bool(person.asked) is asks


def test_what_the_daemon_wants_confirmed_is_asked_about_too(fake: FakeDaemon) -> None:
    """`[agents] confirm` of the vault holds even where the bridge itself would not ask."""

    def strict(params: Any, peer: Any) -> Any:
        return (
            {"action": "appended"} if params.token == "t" else refuse("confirm_required", "first", plan="P", token="t")
        )

    fake.answers["memory.append"] = strict
    person = Person("accept", confirm=True)
    params = {"permalink": "a", "category": "c", "text": "t"}
    found = called(fake, "memory_append", params, confirm="never", elicitation_callback=person)
    assert not found.is_error
    assert "P" in person.asked[0]


def test_a_rehearsal_is_never_asked_about(fake: FakeDaemon) -> None:
    """With dry_run, and for forget unless dry_run is false, the plan is the answer."""
    fake.answers["memory.forget"] = {"plan": {"removed": []}, "token": "f"}
    for name, params in (
        ("memory_delete", {"permalink": "a", "dry_run": True}),
        ("memory_forget", {"target": {"leaf": "lf-1"}}),
    ):
        found = called(fake, name, params)
        assert not found.is_error
        assert found.structured_content["token"]


# a connection that only looks


def test_read_only_lists_and_does_nothing_that_writes(fake: FakeDaemon) -> None:
    """A tool that writes is refused, and so are the params that make a looking one write."""
    tools = talk(fake, lambda session: session.list_tools(), read_only=True).tools
    assert "memory_write" not in {tool.name for tool in tools}
    for name, params in (
        ("memory_append", {"permalink": "a", "category": "c", "text": "t"}),
        ("memory_doctor", {"fix": True}),
        ("memory_refresh", {"accept": True}),
    ):
        found = called(fake, name, params, read_only=True)
        assert found.structured_content["error"]["code"] == "read_only"
    assert [name for name, _ in fake.seen if name != "hello"] == []
    assert not called(fake, "memory_search", {"query": "x"}, read_only=True).is_error


# resources and prompts


@pytest.mark.parametrize("mode", ERAS)
def test_notes_profile_and_digest_are_resources(fake: FakeDaemon, mode: str) -> None:
    """A note is its file's text; what memd says itself stands in <memd-context>."""
    row = {"permalink": "课程/线性 代数", "path": "c/线性代数.md", "title": "线性代数"}
    fake.answers |= {
        "memory.list": {"notes": [row]},
        "memory.read": lambda p, _: {"content": f"text of {p.permalink or p.path}", "truncated": False},
        "memory.profile": {"stable": [{"text": "likes tea", "status": "stated"}], "recent": []},
    }

    async def say(session: Client) -> list[Any]:
        listed = await session.list_resources()
        templates = await session.list_resource_templates()
        texts = [(await session.read_resource(each.uri)).contents[0].text for each in listed.resources]
        return [[each.uri for each in listed.resources], templates.resource_templates[0].uri_template, *texts]

    uris, template, profile, digest, note = talk(fake, say, mode=mode)
    assert uris[:2] == ["memd://profile", "memd://digest"]
    assert template == "memd://note/{+permalink}"
    assert profile == "<memd-context>\n## Stable\n- likes tea (stated)\n</memd-context>"
    assert digest == "<memd-context>\ntext of c/线性代数.md\n</memd-context>"
    assert note == "text of 课程/线性 代数"


def test_a_vault_without_memory_has_resources_that_say_so(fake: FakeDaemon) -> None:
    """No profile and no digest yet are texts, not errors; a note that is none is the protocol's error."""
    fake.answers |= {
        "memory.list": {"notes": []},
        "memory.profile": {"stable": [], "recent": []},
        "memory.read": refuse("not_found", "no note has the permalink 'x'"),
    }

    async def say(session: Client) -> list[str]:
        return [(await session.read_resource(uri)).contents[0].text for uri in ("memd://profile", "memd://digest")]

    profile, digest = talk(fake, say)
    assert "Nothing is known" in profile
    assert "No digest" in digest
    for uri in ("memd://note/x", "memd://dragons", "file:///etc/passwd"):
        with pytest.raises(MCPError):
            talk(fake, lambda session, uri=uri: session.read_resource(uri))


def test_prompts_carry_their_arguments_and_recall_what_is_known(fake: FakeDaemon) -> None:
    """Braces in a person's words are words; the pack that recall brings stands in <memd-context>."""
    fake.answers["memory.retrieve"] = {"text": "Xiao Lin learns photography"}

    async def say(session: Client) -> list[list[str]]:
        listed = await session.list_prompts()
        assert [prompt.name for prompt in listed.prompts] == ["remember", "recall", "wrap_up_session"]
        given = [
            ("remember", {"text": "{tea} 茶"}),
            ("recall", {"query": "{who}?"}),
            ("wrap_up_session", {"session": "s-1"}),
        ]
        found = [await session.get_prompt(name, arguments) for name, arguments in given]
        return [[message.content.text for message in each.messages] for each in found]

    remember, recall, wrap = talk(fake, say)
    assert "{tea} 茶" in remember[0]
    assert "memory_search" in remember[0]
    assert "{who}?" in recall[0]
    assert recall[1] == "<memd-context>\nXiao Lin learns photography\n</memd-context>"
    assert "(s-1)" in wrap[0]
    with pytest.raises(MCPError, match="needs text"):
        talk(fake, lambda session: session.get_prompt("remember", {}))


def test_permalinks_are_completed(fake: FakeDaemon) -> None:
    """What a person begins to type in a client is looked up."""
    fake.answers["memory.list"] = lambda p, _: {"notes": [{"permalink": f"{p.permalink[:-1]}-one"}]}
    reference = types.ResourceTemplateReference(uri="memd://note/{+permalink}")
    found = talk(fake, lambda s: s.complete(reference, {"name": "permalink", "value": "线性"}))
    assert found.completion.values == ["线性-one"]


def test_a_refusal_names_tools(fake: FakeDaemon) -> None:
    """What to do next is told in the names that the agent can call."""
    fake.answers["memory.read"] = refuse("not_found", "no note has the permalink 'x': memory.search finds it by words")
    found = called(fake, "memory_read", {"permalink": "x"})
    assert "memory_search finds it" in found.content[0].text
    assert "memory_search finds it" in found.structured_content["error"]["message"]
