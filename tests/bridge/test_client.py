"""The Python client, blocking and async: typed calls, pipelines, restarts outlived, subscriptions."""

from __future__ import annotations

import ast
import asyncio
import inspect
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import memd.bridge.calls
from memd.bridge.calls import Calls, arguments
from memd.client import AsyncClient, Client, Refused, Unreachable, connect, socket_of
from memd.serve.bases import Writing
from memd.serve.messages import METHODS
from memd.serve.params import Append, Search
from tests.fakes.daemon import FakeDaemon, daemon, refuse


@pytest.fixture
def path(tmp_path: Path) -> str:
    return str(tmp_path / "s")


@pytest.fixture
def running(path: str) -> Iterator[FakeDaemon]:
    answers = {
        "memory.search": lambda params, peer: {"query": params.query},
        "memory.read": refuse("not_found", "no note 'x'"),
        "memory.append": {"action": "appended"},
    }
    with daemon(path, answers) as found:
        yield found


def method_of(function: Any) -> str:
    """The wire's name that a method of `Calls` sends to."""
    source = inspect.getsource(function)
    calls = [node for node in ast.walk(ast.parse("if 1:\n" + source)) if isinstance(node, ast.Call)]
    [name] = [call.args[0].value for call in calls if isinstance(call.func, ast.Attribute) and call.func.attr == "_ask"]
    return str(name)


def test_every_method_has_its_call() -> None:
    """The typed methods are those of the table, with its params, the required ones without a default."""
    functions = {
        name: function for name, function in inspect.getmembers(Calls, inspect.isfunction) if not name.startswith("_")
    }
    assert {method_of(f) for f in functions.values()} == set(METHODS) - {"subscribe", "unsubscribe"}
    for name, function in functions.items():
        method = METHODS[method_of(function)]
        assert name == method.name.rpartition(".")[2]
        given = set(inspect.signature(function).parameters) - {"self", "writing"}
        wanted = set(method.params.__struct_fields__)
        if issubclass(method.params, Writing):
            wanted -= {"idempotency_key", "dry_run", "token"} - given
        assert given == wanted, name


def test_what_is_none_is_not_sent() -> None:
    """Arguments that nobody gave are left to the daemon's defaults; options of a write stand beside the others."""
    given = {"self": 1, "text": "a", "at": None, "writing": {"dry_run": True}}
    assert arguments(given) == {"text": "a", "dry_run": True}


def test_a_call_gives_its_result(running: FakeDaemon, path: str) -> None:
    """By method, by name and by message alike."""
    with Client(path) as client:
        assert client.search("猫", limit=3)["query"] == "猫"
        assert client.call("memory.search", {"query": "b"})["query"] == "b"
        assert client.ask(Search(query="c"))["query"] == "c"
        assert client.search()["index"] == {"current": True, "pending": 0}
    assert running.seen[0][1]["limit"] == 3


def test_a_refusal_is_raised_with_its_code(running: FakeDaemon, path: str) -> None:
    """The code and the words are the daemon's, and the connection goes on."""
    with Client(path) as client:
        with pytest.raises(Refused, match="no note") as caught:
            client.read("x")
        assert caught.value.code == "not_found"
        with pytest.raises(Refused, match="limit"):
            client.search("a", limit=1000)
        assert client.hello()["protocol"] == 1


def test_a_pipeline_keeps_the_order_of_its_calls(path: str) -> None:
    """Answers that come in another order are put in order, refusals among them."""

    async def later(params: Any, peer: Any) -> dict[str, Any]:
        await asyncio.sleep(0.01 if params.query == "0" else 0)
        return {"query": params.query}

    with daemon(path, {"memory.search": later, "memory.read": refuse("not_found")}), Client(path) as client:
        calls: list[tuple[str, dict[str, Any]]] = [("memory.search", {"query": str(n)}) for n in range(100)]
        found = client.many([*calls, ("memory.read", {"id": "x"})])
    assert [each["query"] for each in found[:100]] == [str(n) for n in range(100)]  # type: ignore[index]
    assert isinstance(found[100], Refused)


def test_a_pipeline_of_large_answers_does_not_block(path: str) -> None:
    """Requests and answers larger than any buffer pass both ways at once."""
    big = "x" * 300_000
    with daemon(path, {"memory.search": {"big": big}}), Client(path, timeout=60) as client:
        found = client.many([("memory.search", {"query": big}) for _ in range(40)])
    assert len(found) == 40


def test_a_vault_is_named_as_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`connect(PATH)` goes to the vault's own socket."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "r"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "c"))
    with daemon(socket_of(str(tmp_path))), connect(str(tmp_path)) as client:
        assert client.hello()["protocol"] == 1


def test_no_daemon_is_unreachable(path: str) -> None:
    """Nobody there: Unreachable, which is a ConnectionError."""
    with pytest.raises(Unreachable):
        Client(path).hello()


def test_a_restart_is_outlived(path: str) -> None:
    """A client whose daemon was stopped and started again goes on; a write is sent again under its first key."""
    first = FakeDaemon(path, {"memory.append": {"action": "appended"}}).start()
    client = Client(path)
    client.append("a", "fact", "x")
    first.stop()
    with daemon(path, {"memory.append": {"action": "appended"}}) as second:
        assert client.append("a", "fact", "y")["action"] == "appended"
        assert [name for name, _ in second.seen] == ["memory.append"]


