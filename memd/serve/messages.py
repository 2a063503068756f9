"""What may be asked: the `METHODS` table, one row a method, and params decoded into its struct.

The table is the one place that names methods: wire, MCP tools (`memory_search`), command line (`memd search`), rights and
confirmations are read from it. Never knows how anything is answered.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from typing import Any, Literal

import msgspec
from msgspec import Raw, Struct

from memd.model.errors import Refused
from memd.serve import params as p
from memd.serve.bases import Params
from memd.serve.frames import UNREADABLE, Request, shortened

Right = Literal["read", "write", "forget"]
RIGHTS: frozenset[Right] = frozenset(("read", "write", "forget"))


class Method(Struct, frozen=True):
    """One row. `word` is the command line's, "" where it has none; `positional` are its params without an option's name.

    `effect`: read changes nothing; add only adds; change may overwrite; destroy takes away and is what
    `[agents] confirm = "destructive"` asks about. `idempotent`: the same call again changes nothing more.
    """

    name: str
    params: type[Params]
    right: Right
    effect: Literal["read", "add", "change", "destroy"]
    idempotent: bool
    word: str
    positional: tuple[str, ...]
    doc: str

    @property
    def tool(self) -> str:
        return self.name.replace(".", "_")

    @property
    def writes(self) -> bool:
        return self.effect != "read"

    @property
    def destructive(self) -> bool:
        return self.effect == "destroy"


class Call(Struct, frozen=True):
    """A request that is understood: what handlers get. `deadline` is in the event loop's time, None for no deadline."""

    id: int | str
    method: Method
    params: Any
    deadline: float | None = None


_ROWS: tuple[tuple[str, type[Params], Right, str, bool, str, str], ...] = (
    ("hello", p.Hello, "read", "read", True, "", "who answers, for which vault, and what it can do"),
    ("memory.search", p.Search, "read", "read", True, "search query", "find notes and memories by words, meaning and filters"),
    ("memory.read", p.Read, "read", "read", True, "read permalink", "one note as it stands in its file"),
    ("memory.list", p.List, "read", "read", True, "list", "notes by filter, newest first"),
    ("memory.context", p.Context, "read", "read", True, "context permalink", "a note with what it links to and what links to it"),
    ("memory.recent", p.Recent, "read", "read", True, "recent", "what changed since a time or a cursor"),
    ("memory.write", p.Write, "write", "add", False, "write title", "a new note"),
    ("memory.append", p.Append, "write", "add", True, "append permalink category text", "one observation more in a note"),
    ("memory.edit", p.Edit, "write", "change", False, "edit permalink find replace", "replace words in a note, nothing else"),
    ("memory.delete", p.Delete, "write", "destroy", True, "delete permalink", "move a note to the trash"),
    ("memory.restore", p.Restore, "write", "add", True, "restore permalink", "take a note out of the trash"),
    ("memory.move", p.Move, "write", "change", True, "move permalink to", "move or rename a note, move a leaf to another tree, merge entities"),
    ("memory.correct", p.Correct, "write", "change", True, "correct id text", "say what is true in place of a leaf, a chain value, a profile line"),
    ("memory.undo", p.Undo, "write", "change", False, "undo plan", "take back memd's last change, or the one named"),
    ("memory.refresh", p.Refresh, "read", "read", True, "refresh", "look at the files now"),
    ("memory.remember", p.Remember, "write", "add", True, "remember text", "keep something said, from words to evidence in one call"),
    ("memory.ingest", p.Ingest, "write", "add", True, "", "take in a conversation or a source's records as evidence"),
    ("memory.retrieve", p.Retrieve, "read", "read", True, "retrieve query", "a pack of facts, evidence and gaps for a question"),
    ("memory.browse", p.Browse, "read", "read", True, "browse node", "the tree of memory, level by level"),
    ("memory.trace", p.Trace, "read", "read", True, "trace id", "lineage: down to words somebody said, up to what was made of them"),
    ("memory.profile", p.Profile, "read", "read", True, "profile", "what is known of the vault's owner"),
    ("memory.seal", p.Seal, "write", "change", True, "seal tree", "run the sealing step now"),
    ("memory.patch", p.Patch, "write", "change", True, "patch", "run the profile step now"),
    ("memory.chains", p.Chains, "write", "change", True, "chains subject", "run the chain step now"),
    ("memory.forget", p.Forget, "forget", "destroy", True, "forget target", "forget something and all that was made of it"),
    ("memory.doctor", p.Doctor, "read", "change", True, "doctor", "every problem with path, line, reason and what to do"),
    ("memory.reindex", p.Reindex, "write", "change", True, "reindex", "bring the indexes in step with the files now"),
    ("memory.job", p.Job, "read", "read", True, "job id", "how far a long piece of work is"),
    ("status", Params, "read", "read", True, "status", "daemon, indexes, backlog, jobs and problems"),
    ("subscribe", p.Subscribe, "read", "read", False, "", "events as changes are indexed"),
    ("unsubscribe", p.Unsubscribe, "read", "read", True, "", "no more events of a subscription"),
)  # fmt: skip


def _row(row: tuple[str, type[Params], Right, Any, bool, str, str]) -> Method:
    name, params, right, effect, idempotent, command, doc = row
    word, *positional = command.split() or [""]
    return Method(name, params, right, effect, idempotent, word, tuple(positional), doc)


