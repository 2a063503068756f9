"""The MCP server: the SDK's requests answered by calls to the daemon. The only importer of `mcp`.

Knows the protocol's shapes, both eras of it. Never knows what a method means: tools come from `mcp_schema`, words from
`mcp_words`, calls and confirmations from `mcp_calls`.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import mcp_types as types
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from memd import __version__
from memd.bridge import mcp_reading, mcp_schema, mcp_words
from memd.bridge.calls import Answer
from memd.bridge.mcp_calls import Confirm, Line, Shown, attempt, confirmed, guarded
from memd.bridge.stream import Unreachable
from memd.model.errors import Refused
from memd.serve.messages import Method, convert, needed, renamed
from memd.serve.places import slug

Context = ServerRequestContext[Any, Any]

EVERY = 0.5
"""Seconds between two words on how long work goes on."""
_ASKED = "confirm"
_FORM = {
    "type": "object",
    "properties": {
        "confirm": {"type": "boolean", "title": "Do it", "description": "carry the plan out", "default": True}
    },
    "required": ["confirm"],
}


class Bridge:
    """One client's server. `confirm`: whose calls are shown before they are done; `read_only`: nothing that writes."""

    def __init__(self, line: Line, confirm: Confirm, read_only: bool) -> None:
        self._line = line
        self._confirm = confirm
        self._read_only = read_only
        self._methods = {method.tool: method for method in mcp_schema.offered(read_only)}

    def server(self) -> Server[Any]:
        return Server(
            "memd",
            version=__version__,
            title="memd",
            description="long-term memory in a vault of markdown notes",
            instructions=mcp_words.INSTRUCTIONS + (mcp_words.READ_ONLY if self._read_only else ""),
            on_list_tools=self._tools,
            on_call_tool=self._call,
            on_list_resources=self._resources,
            on_list_resource_templates=self._templates,
            on_read_resource=self._read,
            on_list_prompts=self._prompts,
            on_get_prompt=self._prompt,
            on_completion=self._complete,
        )

    # tools

    async def _tools(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[self._tool(method) for method in self._methods.values()])

    def _tool(self, method: Method) -> types.Tool:
        return types.Tool(
            name=method.tool,
            title=method.doc[0].upper() + method.doc[1:],
            description=mcp_words.DESCRIPTIONS[method.name],
            input_schema=mcp_schema.input_schema(method, self._read_only),
            output_schema=mcp_schema.output_schema(method),
            annotations=types.ToolAnnotations.model_validate(mcp_schema.hints(method, self._read_only)),
        )

    async def _call(
        self, ctx: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        method = self._methods.get(params.name)
        if method is None and params.name not in mcp_schema.TOOLS:
            raise MCPError(types.INVALID_PARAMS, f"no tool {params.name[:60]!r}")
        try:
            if method is None:
                raise Refused("read_only", f"this connection is read-only: {params.name} writes")
            async with self._progress(ctx):
                found = await self._answer(ctx, method, params)
        except Refused as refused:
            return _refusal(refused)
        except Unreachable as error:
            return _refusal(Refused("unavailable", str(error)))
        return found if isinstance(found, types.InputRequiredResult) else _result(found)

    async def _answer(
        self, ctx: Context, method: Method, params: types.CallToolRequestParams
    ) -> Answer | types.InputRequiredResult:
        given = _signed(ctx, method, params.arguments or {})
        if self._read_only and needed(method, convert(method, given)) != "read":
            raise Refused("read_only", "this connection is read-only: fix and accept are not for it")
        asks = _can_ask(ctx)
        if params.input_responses and params.request_state and asks:
            _check(params.input_responses.get(_ASKED))
            found = await confirmed(self._line, method, given, params.request_state)
        else:
            guard = guarded(method, self._confirm) and (asks or not given.get("token"))
            found = await attempt(self._line, method, given, guard)
        while isinstance(found, Shown):
            if not asks:
                raise found.refusal()
            if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS:
                return types.InputRequiredResult(
                    input_requests={_ASKED: types.ElicitRequest(params=_question(method, found))},
                    request_state=found.token,
                )
            question = _question(method, found)
            _check(await ctx.session.elicit_form(question.message, question.requested_schema, ctx.request_id))
            found = await confirmed(self._line, method, given, found.token)
        return found

    @asynccontextmanager
    async def _progress(self, ctx: Context) -> AsyncIterator[None]:
        """While the work goes on, word of it; the SDK passes it on where the client asked for it."""
        telling = asyncio.create_task(self._tell(ctx))
        try:
            yield
        finally:
            telling.cancel()

    async def _tell(self, ctx: Context) -> None:
        count = 0
        while True:
            await asyncio.sleep(EVERY)
            count += 1
            waiting = await self._line.waiting()
            message = f"{waiting} files wait for the index" if waiting else "working"
            await ctx.session.report_progress(count, None, message)

    # resources

    async def _resources(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListResourcesResult:
        with _told():
            found = await mcp_reading.listed(self._line)
        return types.ListResourcesResult(
            resources=[types.Resource(uri=u, name=n, title=t, mime_type=mcp_reading.MIME) for u, n, t in found]
        )

    async def _templates(
        self, ctx: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        note = types.ResourceTemplate(
            uri_template=mcp_reading.NOTE + "{+permalink}",
            name="note",
            title="A note by its permalink or unique title",
            mime_type=mcp_reading.MIME,
        )
        return types.ListResourceTemplatesResult(resource_templates=[note])

    async def _read(self, ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        with _told():
            text = await mcp_reading.read(self._line, params.uri)
        contents = types.TextResourceContents(uri=params.uri, mime_type=mcp_reading.MIME, text=text)
        return types.ReadResourceResult(contents=[contents])

    async def _complete(self, ctx: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        with _told():
            found = await mcp_reading.beginning(self._line, params.argument.value)
        wanted = params.argument.name == "permalink"
        return types.CompleteResult(completion=types.Completion(values=found if wanted else []))

    # prompts

    async def _prompts(self, ctx: Context, params: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=[_listed(name) for name in self._offered_prompts()])

    def _offered_prompts(self) -> tuple[str, ...]:
        return ("recall",) if self._read_only else tuple(mcp_words.PROMPTS)

    async def _prompt(self, ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name not in self._offered_prompts():
            raise MCPError(types.INVALID_PARAMS, f"no prompt {params.name[:60]!r}")
        title, arguments, text = mcp_words.PROMPTS[params.name]
        given = params.arguments or {}
        for name, (_, required) in arguments.items():
            if required and not given.get(name, "").strip():
                raise MCPError(types.INVALID_PARAMS, f"the prompt {params.name} needs {name}")
        with _told():
            texts = await mcp_reading.prompt(self._line, params.name, text, given)
        messages = [types.PromptMessage(role="user", content=types.TextContent(text=text)) for text in texts]
        return types.GetPromptResult(description=title, messages=messages)


def _listed(name: str) -> types.Prompt:
    title, arguments, _ = mcp_words.PROMPTS[name]
    taken = [types.PromptArgument(name=n, description=d, required=r) for n, (d, r) in arguments.items()]
    return types.Prompt(name=name, title=title, description=title, arguments=taken)


def _signed(ctx: Context, method: Method, arguments: dict[str, Any]) -> dict[str, Any]:
    """The arguments that were given; a note that an agent writes says which one, as the client calls itself."""
    given = {name: value for name, value in arguments.items() if value is not None}
    client = ctx.session.client_params
    if method.name == "memory.write" and "origin" not in given and client is not None and client.client_info.name:
        given["origin"] = f"agent:{slug(client.client_info.name)}"
    return given


# answers


def _result(answer: Answer) -> types.CallToolResult:
    text = json.dumps(answer, ensure_ascii=False, separators=(",", ":"))
    return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=answer)


def _refusal(refused: Refused) -> types.CallToolResult:
    """An error that a model can read and act on: the code, what to do next in names of tools, and the plan where there is
    one."""
    message = renamed(refused.message, "memory_")
    error = {"code": refused.code, "message": message} | ({"data": refused.data} if refused.data else {})
    text = f"{refused.code}: {message}"
    if refused.data:
        text += "\n" + json.dumps(refused.data, ensure_ascii=False)
    return types.CallToolResult(
        content=[types.TextContent(text=text)], structured_content={"error": error}, is_error=True
    )


@contextmanager
def _told() -> Iterator[None]:
    """Turns refusals into the protocol's errors, where there is no tool's result to put them in."""
    try:
        yield
    except Refused as refused:
        code = types.INVALID_PARAMS if refused.code in ("not_found", "invalid_params") else types.INTERNAL_ERROR
        raise MCPError(code, f"{refused.code}: {refused.message}") from refused
    except Unreachable as error:
        raise MCPError(types.INTERNAL_ERROR, f"unavailable: {error}") from error


# asking a person


def _can_ask(ctx: Context) -> bool:
    able = ctx.session.client_capabilities
    asking = able.elicitation if able else None
    return asking is not None and (asking.form is not None or asking.url is None)


def _question(method: Method, shown: Shown) -> types.ElicitRequestFormParams:
    message = mcp_words.CONFIRM.format(doc=method.doc, tool=method.tool, plan=shown.text())
    return types.ElicitRequestFormParams(message=message, requested_schema=_FORM)


def _check(answer: Any) -> None:
    """Raises Refused: confirm_required where the person did not agree."""
    if (
        not isinstance(answer, types.ElicitResult)
        or answer.action != "accept"
        or not (answer.content or {}).get(_ASKED)
    ):
        raise Refused("confirm_required", mcp_words.DECLINED)


# running


async def serve(line: Line, confirm: Confirm, read_only: bool) -> None:
    """Until the client closes its end."""
    server = Bridge(line, confirm, read_only).server()
    try:
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())
    finally:
        await line.close()
