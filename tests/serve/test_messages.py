"""The table of methods and its params: what is taken, what is refused, and with which words."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memd.model.errors import Refused
from memd.serve.described import about
from memd.serve.frames import Request
from memd.serve.messages import METHODS, convert, needed, params_of, understand
from memd.serve.peers import Gate, Peer, admit, inside

# The method column of the README's table.
NAMES = """hello memory.search memory.read memory.list memory.context memory.recent memory.write memory.append memory.edit
memory.delete memory.restore memory.move memory.correct memory.undo memory.refresh memory.remember memory.ingest
memory.retrieve memory.browse memory.trace memory.profile memory.seal memory.patch memory.chains memory.forget
memory.doctor memory.reindex memory.job status subscribe unsubscribe""".split()


def ask(method: str, params: Any) -> Any:
    raw = msgspec.Raw(msgspec.msgpack.encode(params))
    return understand(Request(1, method, raw)).params


def refusal(method: str, params: Any) -> Refused:
    with pytest.raises(Refused) as caught:
        ask(method, params)
    return caught.value


def test_every_method_is_there() -> None:
    """The table has the contract's methods and no other."""
    assert list(METHODS) == NAMES


def test_every_param_is_described() -> None:
    """Help and schemas have a phrase for each param of each method."""
    for method in METHODS.values():
        assert all(about(method.name, param.name) for param in params_of(method))


def test_positional_params_are_params() -> None:
    """What stands without an option's name on the command line is a param of the method."""
    for method in METHODS.values():
        assert set(method.positional) <= set(method.params.__struct_fields__)


def test_defaults_are_the_contracts() -> None:
    """Limits and modes that nobody gave."""
    assert (ask("memory.search", {}).limit, ask("memory.search", {}).mode) == (8, "hybrid")
    assert ask("memory.read", {"id": "x"}).max_bytes == 8192
    assert ask("memory.list", {}).limit == 100
    assert (ask("memory.context", {"id": "x"}).depth, ask("memory.context", {"id": "x"}).limit) == (1, 30)
    assert ask("memory.recent", {}).limit == 50
    retrieve = ask("memory.retrieve", {"query": "q"})
    assert (retrieve.mode, retrieve.max_results, retrieve.include_leaves, retrieve.max_tokens) == (
        "auto",
        12,
        True,
        2000,
    )
    assert ask("memory.forget", {"target": {"leaf": "lf-1"}}).dry_run is True
    assert ask("memory.ingest", {"session": "s", "source": "c"}).category == "interaction"


@pytest.mark.parametrize(
    ("method", "params", "field"),
    [
        ("memory.search", {"query": "x", "limit": "many"}, "limit"),
        ("memory.search", {"query": "x", "limit": 0}, "limit"),
        ("memory.search", {"query": "x", "limit": 101}, "limit"),
        ("memory.search", {"query": "x", "mode": "telepathy"}, "mode"),
        ("memory.search", {"query": "x", "kinds": ["leaf", "lief"]}, "kinds[1]"),
        ("memory.search", {"where": {"a": {"gt": {"b": 1}}}}, "where"),
        ("memory.search", {"where": {"a": {"like": 1}}}, "where.a"),
        ("memory.read", {"id": "x", "max_bytes": 0}, "max_bytes"),
        ("memory.context", {"id": "x", "depth": 4}, "depth"),
        ("memory.append", {"permalink": "a", "category": "a"}, "text"),
        ("memory.append", {"category": "a", "text": "b"}, "permalink"),
        ("memory.read", {"permalink": "a", "path": "a.md"}, "one of"),
        ("memory.edit", {"permalink": "a", "find": "", "replace": "x"}, "find"),
        ("memory.retrieve", {"query": "q", "max_results": 51}, "max_results"),
        ("memory.retrieve", {"query": "q", "time_range": {"of": "felt"}}, "time_range.of"),
        ("memory.ingest", {"session": "s", "source": "c", "events": [{"speaker": "a", "text": 3}]}, "events[0].text"),
        (
            "memory.ingest",
            {"session": "s", "source": "c", "events": [{"speaker": "a", "text": "b", "mood": 1}]},
            "mood",
        ),
        ("memory.forget", {"target": {"leaf": "a", "turn": "b"}}, "target"),
        ("memory.forget", {"target": {}}, "target"),
        ("memory.search", [], "memory.search"),
        ("memory.search", None, "memory.search"),
    ],
)
def test_params_that_do_not_fit_name_the_field(method: str, params: Any, field: str) -> None:
    """`invalid_params` says which field, and what it takes."""
    refused = refusal(method, params)
    assert refused.code == "invalid_params"
    assert field in refused.message


def test_a_refusal_never_repeats_what_was_sent() -> None:
    """A secret in a field of the wrong shape is not echoed."""
    for params in (
        {"mode": "hunter2secret"},
        {"limit": "hunter2secret"},
        {"where": {"a": {"gt": ["x", {"hunter2secret": 1}]}}},
    ):
        assert "hunter2secret" not in refusal("memory.search", params).message


def test_a_choice_is_spelled_out() -> None:
    """A word that is none of the choices is answered with the choices."""
    assert refusal("memory.search", {"mode": "x"}).message.endswith("mode: takes hybrid or text or vector")


def test_an_unknown_param_is_answered_with_the_nearest() -> None:
    """A misspelt param names the one that was meant."""
    assert "did you mean 'folder'?" in refusal("memory.search", {"foldr": "x"}).message