METHODS: dict[str, Method] = {row[0]: _row(row) for row in _ROWS}
OF_WORD: dict[str, Method] = {method.word: method for method in METHODS.values() if method.word}
OF_PARAMS: dict[type[Params], Method] = {method.params: method for method in METHODS.values()}


def understand(request: Request, deadline: float | None = None) -> Call:
    """The request with its method and typed params. Raises Refused: unknown_method, invalid_params."""
    method = METHODS.get(request.method)
    if method is None:
        way = nearest(request.method, METHODS) or "; `memd help` lists what there is"
        raise Refused("unknown_method", f"no method {request.method[:60]!r}{way}")
    return Call(request.id, method, decode(method, request.params), deadline)


def needed(method: Method, params: Any) -> Right:
    """The right that this call needs: looking is `read`, mending and accepting a loss is `write`."""
    if getattr(params, "fix", False) or getattr(params, "accept", False):
        return "write"
    return method.right


@cache
def _decoder(params: type[Params]) -> msgspec.msgpack.Decoder[Any]:
    return msgspec.msgpack.Decoder(params)


def decode(method: Method, raw: bytes | Raw) -> Any:
    """Params as the method's struct; an optional one that is null counts as not given. Raises Refused: invalid_params."""
    decoder = _decoder(method.params)
    try:
        return decoder.decode(raw)
    except UNREADABLE:
        pass
    try:
        given = msgspec.msgpack.decode(raw, type=dict[str, Raw])
        kept = {name: value for name, value in given.items() if bytes(value) != b"\xc0"}
        return decoder.decode(msgspec.msgpack.encode(kept))
    except UNREADABLE as error:
        raise _invalid(method, str(error)) from None


def convert(method: Method, given: dict[str, Any]) -> Any:
    """The same for plain values that a client holds; Raises Refused: invalid_params."""
    try:
        return msgspec.convert({k: v for k, v in given.items() if v is not None}, method.params)
    except msgspec.ValidationError as error:
        raise _invalid(method, str(error)) from None


def _invalid(method: Method, why: str) -> Refused:
    """A sentence that names the field and what it takes, and never repeats the value that was sent."""
    reason, _, place = why.partition(" - at `$.")
    field = place.rstrip("`")
    if "unknown field" in reason:
        name = reason.rpartition("field ")[2].strip("`")[:60]
        names = () if field else method.params.__struct_fields__
        takes = f"; {method.name} takes {', '.join(names)}" if names else ""
        field, reason = ".".join(filter(None, (field, name))), f"no such param{nearest(name, names)}{takes}"
    elif "required field" in reason:
        field = ".".join(filter(None, (field, reason.rpartition("field ")[2].strip("`"))))
        reason = "is missing"
    elif "Invalid enum value" in reason:
        reason = f"takes {_choices(method, field)}"
    elif not field:
        return Refused("invalid_params", f"{method.name}: {shortened(reason)}")
    return Refused("invalid_params", f"{method.name}: {field}: {shortened(reason, 600)}", field=field)


def _choices(method: Method, field: str) -> str:
    names = [part.partition("[")[0] for part in field.split(".")]
    param = next((param for param in params_of(method) if param.name == names[0]), None)
    return (
        " or ".join(param.choices) if param and param.choices and len(names) == 1 else "another value: see the README"
    )


def renamed(message: str, prefix: str) -> str:
    """A message with its methods under the names of another door: `memd search`, `memory_search`."""
    return re.sub(r"\bmemory\.(?=[a-z])", prefix, message)


def nearest(name: str, names: Iterable[str]) -> str:
    """`; did you mean '…'?`, "" where nothing is near."""
    from difflib import get_close_matches

    found = get_close_matches(name[:60], list(names), 1)
    return f"; did you mean {found[0]!r}?" if found else ""


class Param(Struct, frozen=True):
    """One param as a command line needs it. `kind`: text, integer, flag, record (a struct or a mapping), or its default's."""

    name: str
    kind: Literal["text", "integer", "flag", "record"]
    many: bool
    required: bool
    default: Any
    choices: tuple[str, ...]


@cache
def params_of(method: Method) -> tuple[Param, ...]:
    """The method's params in their order, looked up in its struct's types."""
    info = msgspec.inspect.type_info(method.params)
    assert isinstance(info, msgspec.inspect.StructType)
    return tuple(_param(field) for field in info.fields)


def _param(field: msgspec.inspect.Field) -> Param:
    inner: Any = _bare(field.type)
    many = isinstance(inner, msgspec.inspect.VarTupleType)
    item: Any = _bare(inner.item_type) if many else inner
    kinds: dict[type, Literal["text", "integer", "flag"]] = {
        msgspec.inspect.StrType: "text",
        msgspec.inspect.LiteralType: "text",
        msgspec.inspect.IntType: "integer",
        msgspec.inspect.BoolType: "flag",
    }
    choices = tuple(str(v) for v in item.values if v) if isinstance(item, msgspec.inspect.LiteralType) else ()
    default = None if field.default is msgspec.NODEFAULT else field.default
    return Param(field.name, kinds.get(type(item), "record"), many, field.required, default, choices)


def _bare(kind: Any) -> Any:
    """The type under its metadata."""
    return _bare(kind.type) if isinstance(kind, msgspec.inspect.Metadata) else kind
