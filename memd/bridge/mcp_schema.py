"""The schemas of MCP tools, from the same table and types as the wire: what a tool takes, and what it answers.

Knows JSON Schema and nothing of the SDK. References are resolved in place: not every client follows `$ref`.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec

from memd.bridge.mcp_words import FIELDS
from memd.serve.bases import OPERATORS, Writing
from memd.serve.described import about
from memd.serve.messages import METHODS, Method

Schema = dict[str, Any]

_EVENTS_ONLY = ("subscribe", "unsubscribe")
"""Methods whose answer is a stream of events, which a tool call cannot carry: resources are subscribed to instead."""
_MAY_WRITE = ("fix", "accept")
"""Params that make a call that looks one that writes."""

TOOLS: dict[str, Method] = {method.tool: method for name, method in METHODS.items() if name not in _EVENTS_ONLY}


def offered(read_only: bool) -> tuple[Method, ...]:
    """The methods that are tools; with `read_only` those that can be asked for without writing."""
    return tuple(method for method in TOOLS.values() if not read_only or method.right == "read")


@cache
def input_schema(method: Method, read_only: bool = False) -> Schema:
    """Of an object with the method's params; with `read_only`, without those that make it write."""
    _, components = msgspec.json.schema_components((method.params,), ref_template="#/{name}")
    found = _resolved(components[method.params.__name__], components)
    properties = {
        name: {"description": _says(method, name), **_param(name, schema)}
        for name, schema in found.get("properties", {}).items()
        if not (read_only and name in _MAY_WRITE)
    }
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": found["required"]} if found.get("required") else {})


def _says(method: Method, name: str) -> str:
    text = FIELDS.get(("", name)) or about(method.name, name).replace(" (- reads standard input)", "")
    several = {"permalink", "path", "id"} <= set(method.params.__struct_fields__)
    return f"{text}; give one of permalink, path and id" if several and name in ("permalink", "path") else text


def _param(name: str, schema: Schema) -> Schema:
    if name == "where":
        operators: Schema = {operator: {} for operator in sorted(OPERATORS)}
        one = {
            "anyOf": [
                {"type": ["string", "number", "boolean", "null", "array"]},
                {"type": "object", "properties": operators},
            ]
        }
        return {"type": "object", "additionalProperties": one}
    return schema


def _resolved(schema: Any, components: dict[str, Schema]) -> Any:
    """The schema with references put in place, and without the defaults that say "nothing"."""
    if isinstance(schema, list):
        return [_resolved(each, components) for each in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        name = schema["$ref"].removeprefix("#/")
        rest = {key: value for key, value in schema.items() if key not in ("$ref", "default")}
        return {**_nested(name, _resolved(components[name], components)), **rest}
    kept = {key: _resolved(value, components) for key, value in schema.items() if key not in ("title", "description")}
    if "properties" in schema:
        kept["properties"] = {name: _resolved(value, components) for name, value in schema["properties"].items()}
    if kept.get("default", 0) in ("", (), [], {}, None):
        del kept["default"]
    if "enum" in kept:
        kept["enum"] = [value for value in kept["enum"] if value != ""]
    return _without_null(kept)


def _without_null(schema: Schema) -> Schema:
    """`anyOf` with null as the bare rest: an optional value is one that is left out."""
    kinds = [each for each in schema.get("anyOf", ()) if each != {"type": "null"}]
    if len(kinds) == 1:
        return {**{key: value for key, value in schema.items() if key != "anyOf"}, **kinds[0]}
    return schema


def _nested(name: str, schema: Schema) -> Schema:
    """A record's fields with what they mean."""
    fields = schema.get("properties", {})
    said = {
        field: {"description": FIELDS[name, field], **value} if (name, field) in FIELDS else value
        for field, value in fields.items()
    }
    kept = {key: value for key, value in schema.items() if key != "required" or value}
    return {**kept, "properties": said}


def hints(method: Method, read_only: bool = False) -> dict[str, bool]:
    """The hints of the specification, in its own spelling. memd's world is the vault: never open."""
    return {
        "readOnlyHint": not method.writes or read_only,
        "destructiveHint": method.destructive,
        "idempotentHint": method.idempotent,
        "openWorldHint": False,
    }


# answers

_TEXT, _NUMBER, _FLAG, _LIST, _OBJECT = ({"type": kind} for kind in ("string", "number", "boolean", "array", "object"))
_TEXTS = {"type": "array", "items": _TEXT}
_ROWS = {"type": "array", "items": _OBJECT}
_KINDS = {"t": _TEXT, "n": _NUMBER, "f": _FLAG, "l": _LIST, "o": _OBJECT, "s": _TEXTS, "r": _ROWS, "?": {}}

_ANSWERS = {
    "hello": "server:t version:t protocol:n vault:o capabilities:o",
    "memory.search": "hits:r took_ms:n",
    "memory.read": "permalink:t path:t id:t title:t type:t frontmatter:o content:t sha256:t size:n truncated:f",
    "memory.list": "notes:r",
    "memory.context": "note:o related:r",
    "memory.recent": "changes:r",
    "memory.write": "permalink:t path:t sha256:t action:t similar:s",
    "memory.append": "permalink:t path:t sha256:t action:t line:n",
    "memory.edit": "permalink:t path:t sha256:t action:t replacements:n",
    "memory.delete": "permalink:t title:t trashed_path:t broken_links:?",
    "memory.restore": "path:t permalink:t",
    "memory.refresh": "added:n changed:n removed:n problems:n",
    "memory.remember": "evidence:r leaves:r",
    "memory.ingest": "job:t evidence:r redacted:l episodes:r leaves:r",
    "memory.retrieve": "intent:? retrieval_pack:o summaries:r leaves:r evidence:r gaps:r coverage:o text:t",
    "memory.profile": "stable:r recent:r up_to:?",
    "memory.doctor": "problems:r",
    "memory.job": "state:t done:? total:? errors:?",
    "status": "backlog:o",
}  # fmt: skip


@cache
def output_schema(method: Method) -> Schema:
    """What the answer has at its top; a rehearsal of a write has `plan` and `token` instead."""
    rows = (row.partition(":") for row in _ANSWERS.get(method.name, "").split())
    properties: Schema = {name: _KINDS[kind] for name, _, kind in rows}
    properties["index"] = {
        "type": "object",
        "properties": {"current": _FLAG, "pending": _NUMBER},
    }
    if issubclass(method.params, Writing):
        properties |= {
            "plan": {"description": "with dry_run: what would be done (forget: also as a list), as a diff"},
            "token": {
                "type": "string",
                "description": "with dry_run: send it with the same call to carry the plan out",
            },
        }
    return {"type": "object", "properties": properties, "required": ["index"]}
