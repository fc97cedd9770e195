"""Serve evaluate, compare, gate and more to coding agents over MCP."""

from __future__ import annotations

import click

from rankproof.errors import UsageError
from rankproof.kernel.libraries import install_line, library


@click.command("mcp")
@click.argument("folder", type=click.Path())
@click.option(
    "--most", default="256MB", show_default=True, metavar="SIZE", help="The largest file that is read, also unpacked."
)
@click.option(
    "--memory", default="4GB", show_default=True, metavar="SIZE", help="How much memory a call may take, on Linux."
)
@click.option(
    "--seconds",
    type=click.FloatRange(1, 86_400),
    default=120.0,
    show_default=True,
    help="After how long a call is ended.",
)
@click.option("--answer", default="1MB", show_default=True, metavar="SIZE", help="The longest answer that is given.")
def command(folder: str, most: str, memory: str, seconds: float, answer: str) -> None:
    """Serve the tools evaluate, compare, gate, power, next, explain and validate to one client (Model Context
    Protocol) on standard input and output, over the files below FOLDER. Nothing is written and nothing is fetched.

    \b
    rankproof mcp .
    rankproof mcp search-tests --most 64MB --seconds 30
    """
    _refuse_missing()
    from rankproof.integrations.mcp.limits import MIB, ServerLimits
    from rankproof.integrations.mcp.server import serve
    from rankproof.measuring.run_sources import budget_of

    limits = ServerLimits(budget_of(most), 2 * budget_of(most), budget_of(memory), seconds, budget_of(answer))
    if limits.memory < 256 * MIB:
        raise UsageError("--memory is at least 256MB: a call takes that for itself.")
    serve(folder, limits)


def _refuse_missing() -> None:
    """UsageError where the SDK is not installed, or is mcp 1, where servers are made in another way."""
    from importlib.metadata import version

    library("mcp", "The MCP server")
    found = version("mcp")
    if int(found.partition(".")[0]) < 2:
        line = install_line("mcp")
        raise UsageError(f"The MCP server needs mcp 2 or later, and {found} is installed. Install it with: {line}")