def test_a_lost_answer_is_asked_for_again_with_the_same_key(path: str) -> None:
    """The daemon sees the write twice, both times with one idempotency key."""
    lost = {"once": True}

    with daemon(path) as running:

        def hang_up(params: Any, peer: Any) -> dict[str, Any]:
            if lost.pop("once", False):
                for connection in list(running.server._connections):
                    connection.transport.abort()
            return {"action": "appended"}

        running.answers["memory.append"] = hang_up
        with Client(path) as client:
            assert client.append("a", "fact", "x")["action"] == "appended"
        keys = [params["idempotency_key"] for name, params in running.seen if name == "memory.append"]
    assert len(keys) == 2
    assert keys[0] == keys[1] != ""


def test_two_writes_have_two_keys(running: FakeDaemon, path: str) -> None:
    """Only a repeat of one call counts as the same; a key that was given is kept."""
    with Client(path) as client:
        for _ in range(2):
            client.ask(Append(permalink="a", category="b", text="c"))
        client.append("a", "b", "c", idempotency_key="mine")
    keys = [params["idempotency_key"] for _, params in running.seen]
    assert keys[0] != keys[1]
    assert keys[2] == "mine"


def test_an_answer_that_does_not_come_is_a_timeout(path: str) -> None:
    """After the timeout the call raises TimeoutError and the next one works."""

    async def never(params: Any, peer: Any) -> dict[str, Any]:
        await asyncio.sleep(30)
        return {}

    with daemon(path, {"memory.search": never}), Client(path, timeout=0.1) as client:
        with pytest.raises(TimeoutError):
            client.search("x")
        assert client.hello()["protocol"] == 1


def test_threads_may_share_a_client(running: FakeDaemon, path: str) -> None:
    """Each thread gets its own answers."""
    found: dict[str, str] = {}
    with Client(path) as client:

        def run(name: str) -> None:
            for _ in range(20):
                found[name] = client.search(name)["query"]

        threads = [threading.Thread(target=run, args=(f"t{n}",)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {f"t{n}": f"t{n}" for n in range(4)}


def subscribed(running: FakeDaemon, count: int = 1) -> None:
    for _ in range(2000):
        if len(running.server._subscriptions) == count:
            return
        threading.Event().wait(0.005)
    raise AssertionError("nobody subscribed")


def test_events_come_as_an_iterator_that_outlives_a_restart(path: str) -> None:
    """After a lost connection it subscribes again and says that some may have been missed."""
    first = FakeDaemon(path, {}).start()
    seen: list[tuple[str, dict[str, Any]]] = []

    def follow() -> None:
        for event in Client(path).subscribe(kinds=["changed"]):
            seen.append((event.name, event.data))
            if len(seen) == 3:
                return

    thread = threading.Thread(target=follow)
    thread.start()
    subscribed(first)
    first.publish("changed", {"path": "a.md"})
    first.publish("removed", {"path": "b.md"})
    first.stop()
    with daemon(path) as second:
        subscribed(second)
        second.publish("changed", {"path": "c.md"})
        thread.join(10)
    assert [(name, data.get("path", data.get("code"))) for name, data in seen] == [
        ("changed", "a.md"),
        ("problem", "lagged"),
        ("changed", "c.md"),
    ]


# async


def test_async_calls_run_together(path: str) -> None:
    """A slow call does not hold a quick one up; refusals are raised; many keeps its order."""

    async def slow(params: Any, peer: Any) -> dict[str, Any]:
        if params.query == "slow":
            await asyncio.sleep(0.1)
        return {"query": params.query}

    async def run() -> None:
        async with AsyncClient(path) as client:
            order: list[str] = []

            async def ask(query: str) -> None:
                order.append((await client.search(query))["query"])

            await asyncio.gather(ask("slow"), ask("quick"))
            assert order == ["quick", "slow"]
            with pytest.raises(Refused, match="no method"):
                await client.call("memory.imagine")
            found = await client.many([("memory.search", {"query": str(n)}) for n in range(60)])
            assert [each["query"] for each in found] == [str(n) for n in range(60)]  # type: ignore[index]
            assert (await client.ask(Search(query="m")))["query"] == "m"

    with daemon(path, {"memory.search": slow}):
        asyncio.run(run())


def test_async_outlives_a_restart_and_knows_absence(path: str) -> None:
    """Nobody there is Unreachable; after a restart the same client goes on."""

    async def run() -> None:
        client = AsyncClient(path)
        with pytest.raises(Unreachable):
            await client.hello()
        for _ in range(2):
            running = await asyncio.to_thread(FakeDaemon(path, {}).start)
            assert (await client.hello())["protocol"] == 1
            await asyncio.to_thread(running.stop)
        await client.close()

    asyncio.run(run())


def test_async_events_come_as_an_iterator(path: str) -> None:
    """Events arrive in order until the caller stops."""

    async def run(running: FakeDaemon) -> list[str]:
        seen = []
        publishing = asyncio.create_task(asyncio.to_thread(publish, running))
        async for event in AsyncClient(path).subscribe():
            seen.append(event.data["path"])
            if len(seen) == 2:
                break
        await publishing
        return seen

    def publish(running: FakeDaemon) -> None:
        subscribed(running)
        for name in ("a.md", "b.md"):
            running.publish("changed", {"path": name})

    with daemon(path) as running:
        assert asyncio.run(run(running)) == ["a.md", "b.md"]


def test_the_blocking_client_loads_no_asyncio() -> None:
    """The command line's path imports neither asyncio nor rich nor an index."""
    import subprocess
    import sys

    program = (
        "import sys, memd.bridge.cli, memd.bridge.cli_show; from memd.bridge.client import Client;"
        "heavy = {'asyncio', 'rich', 'numpy', 'tantivy', 'hnswlib', 'yaml', 'memd.index', 'memd.daemon', 'subprocess', 'logging', 'dataclasses'};"
        "print(sorted(heavy & sys.modules.keys()))"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "[]"
    assert memd.bridge.calls.Answer
