"""Print a script that lets your shell complete commands.

bash   eval "$(rankproof completion bash)"            in ~/.bashrc
zsh    eval "$(rankproof completion zsh)"             in ~/.zshrc
fish   rankproof completion fish > ~/.config/fish/completions/rankproof.fish
"""

from __future__ import annotations

import click

SHELLS = ("bash", "zsh", "fish")


@click.command("completion")
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def command(ctx: click.Context, shell: str) -> None:
    """Print the script that makes SHELL complete commands, options, measures, dialects and formats.

    \b
    bash   eval "$(rankproof completion bash)"      in ~/.bashrc
    zsh    eval "$(rankproof completion zsh)"       in ~/.zshrc
    fish   rankproof completion fish > ~/.config/fish/completions/rankproof.fish
    """
    from click.shell_completion import ShellComplete, get_completion_class

    from rankproof.cli.shared.output import say

    completion = get_completion_class(shell)
    assert completion is not None
    # The class's own `source` of bash starts a bash to ask its version: not needed to print a script.
    say(ShellComplete.source(completion(ctx.find_root().command, {}, "rankproof", "_RANKPROOF_COMPLETE")))