def test_an_unknown_method_is_answered_with_the_nearest() -> None:
    """A misspelt method names the one that was meant; where none is near, what lists them."""
    refused = refusal("memory.serch", {})
    assert refused.code == "unknown_method"
    assert "memory.search" in refused.message
    assert "`memd help` lists" in refusal("frobnicate", {}).message


def test_an_optional_param_that_is_null_is_not_given() -> None:
    """Clients that send every field of a form with null for the empty ones are understood."""
    found = ask("memory.search", {"query": "x", "tags": None, "limit": None, "cursor": None})
    assert (found.tags, found.limit, found.cursor) == ((), 8, "")


def test_an_episode_without_turns_keeps_its_null() -> None:
    """`turns: null` says that there are none; it is not dropped."""
    found = ask(
        "memory.ingest", {"session": "s", "source": "c", "episodes": [{"topic": "t", "turns": None, "from": "2026"}]}
    )
    assert (found.episodes[0].turns, found.episodes[0].from_) == (None, "2026")


def test_a_confidence_is_a_number_or_three() -> None:
    """A number is the admission's; a map names them."""
    atoms = [
        {"text": "a", "confidence": 0.9},
        {"text": "b", "confidence": {"match": 0.7}},
        {"text": "c", "confidence": 1},
    ]
    found = ask("memory.ingest", {"session": "s", "source": "c", "atoms": atoms}).atoms
    assert (found[0].confidence, found[1].confidence.match, found[2].confidence) == (0.9, 0.7, 1.0)


def test_where_takes_values_lists_and_operators() -> None:
    """Each form of a filter arrives as plain data."""
    where = {"a": 1, "b": ["x", None], "c": {"gte": "2026-01-01", "in": [1, 2]}, "d": {"exists": False}, "e": None}
    assert ask("memory.search", {"where": where}).where == where


WORDS = st.text("ab猫\0", max_size=5)
JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=8,
)


def code_of(method: str, raw: bytes) -> str:
    try:
        understand(Request(1, method, msgspec.Raw(raw)))
    except Refused as refused:
        return refused.code
    return ""


@given(st.sampled_from(NAMES), st.data())
def test_junk_is_understood_or_refused(name: str, data: st.DataObject) -> None:
    """Values of any shape under real names never raise anything but a refusal."""
    fields = METHODS[name].params.__struct_fields__
    params = data.draw(st.dictionaries(st.sampled_from(fields), JUNK) if fields else JUNK)
    assert code_of(name, msgspec.msgpack.encode(params)) in ("", "invalid_params")


@given(st.binary(max_size=60))
def test_raw_junk_is_understood_or_refused(raw: bytes) -> None:
    """Params that are no MessagePack at all are refused."""
    assert code_of("memory.search", raw) in ("", "invalid_params")


def test_a_million_empty_maps_cost_little() -> None:
    """A request full of empty maps is refused by its type at the first one."""
    raw = b"\x81\xa5where\x81\xa1a\xdd\x00\x0f\x00\x00" + b"\x80" * 0x0F0000
    with pytest.raises(Refused):
        understand(Request(1, "memory.search", msgspec.Raw(raw)))


def test_convert_checks_plain_values_alike() -> None:
    """A client that holds Python values gets the same refusals."""
    assert convert(METHODS["memory.search"], {"query": "x", "limit": None}).limit == 8
    with pytest.raises(Refused, match="limit"):
        convert(METHODS["memory.search"], {"limit": 1000})


# rights


def admitted(method: str, params: dict[str, Any], gate: Gate) -> Any:
    raw = msgspec.Raw(msgspec.msgpack.encode(params))
    return admit(Request(1, method, raw), Peer(0, 0, gate))


READER = Gate(rights=frozenset({"read"}), sensitive=False)


def test_a_reading_socket_reads() -> None:
    """Search, hello and a doctor that only looks are allowed."""
    for method in ("hello", "memory.search", "memory.doctor", "memory.refresh", "status"):
        assert admitted(method, {}, READER).method.name == method


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("memory.write", {"title": "x"}),
        ("memory.doctor", {"fix": True}),
        ("memory.refresh", {"accept": True}),
        ("memory.reindex", {}),
        ("memory.forget", {"target": {"leaf": "x"}}),
    ],
)
def test_a_reading_socket_writes_nothing(method: str, params: dict[str, Any]) -> None:
    """Each call that changes anything is `read_only`."""
    with pytest.raises(Refused) as caught:
        admitted(method, params, READER)
    assert caught.value.code == "read_only"


def test_a_socket_may_be_denied_sensitive_notes() -> None:
    """`include_sensitive` is `permission_denied` there, and allowed on the daemon's own socket."""
    with pytest.raises(Refused) as caught:
        admitted("memory.search", {"include_sensitive": True}, READER)
    assert caught.value.code == "permission_denied"
    assert admitted("memory.search", {"include_sensitive": True}, Gate()).params.include_sensitive


def test_forgetting_needs_a_right_of_its_own() -> None:
    """A writer may not forget."""
    with pytest.raises(Refused):
        admitted("memory.forget", {"target": {"leaf": "x"}}, Gate(rights=frozenset({"read", "write"})))
    forget = METHODS["memory.forget"]
    assert needed(forget, convert(forget, {"target": {"leaf": "x"}})) == "forget"


@pytest.mark.parametrize(
    ("path", "folder", "is_in"),
    [("a/b.md", "a", True), ("ab/c.md", "a", False), ("a", "a", True), ("x.md", "", True), ("", "a", False)],
)
def test_a_folder_includes_its_subfolders(path: str, folder: str, *, is_in: bool) -> None:
    """A name that only begins alike is outside."""
    assert inside(path, folder) is is_in
