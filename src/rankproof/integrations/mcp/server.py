"""Server: the tools over the Model Context Protocol, on standard input and output.

It answers `tools/list` from the table of tools and `tools/call` with what a worker says; it reads no file itself. One
call runs at a time, a few wait, and one that takes too long is ended with its process.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict
from functools import cache
from typing import Any

from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server

from rankproof.errors import RankproofError, Unreadable, UsageError
from rankproof.integrations.mcp.limits import LONGEST_TEXT, LONGEST_WORD, MIB, MOST_WAITING, ServerLimits, size
from rankproof.integrations.mcp.paths import BY_PARTS
from rankproof.integrations.mcp.tools import (
    TOOLS,
    Json,
    ReadingTool,
    check_arguments,
    input_schema,
    output_schema,
    tool_named,
)
from rankproof.kernel.version import __version__

INSTRUCTIONS = (
    "rankproof says whether a ranking is better and may ship, by judgments. Name files from the served folder on. "
    "Begin with validate; measure with evaluate; call a difference real only where compare or gate does. A gate that "
    "is UNDECIDED and a difference that is not significant are answers: say how many queries would decide it (power, "
    "`decides`) and which documents to judge (next), and do not try variants until one passes. explain has the page of "
    "every name."
)
# What a worker is started with. -P: the folder that we are in holds no module of ours; -B: nothing is cached.
PYTHON = ("-P", "-B", "-m", "rankproof.integrations.mcp.worker")
# Fewer reserved addresses for each thread: they count in the memory of a call.
ENVIRONMENT = {"PYTHONDONTWRITEBYTECODE": "1", "PYTHONSAFEPATH": "1", "MALLOC_ARENA_MAX": "2", "NO_COLOR": "1"}


class ToolServer:
    """Answers calls over one folder, one at a time."""

    def __init__(self, folder: int | str, limits: ServerLimits) -> None:
        self.folder, self.limits = folder, limits
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def call(self, name: str, arguments: Mapping[str, Any]) -> types.CallToolResult:
        """The answer of a tool as a result of the protocol; what is refused is a result too, with `isError`."""
        try:
            tool = tool_named(name)
            check_arguments(tool, arguments)
            response = await self._in_turn(tool, arguments)
        except RankproofError as error:
            return failed(str(error))
        if "error" in response:
            return failed(response["error"]["message"], response["error"].get("findings"))
        text = types.TextContent(type="text", text=response["text"])
        return types.CallToolResult(content=[text], structured_content=json.loads(response["document"]))

    async def _in_turn(self, tool: ReadingTool, arguments: Mapping[str, Any]) -> Json:
        if self._waiting >= MOST_WAITING:
            raise UsageError(f"{MOST_WAITING} calls are waiting already. Wait for their answers, and ask again.")
        self._waiting += 1
        try:
            await self._turn.acquire()
        finally:
            self._waiting -= 1
        try:
            return await self._ask(tool, arguments)
        finally:
            self._turn.release()

    async def _ask(self, tool: ReadingTool, arguments: Mapping[str, Any]) -> Json:
        """What a new worker answers; it is gone when this returns, however it returns."""
        request = {"tool": tool.name, "arguments": arguments, "limits": asdict(self.limits)}
        worker = await asyncio.create_subprocess_exec(
            sys.executable, *PYTHON, str(self.folder), env={**os.environ, **ENVIRONMENT},
            pass_fds=(self.folder,) if isinstance(self.folder, int) else (),
            stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE, limit=4 * self.limits.answer + MIB,
        )  # fmt: skip
        try:
            answer = await asyncio.wait_for(_answer(worker, request), self.limits.seconds)
        except TimeoutError:
            raise UsageError(
                f"{tool.name} took more than {self.limits.seconds:g} seconds and was ended. Ask for less: fewer runs, "
                "fewer measures, fewer resamples; or use the command line."
            ) from None
        finally:
            if worker.returncode is None:
                with suppress(ProcessLookupError):
                    worker.kill()
                await asyncio.shield(worker.wait())
        try:
            response: Json = json.loads(answer)
        except ValueError:
            raise UsageError(
                f"{tool.name} ended without an answer (exit status {worker.returncode}), most likely for want of "
                f"memory ({size(self.limits.memory)} a call). Ask for less, or use the command line."
            ) from None
        return response


async def _answer(worker: asyncio.subprocess.Process, request: Json) -> bytes:
    """What the worker writes until it ends. Its input is left open, so that it lives no longer than this process."""
    assert worker.stdin is not None
    assert worker.stdout is not None
    with suppress(BrokenPipeError, ConnectionResetError):  # it ended already: it answered nothing
        worker.stdin.write(json.dumps(request).encode() + b"\n")
        await worker.stdin.drain()
    answer = await worker.stdout.read()
    await worker.wait()
    return answer


def failed(message: str, findings: object = None) -> types.CallToolResult:
    """A result that says what was wrong, and the findings where checks made them."""
    texts = [message if len(message) <= LONGEST_TEXT else f"{message[:LONGEST_TEXT]} ... cut"]
    if findings:
        listed = json.dumps({"findings": findings}, ensure_ascii=False)
        texts += [listed] if len(listed) <= LONGEST_TEXT else []
    content = [types.TextContent(type="text", text=text) for text in texts]
    return types.CallToolResult(content=list(content), is_error=True)


@cache
def listing() -> tuple[types.Tool, ...]:
    """The tools as clients see them."""
    reading = types.ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
    return tuple(
        types.Tool(
            name=tool.name, title=f"rankproof {tool.words}", description=tool.about, annotations=reading,
            input_schema=input_schema(tool), output_schema=output_schema(tool),
        )
        for tool in TOOLS
    )  # fmt: skip


def protocol_server(tools: ToolServer) -> Server[Any]:
    """The server of the SDK with these tools and nothing else."""

    async def list_tools(context: Any, request: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        return types.ListToolsResult(tools=list(listing()))

    async def call_tool(context: Any, request: types.CallToolRequestParams) -> types.CallToolResult:
        return await tools.call(request.name, request.arguments or {})

    return Server(
        "rankproof", version=__version__, instructions=INSTRUCTIONS, on_list_tools=list_tools, on_call_tool=call_tool
    )


@contextmanager
def opened_folder(path: str) -> Iterator[int | str]:
    """The folder that is served: it stays the same one when its path is moved, where the system can hold it open."""
    try:
        real = os.path.realpath(path)
        if not os.path.isdir(real):
            there = os.path.lexists(path)
            raise Unreadable(f"{path[:LONGEST_WORD]} {'is no folder' if there else 'is not there'}. Name a folder.")
        if not BY_PARTS:
            yield real
            return
        descriptor = os.open(real, os.O_RDONLY | os.O_DIRECTORY)
    except (OSError, ValueError) as error:
        raise Unreadable(f"{path[:LONGEST_WORD]} cannot be opened: {getattr(error, 'strerror', error)}.") from None
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def serve(folder: str, limits: ServerLimits) -> None:
    """Serves until the client closes standard input."""

    async def run(opened: int | str) -> None:
        server = protocol_server(ToolServer(opened, limits))
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    with opened_folder(folder) as opened:
        asyncio.run(run(opened))
