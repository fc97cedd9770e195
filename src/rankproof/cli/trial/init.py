"""`rankproof trial init`: a commented design to begin with, or a made-up trial to try the commands on."""

from __future__ import annotations

import os

import click

from rankproof.cli.shared import output
from rankproof.cli.shared.groups import begin, refuse_there
from rankproof.errors import UsageError
from rankproof.kernel.atomic import replace_file

STARTER = "trial.toml"
ROWS = "searches.csv"


@click.command("init")
@click.argument("path", type=click.Path(), required=False)
@click.option("--example", type=click.Path(), help="A folder to write a made-up trial to: its design and its rows.")
def command(path: str | None, example: str | None) -> None:
    """Write a commented design to PATH (trial.toml), to begin with. A file that is there already is left alone.

    \b
    rankproof trial init
    rankproof trial init trials/hybrid.toml
    rankproof trial init --example demo
    """
    if example is not None:
        if path is not None:
            raise UsageError("--example writes a design of its own; PATH came too. Leave out one of the two.")
        _example(example)
        return
    from rankproof.online.trial.example import STARTER_DESIGN

    path = path or STARTER
    begin(path, STARTER_DESIGN, f"Put your variants, columns and metrics into it, then: rankproof trial plan {path}")


def _example(folder: str) -> None:
    import numpy as np

    from rankproof.online.trial.example import DESIGN, example_rows

    files = [os.path.join(folder, name) for name in (STARTER, ROWS)]
    for path in files:
        refuse_there(path)
    os.makedirs(os.path.join(folder, "days"), exist_ok=True)
    replace_file(files[0], [DESIGN.encode()])
    replace_file(files[1], (line.encode() for line in example_rows(np.random.default_rng(0))))
    output.say(
        f"{files[0]} and {files[1]} written. Next:\n"
        f"  rankproof trial collect {files[0]} {files[1]} --into {os.path.join(folder, 'days')}\n"
        f"  rankproof trial read {files[0]} {os.path.join(folder, 'days')}\n"
    )
