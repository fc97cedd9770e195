"""Write the bundled sample into a folder, to try commands on."""

from __future__ import annotations

import os
import shlex

import click

from rankproof.cli.shared import output
from rankproof.kernel.atomic import new_folder


@click.command("sample")
@click.argument("folder", type=click.Path(), default="sample")
def command(folder: str) -> None:
    """Write the sample's files to FOLDER (sample). A folder that has something in it is left alone.

    The commands of the README and of most pages run in that folder: three rankings of 20 queries, their judgments, a
    policy for the gate, the queries' words and columns, a model's grades, and two logs of clicks. All of it is made up.

    \b
    rankproof sample
    rankproof sample tryout
    """
    from rankproof.stack import samples

    source = samples.rankings()
    names = sorted(os.listdir(source))
    with new_folder(folder) as beside:
        for name in names:
            with open(os.path.join(source, name), "rb") as bundled, open(os.path.join(beside, name), "xb") as file:
                file.write(bundled.read())
    output.say(
        f"{folder} written: {', '.join(names)}. Next:\n"
        f"  cd {shlex.quote(folder)}\n"
        "  rankproof gate policy.toml --candidate dense.run\n"
    )
