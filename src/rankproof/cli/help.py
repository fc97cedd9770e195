"""Show the help of a command, as -h does: rankproof help compare."""

from __future__ import annotations

from collections.abc import Sequence

import click

from rankproof.cli.shared.output import say


@click.command("help")
@click.argument("command_words", metavar="[COMMAND]...", nargs=-1)
def command(command_words: Sequence[str]) -> None:
    """Print the help of COMMAND, or the list of all commands.

    \b
    rankproof help
    rankproof help trial plan
    """
    from rankproof.cli.shared.root import cli

    context = click.Context(cli, info_name="rankproof")
    found: click.Command = cli
    for word in command_words:
        if not isinstance(found, click.Group):
            break  # what follows the name of a command is no part of it, as in `rankproof help gate policy.toml`
        name, inner, _ = found.resolve_command(context, [word])
        assert inner is not None  # an unknown name is an error
        found, context = inner, click.Context(inner, context, name)
    say(found.get_help(context) + "\n")
